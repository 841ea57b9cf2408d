package claims

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
)

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
