package claims

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/results/printed"
	"repro/results/records"
	"repro/results/records/recordstest"
	"repro/results/stats"
)

// A ruled is a kind of claim for the table of the rule: its number is 5.5 ± 1 except where it says, on whatever scale, and
// records whose number is v on a seed are made by of.
type ruled struct {
	name   string
	claim  Claim
	low    float64 // ends of the accepted region of the claim without a bound
	high   float64
	sides  []string // of its bounds: high for at_most, low for at_least, both, every
	of     func(seed uint64, v float64) []*records.Record
	failed func(seed uint64, end float64) []*records.Record // whose place is only known to be end or beyond; nil if that cannot be
	early  func(seed uint64, end float64) []*records.Record // whose place is only known to be end or before
}

func one(r *records.Record) []*records.Record { return []*records.Record{r} }

// grid returns the runs of a seed of a grid at 1, 2, 4, ..., 32 with the given errors.
func grid(seed uint64, ys ...float64) (recs []*records.Record) {
	for i, y := range ys {
		recs = append(recs, recordstest.Sized(seed, 1<<i, y))
	}
	return recs
}

// level returns errors whose plateau, within 10 %, is at v, between 4 and 8.
func level(v float64) []float64 {
	before := math.Pow(1.1, 1/(1-math.Log2(v/4))) // the line from it to 1 meets 1.1 at v
	return []float64{4 * before, 2 * before, before, 1, 1, 1}
}

var ruledKinds = []ruled{
	{name: "value", claim: Claim{Kind: "value", Published: "5.5", Tolerance: 1}, low: 4.5, high: 6.5, sides: []string{"high", "low", "both", "every", "every-low"},
		of: func(seed uint64, v float64) []*records.Record { return one(recordstest.Record("a", seed, 9, v)) }},
	{name: "value in per cent", claim: Claim{Kind: "value", Published: "5.5", Tolerance: 1, Unit: Percent}, low: 4.5, high: 6.5, sides: []string{"high", "low", "both", "every"},
		of: func(seed uint64, v float64) []*records.Record {
			return one(recordstest.Record("a", seed, 9, v/100))
		}},
	{name: "rate", claim: Claim{Kind: "rate", X: "step", Published: "-1", Tolerance: 0.2}, low: -1.2, high: -0.8, sides: []string{"high", "low", "both"},
		of: func(seed uint64, v float64) []*records.Record { return one(recordstest.Power("a", seed, 1, v)) }},
	{name: "rate of the mean", claim: Claim{Kind: "rate", X: "step", Published: "-1", Tolerance: 0.2, Statistic: "mean"}, low: -1.2, high: -0.8, sides: []string{"high", "low", "both"},
		of: func(seed uint64, v float64) []*records.Record { return one(recordstest.Power("a", seed, 1, v)) }},
	{name: "geometric", claim: Claim{Kind: "geometric", X: "step", Published: "0.9", Tolerance: 0.05}, low: 0.85, high: 0.95, sides: []string{"high", "low", "both"},
		of: func(seed uint64, v float64) []*records.Record { return one(recordstest.Geometric("a", seed, 1, v)) }},
	{name: "geometric of the mean", claim: Claim{Kind: "geometric", X: "step", Published: "0.9", Tolerance: 0.05, Statistic: "mean"}, low: 0.85, high: 0.95, sides: []string{"high", "low", "both"},
		of: func(seed uint64, v float64) []*records.Record { return one(recordstest.Geometric("a", seed, 1, v)) }},
	{name: "geometric-bound", claim: Claim{Kind: "geometric-bound", X: "step", Bound: "bound", Published: "1", Tolerance: 0.2}, low: 0.8, high: 1.2, sides: []string{"high", "low", "both"},
		of: func(seed uint64, v float64) []*records.Record { return one(bounded(seed, math.Pow(0.99, v), 0.99)) }},
	{name: "reach", claim: Claim{Kind: "reach", X: "step", Target: 0.01, Published: "550", Tolerance: 100}, low: 450, high: 650, sides: []string{"high", "low", "both"},
		of:     func(seed uint64, v float64) []*records.Record { return one(recordstest.Power("a", seed, v/100, -1)) },
		failed: func(seed uint64, end float64) []*records.Record { return one(ending(seed, end, 9, 9)) },
		early:  func(seed uint64, end float64) []*records.Record { return one(ending(seed, 2*end, 0.001, 0.001)) }},
	{name: "ratio", claim: Claim{Kind: "ratio", Against: []string{"b"}, X: "step", Target: 0.01, Published: "5.5", Tolerance: 1}, low: 4.5, high: 6.5, sides: []string{"low", "both"},
		of: func(seed uint64, v float64) []*records.Record {
			return []*records.Record{recordstest.Power("a", seed, 1, -1), recordstest.Power("b", seed, v, -1)}
		},
		failed: func(seed uint64, end float64) []*records.Record {
			b := ending(seed, 100*end, 9, 9)
			b.Header.Method, b.Header.Cell = "b", fmt.Sprintf("b-%d", seed)
			return []*records.Record{recordstest.Power("a", seed, 1, -1), b}
		}},
	{name: "plateau", claim: Claim{Kind: "plateau", Across: "data.inputs", Within: 0.1, Published: "5.5", Tolerance: 1.2, Members: []string{"a,inputs=1", "a,inputs=2", "a,inputs=4", "a,inputs=8", "a,inputs=16", "a,inputs=32"}},
		low: 5.5 / 1.2, high: 5.5 * 1.2, sides: []string{"high", "low", "both"},
		of: func(seed uint64, v float64) []*records.Record { return grid(seed, level(v)...) }},
	{name: "order", claim: Claim{Kind: "order", Against: []string{"b"}}, low: math.Inf(-1), high: 1, sides: []string{"both"}, of: pairOf},
	{name: "order by a factor", claim: Claim{Kind: "order", Against: []string{"b"}, Tolerance: 0.1}, low: math.Inf(-1), high: 0.1, sides: []string{"both"}, of: pairOf},
	{name: "match by a factor", claim: Claim{Kind: "match", Against: []string{"b"}, Relative: true, Tolerance: 1.25}, low: 0.8, high: 1.25, sides: []string{"both"}, of: pairOf},
	{name: "match by a difference", claim: Claim{Kind: "match", Against: []string{"b"}, Tolerance: 0.2}, low: -0.2, high: 0.2, sides: []string{"both"},
		of: func(seed uint64, v float64) []*records.Record { return pairOf(seed, 1+v) }},
}

