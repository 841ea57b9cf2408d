package claims

import (
	"cmp"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/results/records/recordstest"
)

func TestSeedsNeeded(t *testing.T) {
	c := Claim{ID: "v", Kind: "value", Method: "a", Metric: "error", Published: "0.15", Tolerance: 0.02}
	v := Judge(experiment(c), recordstest.Flat("a", 0.14, 0.16, 0.15)).Verdicts[0]
	require.Equal(t, Inconclusive, v.Verdict, v.Reason)
	n := v.SeedsNeeded()
	// The spread is 0.01: t·0.01/√n < 0.02 first for 10 seeds, as these are seven more than planned: with t = 4.53 at 99.94 %. Had they
	// been planned, five would have been enough.
	assert.Equal(t, 10, n)
	v.Planned = 5
	assert.Equal(t, 5, v.SeedsNeeded(), "the plan is not met yet")

	far := Judge(experiment(c), recordstest.Flat("a", 0.16, 0.18, 0.17)).Verdicts[0]
	require.Equal(t, Inconclusive, far.Verdict)
	assert.Zero(t, far.SeedsNeeded(), "the mean lies on the end of the region")
	one := Judge(experiment(c), recordstest.Flat("a", 0.15)).Verdicts[0]
	assert.Zero(t, one.SeedsNeeded(), "one seed has no spread")

	noisy := with1(c, func(c *Claim) { c.Published, c.Tolerance, c.PublishedIs = "0.15", 0, "run" })
	v = Judge(experiment(noisy), recordstest.Flat("a", 0.15, 0.153)).Verdicts[0]
	assert.Equal(t, Inconclusive, v.Verdict)
	assert.Equal(t, 5, v.SeedsNeeded())
	v.Planned = 3
	assert.Equal(t, 3, v.SeedsNeeded())
}

// The number of seeds that SeedsNeeded finds by halving is the first of all that settles the verdict.
func TestSeedsNeededIsTheFirst(t *testing.T) {
	draw, several := rand.New(rand.NewPCG(1, 2)), 0
	for i := range 48 {
		c := Claim{ID: "v", Kind: "value", Method: "a", Metric: "error", Published: "0.15", Tolerance: 0.02 * draw.Float64()}
		switch i % 4 {
		case 1:
			c.Published, c.Tolerance, c.PublishedIs = "0.150", 0, "run"
		case 2:
			c.Tolerance, c.AtMost = 0, true
		}
		mean, spread := 0.15+0.03*draw.NormFloat64(), math.Pow(10, -1-2*draw.Float64())
		var values []float64
		for range 2 + draw.IntN(9) {
			values = append(values, mean*math.Exp(spread*draw.NormFloat64()))
		}
		v := Judge(experiment(c), recordstest.Flat("a", values...)).Verdicts[0]
		m, k, first := v.measurement(), runs(v.Published != "" || v.Whole(), v.PublishedIs), 0
		v.Planned = []int{v.Seeds, v.Seeds + 3, max(2, v.Seeds-2), 0}[i/4%4]
		m.planned = cmp.Or(v.Planned, v.Seeds)
		for n := v.Seeds; n <= settled && m.Bounded() && first == 0; n++ {
			if n > v.Seeds && n < m.planned {
				continue // which nobody is told to run
			}
			m.Estimate = v.estimate(n)
			if word, _ := m.word(k); word != Inconclusive {
				first = n
			}
		}
		require.Equal(t, first, v.SeedsNeeded(), "%+v", v)
		if first > max(v.Seeds, v.Planned) {
			several++
		}
	}
	assert.Greater(t, several, 4)
}
