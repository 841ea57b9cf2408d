package diaz2023

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/algos"
	"repro/algos/algostest"
	"repro/algos/compute"
	"repro/algos/kernels"
	"repro/algos/losses"
	"repro/algos/parts"
	"repro/cmd/repro/clitest"
	"repro/docs/lessons/lessonstest"
)

func TestLaws(t *testing.T) {
	for _, way := range []string{none, uniform, greedy, rpcholesky} {
		t.Run("pcg/"+way, func(t *testing.T) {
			algostest.Laws(t, &PCG{Preconditioner: way, Rank: 8, Block: 3, Tolerance: 1e-10})
		})
	}
	for _, way := range []string{uniform, greedy, rpcholesky} {
		t.Run("krill/"+way, func(t *testing.T) {
			algostest.Laws(t, &KRILL{Centres: 8, Pivots: way, Signs: 4, Precondition: true, Tolerance: 1e-10})
		})
	}
	t.Run("krill/unpreconditioned", func(t *testing.T) {
		algostest.Laws(t, &KRILL{Centres: 8, Pivots: uniform, Signs: 4, Tolerance: 1e-10})
	})
}

// problem is a regression of n noisy values of a smooth function of two inputs.
func problem(t *testing.T, n int, nu float64, seed uint64) *algos.Problem {
	t.Helper()
	s := compute.NewStream(seed, "test", 0)
	x, y := make([][]float64, n), make([][]float64, n)
	for i := range x {
		x[i] = []float64{s.Normal(), s.Normal()}
		y[i] = []float64{math.Sin(2*x[i][0]) + x[i][1] + 0.1*s.Normal(), s.Normal()}
	}
	rows, err := algos.Rows(x, y)
	require.NoError(t, err)
	return &algos.Problem{Train: rows, Kernel: kernels.Gaussian{Sigma: 0.7}, Loss: losses.Square{}, Nu: nu, Seed: seed, Engine: compute.NewEngine(compute.Options{})}
}

// direct returns the solution of (K + μI)β = y by a Cholesky factor.
func direct(p *algos.Problem) compute.Matrix {
	x, y := p.Dense()
	h := p.Engine.KernelMatrix(p.Kernel, x, x)
	for i := range h.Rows {
		h.Set(i, i, h.At(i, i)+float64(h.Rows)*p.Nu)
	}
	p.Engine.Cholesky(h)
	beta := y.Clone()
	p.Engine.Trsm(h, true, beta)
	p.Engine.Trsm(h, false, beta)
	return beta
}

// Conjugate gradients end at the solution, whatever the preconditioner.
func TestPCGIsTheDirectSolve(t *testing.T) {
	for _, way := range []string{none, uniform, greedy, rpcholesky} {
		p := problem(t, 300, 1e-5, 3)
		f, err := (&PCG{Preconditioner: way, Rank: 80, Tolerance: 1e-13}).Start(p)
		require.NoError(t, err)
		for range 2000 {
			made, err := f.Step()
			require.NoError(t, err)
			if made.Done {
				break
			}
		}
		want, got := direct(p), f.(*pcg).Coefficients()
		got = got.Clone()
		got.AddScaled(-1, want)
		// The condition number of H is below 1e5, so that a residual of 1e-13 is an error below 1e-8 of β; the predictions Kβ are
		// better by far, and the bound of the issue is theirs.
		u, v := f.(*pcg).Fitted(), compute.NewMatrix(300, 2)
		f.(*pcg).Gram.K.MulTo(v, want)
		u = u.Clone()
		u.AddScaled(-1, v)
		assert.Less(t, largest(u), 1e-10, way)
		assert.Less(t, largest(got), 1e-7*largest(want), way)
		assert.Less(t, f.(*pcg).RelativeGradient(), 1e-11, way)
	}
}

func largest(m compute.Matrix) float64 {
	v := 0.0
	for _, x := range m.Data {
		v = max(v, math.Abs(x))
	}
	return v
}