// bounded returns a record whose error has a factor, and whose metric "bound" is the bound of it.
func bounded(seed uint64, rho, bound float64) *records.Record {
	r := recordstest.Geometric("a", seed, 1, rho)
	r.Points[len(r.Points)-1].Values["bound"] = &bound
	return r
}

// ending returns a record that is evaluated at half of a step and at the step.
func ending(seed uint64, step, half, last float64) *records.Record {
	r := recordstest.Record("a", seed)
	r.Points = []records.Point{recordstest.Point(int(step/2), half), recordstest.Point(int(step), last)}
	return r
}

func pairOf(seed uint64, v float64) []*records.Record {
	return []*records.Record{recordstest.Record("a", seed, 9, v), recordstest.Record("b", seed, 9, 1)}
}

// sided returns the claim with one of the bounds, and the ends of what it then accepts.
func (k ruled) sided(side string) (c Claim, low, high float64) {
	c, low, high = k.claim, k.low, k.high
	c.Method, c.Metric, c.PublishedIs = "a", "error", "theorem"
	switch side {
	case "high", "every":
		c.AtMost, c.Every, low = true, side == "every", math.Inf(-1)
	case "low", "every-low":
		c.AtLeast, c.Every, high = true, side == "every-low", math.Inf(1)
	}
	return c, low, high
}

