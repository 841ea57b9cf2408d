package changes

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/results/claims"
	"repro/results/records"
	"repro/results/records/recordstest"
	"repro/results/stats"
)

// demo returns an experiment with methods a and b and the given claims, whose metric "error" is better if it is smaller.
func demo(all ...claims.Claim) claims.Experiment {
	return claims.Experiment{
		ID: "paper1999/demo", Profile: "paper", Claims: all, Methods: []claims.Method{{ID: "a"}, {ID: "b"}},
		Metrics:  []claims.Metric{{Name: "error", Better: "smaller"}},
		Original: claims.Original{Settings: map[string]map[string]any{"a": nil, "b": nil}, Claims: all},
	}
}

var (
	rate  = claims.Claim{ID: "rate", Kind: "rate", Method: "a", Metric: "error", X: "step", Published: "-1", Tolerance: 0.1, AtMost: true}
	order = claims.Claim{ID: "order", Kind: "order", Method: "a", Against: []string{"b"}, Metric: "error"}
	value = claims.Claim{ID: "value", Kind: "value", Method: "a", Metric: "error", Published: "0.1", PublishedIs: "run"}
)

// curve returns a record whose error falls as t^slope, with independent normal noise of the given standard deviation in its
// logarithm at every point.
func curve(method string, seed uint64, slope, noise float64, r *rand.Rand) *records.Record {
	var values []float64
	for k := range 8 {
		values = append(values, math.Exp(slope*float64(k)*math.Ln2+noise*r.NormFloat64()))
	}
	return recordstest.Record(method, seed, values...)
}

// curves returns records of n seeds from first on.
func curves(method string, first, n int, slope, noise float64, r *rand.Rand) []*records.Record {
	var all []*records.Record
	for i := range n {
		all = append(all, curve(method, uint64(first+i), slope, noise, r))
	}
	return all
}

func generator(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 1)) }

// compared compares two sets of records at one look.
func compared(exp claims.Experiment, base, now []*records.Record) []Change {
	all := Compare(exp, Take(exp, base), Take(exp, now), Options{})
	Decide(all, Level(Alpha))
	return all
}

// scale returns copies of records with every value multiplied.
func scale(recs []*records.Record, factor func(k int) float64) []*records.Record {
	var all []*records.Record
	for _, r := range recs {
		c := *r
		c.Points = slices.Clone(r.Points)
		for k := range c.Points {
			c.Points[k].Values = map[string]*float64{"error": records.Value(*r.Points[k].Values["error"] * factor(k))}
		}
		all = append(all, &c)
	}
	return all
}

func TestEqualBitsAreIdenticalWithoutStatistics(t *testing.T) {
	exp := demo(rate, order, value)
	recs := append(curves("a", 1, 10, -1, 0.1, generator(1)), curves("b", 1, 10, -0.5, 0.1, generator(2))...)
	later := scale(recs, func(int) float64 { return 1 })
	for _, r := range later { // the clock and the machine do not count
		r.Header.Timing.CPU, r.Points[3].Timing.Train = "another", 99
	}
	all := compared(exp, recs, later)
	require.Len(t, all, 3)
	for _, c := range all {
		assert.Equal(t, isIdentical, detail(c), c.Reason)
		assert.False(t, c.Tested(), "no statistics")
	}
	assert.Equal(t, 0, Status(all))

	later[0].Points[7].Counters.Flops += 5
	assert.Equal(t, isIdentical, detail(compared(exp, recs, later)[0]), "counted work does not change a value")
	shifts := Shifts(exp, Take(exp, recs), Take(exp, later), Options{})
	require.Len(t, shifts, 1)
	assert.Equal(t, []any{"a", "flops", OfWork, records.Worse}, []any{shifts[0].Method, shifts[0].Metric, shifts[0].Layer, shifts[0].State})
}

