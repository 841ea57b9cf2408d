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
	"repro/algos/kernels"
	"repro/algos/losses"
	"repro/algos/parts"
)

var preconditioners = []string{"none", parts.Uniform, parts.Greedy, parts.RPCholesky}

func TestLawsOfPreconditioners(t *testing.T) {
	for _, way := range preconditioners {
		t.Run(way, func(t *testing.T) {
			algostest.Laws(t, configured(t, "pcg", map[string]any{"preconditioner": way, "tolerance": 1e-10}))
		})
	}
}

// Conjugate gradients end at the solution, whatever the preconditioner, with K in memory or not.
func TestPCGIsTheDirectSolve(t *testing.T) {
	const n, nu = 300, 1e-5
	x, y := squares(n, nu).Dense()
	k := kernelOf(algostest.Gaussian).matrix(x, x)
	want := ridge(t, k, n*nu, identity(n), dense(y))
	var absolute mat.Dense
	absolute.Apply(func(_, _ int, v float64) float64 { return math.Abs(v) }, want)
	for _, way := range preconditioners {
		for _, bytes := range []int64{0, 1} {
			p := squares(n, nu)
			p.Engine = compute.NewEngine(compute.Options{Threads: 1, MemoryBytes: bytes})
			f := after(t, &PCG{Preconditioner: way, Rank: 80, Tolerance: 1e-13}, p, 2000).(*pcg)
			assert.True(t, f.Solved(), way)
			// The condition number of K + μI is below 1e5, so that a residual of 1e-13 is an error below 1e-8 of β.
			assert.InDeltaSlice(t, want.RawMatrix().Data, f.Alpha, 1e-8*mat.Sum(&absolute), way)
			assert.InDeltaSlice(t, product(k, want), f.Fitted().Data, 1e-10, way)
			assert.Less(t, f.RelativeGradient(), 1e-11, way)
		}
	}
}

// By hand: two points with k(x_1, x_2) = c. With the pivot 1, F = (1, c)ᵀ and tr(K - FFᵀ)/tr K = (1 - c²)/2. P is FFᵀ + μI.
func TestPCGByHand(t *testing.T) {
	c, mu := math.Exp(-0.5), 0.5
	p := algostest.Single([][]float64{{0}, {1}}, []float64{1, 2}, losses.Square{}, mu/2)
	p.Kernel = kernels.Gaussian{Sigma: 1}
	f := algostest.Start(t, &PCG{Preconditioner: parts.Greedy, Rank: 1, Spectrum: true}, p).(*pcg)
	assert.Equal(t, []int{0}, f.a.Rows, "of equal entries the first")
	assert.InDelta(t, c, f.a.F.At(1, 0), 1e-15)
	assert.InDelta(t, (1-c*c)/2, f.Report()["trace-error"], 1e-15)
	z := f.precondition(f.Gram.Y) // P⁻¹(1, 2)ᵀ of P = [1+μ, c; c, c²+μ]
	det := (1+mu)*(c*c+mu) - c*c
	z0, z1 := ((c*c+mu)*1-c*2)/det, (-c*1+(1+mu)*2)/det
	assert.InDelta(t, z0, z.At(0, 0), 1e-14)
	assert.InDelta(t, z1, z.At(1, 0), 1e-14)
	// K has the eigenvalues 1 ± c: the sum of both is above μ, the smaller one, 0.39, is not. P⁻¹(K + μI) has trace 2 + (1-c²)(1+μ)/det and
	// determinant ((1+μ)² - c²)/det.
	assert.Equal(t, 1.0, f.Report()["tail-rank"])
	smaller := *p
	smaller.Nu = 0.3 / 2
	assert.Equal(t, 2.0, algostest.Start(t, &PCG{Preconditioner: "none", Spectrum: true}, &smaller).(*pcg).Report()["tail-rank"])
	trace, product := 2+(1-c*c)*(1+mu)/det, ((1+mu)*(1+mu)-c*c)/det
	root := math.Sqrt(trace*trace/4 - product)
	assert.InDelta(t, (trace/2+root)/(trace/2-root), f.Report()["condition"], 1e-12)
	// The first step goes along d = z by rᵀz/dᵀHd with r = (1, 2) and H = [1+μ, c; c, 1+μ].
	algostest.Steps(t, f, 1)
	s := (z0 + 2*z1) / ((1+mu)*(z0*z0+z1*z1) + 2*c*z0*z1)
	assert.InDeltaSlice(t, []float64{s * z0, s * z1}, f.Alpha, 1e-14)
	algostest.Steps(t, f, 1) // two steps are the solution of two equations
	whole := (1+mu)*(1+mu) - c*c
	assert.InDeltaSlice(t, []float64{(1 + mu - 2*c) / whole, (2*(1+mu) - c) / whole}, f.Alpha, 1e-14)
}

// Conjugate gradients do not depend on the scale of the targets, though their squares overflow or vanish.
func TestConjugatesOfAnyScale(t *testing.T) {
	for _, name := range []string{"pcg", "falkon"} {
		solve := func(scale float64) []float64 {
			p := algostest.Single(algostest.Inputs, []float64{1 * scale, -2 * scale, 3 * scale, 0, scale / 2, -scale, scale}, losses.Square{}, 1e-3)
			return at(after(t, configured(t, name, map[string]any{"rank": 3, "landmarks": 3}), p, 5), algostest.Queries(2))
		}
		want := solve(1)
		for _, power := range []int{-900, 900} {
			for i, v := range solve(math.Ldexp(1, power)) {
				assert.Equal(t, math.Ldexp(want[i], power), v, "%s, 2^%d", name, power)
			}
		}
	}
}

// Where ν is so small that products overflow, the iteration says so.
func TestPCGOfTinyNu(t *testing.T) {
	_, err := algostest.Start(t, configured(t, "pcg", nil), squares(60, 1e-300)).Step()
	assert.ErrorIs(t, err, algos.ErrDiverged)
}

// It is done in the first step after which the residual is at most Tolerance times the targets.
func TestPCGEndsAtItsTolerance(t *testing.T) {
	const tolerance = 1e-3
	p := algostest.Problem(40, losses.Square{})
	f := algostest.Start(t, &PCG{Preconditioner: "none", Tolerance: tolerance}, p).(*pcg)
	for done := false; !done; {
		made, err := f.Step()
		require.NoError(t, err)
		largest := 0.0
		h := f.system(f.Coefficients())
		h.AddScaled(-1, f.Gram.Y)
		for j, r := range parts.ScaledSquares(1, h) {
			largest = max(largest, math.Sqrt(r/parts.ScaledSquares(1, f.Gram.Y)[j]))
		}
		done = made.Done
		assert.Equal(t, largest <= tolerance, done, "%g of the targets", largest)
	}
}