// The words of the rule, by what it says: a number whose interval lies inside the region is reproduced, one whose interval lies
// outside deviates, and one whose interval straddles an end is neither. Of seeds that tie nothing is known unless the claim is exact or about a line; one
// seed decides nothing; a bound for every run asks the worst of three seeds; a run that diverged fails.
func TestRule(t *testing.T) {
	seeds := func(n int, v, apart float64) (all []float64) { // around v, the first and the last of them apart
		for i := range n {
			all = append(all, v+apart*(2*float64(i)/float64(max(1, n-1))-1))
		}
		return all
	}
	for _, k := range ruledKinds {
		step := 0.05 * min(k.high-k.low, math.Abs(k.high)) // a tenth of the tolerance
		for _, side := range k.sides {
			c, low, high := k.sided(side)
			judge := func(exact bool, values []float64) Verdict {
				if exact {
					c.Exact = "nothing is drawn"
				}
				var recs []*records.Record
				for i, v := range values {
					recs = append(recs, k.of(uint64(i+1), v)...)
				}
				v := judged(c, recs)
				c.Exact = ""
				return v
			}
			for _, end := range []struct {
				name string
				at   float64
				in   float64 // +1 if larger numbers are inside
			}{{"low", low, 1}, {"high", high, -1}} {
				if math.IsInf(end.at, 0) {
					continue
				}
				for _, place := range []struct {
					name string
					v    float64
					want Word
				}{{"inside", end.at + end.in*step, Reproduced}, {"edge", end.at, Inconclusive}, {"outside", end.at - end.in*step, Deviates}} {
					name := fmt.Sprintf("%s %s, %s the %s end: ", k.name, side, place.name, end.name)
					expect := func(want Word, state string, v Verdict) {
						t.Helper()
						assert.Equal(t, want, v.Verdict, "%s%s: %s", name, state, v.Reason)
					}
					every, joint := c.Every, c.Statistic != ""
					worst := place.want // of the seeds of an edge, one lies beyond it
					if every && place.name == "edge" {
						worst = Deviates
					}
					expect(worst, "five seeds", judge(false, seeds(5, place.v, step/100)))
					expect(worst, "three seeds", judge(false, seeds(3, place.v, step/100)))
					two := worst // a bound for every run and a statistic need three seeds
					if every && worst == Reproduced || joint {
						two = Inconclusive
					}
					expect(two, "two seeds", judge(false, seeds(2, place.v, step/100)))
					single := Inconclusive // but a counterexample is one
					if every && place.name == "outside" {
						single = Deviates
					}
					expect(single, "one seed", judge(false, seeds(1, place.v, 0)))
					if place.name == "edge" {
						continue // where rounding decides, not the rule
					}
					tie := Inconclusive
					if every || KindOf(c.Kind).Line != nil && !joint { // a line through one curve has a range of its own
						tie = place.want
					}
					expect(tie, "a tie", judge(false, seeds(5, place.v, 0)))
					expect(place.want, "an exact number", judge(true, seeds(5, place.v, 0)))

					// So wide that both sides of the end are inside the interval.
					wide := Inconclusive
					if every {
						wide = Deviates
					}
					expect(wide, "wide", judge(false, seeds(3, place.v, 2*step)))

					recs := k.of(1, place.v)
					for s := uint64(2); s < 5; s++ {
						recs = append(recs, k.of(s, place.v+float64(s)*step/1000)...)
					}
					recordstest.Ended(recs[len(recs)-1], records.Diverged)
					expect(Failed, "one diverged", judged(c, recs))
					recordstest.Ended(recs[len(recs)-1], records.Partial)
					expect(Inconclusive, "one partial", judged(c, recs))
				}
			}
		}
	}
}

// judged judges a claim of records, whose settings are the paper's.
func judged(c Claim, recs []*records.Record) Verdict {
	return judgedAs(experiment(c), recs)
}

// judgedAs judges the one claim of an experiment of which the records are those at the paper's size.
func judgedAs(exp Experiment, recs []*records.Record) Verdict {
	exp.Original.Settings = map[string]map[string]any{}
	for _, r := range recs {
		exp.Original.Settings[r.Header.Method] = r.Header.Settings
	}
	return Judge(exp, recs).Verdicts[0]
}

// A place that a curve has not reached at its end is the end or beyond, and one before the first evaluation is anywhere before it. Such a
// place decides where all that it may be lies on one side.
func TestRuleOfCensoredPlaces(t *testing.T) {
	for _, k := range ruledKinds {
		for _, side := range k.sides {
			if k.failed == nil {
				continue
			}
			c, low, high := k.sided(side)
			for _, test := range []struct {
				name string
				of   func(seed uint64, end float64) []*records.Record
				end  float64
				want Word
			}{
				{"ends beyond", k.failed, 2 * k.high, map[bool]Word{true: Reproduced, false: Deviates}[math.IsInf(high, 1)]},
				{"ends inside", k.failed, (k.low + k.high) / 2, map[bool]Word{true: Reproduced, false: Inconclusive}[math.IsInf(high, 1)]},
				{"ends before", k.failed, k.low / 2, Inconclusive},
				{"begins before", k.early, k.low / 2, map[bool]Word{true: Reproduced, false: Deviates}[math.IsInf(low, -1)]},
				{"begins inside", k.early, (k.low + k.high) / 2, map[bool]Word{true: Reproduced, false: Inconclusive}[math.IsInf(low, -1)]},
				{"begins beyond", k.early, 2 * k.high, Inconclusive},
			} {
				if test.of == nil {
					continue
				}
				var recs []*records.Record
				for seed := range uint64(3) {
					recs = append(recs, test.of(seed+1, test.end)...)
				}
				v := judged(c, recs)
				assert.Equal(t, test.want, v.Verdict, "%s %s, %s: %s", k.name, side, test.name, v.Reason)
				two := judged(c, slices.DeleteFunc(recs, func(r *records.Record) bool { return r.Header.Seed == 3 }))
				if test.want == Reproduced {
					assert.Equal(t, Inconclusive, two.Verdict, "%s %s, %s, two seeds: %s", k.name, side, test.name, two.Reason)
				} else {
					assert.Equal(t, test.want, two.Verdict, "%s %s, %s, two seeds: %s", k.name, side, test.name, two.Reason)
				}
			}
		}
	}
}

