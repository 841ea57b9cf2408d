package claims

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"repro/results/records"
	"repro/results/records/recordstest"
)

// grown returns curves of ten seeds, with noise of 2 %, at steps 1, 2, 4, ..., 2^19.
func grown(method string, of func(x float64) float64) []*records.Record {
	return curves(rand.New(rand.NewPCG(1, 2)), method, 10, 0.02, of)
}

// counting returns runs whose flops at the end are n.
func counting(n int64, seeds int) []*records.Record {
	recs := recordstest.Flat("a", slices.Repeat([]float64{1}, seeds)...)
	for _, r := range recs {
		for i := range r.Points {
			r.Points[i].Counters.Flops = n
		}
	}
	return recs
}

// late returns runs of seeds whose first evaluation is at a step, where the error is 1 already or, if it is not reached, 9.
func late(method string, step int, reached bool, seeds int) (recs []*records.Record) {
	for i := range seeds {
		r := recordstest.Record(method, uint64(i+1))
		v := 9.0
		if reached {
			v = 1
		}
		r.Points = []records.Point{recordstest.Point(step, v), recordstest.Point(2*step, v)}
		recs = append(recs, r)
	}
	return recs
}

// TestNamedSituations has situations whose truth is known, one by one, with what a reader who knows it accepts as a verdict.
func TestNamedSituations(t *testing.T) {
	type change = func(c *Claim)
	of := func(kind, published, is string, changes ...change) Claim {
		c := Claim{Kind: kind, Method: "a", Metric: "error", Published: published, PublishedIs: is}
		if kind == "rate" || strings.HasPrefix(kind, "geometric") || kind == "reach" || kind == "ratio" {
			c.X = "step"
		}
		if kind == "order" || kind == "match" || kind == "ratio" {
			c.Against = []string{"b"}
		}
		for _, f := range changes {
			f(&c)
		}
		return c
	}
	within := func(tolerance float64) change { return func(c *Claim) { c.Tolerance = tolerance } }
	target := func(v float64) change { return func(c *Claim) { c.Target = v } }
	atMost, atLeast := func(c *Claim) { c.AtMost = true }, func(c *Claim) { c.AtLeast = true }
	every := func(c *Claim) { c.AtMost, c.Every = true, true }
	exact := func(c *Claim) { c.Exact = "nothing is drawn" }
	relative := func(c *Claim) { c.Relative = true }
	a, b := func(v ...float64) []*records.Record { return recordstest.Flat("a", v...) }, func(v ...float64) []*records.Record { return recordstest.Flat("b", v...) }
	same := func(v float64) []float64 { return slices.Repeat([]float64{v}, 10) }
	join := recordstest.Join
	ended := func(recs []*records.Record, s records.Status) []*records.Record {
		recordstest.Ended(recs[len(recs)-1], s)
		return recs
	}
	power := func(p float64) func(float64) float64 { return func(x float64) float64 { return math.Pow(x, p) } }
	floor := func(x float64) float64 { return 1/x + 1/700.0 }
	bend := func(x float64) float64 { return 1 / max(x, 100) }
	transient := func(x float64) float64 { return 1/x + 2/(x*x*x) }
	along := func(of func(t float64) float64) []*records.Record {
		var recs []*records.Record
		for seed, factor := range []float64{1, 3, 0.4, 1.7, 0.8} {
			recs = append(recs, recordstest.Along("a", uint64(seed+1), func(t float64) float64 { return factor * of(t) * (1 + 0.01*math.Sin(t*float64(seed+1))) }))
		}
		return recs
	}
	linear := func(rho float64) func(float64) float64 { return func(t float64) float64 { return math.Pow(rho, t) } }
	stalled := func(floor float64) func(float64) float64 {
		return func(t float64) float64 { return math.Pow(0.9, t) + floor }
	}
	phases := func(t float64) float64 { return math.Pow(0.9, min(t, 200)) * math.Pow(0.99, max(0, t-200)) }
	all := func(c *Claim) { c.Window = [2]float64{10, 400} }
	bound := func(c *Claim) { c.Bound, c.AtLeast = "bound", true }
	measured := func(v float64, recs []*records.Record) []*records.Record {
		for _, r := range recs {
			r.Points[len(r.Points)-1].Values["bound"] = &v
		}
		return recs
	}
	nine := []float64{0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 1.4}
	heavy := []float64{0.02, 0.05, 0.05, 0.1, 0.1, 0.2, 0.2, 0.5, 2, 11.8} // the mean is 1.5, and 8 of 10 are below 1
	order, printed := of("order", "", ""), []float64{0.14, 0.15, 0.16, 0.155, 0.145}
	for _, s := range []struct {
		name   string
		claim  Claim
		recs   []*records.Record
		want   Word
		shares int
		metric Metric
	}{
		{name: "a bound for every run, which one of ten breaks", claim: of("value", "1", "theorem", every), recs: a(nine...), want: Deviates},
		{name: "the same bound of the mean", claim: of("value", "1", "theorem", atMost), recs: a(nine...), want: Reproduced},
		{name: "a bound for every run that all keep", claim: of("value", "1", "theorem", every), recs: a(nine[:9]...), want: Reproduced},
		{name: "a bound for every run, of two runs", claim: of("value", "1", "theorem", every), recs: a(0.5, 0.6), want: Inconclusive},
		{name: "deterministic methods, and the number printed", claim: of("value", "0.15", "run"), recs: a(same(0.15)...), want: Inconclusive},
		{name: "deterministic methods, and another number", claim: of("value", "0.25", "run"), recs: a(same(0.15)...), want: Inconclusive},
		{name: "deterministic methods on one test set, ranked by it", claim: order, recs: join(a(same(0.15)...), b(same(0.151)...)), want: Inconclusive, shares: 10_000},
		{name: "deterministic methods on one test set, far apart", claim: order, recs: join(a(same(0.15)...), b(same(0.25)...)), want: Reproduced, shares: 10_000},
		{name: "an error of 10,000 rows, near the printed one", claim: of("value", "0.153", "run"), recs: a(same(0.15)...), want: Reproduced, shares: 20_000},
		{name: "the same of half of the rows, of which a quarter more or less may be the same by chance", claim: of("value", "0.153", "run"), recs: a(same(0.15)...), want: Inconclusive, shares: 10_000},
		{name: "an error of 10,000 rows, far from the printed one", claim: of("value", "0.19", "run"), recs: a(same(0.15)...), want: Deviates, shares: 10_000},
		{name: "two seeds that tie by chance", claim: of("value", "0.15", "run"), recs: a(0.15, 0.15), want: Inconclusive},
		{name: "two seeds that tie by chance on another number", claim: of("value", "0.25", "run"), recs: a(0.15, 0.15), want: Inconclusive},
		{name: "two methods that tie on two seeds", claim: order, recs: join(a(1, 1), b(1, 1)), want: Inconclusive},
		{name: "no error in 10,000 rows, and a bound of 0.1 %", claim: of("value", "0.001", "theorem", atMost), recs: a(same(0)...), want: Reproduced, shares: 10_000},
		{name: "no error in 100 rows, and a bound of 0.1 %", claim: of("value", "0.001", "theorem", atMost), recs: a(same(0)...), want: Inconclusive, shares: 100},
		{name: "what is no share is zero on every seed", claim: of("value", "0.001", "theorem", atMost), recs: a(same(0)...), want: Inconclusive},
		{name: "counted work, as derived", claim: of("value", "1048576", "theorem", within(0.5), func(c *Claim) { c.Metric = "flops" }), recs: counting(1<<20, 3), want: Reproduced},
		{name: "counted work, one operation off", claim: of("value", "1048577", "theorem", within(0.5), func(c *Claim) { c.Metric = "flops" }), recs: counting(1<<20, 3), want: Deviates},
		{name: "nothing is drawn, and the claim says so", claim: of("value", "0.15", "theorem", exact), recs: a(same(0.15)...), want: Reproduced},
		{name: "nothing is drawn, and it is another number", claim: of("value", "0.25", "theorem", exact), recs: a(same(0.15)...), want: Deviates},
		{name: "a tie is not better, where nothing is drawn", claim: of("order", "", "", exact), recs: join(a(1, 1), b(1, 1)), want: Deviates},

		{name: "400 times faster, seen late, is not 4 times", claim: of("ratio", "4", "theorem", within(1), target(1)), recs: join(late("a", 100, true, 5), late("b", 400, true, 5)), want: Inconclusive},
		{name: "400 times faster, seen late, is 4 times or more", claim: of("ratio", "4", "theorem", atLeast, target(1)), recs: join(late("a", 100, true, 5), grownTo("b", 400, 5)), want: Reproduced},
		{name: "there at the first evaluation: at least 8 times, not 4", claim: of("ratio", "4", "theorem", within(1), target(1)), recs: join(late("a", 100, true, 5), late("b", 400, false, 5)), want: Deviates},
		{name: "censored at both ends, for the claim", claim: of("ratio", "4", "theorem", atLeast, target(1)), recs: join(late("a", 100, true, 5), late("b", 400, false, 5)), want: Reproduced},
		{name: "censored at both ends, against it", claim: of("ratio", "4", "theorem", atLeast, target(1)), recs: join(late("a", 400, false, 5), late("b", 100, true, 5)), want: Deviates},
		{name: "neither gets there", claim: of("ratio", "4", "theorem", atLeast, target(1)), recs: join(late("a", 400, false, 5), late("b", 100, false, 5)), want: Inconclusive},
		{name: "never reached, within an upper bound", claim: of("reach", "500", "theorem", atMost, target(1)), recs: late("a", 400, false, 5), want: Deviates},
		{name: "never reached, beyond a lower bound", claim: of("reach", "500", "theorem", atLeast, target(1)), recs: late("a", 400, false, 5), want: Reproduced},
		{name: "not reached before the bound is", claim: of("reach", "5000", "theorem", atMost, target(1)), recs: late("a", 400, false, 5), want: Inconclusive},
		{name: "reached before the first look, and before the bound", claim: of("reach", "500", "theorem", atMost, target(1)), recs: late("a", 400, true, 5), want: Reproduced},
		{name: "reached before the first look, a place claimed", claim: of("reach", "390", "theorem", within(20), target(1)), recs: late("a", 400, true, 5), want: Inconclusive},
		{name: "two of twelve never get there, the median does", claim: of("reach", "100", "theorem", within(10), target(1)), recs: twelve(), want: Reproduced},

		{name: "1/t", claim: of("rate", "-1", "theorem", within(0.1)), recs: grown("a", power(-1)), want: Reproduced},
		{name: "1/√t is not 1/t", claim: of("rate", "-1", "theorem", within(0.1)), recs: grown("a", power(-0.5)), want: Deviates},
		{name: "1/t above a floor is no 1/√t", claim: of("rate", "-0.5", "theorem", within(0.1), whole), recs: grown("a", floor), want: Inconclusive},
		{name: "1/t above a floor is not O(1/√t)", claim: of("rate", "-0.5", "theorem", within(0.1), whole, atMost), recs: grown("a", floor), want: Inconclusive},
		{name: "flat and then 1/t is no t^-0.7", claim: of("rate", "-0.7", "theorem", within(0.1), whole), recs: grown("a", bend), want: Inconclusive},
		{name: "flat and then 1/t is O(t^-0.7)", claim: of("rate", "-0.7", "theorem", within(0.1), whole, atMost), recs: grown("a", bend), want: Reproduced},
		{name: "flat and then 1/t does not deviate from 1/t", claim: of("rate", "-1", "theorem", within(0.1), whole), recs: grown("a", bend), want: Inconclusive},
		{name: "a transient before 1/t", claim: of("rate", "-1", "theorem", within(0.1), whole), recs: grown("a", transient), want: Reproduced},
		{name: "faster than its bound", claim: of("rate", "-0.5", "theorem", atMost), recs: grown("a", power(-1)), want: Reproduced},
		{name: "slower than its bound", claim: of("rate", "-1", "theorem", atMost), recs: grown("a", power(-0.5)), want: Deviates},
		{name: "rises, and is said to fall", claim: of("rate", "0", "theorem", atMost), recs: grown("a", power(0.3)), want: Deviates},
		{name: "a slope that seeds do not share", claim: of("rate", "-1", "theorem", within(0.1)), recs: join(grown("a", power(-0.7))[:2], seeded(grown("a", power(-1.3))[2:4])), want: Inconclusive},
		{name: "a line through two points", claim: of("rate", "-1", "theorem", within(0.1)), recs: a(1, 1), want: Inconclusive},
		{name: "a curve that reaches zero", claim: of("rate", "-1", "theorem", within(0.1)), recs: grown("a", func(x float64) float64 { return max(0, 1-x/1000) }), want: Inconclusive},

		{name: "0.95^t", claim: of("geometric", "0.95", "theorem", within(0.01)), recs: along(linear(0.95)), want: Reproduced},
		{name: "0.95^t is not 0.9^t", claim: of("geometric", "0.9", "theorem", within(0.01)), recs: along(linear(0.95)), want: Deviates},
		{name: "0.95^t is O(0.96^t)", claim: of("geometric", "0.96", "theorem", atMost), recs: along(linear(0.95)), want: Reproduced},
		{name: "0.95^t is not O(0.94^t)", claim: of("geometric", "0.94", "theorem", atMost), recs: along(linear(0.95)), want: Deviates},
		{name: "a printed factor of one run", claim: of("geometric", "0.95", "run"), recs: along(linear(0.95)), want: Reproduced},
		{name: "1/t converges more slowly than 0.9^t", claim: of("geometric", "0.9", "theorem", atMost), recs: along(power(-1)), want: Deviates},
		{name: "1/t is no 0.99^t, which fits the whole of it", claim: of("geometric", "0.992", "theorem", within(0.002), all), recs: along(power(-1)), want: Inconclusive},
		{name: "1/√t is not O(0.99^t)", claim: of("geometric", "0.99", "theorem", atMost), recs: along(power(-0.5)), want: Deviates},
		{name: "0.9^t with a floor of noise does not converge to it", claim: of("geometric", "0.97", "theorem", atMost, all), recs: along(stalled(1e-9)), want: Inconclusive},
		{name: "0.9^t above noise, late", claim: of("geometric", "0.97", "theorem", atMost, func(c *Claim) { c.Window = [2]float64{250, 400} }), recs: along(stalled(1e-9)), want: Deviates},
		{name: "0.9^t down to rounding", claim: of("geometric", "0.9", "theorem", within(0.01)), recs: along(stalled(1e-16)), want: Reproduced},
		{name: "0.9^t down to zero", claim: of("geometric", "0.9", "theorem", within(0.01)), recs: along(func(t float64) float64 { return math.Pow(0.9, t) * math.Ceil(max(0, 1-t/350)) }), want: Reproduced},
		{name: "0.9^t and then 0.99^t is no 0.95^t", claim: of("geometric", "0.95", "theorem", within(0.02), all), recs: along(phases), want: Inconclusive},
		{name: "diverges, and is said to converge", claim: of("geometric", "0.99", "theorem", atMost), recs: along(linear(1.02)), want: Deviates},
		{name: "one of five seeds diverges", claim: of("geometric", "0.99", "theorem", atMost), recs: join(along(linear(0.95))[:4], along(linear(1.02))[4:]), want: Inconclusive},
		{name: "within a measured bound", claim: of("geometric-bound", "1", "theorem", bound), recs: measured(0.96, along(linear(0.95))), want: Reproduced},
		{name: "beyond a measured bound", claim: of("geometric-bound", "1", "theorem", bound), recs: measured(0.94, along(linear(0.95))), want: Deviates},
		{name: "as fast as a measured bound says", claim: of("geometric-bound", "1", "theorem", within(0.05), func(c *Claim) { c.Bound = "bound" }), recs: measured(0.95, along(linear(0.95))), want: Reproduced},
		{name: "a bound that bounds nothing", claim: of("geometric-bound", "1", "theorem", bound), recs: measured(1, along(linear(0.95))), want: Inconclusive},
		{name: "a bound that was not measured", claim: of("geometric-bound", "1", "theorem", bound), recs: along(linear(0.95)), want: Inconclusive},

		{name: "heavy tails: better on most seeds, 1.5 times worse in the mean", claim: order, recs: join(a(heavy...), b(same(1)...)), want: Inconclusive},
		{name: "heavy tails: far better in every mean", claim: order, recs: join(a(heavy...), b(same(1000)...)), want: Reproduced},
		{name: "better on every seed", claim: order, recs: join(a(1, 2, 3), b(1.5, 3.1, 4.4)), want: Reproduced},
		{name: "now better, now worse", claim: order, recs: join(a(1, 2, 3), b(2, 1, 3.1)), want: Inconclusive},
		{name: "better than one, worse than another", claim: of("order", "", "", func(c *Claim) { c.Against = []string{"b", "c"} }), recs: join(a(2, 3, 4), b(4, 6.1, 8.2), recordstest.Flat("c", 1, 1.6, 2.1)), want: Deviates},
		{name: "better where larger is", claim: order, recs: join(a(0.9, 0.91, 0.92), b(0.8, 0.82, 0.81)), want: Reproduced, metric: Metric{Name: "error", Better: "larger"}},
		{name: "better, with zero and negative values", claim: order, recs: join(a(-3, -2, 0), b(1, 2.01, 4.02)), want: Reproduced},
		{name: "numbers near the largest there are", claim: order, recs: join(a(1e306, 1.1e306, 1.05e306), b(3e306, 3.2e306, 3.1e306)), want: Reproduced},
		{name: "numbers whose interval overflows", claim: of("value", "1", "run"), recs: a(1e306, 1.7e308, 1e-300), want: Failed},
		{name: "as the rival", claim: of("match", "", "", within(0.1)), recs: join(a(1, 2, 3), b(1.01, 2.02, 2.99)), want: Reproduced},
		{name: "not as the rival", claim: of("match", "", "", within(0.1)), recs: join(a(1, 2, 3), b(1.5, 2.51, 3.5)), want: Deviates},
		{name: "a factor of what is negative", claim: of("match", "", "", within(2), relative), recs: join(a(-1, 1), b(1, 1)), want: Inconclusive},

		{name: "a printed run, as ours", claim: of("value", "0.152", "run"), recs: a(0.144, 0.15, 0.156, 0.153, 0.147), want: Reproduced},
		{name: "a printed run, as ours, which spread so much that a quarter more might be, too", claim: of("value", "0.152", "run"), recs: a(printed...), want: Inconclusive},
		{name: "the same, of which a difference of a third is enough to be seen", claim: of("value", "0.152", "run", func(c *Claim) { c.Visible = 0.33 }), recs: a(printed...), want: Reproduced},
		{name: "a printed run, within a tolerance", claim: of("value", "0.152", "run", within(0.01)), recs: a(0.144, 0.15, 0.156, 0.153, 0.147), want: Reproduced},
		{name: "a printed zero, as ours", claim: of("value", "0.0", "run"), recs: a(0.012, 0.013, 0.012), want: Reproduced},
		{name: "a printed zero, and ours may be a unit away", claim: of("value", "0.0", "run"), recs: a(0.01, 0.05, 0.002), want: Inconclusive},
		{name: "a printed run, far from ours", claim: of("value", "0.205", "run"), recs: a(printed...), want: Deviates},
		{name: "a printed run, and ours spread more than it", claim: of("value", "0.05", "run"), recs: a(0.01, 0.9, 0.2), want: Inconclusive},
		{name: "a printed run, and two of ours", claim: of("value", "0.152", "run"), recs: a(0.14, 0.16), want: Inconclusive},
		{name: "a printed mean of ten runs", claim: of("value", "0.152", "mean of 10"), recs: a(printed...), want: Reproduced},
		{name: "another mean of ten runs", claim: of("value", "0.170", "mean of 10"), recs: a(printed...), want: Deviates},
		{name: "within a tolerance", claim: of("value", "0.16", "theorem", within(0.03)), recs: a(printed...), want: Reproduced},
		{name: "beyond a tolerance", claim: of("value", "0.20", "theorem", within(0.03)), recs: a(printed...), want: Deviates},
		{name: "at the end of a tolerance", claim: of("value", "0.18", "theorem", within(0.03)), recs: a(printed...), want: Inconclusive},
		{name: "a negative number", claim: of("value", "-1.0", "theorem", within(0.1)), recs: a(-1.01, -0.99, -1), want: Reproduced, metric: Metric{Name: "error", Signed: true}},

		{name: "one seed", claim: of("value", "0.15", "run"), recs: a(0.15), want: Inconclusive},
		{name: "one seed of two methods", claim: order, recs: join(a(1), b(5)), want: Inconclusive},
		{name: "one seed breaks a bound for every run", claim: of("value", "1", "theorem", every), recs: a(1.4), want: Deviates},
		{name: "a seed diverged", claim: of("value", "0.15", "run"), recs: ended(a(printed...), records.Diverged), want: Failed},
		{name: "a seed of the rival diverged", claim: order, recs: ended(join(a(1, 2, 3), b(4, 5, 6)), records.Diverged), want: Failed},
		{name: "a value that is not finite", claim: of("value", "0.15", "run"), recs: a(0.15, math.NaN(), 0.16), want: Failed},
		{name: "no run", claim: of("value", "0.15", "run"), want: NotRun},
		{name: "a rival that did not run", claim: order, recs: a(1, 2, 3), want: NotRun},
		{name: "a metric that was not measured", claim: of("value", "0.15", "run", func(c *Claim) { c.Metric = "loss" }), recs: a(printed...), want: Inconclusive},
	} {
		exp := experiment(s.claim)
		exp.Metrics = []Metric{s.metric}
		if s.shares > 0 {
			exp.Metrics = []Metric{{Name: "error", ShareOf: "test"}}
			for _, r := range s.recs {
				r.Header.Resolved = map[string]float64{"test": float64(s.shares)}
			}
		}
		v := Judge(exp, s.recs).Verdicts[0]
		assert.Equal(t, s.want, v.Verdict, "%s: %s", s.name, v.Reason)
	}
}

// whole is the window of all evaluations.
func whole(c *Claim) { c.Window = [2]float64{1, 1 << (situationSteps - 1)} }

// grownTo returns runs that come down to 1 at a step, on a line from 9.
func grownTo(method string, step int, seeds int) []*records.Record {
	recs := late(method, step, true, seeds)
	for _, r := range recs {
		r.Points = append([]records.Point{recordstest.Point(step/2, 9)}, r.Points...)
	}
	return recs
}

// twelve returns runs that come down to 1 at step 100, but for the last two, which do not.
func twelve() []*records.Record {
	recs := grownTo("a", 100, 12)
	for i, r := range recs {
		for k := range r.Points {
			if v := 9.0 + float64(i); k == 0 || i >= 10 {
				r.Points[k].Values["error"] = &v
			}
		}
	}
	return recs
}

// seeded returns runs with other seeds, from 101 on.
func seeded(recs []*records.Record) []*records.Record {
	for _, r := range recs {
		r.Header.Seed += 100
	}
	return recs
}
