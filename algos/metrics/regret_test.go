package metrics

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"

	"repro/algos"
	"repro/algos/algostest"
	"repro/algos/losses"
	"repro/algos/methods"
	"repro/algos/parts"
)

// edge is a fit whose features leave out a part of the kernel at some points.
type edge struct{ algos.Fit }

var _ = algos.Declare[edge](nil, algos.Known("beyond", func(edge) float64 { return 0.04 }))

// Numbers by hand: λ = 2, ‖f‖² = 9, B² = 4, κ² = 9/4 and the sum of logarithms 5, after 10 rounds with the loss 50.
func TestRegret(t *testing.T) {
	e := Evaluation{
		Fit: edge{}, Tally: algos.Tally{Rounds: 10, Squares: 50},
		Hindsight: func() algos.Hindsight {
			return algos.Hindsight{
				Lambda: 2, Penalised: 38, Squares: 20, SquaredNorm: 9,
				LogDet: 5, Dimension: 3, SquaredY: 4, SquaredK: 9. / 4,
			}
		},
	}
	dimension := 4 * math.Log(math.E*(1+10*9./4/2)) * 3
	embedding := 2*9 + 4*5 + 2*10*3*(3*1.5+2)*0.2
	for name, want := range map[string]float64{
		"regret": 12, "regret-refit": 30, "regret-bound": 20, "effective-dimension": 3, "regret-dimension-bound": dimension,
		"regret-share": 12. / 20, "regret-dimension-share": 12 / dimension, "regret-embedding-share": 30 / embedding,
	} {
		assert.InDelta(t, want, value(t, name, e, columns(1)), 1e-12, name)
	}
	e.Fit = nil
	assert.Contains(t, failure("regret-embedding-share", e, columns(1)), "needs a method that predicts with fixed features of the RKHS (such as phi-awv)")
}

// The bounds of Prop. 2.1 and eq. (5) hold for Kernel-AWV, and that of Thm 3.1 for φ̃-AWV, after every round and with any λ.
func TestRegretBounds(t *testing.T) {
	for _, lambda := range []float64{0.05, 1, 10} {
		for name, a := range map[string]algos.Algorithm{
			"regret-share": &methods.KernelAWV{}, "regret-dimension-share": &methods.KernelAWV{}, "regret-embedding-share": &methods.PhiAWV{Order: 2},
		} {
			p := algostest.Problem(80, losses.Square{})
			p.Nu = lambda / 80
			s, ridge := parts.NewStream(p), parts.NewGrowingRidge(p)
			p.Stream = s
			order := parts.NewOrder(p)
			f, err := a.Start(p)
			assert.NoError(t, err)
			for round := range 80 {
				algostest.Steps(t, f, 1)
				_, x, y := order.Batch(int64(round), 1)
				ridge.Add(x.Row(0), y.Row(0))
				e := Evaluation{Problem: p, Fit: f, Tally: *s.Tally, Hindsight: ridge.Hindsight}
				assert.LessOrEqual(t, value(t, name, e, columns(1)), 1.0, "%s with λ = %v after %d rounds", name, lambda, round+1)
			}
		}
	}
}