// Seeds that tie with the rival are not better, even where that is certain, and match it.
func TestRuleOfTies(t *testing.T) {
	tie := recordstest.Join(recordstest.Flat("a", 2, 2, 2), recordstest.Flat("b", 2, 2, 2))
	order := Claim{Kind: "order", Method: "a", Against: []string{"b"}, Metric: "error", Exact: "nothing is drawn"}
	assert.Equal(t, Deviates, judged(order, tie).Verdict)
	signed := recordstest.Join(recordstest.Flat("a", -2, -2, -2), recordstest.Flat("b", -2, -2, -2))
	assert.Equal(t, Deviates, judged(order, signed).Verdict, "by a difference")
	order.Tolerance = 0.1
	assert.Contains(t, judged(order, signed).Reason, "error is not positive on every seed, so there is no ratio; leave out tolerance")
	order.Tolerance = 0
	match := Claim{Kind: "match", Method: "a", Against: []string{"b"}, Metric: "error", Tolerance: 0.1, Exact: "nothing is drawn"}
	assert.Equal(t, Reproduced, judged(match, tie).Verdict)
	order.Exact = ""
	assert.Equal(t, Inconclusive, judged(order, tie).Verdict)
}

// A number without a tolerance is what rounds to it: 3.1 is [3.05, 3.15), whose upper end is the next number's.
func TestRuleOfRounding(t *testing.T) {
	of := func(is string, values ...float64) Word {
		return judged(Claim{Kind: "value", Method: "a", Metric: "error", Published: "3.1", PublishedIs: is, Exact: "nothing is drawn"}, recordstest.Flat("a", values...)).Verdict
	}
	for v, want := range map[float64]Word{3.0499: Deviates, 3.0501: Reproduced, 3.1: Reproduced, 3.1499: Reproduced, 3.1501: Deviates} {
		assert.Equal(t, want, of("theorem", v, v, v), printed.Number(v))
	}
	a, err := accepted(Claim{Published: "3.1"})
	assert.NoError(t, err)
	assert.True(t, a.contains(a.Low, a.Low))
	assert.False(t, a.contains(a.High, a.High))
	assert.True(t, a.misses(a.High, a.High))
	e := stats.MeanInterval([]float64{3.1, 3.11, 3.12})
	assert.Equal(t, Reproduced, a.place(e, math.Inf(1)))
	e.Covers = stats.Skewed
	assert.Equal(t, Inconclusive, a.place(e, math.Inf(1)), "an interval that covers too little")

	// One run of the paper is among ours, which spread by 6 %, from three seeds on; a mean of many such runs is not at their edge.
	assert.Equal(t, Inconclusive, of("run", 2.9, 3.3))
	assert.Equal(t, Inconclusive, of("run", 3.09, 3.11), "two seeds, though a quarter more would have been seen")
	assert.Equal(t, Inconclusive, of("run", 2.9, 3.1, 3.3), "but a quarter more might be, too")
	assert.Equal(t, Reproduced, of("run", 3.02, 3.1, 3.18))
	assert.Equal(t, Reproduced, of("run", 3.3, 3.4, 3.5, 3.6, 3.2, 3.35, 3.45, 3.55))
	assert.Equal(t, Deviates, of("mean of 100", 3.3, 3.4, 3.5, 3.6, 3.2, 3.35, 3.45, 3.55))
	assert.Equal(t, Inconclusive, of("theorem", 2.8, 3.1, 3.4))
}

