package generators

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/algos/compute"
	"repro/datasets"
	"repro/datasets/transforms"
)

var lossData = []string{"ring-and-spot", "three-classes", "two-classes", "two-samples", "wave-outliers", "wave-spread"}

// rowsOf draws rows of a generated source.
func rowsOf(t *testing.T, name string, n int) (x, y compute.Matrix, set *datasets.Set) {
	t.Helper()
	set = open(t, name, 5, n)
	x, y = transforms.Gather(set.Train, transforms.Span(0, n))
	return x, y, set
}

// The bits of these rows must never change: records made with them would no longer be comparable.
func TestLossDataGolden(t *testing.T) {
	want := map[string][]float64{
		"ring-and-spot": {-0.26672065027253344, 0.873250582877258, 0.732444092515416, -0.5712377466019528, 0, 0},
		"three-classes": {-0.4056418495360319, -0.7434893951214405, 0.7891617105174926, -0.5446022685126608, 0, 1, 0, 1, 0, 0},
		"two-classes":   {-0.4056418495360319, -0.7434893951214405, 0.7891617105174926, -0.5446022685126608, 1, 1},
		"two-samples":   {0.513021209757119, 0.9107954629746784, 1, -1},
		"wave-outliers": {1.7830744513919043, 5.367485131552478, -0.37878999586144035, -0.07773557334484116},
		"wave-spread":   {1.7830744513919043, 5.367485131552478, -0.363741133784212, -0.04764829646340287},
	}
	for _, name := range lossData {
		x, y, _ := rowsOf(t, name, 2)
		assert.Equal(t, want[name], append(append([]float64(nil), x.Data...), y.Data...), name)
	}
}

// Inputs lie in the domain that figures show, and rows have the targets of their task.
func TestLossDataShape(t *testing.T) {
	for _, name := range lossData {
		x, y, g := rowsOf(t, name, 2000)
		require.Len(t, g.Domain, x.Cols, name)
		for i := range x.Rows {
			for j, v := range x.Row(i) {
				require.True(t, v >= g.Domain[j][0] && v <= g.Domain[j][1], name)
			}
			switch g.Task {
			case "binary":
				require.Equal(t, 1.0, math.Abs(y.At(i, 0)), name)
			case "multiclass":
				require.Equal(t, 1.0, y.At(i, 0)+y.At(i, 1)+y.At(i, 2), name)
				require.Contains(t, []float64{0, 1}, y.At(i, 1), name)
			case "none":
				require.Zero(t, y.At(i, 0), name)
			}
		}
	}
}

// Each tolerance below is 4.5 standard deviations of the mean of n values, a false alarm with
// probability 7e-6.
const lossRows = 40000

func tolerance(variance float64) float64 { return 4.5 * math.Sqrt(variance/lossRows) }

// The points of two-samples have the densities that its formula says: with c = cos(πx/2), whose square has the mean 1/2 over [0, 4],
// E c is 0.8/2 where y = 1 and 0 where y = -1, and E c² is 1/2 for both.
func TestTwoSamples(t *testing.T) {
	x, y, _ := rowsOf(t, "two-samples", lossRows)
	rows, mean, square := map[float64]float64{}, map[float64]float64{}, map[float64]float64{}
	for i := range lossRows {
		c, label := math.Cos(math.Pi*x.At(i, 0)/2), y.At(i, 0)
		rows[label]++
		mean[label] += c
		square[label] += c * c
	}
	for label, want := range map[float64]float64{1: 0.4, -1: 0} {
		n := rows[label]
		assert.InDelta(t, 0.5, n/lossRows, tolerance(0.25), "%v", label)
		// Half of the rows; c and c² have variances of 1/2 and 1/8 or less.
		assert.InDelta(t, want, mean[label]/n, tolerance(1), "%v", label)
		assert.InDelta(t, 0.5, square[label]/n, tolerance(0.25), "%v", label)
	}
}
