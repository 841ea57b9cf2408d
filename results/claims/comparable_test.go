package claims

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"repro/results/records"
	"repro/results/records/recordstest"
)

// cell returns settings with a number of training rows and of epochs.
func cell(train, epochs int) map[string]any {
	return map[string]any{
		"data":      map[string]any{"name": "d", "train": train},
		"budget":    map[string]any{"epochs": epochs},
		"problem":   map[string]any{"nu": 0.1},
		"evaluate":  map[string]any{"points": 40, "reference": "krr"},
		"precision": "float32", "algorithm": "dsg", "memory": 16.0,
		"method": map[string]any{"batch": 64, "features": 100},
	}
}

// ranAt returns records of a method at profile quick with the settings, three seeds with 1.00, 1.01 and 0.99 at step 2.
func ranAt(method string, settings map[string]any) []*records.Record {
	recs := recordstest.Flat(method, 1, 1.01, 0.99)
	for _, r := range recs {
		r.Header.Profile, r.Header.Settings = "quick", settings
		r.Header.Resolved = map[string]float64{"train": 4096}
	}
	return recs
}

func TestWhatDiffersDecidesWhetherClaimsAreComparable(t *testing.T) {
	value := Claim{ID: "v", Kind: "value", Method: "a", Metric: "error", Published: "1", Tolerance: 0.1, At: records.At{X: "step", Value: 2}}
	with := func(change func(map[string]any)) map[string]any {
		s := cell(65536, 4)
		change(s)
		return s
	}
	anySize := value
	anySize.Holds, anySize.MinSteps = "a theorem", 2
	for name, test := range map[string]struct {
		settings map[string]any
		original Claim // at profile paper
		claim    Claim
		want     Word
		reason   string
	}{
		"nothing": {cell(65536, 4), value, value, Reproduced, "error of a"},
		"points, memory and reference": {with(func(s map[string]any) {
			s["evaluate"] = map[string]any{"points": 30, "surface": 11, "predictions": true}
			delete(s, "memory")
		}), value, value, Reproduced, "error of a"},
		"size": {cell(16384, 1), value, value, NotComparable,
			"another size than the paper's: data.train 16384, not 65536; budget.epochs 1, not 4; judged by these runs the verdict would be reproduced: error of a"},
		"a setting of the method": {with(func(s map[string]any) { s["method"] = map[string]any{"batch": 64, "features": 100, "eta": 2} }), value, value, NotComparable,
			"other settings than the paper's: method.a.eta 2, not none; judged"},
		"a setting that the paper lacks": {with(func(s map[string]any) { s["problem"] = map[string]any{"nu": 0.1, "nu_n": 2} }), value, value, NotComparable,
			"other settings than the paper's: problem.nu_n 2, not none; judged"},
		"the reference": {with(func(s map[string]any) { s["evaluate"] = map[string]any{"reference": "gd"} }), value, value, NotComparable,
			"other settings than the paper's: evaluate.reference gd, not krr; judged"},
		"the precision": {with(func(s map[string]any) { s["precision"] = "float64" }), value, value, NotComparable, "precision float64, not float32"},
		"the place": {cell(65536, 4), with1(value, func(c *Claim) { c.At.Value = 9 }), value, NotComparable,
			"another claim than the paper's: at.value 2, not 9; judged"},
		"the window": {cell(65536, 4), with1(value, func(c *Claim) { c.Window = [2]float64{1, 2} }), value, NotComparable,
			"another claim than the paper's: window "},
		"the tolerance": {cell(65536, 4), with1(value, func(c *Claim) { c.Tolerance = 9 }), value, NotComparable,
			"another claim than the paper's: tolerance "},
		"no such claim": {cell(65536, 4), with1(value, func(c *Claim) { c.ID = "w" }), value, NotComparable,
			"the spec has no such claim at profile paper; judged"},
		"texts of the claim": {cell(65536, 4), with1(value, func(c *Claim) { c.Statement = "s" }), value, Reproduced, ""},

		"size, and it holds at any":         {cell(16384, 1), anySize, anySize, Reproduced, "error of a"},
		"features, and it holds at any":     {with(func(s map[string]any) { s["method"] = map[string]any{"batch": 64, "features": 7} }), anySize, anySize, Reproduced, ""},
		"window, and it holds at any":       {cell(16384, 1), with1(anySize, func(c *Claim) { c.Window = [2]float64{1, 2} }), anySize, Reproduced, ""},
		"place, and it holds at any size":   {cell(16384, 1), with1(anySize, func(c *Claim) { c.At.Value = 9 }), anySize, NotComparable, "another claim than the paper's: at.value 2, not 9; judged"},
		"problem, and it holds at any size": {with(func(s map[string]any) { s["problem"] = map[string]any{"nu": 7.0} }), anySize, anySize, NotComparable, "other settings than the paper's: problem.nu 7, not 0.1; judged"},
		"too few rows": {cell(16384, 1), with1(anySize, func(c *Claim) { c.MinRows = 5000 }), with1(anySize, func(c *Claim) { c.MinRows = 5000 }), NotComparable,
			"it holds from 5000 training rows on, and a has 4096; judged"},
		"too few steps": {cell(16384, 1), with1(anySize, func(c *Claim) { c.MinSteps = 3 }), with1(anySize, func(c *Claim) { c.MinSteps = 3 }), NotComparable,
			"it holds from 3 iterations on, and a has 2; judged"},
	} {
		t.Run(name, func(t *testing.T) {
			exp := experiment(test.claim)
			exp.Profile = "quick"
			exp.Original = Original{Settings: map[string]map[string]any{"a": cell(65536, 4)}, Claims: []Claim{test.original}}
			v := Judge(exp, ranAt("a", test.settings)).Verdicts[0]
			assert.Equal(t, test.want, v.Verdict, v.Reason)
			assert.Contains(t, v.Reason, test.reason)
			assert.Equal(t, test.want == NotComparable, v.AtSize == Reproduced)
			assert.Equal(t, "quick", v.Profile)
		})
	}
}

