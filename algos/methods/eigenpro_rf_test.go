package methods

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"repro/algos/algostest"
	"repro/algos/losses"
	"repro/algos/parts"
)

// One iteration of ma2017 Table 1 on 12 features, 20 points and an exact sketch, against dense algebra: α ← α - η(I - V(I - C)Vᵀ)g. Without a
// preconditioner it is SGD, whose own step is 0.75 over the largest eigenvalue of the covariance.
func TestEigenProFeaturesByHand(t *testing.T) {
	const n, r, k, m, eta = 20, 12, 5, 8, 0.6
	p := squares(n, 0)
	p.FileOrder = true
	x, y := p.Dense()
	z := randomly(p, x, r)
	var covariance, g, along, pro mat.Dense
	covariance.Mul(z.T(), z)
	covariance.Scale(1./n, &covariance)
	values, v := algostest.Spectrum(t, &covariance)
	first, next := values[0], values[k]

	g.Mul(z.Slice(0, m, 0, r).T(), dense(y).Slice(0, m, 0, 2)) // the gradient at α = 0, but for -1/m
	leading := v.Slice(0, r, 0, k)
	along.Mul(leading.T(), &g)
	along.Apply(func(i, _ int, s float64) float64 { return s * (1 - 0.25*math.Sqrt(next/values[i])) }, &along)
	pro.Mul(leading, &along)
	pro.Sub(&g, &pro)
	pro.Scale(eta/m, &pro)
	s := EigenProSettings{Batch: m, Directions: k, Subsample: n, Tau: 0.25, Flatten: "sqrt", Step: constant(eta)}
	assert.InDeltaSlice(t, pro.RawMatrix().Data, after(t, &EigenProRF{s, r}, p, 1).State().(*parts.SpanState).Alpha, 1e-12)
	assert.InEpsilon(t, 0.75/first, algostest.Start(t, &SGDRF{Batch: m, Features: r, Subsample: n}, p).(*sgdRF).gamma(1), 1e-12)

	kappa, ln := 0.0, math.Log(2*r/0.05)
	for _, i := range parts.Subsample(p, n)[:m] {
		kappa = max(kappa, mat.Dot(z.RowView(i), z.RowView(i)))
	}
	s.Step = nil
	for rule, want := range map[string]float64{
		"code":  0.75 / first * math.Sqrt(first/next),
		"bound": 1 / (next + 2*(next+kappa)/(3*m)*ln + math.Sqrt(2*next*kappa/m*ln)),
	} {
		s.Rule = rule
		assert.InEpsilon(t, want, algostest.Start(t, &EigenProRF{s, r}, p).(*eigenProRF).gamma(1), 1e-9, rule)
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
