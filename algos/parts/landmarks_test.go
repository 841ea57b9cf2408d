package parts

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"repro/algos"
	"repro/algos/algostest"
	"repro/algos/compute"
	"repro/algos/kernels"
	"repro/algos/losses"
)

// leftBy returns tr(K - K_{:S} K_SS⁻¹ K_{S:}) directly, for a kernel matrix K and rows S.
func leftBy(t *testing.T, k compute.Matrix, s []int) float64 {
	n, r := k.Rows, len(s)
	kss, ksn := mat.NewSymDense(r, nil), mat.NewDense(r, n, nil)
	for a, i := range s {
		for b, j := range s {
			kss.SetSym(a, b, k.At(i, j))
		}
		for j := range n {
			ksn.Set(a, j, k.At(i, j))
		}
	}
	var chol mat.Cholesky
	require.True(t, chol.Factorize(kss))
	var solved mat.Dense
	require.NoError(t, chol.SolveTo(&solved, ksn))
	left := 0.0
	for j := range n {
		left += k.At(j, j)
		for a := range r {
			left -= ksn.At(a, j) * solved.At(a, j)
		}
	}
	return left
}

// clustered returns a problem whose rows lie in many places alike and in few alone, which uniform landmarks miss.
func clustered(n int, seed uint64) (*algos.Problem, compute.Matrix) {
	x, s := compute.NewMatrix(n, 2), compute.NewStream(7, "test", 0)
	for i := range n {
		spread := 0.05
		if i%20 == 0 {
			spread = 4
		}
		x.Set(i, 0, spread*s.Normal())
		x.Set(i, 1, spread*s.Normal())
	}
	p := algostest.Problem(n, losses.Square{})
	p.Kernel, p.Seed = kernels.Gaussian{Sigma: 1}, seed
	return p, x
}

// What is left of K is what the direct formula gives, in every way and with any block, K - FFᵀ is positive semidefinite, and nothing depends on
// threads.
func TestPivotsLeaveWhatTheySay(t *testing.T) {
	p, x := clustered(300, 3)
	k := p.Engine.KernelMatrix(p.Kernel, x, x)
	two := *p
	two.Engine = compute.NewEngine(compute.Options{Threads: 2})
	for _, r := range []int{1, 7, 18, 120} {
		rows, left := PivotedLandmarks(p, x, r)
		assert.Len(t, slices.Compact(slices.Sorted(slices.Values(rows))), r, "distinct")
		if r <= 18 { // beyond, K_SS is singular to rounding errors
			assert.InDelta(t, leftBy(t, k, rows), left, 1e-10*300) // rounding errors of n numbers
		}
		again, same := PivotedLandmarks(&two, x, r)
		assert.Equal(t, rows, again)
		assert.Equal(t, left, same)
	}
	for _, way := range []string{Uniform, Greedy, RPCholesky} {
		for _, block := range []int{0, 1, 5} {
			a := Approximate(p, x, way, 12, block)
			require.Len(t, a.Rows, 12)
			assert.InDelta(t, leftBy(t, k, a.Rows), a.Left*300, 1e-6, way) // K_SS of uniform rows has a condition number of 1e8
			for i := range k.Rows {
				assert.GreaterOrEqual(t, k.At(i, i)-compute.Dot(a.F.Row(i), a.F.Row(i)), -1e-12, way)
			}
			assert.Equal(t, a, Approximate(&two, x, way, 12, block), way)
		}
	}
}

// Where rows are alike, each place is taken once, and then rows at random.
func TestPivotedLandmarksOfFewPlaces(t *testing.T) {
	for _, precision := range []compute.Precision{compute.Float64, compute.Float32} {
		p, x := clustered(100, 1)
		p.Engine = compute.NewEngine(compute.Options{Precision: precision})
		for i := range x.Rows {
			copy(x.Row(i), []float64{float64(i % 5), 0})
			if precision == compute.Float32 { // which does not see it
				x.Set(i, 1, 1e-5*float64(i))
			}
		}
		rows, left := PivotedLandmarks(p, x, 40)
		require.Len(t, rows, 40)
		assert.Len(t, slices.Compact(slices.Sorted(slices.Values(rows))), 40)
		places := map[int]bool{}
		for _, i := range rows[:5] {
			places[i%5] = true
		}
		assert.Len(t, places, 5)
		assert.InDelta(t, 0, left, 1e-4)
		others := slices.DeleteFunc(compute.NewStream(p.Seed, "landmarks", 0).Perm(100), func(i int) bool { return slices.Contains(rows[:5], i) })
		assert.Equal(t, others[:35], rows[5:], "not those that rounding errors prefer")
	}
}

// With r the tail rank, η the share of the trace beyond r, and k ≥ r/ε + r log(1/(εη)) pivots drawn one at a time,
// E tr(K - FFᵀ) ≤ (1 + ε) Σ_{i>r} λ_i [Chen et al. 2022, Theorem 3.1]; here ε = 1.
func TestApproximateWithinTheBound(t *testing.T) {
	const n, seeds = 400, 100
	p, x := clustered(n, 0)
	values, _, err := Symmetric(p.Engine, p.Engine.KernelMatrix(p.Kernel, x, x), 0)
	require.NoError(t, err)
	for _, r := range []int{2, 5, 10, 20} {
		tail := sum(values[r:])
		k := int(math.Ceil(float64(r) + float64(r)*math.Log(n/tail)))
		mean := 0.0
		for seed := range uint64(seeds) {
			p, x := clustered(n, seed)
			mean += Approximate(p, x, RPCholesky, k, 1).Left * n / seeds
		}
		assert.LessOrEqual(t, mean, 2*tail, "r = %d, k = %d", r, k)
		assert.GreaterOrEqual(t, mean, sum(values[k:]), "no approximation of rank k is better than the best")
	}
}

// A kernel matrix of zeros leaves nothing, without pivots.
func TestApproximateNothing(t *testing.T) {
	p, x := clustered(10, 0)
	p.Kernel = kernels.Linear{Sigma: 1}
	x.Zero()
	for _, way := range []string{Uniform, Greedy, RPCholesky} {
		a := Approximate(p, x, way, 3, 0)
		assert.Empty(t, a.Rows)
		assert.Zero(t, a.Left)
	}
}

// Shifted raises the shift until the factor exists, and gives up at a matrix without anything on its diagonal.
func TestShifted(t *testing.T) {
	e := compute.NewEngine(compute.Options{})
	u, ok := Shifted(e, compute.FromRows([][]float64{{1, 1.5}, {1.5, 1}}), 1e-3, 2)
	require.True(t, ok)
	assert.InDelta(t, 1+1, u.At(0, 0)*u.At(0, 0), 1e-12, "10⁻³ becomes 1: 0.1 is less than the half that is missing")
	for _, shift := range []float64{0, math.NaN(), -1} {
		_, ok = Shifted(e, compute.NewMatrix(2, 2), shift, 1)
		assert.False(t, ok)
	}
}
