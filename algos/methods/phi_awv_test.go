package methods

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"gonum.org/v1/gonum/mat"

	"repro/algos/algostest"
	"repro/algos/kernels"
	"repro/algos/losses"
)

// Every one of 200 predictions is that of ridge regression with the current point in the Gram matrix, by a direct solve.
func TestPhiAWVIsRidgeRegression(t *testing.T) {
	const n, lambda = 200, 0.3
	for order := 1; order <= 4; order++ {
		p := squares(n, lambda/n)
		u, x, y := record(t, &PhiAWV{Order: order}, p, n)
		functions := monomials(3, order)
		r := len(functions)
		phi := mat.NewDense(n, r, nil)
		phi.Apply(func(i, j int, _ float64) float64 {
			return taylorFunction(functions[j], x.Row(i), p.Kernel.(kernels.Gaussian).Sigma)
		}, phi)
		f, beyond := algostest.Start(t, &PhiAWV{Order: order}, p), 0.0
		for i := range n {
			algostest.Steps(t, f, 1)
			beyond = max(beyond, 1-math.Pow(mat.Norm(phi.RowView(i), 2), 2))
			assert.InDelta(t, beyond, algostest.Number(t, f, "beyond"), 1e-12, "the largest so far")
			rows := phi.Slice(0, i+1, 0, r)
			var gram, b mat.Dense
			gram.Mul(rows.T(), rows)
			b.Mul(rows.T(), past(dense(y), i))
			w := ridge(t, &gram, lambda, identity(r), &b)
			assert.InDeltaSlice(t, product(phi.Slice(i, i+1, 0, r), w), u[i], 1e-8, "order %d, round %d", order, i)
		}
	}
}

// past returns the targets up to row t, its own as 0 [jezequel2019 eq. (4)].
func past(y *mat.Dense, t int) *mat.Dense {
	_, out := y.Dims()
	seen := mat.NewDense(t+1, out, nil)
	seen.Slice(0, t, 0, out).(*mat.Dense).Copy(y)
	return seen
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
