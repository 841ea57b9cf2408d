package methods

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/algos/algostest"
	"repro/algos/compute"
	"repro/algos/losses"
	"repro/algos/schedules"
)

// slack9 returns the right side of equation (9) less its left side, as printed but for B^p.
func slack9(beta, g, eta, m, sigma, batch, power, gamma float64) float64 {
	left := 2*(beta+eta*g)*(beta+eta*g) + 2*(eta*m*sigma)*(eta*m*sigma)/math.Pow(batch, power)
	return beta*beta + gamma*gamma*g*g - left
}

// largestNaive searches the signed steps from -100γ to -γ for the largest step that satisfies equation (9) and is at
// most c·γ, by a grid and bisection. It returns 0 if there is none. slack is concave in the step.
func largestNaive(slack func(eta float64) float64, gamma, c float64) float64 {
	limit := 100.
	if c > 0 {
		limit = c
	}
	const grid = 1e4
	for i := range int(grid) {
		far := -gamma * (limit - (limit-1)*float64(i)/grid)
		near := -gamma * (limit - (limit-1)*float64(i+1)/grid)
		if slack(far) >= 0 {
			return -far
		}
		if slack(near) >= 0 {
			for range 80 {
				if mid := (far + near) / 2; slack(mid) >= 0 {
					near = mid
				} else {
					far = mid
				}
			}
			return -near
		}
	}
	return 0
}

// TestCDSGByHand makes seven iterations of Algorithm 4 from its formulas, with naive features and the step sizes of
// equation (9) by a search.
func TestCDSGByHand(t *testing.T) {
	x, y := algostest.Inputs, algostest.Targets
	theta := &schedules.Theta{Theta: 0.7}
	for name, a := range map[string]*CDSG{
		"one by one":          {DSGSettings{1, 1, theta, true}, 0.2, 1, 0, 0},
		"capped":              {DSGSettings{1, 1, theta, true}, 0.2, 1, 0, 1.5},
		"block":               {DSGSettings{1, 4, theta, true}, 0.3, 1, 0, 0},
		"batch":               {DSGSettings{2, 3, &schedules.Constant{Gamma0: 0.9}, true}, 0.3, 1, 0, 0},
		"printed power":       {DSGSettings{2, 3, &schedules.Constant{Gamma0: 0.9}, true}, 0.3, 2, 0, 0},
		"bound":               {DSGSettings{2, 3, &schedules.Constant{Gamma0: 0.9}, true}, 0.1, 1, 1.3, 0},
		"bound and cap":       {DSGSettings{2, 3, &schedules.Constant{Gamma0: 0.9}, true}, 0.2, 1, 1.3, 1.2},
		"no noise and no cap": {DSGSettings{1, 2, &schedules.Constant{Gamma0: 0.8}, true}, 0, 1, 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			p := algostest.Single(x, y, losses.Square{}, 0.3)
			f := algostest.Start(t, a, p).(*cdsg)
			want := newDescent(p, 0)
			var beta []float64
			used := map[bool]int{}
			at := 0
			for i := 1; i <= 7; i++ {
				rows := []int{at, at + 1}[:min(a.Batch, len(x)-at)]
				slopes := want.slopesAt(rows)
				gamma, batch, g, m := a.Step.Gamma(i), float64(len(slopes)), 0.0, a.Bound
				for _, s := range slopes {
					g += s / batch
					if a.Bound == 0 {
						m = max(m, math.Abs(s))
					}
				}
				block, eta, largest := len(beta), gamma, gamma
				for k, b := range beta {
					slack := func(eta float64) float64 { return slack9(b, g, eta, m, a.Noise, batch, a.NoisePower, gamma) }
					capped := largestNaive(slack, gamma, a.Cap)
					if own := largestNaive(slack, gamma, 0); capped > 0 && own > largest {
						block, eta, largest = k, capped, own
					}
				}
				used[block < len(beta)]++
				if block == len(beta) {
					beta = append(beta, 0)
				}
				for k := range beta {
					beta[k] *= 1 - eta*p.Nu
				}
				beta[block] -= eta * g
				want.step(rows, eta, estimate(p, a.Block, block))
				at = (at + len(rows)) % len(x)

				algostest.Steps(t, f, 1)
				require.Equal(t, block, f.Blocks[i-1], "iteration %d", i)
				// The search stops within the rounding of slack9 over its slope: a few 1e-15 for numbers of size 1.
				assert.InDeltaSlice(t, beta, f.state.Beta, 1e-12)
				queries := algostest.Queries(2)
				for q := range queries.Rows {
					assert.InDelta(t, want.f(queries.Row(q)), f.Model().Predict(queries).At(q, 0), 1e-12)
				}
			}
			assert.Positive(t, used[true], "no iteration used an old block")
			assert.Positive(t, used[false])
		})
	}
}

