package losses

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
)

// grid holds outputs on both sides of every kink and at it, and targets for real values and labels.
var grid = []float64{-30, -2.5, -1, -0.999, -0.5, 0, 0.25, 0.999, 1, 1.001, 2, 40}

// every returns each loss with parameters that put kinks on the grid and off it.
func every() []Loss {
	all := []Loss{
		Huber{1}, Huber{0.25}, EpsilonInsensitive{0}, EpsilonInsensitive{0.75},
		Quantile{0.5}, Quantile{0.9}, Quantile{0.1},
	}
	for _, name := range Names() {
		if len(Keys(name)) == 1 {
			all = append(all, families[name].Make(Config{Name: name}))
		}
	}
	return all
}

func targets(l Loss) []float64 {
	if l.Task() == Binary {
		return []float64{-1, 1}
	}
	return []float64{-1.5, 0, 0.25, 1, 7}
}

// kinks are the outputs where the loss or its derivative has a kink.
func kinks(l Loss, y float64) []float64 {
	switch l := l.(type) {
	case Hinge, SquaredHinge:
		return []float64{y}
	case Huber:
		return []float64{y - l.Delta, y + l.Delta}
	case EpsilonInsensitive:
		return []float64{y - l.Epsilon, y + l.Epsilon}
	case Absolute, Quantile:
		return []float64{y}
	case Novelty:
		return []float64{0}
	}
	return nil
}

// each runs f for every loss of one output with every target.
func each(t *testing.T, f func(t *testing.T, l Loss, y float64)) {
	for _, l := range every() {
		if l == (Softmax{}) {
			continue // its outputs are coupled: see softmax_test.go
		}
		for _, y := range targets(l) {
			t.Run(fmt.Sprintf("%s%v/y=%v", l.Name(), l, y), func(t *testing.T) { f(t, l, y) })
		}
	}
}

func value(l Loss, u, y float64) float64 { return l.Value([]float64{u}, []float64{y}) }

func gradient(l Loss, u, y float64) float64 {
	g := []float64{math.NaN()}
	l.Gradient(g, []float64{u}, []float64{y})
	return g[0]
}

func TestKnownValues(t *testing.T) {
	for _, c := range []struct {
		l            Loss
		u, y         float64
		value, slope float64
	}{
		{Square{}, 3, 1, 2, 2},
		{Square{}, 1, 3, 2, -2},
		{Square{}, 0.5, 0.5, 0, 0},
		{Hinge{}, 0, 1, 1, -1},
		{Hinge{}, 0, -1, 1, 1},
		{Hinge{}, -2, 1, 3, -1},
		{Hinge{}, 0.75, 1, 0.25, -1},
		{Hinge{}, 1, 1, 0, 0}, // the kink takes the subgradient 0, as 1{yu<1} in the papers
		{Hinge{}, 2, 1, 0, 0},
		{SquaredHinge{}, 0, 1, 0.5, -1},
		{SquaredHinge{}, 0, -1, 0.5, 1},
		{SquaredHinge{}, -1, 1, 2, -2},
		{SquaredHinge{}, 1, 1, 0, 0},
		{SquaredHinge{}, 5, 1, 0, 0},
		{Logistic{}, 0, 1, math.Ln2, -0.5},
		{Logistic{}, 0, -1, math.Ln2, 0.5},
		{Logistic{}, math.Log(3), 1, math.Log(4.0 / 3), -0.25},
		{Logistic{}, math.Log(3), -1, math.Log(4), 0.75},
		{Logistic{}, -1000, 1, 1000, -1},
		{Logistic{}, 1000, 1, 0, 0},
		{Logistic{}, 40, 1, math.Exp(-40), -math.Exp(-40)},
		{Huber{1}, 1.5, 1, 0.125, 0.5},
		{Huber{1}, 2, 1, 0.5, 1},
		{Huber{1}, 4, 1, 2.5, 1},
		{Huber{1}, -2, 1, 2.5, -1},
		{Huber{0.25}, 2, 1, 0.21875, 0.25},
		{EpsilonInsensitive{0.5}, 1.5, 1, 0, 0}, // |u - y| ≤ ε costs nothing
		{EpsilonInsensitive{0.5}, 2, 1, 0.5, 1},
		{EpsilonInsensitive{0.5}, -1, 1, 1.5, -1},
		{Absolute{}, 3, 1, 2, 1},
		{Absolute{}, -1, 1, 2, -1},
		{Absolute{}, 1, 1, 0, 0},
		{Quantile{0.75}, 3, 1, 0.5, 0.25},
		{Quantile{0.75}, -1, 1, 1.5, -0.75},
		{Quantile{0.75}, 1, 1, 0, 0.25}, // the paper's u ≥ y
		{Novelty{}, -2, 7, 2, -1},
		{Novelty{}, 0, 7, 0, 0},
		{Novelty{}, 2, 7, 0, 0},
		{DensityRatio{}, 1.5, 1, -3, -2},
		{DensityRatio{}, 0, -1, 2, 2},
		{DensityRatio{}, math.Log(3), -1, 6, 6},
	} {
		// A few roundings of numbers below 1000.
		assert.InDelta(t, c.value, value(c.l, c.u, c.y), 1e-15*(1+math.Abs(c.value)), "%s(%v, %v)", c.l.Name(), c.u, c.y)
		assert.InDelta(t, c.slope, gradient(c.l, c.u, c.y), 1e-15*(1+math.Abs(c.slope)), "gradient of %s at (%v, %v)", c.l.Name(), c.u, c.y)
	}
	// Where log(1+e^-m) would round to 0, the small value itself must survive.
	assert.InEpsilon(t, math.Exp(-40), value(Logistic{}, 40, 1), 1e-14)
}

