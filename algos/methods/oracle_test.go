package methods

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"repro/algos"
	"repro/algos/algostest"
	"repro/algos/compute"
	"repro/algos/kernels"
	"repro/algos/losses"
	"repro/algos/parts"
	"repro/algos/schedules"
)

// handLabels are labels of algostest.Inputs.
var handLabels = []float64{1, -1, 1, 1, -1, 1, -1}

// handTolerance is the tolerance after a few dozen operations on numbers of size 1, each with a rounding error of 1e-16;
// features have the error of compute.CosTurns, 6e-16.
const handTolerance = 1e-13

// constant is a constant step size.
func constant(gamma float64) schedules.Schedule { return &schedules.Constant{Gamma0: gamma} }

// squares is algostest.Problem with the square loss and another ν.
func squares(n int, nu float64) *algos.Problem {
	p := algostest.Problem(n, losses.Square{})
	p.Nu = nu
	return p
}

// after returns the fit of a method after some steps.
func after(t *testing.T, a algos.Algorithm, p *algos.Problem, steps int) algos.Fit {
	t.Helper()
	f := algostest.Start(t, a, p)
	algostest.Steps(t, f, steps)
	return f
}

// at returns the predictions of a fit at the rows of x.
func at(f algos.Fit, x compute.Matrix) []float64 { return f.Model().Predict(x).Data }

// featuresOf returns φ(x) = √2·cos(ω·x + b) for the features of a block, with the ω and b that the block draws, in turns.
func featuresOf(f compute.FeatureMap, block, in int) func(x []float64) []float64 {
	omega, phase := compute.NewMatrix(in, f.Width()), make([]float64, f.Width())
	f.(compute.ProjectionMap).Draw(block, omega, phase)
	return func(x []float64) []float64 {
		phi := append([]float64(nil), phase...)
		for l, v := range x {
			floats.AddScaled(phi, v, omega.Row(l))
		}
		for j, turns := range phi {
			phi[j] = math.Sqrt2 * math.Cos(2*math.Pi*turns)
		}
		return phi
	}
}

// A kernelOf is k(x, z), or what estimates it.
type kernelOf func(x, z []float64) float64

// estimate is (1/F) Σ_j φ_j(x) φ_j(z) over the features of a block, of the kernel of algostest.Problem.
func estimate(p *algos.Problem, width, block int) kernelOf {
	in, _ := p.Train.Dims()
	phi := featuresOf(p.Kernel.(kernels.Featured).Features(p.Seed, in, width), block, in)
	return func(x, z []float64) float64 { return floats.Dot(phi(x), phi(z)) / float64(width) }
}

// matrix returns k at the rows of a and b.
func (k kernelOf) matrix(a, b compute.Matrix) *mat.Dense {
	m := mat.NewDense(a.Rows, b.Rows, nil)
	m.Apply(func(i, j int, _ float64) float64 { return k(a.Row(i), b.Row(j)) }, m)
	return m
}

// dense is a matrix of gonum with a copy of the numbers.
func dense(m compute.Matrix) *mat.Dense { return mat.NewDense(m.Rows, m.Cols, m.Clone().Data) }

// ridge returns (A + sB)⁻¹C.
func ridge(t *testing.T, a mat.Matrix, s float64, b, c mat.Matrix) *mat.Dense {
	t.Helper()
	var h, w mat.Dense
	h.Scale(s, b)
	h.Add(&h, a)
	require.NoError(t, w.Solve(&h, c))
	return &w
}

// identity is I of n rows.
func identity(n int) mat.Matrix {
	ones := make([]float64, n)
	floats.AddConst(1, ones)
	return mat.NewDiagDense(n, ones)
}

// rowsOf returns rows of a matrix.
func rowsOf(m mat.Matrix, rows []int) *mat.Dense {
	_, c := m.Dims()
	some := mat.NewDense(len(rows), c, nil)
	some.Apply(func(i, j int, _ float64) float64 { return m.At(rows[i], j) }, some)
	return some
}

// block returns the entries of a matrix in the given rows and columns.
func block(m mat.Matrix, rows, columns []int) mat.Matrix {
	return rowsOf(rowsOf(m, rows).T(), columns).T()
}

// mustEqualAt requires that a model of one output equals a function at the query points.
func mustEqualAt(t *testing.T, want func(x []float64) float64, m algos.Model, tolerance float64) {
	t.Helper()
	x := algostest.Queries(2)
	got := m.Predict(x)
	for i := range x.Rows {
		require.InDelta(t, want(x.Row(i)), got.At(i, 0), tolerance, "at %v", x.Row(i))
	}
}

// A recorder is a stream that keeps the predictions.
type recorder struct {
	*parts.Stream
	u [][]float64
}

func (s *recorder) Reveal(t int64, u []float64) []float64 {
	s.u = append(s.u, append([]float64(nil), u...))
	return s.Stream.Reveal(t, u)
}

// record returns the predictions of the rounds of a fit, and the rows in their order.
func record(t *testing.T, a algos.Algorithm, p *algos.Problem, rounds int) (u [][]float64, x, y compute.Matrix) {
	t.Helper()
	s := &recorder{Stream: parts.NewStream(p)}
	p.Stream = s
	after(t, a, p, rounds)
	order := parts.NewOrder(p)
	_, x, y = order.Batch(0, rounds)
	return s.u, x, y
}
