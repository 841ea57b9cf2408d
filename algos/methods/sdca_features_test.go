package methods

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/algos"
	"repro/algos/algostest"
	"repro/algos/compute"
	"repro/algos/kernels"
	"repro/algos/losses"
	"repro/algos/parts"
)

// explicitly returns r-pegasos' features at all training rows, by hand, or those of n- methods as
// parts.DrawLandmarks makes them, which its own tests check.
func explicitly(t *testing.T, p *algos.Problem, nystrom bool, r int) compute.Matrix {
	t.Helper()
	x, _ := p.Dense()
	if !nystrom {
		return compute.Matrix{Rows: x.Rows, Cols: r, Stride: r, Data: randomly(p, x, r).RawMatrix().Data}
	}
	z, err := parts.UsualNystrom().Draw("test", p, r)
	require.NoError(t, err)
	return z.Explicit(z.At(x))
}

// TestFeatureSDCAKeepsItsSum: Σ α_i z(x_i) as it is kept is the sum over all rows.
func TestFeatureSDCAKeepsItsSum(t *testing.T) {
	for name, nystrom := range map[string]bool{"r-sdca": false, "n-sdca": true} {
		for _, l := range []losses.Loss{losses.Square{}, losses.Hinge{}, losses.Logistic{}} {
			p := algostest.Problem(lawPoints, l)
			f := algostest.Start(t, sdcas(SDCASettings{Batch: 7, SGDStart: true})[name], p).(*fsdca)
			algostest.Steps(t, f, 20)
			want := p.Engine.Mul(explicitly(t, p, nystrom, 20), dualOf(f), true)
			// 60 terms of size 1, changed 20 times.
			assert.InDeltaSlice(t, want.Data, f.Alpha, 1e-12, "%s, %s", name, l.Name())
		}
	}
}

// TestKernelAndFeaturesAgree: with the linear kernel and as many landmarks as inputs, n-sdca is k-sdca.
func TestKernelAndFeaturesAgree(t *testing.T) {
	for _, c := range dualLosses {
		predict := func(a algos.Algorithm) []float64 {
			p := algostest.Problem(lawPoints, c.loss)
			p.Kernel = kernels.Linear{Sigma: 1}
			p.Nu = 0.01
			f, x := algostest.Start(t, a, p), algostest.Queries(3)
			var all []float64
			for range 5 { // the first two in the first pass of 9 batches, the last in the third
				algostest.Steps(t, f, 4)
				all = append(append(all, f.Model().Predict(x).Data...), f.(algos.Averager).Average().Predict(x).Data...)
			}
			return all
		}
		s := SDCASettings{Batch: 7, SGDStart: true, Average: true}
		// Three landmarks span the inputs; the eigenvalues of k(S, S) are above 1e-2.
		assert.InDeltaSlice(t, predict(&KSDCA{s}), predict(&NSDCA{s, 3, parts.UsualNystrom()}), 1e-10, c.loss.Name())
	}
}