func TestSettingsOfSeveralMethodsAreNamedOnce(t *testing.T) {
	a, b := cell(16384, 1), cell(16384, 1)
	b["method"] = map[string]any{"batch": 8, "features": 9}
	b["budget"] = map[string]any{"steps": 5}
	exp := experiment(Claim{ID: "o", Kind: "order", Method: "a", Against: []string{"b"}, Metric: "error"})
	exp.Profile, exp.Original.Settings = "quick", map[string]map[string]any{"a": cell(65536, 1), "b": cell(65536, 1)}
	recs := recordstest.Join(ranAt("a", a), ranAt("b", b))
	v := Judge(exp, recs).Verdicts[0]
	assert.Contains(t, v.Reason, "another size than the paper's: data.train 16384, not 65536; method.b.budget.epochs none, not 1; "+
		"method.b.budget.steps 5, not none; method.b.batch 8, not 64; method.b.features 9, not 100; judged")

	exp.Original.Settings["a"] = cell(32768, 1)
	v = Judge(exp, recs).Verdicts[0]
	assert.Contains(t, v.Reason, "another size than the paper's: method.a.data.train 16384, not 32768; method.b.data.train 16384, not 65536; method.b.budget.epochs none, not 1; "+
		"method.b.budget.steps 5, not none; method.b.batch 8, not 64; method.b.features 9, not 100; judged")

	delete(exp.Original.Settings, "b")
	v = Judge(exp, recs).Verdicts[0]
	assert.Contains(t, v.Reason, "another size than the paper's: the spec has no method b at profile paper; method.a.data.train 16384, not 32768; judged")
}

// A method that trains as long as another is comparable only if the other is.
func TestTheMethodWhoseTimeIsTakenCounts(t *testing.T) {
	exp := experiment(Claim{ID: "v", Kind: "value", Method: "a", Metric: "error", Published: "1", Tolerance: 0.1})
	exp.Profile = "quick"
	exp.Methods[0].TimeOf = "b"
	exp.Original.Settings = map[string]map[string]any{"a": cell(10, 1), "b": cell(10, 9)}
	v := Judge(exp, recordstest.Join(ranAt("a", cell(10, 1)), ranAt("b", cell(10, 2)))).Verdicts[0]
	assert.Contains(t, v.Reason, "another size than the paper's: budget.epochs 2, not 9; judged")
}

