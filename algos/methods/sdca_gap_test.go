package methods

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/algos"
	"repro/algos/algostest"
	"repro/algos/losses"
)

// TestConjugates checks the closed forms against l*(s) = max_u su - l(u) on a grid.
func TestConjugates(t *testing.T) {
	for _, c := range dualLosses {
		for _, y := range c.ys {
			for alpha := -2.5; alpha <= 2.5; alpha += 0.25 {
				want := math.Inf(-1)
				for u := -200.0; u <= 200; u += 1.0 / 64 {
					want = max(want, -alpha*u-c.loss.Value([]float64{u}, []float64{y}))
				}
				got := c.loss.Conjugate(alpha, y)
				if math.IsInf(got, 1) {
					// Outside of the domain, by 1/20 at least, the maximum over |u| ≤ 200 is at an end: far from any other.
					assert.Greater(t, want, 3.0, "%s, α = %v, y = %v", c.loss.Name(), alpha, y)
					continue
				}
				// The grid misses the maximum by (1/128)²/2 at most where l'' ≤ 1, by 1/128 at kinks off
				// the grid, and by exp(-200) at -∞.
				assert.InDelta(t, want, got, 8e-3, "%s, α = %v, y = %v", c.loss.Name(), alpha, y)
				assert.LessOrEqual(t, want, got+1e-12, "%s, α = %v, y = %v", c.loss.Name(), alpha, y)
			}
		}
	}
}

// TestSDCAGap compares the gap with P and D in their formulas, in the middle of the second pass, and requires that it
// becomes small: P = D at the optimum.
func TestSDCAGap(t *testing.T) {
	for _, c := range dualLosses {
		for name, a := range sdcas(SDCASettings{Batch: 5}) {
			p := oneOutput(c.loss)
			f := algostest.Start(t, a, p)
			_, y := p.Dense()
			for _, steps := range []int{8, 30, 60} {
				algostest.Steps(t, f, steps)
				primal, dual := objectives(p, gramOf(p, f), y, dualOf(f))
				require.InDelta(t, (primal-dual)/math.Abs(primal), algostest.Number(t, f, "duality-gap"), 1e-12, "%s, %s", name, c.loss.Name())
			}
			algostest.Steps(t, f, 5*300)
			assert.Less(t, algostest.Number(t, f, "duality-gap"), 1e-5, "%s, %s", name, c.loss.Name())
		}
	}
}

// TestSDCAGapOfAStart: in a first pass that starts by SGD the gap bounds the distance of P from its minimum.
func TestSDCAGapOfAStart(t *testing.T) {
	for _, c := range dualLosses {
		p := oneOutput(c.loss)
		_, y := p.Dense()
		solved := algostest.Start(t, &KSDCA{SDCASettings{Batch: 25}}, p)
		algostest.Steps(t, solved, 300)
		least, _ := objectives(p, gramOf(p, solved), y, dualOf(solved))
		f := algostest.Start(t, &KSDCA{SDCASettings{Batch: 1, SGDStart: true}}, p).(*ksdca)
		for range 25 {
			algostest.Steps(t, f, 1)
			x, _ := p.Dense()
			u, value := f.Model().Predict(x), p.Nu/2*f.SquaredNorms()[0]
			for i := range u.Rows {
				value += p.Loss.Value(u.Row(i), y.Row(i)) / float64(u.Rows)
			}
			_, dual := objectives(p, gramOf(p, f), y, dualOf(f))
			assert.InDelta(t, (value-dual)/math.Abs(value), f.dualityGap(), 1e-12*(1+f.dualityGap()), "%s", c.loss.Name())
			assert.GreaterOrEqual(t, f.dualityGap(), (value-least)/math.Abs(value)-1e-9, "%s", c.loss.Name())
		}
	}
}

// oneOutput is a problem of 25 rows with the first target of Draw.
func oneOutput(l losses.Loss) *algos.Problem {
	p := algostest.Problem(25, l)
	d := p.Train.(*algostest.Samples)
	d.Y = d.Y.ColRange(0, 1).Clone()
	return p
}