// A method that is better on most seeds and far worse on a few is better on one average and worse on another.
func TestRuleOfAverages(t *testing.T) {
	of := func(c Claim, ratios ...float64) Verdict {
		c.Method, c.Against, c.Metric, c.PublishedIs = "a", []string{"b"}, "error", "theorem"
		var recs []*records.Record
		for i, v := range ratios {
			recs = append(recs, pairOf(uint64(i+1), v)...)
		}
		return judged(c, recs)
	}
	order := Claim{Kind: "order"}
	heavy := []float64{0.02, 0.05, 0.05, 0.1, 0.1, 0.2, 0.2, 0.5, 2, 5} // geometric mean 0.18, arithmetic mean 0.82
	v := of(order, heavy...)
	assert.Equal(t, Inconclusive, v.Verdict)
	assert.Regexp(t, `^the averages may disagree: .* of the geometric mean over 10 seeds, which is below 1`, v.Reason)
	assert.Less(t, *v.High, 1.0)
	var turned, far []float64
	for _, r := range heavy {
		turned, far = append(turned, 1/r), append(far, r/1000)
	}
	assert.Equal(t, Inconclusive, of(order, turned...).Verdict, "worse, but for its harmonic mean")
	assert.Equal(t, Reproduced, of(order, far...).Verdict, "far better in every mean")
	assert.Equal(t, Reproduced, of(order, 0.2, 0.21, 0.22, 0.19, 0.2).Verdict)
	assert.Equal(t, Deviates, of(order, 5, 5.1, 5.2, 4.9, 5).Verdict)
	factor := Claim{Kind: "match", Relative: true, Tolerance: 4}
	spread := []float64{0.2, 0.5, 1, 1, 2, 5, 0.3, 3, 0.4, 2.5}
	assert.Equal(t, Inconclusive, of(factor, spread...).Verdict)
	assert.Equal(t, Reproduced, of(with1(factor, func(c *Claim) { c.Tolerance = 20 }), spread...).Verdict)
	assert.Contains(t, of(Claim{Kind: "match", Tolerance: 0.5}, 1.1, 1, 1.2).Reason, " of the mean over 3 seeds")
}

// A ratio that would have been seen is beyond the bound: above an upper one, below a lower one.
func TestRuleOfVisibleRatios(t *testing.T) {
	c := Claim{Kind: "ratio", Method: "a", Against: []string{"b"}, Metric: "error", X: "step", Target: 0.01, Published: "4", PublishedIs: "theorem", AtLeast: true}
	var recs []*records.Record
	for seed, v := range []float64{5, 5.1, 5.2} {
		recs = append(recs, recordstest.Power("a", uint64(seed), 1, -1), recordstest.Power("b", uint64(seed), v, -1))
	}
	v := judged(c, recs)
	assert.Equal(t, Reproduced, v.Verdict, v.Reason)
	e := stats.Summary(1, *v.SD, 3, true).At(stats.LookLevel(3, 3, math.Inf(1)))
	assert.InDelta(t, 4*math.Exp(-e.Visible(math.Inf(1))), *v.Visible, 1e-9)
}

// Methods are compared on the seeds that they have in common.
func TestRuleOfPairs(t *testing.T) {
	recs := recordstest.Flat("a", 1, 10, 100, 1000)
	for i, v := range []float64{20, 201, 2003} {
		recs = append(recs, recordstest.Record("b", uint64(i+2), 9, v))
	}
	v := judged(Claim{Kind: "order", Method: "a", Against: []string{"b"}, Metric: "error"}, recs)
	assert.Equal(t, 3, v.Seeds)
	assert.Equal(t, Reproduced, v.Verdict, v.Reason)
}

// Where no seed differs, the rows of both methods vary: with p = 0.02 and q = 0.03 of 1,000 rows, two of either kind added, the variance
// of log p/q is (1 − p)/(pn) + (1 − q)/(qn).
func TestRuleOfRows(t *testing.T) {
	recs := recordstest.Join(recordstest.Flat("a", 0.02, 0.02), recordstest.Flat("b", 0.03, 0.03))
	for _, r := range recs {
		r.Header.Resolved = map[string]float64{"test": 1000}
	}
	exp := experiment(Claim{Kind: "order", Method: "a", Against: []string{"b"}, Metric: "error"})
	exp.Metrics = []Metric{{Name: "error", ShareOf: "test"}}
	p, q := 22/1004.0, 32/1004.0
	v := Judge(exp, recs).Verdicts[0]
	assert.InDelta(t, math.Exp(1.959964*math.Sqrt((1-p)/(1000*p)+(1-q)/(1000*q)))*2/3, *v.High, 1e-6)
	assert.Equal(t, Inconclusive, v.Verdict)
}

