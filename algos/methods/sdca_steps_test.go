package methods

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/algos"
	"repro/algos/algostest"
	"repro/algos/losses"
)

// dualLosses are the losses with a dual step, with targets of theirs.
var dualLosses = []struct {
	loss losses.Loss
	ys   []float64
}{
	{losses.Square{}, []float64{-1.5, 0.3}},
	{losses.Huber{Delta: 0.6}, []float64{-1.5, 0.3}},
	{losses.EpsilonInsensitive{Epsilon: 0.25}, []float64{-1.5, 0.3}},
	{losses.Absolute{}, []float64{-1.5, 0.3}},
	{losses.Quantile{Tau: 0.8}, []float64{-1.5, 0.3}},
	{losses.Hinge{}, []float64{1, -1}},
	{losses.SquaredHinge{}, []float64{1, -1}},
	{losses.Logistic{}, []float64{1, -1}},
	{losses.DensityRatio{}, []float64{1, -1}},
}

// TestDualStepMaximises compares the step with a golden-section search of the dual objective in one
// coordinate, -l*(-α) - αv - qα²/2.
func TestDualStepMaximises(t *testing.T) {
	for _, c := range dualLosses {
		step := dualStepOf(c.loss)
		require.NotNil(t, step, c.loss.Name())
		for _, y := range c.ys {
			for _, q := range []float64{0, 1e-3, 0.4, 1, 30, 1e4} {
				for _, v := range []float64{-40, -2, -0.5, 0, 0.1, 1, 1.75, 25} {
					name := fmt.Sprintf("%s/y=%v/q=%v/v=%v", c.loss.Name(), y, q, v)
					got := step(v, q, y)
					dual := func(alpha float64) float64 {
						return -conjugate(c.loss, alpha, y) - alpha*v - q*alpha*alpha/2
					}
					best := goldenSection(dual, -100, 100)
					if q > 0 || c.loss.Smoothness() == 1 { // else there need be no maximum, or one at the end
						// Values round by 1e-16 of up to 1e3, and the search itself cannot tell less.
						assert.GreaterOrEqual(t, dual(got), dual(best)-1e-12*(1+math.Abs(dual(best))), name)
					}
					// -α is a subgradient at u = v + qα: no w does better than the tangent says.
					u := v + q*got
					l := func(u float64) float64 { return c.loss.Value([]float64{u}, []float64{y}) }
					for _, w := range []float64{u - 3, u - 1e-3, u + 1e-3, u + 3} {
						// Rounding of l and of α by 1e-16 of the larger of the terms.
						assert.GreaterOrEqual(t, l(w), l(u)-got*(w-u)-1e-11*(1+math.Abs(u)+math.Abs(l(u))), name)
					}
				}
			}
		}
	}
}

// goldenSection returns the maximiser of a concave function that may be -∞ outside of an interval, by
// a search on a grid, 1/16 wide, first.
func goldenSection(f func(float64) float64, lo, hi float64) float64 {
	const ratio = 0.6180339887498949
	at := lo
	for x := lo; x <= hi; x += 1.0 / 16 {
		if f(x) > f(at) {
			at = x
		}
	}
	a, b := at-1.0/16, at+1.0/16
	x, y := b-ratio*(b-a), a+ratio*(b-a)
	for range 80 { // 0.618⁸⁰ = 2e-17
		if fx, fy := f(x), f(y); fx > fy || math.IsInf(fy, -1) && y > at {
			b, y = y, x
			x = b - ratio*(b-a)
		} else {
			a, x = x, y
			y = a + ratio*(b-a)
		}
	}
	if f(at) > f((a+b)/2) {
		return at
	}
	return (a + b) / 2
}

// TestDualStepsWithoutClosedForm checks α = -l'(v + qα), whose two sides a Newton step relates by 1 + q times
// the second derivative.
func TestDualStepsWithoutClosedForm(t *testing.T) {
	for _, l := range []losses.Loss{losses.Logistic{}, losses.DensityRatio{}} {
		step := dualStepOf(l)
		for _, y := range []float64{1, -1} {
			for _, q := range []float64{0, 1e-12, 1e-3, 1, 100, 1e6, 1e12} {
				for _, v := range []float64{-1e6, -800, -30, -1, 0, 1e-3, 2, 30, 800, 1e6} {
					if l == (losses.DensityRatio{}) && y < 0 && q*math.Exp(min(v, 700)) < v-600 {
						continue // 2e^u overflows
					}
					alpha := step(v, q, y)
					u := []float64{v + q*alpha}
					l.Gradient(u, u, []float64{y})
					// u rounds by 2⁻⁵³ of |v| and of q|α|, and by the 2⁻⁵⁰ of the search; l'' ≤ |l'| = |α|.
					tol := 0x1p-49 * math.Abs(alpha) * (1 + math.Abs(v) + q*math.Abs(alpha))
					assert.InDelta(t, -u[0], alpha, tol, "%s, y = %v, q = %v, v = %v", l.Name(), y, q, v)
				}
			}
		}
	}
}

func TestLossesWithoutDualStep(t *testing.T) {
	for _, l := range []losses.Loss{losses.Softmax{}, losses.Novelty{}} {
		for _, a := range []algos.Algorithm{&KSDCA{SDCASettings{Batch: 1}}, &RSDCA{SDCASettings{Batch: 1}, 4}, &NSDCA{SDCASettings{Batch: 1}, 4, 0}} {
			_, err := a.Start(algostest.Problem(10, l))
			require.ErrorIs(t, err, algos.ErrUnsupported)
			assert.ErrorContains(t, err, "has no dual step for loss "+l.Name())
		}
	}
	p := algostest.Problem(10, losses.Square{})
	p.Nu = 0
	_, err := (&KSDCA{SDCASettings{Batch: 1}}).Start(p)
	require.ErrorIs(t, err, algos.ErrUnsupported)
	assert.EqualError(t, err, "method does not apply: k-sdca needs ν > 0, got 0; its f is a sum over 1/(νn)")
}