// TestCDSGThreshold looks for the smallest β/g, in units of γ, at which a block may be used again: 2 - √3 without noise,
// and, worked out by a search over equation (9), 0.274 for s/|g| = 0.1 and 0.321 for 0.3.
func TestCDSGThreshold(t *testing.T) {
	const g, gamma = -1.7, 0.4
	for _, c := range []struct{ noise, want, rounding float64 }{
		{0, 2 - math.Sqrt(3), 1e-12}, // of the bisection
		{0.1, 0.274, 5e-4},
		{0.3, 0.321, 5e-4},
	} {
		lo, hi := 0.0, 1.0
		for range 60 {
			ratio := (lo + hi) / 2
			if own, _ := (&CDSG{}).largestStep([]float64{ratio * gamma * g}, []float64{g}, c.noise*c.noise*g*g, gamma); own > gamma {
				hi = ratio
			} else {
				lo = ratio
			}
		}
		assert.InDelta(t, c.want, hi, c.rounding, "s/|g| = %v", c.noise)
		own, _ := (&CDSG{}).largestStep([]float64{-hi * gamma * g}, []float64{g}, c.noise*c.noise*g*g, gamma)
		assert.Less(t, own, gamma, "slopes of one sign")
	}
}

// TestCDSGCap requires that a step of c·γ is refused where equation (9) allows larger steps only. For s = 0 and β = 10γg
// it allows steps from (10 - √50.5)γ to (10 + √50.5)γ.
func TestCDSGCap(t *testing.T) {
	const gamma = 0.5
	beta, g := []float64{20 * gamma}, []float64{2}
	for _, c := range []struct{ limit, own, capped float64 }{
		{0, 10 + math.Sqrt(50.5), 10 + math.Sqrt(50.5)},
		{20, 10 + math.Sqrt(50.5), 10 + math.Sqrt(50.5)},
		{4, 10 + math.Sqrt(50.5), 4},
		{2, math.NaN(), math.NaN()},
	} {
		own, capped := (&CDSG{Cap: c.limit}).largestStep(beta, g, 0, gamma)
		if math.IsNaN(c.own) {
			assert.True(t, math.IsNaN(own) && math.IsNaN(capped))
			continue
		}
		assert.InDelta(t, c.own*gamma, own, 1e-14)
		assert.InDelta(t, c.capped*gamma, capped, 1e-14)
	}
}

// TestCDSGOfEqualOutputs checks the check for several outputs: with the same targets twice it makes the steps that it
// makes with them once, because every product in equation (9) doubles, and M² too.
func TestCDSGOfEqualOutputs(t *testing.T) {
	once := algostest.Single(algostest.Inputs, algostest.Targets, losses.Square{}, 0.3)
	twice := algostest.Single(algostest.Inputs, algostest.Targets, losses.Square{}, 0.3)
	y := compute.NewMatrix(len(algostest.Targets), 2)
	for i, v := range algostest.Targets {
		y.Set(i, 0, v)
		y.Set(i, 1, v)
	}
	twice.Train = &algostest.Samples{X: once.Train.(*algostest.Samples).X, Y: y}
	a := &CDSG{DSGSettings{2, 3, &schedules.Constant{Gamma0: 0.9}, false}, 0.3, 1, 0, 0}
	one, two := algostest.Start(t, a, once).(*cdsg), algostest.Start(t, a, twice).(*cdsg)
	algostest.Steps(t, one, 15)
	algostest.Steps(t, two, 15)
	assert.Equal(t, one.Blocks, two.Blocks)
	assert.Less(t, one.drawn(), 15)
	x := algostest.Queries(2)
	for i := range x.Rows {
		for j := range 2 {
			assert.InDelta(t, one.Model().Predict(x).At(i, 0), two.Model().Predict(x).At(i, j), handTolerance)
		}
	}
}