// Of ranges, the verdict has the geometric middle of what they leave of the median: between 20 and 30.
func TestRuleOfMedians(t *testing.T) {
	var m Measurement
	for i, r := range [][2]float64{{10, 10}, {20, math.Inf(1)}, {30, 30}} {
		for range []int{5, 2, 5}[i] {
			m.Ranges = append(m.Ranges, r)
		}
	}
	var v Verdict
	v.median(m)
	assert.InDelta(t, math.Sqrt(20*30), *v.Measured, 1e-12)
	assert.Equal(t, []float64{10, 30}, []float64{*v.Low, *v.High}, "the third smallest lower and the third largest upper end")
	assert.Len(t, v.Ranges, 12)
	assert.Equal(t, []float64{10, 10}, []float64{*v.Ranges[4][0], *v.Ranges[4][1]})
	assert.Equal(t, []float64{20, 30}, []float64{*v.Ranges[5][0], *v.Ranges[7][0]})
	assert.Nil(t, v.Ranges[5][1], "not bounded")
}

// The frontier is where the target is met, not where the metric is best.
func TestRuleOfFrontiers(t *testing.T) {
	c := Claim{Kind: "rate", Method: "a", Metric: "error", Across: "data.inputs", Best: "method.features", Target: 1, Published: "2", Tolerance: 0.3, PublishedIs: "theorem"}
	var recs []*records.Record
	for seed := range uint64(3) {
		for _, x := range []int{2, 4, 8, 16} {
			for y := 1; y < 2000; y *= 2 {
				r := recordstest.Sized(seed+1, x, (1+float64(seed)/100)*float64(y)/float64(x*x)/1.1)
				r.Header.Settings["method"] = map[string]any{"features": float64(y)}
				r.Header.Method = fmt.Sprintf("a,inputs=%d,features=%d", x, y)
				r.Header.Cell = fmt.Sprintf("%s-%d", r.Header.Method, seed)
				if seed == 0 {
					c.Members = append(c.Members, r.Header.Method)
				}
				recs = append(recs, r)
			}
		}
	}
	c.Exact = "nothing is drawn"
	v := judged(c, recs)
	assert.Equal(t, Reproduced, v.Verdict, v.Reason)
	assert.InDelta(t, 2, *v.Measured, 1e-9)
	c.Target, c.Published, c.Tolerance = 0, "0", 0.1
	assert.Equal(t, Reproduced, judged(c, recs).Verdict, "one feature is always the best")
}

// Every number of a column becomes a claim at the place of its row.
func TestRuleOfColumns(t *testing.T) {
	list := splitColumn(Claim{ID: "error", Kind: "values", X: "epoch", Rows: []float64{1, 5, 10}, Cells: []string{"3.1", "", "2.9"}, Statement: "error"})
	var got []string
	for _, c := range list {
		got = append(got, fmt.Sprint(c.ID, " ", c.Kind, " ", c.Published, " ", c.At))
	}
	assert.Equal(t, []string{"error@1 value 3.1 at epoch 1", "error@10 value 2.9 at epoch 10", "error column  at the end"}, got)
}

// The margin of a factor is a share of it: with 0.99, 5 % more iterations. A tolerance of 0.08 around 0.8 leaves 0.04.
func TestRuleOfFactorMargins(t *testing.T) {
	margin := KindOf("geometric").Margin
	assert.InDelta(t, math.Pow(0.99, -0.05)-1, margin(Claim{Published: "0.99"}), 1e-15)
	assert.InDelta(t, 0.05, margin(Claim{Published: "0.8", Tolerance: 0.08}), 1e-15)
}

// keysOf are the keys of a claim for a Check, with the keys that it notes.
type keysOf struct {
	has   []string
	wrong []string
}

func (k *keysOf) Has(key string) bool           { return slices.Contains(k.has, key) }
func (k *keysOf) Place(key string) string       { return key }
func (k *keysOf) Wrong(key, _ string, _ ...any) { k.wrong = append(k.wrong, key) }
func (k *keysOf) of(c Claim, has ...string) []string {
	k.has, k.wrong = has, nil
	KindOf(c.Kind).Check(&c, k)
	return k.wrong
}

