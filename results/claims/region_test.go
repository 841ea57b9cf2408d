package claims

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/results/stats"
)

func TestRegionPlacesIntervals(t *testing.T) {
	closed := region{low: 1, high: 2}
	rounding := region{low: 1, high: 2, openHigh: true}
	below := region{low: math.Inf(-1), high: 1, openHigh: true}
	tests := []struct {
		name      string
		a         region
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
			assert.Equal(t, test.want, test.a.place(stats.Estimate{Low: test.low, High: test.high, N: 2}))
			assert.Equal(t, Inconclusive, test.a.place(stats.Estimate{Low: test.low, High: test.high, N: 1}), "one seed decides nothing")
		})
	}
}

func TestRegionSaysHowAnIntervalLies(t *testing.T) {
	within, below := region{low: 1, high: 2}, region{low: math.Inf(-1), high: 10000, openHigh: true}
	most := region{low: math.Inf(-1), high: 1}
	for want, got := range map[string]string{
		"lies inside [1, 2]": within.relation(Reproduced), "lies outside [1, 2]": within.relation(Deviates), "straddles [1, 2]": within.relation(Inconclusive),
		"is below 10,000": below.relation(Reproduced), "is not below 10,000": below.relation(Deviates), "straddles 10,000": below.relation(Inconclusive),
		"is at most 1": most.relation(Reproduced),
	} {
		assert.Equal(t, want, got)
	}
}

func TestRegionHasTheDigitsItsBoundsNeed(t *testing.T) {
	assert.Equal(t, "[12,345.5, 12,345.75)", region{low: 12345.5, high: 12345.75, openHigh: true}.String())
}

// A claim knows how many runs are behind its number.
func TestRuns(t *testing.T) {
	for is, want := range map[string]float64{"run": 1, "mean of 5": 5, "theorem": math.Inf(1)} {
		assert.Equal(t, want, Claim{Published: "3.1", PublishedIs: is}.Runs(), is)
	}
	assert.Equal(t, math.Inf(1), Claim{Derived: "3.1"}.Runs())
	for _, is := range []string{"", "mean", "mean of", "mean of 1", "mean of many", "runs"} {
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
	assert.Equal(t, "3.1", v.Published)
	assert.Equal(t, 3.05, *v.PublishedLow)
}
