package generators

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
)

// What descriptions say of a distribution holds of the means over its rows: the mean of each function of a row, which is numbered from 0, is
// what the formulas say. Within tolerance of its variance; a variance of 0 asks for the number itself.
func TestMoments(t *testing.T) {
	one := func(yes bool) float64 {
		if yes {
			return 1
		}
		return 0
	}
	square := func(x []float64, centre float64) float64 { // of the distance from (centre, …, centre)
		sum := 0.0
		for _, v := range x {
			sum += (v - centre) * (v - centre)
		}
		return sum
	}
	bumps := func(x []float64) float64 {
		return 0.7 * (math.Exp(-square(x, 0.5)/2) - math.Exp(-square(x, -0.5)/2))
	}
	wave := func(x []float64) float64 { return math.Cos(math.Pi*x[0]/2) * math.Exp(-0.1*math.Pi*x[0]) }
	odds := func(x []float64) float64 { return 6 * (square(x, 0) - 0.5 - x[0]/2) }
	outside := func(x, y []float64) float64 { return one(y[0] > 0) - 1/(1+math.Exp(-odds(x))) }
	spot := func(x []float64) float64 { return math.Hypot(x[0]-0.1, x[1]) / 0.2 }
	scores := func(x []float64) [3]float64 { return [3]float64{4 * x[0], 4 * x[1], 3 - 6*square(x, 0)} }
	class := func(x, y []float64, c int) float64 {
		sum := 0.0
		for _, g := range scores(x) {
			sum += math.Exp(g)
		}
		return y[c] - math.Exp(scores(x)[c])/sum
	}
	for _, c := range []struct {
		name, says     string
		of             func(i int, x, y []float64) float64
		want, variance float64
	}{
		{"heaviside", "1 up to π, then -1", func(_ int, x, y []float64) float64 { return y[0] * math.Copysign(1, math.Pi-x[0]) }, 1, 0},
		{"two-bumps", "mean of the noise", func(_ int, x, y []float64) float64 { return y[0] - bumps(x) }, 0, 0.03},
		{"two-bumps", "square of the noise", func(_ int, x, y []float64) float64 { return math.Pow(y[0]-bumps(x), 2) }, 0.03, 0.03 * 0.03},
		{"two-bumps-switching", "the sign switches every 50 rows", func(i int, x, y []float64) float64 {
			return y[0] * math.Pow(-1, float64(i/50)) / (0.3 + bumps(x))
		}, 1, 0},
		{"wave-outliers", "outliers", func(_ int, x, y []float64) float64 { return one(y[0]-wave(x) > 2) }, 0.1, 0.09},
		{"two-classes", "where the class outside is likely", func(_ int, x, y []float64) float64 { return one(odds(x) > 0) * outside(x, y) }, 0, 0.25},
		{"two-classes", "where it is not", func(_ int, x, y []float64) float64 { return one(odds(x) < 0) * outside(x, y) }, 0, 0.25},
		{"three-classes", "the first", func(_ int, x, y []float64) float64 { return class(x, y, 0) }, 0, 0.25},
		{"three-classes", "the second", func(_ int, x, y []float64) float64 { return class(x, y, 1) }, 0, 0.25},
		{"ring-and-spot", "the spot", func(_ int, x, _ []float64) float64 { return one(spot(x) <= 1) }, 0.25, 0.25 * 0.75},
		{"ring-and-spot", "the spot is uniform", func(_ int, x, _ []float64) float64 { return one(spot(x) <= 1) * spot(x) * spot(x) }, 0.25 / 2, 0.25 / 3},
		{"ring-and-spot", "the width of the ring", func(_ int, x, _ []float64) float64 {
			return one(spot(x) > 1) * math.Pow(math.Hypot(x[0], x[1])-1, 2)
		}, 0.75 * 0.04 / 6, 0.75 * math.Pow(0.04, 2) / 15},
		{"half-space", "the class", func(_ int, x, y []float64) float64 { return y[0] * math.Copysign(1, x[0]) }, 1, 0},
		{"half-space", "normal inputs", func(_ int, x, _ []float64) float64 { return math.Pow(x[3], 4) }, 3, 96},
	} {
		x, y, _ := rowsOf(t, c.name, lossRows)
		mean := 0.0
		for i := range lossRows {
			mean += c.of(i, x.Row(i), y.Row(i)) / lossRows
		}
		assert.InDelta(t, c.want, mean, 1e-10+tolerance(c.variance), "%s: %s", c.name, c.says)
	}
	x, _, set := rowsOf(t, "three-classes", 2000)
	for i := range x.Rows {
		likeliest, g := int(set.Truth(x.Row(i)))-1, scores(x.Row(i))
		assert.Equal(t, max(g[0], g[1], g[2]), g[likeliest])
	}
}