func TestNothingToCompare(t *testing.T) {
	exp := demo(rate)
	recs := curves("a", 1, 3, -1, 0.1, generator(1))
	other := scale(recs, func(int) float64 { return 1 })
	other[1].Header.Settings = map[string]any{"method": map[string]any{"step": 2.0}, "seed": 2.0}
	for name, test := range map[string]struct {
		base, now []*records.Record
		claims    []claims.Claim
		state     records.Match
		status    int
		reason    string
	}{
		"new claim":       {recs, recs, []claims.Claim{rate, value}, records.NotComparable, 4, "the claim is new"},
		"other settings":  {recs, other, []claims.Claim{rate}, records.NotComparable, 4, "the settings of a are not the accepted ones"},
		"more seeds":      {recs, curves("a", 1, 4, -1, 0.1, generator(1)), []claims.Claim{rate}, records.NotComparable, 4, "have no run a-4"},
		"no records":      {recs, nil, []claims.Claim{rate}, records.NotComparable, 4, "no record of a"},
		"a run failed":    {recs, append(slices.Clone(recs[:2]), recordstest.Ended(curve("a", 3, -1, 0, generator(1)), records.Failed)), []claims.Claim{rate}, isFailed, 5, "seed 3"},
		"seconds":         {recs, scale(recs, func(int) float64 { return 2 }), []claims.Claim{with(rate, func(c *claims.Claim) { c.X = "seconds" })}, isByTime, 4, "measured time"},
		"too little data": {recs[:1], scale(recs[:1], func(k int) float64 { return math.Exp(0.3 * float64(k)) }), []claims.Claim{rate}, records.Undecided, 3, "one seed has no interval"},
	} {
		t.Run(name, func(t *testing.T) {
			exp := demo(test.claims...)
			accepted := Take(demo(rate), test.base)
			if name == "seconds" {
				accepted = Take(exp, test.base)
			}
			all := Compare(exp, accepted, Take(exp, test.now), Options{})
			Decide(all, Level(Alpha))
			c := all[len(all)-1]
			assert.Equal(t, test.state, detail(c), c.Reason)
			assert.Contains(t, c.Reason, test.reason)
			assert.Equal(t, test.status, Status(all))
		})
	}
	assert.Equal(t, 4, Status(nil))
	assert.Equal(t, records.NotComparable, detail(Compare(exp, Take(exp, recs), Take(exp, other), Options{})[0]))
	assert.True(t, Compare(exp, Take(exp, recs), Take(exp, other), Options{anySettings: true})[0].Tested(), "a seeded fault")
}

func with(c claims.Claim, edit func(*claims.Claim)) claims.Claim {
	edit(&c)
	return c
}

// A claim about a method that the profile does not run is left out.
func TestClaimsThatTheProfileDoesNotRun(t *testing.T) {
	exp := demo(rate, order, with(value, func(c *claims.Claim) { c.Method = "b" }))
	exp.Methods = exp.Methods[:1]
	recs := curves("a", 1, 3, -1, 0.1, generator(1))
	s := Take(exp, recs)
	require.Len(t, s.Numbers, 1)
	all := Compare(exp, s, s, Options{})
	require.Len(t, all, 1)
	assert.Equal(t, isIdentical, detail(all[0]))
}

// A target that is reached no more counts with the end of the curve; seeds that are open on one side only are not equivalent.
func TestTargetNoLongerReached(t *testing.T) {
	exp := demo(claims.Claim{ID: "reach", Kind: "reach", Method: "a", Metric: "error", X: "step", Target: 0.1, Published: "10", AtMost: true})
	recs := curves("a", 1, 10, -1, 0.05, generator(1))
	c := compared(exp, recs, scale(recs, func(int) float64 { return 20 }))[0]
	assert.Equal(t, records.Worse, detail(c), c.Reason)
	assert.InDelta(t, 10, *c.Accepted, 1)
	assert.InDelta(t, 128, *c.Now, 1e-9, "the end of the curve")
}

// Pseudo-values depend on all seeds: the accepted ones of 20 seeds are also kept for the first ten.
func TestJointNumbers(t *testing.T) {
	joint := rate
	joint.Statistic = "mean"
	exp := demo(joint)
	recs := curves("a", 1, 20, -1, 0.1, generator(1))
	base := Take(exp, recs)
	require.Len(t, base.Numbers, 2)
	assert.Len(t, base.Numbers[1].Values, 10)
	all := Compare(exp, base, Take(exp, scale(recs[:10], func(k int) float64 { return 1 + 1e-12*float64(k) })), Options{})
	Decide(all, Level(Alpha))
	require.Len(t, all, 1)
	assert.Equal(t, records.Same, detail(all[0]), all[0].Reason)
	exp.Expected = nil
	for s := range 7 {
		exp.Expected = append(exp.Expected, claims.Planned{Cell: recs[s].Header.Cell, Method: "a"})
	}
	planned := Take(exp, recs)
	require.Len(t, planned.Numbers, 3, "of the plan, too")
	assert.Len(t, planned.Numbers[1].Values, 7)
	all = Compare(exp, base, Take(exp, scale(recs[:7], func(k int) float64 { return 1 + 1e-12*float64(k) })), Options{})
	assert.Equal(t, records.NotComparable, detail(all[0]))
	assert.Contains(t, all[0].Reason, "the accepted one to other seeds")
}

