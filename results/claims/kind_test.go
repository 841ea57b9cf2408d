package claims

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"

	"repro/results/records"
	"repro/results/records/recordstest"
	"repro/results/stats"
)

// A mistake in a kind is found where it is registered.
func TestRegister(t *testing.T) {
	measure := func(Claim, []*records.Record) ([]Measurement, error) { return nil, nil }
	for want, k := range map[string]Kind{
		`claims: kind "value" is registered twice`:                                      {Name: "value", Doc: "d", Holds: "h", Measure: measure},
		`claims: a kind needs Name, Doc and Holds, got ""`:                              {Doc: "d", Holds: "h", Measure: measure},
		`claims: a kind needs Name, Doc and Holds, got "silent"`:                        {Name: "silent", Doc: "d", Measure: measure},
		`claims: kind "unmeasured" cannot be measured`:                                  {Name: "unmeasured", Doc: "d", Holds: "h"},
		`claims: kind "misspelt" lists the key "toleranse", which no claim has`:         {Name: "misspelt", Doc: "d", Holds: "h", Measure: measure, May: []string{"toleranse"}},
		`claims: kind "unneeded" lists the key "members", which no claim has`:           {Name: "unneeded", Doc: "d", Holds: "h", Measure: measure, Needs: []string{"members"}},
		`claims: kind "rows" splits its claims, and claims across a grid are not split`: {Name: "rows", Doc: "d", Split: splitColumn, May: []string{"across"}},
	} {
		assert.PanicsWithValue(t, want, func() { Register(k) })
	}
	assert.NotContains(t, Kinds(), "misspelt")
}

// A kind that panics or measures nothing takes no other verdict with it.
func TestMistakesOfAKind(t *testing.T) {
	of := func(values []float64, seeds ...uint64) func() []Measurement {
		return func() []Measurement {
			return []Measurement{{What: "it", Estimate: stats.MeanInterval(values), Seeds: seeds}}
		}
	}
	for name, test := range map[string]struct {
		measure func() []Measurement
		word    Word
		reason  string
	}{
		"panics":   {of(nil), Inconclusive, `the kind of claim "panics" panics at estimate.go:`},
		"indexes":  {func() []Measurement { return []Measurement{[]Measurement(nil)[len(Words)]} }, Inconclusive, `the kind of claim "indexes" panics at kind_test.go:`},
		"nothing":  {func() []Measurement { return nil }, Inconclusive, `the kind of claim "nothing" measures no number`},
		"empty":    {func() []Measurement { return make([]Measurement, 1) }, Inconclusive, `the kind of claim "empty" measures 0 values for 0 seeds`},
		"seedless": {of([]float64{1, 2}), Inconclusive, `the kind of claim "seedless" measures 2 values for 0 seeds`},
		"unequal":  {of([]float64{1, 2}, 1), Inconclusive, `the kind of claim "unequal" measures 2 values for 1 seed`},
		"nan":      {of([]float64{1, math.NaN()}, 1, 2), Failed, "it or its interval is not finite"},
		"sound":    {of([]float64{1, 1.001}, 1, 2), Reproduced, "it is 1"},
	} {
		Register(Kind{Name: name, Doc: "d", Holds: "h", Number: true,
			Measure: func(Claim, []*records.Record) ([]Measurement, error) { return test.measure(), nil }})
		claim := Claim{Kind: name, Method: "a", Metric: "error", Published: "1", PublishedIs: "theorem"}
		exp := experiment(with1(claim, func(c *Claim) { c.ID = name }), with1(claim, func(c *Claim) { c.ID, c.Kind = "value", "value" }))
		verdicts := Judge(exp, []*records.Record{recordstest.Record("a", 1, 2, 1), recordstest.Record("a", 2, 2, 1.001)}).Verdicts
		assert.Equal(t, test.word, verdicts[0].Verdict, verdicts[0].Reason)
		assert.Contains(t, verdicts[0].Reason, test.reason)
		assert.Equal(t, Reproduced, verdicts[1].Verdict, verdicts[1].Reason)
		delete(kinds.kinds, name)
	}
}
