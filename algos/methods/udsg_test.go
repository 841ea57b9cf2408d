package methods

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/algos"
	"repro/algos/algostest"
	"repro/algos/kernels"
	"repro/algos/losses"
	"repro/algos/schedules"
)

// mustRunAlike runs two fits of problems with two outputs for 20 steps and requires the same bits of their predictions,
// averages and running predictions.
func mustRunAlike(t *testing.T, want, got algos.Fit) {
	t.Helper()
	x := algostest.Queries(3)
	running := map[algos.Fit]algos.Predictions{want: algostest.Predictions(want, x.Rows), got: algostest.Predictions(got, x.Rows)}
	for k := range 20 {
		for f, p := range running {
			algostest.Steps(t, f, 1)
			if k%3 == 2 {
				f.(algos.Incremental).Advance(k-2, x, p)
			}
		}
		require.Equal(t, want.Model().Predict(x), got.Model().Predict(x))
		require.Equal(t, want.(algos.Averager).Average().Predict(x), got.(algos.Averager).Average().Predict(x))
		require.Equal(t, running[want], running[got])
		require.Equal(t, want.(algos.Normed).SquaredNorms(), got.(algos.Normed).SquaredNorms())
		require.Equal(t, want.(algos.Sizer).Footprint(), got.(algos.Sizer).Footprint())
	}
}

// TestUDSGWithoutReuseIsDSG requires the bits of DSG from UDSG with U = 0.
func TestUDSGWithoutReuseIsDSG(t *testing.T) {
	for _, name := range losses.Names() {
		for _, size := range []struct{ batch, block int }{{1, 1}, {7, 5}} {
			t.Run(fmt.Sprintf("%s/%d,%d", name, size.batch, size.block), func(t *testing.T) {
				settings := DSGSettings{Batch: size.batch, Block: size.block, Step: &schedules.Inverse{Gamma0: 0.5, T0: 10}, Average: true}
				l := algostest.Loss(t, name)
				mustRunAlike(t,
					algostest.Start(t, &DSG{DSGSettings: settings}, algostest.Problem(60, l)),
					algostest.Start(t, &UDSG{settings, 3, 0}, algostest.Problem(60, l)))
			})
		}
	}
}

// naiveBlocks is a function Σ_k Σ_i α_ki φ_ki of one output with naive features.
type naiveBlocks struct {
	p     *algos.Problem
	alpha map[int][]float64 // by block
	width int
}

func (f naiveBlocks) at(x []float64) (u float64) {
	maps := f.p.Kernel.(kernels.Gaussian).Features(f.p.Seed, len(x), f.width)
	for block, alpha := range f.alpha {
		for i, a := range alpha {
			u += a * naiveFeature(maps, block, i, x)
		}
	}
	return u
}

// step makes α_j = (1 - γν) α_j for all j and α_k = α_k - γ(1/(BF)) Σ_b l'_b φ_k(x_b) for the features k of one block.
func (f naiveBlocks) step(block int, gamma float64, x [][]float64, slopes []float64) {
	for _, alpha := range f.alpha {
		for i := range alpha {
			alpha[i] *= 1 - gamma*f.p.Nu
		}
	}
	if f.alpha[block] == nil {
		f.alpha[block] = make([]float64, f.width)
	}
	maps := f.p.Kernel.(kernels.Gaussian).Features(f.p.Seed, len(x[0]), f.width)
	for i := range f.width {
		for b, s := range slopes {
			f.alpha[block][i] -= gamma * s * naiveFeature(maps, block, i, x[b]) / float64(len(slopes)*f.width)
		}
	}
}

// squaredSlopes returns l' of the square loss.
func (f naiveBlocks) squaredSlopes(x [][]float64, y []float64) []float64 {
	s := make([]float64, len(x))
	for b := range x {
		s[b] = f.at(x[b]) - y[b]
	}
	return s
}

