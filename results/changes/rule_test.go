package changes

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/results/claims"
	"repro/results/records"
	"repro/results/records/recordstest"
	"repro/results/stats"
)

// numbered returns the number of a claim on seeds 1, 2, ..., with a margin of 0.1.
func numbered(log bool, values ...float64) Number {
	n := Number{Claim: "rate", Kind: "rate", Margin: 0.1, Log: log, Values: values}
	for i := range values {
		n.Seeds = append(n.Seeds, uint64(i+1))
	}
	return n
}

// moved compares two numbers of a rate, one of a family of others that did not move.
func moved(base, now Number, others int, o Options) Change {
	all := make([]Change, 1+others)
	for i := range all {
		all[i] = Change{Kind: "rate", Margin: base.Margin, Log: now.Log}
		all[i].test(directionOf(demo(), rate), base, base, Options{})
	}
	all[0] = Change{Cause: []string{"a"}, Kind: "rate", Margin: base.Margin, Log: now.Log}
	all[0].test(directionOf(demo(), rate), base, now, o)
	Decide(all, Level(Alpha))
	return all[0]
}

// The states of a number that moved, by how far and how surely, with a margin of 0.1.
func TestStatesOfAChange(t *testing.T) {
	base := numbered(false, -1, -1.02, -0.98, -1.01)
	by := func(n Number, moves ...float64) Number {
		values := append([]float64(nil), n.Values...)
		for i := range values {
			values[i] += moves[i%len(moves)]
		}
		n.Values = values
		return n
	}
	for name, c := range map[string]struct {
		now  Number
		want records.Match
	}{
		"within its margin":                 {by(base, 0.05, 0.051), isMoved},
		"within it, the other way":          {by(base, -0.05, -0.051), isMoved},
		"by less than a tenth of it":        {by(base, 0.0099, 0.0098), records.Same},
		"within it, and not surely moved":   {by(base, 0.03, -0.01, 0.03, -0.01), records.Same},
		"at its edge":                       {by(base, 0.1, 0.101, 0.099), records.Undecided},
		"at its other edge":                 {by(base, -0.1, -0.101, -0.099), records.Undecided},
		"beyond it, to the worse":           {by(base, 0.2, 0.201), records.Worse},
		"beyond it, to the better":          {by(base, -0.2, -0.201), records.Better},
		"too noisy to tell":                 {by(base, 0.3, -0.3), records.Undecided},
		"by a hundredth of it on all seeds": {by(base, 0.001, -0.001), records.Same},
	} {
		assert.Equal(t, c.want, detail(moved(base, c.now, 0, Options{})), name)
	}

	one := numbered(false, -1)
	assert.Equal(t, records.Same, detail(moved(one, by(one, 0.0009), 0, Options{})))
	assert.Equal(t, records.Undecided, detail(moved(one, by(one, 0.05), 0, Options{})), "one seed has no interval")

	ended := by(base, 0.0001)
	ended.Bounds = []uint64{2}
	assert.Equal(t, records.Undecided, detail(moved(base, ended, 0, Options{})), "seed 2 has no place any more")
	both := base
	both.Bounds = []uint64{2}
	assert.Equal(t, records.Same, detail(moved(both, ended, 0, Options{})), "it had none before")

	// Among 30 numbers each needs a thirtieth of the level, and a larger change to be found.
	alone, among := moved(base, by(base, 0.125, 0.14), 0, Options{}), moved(base, by(base, 0.125, 0.14), 29, Options{})
	assert.Equal(t, []records.Match{records.Worse, records.Undecided}, []records.Match{detail(alone), detail(among)})
	assert.InDelta(t, 30**alone.P, *among.Holm, 1e-12)
	assert.InDelta(t, 0.1+stats.Detectable(4, Alpha/30)*among.estimate.SD, *among.Detectable, 1e-12)
	assert.InDelta(t, 0.1+stats.Detectable(4, Alpha)*alone.estimate.SD, *alone.Detectable, 1e-12)

	// So does a number that moved within its margin: a p-value of 0.03 is certain for one claim, and not for one of three.
	near := by(base, 0.0289, 0.0111)
	assert.Equal(t, isMoved, detail(moved(base, near, 0, Options{})))
	assert.Equal(t, records.Same, detail(moved(base, near, 2, Options{})))
}