// What a spec must say for a claim to be judged at all.
func TestRuleOfKeys(t *testing.T) {
	var keys keysOf
	rate := Claim{Kind: "rate", X: "step", Published: "-1", PublishedIs: "theorem"}
	assert.Equal(t, []string{"tolerance"}, keys.of(rate, "x"), "of an exponent of a theorem, -1 is not [-1.5, -0.5)")
	assert.Equal(t, []string{"tolerance"}, keys.of(Claim{Kind: "rate", X: "step", Derived: "-1"}, "x"))
	assert.Empty(t, keys.of(rate, "x", "tolerance"))
	assert.Empty(t, keys.of(with1(rate, func(c *Claim) { c.AtMost = true }), "x"))
	assert.Empty(t, keys.of(with1(rate, func(c *Claim) { c.AtLeast = true }), "x"))
	assert.Empty(t, keys.of(with1(rate, func(c *Claim) { c.PublishedIs = "run" }), "x"), "a slope that was measured has digits")
	factor := Claim{Kind: "geometric", X: "step", Published: "0.9", PublishedIs: "theorem"}
	assert.Equal(t, []string{"tolerance"}, keys.of(factor, "x"))
	assert.Empty(t, keys.of(with1(factor, func(c *Claim) { c.AtMost = true }), "x"))
	assert.Empty(t, keys.of(with1(factor, func(c *Claim) { c.PublishedIs = "run" }), "x"))
	for _, number := range []string{"0", "1", "1.1", "-0.5"} {
		assert.Equal(t, []string{"published"}, keys.of(with1(factor, func(c *Claim) { c.Published, c.AtMost = number, true }), "x"), "nothing converges with the factor %s", number)
	}
	assert.Empty(t, keys.of(with1(factor, func(c *Claim) { c.Tolerance = 0.0999 }), "x", "tolerance"))
	assert.Equal(t, []string{"tolerance"}, keys.of(with1(factor, func(c *Claim) { c.Tolerance = 0.11 }), "x", "tolerance"))
	assert.Equal(t, []string{"tolerance"}, keys.of(with1(factor, func(c *Claim) { c.Tolerance, c.AtMost = 0.11, true }), "x", "tolerance"))
	assert.Empty(t, keys.of(with1(factor, func(c *Claim) { c.Tolerance, c.AtLeast = 0.11, true }), "x", "tolerance"), "as a lower bound it accepts what does not converge, and says so")
	bound := Claim{Kind: "geometric-bound", X: "step", Derived: "1", Bound: "contraction"}
	assert.Empty(t, keys.of(with1(bound, func(c *Claim) { c.AtLeast = true }), "x", "measured_bound"))
	assert.Equal(t, []string{"tolerance"}, keys.of(bound, "x", "measured_bound"))
	assert.Equal(t, []string{"tolerance"}, keys.of(Claim{Kind: "match"}, "tolerance"))
	assert.Equal(t, []string{"tolerance"}, keys.of(Claim{Kind: "match", Relative: true, Tolerance: 0.5}, "tolerance"))
	assert.Equal(t, []string{"tolerance"}, keys.of(Claim{Kind: "plateau", Within: 0.1, Tolerance: 0.5}, "tolerance"))
	assert.Equal(t, []string{"within"}, keys.of(Claim{Kind: "plateau", Tolerance: 2}, "within"))
}

// The order of strictness: a wider reading of a number is never harder to meet. Of runs as drawn, a printed number with no tolerance is
// the strictest, and every larger tolerance gives the same word or a better one; so it is of bounds, of theorems and of factors.
func TestRuleOfStrictness(t *testing.T) {
	rank := map[Word]int{Deviates: 0, Inconclusive: 1, Reproduced: 2}
	r := rand.New(rand.NewPCG(23, 29))
	words := map[Word]int{}
	for i := range 60 {
		spread := spreadOf(r)
		var values []float64
		for range 2 + r.IntN(8) {
			values = append(values, lognormal(r, 1, spread))
		}
		number := printed.Number(lognormal(r, 1, 2*spread))
		for name, c := range map[string]Claim{
			"run": {PublishedIs: "run"}, "mean": {PublishedIs: "mean of 10"}, "theorem": {PublishedIs: "theorem"},
			"at most": {PublishedIs: "theorem", AtMost: true}, "at least": {PublishedIs: "run", AtLeast: true},
		} {
			c.Kind, c.Method, c.Metric, c.Published = "value", "a", "error", number
			before := Word("")
			for _, d := range []float64{0, 1e-4, 0.01, 0.03, 0.1, 0.2, 0.3, 0.6, 2} {
				if c.Tolerance = d; d == 0 && name == "theorem" {
					continue // whose digits are wider than its tolerance
				}
				v := judged(c, recordstest.Flat("a", values...))
				words[v.Verdict]++
				if before != "" {
					require.GreaterOrEqual(t, rank[v.Verdict], rank[before], "%d: %s %s with a tolerance of %v: %v, %s", i, name, number, d, values, v.Reason)
				}
				before = v.Verdict
			}
			c.Tolerance = 0
			if before = judged(c, recordstest.Flat("a", values...)).Verdict; name == "run" {
				c.Visible = 0.5
				require.GreaterOrEqual(t, rank[judged(c, recordstest.Flat("a", values...)).Verdict], rank[before], "if half of it must be seen")
			}
			if c.AtMost {
				c.Every = true
				require.LessOrEqual(t, rank[judged(c, recordstest.Flat("a", values...)).Verdict], rank[before], "for every run")
			}
		}
	}
	for _, w := range []Word{Deviates, Inconclusive, Reproduced} {
		assert.Greater(t, words[w], 90, w)
	}

	// The two of the report of a reader: 8 % off, and within a tolerance of one. Both runs see a quarter.
	c := Claim{Kind: "value", Method: "a", Metric: "error", Published: "20", PublishedIs: "run"}
	assert.Equal(t, Reproduced, judged(c, recordstest.Flat("a", 17.9, 18.42, 19, 18.1, 18.7)).Verdict)
	c.Published = "14.9"
	runs := recordstest.Flat("a", 14.9, 15.4, 15.9, 15.2, 15.6)
	assert.Equal(t, Reproduced, judged(c, runs).Verdict)
	c.Tolerance = 1
	assert.Equal(t, Reproduced, judged(c, runs).Verdict)
	c.PublishedIs = "theorem"
	assert.Equal(t, Inconclusive, judged(with1(c, func(c *Claim) { c.Tolerance = 0.6 }), runs).Verdict, "of an exact number, the mean must lie within")
}

