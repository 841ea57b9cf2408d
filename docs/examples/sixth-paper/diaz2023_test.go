package diaz2023

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/floats"

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
	for _, way := range []string{parts.Uniform, parts.Greedy, parts.RPCholesky} {
		t.Run("krill/"+way, func(t *testing.T) {
			algostest.Laws(t, &KRILL{Centres: 8, Pivots: way, Signs: 4, Precondition: true, Tolerance: 1e-10})
		})
	}
	t.Run("krill/unpreconditioned", func(t *testing.T) {
		algostest.Laws(t, &KRILL{Centres: 8, Pivots: parts.Uniform, Signs: 4, Tolerance: 1e-10})
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

func largest(m compute.Matrix) float64 {
	v := 0.0
	for _, x := range m.Data {
		v = max(v, math.Abs(x))
	}
	return v
}

// KRILL ends at the solution of its system, with the preconditioner and without.
func TestKRILLIsTheDirectSolve(t *testing.T) {
	for _, with := range []bool{true, false} {
		p := problem(t, 300, 1e-5, 4)
		f, err := (&KRILL{Centres: 12, Pivots: parts.RPCholesky, Signs: 4, Precondition: with, Tolerance: 1e-14}).Start(p)
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
		assert.Less(t, g.relativeGradient(), 1e-11)
	}
}

// Every column of Φ has the given number of entries ±1/√ζ, so that ΦA has A's squared Frobenius norm on average: here within 5 %.
func TestSketchKeepsLengths(t *testing.T) {
	p := problem(t, 2000, 1e-3, 5)
	f, err := (&KRILL{Centres: 40, Pivots: parts.Uniform, Signs: 8, Precondition: true}).Start(p)
	require.NoError(t, err)
	g := f.(*krill)
	x, _ := p.Dense()
	a := p.Engine.KernelMatrix(p.Kernel, x, g.s)
	want := floats.Sum(parts.ScaledSquares(1, a)) + g.mu*40*(1+40*40*unit)
	got := 0.0 // tr P = tr UᵀU
	for i := range g.u.Rows {
		for j := i; j < g.u.Cols; j++ {
			got += g.u.At(i, j) * g.u.At(i, j)
		}
	}
	assert.InEpsilon(t, want, got, 0.05)
}

// The right answers to the lesson pass, and every wrong one is told its own sentence.
func TestLesson(t *testing.T) { lessonstest.Walk(t, "01-why-a-preconditioner", t.TempDir()) }

// The gate passes the same code; a bundle of a run is audited with the same bits.
func TestGateAndBundle(t *testing.T) {
	t.Chdir(t.TempDir())
	assert.Contains(t, clitest.Run(t, 0, "check", "diaz2023/rank"), ": 2 same")
	clitest.Run(t, 0, "run", "diaz2023/approximations", "--profile", "smoke")
	clitest.Run(t, 0, "bundle", "smile.zip")
	assert.Contains(t, clitest.Run(t, 0, "audit", "smile.zip", "--sample", "2"), "2 with the same bits")
}
