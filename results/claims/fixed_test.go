package claims

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"

	"repro/results/records"
	"repro/results/records/recordstest"
)

// meshRun returns a run of a method whose error e(h) is measured on meshes from h = 1/2 to 1/128.
func meshRun(seed uint64, e func(h float64) float64) *records.Record {
	r := recordstest.Record("a", seed)
	r.Points = nil
	for k := range 7 {
		h := math.Ldexp(1, -k-1)
		p := recordstest.Point(k+1, e(h))
		p.Values["h"] = &h
		r.Points = append(r.Points, p)
	}
	return r
}

// TestDeterministic holds claims on runs in which nothing is drawn at random to their words: one run decides if the spec says that it is
// deterministic, and so do two runs with the same values.
func TestDeterministic(t *testing.T) {
	second := func(h float64) float64 { return 3 * h * h * (1 + 0.03*float64(1-2*(int(-math.Log2(h))%2))) } // odd and even meshes
	first := func(h float64) float64 { return 0.2 * h }
	order := Claim{Kind: "rate", X: "h", Published: "2", PublishedIs: "theorem", Tolerance: 0.1}
	worse := order
	worse.Published = "1"
	super := worse
	super.AtLeast = true
	reached := Claim{Kind: "rate", X: "h", Derived: "2", AtLeast: true}
	value := Claim{Kind: "value", Derived: "0.001", AtMost: true}
	unknown := order
	unknown.Richardson = true
	noisy := func(seed uint64) *records.Record {
		return meshRun(seed, func(h float64) float64 { return second(h) * (1 + 1e-9*float64(seed)) })
	}
	for _, test := range []struct {
		name     string
		claim    Claim
		declared bool
		recs     []*records.Record
		want     Word
		says     string
	}{
		{"one run", order, true, []*records.Record{meshRun(1, second)}, Reproduced, "deterministic: the orders between successive points to 0.007812 are 1.91, 2.09, 1.91"},
		{"one run that nothing says is deterministic", order, false, []*records.Record{meshRun(1, second)}, Inconclusive, "one seed"},
		{"two equal runs", order, false, []*records.Record{meshRun(1, second), meshRun(2, second)}, Reproduced, "deterministic"},
		{"two that differ", order, true, []*records.Record{noisy(1), noisy(2)}, Inconclusive, "is said to be deterministic, and seeds 1 and 2 have other values"},
		{"a lower order", order, true, []*records.Record{meshRun(1, first)}, Deviates, "1, 1, 1"},
		{"a higher one", worse, true, []*records.Record{meshRun(1, second)}, Deviates, ""},
		{"superconvergence", super, true, []*records.Record{meshRun(1, second)}, Reproduced, ""},
		{"an order that moves away", order, true, []*records.Record{meshRun(1, func(h float64) float64 { return h*h + 0.01*h })}, Inconclusive, "have not settled"},
		{"an order that nearly is one", reached, true, []*records.Record{meshRun(1, func(h float64) float64 { return h * h * (1 + h) })}, Inconclusive, ""},
		{"rounding from the second mesh on", order, true, []*records.Record{meshRun(1, func(h float64) float64 { return math.Pow(h, 60) })}, Inconclusive, "rounding errors may decide"},
		{"the error on the finest mesh", value, true, []*records.Record{meshRun(1, second)}, Reproduced, "exactly"},
		{"a larger one", value, true, []*records.Record{meshRun(1, first)}, Deviates, "exactly"},
		{"a value whose limit is not known", unknown, true, []*records.Record{meshRun(1, func(h float64) float64 { return 7 + 2*h*h })}, Reproduced, "the values go to 7;"},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := test.claim
			c.ID, c.Method, c.Metric = "claim", "a", "error"
			exp := experiment(c)
			exp.Methods = []Method{{ID: "a", Deterministic: test.declared}}
			v := judgedAs(exp, test.recs)
			assert.Equal(t, test.want, v.Verdict, v.Reason)
			assert.Contains(t, v.Reason, test.says)
			assert.Zero(t, v.SeedsNeeded(), "no seed changes it")
			if test.want == Reproduced && c.Kind == "rate" {
				assert.Equal(t, "deterministic", v.Rule)
				assert.GreaterOrEqual(t, len(v.Orders), 5)
				assert.LessOrEqual(t, *v.Low, *v.Measured)
			}
		})
	}
}
