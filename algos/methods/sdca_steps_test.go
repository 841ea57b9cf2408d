package methods

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"

	"repro/algos/losses"
)

// dualLosses are the losses with a dual step, with targets of theirs.
var dualLosses = []struct {
	loss losses.Dual
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
	{registered(), []float64{1, -1}},
}

// smoothHinge is a loss that a program registers [Shalev-Shwartz & Zhang 2013, §1 with γ = 1/2]: 0 above the margin 1, linear below
// 1/2, and a parabola between.
type smoothHinge struct{ losses.Hinge }

func (smoothHinge) Name() string        { return "smooth-hinge" }
func (smoothHinge) Smoothness() float64 { return 2 }
func (smoothHinge) Value(u, y []float64) (s float64) {
	for i, v := range u {
		switch g := 1 - v*y[i]; {
		case g > 0.5:
			s += g - 0.25
		case g > 0:
			s += g * g
		}
	}
	return s
}
func (smoothHinge) Gradient(dst, u, y []float64) {
	for i, v := range u {
		dst[i] = -y[i] * min(max(2*(1-v*y[i]), 0), 1)
	}
}
func (smoothHinge) Conjugate(alpha, y float64) float64 {
	return losses.Hinge{}.Conjugate(alpha, y) + alpha*alpha/4
}
func (smoothHinge) DualStep(v, q, y float64) float64 { return y * min(max((1-y*v)/(q+0.5), 0), 1) }

// registered returns the loss of smoothHinge's name in a spec.
func registered() losses.Dual {
	losses.Register("smooth-hinge", losses.Family{Doc: "of a test", Make: func(losses.Config) losses.Loss { return smoothHinge{} }})
	l, err := losses.New(losses.Config{Name: "smooth-hinge"})
	if err != nil {
		panic(err)
	}
	return l.(losses.Dual)
}

// -α is a subgradient at u = v + qα, which maximises the dual objective in one coordinate, -l*(-α) - αv - qα²/2: no w does better than the
// tangent says. The nearest w tell α to 5e-6 where the second derivative is 1.
func TestDualStepMaximises(t *testing.T) {
	for _, c := range dualLosses {
		for _, y := range c.ys {
			for _, q := range []float64{0, 1e-3, 0.4, 1, 30, 1e4} {
				for _, v := range []float64{-40, -2, -0.5, 0, 0.1, 1, 1.75, 25} {
					alpha := c.loss.DualStep(v, q, y)
					u := v + q*alpha
					l := func(u float64) float64 { return c.loss.Value([]float64{u}, []float64{y}) }
					for _, w := range []float64{u - 3, u - 1e-3, u - 1e-5, u + 1e-5, u + 1e-3, u + 3} {
						// Rounding of l and of α by 1e-16 of the larger of the terms.
						assert.GreaterOrEqual(t, l(w), l(u)-alpha*(w-u)-1e-11*(1+math.Abs(u)+math.Abs(l(u))), "%s, y = %v, q = %v, v = %v", c.loss.Name(), y, q, v)
					}
				}
			}
		}
	}
}

// TestDualStepsWithoutClosedForm checks α = -l'(v + qα), whose two sides a Newton step relates by 1 + q times
// the second derivative.
func TestDualStepsWithoutClosedForm(t *testing.T) {
	for _, l := range []losses.Dual{losses.Logistic{}, losses.DensityRatio{}} {
		for _, y := range []float64{1, -1} {
			for _, q := range []float64{0, 1e-12, 1e-3, 1, 100, 1e6, 1e12} {
				for _, v := range []float64{-1e6, -800, -30, -1, 0, 1e-3, 2, 30, 800, 1e6} {
					if l == (losses.DensityRatio{}) && y < 0 && q*math.Exp(min(v, 700)) < v-600 {
						continue // 2e^u overflows
					}
					alpha := l.DualStep(v, q, y)
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
