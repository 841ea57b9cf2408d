package methods

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/algos"
	"repro/algos/algostest"
	"repro/algos/compute"
	"repro/algos/losses"
	"repro/algos/parts"
	"repro/algos/schedules"
)

// A descent is stochastic gradient descent from 0 by its formula, for one output,
//
//	f ← (1 - γν)f - γ(1/B) Σ_b l'(f(x_b) - τ, y_b) k(x_b, ·),  τ ← τ + γ(ν + (1/B) Σ_b l')
//
// with the kernel or an estimate of it for k. Without a threshold τ is 0.
type descent struct {
	x, y      compute.Matrix
	output    int
	slope     func(u, y float64) float64 // l'
	nu        float64
	threshold bool

	f, sum func(z []float64) float64 // f - τ, and the sum of these after all steps
	tau    float64
	slopes []float64 // of the last step
}

func newDescent(p *algos.Problem, output int) *descent {
	zero := func([]float64) float64 { return 0 }
	d := &descent{output: output, slope: slopes[p.Loss], nu: p.Nu, threshold: p.Loss == losses.Novelty{}, f: zero, sum: zero}
	d.x, d.y = p.Dense()
	return d
}

// slopes are l'(u, y) as papers print them.
var slopes = map[losses.Loss]func(u, y float64) float64{
	losses.Square{}:   func(u, y float64) float64 { return u - y },
	losses.Logistic{}: func(u, y float64) float64 { return -y / (1 + math.Exp(y*u)) },
	losses.Hinge{}: func(u, y float64) float64 {
		if y*u < 1 {
			return -y
		}
		return 0
	},
	losses.Novelty{}: func(u, _ float64) float64 {
		if u < 0 {
			return -1
		}
		return 0
	},
}

// slopesAt returns l' at some rows.
func (d *descent) slopesAt(rows []int) []float64 {
	s := make([]float64, len(rows))
	for b, i := range rows {
		s[b] = d.slope(d.f(d.x.Row(i)), d.y.At(i, d.output))
	}
	return s
}

func (d *descent) step(rows []int, gamma float64, k kernelOf) {
	before, sum, tau, slopes := d.f, d.sum, d.tau, d.slopesAt(rows)
	d.slopes = slopes
	if d.threshold {
		d.tau += gamma * d.nu
		for _, s := range slopes {
			d.tau += gamma * s / float64(len(rows))
		}
	}
	now := d.tau
	d.f = func(z []float64) float64 {
		u := (1 - gamma*d.nu) * (before(z) + tau)
		for b, i := range rows {
			u -= gamma / float64(len(rows)) * slopes[b] * k(d.x.Row(i), z)
		}
		return u - now
	}
	f := d.f
	d.sum = func(z []float64) float64 { return sum(z) + f(z) }
}

// Seven steps on seven rows, an epoch or more, of methods whose steps are those of a descent, and the means of their iterates.
func TestDescentsByTheirFormula(t *testing.T) {
	const n, nu, steps = 7, 0.3, 7
	regression, labels := []losses.Loss{losses.Square{}}, []losses.Loss{losses.Square{}, losses.Logistic{}, losses.Hinge{}, losses.Novelty{}}
	theta, own := &schedules.Theta{Theta: 0.7}, &schedules.Theta{Theta: 1 / nu} // Pegasos' own steps are 1/(νt)
	type method struct {
		a        algos.Algorithm
		gamma    schedules.Schedule
		losses   []losses.Loss
		features int     // F of an estimate by random features; 0 for the kernel
		fixed    bool    // the features of block 0 in all steps
		scale    float64 // of the estimate; 0 for 1
	}
	all := []method{
		{&GD{Step: constant(0.9)}, constant(0.9), labels[:3], 0, true, 0},
		{&Pegasos{Batch: 3, Step: constant(0.9)}, constant(0.9), labels[:3], 0, true, 0},
		{&RPegasos{PegasosSettings{Batch: 2, Features: 6, Average: true}}, own, labels[:3], 6, true, 0},
	}
	for _, c := range []struct{ batch, block int }{{1, 1}, {3, 4}, {5, 2}, {1, 4}, {3, 1}} {
		s := DSGSettings{c.batch, c.block, theta, true}
		all = append(all, method{&DSG{DSGSettings: s}, theta, labels, c.block, false, 0},
			method{&UDSG{s, 1, 1}, theta, labels, c.block, false, 0}, method{&UDSG{s, 2, 1}, theta, regression, c.block, false, 0}, method{&UDSG{s, 1, 2}, theta, regression, c.block, false, 0},
			method{&NORMA{Batch: c.batch, Step: theta, Average: true}, theta, labels, 0, false, 0},
			// carratino2018 has features without √2, and draws with replacement, here up to more rows than there are.
			method{&SGDRF{Batch: c.batch * c.batch, Features: 12, HalfKernel: true, Sampling: "replacement", Step: constant(0.8), Average: true}, constant(0.8), regression, 12, true, 0.5})
	}
	for _, c := range all {
		for _, l := range c.losses {
			name := fmt.Sprintf("%T %+v, %s", c.a, c.a, l.Name())
			p := algostest.Problem(n, l)
			p.Nu = nu
			f, order, batch := algostest.Start(t, c.a, p), parts.NewOrder(p), algos.TraitsOf(c.a).Batch
			if batch == 0 {
				batch = n
			}
			if s, ok := c.a.(*SGDRF); ok {
				var err error
				order, err = parts.NewSampling("sgd-rf", p, s.Sampling == "replacement")
				require.NoError(t, err)
			}
			wants, z, seen, terms := []*descent{newDescent(p, 0), newDescent(p, 1)}, algostest.Queries(3), 0, 0
			count := map[bool]int{} // of slopes, by whether they are 0
			for s := range steps {
				rows := append([]int(nil), order.Rows(int64(seen), batch)...)
				made, err := f.Step()
				require.NoError(t, err, name)
				require.Equal(t, len(rows), made.Seen, name)
				seen += len(rows)
				k := kernelOf(algostest.Gaussian)
				if c.features > 0 {
					block := s
					if d, ok := f.(*dsg); ok && len(d.Blocks) > 0 {
						block = d.Blocks[s] // TestBlocksAreDrawnByStep knows which
					} else if c.fixed {
						block = 0
					}
					k = estimate(p, c.features, block)
				}
				if c.scale > 0 {
					whole := k
					k = func(x, z []float64) float64 { return c.scale * whole(x, z) }
				}
				u := f.Model().Predict(z)
				var mean compute.Matrix
				if a, ok := f.(algos.Averager); ok && a.Average() != nil {
					mean = a.Average().Predict(z)
				}
				for o, want := range wants {
					want.step(rows, c.gamma.Gamma(s+1), k)
					for i := range z.Rows {
						require.InDelta(t, want.f(z.Row(i)), u.At(i, o), handTolerance, "%s, step %d", name, s+1)
						if mean.Rows > 0 {
							require.InDelta(t, want.sum(z.Row(i))/float64(s+1), mean.At(i, o), handTolerance, "%s, mean of %d steps", name, s+1)
						}
					}
				}
				for b := range rows {
					idle := wants[0].slopes[b] == 0 && wants[1].slopes[b] == 0
					if count[idle]++; !idle {
						terms++
					}
				}
			}
			if f, ok := f.(*norma); ok {
				assert.Len(t, f.Rows, terms, "%s: examples without a slope add no term", name)
			}
			if l == (losses.Hinge{}) || l == (losses.Novelty{}) {
				t.Logf("%s: %v", name, count)
			}
		}
	}
}
