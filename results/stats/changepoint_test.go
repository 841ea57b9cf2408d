package stats

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/stat/distuv"
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
	points := ChangePoints(steps, nil, DefaultSegments)
	require.Len(t, points, 2)
	assert.Equal(t, 10, points[0].At)
	assert.Equal(t, 20, points[1].At)
	assert.InDelta(t, 0, points[0].Before, 0.13, "4 standard errors of a mean of ten are 0.13")
	assert.InDelta(t, 1, points[0].After, 0.13)
	assert.InDelta(t, -2, points[1].After, 0.13)

	exact := []ChangePoint{{At: 3, Before: 1, After: 2, P: 2. / (Draws + 1)}}
	assert.Equal(t, exact, ChangePoints([]float64{1, 1, 1, 2, 2}, nil, DefaultSegments), "without noise any difference is one")
	assert.Empty(t, ChangePoints([]float64{0.1, 0.1, 0.1, 0.1}, nil, DefaultSegments))
	assert.Empty(t, ChangePoints([]float64{1, 1, 9}, nil, DefaultSegments), "one value is no level")
	assert.Empty(t, ChangePoints(nil, nil, DefaultSegments))
}

// By hand: the values 1, 3, 5, 7 have the mean 4 and the sum of squares 20, so F of the split in the middle is 2·2/4·(6−2)²/20. With
// the weights 1, 1, 2, 2 the mean is (1 + 3 + 10 + 14)/6, and W₁ = 2, W₂ = 4, m₁ = 2, m₂ = 6. The stretch 5, 5 of 1, 5, 5, 1, 1 has the
// mean 5 and the rest 1: they leave nothing.
func TestSplitsByHand(t *testing.T) {
	s := Segments{Shortest: 1}
	f, ends := s.largest([]float64{1, 3, 5, 7}, []float64{1, 1, 1, 1}, false)
	assert.Equal(t, []int{2}, ends)
	assert.InDelta(t, 0.8, f, 1e-15)
	mean := 28. / 6
	all := math.Pow(1-mean, 2) + math.Pow(3-mean, 2) + 2*math.Pow(5-mean, 2) + 2*math.Pow(7-mean, 2)
	f, ends = s.largest([]float64{1, 3, 5, 7}, []float64{1, 1, 2, 2}, false)
	assert.Equal(t, []int{2}, ends)
	assert.InDelta(t, 2*4./6*16/all, f, 1e-15)
	f, ends = s.largest([]float64{1, 5, 5, 1, 1}, []float64{1, 1, 1, 1, 1}, true)
	assert.Equal(t, []int{1, 3}, ends)
	assert.InDelta(t, 1, f, 1e-15)
	for n := range 4 {
		f, _ = DefaultSegments.largest(noise(1, n), noise(1, n), n%2 == 0)
		assert.Zero(t, f, "too few for two levels")
	}
}

func TestChangePointsOfExtremeValues(t *testing.T) {
	big := []float64{1e306, 1e306, 1e306, -1e306, -1e306, -1e306}
	points := ChangePoints(big, nil, DefaultSegments)
	require.Len(t, points, 1)
	assert.Equal(t, ChangePoint{At: 3, Before: 1e306, After: -1e306, P: 2. / (Draws + 1)}, points[0])
	for _, spread := range [][]float64{{0, 0, 0, 0, 0, 0}, {math.NaN(), math.Inf(1), 1, -1, 0, 1e306}, {5e-324, 5e-324, 1, 1, 1, 1}} {
		points = ChangePoints([]float64{1, 1, 1, 2, 2, 2}, spread, DefaultSegments)
		require.Len(t, points, 1, spread)
		assert.Equal(t, 3, points[0].At)
	}
}

