package methods

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/floats"

	"repro/algos/algostest"
	"repro/algos/compute"
	"repro/algos/kernels"
	"repro/algos/losses"
)

// ridgeSolution returns (K + nνI)⁻¹y.
func ridgeSolution(t *testing.T, k, y compute.Matrix, nu float64, e *compute.Engine) compute.Matrix {
	t.Helper()
	h, w := k.Clone(), y.Clone()
	for i := range h.Rows {
		h.Set(i, i, h.At(i, i)+nu*float64(h.Rows))
	}
	require.True(t, e.Cholesky(h))
	e.Trsm(h, true, w)
	e.Trsm(h, false, w)
	return w
}

// With one block of everything and a full rank, K̂ is K and Skotch is Newton's method but for the damping: with λ_n the smallest
// eigenvalue, an error shrinks at least by 1 - (λn + λ_n)/(1.1 (λn + 2λ_n)) in every step.
func TestSkotchWithOneBlockIsTheDirectSolve(t *testing.T) {
	const n = 60
	p := algostest.Problem(n, losses.Square{})
	p.Nu = 1e-2
	f := algostest.Start(t, &ASkotch{Block: 1, Rank: n}, p).(*askotch)
	want := ridgeSolution(t, p.Engine.KernelMatrix(p.Kernel, f.Gram.X, f.Gram.X), f.Gram.Y, p.Nu, p.Engine)
	algostest.Steps(t, f, 1)
	first := f.RelativeGradient()
	assert.Less(t, first, 0.6, "the power iterations may overestimate L by the margin")
	algostest.Steps(t, f, 40)
	for i, v := range f.Alpha {
		assert.InDelta(t, want.Data[i], v, 1e-9)
	}
}

// A step on a block by hand: with the exact inverse in place of K̂, d solves the block's equations up to the damping.
func TestSkotchStepOfABlock(t *testing.T) {
	const n = 40
	p := algostest.Problem(n, losses.Square{})
	p.Nu = 1e-2
	f := algostest.Start(t, &ASkotch{Block: 4, Rank: 10}, p).(*askotch)
	k := p.Engine.KernelMatrix(p.Kernel, f.Gram.X, f.Gram.X)
	rows := compute.NewStream(p.Seed, "askotch", 0).Perm(n)[:10]
	algostest.Steps(t, f, 1)
	w := f.Coefficients()
	moved := map[int]bool{}
	for _, r := range rows {
		moved[r] = true
	}
	for i := range n {
		assert.Equal(t, moved[i], w.At(i, 0) != 0, "row %d", i)
	}
	// From w = 0 and with the full rank of the block, K̂ = K_BB and w_B = (K_BB + ρI)⁻¹y_B/L: (K_BB + ρI)w_B is y_B/L, one multiple of
	// y_B for both outputs.
	kbb, wb, yb := k.Select(rows), w.Select(rows), f.Gram.Y.Select(rows)
	block := compute.NewMatrix(10, 10)
	for i := range 10 {
		for j, r := range rows {
			block.Set(i, j, kbb.At(i, r))
		}
	}
	values, vectors, ok := p.Engine.Syevd(block.Clone(), 10)
	require.True(t, ok)
	mu := p.Nu * n
	rho := mu + values[9]
	got := p.Engine.Mul(block, wb, false)
	got.AddScaled(rho, wb)
	l := yb.At(0, 0) / got.At(0, 0)
	// L is that of ten power iterations from normal numbers, which follow those of the sketch in the stream of the step.
	s := compute.NewStream(p.Seed, "askotch", 0)
	s.Perm(n)
	for range 10 * 10 {
		s.Normal()
	}
	q := compute.NewMatrix(10, 1)
	for i := range q.Data {
		q.Data[i] = s.Normal()
	}
	ten, nine := 0.0, 0.0
	for i, c := range p.Engine.Mul(vectors, q, true).Data {
		m := (values[i] + mu) / (values[i] + rho)
		ten, nine = ten+c*c*math.Pow(m, 20), nine+c*c*math.Pow(m, 18)
	}
	assert.InEpsilon(t, askotchMargin*math.Sqrt(ten/nine), l, 1e-6)
	largest := (values[0] + mu) / (values[0] + rho) // of (λ + μ)/(λ + ρ)
	assert.InDelta(t, askotchMargin*largest, l, 0.02*largest, "ten power iterations come to a hundredth of L")
	got.Scale(l)
	for i, v := range yb.Data {
		assert.InDelta(t, v, got.Data[i], 1e-8)
	}
}

