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

func TestRejudgeAgreesWithJudge(t *testing.T) {
	c := Claim{ID: "v", Kind: "value", Method: "a", Metric: "error", Published: "0.15", PublishedIs: "run"}
	order := Claim{ID: "o", Kind: "order", Method: "a", Against: []string{"b"}, Metric: "error"}
	match := Claim{ID: "m", Kind: "match", Method: "a", Against: []string{"b"}, Metric: "error", Tolerance: 0.1}
	factor := with1(match, func(c *Claim) { c.ID, c.Relative, c.Tolerance = "f", true, 2 })
	missing := Claim{ID: "x", Kind: "value", Method: "a", Metric: "loss", Published: "1"}
	recs := recordstest.Join(recordstest.Flat("a", 0.14, 0.16, 0.15), recordstest.Flat("b", 0.2, 0.21, 0.23))
	exp := experiment(c, order, match, factor, missing)
	stored := Judge(exp, recs).Verdicts
	for i, v := range Rejudge(exp, stored) {
		assert.Equal(t, stored[i].Verdict, v.Verdict, v.Reason)
		assert.Equal(t, stored[i].Reason, v.Reason)
		assert.Equal(t, stored[i].Values, v.Values)
		assert.Equal(t, stored[i].Accept, v.Accept)
	}

	// A claim that changed is judged by the stored numbers, a new one has none.
	exp.Claims[0].Published = "0.35"
	exp.Claims[2].Tolerance = 0.01
	exp.Claims[4].ID = "new"
	again := Rejudge(exp, stored)
	assert.Equal(t, []Word{Deviates, Reproduced, Deviates, Reproduced, NotRun}, []Word{again[0].Verdict, again[1].Verdict, again[2].Verdict, again[3].Verdict, again[4].Verdict})
}

// The number of seeds that SeedsNeeded finds by halving is the first of all that settles the verdict.
func TestSeedsNeededIsTheFirst(t *testing.T) {
	draw, several := rand.New(rand.NewPCG(1, 2)), 0
	for i := range 240 {
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
	assert.Greater(t, several, 25)
}
