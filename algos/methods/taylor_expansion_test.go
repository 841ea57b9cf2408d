package methods

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/floats"

	"repro/algos/algostest"
	"repro/algos/kernels"
	"repro/algos/losses"
	"repro/algos/parts"
)

// k̂ is the sum over the functions by their formula, its errors are those from k, and the bound is that of Lemma 4.4.
func TestTaylorExpansionByDefinition(t *testing.T) {
	const n, order = 20, 4
	p := algostest.Problem(n, losses.Square{})
	x, _ := p.Dense()
	sigma, radius := p.Kernel.(kernels.Gaussian).Sigma, 0.0
	for i := range n {
		radius = max(radius, floats.Norm(x.Row(i), 2)/sigma)
	}
	f := algostest.Start(t, &TaylorExpansion{Order: order}, p).(*taylorExpansion)
	share := 0.0
	for m := range order + 1 {
		worst, squares, functions := 0.0, 0.0, monomials(3, m)
		for i := range n {
			for j := range i + 1 {
				k, sum := math.Exp(-math.Pow(floats.Distance(x.Row(i), x.Row(j), 2)/sigma, 2)/2), 0.0
				for _, powers := range functions {
					sum += taylorFunction(powers, x.Row(i), sigma) * taylorFunction(powers, x.Row(j), sigma)
				}
				worst, squares = max(worst, math.Abs(k-sum)), squares+(k-sum)*(k-sum)
			}
		}
		rms, largest := f.errors()
		assert.InDelta(t, worst, largest, 1e-14)
		assert.InDelta(t, math.Sqrt(squares/(n*(n+1)/2)), rms, 1e-14)
		bound := math.Pow(radius, float64(2*m+2)) / math.Gamma(float64(m+2))
		assert.InEpsilon(t, bound, f.bound(), 1e-13)
		share = max(share, worst/bound)
		assert.InEpsilon(t, share, f.Share, 1e-9)
		assert.Less(t, share, 1.0)
		algostest.Steps(t, f, 1)
	}
	algostest.Steps(t, f, 1)
	assert.Equal(t, order, f.T, "the last order")
}

// The inner products of gramError are 1 or 0 up to what the lattice leaves out. Functions of another σ are not orthonormal in the
// RKHS of the kernel.
func TestTaylorExpansionGram(t *testing.T) {
	for _, c := range []struct {
		in          int
		sigma       float64 // of the functions; that of the kernel is 1
		least, most float64
	}{{1, 1, 0, 1e-7}, {2, 1, 0, 1e-7}, {1, 1.1, 0.05, 10}, {2, 0.95, 0.05, 10}} {
		p := algostest.Single([][]float64{make([]float64, c.in)}, []float64{1}, losses.Square{}, 0)
		p.Kernel = kernels.Gaussian{Sigma: 1}
		f := algostest.Start(t, &TaylorExpansion{Order: 4}, p).(*taylorExpansion)
		algostest.Steps(t, f, 4)
		var err error
		f.functions, err = parts.NewTaylor(c.in, 4, c.sigma)
		require.NoError(t, err)
		got, err := f.gramError()
		require.NoError(t, err)
		assert.GreaterOrEqual(t, got, c.least, "%+v", c)
		assert.LessOrEqual(t, got, c.most, "%+v", c)
	}
	p := algostest.Problem(5, losses.Square{})
	_, err := algostest.Start(t, &TaylorExpansion{Order: 1}, p).(*taylorExpansion).gramError()
	assert.EqualError(t, err, "it is computed for at most 2 inputs, and there are 3; remove the metric or lower data.inputs")
}
