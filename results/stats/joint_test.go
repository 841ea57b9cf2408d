package stats

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// The median of k normal values spreads as the mean of MedianRuns(k) of them.
func TestMedianRuns(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	const trials = 40_000
	for _, k := range []int{1, 2, 3, 4, 5, 8, 9, 10, 20} {
		var medians []float64
		for range trials {
			medians = append(medians, Median(values(r, k, (*rand.Rand).NormFloat64)))
		}
		_, sd := meanStdDev(medians)
		// The formula is right to 2.5 %, and four standard errors of the variance, √(2/trials), are 2.8 %.
		assert.InEpsilon(t, 1/(sd*sd), MedianRuns(k), 0.053, "%d runs", k)
	}
}

// bandOf returns the band of four curves with these geometric means at three places.
func bandOf(means ...float64) JointBand {
	var curves [][]float64
	for _, f := range []float64{0.9, 0.95, 1.05, 1 / (0.9 * 0.95 * 1.05)} {
		row := make([]float64, len(means))
		for j, m := range means {
			row[j] = m * f
		}
		curves = append(curves, row)
	}
	return NewJointBand(curves, false, Level)
}

// The farthest place is that whose mean lies most half bands beyond its margin, on the side of 0.
func TestFarthest(t *testing.T) {
	b := bandOf(1.5, 0.5, 1)
	for place, k := range map[int]float64{1: math.Inf(1), 0: 1} {
		margins := []float64{0, 0, 0}
		if place == 0 {
			margins[1] = 0.5
		}
		at, distance := b.Farthest(margins, k)
		below, above := b.Around(at, k)
		half := map[int]float64{0: below, 1: above}[at]
		assert.Equal(t, place, at)
		assert.InDelta(t, math.Abs(b.Mean[at])/half, distance, 1e-12)
	}
	_, near := b.Farthest([]float64{1, 1, 1}, 1)
	assert.Zero(t, near, "all lie within their margins")
}

// Places that rise and fall together count as one, also where rounding makes their correlation more than 1.
func TestParallelPlaces(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 100 {
		v, w, factor := values(r, 5, (*rand.Rand).NormFloat64), values(r, 5, (*rand.Rand).NormFloat64), r.ExpFloat64()
		curves := make([][]float64, 5)
		for i := range curves {
			curves[i] = []float64{factor * v[i], v[i], w[i]}
		}
		path := math.Acos(stat.Correlation(v, w, nil))
		assert.InDelta(t, jointCritical(5, 3, path, Level), newJointScale(curves, Level).critical, 1e-6)
	}
}

// What would have been seen at a place lies beyond its margin by as many half bands as the power of the test asks for.
func TestVisibleBesideABand(t *testing.T) {
	b := bandOf(1, 2)
	for _, k := range []float64{1, 10, math.Inf(1)} {
		below, above := b.Around(0, k)
		plain, far := b.Visible(0, k, 0), b.Visible(0, k, 0.3)
		assert.InDelta(t, 0.3, far-plain, 1e-12)
		assert.Greater(t, plain, min(below, above), "with probability Power, not a half")
		assert.Less(t, plain, 2.5*min(below, above))
	}
	assert.Greater(t, b.Visible(0, 1, 0), b.Visible(0, 10, 0))
}

// A band is the wider of those of two scales: logarithms, and cube roots or, of means, the values. At all places together it is as wide as
// the path of correlations asks for or, if that is less, the number of places.
func TestBandByHand(t *testing.T) {
	const level = 0.8
	const seeds, places = 16, 8
	curves := make([][]float64, seeds)
	for i := range curves {
		for j := range places { // smooth, and one seed far above the others
			curves[i] = append(curves[i], (1+0.1*float64(i%3)+2*float64(i/15))*(1+0.05*math.Sin(float64(i)+0.1*float64(j*(i%4)))))
		}
	}
	for _, means := range []bool{false, true} {
		b := NewJointBand(curves, means, level)
		straight, power := math.Cbrt, 3.0
		if means {
			straight, power = identity, 1
		}
		var centres, sds [2][]float64
		var critical [2]float64
		for i, of := range []func(float64) float64{math.Log, straight} {
			var before []float64
			path := 0.0
			for j := range curves[0] {
				var column []float64
				for _, row := range curves {
					column = append(column, of(row[j]))
				}
				mean, sd := stat.MeanStdDev(column, nil)
				centres[i], sds[i] = append(centres[i], mean), append(sds[i], sd)
				if j > 0 {
					path += math.Acos(stat.Correlation(before, column, nil))
				}
				before = column
			}
			critical[i] = jointCritical(seeds, places, path, level)
		}
		for j := range curves[0] {
			mean := centres[0][j]
			if means {
				mean = math.Log(centres[1][j])
			}
			assert.InDelta(t, mean, b.Mean[j], 1e-12)
			for _, k := range []float64{1, 50, math.Inf(1)} {
				root := math.Sqrt(1.0/seeds + 1/k)
				half, other := critical[0]*sds[0][j]*root, critical[1]*sds[1][j]*root
				below, above := b.Around(j, k)
				assert.InDelta(t, max(half, mean-power*math.Log(centres[1][j]-other)), below, 1e-9)
				assert.InDelta(t, max(half, power*math.Log(centres[1][j]+other)-mean), above, 1e-9)
				shift := newTTest(seeds, critical[0]).noncentrality() / critical[0]
				assert.InDelta(t, 0.1+shift*max(half, min(below, above)), b.Visible(j, k, 0.1), 1e-9)
			}
		}
	}
	tail := func(c, nu, path float64) float64 {
		return 2*distuv.StudentsT{Sigma: 1, Nu: nu}.Survival(c) + path/math.Pi*math.Pow(1+c*c/nu, -(nu-1)/2)
	}
	for _, level := range []float64{0.9, 0.99} {
		assert.InDelta(t, 1-level, tail(jointCritical(6, 100, 2, level), 5, 2), 1e-9)
		assert.InDelta(t, (1-level)/3, tail(jointCritical(6, 3, 9, level), 5, 0), 1e-9, "three places")
	}
}

// Curves that do not spread have no band, and a band that reaches down to 0 leaves nothing out.
func TestBandsWithoutAnEnd(t *testing.T) {
	flat := NewJointBand([][]float64{{1, 2}, {1, 2}}, false, Level)
	at, distance := flat.Farthest([]float64{0, 0}, 1)
	assert.Equal(t, 1, at)
	assert.True(t, math.IsInf(distance, 1))
	assert.Equal(t, 0.3, flat.Visible(0, 1, 0.3))
	wide := NewJointBand([][]float64{{1, 1.1}, {100, 1.2}}, false, Level)
	at, _ = wide.Farthest([]float64{0, 0}, 1)
	assert.Equal(t, 1, at, "at the other place anything may be below")
}

// Points are those within a window, whose open ends are a quarter of the curve from its beginning, and its end.
func TestPointsIn(t *testing.T) {
	xs := []float64{1, 2, 4, 8, 16}
	n, in := PowerLaw.PointsIn([2]float64{}, xs)
	assert.Equal(t, 4, n)
	assert.InDelta(t, 2, in[0], 1e-12)
	assert.Equal(t, 16.0, in[1])
	n, in = PowerLaw.PointsIn([2]float64{4, 8}, xs)
	assert.Equal(t, 2, n)
	assert.Equal(t, [2]float64{4, 8}, in)
}