func TestGridsAreComparedByTheirValues(t *testing.T) {
	var recs []*records.Record
	var here, there []string
	settings := map[string]map[string]any{}
	for _, n := range []int{2, 4, 8, 16} {
		here, there = append(here, fmt.Sprint("a,train=", n)), append(there, fmt.Sprint("a,train=", 10*n))
		for _, r := range ranAt(here[len(here)-1], cell(n, 1)) {
			for i := range r.Points {
				r.Points[i] = recordstest.Point(1<<i, math.Pow(float64(n), 1+float64(r.Header.Seed)/1000))
			}
			recs = append(recs, r)
		}
		settings[there[len(there)-1]] = cell(10*n, 1)
	}
	slices.SortFunc(recs, func(a, b *records.Record) int { return strings.Compare(a.Header.Method, b.Header.Method) })
	c := Claim{ID: "d", Kind: "rate", Method: "a", Metric: "error", Published: "1", Tolerance: 0.1, Across: "data.train", Members: here}
	original := c
	original.Members = there
	for holds, want := range map[string]Word{"": NotComparable, "a theorem": Reproduced} {
		c.Holds, original.Holds = holds, holds
		exp := experiment(c)
		exp.Profile, exp.Original = "quick", Original{Settings: settings, Claims: []Claim{original}}
		v := Judge(exp, recs).Verdicts[0]
		assert.Equal(t, want, v.Verdict, v.Reason)
		if want == NotComparable {
			assert.Contains(t, v.Reason, "another size than the paper's: data.train 2, 4, 8, 16, not 20, 40, 80, 160; judged")
			assert.True(t, v.Smaller, "the grid ends at 16, not at 160")
		}

		exp.Original.Claims[0].Members = there[:3]
		for i, m := range here {
			settings[m] = cell(2<<i, 1)
		}
		v = Judge(exp, recs).Verdicts[0]
		assert.Equal(t, want, v.Verdict, v.Reason)
		if want == NotComparable {
			assert.Contains(t, v.Reason, "the grid of a has 4 combinations, not 3; judged")
		}
	}
}

func TestClaimsAreConvertedToTheUnitThatIsShown(t *testing.T) {
	exp := Experiment{Metrics: []Metric{{Name: "error", Unit: "fraction"}, {Name: "loss"}}}
	exp.Claims = []Claim{
		{ID: "value", Kind: "value", Metric: "error@average", Published: "0.162", Tolerance: 0.012},
		{ID: "derived", Kind: "value", Metric: "error", Derived: "0.2"},
		{ID: "percent", Kind: "value", Metric: "error", Published: "16.2", Unit: Percent},
		{ID: "match", Kind: "match", Metric: "error", Tolerance: 0.01},
		{ID: "factor", Kind: "match", Metric: "error", Tolerance: 2, Relative: true},
		{ID: "reach", Kind: "reach", Metric: "error", Target: 0.05, Published: "7", Tolerance: 2},
		{ID: "loss", Kind: "value", Metric: "loss", Published: "0.228"},
	}
	assert.Equal(t, []Claim{
		{ID: "value", Kind: "value", Metric: "error@average", Published: "16.2", Tolerance: 1.2, Unit: Percent},
		{ID: "derived", Kind: "value", Metric: "error", Derived: "2e1", Unit: Percent},
		exp.Claims[2],
		{ID: "match", Kind: "match", Metric: "error", Tolerance: 1, Unit: Percent},
		exp.Claims[4], exp.Claims[5], exp.Claims[6],
	}, exp.Converted(exp.Claims))
	assert.Equal(t, Unit{"%", 100}, exp.Unit("error@average"))
	assert.Equal(t, "error (%)", exp.Unit("error").Label("error"))
	assert.Equal(t, 16.2, exp.Unit("error").Of(0.162))
	assert.Equal(t, "MiB", exp.Unit("memory").Sign)
	assert.Equal(t, "s", exp.Unit("step-seconds").Sign)
	assert.Equal(t, "loss", exp.Unit("loss").Label("loss"))
}

func TestDerivedNumbersAreMarked(t *testing.T) {
	v := newVerdict(Experiment{}, Claim{Kind: "value", Derived: "16.2", Unit: Percent})
	assert.Equal(t, ByUs, v.Origin())
	assert.Equal(t, "16.2 % (computed by us)", v.MarkedText())
	assert.Equal(t, 16.15, *v.PublishedLow)
	v = newVerdict(Experiment{}, Claim{Kind: "value", Published: "16.2", Unit: Percent})
	assert.Equal(t, "published", v.Origin())
	assert.Equal(t, "16.2 %", v.MarkedText())
}

func TestTargetsHaveTheUnitOfTheirMetric(t *testing.T) {
	exp := experiment(Claim{Kind: "reach", Method: "a", Metric: "error", X: "step", Target: 0.0515, Published: "2", Tolerance: 9})
	exp.Metrics = []Metric{{Name: "error", Unit: "fraction"}}
	v := Judge(exp, recordstest.Flat("a", 0.01, 0.02)).Verdicts[0]
	assert.Contains(t, v.Reason, "step at which a reaches error 5.15 % is")
}