// The Nyström approximation of a matrix of rank 3 with a sketch of 5 columns is the matrix.
func TestNystromOfLowRank(t *testing.T) {
	e, s := compute.NewEngine(compute.Options{}), compute.NewStream(1, "low rank", 0)
	b := compute.NewMatrix(30, 3)
	for i := range b.Data {
		b.Data[i] = s.Normal()
	}
	a := compute.NewMatrix(30, 30)
	e.Syrk(a, 1, b, false, 0)
	u, values, err := nystromOf(e, a, 5, s)
	require.NoError(t, err)
	scaled := u.Clone()
	for i := range scaled.Rows {
		for j := range values {
			scaled.Set(i, j, scaled.At(i, j)*values[j])
		}
	}
	got := compute.NewMatrix(30, 30)
	e.Gemm(got, 1, scaled, false, u, true, 0)
	got.AddScaled(-1, a)
	for _, v := range got.Data {
		assert.InDelta(t, 0, v, 1e-6, "roots of roundings of a matrix of norm 50")
	}
}

// By hand: n = 4 in two blocks, so τ = 2. With μ = 1/8, β = 1 - √(1/16) = 3/4, γ = 1/√(1/4) = 2, α = 1/(1 + 4) = 1/5. μ is at most 1/τ: with that,
// β = 1 - √(1/4), γ = 1, α = 1/3. z = (1, 2, 3, 4), v = (5, 6, 7, 8), d = (8, -4) on rows 2 and 0, and L = 4.
func TestASkotchAcceleratesByHand(t *testing.T) {
	for nu, c := range map[float64]struct{ beta, gamma, alpha float64 }{1. / 32: {.75, 2, .2}, 1: {.5, 1, 1. / 3}} {
		p := algostest.Problem(4, losses.Square{})
		p.Nu = nu
		f := algostest.Start(t, &ASkotch{Block: 2, Rank: 2, Accelerate: true}, p).(*askotch)
		out := f.Gram.Y.Cols
		for i := range 4 {
			for j := range out {
				f.Z[i*out+j], f.V[i*out+j] = float64(i+1), float64(i+5)
			}
		}
		d := compute.NewMatrix(2, out)
		for j := range out {
			d.Set(0, j, 8)
			d.Set(1, j, -4)
		}
		f.accelerate([]int{2, 0}, 4, d)
		moved := []float64{1, 0, -2, 0} // -d/L
		for i, m := range moved {
			z, v := float64(i+1), float64(i+5)
			w := z + m
			v = c.beta*v + (1-c.beta)*z + c.gamma*m
			for j := range out {
				assert.InDelta(t, w, f.Alpha[i*out+j], 1e-15)
				assert.InDelta(t, v, f.V[i*out+j], 1e-14)
				assert.InDelta(t, c.alpha*v+(1-c.alpha)*w, f.Z[i*out+j], 1e-14)
			}
		}
	}
}

// Acceleration falls farther in as many steps.
func TestASkotchIsFasterThanSkotch(t *testing.T) {
	const n, steps = 200, 2000
	residual := func(accelerate bool) float64 {
		p := algostest.Problem(n, losses.Square{})
		p.Nu = 1e-4
		f := algostest.Start(t, &ASkotch{Block: 10, Rank: 5, Accelerate: accelerate}, p).(*askotch)
		algostest.Steps(t, f, steps)
		return f.RelativeGradient()
	}
	without, with := residual(false), residual(true)
	t.Logf("without %.2g, with %.2g", without, with)
	assert.Less(t, with, without/2)
}

// With r = b and repeated rows n/b is far below the constant that τ stands for: from the first steps on each iterate is farther from the
// solution than the one before, by a factor of 10¹⁰ in 3,000 steps.
func TestASkotchThatSwingsStartsAgain(t *testing.T) {
	p := algostest.Repeated(60)
	p.Kernel, p.Nu = kernels.Gaussian{Sigma: 3}, 1e-6
	f := algostest.Start(t, &ASkotch{Block: 4, Rank: 15, Accelerate: true}, p).(*askotch)
	algostest.Steps(t, f, 3000)
	assert.Less(t, f.RelativeGradient(), 1e-6)
	assert.Greater(t, f.Report()["tau"], 4.0, "n/b at first")
}

// Iterates start again where a block's residual, as a share of √(b/n), exceeds ten times the targets. With a ν beside which K is nothing, the
// residual is λn·z, up to the targets. A block has ⌊n/blocks⌋ rows.
func TestASkotchSwingsByTenTargets(t *testing.T) {
	const n = 40
	for factor, swings := range map[float64]float64{0.8: 1, 1.2: 2} {
		p := algostest.Problem(n, losses.Square{})
		p.Nu = 1e12
		f := algostest.Start(t, &ASkotch{Block: 7, Rank: 5, Accelerate: true}, p).(*askotch)
		y := f.Gram.Y.Data
		for i := range f.Z {
			f.Z[i] = factor * 10 * floats.Norm(y, 2) / (p.Nu * n * math.Sqrt(float64(len(y))))
		}
		made, err := f.Step()
		require.NoError(t, err)
		assert.Equal(t, 5, made.Seen)
		assert.Equal(t, swings*n/5, f.Report()["tau"])
	}
}