// Numbers that are positive on every seed change by ratios.
func TestChangesOfRatios(t *testing.T) {
	c := moved(numbered(true, 1, 2, 4), numbered(true, 1.3, 2.6, 5.21), 0, Options{})
	assert.Equal(t, records.Worse, detail(c), c.Reason)
	assert.InDelta(t, 1.301, *c.Difference, 0.001)
	assert.InDelta(t, 2, *c.Accepted, 1e-12, "the geometric mean")
	assert.InDelta(t, math.Log(1.1), c.margin, 1e-12)
	assert.InDelta(t, math.Exp(c.margin+stats.Detectable(3, Alpha)*c.estimate.SD), *c.Detectable, 1e-12)
	assert.InDelta(t, 1.21/5.21, *c.Relative, 1e-12, "the largest of a seed, of the larger value")
}

// A number that a claim gives is as far as it is on the scale of the changes, and beyond it only by more than the margin.
func TestFartherFromANumber(t *testing.T) {
	for _, c := range []struct {
		target    float64
		base, now Number
		worse     bool
	}{
		{0.1, numbered(true, 0.11, 0.111, 0.112), numbered(true, 0.13, 0.131, 0.132), true},
		{-1, numbered(false, -1.3, -1.31, -1.29), numbered(false, -0.97, -0.98, -0.96), false},
		{-1, numbered(false, -1.3, -1.31, -1.29), numbered(false, -0.8, -0.81, -0.79), true},
	} {
		var change Change
		change.test(direction{target: c.target, exact: true}, c.base, c.now, Options{})
		assert.Equal(t, c.worse, change.worse, "%v", c.now.Values)
	}
}

// The margin that follows from values is that of the accepted ones: new values that spread more do not widen it.
func TestTheAcceptedValuesGiveTheMargin(t *testing.T) {
	signed := with(order, func(c *claims.Claim) { c.ID = "order" })
	of := func(values ...float64) Number {
		n := numbered(false, values...)
		n.Margin = margin(signed, n)
		return n
	}
	base, now := of(-1, 1, 3), of(-100, 100, 301)
	c := Change{Kind: "order", Margin: now.Margin}
	c.numbers(signed, directionOf(demo(), signed), base, now, Options{})
	assert.InDelta(t, 1, c.Margin, 1e-12, "half of the accepted standard deviation")
}

// Counted work takes part in a claim that names it, and in no other.
func TestCountedWork(t *testing.T) {
	by := func(x string) claims.Claim { return with(rate, func(c *claims.Claim) { c.X = x }) }
	recs := curves("a", 1, 3, -1, 0.1, generator(1))
	later := scale(recs, func(int) float64 { return 1 })
	for _, r := range later {
		for i := range r.Points {
			r.Points[i].Counters.KernelEvals *= 2
		}
	}
	for x, want := range map[string]records.Match{"step": isIdentical, "kernel-evals": records.Same} {
		exp := demo(by(x))
		assert.Equal(t, want, detail(compared(exp, recs, later)[0]), x)
	}
	assert.Len(t, Shifts(demo(rate), Take(demo(rate), recs), Take(demo(rate), later), Options{}), 1)
	for _, r := range later {
		r.Header.Settings = map[string]any{"method": map[string]any{"step": 2.0}}
	}
	assert.Empty(t, Shifts(demo(rate), Take(demo(rate), recs), Take(demo(rate), later), Options{}), "other settings take other work")
}

