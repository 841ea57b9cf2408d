package parts

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/stat/distuv"

	"repro/algos/algostest"
	"repro/algos/compute"
	"repro/algos/kernels"
	"repro/algos/losses"
)

// A pivot is drawn with a probability proportional to the diagonal of what is left: both pivots of six rows have the distribution of the
// formula, by Pearson's χ² on their 30 pairs. A right program fails for one in a million of the streams of random numbers.
func TestPivotsAreDrawnByTheDiagonal(t *testing.T) {
	const n, seeds = 6, 12000
	p, x, s := algostest.Problem(n, losses.Square{}), compute.NewMatrix(n, 4), compute.NewStream(1, "test", 0)
	for i := range x.Data {
		x.Data[i] = s.Normal()
	}
	p.Kernel = kernels.Linear{Sigma: 1} // its diagonal is not constant
	k := p.Engine.KernelMatrix(p.Kernel, x, x)
	first := make([]float64, n)
	for i := range n {
		first[i] = k.At(i, i)
	}
	want := map[[2]int]float64{}
	for i := range n {
		left := make([]float64, n)
		for j := range n {
			if j != i {
				left[j] = k.At(j, j) - k.At(i, j)*k.At(i, j)/k.At(i, i)
			}
		}
		for j, v := range left {
			if j != i {
				want[[2]int{i, j}] = seeds * first[i] / sum(first) * v / sum(left)
			}
		}
	}
	critical := distuv.ChiSquared{K: float64(len(want) - 1)}.Quantile(1 - 1e-6)
	for name, pivots := range map[string]func() []int{
		"one at a time": func() []int { return Approximate(p, x, RPCholesky, 2, 1).Rows },
		"landmarks":     func() []int { rows, _ := PivotedLandmarks(p, x, 2); return rows },
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
