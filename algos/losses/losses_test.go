package losses

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// grid holds outputs on both sides of every kink and at it, and targets for real values and labels.
var grid = []float64{-30, -2.5, -1, -0.999, -0.5, 0, 0.25, 0.999, 1, 1.001, 2, 40}

func targets(l Loss) []float64 {
	if l.Labels() {
		return []float64{-1, 1}
	}
	return []float64{-1.5, 0, 0.25, 1, 7}
}

// each runs f for every loss with every target.
func each(t *testing.T, f func(t *testing.T, l Loss, y float64)) {
	for _, name := range Names() {
		l, err := New(name)
		require.NoError(t, err)
		for _, y := range targets(l) {
			t.Run(fmt.Sprintf("%s/y=%v", name, y), func(t *testing.T) { f(t, l, y) })
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
	} {
		// A few roundings of numbers below 1000.
		assert.InDelta(t, c.value, value(c.l, c.u, c.y), 1e-15*(1+c.value), "%s(%v, %v)", c.l.Name(), c.u, c.y)
		assert.InDelta(t, c.slope, gradient(c.l, c.u, c.y), 1e-15, "gradient of %s at (%v, %v)", c.l.Name(), c.u, c.y)
	}
	// Where log(1+e^-m) would round to 0, the small value itself must survive.
	assert.InEpsilon(t, math.Exp(-40), value(Logistic{}, 40, 1), 1e-14)
}

func TestGradientAgreesWithDifferences(t *testing.T) {
	const h = 1e-5
	each(t, func(t *testing.T, l Loss, y float64) {
		for _, u := range grid {
			if l.Labels() && math.Abs(1-u*y) < 2*h {
				continue // the kink of the hinge, where a difference means nothing
			}
			want := (value(l, u+h, y) - value(l, u-h, y)) / (2 * h)
			// Truncation h²·|l'''|/6 and rounding of values up to 700 by 1e-16/h·700 = 1e-8.
			assert.InDelta(t, want, gradient(l, u, y), 3e-8, "u = %v", u)
		}
	})
}

func TestGradientIsASubgradient(t *testing.T) {
	each(t, func(t *testing.T, l Loss, y float64) {
		for _, u := range grid {
			for _, v := range grid {
				lower := value(l, u, y) + gradient(l, u, y)*(v-u)
				// Rounding of terms below 3000.
				assert.GreaterOrEqual(t, value(l, v, y), lower-1e-12, "u = %v, v = %v", u, v)
			}
		}
	})
}

func TestLossesAreConvexAndNotNegative(t *testing.T) {
	each(t, func(t *testing.T, l Loss, y float64) {
		for _, u := range grid {
			assert.GreaterOrEqual(t, value(l, u, y), 0.0)
			for _, v := range grid {
				for _, s := range []float64{0.1, 0.5, 0.8} {
					chord := (1-s)*value(l, u, y) + s*value(l, v, y)
					assert.LessOrEqual(t, value(l, (1-s)*u+s*v, y), chord+1e-12) // rounding of terms below 1000
				}
			}
		}
	})
}

// TestSmoothness checks that Smoothness bounds the slope of the gradient and that no smaller constant does.
func TestSmoothness(t *testing.T) {
	each(t, func(t *testing.T, l Loss, y float64) {
		const h = 1e-4
		steepest := 0.0
		for u := -4.0; u < 4; u += h {
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
	for _, name := range Names() {
		l, err := New(name)
		require.NoError(t, err)
		ys := targets(l)
		u, y := make([]float64, len(grid)), make([]float64, len(grid))
		want, sum := make([]float64, len(grid)), 0.0
		for i := range grid {
			u[i], y[i] = grid[i], ys[i%len(ys)]
			want[i] = gradient(l, u[i], y[i])
			sum += value(l, u[i], y[i])
		}
		assert.InDelta(t, sum, l.Value(u, y), 1e-12, name) // rounding of a sum below 2000
		got := make([]float64, len(u))
		before := slices.Clone(u)
		l.Gradient(got, u, y)
		assert.Equal(t, want, got, name)
		assert.Equal(t, before, u, "%s changed its argument", name)
		l.Gradient(u, u, y)
		assert.Equal(t, want, u, "%s in place", name)
		assert.Zero(t, l.Value(nil, nil), name)
	}
}

func TestDivergenceShows(t *testing.T) {
	each(t, func(t *testing.T, l Loss, y float64) {
		assert.True(t, math.IsNaN(value(l, math.NaN(), y)), "the loss of NaN is NaN, not a number that could be averaged")
	})
}

func TestNames(t *testing.T) {
	assert.Equal(t, []string{"hinge", "logistic", "square", "squared-hinge"}, Names())
	for _, name := range Names() {
		l, err := New(name)
		require.NoError(t, err)
		assert.Equal(t, name, l.Name())
	}
	_, err := New("hing")
	assert.EqualError(t, err, `unknown loss "hing"`)
}