func TestGradientAgreesWithDifferences(t *testing.T) {
	const h = 1e-5
	each(t, func(t *testing.T, l Loss, y float64) {
		for _, u := range grid {
			near := func(k float64) bool { return math.Abs(u-k) < 2*h }
			if slices.ContainsFunc(kinks(l, y), near) {
				continue // a difference across a kink means nothing
			}
			want := (value(l, u+h, y) - value(l, u-h, y)) / (2 * h)
			// Truncation h²·|l'''|/6, rounding of values up to 700 by 1e-16/h·700 = 1e-8, and both in
			// proportion where exp makes them large.
			assert.InDelta(t, want, gradient(l, u, y), 3e-8+1e-9*math.Abs(want), "u = %v", u)
		}
	})
}

func TestGradientIsASubgradient(t *testing.T) {
	each(t, func(t *testing.T, l Loss, y float64) {
		for _, u := range slices.Concat(grid, kinks(l, y)) {
			for _, v := range slices.Concat(grid, kinks(l, y)) {
				lower := value(l, u, y) + gradient(l, u, y)*(v-u)
				// Rounding of terms below 3000, or of the larger ones of exp.
				assert.GreaterOrEqual(t, value(l, v, y), lower-1e-12-1e-15*math.Abs(lower), "u = %v, v = %v", u, v)
			}
		}
	})
}

// TestSmoothness checks that Smoothness bounds the slope of the gradient and that no smaller constant does.
func TestSmoothness(t *testing.T) {
	each(t, func(t *testing.T, l Loss, y float64) {
		if l == (DensityRatio{}) {
			assert.True(t, math.IsInf(l.Smoothness(), 1), "exp has no bound")
			return
		}
		const h = 1e-4
		steepest := 0.0
		for u := -4.0; u < 8; u += h {
			steepest = max(steepest, math.Abs(gradient(l, u+h, y)-gradient(l, u, y))/h)
		}
		if math.IsInf(l.Smoothness(), 1) {
			assert.Greater(t, steepest, 0.1/h, "the gradient jumps")
			return
		}
		assert.InEpsilon(t, l.Smoothness(), steepest, 1e-6) // differences of gradients at distance 1e-4
	})
}

// TestRowsSumOutputs checks values and gradients of rows of several outputs.
func TestRowsSumOutputs(t *testing.T) {
	for _, l := range every() {
		if l == (Softmax{}) {
			continue
		}
		ys, us := targets(l), grid
		if l == (DensityRatio{}) {
			us = grid[:len(grid)-1] // exp(40) would hide the others
		}
		u, y := slices.Clone(us), make([]float64, len(us))
		want, sum := make([]float64, len(us)), 0.0
		for i := range us {
			y[i] = ys[i%len(ys)]
			want[i] = gradient(l, u[i], y[i])
			sum += value(l, u[i], y[i])
		}
		assert.InDelta(t, sum, l.Value(u, y), 1e-12, l.Name()) // rounding of a sum below 2000
		got := make([]float64, len(u))
		before := slices.Clone(u)
		l.Gradient(got, u, y)
		assert.Equal(t, want, got, l.Name())
		assert.Equal(t, before, u, "%s changed its argument", l.Name())
		l.Gradient(u, u, y)
		assert.Equal(t, want, u, "%s in place", l.Name())
		assert.Zero(t, l.Value(nil, nil), l.Name())
	}
}

func TestDivergenceShows(t *testing.T) {
	each(t, func(t *testing.T, l Loss, y float64) {
		assert.True(t, math.IsNaN(value(l, math.NaN(), y)), "the loss of NaN is NaN, not a number that could be averaged")
	})
	assert.True(t, math.IsNaN(Softmax{}.Value([]float64{0, math.NaN()}, []float64{1, 0})))
}
