package losses

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"gonum.org/v1/gonum/mat"
)

// outputs returns rows of three outputs from very different to equal.
func outputs() [][]float64 {
	rows := [][]float64{{0, 0, 0}, {1, -1, 0.5}, {-3, 2, 2}, {30, -20, 5}, {700, 710, -700}}
	r := rand.New(rand.NewPCG(1, 2))
	for range 20 {
		rows = append(rows, []float64{3 * r.NormFloat64(), 3 * r.NormFloat64(), 3 * r.NormFloat64()})
	}
	return rows
}

func oneHot(c int) []float64 {
	y := make([]float64, 3)
	y[c] = 1
	return y
}

func TestSoftmaxKnownValues(t *testing.T) {
	l := Softmax{}
	assert.InDelta(t, math.Log(3), l.Value([]float64{5, 5, 5}, oneHot(1)), 1e-15)
	// With two classes it is the logistic loss of the difference.
	for _, d := range []float64{-40, -1, 0, 2.5, 800} {
		u, y := []float64{d + 3, 3}, []float64{1, 0}
		assert.InDelta(t, value(Logistic{}, d, 1), l.Value(u, y), 1e-13, "difference %v", d) // rounding of 3 + d
		l.Gradient(u, u, y)
		assert.InDelta(t, gradient(Logistic{}, d, 1), u[0], 1e-15, "difference %v", d)
		assert.InDelta(t, -u[0], u[1], 1e-15)
	}
	assert.Equal(t, 1000.0, l.Value([]float64{-500, 500}, []float64{1, 0}))
	assert.Zero(t, l.Value(nil, nil))
	l.Gradient(nil, nil, nil)
}

func TestSoftmaxGradient(t *testing.T) {
	const h = 1e-5
	l := Softmax{}
	for _, u := range outputs() {
		for c := range 3 {
			y, got, in := oneHot(c), make([]float64, 3), slices.Clone(u)
			l.Gradient(got, u, y)
			assert.Equal(t, in, u, "its argument changed")
			l.Gradient(in, in, y)
			assert.Equal(t, got, in, "in place")
			// A constant added to all outputs does not change the loss.
			assert.InDelta(t, 0, got[0]+got[1]+got[2], 1e-15)
			for j := range 3 {
				up, down := slices.Clone(u), slices.Clone(u)
				up[j] += h
				down[j] -= h
				// Truncation h²·|l'''|/6 < 1e-10 and rounding of values up to 1400 by 1e-13/h.
				assert.InDelta(t, (l.Value(up, y)-l.Value(down, y))/(2*h), got[j], 3e-8, "u = %v, y = %v", u, y)
			}
		}
	}
}

// The largest eigenvalue of diag(p) - ppᵀ is 1/2 where two classes share all probability.
func TestSoftmaxSmoothness(t *testing.T) {
	largest := func(u []float64) float64 {
		p := make([]float64, 3)
		Softmax{}.Gradient(p, u, make([]float64, 3)) // without a target: the probabilities
		h := mat.NewSymDense(3, nil)
		for i := range 3 {
			for j := range 3 {
				h.SetSym(i, j, -p[i]*p[j])
			}
			h.SetSym(i, i, p[i]-p[i]*p[i])
		}
		var e mat.EigenSym
		assert.True(t, e.Factorize(h, false))
		return slices.Max(e.Values(nil))
	}
	bound := Softmax{}.Smoothness()
	for _, u := range outputs() {
		assert.LessOrEqual(t, largest(u), bound+1e-15) // a rounding
	}
	assert.InDelta(t, bound, largest([]float64{0, 0, -800}), 1e-15)
}
