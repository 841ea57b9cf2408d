package compute

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
)

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