// What digests are of: the bits of values with their steps, and the settings that seeds share.
func TestDigests(t *testing.T) {
	r := func(change func(*records.Record)) Cell {
		return cellOf(recordstest.With(recordstest.Record("a", 1, 4, 3), change))
	}
	same := r(func(*records.Record) {})
	for name, change := range map[string]func(*records.Record){
		"the last bit of a value": func(r *records.Record) { r.Points[1].Values["error"] = records.Value(math.Nextafter(3, 4)) },
		"the step of a value":     func(r *records.Record) { r.Points[1].Step++ },
		"a value that is lost":    func(r *records.Record) { r.Points[1].Values["error"] = nil },
		"the name of a metric":    func(r *records.Record) { r.Points[1].Values = map[string]*float64{"loss": records.Value(3)} },
		"the end":                 func(r *records.Record) { recordstest.Ended(r, records.Diverged) },
	} {
		assert.NotEqual(t, same.Values, r(change).Values, name)
	}
	clock := r(func(r *records.Record) { r.Points[1].Timing.Train = 99; r.Points[1].Counters.Flops = 7 })
	assert.Equal(t, same.Values, clock.Values)
	for name, change := range map[string]func(p *records.Point){
		"kernels": func(p *records.Point) { p.Counters.KernelEvals++ }, "features": func(p *records.Point) { p.Counters.FeatureEvals++ },
		"flops": func(p *records.Point) { p.Counters.Flops++ }, "bytes": func(p *records.Point) { p.Counters.Bytes++ },
		"memory": func(p *records.Point) { p.Counters.Memory++ }, "where": func(p *records.Point) { p.Step++ },
	} {
		assert.NotEqual(t, same.Counts, r(func(r *records.Record) { change(&r.Points[0]) }).Counts, name)
	}
	last := r(func(r *records.Record) { r.Points[0].Counters.Flops, r.Points[1].Counters.Flops = 3, 7 })
	assert.Equal(t, int64(7), last.Work.Flops)

	settings := func(seed, step float64) string {
		return SettingsDigest(map[string]any{"seed": seed, "time_of": seed, "step": step})
	}
	assert.Equal(t, settings(1, 2), settings(9, 2))
	assert.NotEqual(t, settings(1, 2), settings(1, 3))
	program := func(sum string) string {
		return SettingsDigest(map[string]any{"algorithm": "external", "content": map[string]any{"p.py": sum}})
	}
	assert.Equal(t, program("1"), program("2"), "code is what a check is about")
}

// Cells survive their short form in files, also those of one method that differ in one thing.
func TestCellsAreReadAsWritten(t *testing.T) {
	cells := Cells{
		{"a-seed1", "a", 1, records.Budget, false, "s", "v1", "c", Work{Flops: 1}},
		{"a-seed2", "a", 2, records.Budget, false, "s", "v2", "other counts", Work{Flops: 1}},
		{"a-seed3", "a", 3, records.Budget, false, "s", "v3", "c", Work{Flops: 2}},
		{"a-seed4", "a", 4, records.Failed, false, "s", "v4", "c", Work{Flops: 1}},
		{"a-seed5", "a", 5, records.Budget, true, "s", "v5", "c", Work{Flops: 1}},
		{"a-seed6", "a", 6, records.Budget, false, "t", "v6", "c", Work{Flops: 1}},
		{"odd", "b", 1, records.Budget, false, "s", "v1", "c", Work{Flops: 1}},
	}
	var again Cells
	for _, r := range cells.Runs() {
		some, err := r.Cells()
		require.NoError(t, err)
		again = append(again, some...)
	}
	again.Sort()
	assert.Equal(t, cells, again)
}

// A metric that can be negative changes by differences, even where it is not.
func TestSignedMetricsChangeByDifferences(t *testing.T) {
	exp := demo(value)
	recs := curves("a", 1, 3, -1, 0.1, generator(1))
	base := Take(exp, recs)
	assert.True(t, base.Numbers[0].Log)
	exp.Metrics[0].Signed = true
	assert.False(t, Take(exp, recs).Numbers[0].Log)
	assert.True(t, base.Retake(exp, recs).Numbers[0].Log, "as the accepted claim says, whose metric had no sign")
}

