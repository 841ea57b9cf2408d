package methods

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/algos"
	"repro/algos/algostest"
	"repro/algos/losses"
)

// fourfold is four times a loss, of which the second derivative has four times the bound.
type fourfold struct{ losses.Loss }

func (l fourfold) Smoothness() float64          { return 4 * l.Loss.Smoothness() }
func (l fourfold) Value(u, y []float64) float64 { return 4 * l.Loss.Value(u, y) }
func (l fourfold) Gradient(dst, u, y []float64) {
	l.Loss.Gradient(dst, u, y)
	for i := range dst {
		dst[i] *= 4
	}
}

// A method that finds its own step sizes makes the same steps for four times the objective: its step is that of the loss, not of the square
// loss. Four is a power of two, so that bits are the same but where the bound of a second derivative is no such power.
func TestOwnStepsFollowTheLoss(t *testing.T) {
	all := map[algos.Algorithm]float64{ // ν
		&GD{Subsample: 40}: 0.125, &Pegasos{Batch: 8, Subsample: 40}: 0.125, &SGDRF{Batch: 8, Features: 12, Subsample: 40}: 0.125,
		&SVRGRF{Batch: 8, Features: 12, Inner: 2}: 0.125, &RRBCD{RBCDSettings{Features: 12, Blocks: 3}}: 0.125,
		&EigenPro2{Batch: 8, Subsample: 20, Directions: 3, Device: 1, Exponent: 0.95}: 0,
	}
	for _, rule := range []string{"code", "bound", "full"} {
		s := EigenProSettings{Batch: 8, Directions: 3, Subsample: 40, Tau: 1, Decomposition: "rsvd", Flatten: "full", Rule: rule}
		all[&EigenPro{s}], all[&EigenProRF{s, 12}] = 0, 0
	}
	for a, nu := range all {
		for _, l := range []losses.Loss{losses.Square{}, losses.Logistic{}, losses.SquaredHinge{}, losses.Huber{Delta: 0.5}} {
			after := func(l losses.Loss, nu float64) []float64 {
				p := algostest.Problem(40, l)
				p.Nu = nu
				f := algostest.Start(t, a, p)
				algostest.Steps(t, f, 12)
				x, _ := p.Dense()
				return f.Model().Predict(x).Data
			}
			want := after(l, nu)
			require.NotZero(t, want[0])
			assert.InDeltaSlice(t, want, after(fourfold{l}, 4*nu), 1e-13, "%T, %s", a, l.Name())
		}
	}
}