// Values with wide intervals count for less: three odd values are a level of their own, unless they are the least certain.
func TestChangePointsAreWeighted(t *testing.T) {
	values, exact, vague := noise(3, 12), make([]float64, 12), make([]float64, 12)
	for i := range values {
		exact[i], vague[i] = 1, 1
		if i >= 9 {
			values[i], vague[i] = values[i]+5, 4
		}
	}
	assert.Len(t, ChangePoints(values, exact, DefaultSegments), 1)
	assert.Empty(t, ChangePoints(values, vague, DefaultSegments))
}

// lognormal is a series of n numbers around 1, each with a spread of its own around that of 3 %.
func lognormal(r *rand.Rand, n int, heavy bool) (values, spread []float64) {
	t3 := distuv.StudentsT{Sigma: 1 / math.Sqrt(3), Nu: 3, Src: r}
	for range n {
		s := 0.03 * math.Exp(0.3*r.NormFloat64())
		e := r.NormFloat64()
		if heavy {
			e = t3.Rand()
		}
		values, spread = append(values, s*e), append(spread, s)
	}
	return values, spread
}

// Of 1,000 series without a change P = 1 % have a change point; 20 lie 3.2 standard deviations above 10. Student's t of 3 degrees of
// freedom in place of normal noise makes a difference only for few numbers: 2 %, and 30 lie 2.3 above 20.
func TestFalseAlarms(t *testing.T) {
	for _, c := range []struct {
		n     int
		heavy bool
		most  int
	}{{60, false, 20}, {60, true, 20}, {15, false, 20}, {15, true, 30}} {
		alarms := 0
		for seed := range uint64(1000) {
			values, spread := lognormal(rand.New(rand.NewPCG(seed, 60)), c.n, c.heavy)
			if len(ChangePoints(values, spread, DefaultSegments)) > 0 {
				alarms++
			}
		}
		t.Logf("%+v: %d of 1000", c, alarms)
		assert.LessOrEqual(t, alarms, c.most)
	}
	alarms := 0
	for seed := range uint64(1000) {
		if len(ChangePoints(noise(seed, 8), nil, Segments{Shortest: 1, P: 0.05})) > 0 {
			alarms++
		}
	}
	t.Logf("8 numbers, 5 %%: %d of 1000", alarms)
	assert.InDelta(t, 50, alarms, 22, "3.2 standard deviations")
}

// A number that becomes 1.1 times as large at the 31st commit, with noise of 3 %, is found a few commits later, at that commit or
// next to it.
func TestDelay(t *testing.T) {
	const at = 30
	delays, near := map[int]int{}, 0
	for seed := range uint64(200) {
		values, spread := lognormal(rand.New(rand.NewPCG(seed, 61)), 60, false)
		for i := at; i < 60; i++ {
			values[i] += math.Log(1.1)
		}
		for n := at + 1; n <= 60; n++ {
			points := ChangePoints(values[:n], spread[:n], DefaultSegments)
			if len(points) == 0 {
				continue
			}
			delays[n-at]++
			if last := ChangePoints(values, spread, DefaultSegments); len(last) > 0 && math.Abs(float64(last[0].At-at)) <= 1 {
				near++
			}
			break
		}
	}
	t.Log("found with so many commits of the new level:", delays, "of 200; at the commit or next to it:", near)
	early := 0
	for n, k := range delays {
		if n <= 5 {
			early += k
		}
	}
	assert.GreaterOrEqual(t, early, 190)
	assert.GreaterOrEqual(t, near, 180)
}

// A level that lasts for ten commits and goes is found at both of its ends.
func TestALevelThatGoes(t *testing.T) {
	both := 0
	for seed := range uint64(100) {
		values := noise(seed, 60)
		for i := 25; i < 35; i++ {
			values[i] += 4
		}
		points := ChangePoints(values, nil, DefaultSegments)
		for _, p := range points {
			assert.LessOrEqual(t, p.P, DefaultSegments.P)
		}
		if len(points) == 2 && math.Abs(float64(points[0].At-25)) <= 1 && math.Abs(float64(points[1].At-35)) <= 1 {
			both++
		}
	}
	t.Log(both, "of 100")
	assert.GreaterOrEqual(t, both, 90)
}