// What must be seen of a printed number is a quarter of it or a unit of its last digit, whichever is more.
func TestRuleOfWhatMustBeSeen(t *testing.T) {
	for number, want := range map[string]float64{"20": 5, "18.42": 4.605, "0.0": 0.1, "0.03": 0.01, "2": 1, "-4.0": 1} {
		a, err := accepted(Claim{Published: number, PublishedIs: "run"})
		require.NoError(t, err)
		assert.InDelta(t, want, a.seen, 1e-9, number)
	}
	a, err := accepted(Claim{Published: "20", PublishedIs: "run", Visible: 0.5, AtMost: true})
	require.NoError(t, err)
	assert.Nil(t, a.digits, "a bound is met by the mean")
	column, err := columnRegion(Claim{Kind: columnKind, Rows: []float64{1, 2}, Cells: []string{"3.14", "2.72"}}, Ratio)
	require.NoError(t, err)
	assert.InDelta(t, 0.25, column.seen, 1e-12, "a ratio of 1.25")
}

// The interval of a metric ends where its values must: an error of 0 on every seed is not below 0, and a share is not above 1.
func TestRuleOfLimits(t *testing.T) {
	shares := func(c Claim, metric Metric, all ...float64) Verdict {
		recs := recordstest.Flat("a", all...)
		for _, r := range recs {
			r.Header.Resolved = map[string]float64{"test": 1000}
		}
		c.Method, c.Metric = "a", "error"
		exp := experiment(c)
		exp.Metrics = []Metric{metric}
		return Judge(exp, recs).Verdicts[0]
	}
	share, loss := Metric{Name: "error", Unit: "fraction", ShareOf: "test"}, Metric{Name: "error"}
	for name, v := range map[string]Verdict{
		"no error on any seed":    shares(Claim{Kind: "value", Published: "0.0", PublishedIs: "run"}, share, 0, 0, 0),
		"no error on most seeds":  shares(Claim{Kind: "value", Published: "0.0", PublishedIs: "run"}, share, 0, 0, 0.01),
		"a loss of 0 on one seed": shares(Claim{Kind: "value", Published: "0.5", PublishedIs: "run"}, loss, 0, 0.5, 1),
		"a mean of such":          shares(Claim{Kind: "value", Published: "0.5", PublishedIs: "mean of 5"}, loss, 0, 0.5, 1),
	} {
		require.NotNil(t, v.Low, name)
		assert.Zero(t, *v.Low, "%s: %s", name, v.Reason)
		if v.Next != nil {
			assert.GreaterOrEqual(t, v.Next[0], 0.0, name)
		}
	}
	v := shares(Claim{Kind: "value", Published: "1", PublishedIs: "mean of 5"}, share, 1, 1, 1)
	assert.Equal(t, 1.0, *v.High, v.Reason)
	signed := shares(Claim{Kind: "value", Published: "0.5", PublishedIs: "mean of 5"}, Metric{Name: "error", Signed: true}, 0, 0.5, 1)
	assert.Negative(t, *signed.Low)
}
