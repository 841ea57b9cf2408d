package claims

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/results/stats"
)

func TestRegionPlacesIntervals(t *testing.T) {
	closed := Region{Low: 1, High: 2}
	rounding := Region{Low: 1, High: 2, Open: true}
	below := Region{Low: math.Inf(-1), High: 1, Open: true}
	tests := []struct {
		name      string
		a         Region
		low, high float64
		want      Word
	}{
		{"inside", closed, 1.2, 1.8, Reproduced},
		{"on the ends", closed, 1, 2, Reproduced},
		{"the upper end is outside", rounding, 1, 2, Inconclusive},
		{"the lower end is inside", rounding, 1, 1.999, Reproduced},
		{"touching from above", closed, 2, 3, Inconclusive},
		{"touching an outside end", rounding, 2, 3, Deviates},
		{"touching from below", rounding, 0, 1, Inconclusive},
		{"below", closed, 0, 0.9, Deviates},
		{"above", closed, 2.1, 3, Deviates},
		{"straddling both", closed, 0, 3, Inconclusive},
		{"better", below, 0.5, 0.9, Reproduced},
		{"worse", below, 1.1, 1.2, Deviates},
		{"either", below, 0.9, 1.1, Inconclusive},
		{"a tie is not better", below, 1, 1, Deviates},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := Inconclusive
			switch {
			case test.a.contains(test.low, test.high):
				got = Reproduced
			case test.a.misses(test.low, test.high):
				got = Deviates
			}
			assert.Equal(t, test.want, got)
		})
	}
}

func TestOneSeedDecidesNothing(t *testing.T) {
	assert.Equal(t, Inconclusive, Region{Low: 1, High: 2}.place(stats.Summary(1.5, math.NaN(), 1, false), 1))
}

func TestRegionSaysHowAnIntervalLies(t *testing.T) {
	within, below := Region{Low: 1, High: 2}, Region{Low: math.Inf(-1), High: 10000, Open: true}
	most, least := Region{Low: math.Inf(-1), High: 1}, Region{Low: 1, High: math.Inf(1)}
	for want, got := range map[string]string{
		"lies inside [1, 2]": within.relation(1.2, 1.8), "lies outside [1, 2]": within.relation(3, 4),
		"straddles an end of [1, 2]": within.relation(1.2, 3), "holds all of [1, 2]": within.relation(0, 3),
		"is below 10,000": below.relation(1, 2), "is not below 10,000": below.relation(10000, 10001), "straddles 10,000": below.relation(1, 10001),
		"is at most 1": most.relation(0, 1), "straddles 1": least.relation(0, 2),
	} {
		assert.Equal(t, want, got)
	}
}

// TestErrorRatesOfTheRule simulates papers that print one run, or a mean of five, to three digits, faithfully or with
// another expectation. It holds the rule to what docs/verdicts.md promises.
func TestErrorRatesOfTheRule(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	const trials = 4000
	mean := func(k int) float64 {
		sum := 0.0
		for range k {
			sum += 10 + 0.1*r.NormFloat64()
		}
		return sum / float64(k)
	}
	for _, k := range []int{1, 5} {
		for _, n := range []int{3, 6, 10} {
			words := map[Word]int{}
			for range trials {
				seeds := make([]float64, n)
				for i := range seeds {
					seeds[i] = mean(1)
				}
				low := math.Floor(mean(k)*1000) / 1000
				a := Region{Low: low, High: low + 0.001, Open: true, rounding: true, Exact: low, digits: &[2]float64{low, low + 0.001}, seen: 10}
				words[a.place(stats.MeanInterval(seeds), float64(k))]++
			}
			// Four standard deviations of a binomial share of 5 %; rounding makes it a little smaller.
			assert.InDelta(t, 0.05, float64(words[Deviates])/trials, 4*math.Sqrt(0.05*0.95/trials), "%d seeds, %d runs", n, k)
			assert.Zero(t, words[Inconclusive])
		}
	}
}

func TestRegionHasTheDigitsItsBoundsNeed(t *testing.T) {
	assert.Equal(t, "[12,345.5, 12,345.75)", Region{Low: 12345.5, High: 12345.75, Open: true}.String())
}

// A claim knows how many runs are behind its number.
func TestRuns(t *testing.T) {
	for is, want := range map[string]float64{"run": 1, "mean of 5": 5, "theorem": math.Inf(1)} {
		assert.Equal(t, want, Claim{Published: "3.1", PublishedIs: is}.Runs(), is)
	}
	assert.InDelta(t, 3.546, Claim{Published: "3.1", PublishedIs: "median of 5"}.Runs(), 0.001, "the mean of so many normal runs spreads as the median of five")
	assert.Equal(t, math.Inf(1), Claim{Derived: "3.1"}.Runs())
	for _, is := range []string{"", "mean", "mean of", "mean of 1", "mean of many", "median of 1", "mode of 3", "5", "runs"} {
		_, ok := RunsOf(is)
		assert.False(t, ok, is)
	}
}

// A derived number is judged as a published one.
func TestDerivedNumber(t *testing.T) {
	derived, err := accepted(Claim{Derived: "3.1", Tolerance: 0.5})
	require.NoError(t, err)
	published, err := accepted(Claim{Published: "3.1", Tolerance: 0.5})
	require.NoError(t, err)
	assert.Equal(t, published, derived)
	v := newVerdict(Experiment{}, Claim{Derived: "3.1"})
	assert.Equal(t, "3.1", v.Derived)
	assert.Empty(t, v.Published)
	assert.Equal(t, 3.05, *v.PublishedLow)
}
