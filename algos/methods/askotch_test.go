package methods

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"repro/algos/algostest"
	"repro/algos/compute"
	"repro/algos/kernels"
)

// A step on a block by hand. From w = 0 and with the full rank of the block, K̂ = K_BB and (K_BB + ρI)w_B is y_B/L, one multiple of y_B for
// both outputs; L is that of ten power iterations from normal numbers, which follow those of the sketch in the stream of the step.
func TestSkotchStepOfABlock(t *testing.T) {
	const n, b = 40, 10
	p := squares(n, 1e-2)
	f := algostest.Start(t, &ASkotch{Block: 4, Rank: b}, p).(*askotch)
	s := compute.NewStream(p.Seed, "askotch", 0)
	rows := s.Perm(n)[:b]
	algostest.Steps(t, f, 1)
	w, k, yb := dense(f.Coefficients()), kernelOf(algostest.Gaussian).matrix(f.Gram.X, f.Gram.X), rowsOf(dense(f.Gram.Y), rows)
	for i := range n {
		assert.Equal(t, slices.Contains(rows, i), w.At(i, 0) != 0, "row %d", i)
	}
	kbb := block(k, rows, rows)
	values, vectors := algostest.Spectrum(t, kbb)
	mu := p.Nu * n
	rho := mu + values[b-1]
	var got, ridge, c mat.Dense
	got.Mul(kbb, rowsOf(w, rows))
	ridge.Scale(rho, rowsOf(w, rows))
	got.Add(&got, &ridge)
	l := yb.At(0, 0) / got.At(0, 0)
	for range b * b {
		s.Normal()
	}
	q := mat.NewDense(b, 1, nil)
	q.Apply(func(_, _ int, _ float64) float64 { return s.Normal() }, q)
	c.Mul(vectors.T(), q)
	ten, nine := 0.0, 0.0
	for i, l := range values {
		m, square := (l+mu)/(l+rho), c.At(i, 0)*c.At(i, 0)
		ten, nine = ten+square*math.Pow(m, 20), nine+square*math.Pow(m, 18)
	}
	assert.InEpsilon(t, askotchMargin*math.Sqrt(ten/nine), l, 1e-6)
	largest := (values[0] + mu) / (values[0] + rho) // of (λ + μ)/(λ + ρ)
	assert.InDelta(t, askotchMargin*largest, l, 0.02*largest, "ten power iterations come to a hundredth of L")
	got.Scale(l, &got)
	assert.InDeltaSlice(t, yb.RawMatrix().Data, got.RawMatrix().Data, 1e-8)
}

// The Nyström approximation of a matrix of rank 3 with a sketch of 5 columns is the matrix. With fewer columns it has the span of A times a
// normal sketch.
func TestNystromOfLowRank(t *testing.T) {
	const n = 30
	e, normal := compute.NewEngine(compute.Options{}), func(s *compute.Stream, columns int) compute.Matrix {
		m := compute.NewMatrix(n, columns)
		for i := range m.Data {
			m.Data[i] = s.Normal()
		}
		return m
	}
	s := compute.NewStream(1, "low rank", 0)
	b, a := normal(s, 3), compute.NewMatrix(n, n)
	e.Syrk(a, 1, b, false, 0)
	for columns, of := range map[int]compute.Matrix{5: a, 2: e.Mul(a, normal(compute.NewStream(1, "sketch", 0), 2), false)} {
		u, values, err := nystromOf(e, a, columns, compute.NewStream(1, "sketch", 0))
		require.NoError(t, err)
		scaled := u.Clone()
		for j, l := range values {
			for i := range n {
				scaled.Set(i, j, u.At(i, j)*l)
			}
		}
		got := e.Mul(u, e.Mul(u, of, true), false) // UUᵀ is the projection on the span
		assert.InDeltaSlice(t, of.Data, got.Data, 1e-6, "roots of roundings of a matrix of norm 50")
		if columns == 5 {
			e.Gemm(got, 1, scaled, false, u, true, 0)
			assert.InDeltaSlice(t, a.Data, got.Data, 1e-6)
		}
	}
}

// By hand: n = 4 in two blocks, so τ = 2. With μ = 1/8, β = 1 - √(1/16) = 3/4, γ = 1/√(1/4) = 2, α = 1/(1 + 4) = 1/5. μ is at most 1/τ: with that,
// β = 1 - √(1/4), γ = 1, α = 1/3. z = (1, 2, 3, 4), v = (5, 6, 7, 8), d = (8, -4) on rows 2 and 0, and L = 4.
func TestASkotchAcceleratesByHand(t *testing.T) {
	for nu, c := range map[float64]struct{ beta, gamma, alpha float64 }{1. / 32: {.75, 2, .2}, 1: {.5, 1, 1. / 3}} {
		p := squares(4, nu)
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
		return after(t, &ASkotch{Block: 10, Rank: 5, Accelerate: accelerate}, squares(n, 1e-4), steps).(*askotch).RelativeGradient()
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
	f := after(t, &ASkotch{Block: 4, Rank: 15, Accelerate: true}, p, 3000).(*askotch)
	assert.Less(t, f.RelativeGradient(), 1e-6)
	assert.Greater(t, f.Report()["tau"], 4.0, "n/b at first")
}

// Iterates start again where a block's residual, as a share of √(b/n), exceeds ten times the targets. With a ν beside which K is nothing, the
// residual is λn·z, up to the targets. A block has ⌊n/blocks⌋ rows.
func TestASkotchSwingsByTenTargets(t *testing.T) {
	const n = 40
	for factor, swings := range map[float64]float64{0.8: 1, 1.2: 2} {
		p := squares(n, 1e12)
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