// An alarm needs the fresh seeds to say so alone.
func TestConfirmation(t *testing.T) {
	exp := demo(rate)
	recs := curves("a", 1, 20, -1, 0.05, generator(1))
	first := map[uint64]bool{}
	for s := range uint64(10) {
		first[s+1] = true
	}
	moved := func(move float64) func(k int) float64 {
		return func(k int) float64 { return math.Exp(move * float64(k) * math.Ln2) }
	}
	for _, test := range []struct {
		fresh float64
		want  records.Match
	}{{0.3, records.Worse}, {0, records.Undecided}} {
		now := append(scale(recs[:10], moved(0.5)), scale(recs[10:], moved(test.fresh))...)
		now[0] = scale(now[:1], moved(1e-9))[0] // a spread
		now[10] = scale(now[10:11], moved(1e-9))[0]
		all := Compare(exp, Take(exp, recs), Take(exp, now), Options{Known: first})
		Decide(all, Level(Alpha))
		assert.Equal(t, test.want, detail(all[0]), all[0].Reason)
	}
}

func TestMargins(t *testing.T) {
	logs := Number{Log: true, Values: []float64{1, 2}}
	for name, test := range map[string]struct {
		claim  claims.Claim
		number Number
		want   float64
	}{
		"half of a rate's tolerance": {rate, Number{}, 0.05},
		"a rate without tolerance":   {with(rate, func(c *claims.Claim) { c.Tolerance = 0 }), Number{}, 0.05},
		"value without tolerance":    {value, logs, 0.05},
		"half of a value's, a share": {with(value, func(c *claims.Claim) { c.Tolerance = 0.04 }), logs, 0.2},
		"order":                      {order, logs, 0.05},
		"order with a sign":          {order, Number{Values: []float64{-1, 1, 3}}, 1}, // half of the standard deviation 2
		"order below 0":              {order, Number{Values: []float64{-40, -40.1, -40.2}}, 2.005},
		"order of one seed":          {order, Number{Values: []float64{-4}}, 0.2},
		"plateau at the number":      {claims.Claim{Kind: "plateau", Tolerance: 1, Published: "10"}, logs, 0.1},
		"a share of what is below 0": {with(value, func(c *claims.Claim) { c.Published, c.Tolerance = "-0.1", 0.04 }), logs, 0.2},
		"match of differences":       {claims.Claim{Kind: "match", Tolerance: 0.5}, Number{Values: []float64{0, 1}}, 0.25},
		"match of ratios":            {claims.Claim{Kind: "match", Tolerance: 2.25, Relative: true}, logs, 0.5},
		"half of a factor's":         {claims.Claim{Kind: "geometric", Published: "0.8", Tolerance: 0.08}, logs, 0.05},
		"factor without tolerance":   {claims.Claim{Kind: "geometric", Published: "0.99", AtMost: true}, logs, math.Pow(0.99, -0.05) - 1},
		"factor and its bound":       {claims.Claim{Kind: "geometric-bound", Published: "1", Tolerance: 0.2, Bound: "contraction"}, Number{Values: []float64{1, 1}}, 0.1},
		"at least its bound":         {claims.Claim{Kind: "geometric-bound", Published: "1", AtLeast: true, Bound: "contraction"}, Number{Values: []float64{4, 4}}, 0.2},
		"plateau":                    {claims.Claim{Kind: "plateau", Tolerance: 4, Published: "10"}, logs, 1},
		"reach":                      {claims.Claim{Kind: "reach", Published: "10", AtMost: true}, logs, 0.1},
	} {
		assert.InDelta(t, test.want, margin(test.claim, test.number), 1e-12, name)
	}
	assert.InDelta(t, math.Log(1.05), Number{Log: true, Margin: 0.05}.scaled(), 1e-15)
	assert.Equal(t, 0.05, Number{Margin: 0.05}.scaled())
	assert.Equal(t, []string{"×1.05", "±0.05"}, []string{Change{Log: true, Margin: 0.05}.MarginText(), Change{Margin: 0.05}.MarginText()})
	assert.Equal(t, []bool{false, true}, []bool{ofValues(value, logs), ofValues(value, Number{Values: logs.Values})}, "a share of the mean does not follow from values")
}

