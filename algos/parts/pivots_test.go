package parts

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/stat/distuv"

	"repro/algos/algostest"
	"repro/algos/compute"
	"repro/algos/kernels"
	"repro/algos/losses"
)

// A pivot is drawn with a probability proportional to the diagonal of what is left, whether proposals are made one at a time or two together,
// of which rejection leaves the distribution as it is: the first two pivots of twelve rows have that of the formula, by Pearson's χ² on
// their 132 pairs. A right program fails for one in a million of the streams of random numbers.
func TestPivotsAreDrawnByTheDiagonal(t *testing.T) {
	const n, together, seeds = 12, 11, 12000
	require.Equal(t, 2, proposedTogether(together))
	p, x, s := algostest.Problem(n, losses.Square{}), compute.NewMatrix(n, 8), compute.NewStream(1, "test", 0)
	for i := range x.Data {
		x.Data[i] = s.Normal()
	}
	p.Kernel = kernels.Linear{Sigma: 1} // its diagonal is not constant
	k := p.Engine.KernelMatrix(p.Kernel, x, x)
	trace, want := 0.0, map[[2]int]float64{}
	for i := range n {
		trace += k.At(i, i)
	}
	for i := range n {
		left := make([]float64, n)
		for j := range n {
			if j != i {
				left[j] = k.At(j, j) - k.At(i, j)*k.At(i, j)/k.At(i, i)
			}
		}
		for j, v := range left {
			if j != i {
				want[[2]int{i, j}] = seeds * k.At(i, i) / trace * v / sum(left)
			}
		}
	}
	critical := distuv.ChiSquared{K: float64(len(want) - 1)}.Quantile(1 - 1e-6)
	for name, pivots := range map[string]func() []int{
		"one at a time": func() []int { return Approximate(p, x, RPCholesky, 2, 1).Rows },
		"landmarks":     func() []int { rows, _ := PivotedLandmarks(p, x, 2); return rows },
		"two together":  func() []int { rows, _ := PivotedLandmarks(p, x, together); return rows[:2] },
	} {
		got, chi := map[[2]int]float64{}, 0.0
		for p.Seed = range uint64(seeds) {
			got[[2]int(pivots())]++
		}
		for pair, expected := range want {
			require.Greater(t, expected, 5.0, "counts of which χ² knows the distribution")
			chi += (got[pair] - expected) * (got[pair] - expected) / expected
		}
		assert.Less(t, chi, critical, name)
	}
}

// The rows of a block are drawn independently of each other, and one that is drawn again is left out: of three rows, two of them alike, a
// block of two holds the twins with probability 2/9. If it were filled up, it would hold them with 1/3; pivots one at a time never do.
func TestBlocksOfPivots(t *testing.T) {
	const seeds = 2000
	p := algostest.Single([][]float64{{1, 0}, {1, 0}, {0, 1}}, []float64{0, 0, 0}, losses.Square{}, 0.1)
	p.Kernel = kernels.Linear{Sigma: 1}
	x, _ := p.Dense()
	twins := 0.0
	for p.Seed = range uint64(seeds) {
		if rows := Approximate(p, x, RPCholesky, 2, 2).Rows; rows[0]+rows[1] == 1 {
			twins++
		}
	}
	assert.InDelta(t, 2./9, twins/seeds, 5*math.Sqrt(2./9*7/9/seeds), "five standard deviations")

	for r, want := range map[int]int{1: 1, 10: 1, 11: 2, 20: 2, 21: 3, 1000: 100, 1001: 100} {
		assert.Equal(t, want, proposedTogether(r), "%d pivots", r)
	}
	p, s := algostest.Problem(40, losses.Square{}), compute.NewStream(5, "pivots", 0)
	x, _ = p.Dense()
	assert.Equal(t, []int{int(40 * s.Float64()), int(40 * s.Float64())}, Approximate(p, x, RPCholesky, 20, 0).Rows[:2], "two at a time, from the whole diagonal")
}

// Pivots end where less than 10⁻¹³ of the trace is left, in single precision 10⁻⁶. Left is the share that they leave.
func TestPivotsEndInRoundingErrors(t *testing.T) {
	p := algostest.Problem(2, losses.Square{})
	p.Kernel = kernels.Linear{Sigma: 1}
	for precision, ends := range map[compute.Precision]float64{compute.Float64: 1e-13, compute.Float32: 1e-6} {
		p.Engine = compute.NewEngine(compute.Options{Precision: precision})
		for factor, pivots := range map[float64]int{0.3: 1, 3: 2} {
			share := factor * ends
			x := compute.FromRows([][]float64{{2, 0}, {0, 2 * math.Sqrt(share)}})
			assert.Len(t, Approximate(p, x, Greedy, 2, 0).Rows, pivots)
			assert.InEpsilon(t, share, Approximate(p, x, Greedy, 1, 0).Left, 1e-5)
		}
	}
}