// Runs of other settings begin a new history, and so does a new claim; other settings of a method whose claims are not accepted do not.
func TestComparableSince(t *testing.T) {
	recs := append(curves("a", 1, 3, -1, 0.1, generator(1)), curves("b", 1, 3, -1, 0.1, generator(2))...)
	moved := func(other string) []*records.Record { // with other settings of a method
		all := scale(recs, func(k int) float64 { return 1 + 0.1*float64(k) })
		for _, r := range all {
			if r.Header.Method == other {
				r.Header.Settings = map[string]any{"step": 2.0}
			}
		}
		return all
	}
	ofB := demo(rate, with(value, func(c *claims.Claim) { c.Method = "b" }))
	for name, c := range map[string]struct {
		was, is claims.Experiment
		now     []*records.Record
		chosen  []string
		want    string
	}{
		"other bits":                  {demo(rate), demo(rate), moved(""), []string{"rate"}, "one"},
		"other settings":              {demo(rate), demo(rate), moved("a"), []string{"rate"}, "c0ffee"},
		"those of a method beside it": {ofB, ofB, moved("b"), []string{"rate"}, "one"},
		"a new claim":                 {demo(rate), demo(rate, value), recs, []string{"rate", "value"}, "c0ffee"},
	} {
		base, now := Take(c.was, recs), Take(c.is, c.now)
		base.Commit, base.ComparableSince = "one", "one"
		next, err := Accept(c.is, base, now, Compare(c.is, base, now, Options{anySettings: true}), func(id string) bool { return slices.Contains(c.chosen, id) })
		require.NoError(t, err, name)
		assert.Equal(t, c.want, next.ComparableSince, name)
		assert.Equal(t, ofClaim(now.Numbers, "rate"), ofClaim(next.Numbers, "rate"), name)
		assert.Len(t, next.Numbers, len(now.Numbers), name)
	}
}

// What a gate fails at, in the form that its readers have.
func TestStatusOfEveryState(t *testing.T) {
	for state, want := range map[records.Match]struct {
		change                            Change
		status, failures, errors, skipped int
	}{
		isFailed: {Change{State: records.Worse, Failed: true}, 5, 0, 1, 0}, records.Worse: {Change{State: records.Worse}, 1, 1, 0, 0}, isRedefined: {Change{State: records.NotComparable, Terms: []Term{{}}}, 1, 1, 0, 0},
		records.NotComparable: {Change{State: records.NotComparable}, 4, 1, 0, 0}, records.Undecided: {Change{State: records.Undecided}, 3, 1, 0, 0}, records.Better: {Change{State: records.Better}, 0, 0, 0, 0},
		records.Same: {Change{State: records.Same, Cause: []string{"a"}}, 0, 0, 0, 0}, isMoved: {Change{State: records.Same, Moved: true, Cause: []string{"a"}}, 0, 0, 0, 0}, isIdentical: {Change{State: records.Same}, 0, 0, 0, 0},
		isByTime: {Change{State: records.NotComparable, LeftOut: records.ByTime}, 4, 0, 0, 1}, isNotRun: {Change{State: records.NotComparable, LeftOut: NotRun}, 4, 0, 0, 1},
	} {
		require.Equal(t, state, detail(want.change))
		o := Outcome{Changes: []Change{want.change}}
		assert.Equal(t, want.status, Status(o.Changes), state)
		text, err := o.JUnit(func(Change) (string, int) { return "x.toml", 3 })
		require.NoError(t, err)
		for attribute, n := range map[string]int{"failures": want.failures, "errors": want.errors, "skipped": want.skipped} {
			assert.Contains(t, string(text), attribute+`="`+string(rune('0'+n))+`"`, state)
		}
	}
}

// Of three values Student's t is beyond ±t with probability 1 - t/√(2 + t²); that a number moved is asked on both sides.
func TestStillIsTwoSided(t *testing.T) {
	for _, sign := range []float64{1, -1} {
		at := 2 * math.Sqrt(3) // mean 2, standard deviation 1
		c := Change{estimate: stats.MeanInterval([]float64{sign * 1, sign * 2, sign * 3})}
		assert.InDelta(t, 1-at/math.Sqrt(2+at*at), c.still(), 1e-12)
	}
	assert.Equal(t, 1.0, Change{estimate: stats.MeanInterval([]float64{-1, 0, 1})}.still())
	assert.Equal(t, 1.0, Change{estimate: stats.MeanInterval([]float64{3})}.still(), "one value has no interval")
}
