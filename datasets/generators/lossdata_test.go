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

func TestWaves(t *testing.T) {
	x, y, g := rowsOf(t, "wave-outliers", lossRows)
	outliers, mean, square := 0., 0., 0.
	for i := range lossRows {
		e := y.At(i, 0) - g.Truth(x.Row(i))
		if e > 2 {
			outliers += 1. / lossRows
			e -= 4
		}
		mean += e / 0.2 / lossRows
		square += e * e / 0.04 / lossRows
	}
	assert.InDelta(t, 0.1, outliers, tolerance(0.09))
	assert.InDelta(t, 0, mean, tolerance(1))
	assert.InDelta(t, 1, square, tolerance(2))

	x, y, g = rowsOf(t, "wave-spread", lossRows)
	mean, square = 0, 0
	weighted := 0.
	for i := range lossRows {
		u := x.At(i, 0) / 6
		e := (y.At(i, 0) - g.Truth(x.Row(i))) / (0.1 + 0.4*u)
		mean += e / lossRows
		square += e * e / lossRows
		weighted += u * e * e / lossRows // 1/2 if the spread grows as it should
	}
	assert.InDelta(t, 0, mean, tolerance(1))
	assert.InDelta(t, 1, square, tolerance(2))
	assert.InDelta(t, 0.5, weighted, tolerance(3./3-1./4))
}

// The truth of labels is the log odds: averaged over points, P(y = 1) and P(y = 1)·h(x) are those of
// the labels for functions h.
func TestLabelsFollowTheirOdds(t *testing.T) {
	for _, name := range []string{"two-classes", "two-samples"} {
		x, y, g := rowsOf(t, name, lossRows)
		var gap [3]float64 // mean of (1{y = 1} - P(y = 1))·h, whose terms are below 1/4 in variance for |h| ≤ 1
		for i := range lossRows {
			p := 1 / (1 + math.Exp(-g.Truth(x.Row(i))))
			d := (y.At(i, 0)+1)/2 - p
			gap[0] += d / lossRows
			gap[1] += d * (2*p - 1) / lossRows
			gap[2] += d * math.Cos(2*x.At(i, 0)) / lossRows
		}
		for _, v := range gap {
			assert.InDelta(t, 0, v, tolerance(0.25), name)
		}
	}
}

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

func TestThreeClasses(t *testing.T) {
	x, y, g := rowsOf(t, "three-classes", lossRows)
	var share [3]float64
	errors, best := 0., 0.
	for i := range lossRows {
		s := classScores(x.Row(i))
		sum, likeliest := 0., int(g.Truth(x.Row(i)))-1
		for c := range s {
			share[c] += y.At(i, c) / lossRows
			sum += math.Exp(s[c])
		}
		best += math.Exp(s[likeliest]) / sum / lossRows
		if y.At(i, likeliest) == 0 {
			errors += 1. / lossRows
		}
	}
	// By quadrature: the classes have 35.668 %, 35.668 % and 28.663 %, the best classifier errs on 20.928 %.
	assert.InDelta(t, 0.35668, share[0], tolerance(0.25))
	assert.InDelta(t, 0.35668, share[1], tolerance(0.25))
	assert.InDelta(t, 0.28663, share[2], tolerance(0.25))
	assert.InDelta(t, 0.20928, errors, tolerance(0.17))
	assert.InDelta(t, 1-0.20928, best, tolerance(0.25))
}

func TestRingAndSpot(t *testing.T) {
	x, _, _ := rowsOf(t, "ring-and-spot", lossRows)
	spot, disc, radius, width, turn := 0., 0., 0., 0., 0.
	for i := range lossRows {
		a, b := x.At(i, 0), x.At(i, 1)
		if r := math.Hypot(a-0.1, b) / 0.2; r <= 1 {
			spot += 1. / lossRows
			disc += r * r
			continue
		}
		r := math.Hypot(a, b)
		require.True(t, r >= 0.8-1e-12 && r <= 1.2+1e-12, "between ring and spot lies nothing") // a rounding
		radius += r - 1
		width += (r - 1) * (r - 1) / 0.04
		turn += a / r
	}
	assert.InDelta(t, 0.25, spot, tolerance(3./16))
	// A uniform disc has E r² = 1/2 with variance 1/12; the sum of two uniform numbers the variance 1/6, itself with variance 1/15 - 1/36.
	assert.InDelta(t, 0.5, disc/(spot*lossRows), tolerance(4./12))
	ring := (1 - spot) * lossRows
	assert.InDelta(t, 0, radius/ring, tolerance(0.04/6/0.75)*1.01)
	assert.InDelta(t, 1./6, width/ring, tolerance((1./15-1./36)/0.75)*1.01)
	assert.InDelta(t, 0, turn/ring, tolerance(0.5/0.75)*1.01)
}