// By hand: two points with k(x_1, x_2) = c. With the pivot 1, F = (1, c)ᵀ and tr(K - FFᵀ)/tr K = (1 - c²)/2. P is FFᵀ + μI.
func TestOnePivotByHand(t *testing.T) {
	rows, err := algos.Rows([][]float64{{0}, {1}}, [][]float64{{1}, {2}})
	require.NoError(t, err)
	c, mu := math.Exp(-0.5), 0.5
	p := &algos.Problem{Train: rows, Kernel: kernels.Gaussian{Sigma: 1}, Loss: losses.Square{}, Nu: mu / 2, Engine: compute.NewEngine(compute.Options{})}
	f, err := (&PCG{Preconditioner: greedy, Rank: 1, Tolerance: 0, Spectrum: true}).Start(p)
	require.NoError(t, err)
	g := f.(*pcg)
	assert.Equal(t, []int{0}, g.a.pivots, "of equal entries the first")
	assert.InDelta(t, c, g.a.f.At(1, 0), 1e-15)
	assert.InDelta(t, (1-c*c)/2, g.Report()["trace-error"], 1e-15)
	z := g.precondition(g.Gram.Y) // P⁻¹(1, 2)ᵀ of P = [1+μ, c; c, c²+μ]
	det := (1+mu)*(c*c+mu) - c*c
	assert.InDelta(t, ((c*c+mu)*1-c*2)/det, z.At(0, 0), 1e-14)
	assert.InDelta(t, (-c*1+(1+mu)*2)/det, z.At(1, 0), 1e-14)
	// K has the eigenvalues 1 ± c: the sum of both is above μ, the smaller one, 0.39, is not. P⁻¹(K + μI) has trace 2 + (1-c²)(1+μ)/det and
	// determinant ((1+μ)² - c²)/det.
	assert.Equal(t, 1.0, g.Report()["tail-rank"])
	trace, product := 2+(1-c*c)*(1+mu)/det, ((1+mu)*(1+mu)-c*c)/det
	root := math.Sqrt(trace*trace/4 - product)
	assert.InDelta(t, (trace/2+root)/(trace/2-root), g.Report()["condition"], 1e-12)
}

// With r the tail rank, η the share of the trace beyond r, and k ≥ r/ε + r log(1/(εη)) pivots drawn one at a time,
// E tr(K - FFᵀ) ≤ (1 + ε) Σ_{i>r} λ_i [Chen et al. 2022, Theorem 3.1]; here ε = 1.
func TestTraceErrorIsBounded(t *testing.T) {
	const seeds = 100
	p := problem(t, 400, 1e-6, 7)
	x, _ := p.Dense()
	values, _, ok := p.Engine.Syevd(p.Engine.KernelMatrix(p.Kernel, x, x), 0)
	require.True(t, ok)
	for _, r := range []int{2, 5, 10, 20} {
		tail := sum(values[r:])
		k := int(math.Ceil(float64(r) + float64(r)*math.Log(400/tail)))
		var mean, square float64
		for seed := range uint64(seeds) {
			a, err := approximate(p.Engine, p.Kernel, x, rpcholesky, k, 1, compute.NewStream(seed, "pivots", 0))
			require.NoError(t, err)
			v := a.error * 400
			mean += v / seeds
			square += v * v / seeds
		}
		assert.LessOrEqual(t, mean, 2*tail, "r = %d, k = %d, standard error %.2g", r, k, math.Sqrt((square-mean*mean)/seeds))
		assert.GreaterOrEqual(t, mean, sum(values[k:]), "no approximation of rank k is better than the best")
	}
}

