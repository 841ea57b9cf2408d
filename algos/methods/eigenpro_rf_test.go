package methods

import (
	"math"
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

// One iteration of ma2017 Table 1 on 12 features, 20 points and an exact sketch, against dense algebra; without a
// preconditioner it is SGD.
func TestEigenProFeaturesByHand(t *testing.T) {
	const n, r, k, m, eta = 20, 12, 5, 8, 0.6
	problemOf := func() *algos.Problem {
		p := algostest.Problem(n, losses.Square{})
		p.Nu, p.FileOrder = 0, true
		return p
	}
	p := problemOf()
	x, y := p.Dense()
	features := p.Kernel.(kernels.Featured).Features(p.Seed, 3, r)
	z := mat.NewDense(n, r, nil)
	for i := range n {
		for j := range r {
			z.Set(i, j, naiveFeature(features, 0, j, x.Row(i))/math.Sqrt(r))
		}
	}
	var cov mat.SymDense
	cov.SymOuterK(1./n, z.T())
	var e mat.EigenSym
	require.True(t, e.Factorize(&cov, true))
	values := e.Values(nil)
	var v mat.Dense
	e.VectorsTo(&v)

	zm, ym := z.Slice(0, m, 0, r), mat.NewDense(m, 2, y.Data[:2*m])
	var g mat.Dense
	g.Mul(zm.T(), ym)
	g.Scale(-1./m, &g) // the gradient at α = 0
	sgd := mat.NewDense(r, 2, nil)
	sgd.Scale(-eta, &g)
	pro := mat.DenseCopyOf(sgd)
	for i := range k {
		c := 0.25 * math.Sqrt(values[r-1-k]/values[r-1-i])
		column := v.ColView(r - 1 - i)
		for o := range 2 {
			s := mat.Dot(column, g.ColView(o))
			for j := range r {
				pro.Set(j, o, pro.At(j, o)+eta*(1-c)*s*column.AtVec(j))
			}
		}
	}
	for name, c := range map[string]struct {
		a    algos.Algorithm
		want *mat.Dense
	}{
		"eigenpro-rf": {&EigenProRF{EigenProSettings{Batch: m, Directions: k, Subsample: n, Tau: 0.25, Flatten: "sqrt", Step: constant(eta)}, r}, pro},
		"sgd-rf":      {&SGDRF{Batch: m, Features: r, Step: constant(eta)}, sgd},
	} {
		f := algostest.Start(t, c.a, problemOf())
		algostest.Steps(t, f, 1)
		assert.InDeltaSlice(t, c.want.RawMatrix().Data, f.State().(*parts.SpanState).Alpha, 1e-12, name)
	}
	f := algostest.Start(t, &SGDRF{Batch: m, Features: r, Subsample: n}, problemOf()).(*sgdRF)
	assert.InEpsilon(t, 0.75/values[r-1], f.gamma(1), 1e-12)
	for _, rule := range []string{"code", "bound"} {
		s := EigenProSettings{Batch: m, Directions: k, Subsample: n, Tau: 0.25, Flatten: "sqrt", Rule: rule}
		first, next, want := values[r-1], values[r-1-k], 0.0
		if want = 0.75 / first * math.Sqrt(first/next); rule == "bound" {
			kappa, ln := 0.0, math.Log(2*r/0.05)
			for i := range m { // the first rows of the subsample
				kappa = max(kappa, math.Pow(mat.Norm(z.RowView(compute.NewStream(p.Seed, "subsample", 0).Perm(n)[i]), 2), 2))
			}
			want = 1 / (next + 2*(next+kappa)/(3*m)*ln + math.Sqrt(2*next*kappa/m*ln))
		}
		f := algostest.Start(t, &EigenProRF{s, r}, problemOf()).(*eigenProRF)
		assert.InEpsilon(t, want, f.gamma(1), 1e-9, rule)
	}
}

// NSVD of random features is the eigendecomposition of Z_MᵀZ_M/M, whatever M; RSVD is with a sketch of all columns.
func TestNSVDOfFeaturesIsExact(t *testing.T) {
	p := algostest.Problem(40, losses.Square{})
	const r, k, m = 30, 4, 25
	f, err := parts.NewFeatureOperator("eigenpro-rf", p, r)
	require.NoError(t, err)
	want, err := f.Eigensystem(k, r, m)
	require.NoError(t, err)
	got, err := f.Decompose("nystrom", k, m)
	require.NoError(t, err)
	assert.InEpsilonSlice(t, want.Values, got.Values, 1e-10)
	for j := range k {
		dot := 0.0
		for i := range r {
			dot += want.Vectors.At(i, j) * got.Vectors.At(i, j)
		}
		assert.InDelta(t, 1, math.Abs(dot), 1e-10, "eigenvector %d", j+1)
	}
}
