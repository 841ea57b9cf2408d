package stats

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// noise returns n normal values of standard deviation 1.
func noise(seed uint64, n int) []float64 {
	r := rand.New(rand.NewPCG(seed, 1))
	values := make([]float64, n)
	for i := range values {
		values[i] = r.NormFloat64()
	}
	return values
}

func TestChangePoints(t *testing.T) {
	steps := noise(1, 30)
	for i := range steps {
		steps[i] *= 0.1
		if i >= 10 {
			steps[i]++
		}
		if i >= 20 {
			steps[i] -= 3
		}
	}
	points := ChangePoints(steps, DefaultSegments)
	require.Len(t, points, 2)
	assert.Equal(t, 10, points[0].At)
	assert.Equal(t, 20, points[1].At)
	assert.InDelta(t, 0, points[0].Before, 0.1, "4 standard errors of a mean of ten are 0.13")
	assert.InDelta(t, 1, points[0].After, 0.13)
	assert.InDelta(t, -2, points[1].After, 0.13)

	assert.Equal(t, []ChangePoint{{At: 3, Before: 1, After: 2}}, ChangePoints([]float64{1, 1, 1, 2, 2}, DefaultSegments), "without spread any difference is one")
	assert.Empty(t, ChangePoints([]float64{1, 1, 1, 1}, DefaultSegments))
	assert.Empty(t, ChangePoints([]float64{1, 1, 9}, DefaultSegments), "one value is no level")
	assert.Empty(t, ChangePoints(nil, DefaultSegments))
}

// By hand: 1, 3 and 5, 7 have the means 2 and 6 and the pooled variance 2, so that t = 4/√2 with two degrees of freedom, whose
// P(|T| > t) is 1 − t/√(t² + 2). Q(2) = 1·(2·4 − 2 − 2), since all distances between the parts have the mean 4.
func TestSplitOfFourValues(t *testing.T) {
	x, y := []float64{1, 3}, []float64{5, 7}
	s := 4 / math.Sqrt2
	assert.InDelta(t, 1-s/math.Sqrt(s*s+2), student(x, y), 1e-12)
	assert.InDelta(t, 4, divergence(x, y), 1e-12)
	assert.InDelta(t, 1, meanDistance([]float64{2, 3}), 1e-12)
}

// A split that its neighbours do not bear out is dropped: those of a series that returns to its level after a blip.
func TestChangePointsAreAllSignificant(t *testing.T) {
	for seed := range uint64(200) {
		values := noise(seed, 40)
		for i := range values {
			values[i] += float64(i / 8 % 2) // a level that moves by one standard deviation
		}
		s := Segments{Shortest: 2, P: 0.05}
		for _, p := range ChangePoints(values, s) {
			assert.LessOrEqual(t, p.P, s.P)
		}
	}
}

// Of 1,000 series of noise 1 % have a change point, which is the number in the comment of ChangePoints; 25 are 5 standard
// deviations above 10.
func TestChangePointsOfNoise(t *testing.T) {
	found := 0
	for seed := range uint64(1000) {
		if len(ChangePoints(noise(seed, 20), DefaultSegments)) > 0 {
			found++
		}
	}
	t.Logf("%d of 1000", found)
	assert.LessOrEqual(t, found, 25)
}
