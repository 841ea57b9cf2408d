package methods

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/algos"
	"repro/algos/algostest"
	"repro/algos/losses"
	"repro/algos/parts"
)

// TestKSDCAByHand repeats the method one row at a time from its formulas, two passes in file order, with
// a naive kernel, and averages after every batch: for the square loss Δα = (y - f(x_i) - α)/(1 + q), for
// the hinge loss Δα = y·max(0, min(1, (1 - y f(x_i))/q + yα)) - α.
func TestKSDCAByHand(t *testing.T) {
	const nu = 0.06
	n := len(algostest.Inputs)
	for _, start0 := range []bool{false, true} {
		for name, c := range map[string]struct {
			loss losses.Loss
			y    []float64
		}{"square": {losses.Square{}, algostest.Targets}, "hinge": {losses.Hinge{}, handLabels}} {
			for _, batch := range []int{1, 3, 20} {
				alpha, mean, T := make([]float64, n), make([]float64, n), 0
				at := func(c []float64, z []float64) (s float64) {
					for j, c := range c {
						s += c * algostest.Gaussian(algostest.Inputs[j], z)
					}
					return s
				}
				sum := func(z []float64) float64 { return at(alpha, z) }
				for visit := range 2 * n {
					i := visit % n
					before, m := float64(n), float64(n)
					if start0 && visit < n {
						before, m = max(1, float64(visit)), float64(visit+1) // before the first f is 0 anyway
					}
					f, q := sum(algostest.Inputs[i])/(nu*before), 1/(nu*m)
					if name == "square" {
						alpha[i] += (c.y[i] - f - alpha[i]) / (1 + q)
					} else {
						alpha[i] = c.y[i] * max(0, min(1, (1-c.y[i]*f)/q+c.y[i]*alpha[i]))
					}
					if (i+1)%batch == 0 || i == n-1 {
						T++
						for j, a := range alpha {
							mean[j] += (a/(nu*m) - mean[j]) / float64(T)
						}
					}
				}
				fit := algostest.Start(t, &KSDCA{SDCASettings{Batch: batch, SGDStart: start0, Average: true}}, algostest.Single(algostest.Inputs, c.y, c.loss, nu))
				for seen := 0; seen < 2*n; {
					progress, err := fit.Step()
					require.NoError(t, err)
					seen += progress.Seen
				}
				mustEqualAt(t, func(x []float64) float64 { return sum(x) / (nu * float64(n)) }, fit.Model(), handTolerance)
				mustEqualAt(t, func(x []float64) float64 { return at(mean, x) }, fit.(algos.Averager).Average(), handTolerance)
			}
		}
	}
}

// TestKSDCASupport: with a large ν the hinge loss has rows whose α returns to 0; they leave the support at the
// end of a pass, and predictions stay.
func TestKSDCASupport(t *testing.T) {
	p := algostest.Problem(lawPoints, losses.Hinge{})
	p.Nu = 2e-3
	f := algostest.Start(t, &KSDCA{SDCASettings{Batch: 7}}, p).(*ksdca)
	for pass := range 5 {
		for {
			progress, err := f.Step()
			require.NoError(t, err)
			require.Positive(t, progress.Seen)
			if f.Seen%lawPoints == 0 {
				break
			}
		}
		require.Len(t, f.Alpha, 2*len(f.Rows))
		distinct := map[int]bool{}
		for i, row := range f.Rows {
			distinct[row] = true
			require.True(t, parts.Nonzero(f.Alpha[2*i:][:2]), "row %d has no part in f", row)
		}
		require.Len(t, distinct, len(f.Rows))
		require.LessOrEqual(t, len(f.Terms), 9, "of the first pass alone")
		if pass == 4 {
			assert.Less(t, len(f.Rows), lawPoints)
		}
	}
	alpha := dualOf(f)
	x, _ := p.Dense()
	z := algostest.Queries(3)
	alpha.Scale(1 / (p.Nu * lawPoints))
	want := product(kernelOf(algostest.Gaussian).matrix(z, x), dense(alpha))
	assert.InDeltaSlice(t, want, at(f, z), 1e-11) // 60 terms of up to 1/(νn) = 8
}
