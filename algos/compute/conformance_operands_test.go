package compute_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"repro/algos/compute"
)

// guard is the value of the elements between the rows of strided matrices.
const guard = -987.25

// normals returns a matrix of standard normals. Depending on the shape there are 0 to 3 elements between its rows.
func normals(seed uint64, rows, cols int) compute.Matrix {
	m, r := strided(rows, cols, (rows+3*cols+int(seed))&3, guard), rand.New(rand.NewPCG(seed, 0))
	for i := range rows {
		row := m.Row(i)
		for j := range row {
			row[j] = r.NormFloat64()
		}
	}
	return m
}

// garbage returns a matrix of NaN for results, with gaps between its rows like those of normals.
func garbage(rows, cols int) compute.Matrix {
	return fill(strided(rows, cols, (rows+cols)&3, guard), math.NaN())
}

// strided returns a matrix with gaps of the given length, filled with guards, between its rows. It does not begin at the
// start of its allocation, and ends with its last row.
func strided(rows, cols, gap int, value float64) compute.Matrix {
	m := compute.Matrix{Rows: rows, Cols: cols, Stride: cols + gap}
	if rows > 0 {
		m.Data = make([]float64, 1+(rows-1)*m.Stride+cols)[1:]
	}
	for i := range m.Data {
		m.Data[i] = value
	}
	return m
}

// fill sets every entry to a value.
func fill(m compute.Matrix, value float64) compute.Matrix {
	for i := range m.Rows {
		row := m.Row(i)
		for j := range row {
			row[j] = value
		}
	}
	return m
}

// pick returns the given rows of m; nil means all.
func pick(m compute.Matrix, rows []int) compute.Matrix {
	if rows == nil {
		return m
	}
	p := compute.NewMatrix(len(rows), m.Cols)
	for i, r := range rows {
		copy(p.Row(i), m.Row(r))
	}
	return p
}

// edges returns the indices below n that are near 0, n or a multiple of 48.
func edges(n int) []int {
	var rows []int
	for i := range n {
		if j := i % 48; i < 2 || i >= n-2 || (j == 0 || j == 47) && (i/48%8 == 4 || i > 4000 && i < 4200) {
			rows = append(rows, i)
		}
	}
	return rows
}

// mustKeepGuards fails the test if anything was written between the rows.
func mustKeepGuards(t *testing.T, m compute.Matrix) {
	t.Helper()
	for i := range m.Rows - 1 {
		for _, v := range m.Data[i*m.Stride+m.Cols : (i+1)*m.Stride] {
			if v != guard {
				require.FailNow(t, "written between the rows", "after row %d", i)
			}
		}
	}
}

// watch returns a function that fails the test if the matrices or the gaps between their rows have changed.
func watch(operands ...compute.Matrix) (mustBeAsBefore func(t *testing.T)) {
	var before [][]float64
	for _, m := range operands {
		before = append(before, append([]float64(nil), m.Data...))
	}
	return func(t *testing.T) {
		t.Helper()
		for i, m := range operands {
			if !sameBits(before[i], m.Data) {
				require.FailNow(t, "an operand was written", "number %d", i)
			}
		}
	}
}

func sameBits(a, b []float64) bool {
	if len(a) != len(b) {
		return false
	}
	for i, v := range a {
		if math.Float64bits(v) != math.Float64bits(b[i]) {
			return false
		}
	}
	return true
}

// mustEqual fails the test unless the matrices have the same bits. All NaN count as equal.
func mustEqual(t *testing.T, want, got compute.Matrix, what string) {
	t.Helper()
	require.Equal(t, [2]int{want.Rows, want.Cols}, [2]int{got.Rows, got.Cols})
	for i := range want.Rows {
		w, g := want.Row(i), got.Row(i)
		for j := range w {
			if w[j] != g[j] && (w[j] == w[j] || g[j] == g[j]) {
				require.FailNow(t, "not the same bits", "%s: entry (%d, %d): %x, want %x", what, i, j, g[j], w[j])
			}
		}
	}
}