func TestDirections(t *testing.T) {
	exp := demo()
	exp.Metrics = append(exp.Metrics, claims.Metric{Name: "accuracy", Better: "larger"})
	two := claims.Claim{Kind: "rate", Metric: "error", Published: "-1"}
	match := claims.Claim{Kind: "match", Metric: "error"}
	for _, test := range []struct {
		name      string
		claim     claims.Claim
		base, now float64
		worse     bool
	}{
		{"a faster rate than its bound", rate, -1, -1.5, false},
		{"a slower rate", rate, -1, -0.9, true},
		{"a smaller factor than its bound", claims.Claim{Kind: "geometric", Metric: "error", Published: "0.9", AtMost: true}, 0.8, 0.7, false},
		{"a larger factor", claims.Claim{Kind: "geometric", Metric: "error", Published: "0.9", AtMost: true}, 0.8, 0.85, true},
		{"fewer times as fast as its bound", claims.Claim{Kind: "geometric-bound", Metric: "error", Published: "1", AtLeast: true, Bound: "contraction"}, 3, 2, true},
		{"order", order, 0.5, 0.6, true},
		{"order, better", order, 0.5, 0.4, false},
		{"accuracy at least", claims.Claim{Kind: "value", Metric: "accuracy", AtLeast: true}, 0.9, 0.8, true},
		{"error at least: no side is better", claims.Claim{Kind: "value", Metric: "error", AtLeast: true}, 0.3, 0.4, true},
		{"error at least: nor the other", claims.Claim{Kind: "value", Metric: "error", AtLeast: true}, 0.4, 0.3, true},
		{"a number: farther", two, -1.05, -1.3, true},
		{"a number: a little farther", two, -1.2, -1.3, true},
		{"a number: nearer", two, -1.3, -1.1, false},
		{"a number: beyond it", two, -1.3, -0.8, true},
		{"a number: past it by less than the margin", two, -1.3, -0.99, false},
		{"match: farther", match, 0.1, -0.3, true},
		{"match: nearer", match, 0.3, 0.1, false},
		{"savings at least", claims.Claim{Kind: "ratio", Metric: "error", AtLeast: true}, 4, 3, true},
	} {
		d := directionOf(exp, test.claim)
		assert.Equal(t, test.worse, d.worsened(test.base, test.now, func(a, b float64) bool { return math.Abs(a-b) > 0.05 }), test.name)
	}
}

func TestStaleAndGroups(t *testing.T) {
	recs := append(curves("a", 1, 4, -1, 0.1, generator(1)), curves("b", 1, 4, -0.5, 0.1, generator(2))...)
	base := Take(demo(rate, order), recs)
	now := demo(value)
	now.Methods = now.Methods[:1]
	assert.Equal(t, []string{"claim rate", "claim order", "method b"}, Stale(now, base))
	assert.Empty(t, Stale(demo(rate, order), base))

	exp := demo(rate, value, order)
	changed := append(scale(recs[:4], func(k int) float64 { return math.Exp(0.5 * float64(k)) }), recs[4:]...)
	groups := Groups(compared(exp, recs, changed))
	require.Len(t, groups, 1, "one cause")
	assert.Len(t, groups[0].Changes, 3)
	assert.Equal(t, "paper1999/demo, changed methods: a", groups[0].Heading())
}

// Changes are listed from the worst on, and of one state those that certainly moved first.
func TestRank(t *testing.T) {
	all := []Change{{Failed: true}, {Terms: make([]Term, 1)}}
	for _, s := range records.Matches {
		all = append(all, Change{State: s, Moved: true}, Change{State: s})
	}
	for i, c := range append(all, Change{LeftOut: NotRun}) {
		assert.Equal(t, i, c.rank())
	}
}

