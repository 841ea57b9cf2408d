package compute

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// guard fills the gaps between the rows of strided matrices.
const guard = -987.25

// random returns a normal matrix. If pad > 0 it is a view of a larger one, with guards around it.
func random(purpose string, rows, cols, pad int) Matrix {
	m := Matrix{Rows: rows, Cols: cols, Stride: cols + pad, Data: make([]float64, rows*(cols+pad))}
	for i := range m.Data {
		m.Data[i] = guard
	}
	for i := range rows {
		NewStream(1, purpose, uint64(i)).Row(0, m.Row(i))
	}
	return m
}

func mustKeepGuards(t *testing.T, m Matrix) {
	t.Helper()
	for i := range m.Rows {
		for j := m.Cols; j < m.Stride && i*m.Stride+j < len(m.Data); j++ {
			require.Equal(t, guard, m.Data[i*m.Stride+j], "between the rows, at (%d, %d)", i, j)
		}
	}
}

func TestMatrixViews(t *testing.T) {
	m := NewMatrix(4, 3)
	for i := range m.Data {
		m.Data[i] = float64(i)
	}
	assert.Equal(t, 7.0, m.At(2, 1))
	assert.Equal(t, []float64{6, 7, 8}, m.Row(2))
	assert.Equal(t, 3, cap(m.Row(2)), "appending to a row must not overwrite the next one")

	v := m.RowRange(1, 3).ColRange(1, 3)
	assert.Equal(t, [2]int{2, 2}, [2]int{v.Rows, v.Cols})
	assert.Equal(t, []float64{4, 5}, v.Row(0))
	assert.Equal(t, []float64{7, 8}, v.Row(1))
	v.Set(1, 0, -1)
	assert.Equal(t, -1.0, m.At(2, 1), "views share storage")

	c := v.Clone()
	assert.Equal(t, 2, c.Stride, "clones are compact")
	c.Set(0, 0, 99)
	assert.Equal(t, 4.0, m.At(1, 1), "clones do not share storage")

	for name, e := range map[string]Matrix{
		"no rows":            m.RowRange(2, 2),
		"no rows at the end": m.RowRange(4, 4),
		"no rows, columns":   m.RowRange(4, 4).ColRange(1, 2),
		"of nothing":         Matrix{}.RowRange(0, 0),
	} {
		assert.Zero(t, e.Rows, name)
		e.Zero()
		e.Scale(2)
		assert.Zero(t, e.Clone().Rows, name)
	}
	assert.Equal(t, 4, m.ColRange(3, 3).Rows)
	assert.Zero(t, m.ColRange(3, 3).Cols)
}

func TestMatrixArithmetic(t *testing.T) {
	for _, pad := range []int{0, 3} {
		a, b := random("a", 5, 4, pad), random("b", 5, 4, 2*pad)
		want := a.Clone()
		a.AddScaled(-2, b)
		a.Scale(0.5)
		for i := range 5 {
			for j := range 4 {
				assert.Equal(t, 0.5*(want.At(i, j)-2*b.At(i, j)), a.At(i, j))
			}
		}
		b.CopyFrom(a)
		assert.Equal(t, a.Clone(), b.Clone())
		b.Zero()
		assert.Equal(t, NewMatrix(5, 4), b.Clone())
		mustKeepGuards(t, a)
		mustKeepGuards(t, b)
	}
}

func TestMatrixPanics(t *testing.T) {
	m, e := NewMatrix(4, 3), NewEngine(Options{Threads: 1})
	for name, f := range map[string]func(){
		"row below":        func() { m.RowRange(-1, 2) },
		"rows reversed":    func() { m.RowRange(3, 2) },
		"row above":        func() { m.RowRange(0, 5) },
		"column below":     func() { m.ColRange(-1, 2) },
		"columns reversed": func() { m.ColRange(3, 2) },
		"column above":     func() { m.ColRange(0, 4) },
		"copy":             func() { m.CopyFrom(NewMatrix(3, 4)) },
		"add":              func() { m.AddScaled(1, NewMatrix(4, 2)) },
		"product":          func() { e.Mul(m, m, false) },
		"transposed":       func() { e.Mul(m, NewMatrix(3, 3), true) },
	} {
		t.Run(name, func(t *testing.T) { mustPanic(t, f) })
	}
}

func TestMatrixPropagatesNaN(t *testing.T) {
	m := NewMatrix(1, 1)
	m.AddScaled(math.NaN(), NewMatrix(1, 1))
	assert.True(t, math.IsNaN(m.At(0, 0)), "0·NaN is NaN, so that divergence shows")
}

func TestFinite(t *testing.T) {
	m := NewMatrix(2, 3)
	assert.True(t, m.Finite())
	assert.True(t, Matrix{}.Finite())
	for _, v := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		m.Set(1, 2, v)
		assert.False(t, m.Finite(), "%v", v)
		assert.True(t, m.ColRange(0, 2).Finite(), "entries outside a view do not count")
	}
}

func TestTransposed(t *testing.T) {
	m := FromRows([][]float64{{1, 2, 3, 4}, {5, 6, 7, 8}})
	assert.Equal(t, FromRows([][]float64{{2, 6}, {3, 7}}), m.ColRange(1, 3).Transposed(), "with gaps between its rows")
	assert.Equal(t, NewMatrix(3, 0), NewMatrix(0, 3).Transposed())
}
