package methods

import (
	"fmt"
	"math"
	"slices"
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
	const nu = 0.3
	exact := func(*algos.Problem, algos.Fit, int) kernelOf { return algostest.Gaussian }
	fixed := func(features int) func(*algos.Problem, algos.Fit, int) kernelOf {
		return func(p *algos.Problem, _ algos.Fit, _ int) kernelOf { return estimate(p, features, 0) }
	}
	half := func(p *algos.Problem, _ algos.Fit, _ int) kernelOf { // carratino2018 has features without √2
		k := estimate(p, 12, 0)
		return func(x, z []float64) float64 { return k(x, z) / 2 }
	}
	all := []losses.Loss{losses.Square{}, losses.Logistic{}, losses.Hinge{}, losses.Novelty{}}
	theta := &schedules.Theta{Theta: 0.7}
	descends(t, &GD{Step: constant(0.9)}, nu, constant(0.9), exact, all[:3])
	descends(t, &Pegasos{Batch: 3, Step: constant(0.9)}, nu, constant(0.9), exact, all[:3])
	own := &schedules.Theta{Theta: 1 / nu} // 1/(νt)
	descends(t, &RPegasos{PegasosSettings{Batch: 2, Features: 6, Average: true}}, nu, own, fixed(6), all[:3])
	for _, b := range []int{1, 3, 25} { // drawn with replacement, so that there may be more than rows
		descends(t, &SGDRF{Batch: b, Features: 12, HalfKernel: true, Sampling: "replacement", Step: constant(0.8), Average: true}, nu, constant(0.8), half, all[:1])
	}
	for _, c := range []struct{ batch, block int }{{1, 1}, {3, 4}, {5, 2}, {1, 4}, {3, 1}} {
		s := DSGSettings{c.batch, c.block, theta, true}
		fresh := func(p *algos.Problem, _ algos.Fit, step int) kernelOf { return estimate(p, c.block, step) }
		again := func(p *algos.Problem, f algos.Fit, step int) kernelOf { // TestBlocksAreDrawnByStep knows which
			return estimate(p, c.block, f.(*dsg).Blocks[step])
		}
		descends(t, &DSG{DSGSettings: s}, nu, theta, fresh, all)
		for _, a := range []algos.Algorithm{&UDSG{s, 1, 1}, &UDSG{s, 2, 1}, &UDSG{s, 1, 2}} {
			descends(t, a, nu, theta, again, all)
		}
		sloped, seen := descends(t, &NORMA{Batch: c.batch, Step: constant(2), Average: true}, nu, constant(2), exact, all)
		assert.Less(t, sloped, seen, "some examples have no slope")
	}
}

// descends compares steps of a method with those of a descent, with the steps gamma and the kernel that k returns after each. It returns
// how many examples have a slope, each of which is a term of NORMA, and how many were seen.
func descends(t *testing.T, a algos.Algorithm, nu float64, gamma schedules.Schedule, k func(p *algos.Problem, f algos.Fit, step int) kernelOf, all []losses.Loss) (sloped, seen int) {
	t.Helper()
	const n, steps = 7, 7
	for _, l := range all {
		name := fmt.Sprintf("%T %+v, %s", a, a, l.Name())
		p := algostest.Problem(n, l)
		p.Nu = nu
		_, draws := a.(*SGDRF)
		order, err := parts.NewSampling("", p, draws)
		require.NoError(t, err)
		batch := algos.TraitsOf(a).Batch
		if batch == 0 {
			batch = n
		}
		f, z, examples, terms := algostest.Start(t, a, p), algostest.Queries(3), 0, 0
		wants := []*descent{newDescent(p, 0), newDescent(p, 1)}
		for s := range steps {
			rows := slices.Clone(order.Rows(int64(examples), batch))
			made, err := f.Step()
			require.NoError(t, err, name)
			require.Equal(t, len(rows), made.Seen, name)
			examples += len(rows)
			u, kernel := f.Model().Predict(z), k(p, f, s)
			var mean compute.Matrix
			if a, ok := f.(algos.Averager); ok && a.Average() != nil {
				mean = a.Average().Predict(z)
			}
			for o, want := range wants {
				want.step(rows, gamma.Gamma(s+1), kernel)
				for i := range z.Rows {
					require.InDelta(t, want.f(z.Row(i)), u.At(i, o), handTolerance, "%s, step %d", name, s+1)
					if mean.Rows > 0 {
						require.InDelta(t, want.sum(z.Row(i))/float64(s+1), mean.At(i, o), handTolerance, "%s, mean of %d steps", name, s+1)
					}
				}
			}
			for b := range rows {
				if wants[0].slopes[b] != 0 || wants[1].slopes[b] != 0 {
					terms++
				}
			}
		}
		if f, ok := f.(*norma); ok {
			assert.Len(t, f.Rows, terms, name)
		}
		sloped, seen = sloped+terms, seen+examples
	}
	return sloped, seen
}