// An acceptance takes what it names and what cannot be told apart from it, and refuses to hide another change.
func TestAccept(t *testing.T) {
	exp := demo(rate, value, order)
	recs := append(curves("a", 1, 4, -1, 0.1, generator(1)), curves("b", 1, 4, -0.5, 0.1, generator(2))...)
	base := Take(exp, recs)
	base.Commit, base.ComparableSince = "one", "one"
	changed := append(scale(recs[:4], func(k int) float64 { return math.Exp(0.5 * float64(k)) }), recs[4:]...)
	now := Take(exp, changed)
	all := compared(exp, recs, changed)
	_, err := Accept(exp, base, now, all, func(id string) bool { return id == "rate" })
	assert.EqualError(t, err, "paper1999/demo: value, order changed by the same runs; add --claim for each, or accept none of them")
	next, err := Accept(exp, base, now, all, func(string) bool { return true })
	require.NoError(t, err)
	assert.Equal(t, "one", next.ComparableSince, "the same settings and claims")
	assert.Equal(t, "c0ffee", next.Commit)
	for _, c := range Compare(exp, next, now, Options{}) {
		assert.Equal(t, isIdentical, detail(c))
	}
	first, err := Accept(exp, Snapshot{}, now, Compare(exp, Snapshot{}, now, Options{}), func(string) bool { return true })
	require.NoError(t, err)
	first.Schema = now.Schema
	assert.Equal(t, now, first)
	for _, chosen := range []bool{true, false} {
		next, err = Accept(demo(rate, value), base, base, nil, func(string) bool { return chosen })
		require.NoError(t, err)
		assert.Equal(t, !chosen, slices.ContainsFunc(next.Numbers, func(n Number) bool { return n.Claim == "order" }), "a claim that is gone stays unless it is chosen")
	}
}

// Fresh seeds must say by themselves, and in the same direction, that the number lies beyond the margin.
func TestFreshSeedsBeyondTheMargin(t *testing.T) {
	c := Change{margin: 0.05, estimate: stats.MeanInterval([]float64{0.1, 0.11, 0.12})}
	for _, values := range [][]float64{{0.039, 0.04, 0.041, 0.04}, {0.08, 0.09, 0.1, 0.09}} {
		e := stats.MeanInterval(values)
		assert.InEpsilon(t, stats.Beyond(e, 0.05), *c.confirmed(e), 1e-12)
		assert.Equal(t, e.Mean > c.margin, *c.confirmed(e) < 0.01, "%v", values)
	}
	assert.Equal(t, 1.0, *c.confirmed(stats.MeanInterval([]float64{-0.4, -0.41, -0.42})))
}

// Of several commits a snapshot has that of the last seed, whatever its method is called.
func TestCommitOfASnapshot(t *testing.T) {
	recs := append(curves("a", 1, 3, -1, 0.1, generator(1)), curves("b", 1, 2, -1, 0.1, generator(2))...)
	for i, r := range recs {
		r.Header.Provenance.Commit = []string{"one", "two", "three", "four", "five"}[i]
	}
	s := Take(demo(rate), recs)
	assert.Equal(t, recs[2].Header.Provenance.KnownCommit(), s.Commit)
	assert.Equal(t, s.Commit, s.ComparableSince)
}

// What the states leave out, in words.
const (
	isIdentical records.Match = "identical"
	isMoved     records.Match = "moved"
	isFailed    records.Match = "failed"
	isRedefined records.Match = "redefined"
	isByTime    records.Match = "by time"
	isNotRun    records.Match = "not run"
)

// count counts the changes in every state.
func count(all []Change) map[records.Match]int {
	n := map[records.Match]int{}
	for _, c := range all {
		n[detail(c)]++
	}
	return n
}

// detail returns the state of a change or a shift, with what the states leave out.
func detail(of any) records.Match {
	s, ok := of.(Shift)
	c, _ := of.(Change)
	switch {
	case s.Moved || c.Moved:
		return isMoved
	case ok:
		return s.State
	case c.Failed:
		return isFailed
	case len(c.Terms) > 0:
		return isRedefined
	case c.LeftOut == records.ByTime:
		return isByTime
	case c.LeftOut == NotRun:
		return isNotRun
	case c.Identical():
		return isIdentical
	}
	return c.State
}
