package methods

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"repro/algos"
	"repro/algos/algostest"
	"repro/algos/compute"
	"repro/algos/kernels"
	"repro/algos/losses"
	"repro/algos/parts"
)

// ridge solves (ZᵀZ/n + νI) w = Zᵀy/n by LU factorisation.
func ridge(t *testing.T, z, y compute.Matrix, nu float64) []float64 {
	t.Helper()
	n := float64(z.Rows)
	features := mat.NewDense(z.Rows, z.Cols, z.Clone().Data)
	var a, b, w mat.Dense
	a.Mul(features.T(), features)
	a.Scale(1/n, &a)
	for j := range z.Cols {
		a.Set(j, j, a.At(j, j)+nu)
	}
	b.Mul(features.T(), mat.NewDense(y.Rows, y.Cols, y.Clone().Data))
	b.Scale(1/n, &b)
	require.NoError(t, w.Solve(&a, &b))
	return w.RawMatrix().Data
}

// explicitly returns r-pegasos' features at all training rows, by hand, or those of n- methods as
// parts.DrawLandmarks makes them, which its own tests check.
func explicitly(t *testing.T, p *algos.Problem, nystrom bool, r int) compute.Matrix {
	t.Helper()
	x, _ := p.Dense()
	if nystrom {
		z, err := parts.UsualNystrom().Draw("test", p, r)
		require.NoError(t, err)
		return z.Explicit(z.At(x))
	}
	z := compute.NewMatrix(x.Rows, r)
	for i := range x.Rows {
		copy(z.Row(i), naiveZ(p, r, x.Row(i)))
	}
	return z
}

// TestFeatureSDCAConvergesToRidge: w is the ridge solution of the explicit features.
func TestFeatureSDCAConvergesToRidge(t *testing.T) {
	const n, r = 60, 20
	for name, nystrom := range map[string]bool{"r-sdca": false, "n-sdca": true} {
		p := algostest.Problem(n, losses.Square{})
		f := algostest.Start(t, sdcas(SDCASettings{Batch: 16})[name], p).(*fsdca)
		algostest.Steps(t, f, 60*4)
		_, y := p.Dense()
		got := append([]float64(nil), f.Alpha...)
		for i := range got {
			got[i] *= f.scale(f.Seen)
		}
		// 60 passes, each of which takes off more than half of the error at νn = 7.5; w is below 3.
		assert.InDeltaSlice(t, ridge(t, explicitly(t, p, nystrom, r), y, p.Nu), got, 1e-10, name)
	}
}

// TestNSDCAConvergesToKRR: with all training rows as landmarks the features span k(x_i, ·).
func TestNSDCAConvergesToKRR(t *testing.T) {
	const n = 30
	exact := algostest.Start(t, &KRR{}, algostest.Problem(n, losses.Square{}))
	algostest.Steps(t, exact, 1)
	f := algostest.Start(t, &NSDCA{SDCASettings{Batch: 5}, n, parts.NystromSettings{Jitter: 1e-12}}, algostest.Problem(n, losses.Square{}))
	algostest.Steps(t, f, 60*6)
	x := algostest.Queries(3)
	// Directions dropped have eigenvalues below 1e-12·30 and change f by the square root of that at most.
	assert.InDeltaSlice(t, exact.Model().Predict(x).Data, f.Model().Predict(x).Data, 1e-5)
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