// RPCholesky draws a pivot with a probability proportional to the diagonal of the residual: of a kernel matrix of two groups, five
// equal points and one that is far from them, the first pivot is in the group of five in 5 of 6 draws, and the second is the other.
func TestDrawsFollowTheDiagonal(t *testing.T) {
	x := compute.FromRows([][]float64{{0}, {0}, {0}, {0}, {0}, {100}})
	e, alone := compute.NewEngine(compute.Options{}), 0
	const draws = 3000
	for seed := range uint64(draws) {
		a, err := approximate(e, kernels.Gaussian{Sigma: 1}, x, rpcholesky, 2, 1, compute.NewStream(seed, "pivots", 0))
		require.NoError(t, err)
		require.Len(t, a.pivots, 2)
		if a.pivots[0] == 5 {
			alone++
		} else {
			assert.Equal(t, 5, a.pivots[1])
		}
		assert.Zero(t, a.error)
	}
	assert.InDelta(t, draws/6., float64(alone), 4*math.Sqrt(draws*5./36), "four standard deviations: a false alarm in 16,000 seeds")
}

// KRILL ends at the solution of its system, with the preconditioner and without.
func TestKRILLIsTheDirectSolve(t *testing.T) {
	for _, with := range []bool{true, false} {
		p := problem(t, 300, 1e-5, 4)
		f, err := (&KRILL{Centres: 12, Pivots: rpcholesky, Signs: 4, Precondition: with, Tolerance: 1e-14}).Start(p)
		require.NoError(t, err)
		for range 3000 {
			made, err := f.Step()
			require.NoError(t, err)
			if made.Done {
				break
			}
		}
		g := f.(*krill)
		x, y := p.Dense()
		a := p.Engine.KernelMatrix(p.Kernel, x, g.s)
		h, want := g.kss.Clone(), compute.NewMatrix(12, 2)
		p.Engine.Gemm(h, 1, a, true, a, false, g.mu)
		p.Engine.Gemm(want, 1, a, true, y, false, 0)
		require.True(t, p.Engine.Cholesky(h))
		p.Engine.Trsm(h, true, want)
		p.Engine.Trsm(h, false, want)
		u, v := p.Engine.Mul(a, parts.View(g.Beta, 2), false), p.Engine.Mul(a, want, false)
		u.AddScaled(-1, v)
		assert.Less(t, largest(u), 1e-10, "preconditioned: %v", with)
		assert.Less(t, g.RelativeGradient(), 1e-11)
	}
}

// Every column of Φ has the given number of entries ±1/√ζ, so that ΦA has A's squared Frobenius norm on average: here within 5 %.
func TestSketchKeepsLengths(t *testing.T) {
	p := problem(t, 2000, 1e-3, 5)
	f, err := (&KRILL{Centres: 40, Pivots: uniform, Signs: 8, Precondition: true}).Start(p)
	require.NoError(t, err)
	g := f.(*krill)
	x, _ := p.Dense()
	a := p.Engine.KernelMatrix(p.Kernel, x, g.s)
	want := sum(parts.ScaledSquares(1, a)) + g.mu*40*(1+40*40*unit)
	got := 0.0 // tr P = tr UᵀU
	for i := range g.u.Rows {
		for j := i; j < g.u.Cols; j++ {
			got += g.u.At(i, j) * g.u.At(i, j)
		}
	}
	assert.InEpsilon(t, want, got, 0.05)
}

// The right answers to the lesson pass, and every wrong one is told its own sentence.
func TestLesson(t *testing.T) { lessonstest.Walk(t, "01-why-a-preconditioner", t.TempDir(), "") }

// The gate passes the same code; a bundle of a run is audited with the same bits.
func TestGateAndBundle(t *testing.T) {
	t.Chdir(t.TempDir())
	assert.Contains(t, clitest.Run(t, 0, "check", "diaz2023/rank"), ": 2 unchanged")
	clitest.Run(t, 0, "run", "diaz2023/approximations", "--profile", "smoke")
	clitest.Run(t, 0, "bundle", "smile.zip")
	assert.Contains(t, clitest.Run(t, 0, "audit", "smile.zip", "--sample", "2"), "2 with the same bits")
}
