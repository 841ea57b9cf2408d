package methods

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"gonum.org/v1/gonum/mat"

	"repro/algos/algostest"
	"repro/algos/compute"
	"repro/algos/kernels"
	"repro/algos/losses"
)

// ridgeForecast is ridge regression by a direct solve on the given features of rows up to t, the current one with target 0 in
// the Gram matrix [jezequel2019 eq. (4)].
func ridgeForecast(phi *mat.Dense, y compute.Matrix, t int, lambda float64) []float64 {
	_, r := phi.Dims()
	rows := phi.Slice(0, t+1, 0, r)
	var gram mat.Dense
	gram.Mul(rows.T(), rows)
	for i := range r {
		gram.Set(i, i, gram.At(i, i)+lambda)
	}
	b := mat.NewDense(r, y.Cols, nil)
	for s := range t {
		for i := range r {
			for c := range y.Cols {
				b.Set(i, c, b.At(i, c)+phi.At(s, i)*y.At(s, c))
			}
		}
	}
	return directSolve(&gram, b, phi.RawRowView(t))
}

// directSolve returns vᵀ gram⁻¹ b for the first numbers of v.
func directSolve(gram, b *mat.Dense, v []float64) []float64 {
	var w mat.Dense
	if err := w.Solve(gram, b); err != nil {
		panic(err)
	}
	var u mat.VecDense
	r, _ := gram.Dims()
	u.MulVec(w.T(), mat.NewVecDense(r, v[:r]))
	return u.RawVector().Data
}

// Every one of 200 predictions is that of ridge regression with the current point in the Gram matrix, by a direct solve.
func TestPhiAWVIsRidgeRegression(t *testing.T) {
	const n, lambda = 200, 0.3
	for order := 1; order <= 4; order++ {
		p := algostest.Problem(n, losses.Square{})
		p.Nu = lambda / n
		sigma := p.Kernel.(kernels.Gaussian).Sigma
		u, x, y := record(t, &PhiAWV{Order: order}, p, n)
		functions := monomials(3, order)
		phi := mat.NewDense(n, len(functions), nil)
		for i := range n {
			for j, k := range functions {
				phi.Set(i, j, taylorFunction(k, x.Row(i), sigma))
			}
		}
		f, beyond := algostest.Start(t, &PhiAWV{Order: order}, p), 0.0
		for i := range n {
			algostest.Steps(t, f, 1)
			beyond = max(beyond, 1-math.Pow(mat.Norm(phi.RowView(i), 2), 2))
			assert.InDelta(t, beyond, algostest.Number(t, f, "beyond"), 1e-12, "the largest so far")
			assert.InDeltaSlice(t, ridgeForecast(phi, y, i, lambda), u[i], 1e-8, "order %d, round %d", order, i)
		}
	}
}

// monomials lists the multi-indices of in inputs with |k| ≤ order.
func monomials(in, order int) (all [][]int) {
	if in == 0 {
		return [][]int{{}}
	}
	for first := 0; first <= order; first++ {
		for _, rest := range monomials(in-1, order-first) {
			all = append(all, append([]int{first}, rest...))
		}
	}
	return all
}

// taylorFunction is g_k(x) by its formula.
func taylorFunction(k []int, x []float64, sigma float64) float64 {
	g := 1.0
	for i, power := range k {
		g *= math.Pow(x[i]/sigma, float64(power)) / math.Sqrt(math.Gamma(float64(power)+1)) * math.Exp(-x[i]*x[i]/(2*sigma*sigma))
	}
	return g
}

// A round allocates nothing.
func TestPhiAWVAllocates(t *testing.T) {
	p := algostest.Problem(512, losses.Square{})
	p.Nu = 0.01
	f := algostest.Start(t, &PhiAWV{Order: 3}, p)
	algostest.Steps(t, f, 64)
	assert.Zero(t, testing.AllocsPerRun(200, func() { // with rounds that update A⁻¹ and A
		if _, err := f.Step(); err != nil {
			t.Fatal(err)
		}
	}))
}