// TestUDSGByHand makes seven iterations of Algorithm 3 with G = 1, U = 1 and G = 2, U = 1 from its formulas, with naive
// features. The blocks of iterations with several old ones are read from the fit.
func TestUDSGByHand(t *testing.T) {
	x, y := algostest.Inputs, algostest.Targets
	for name, c := range map[string]struct {
		a   *UDSG
		old []int // iterations with an old block
	}{
		"one by one":       {&UDSG{DSGSettings{1, 1, &schedules.Theta{Theta: 0.7}, true}, 1, 1}, []int{2, 4, 6}},
		"batch and block":  {&UDSG{DSGSettings{3, 4, &schedules.Theta{Theta: 0.7}, true}, 1, 1}, []int{2, 4, 6}},
		"two new, one old": {&UDSG{DSGSettings{1, 3, &schedules.Constant{Gamma0: 0.6}, true}, 2, 1}, []int{3, 6}},
		"one new, two old": {&UDSG{DSGSettings{1, 2, &schedules.Constant{Gamma0: 0.6}, true}, 1, 2}, []int{2, 3, 5, 6}},
	} {
		t.Run(name, func(t *testing.T) {
			p := algostest.Single(x, y, losses.Square{}, 0.3)
			f := algostest.Start(t, c.a, p)
			naive := naiveBlocks{p, map[int][]float64{}, c.a.Block}
			queries := algostest.Queries(2)
			mean := make([]float64, queries.Rows)
			drawn, at := 0, 0
			for i := 1; i <= 7; i++ {
				algostest.Steps(t, f, 1)
				hi := min(at+c.a.Batch, len(x))
				block := drawn
				if len(c.old) > 0 && c.old[0] == i {
					c.old = c.old[1:]
					block = f.(*dsg).Blocks[i-1]
					require.Less(t, block, drawn)
				} else {
					drawn++
				}
				naive.step(block, c.a.Step.Gamma(i), x[at:hi], naive.squaredSlopes(x[at:hi], y[at:hi]))
				at = hi % len(x)
				mustEqualAt(t, naive.at, f.Model())
				for q := range mean {
					mean[q] += naive.at(queries.Row(q))
					assert.InDelta(t, mean[q]/float64(i), f.(algos.Averager).Average().Predict(queries).At(q, 0), handTolerance)
				}
				norm := 0.0
				for _, alpha := range naive.alpha {
					for _, a := range alpha {
						norm += a * a * float64(drawn*c.a.Block)
					}
				}
				assert.InDelta(t, norm, f.(algos.Normed).SquaredNorms()[0], handTolerance)
				assert.EqualValues(t, 8*drawn*c.a.Block, f.(algos.Sizer).Footprint())
			}
		})
	}
}

// TestUDSGDrawsUniformly counts the old blocks that iteration 8 of 4000 seeds uses, with G = 1 and U = 1: four, with
// probability 1/4 each. 4 standard deviations, four times: false alarm for 3e-4 of seeds.
func TestUDSGDrawsUniformly(t *testing.T) {
	const seeds = 4000
	count := map[int]float64{}
	for seed := range uint64(seeds) {
		p := algostest.Single(algostest.Inputs, algostest.Targets, losses.Square{}, 0.3)
		p.Seed = seed
		f := algostest.Start(t, &UDSG{defaultDSG(), 1, 1}, p)
		algostest.Steps(t, f, 8)
		count[f.(*dsg).Blocks[7]]++
	}
	require.Len(t, count, 4)
	for block, n := range count {
		assert.InDelta(t, 0.25, n/seeds, 4*math.Sqrt(0.25*0.75/seeds), "block %d", block)
	}
}

// TestUDSGCountsBlocks compares the closed form of the blocks drawn, on which Cost rests, with a count.
func TestUDSGCountsBlocks(t *testing.T) {
	for _, a := range []*UDSG{{Grow: 1, Reuse: 1}, {Grow: 3, Reuse: 2}, {Grow: 1, Reuse: 4}, {Grow: 2, Reuse: 0}, {Grow: 5, Reuse: 1}} {
		drawn, sum := 0.0, 0.0
		for i := range 40 {
			gotDrawn, gotSum := a.blocksAfter(float64(i))
			assert.Equal(t, drawn, gotDrawn, "%d iterations, G = %d, U = %d", i, a.Grow, a.Reuse)
			assert.Equal(t, sum, gotSum, "%d iterations, G = %d, U = %d", i, a.Grow, a.Reuse)
			sum += drawn
			if i%(a.Grow+a.Reuse) < a.Grow {
				drawn++
			}
		}
	}
}
