package drawings

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// valuesOn returns the values of f at the points of a grid.
func valuesOn(xs, ys []float64, f func(x, y float64) float64) [][]float64 {
	z := make([][]float64, len(ys))
	for i, y := range ys {
		for _, x := range xs {
			z[i] = append(z[i], f(x, y))
		}
	}
	return z
}

// evenly returns n numbers from lo to hi.
func evenly(lo, hi float64, n int) (out []float64) {
	for i := range n {
		out = append(out, lo+(hi-lo)*float64(i)/float64(n-1))
	}
	return out
}

func TestContourOfACircle(t *testing.T) {
	xs, ys := evenly(-2, 2, 41), evenly(-2, 2, 37)
	lines := contour(xs, ys, valuesOn(xs, ys, math.Hypot), 1)
	require.Len(t, lines, 1)
	assert.Equal(t, lines[0][0], lines[0][len(lines[0])-1], "it is closed")
	length := 0.0
	for i, v := range lines[0] {
		assert.InDelta(t, 1, math.Hypot(v.X, v.Y), 0.002) // linear interpolation: at most h²/8 for h = 1/9
		if i > 0 {
			length += math.Hypot(v.X-lines[0][i-1].X, v.Y-lines[0][i-1].Y)
		}
	}
	assert.InDelta(t, 2*math.Pi, length, 0.02)
}

func TestContourOfAPlane(t *testing.T) {
	xs, ys := evenly(0, 3, 4), evenly(0, 2, 3)
	lines := contour(xs, ys, valuesOn(xs, ys, func(x, y float64) float64 { return x - y - 0.5 }), 0)
	require.Len(t, lines, 1)
	assert.Equal(t, []vertex{vertexAt(0.5, 0), vertexAt(1, 0.5), vertexAt(1.5, 1), vertexAt(2, 1.5), vertexAt(2.5, 2)}, lines[0])
	assert.Empty(t, contour(xs, ys, valuesOn(xs, ys, math.Hypot), 9), "a level that the function does not have")
}

func TestContourOfASaddle(t *testing.T) {
	for _, test := range []struct {
		name  string
		z     [][]float64
		lines [][]vertex
	}{
		{"the middle is high", [][]float64{{2, -1}, {-1, 2}}, [][]vertex{{vertexAt(2./3, 0), vertexAt(1, 1./3)}, {vertexAt(1./3, 1), vertexAt(0, 2./3)}}},
		{"the middle is low", [][]float64{{1, -2}, {-2, 1}}, [][]vertex{{vertexAt(0, 1./3), vertexAt(1./3, 0)}, {vertexAt(1, 2./3), vertexAt(2./3, 1)}}},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := contour([]float64{0, 1}, []float64{0, 1}, test.z, 0)
			require.Len(t, got, len(test.lines))
			for i, line := range test.lines {
				require.Len(t, got[i], len(line))
				for k, v := range line {
					assert.InDelta(t, v.X, got[i][k].X, 1e-12)
					assert.InDelta(t, v.Y, got[i][k].Y, 1e-12)
				}
			}
		})
	}
}

// A value that is not finite interrupts a line, and one equal to the level does not.
func TestContourOfUnusualValues(t *testing.T) {
	xs, ys := evenly(0, 4, 5), evenly(0, 2, 3)
	z := valuesOn(xs, ys, func(_, y float64) float64 { return y - 1 })
	lines := contour(xs, ys, z, 0)
	require.Len(t, lines, 1)
	assert.Len(t, lines[0], 5)
	z[0][2] = math.NaN()
	lines = contour(xs, ys, z, 0)
	require.Len(t, lines, 2)
	assert.Equal(t, [][]vertex{{vertexAt(1, 1), vertexAt(0, 1)}, {vertexAt(4, 1), vertexAt(3, 1)}}, lines)
}
