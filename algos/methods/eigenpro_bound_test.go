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
)

// ma2017 Theorems 3 and 4: with probability 1 - δ = 0.95 a batch of m independent rows has
//
//	‖P H_m‖ ≤ λ_{k+1} + 2(λ_{k+1} + κ)/(3m) ln(2d/δ) + √(2λ_{k+1}κ/m ln(2d/δ)),
//
// and the same of operators with 8d for 2d. The right-hand side is 1/η of rule "bound". In the basis of the eigenvectors
// of H the row of an example has the coordinates z, H_m = (1/m) Σ z zᵀ, and P is diagonal. Of 100 batches at most five may
// be beyond the bound; none is, since it is 3 to 40 times the largest norm. With m = 64 it is below ‖H_m‖.
func TestStepsAreBoundedAsInTheorems3And4(t *testing.T) {
	const n, k, r = 120, 20, 40
	gram := algostest.NewExactGram(t, squares(n, 0))
	operator := mat.NewDense(n, n, nil)
	operator.Apply(func(_, j int, v float64) float64 { return v * math.Sqrt(max(0, gram.Values[j])) }, gram.Vectors)
	features := inEigenvectors(t, squares(n, 0), r)
	for _, m := range []int{4, 64} {
		s := EigenProSettings{Batch: m, Directions: k, Subsample: n, Tau: 1, Flatten: "full", Rule: "bound"}
		for name, c := range map[string]struct {
			z     *mat.Dense
			gamma func(int) float64
		}{
			"Theorem 3": {features, algostest.Start(t, &EigenProRF{EigenProSettings: s, Features: r}, squares(n, 0)).(*eigenProRF).gamma},
			"Theorem 4": {operator, algostest.Start(t, &EigenPro{s}, squares(n, 0)).(*eigenPro).gamma},
		} {
			bound, beyond, plain := 1/c.gamma(1), 0, 0.0
			draw := compute.NewStream(1, name, uint64(m))
			for range 100 {
				rows := mat.NewDense(m, c.z.RawMatrix().Cols, nil)
				for i := range m {
					rows.SetRow(i, c.z.RawRowView(int(draw.Float64()*n)))
				}
				if batchNorm(t, rows, preconditioner(c.z, k)) > bound {
					beyond++
				}
				plain = max(plain, batchNorm(t, rows, func(int) float64 { return 1 }))
			}
			assert.LessOrEqual(t, beyond, 5, "%s, m = %d", name, m)
			if m == 64 {
				assert.Less(t, bound, plain, "%s: the bound says nothing about P", name)
			}
		}
	}
}

// inEigenvectors returns r random features of the rows, in the basis of the eigenvectors of their covariance, largest
// eigenvalue first.
func inEigenvectors(t *testing.T, p *algos.Problem, r int) *mat.Dense {
	t.Helper()
	x, _ := p.Dense()
	z := randomly(p, x, r)
	var svd mat.SVD
	require.True(t, svd.Factorize(z, mat.SVDThin))
	var v, out mat.Dense
	svd.VTo(&v)
	out.Mul(z, &v)
	return &out
}

// preconditioner returns the factors of P of ma2017 eq. (19), from all rows z in the basis of the eigenvectors.
func preconditioner(z *mat.Dense, k int) func(i int) float64 {
	lambda := func(i int) float64 { return mat.Dot(z.ColView(i), z.ColView(i)) }
	return func(i int) float64 {
		if i >= k {
			return 1
		}
		return lambda(k) / lambda(i)
	}
}

// batchNorm returns ‖P H_m‖ of the batch z, P diagonal.
func batchNorm(t *testing.T, z *mat.Dense, p func(i int) float64) float64 {
	t.Helper()
	m, d := z.Dims()
	var h mat.Dense
	h.Mul(z.T(), z)
	for i := range d {
		row := h.RawRowView(i)
		c := p(i) / float64(m)
		for j := range row {
			row[j] *= c
		}
	}
	return mat.Norm(&h, 2)
}
