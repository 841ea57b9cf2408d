package claims

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/results/printed"
	"repro/results/records"
	"repro/results/records/recordstest"
)

// experiment returns one with methods a, b and c and the given claims.
func experiment(claims ...Claim) Experiment {
	return Experiment{
		ID: "paper1999/demo", Profile: "paper", Claims: claims,
		Methods:  []Method{{ID: "a", Label: "Method A"}, {ID: "b", Label: "Method B"}, {ID: "c", Label: "Method C"}},
		Original: Original{Settings: map[string]map[string]any{"a": nil, "b": nil, "c": nil}, Claims: claims},
	}
}

func TestJudgeKinds(t *testing.T) {
	value := Claim{Kind: "value", Method: "a", Metric: "error", Published: "15.3", Unit: "percent"}
	tolerant := value
	tolerant.Tolerance = 2
	run := with1(value, func(c *Claim) { c.PublishedIs = "run" })
	rate := Claim{Kind: "rate", Method: "a", Metric: "error", X: "seen", Published: "-1", Tolerance: 0.1}
	falls := Claim{Kind: "rate", Method: "a", Metric: "error", X: "seen", Published: "0", AtMost: true}
	order := Claim{Kind: "order", Method: "a", Against: []string{"b"}, Metric: "error"}
	both := order
	both.Against = []string{"b", "c"}
	match := Claim{Kind: "match", Method: "a", Against: []string{"b"}, Metric: "error", Tolerance: 0.1}
	percentMatch := match
	percentMatch.Unit, percentMatch.Tolerance = "percent", 10
	factor := match
	factor.Relative, factor.Tolerance = true, 2
	ratio := Claim{Kind: "ratio", Method: "a", Against: []string{"b"}, Metric: "error", X: "step", Target: 0.01, Published: "4", Tolerance: 0.5}

	counted := Claim{Kind: "value", Method: "a", Metric: "kernel-evals", Published: "200", PublishedIs: "theorem", Tolerance: 0.5}
	least := with1(ratio, func(c *Claim) { c.Tolerance, c.AtLeast = 0, true })
	at := Claim{Kind: "reach", Method: "a", Metric: "error", X: "step", Target: 0.01, Published: "100", Tolerance: 10}

	tests := []struct {
		name   string
		claim  Claim
		recs   []*records.Record
		want   Word
		reason string
	}{
		{"value inside its rounding", value, recordstest.Flat("a", 0.153, 0.1531, 0.1529), Reproduced, "15.3 %, interval 15.28 to 15.32 of the mean over 3 seeds (which covers at least 94 %), which lies inside [15.25, 15.35)"},
		{"value beside its rounding", value, recordstest.Flat("a", 0.160, 0.161, 0.1605), Deviates, "lies outside"},
		{"value across its rounding", value, recordstest.Flat("a", 0.15, 0.16, 0.153), Inconclusive, "holds all of [15.25, 15.35)"},
		{"run among ours", run, recordstest.Flat("a", 0.151, 0.158, 0.153), Reproduced, "one more run, such as the paper's, is expected between 13.68 and 17.29, which holds all of [15.25, 15.35); a difference of 2.8 points would have been seen"},
		{"run among ours, which spread too much to tell it from another", run, recordstest.Flat("a", 0.15, 0.16, 0.153), Inconclusive, "; only a difference of 4.1 points would have been seen, and one of 3.83 must be before a run like ours counts"},
		{"run among ours, of which a difference of 30 % is enough to be seen", with1(run, func(c *Claim) { c.Visible = 0.3 }), recordstest.Flat("a", 0.15, 0.16, 0.153), Reproduced, "; a difference of 4.1 points would have been seen"},
		{"run that no seed of ours comes near", run, recordstest.Flat("a", 0.160, 0.161, 0.1605), Deviates, "is expected between 15.8 and 16.3, which lies outside [15.25, 15.35)"},
		{"run among two of ours", run, recordstest.Flat("a", 0.15, 0.16), Inconclusive, "holds all of"},
		{"run that two seeds give to the digit", run, recordstest.Flat("a", 0.153, 0.153001), Reproduced, "lies inside [15.25, 15.35)"},
		{"run so noisy that twice the number might be", with1(run, func(c *Claim) { c.Published = "9.9" }), recordstest.Flat("a", 0.05, 0.16, 0.153), Inconclusive, "; no difference would have been seen"},
		{"mean of ten runs", with1(run, func(c *Claim) { c.PublishedIs = "mean of 10" }), recordstest.Flat("a", 0.15, 0.16, 0.153), Reproduced, "the mean of 10 more runs, such as the paper's, is expected between 13.98 and 17.12"},
		{"run within a tolerance", with1(tolerant, func(c *Claim) { c.PublishedIs = "run" }), recordstest.Flat("a", 0.15, 0.16, 0.153), Reproduced, "inside [13.3, 17.3]"},
		{"run whose mean is beyond the tolerance", with1(run, func(c *Claim) { c.Tolerance = 0.1 }), recordstest.Flat("a", 0.156, 0.158, 0.157), Reproduced, "which lies outside [15.2, 15.4]; one more run, such as the paper's, is expected between 15.2"},
		{"value of one seed", value, recordstest.Flat("a", 0.153), Inconclusive, "on one seed, which has no interval; it takes 2 seeds or more"},
		{"value that is not measured", with1(value, func(c *Claim) { c.Metric = "loss" }), recordstest.Flat("a", 1, 1), Inconclusive, "loss of a seed 1 was not measured at the end"},
		{"value that is null", value, recordstest.Flat("a", 1, math.NaN()), Failed, "error of a seed 2 is not finite at the end"},
		{"value that is no number", with1(value, func(c *Claim) { c.Published = "low" }), recordstest.Flat("a", 1, 1), Inconclusive, `published "low" is not a decimal number`},
		{"value at an epoch", with1(tolerant, func(c *Claim) { c.At = records.At{X: "epoch", Value: 0.1}; c.Published = "900" }), []*records.Record{recordstest.Record("a", 1, 9, 1), recordstest.Record("a", 2, 9.0001, 1)}, Reproduced, "error of a at epoch 0.1 is 900 %"},

		{"rate", rate, []*records.Record{recordstest.Power("a", 1, 1, -1.01), recordstest.Power("a", 2, 2, -0.99), recordstest.Power("a", 3, 2, -1)}, Reproduced, "slope of log error of a against log seen"},
		{"rate bounded", falls, []*records.Record{recordstest.Power("a", 1, 1, -0.51), recordstest.Power("a", 2, 2, -0.5)}, Reproduced, "is at most 0"},
		{"rate bounded and not falling", falls, []*records.Record{recordstest.Power("a", 1, 1, 0.51), recordstest.Power("a", 2, 2, 0.5)}, Deviates, "is not at most 0"},
		{"rate bounded and undecided", falls, []*records.Record{recordstest.Power("a", 1, 1, -0.1), recordstest.Power("a", 2, 2, 0.1)}, Inconclusive, "straddles 0"},
		{"rate of a short curve", rate, recordstest.Flat("a", 1, 2), Inconclusive, "a line needs 4"},

		{"better", order, recordstest.Join(recordstest.Flat("a", 1, 2, 3), recordstest.Flat("b", 1.5, 3.1, 4.4)), Reproduced, "error of a divided by that of b at the end is 0.6"},
		{"worse", order, recordstest.Join(recordstest.Flat("a", 1.5, 3.1, 4.4), recordstest.Flat("b", 1, 2, 3)), Deviates, "which is not below 1"},
		{"now better, now worse", order, recordstest.Join(recordstest.Flat("a", 1, 2, 3), recordstest.Flat("b", 2, 1, 3)), Inconclusive, "which straddles 1"},
		{"undecided against one, worse than the other", both, recordstest.Join(recordstest.Flat("a", 2, 3, 4), recordstest.Flat("b", 1, 60, 1), recordstest.Flat("c", 1, 1.6, 2.1)), Deviates, "divided by that of c"},
		{"better than both", both, recordstest.Join(recordstest.Flat("a", 1, 1, 1), recordstest.Flat("b", 4, 4.1, 4.2), recordstest.Flat("c", 2, 2.1, 2.2)), Reproduced, "divided by that of c"},
		{"better with values below zero", order, recordstest.Join(recordstest.Flat("a", -3, -2), recordstest.Flat("b", 1, 2.01)), Reproduced, "error of a minus that of b at the end is -4"},
		{"order without a rival", with1(order, func(c *Claim) { c.Against = nil }), recordstest.Flat("a", 1, 2), Inconclusive, "no rival"},

		{"match", match, recordstest.Join(recordstest.Flat("a", 1, 2, 3), recordstest.Flat("b", 1.01, 2.02, 2.99)), Reproduced, "inside [-0.1, 0.1]"},
		{"match in per cent", percentMatch, recordstest.Join(recordstest.Flat("a", 1, 2, 3), recordstest.Flat("b", 1.01, 2.02, 2.99)), Reproduced, "inside [-10, 10]"},
		{"within a factor", factor, recordstest.Join(recordstest.Flat("a", 1, 2, 3), recordstest.Flat("b", 1.5, 3.1, 4.4)), Reproduced, "inside [0.5, 2]"},
		{"factor of what has no ratio", factor, recordstest.Join(recordstest.Flat("a", 0, 1), recordstest.Flat("b", 1, 1)), Inconclusive, "not positive"},
		{"factor below one", with1(factor, func(c *Claim) { c.Tolerance = 0.1 }), recordstest.Join(recordstest.Flat("a", 1, 1), recordstest.Flat("b", 1, 1)), Inconclusive, "at least 1"},

		// c·step^-1 reaches 0.01 at step 100c.
		{"four times fewer", ratio, []*records.Record{recordstest.Power("a", 1, 1, -1), recordstest.Power("a", 2, 2, -1), recordstest.Power("b", 1, 4, -1), recordstest.Power("b", 2, 8.1, -1)}, Reproduced, "step at which b reaches error 0.01, divided by that of a, is 4.02"},
		{"rival stops too early to tell", ratio, []*records.Record{recordstest.Power("a", 1, 3000, -1), recordstest.Power("a", 2, 3000, -1), flat9("b", 1), flat9("b", 2)}, Inconclusive, "so the ratio in step is only known to lie between 1.748 and infinity"},
		{"method never gets there", ratio, []*records.Record{flat9("a", 1), flat9("a", 2), recordstest.Power("b", 1, 0.1, -1), recordstest.Power("b", 2, 0.1, -1)}, Deviates, "a reaches error 0.01 on 0 of 2 seeds and b on 2"},
		{"rival takes far longer", ratio, []*records.Record{recordstest.Power("a", 1, 0.1, -1), recordstest.Power("a", 2, 0.1, -1), flat9("b", 1), flat9("b", 2)}, Deviates, "between 52,429 and infinity"},
		{"neither gets there", ratio, []*records.Record{flat9("a", 1), flat9("a", 2), flat9("b", 1), flat9("b", 2)}, Inconclusive, "between 0 and infinity"},
		{"at least four times fewer", least, []*records.Record{recordstest.Power("a", 1, 1, -1), recordstest.Power("a", 2, 2, -1), recordstest.Power("b", 1, 40, -1), recordstest.Power("b", 2, 81, -1)}, Reproduced, "which is at least 4"},
		{"slope that rises", with1(falls, func(c *Claim) { c.AtMost, c.AtLeast = false, true }), []*records.Record{recordstest.Power("a", 1, 1, 0.51), recordstest.Power("a", 2, 2, 0.5)}, Reproduced, "is at least 0"},

		{"reached where printed", at, []*records.Record{recordstest.Power("a", 1, 1, -1), recordstest.Power("a", 2, 1.01, -1)}, Reproduced, "step at which a reaches error 0.01 is 100.5"},
		{"reached on one seed of two", at, []*records.Record{recordstest.Power("a", 1, 1, -1), flat9("a", 2)}, Inconclusive, "a reaches error 0.01 on 1 of 2 seeds, so step is only known to lie between 100 and infinity on every seed"},
		{"never reached", at, []*records.Record{flat9("a", 1), flat9("a", 2)}, Deviates, "on 0 of 2 seeds, so step is only known to lie between 524,288 and infinity"},
		{"reached nowhere", with1(at, func(c *Claim) { c.Metric = "loss" }), recordstest.Flat("a", 1, 1), Inconclusive, "has no curve against step"},

		{"ratio of a curve with a null", ratio, recordstest.Join([]*records.Record{recordstest.Record("a", 1, 9, math.NaN()), recordstest.Record("a", 2, 9, 1)}, recordstest.Flat("b", 1, 1)), Failed, "error of a seed 1 is not finite at step 2"},
		{"ratio against a cost nobody has", with1(ratio, func(c *Claim) { c.X = "flops" }), recordstest.Join(recordstest.Flat("a", 1, 1), recordstest.Flat("b", 1, 1)), Inconclusive, "has no curve against flops"},
		{"ratio at no cost", with1(ratio, func(c *Claim) { c.X, c.Target = "flops", 10 }), recordstest.Join(recordstest.Flat("a", 1, 1), recordstest.Flat("b", 1, 1)), Inconclusive, "a seed 1 has error 9 already at flops 0"},
		{"one seed against two rivals", both, recordstest.Join(recordstest.Flat("a", 2), recordstest.Flat("b", 3), recordstest.Flat("c", 2.5)), Inconclusive, "divided by that of c at the end is 0.8 on one seed"},
		{"a bound that was not measured", Claim{Kind: "geometric-bound", Method: "a", Metric: "error", X: "step", Bound: "bound", Published: "1", AtLeast: true}, []*records.Record{recordstest.Geometric("a", 1, 1, 0.9)}, Inconclusive, "bound of a seed 1 was not measured"},
		{"counted work, as derived", counted, recordstest.Flat("a", 1, 1, 1), Reproduced, "kernel-evals of a at the end is 200, 95 % interval 200 to 200"},
		{"counted work, one operation off", with1(counted, func(c *Claim) { c.Published = "201" }), recordstest.Flat("a", 1, 1, 1), Deviates, "lies outside [200.5, 201.5]"},
		{"numbers near the largest there are", order, recordstest.Join(recordstest.Flat("a", 1e306, 1.1e306, 1.05e306), recordstest.Flat("b", 3e306, 3.2e306, 3.1e306)), Reproduced, "divided by that of b at the end is 0.3"},
		{"numbers whose interval overflows", with1(run, func(c *Claim) { c.Published, c.Unit = "1", "" }), recordstest.Flat("a", 1e306, 1.7e308, 1e-300), Failed, "is not finite: values of the runs are too large"},
		{"a printed zero, as ours", with1(run, func(c *Claim) { c.Published, c.Unit = "0.0", "" }), recordstest.Flat("a", 0.012, 0.013, 0.012), Reproduced, "a difference of"},
		{"a unit of its own", with1(value, func(c *Claim) { c.Unit = "kcal/mol" }), recordstest.Flat("a", 15.3, 15.301), Reproduced, "15.3 kcal/mol"},
		{"unknown kind", Claim{Kind: "curvature", Method: "a"}, recordstest.Flat("a", 1), Inconclusive, `unknown kind of claim "curvature"`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			v := Judge(experiment(test.claim), test.recs).Verdicts[0]
			assert.Equal(t, test.want, v.Verdict, v.Reason)
			assert.Contains(t, v.Reason, test.reason)
			assert.Empty(t, v.AtSize)
			_, err := json.Marshal(v)
			assert.NoError(t, err)
		})
	}
}

// Where larger is better, an order asks for the larger value and a target is reached from below.
func TestJudgeWhereLargerIsBetter(t *testing.T) {
	order := Claim{Kind: "order", Method: "a", Against: []string{"b"}, Metric: "error"}
	reach := Claim{Kind: "reach", Method: "a", Metric: "error", X: "step", Target: 100, Published: "100", Tolerance: 10}
	for name, test := range map[string]struct {
		claim  Claim
		recs   []*records.Record
		want   Word
		reason string
	}{
		"better":                 {order, recordstest.Join(recordstest.Flat("a", 1.5, 3.1, 4.4), recordstest.Flat("b", 1, 2, 3)), Reproduced, "error of b divided by that of a at the end is 0.6"},
		"worse":                  {order, recordstest.Join(recordstest.Flat("a", 1, 2, 3), recordstest.Flat("b", 1.5, 3.1, 4.4)), Deviates, "which is not below 1"},
		"better with a negative": {order, recordstest.Join(recordstest.Flat("a", 1, 2.01), recordstest.Flat("b", -3, -2)), Reproduced, "error of b minus that of a at the end is -4"},
		"reached from below":     {reach, []*records.Record{recordstest.Power("a", 1, 1, 1), recordstest.Power("a", 2, 1.01, 1)}, Reproduced, "step at which a reaches error 100 is 99.5"},
		"reached too early":      {reach, []*records.Record{recordstest.Power("a", 1, 2, 1), recordstest.Power("a", 2, 2.1, 1)}, Deviates, "lies outside [90, 110]"},
	} {
		t.Run(name, func(t *testing.T) {
			exp := experiment(test.claim)
			exp.Metrics = []Metric{{Name: "error", Better: "larger"}}
			v := Judge(exp, test.recs).Verdicts[0]
			assert.Equal(t, test.want, v.Verdict, v.Reason)
			assert.Contains(t, v.Reason, test.reason)
		})
	}
}

// with1 returns a changed claim.
func with1(c Claim, change func(*Claim)) Claim {
	change(&c)
	return c
}

// flat9 returns a record that stays at 9.
func flat9(method string, seed uint64) *records.Record { return recordstest.Power(method, seed, 9, 0) }

func TestJudgeStates(t *testing.T) {
	order := Claim{ID: "better", Kind: "order", Method: "a", Against: []string{"b"}, Metric: "error"}
	value := Claim{ID: "v", Kind: "value", Method: "a", Metric: "error", Published: "1"}
	good := func() []*records.Record {
		return recordstest.Join(recordstest.Flat("a", 1, 2, 3), recordstest.Flat("b", 1.5, 3.1, 4.4))
	}
	all := []Planned{{"a-1", "a", ""}, {"a-2", "a", ""}, {"a-3", "a", ""}, {"b-1", "b", ""}, {"b-2", "b", ""}, {"b-3", "b", ""}, {"c-1", "c", ""}}
	each := func(change func(*records.Record)) []*records.Record {
		recs := good()
		for _, r := range recs {
			change(r)
		}
		return recs
	}
	one := func(i int, s records.Status) []*records.Record {
		recs := good()
		recordstest.Ended(recs[i], s)
		return recs
	}
	tests := []struct {
		name   string
		claim  Claim
		recs   []*records.Record
		want   Word
		atSize Word
		reason string
	}{
		{"all there", order, good(), Reproduced, "", "which is below 1"},
		{"nothing there", order, nil, NotRun, "", "no record of a-1, a-2, a-3 and 3 more at profile paper"},
		{"one missing", order, good()[:5], NotRun, "", "no record of b-3 at profile paper"},
		{"another profile", order, each(func(r *records.Record) { r.Header.Profile = "quick" }), NotRun, "", "at profile paper; there are records at profile quick"},
		{"another experiment", order, each(func(r *records.Record) { r.Header.Experiment = "x/y" }), NotRun, "", "no record"},
		{"a method not laid out", with1(order, func(c *Claim) { c.Against = []string{"z"} }), good(), NotRun, "", "no record of z"},
		{"one failed", order, one(5, records.Failed), Failed, "", "b seed 3 failed: because"},
		{"one diverged", order, one(0, records.Diverged), Failed, "", "a seed 1 diverged: because"},
		{"one skipped", order, one(3, records.Skipped), NotRun, "", "b seed 1 skipped: because"},
		{"one partial", order, one(1, records.Partial), Inconclusive, "", "a seed 2 partial; run it again"},
		{"one timed out", order, one(1, records.Timeout), Inconclusive, "", "a seed 2 timeout: because"},
		{"another method's failure", value, one(5, records.Failed), Inconclusive, "", "error of a at the end is 2"},
		{"failed and missing", order, one(1, records.Failed)[:5], Failed, "", "a seed 2 failed"},
		{"substitute data", order, each(func(r *records.Record) { r.Header.Provenance.Substitute = "virtual examples" }), NotComparable, Reproduced, "ran on substitute data: virtual examples; judged by these runs the verdict would be reproduced"},
		{"budget in untimed seconds", order, each(func(r *records.Record) { r.Header.Provenance.Exempt = "seconds"; r.Header.Provenance.Timed = false }), NotComparable, "", "beside other runs"},
		{"budget in timed seconds", order, each(func(r *records.Record) { r.Header.Provenance.Exempt = "seconds" }), Reproduced, "", ""},
		{"untimed, no seconds", order, each(func(r *records.Record) { r.Header.Provenance.Timed = false }), Reproduced, "", ""},
		{"read at untimed seconds", with1(order, func(c *Claim) { c.At = records.At{X: "seconds", Value: 100} }), each(func(r *records.Record) { r.Header.Provenance.Timed = false }), NotComparable, "", "beside other runs"},
		{"seconds of two machines", with1(order, func(c *Claim) { c.Metric = "seconds" }), with2(good(), func(r *records.Record) { r.Header.Timing.CPU = "other" }), NotComparable, "", "different machines"},
		{"seconds on two numbers of threads", with1(order, func(c *Claim) { c.Metric = "seconds" }), with2(good(), func(r *records.Record) { r.Header.Timing.Threads++ }), NotComparable, "", "numbers of threads"},
		{"printed seconds", with1(value, func(c *Claim) { c.Metric = "seconds" }), good(), NotComparable, Inconclusive, "its seconds were measured on other hardware than the paper's"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			exp := experiment(test.claim)
			exp.Expected = all
			v := Judge(exp, test.recs).Verdicts[0]
			assert.Equal(t, test.want, v.Verdict, v.Reason)
			assert.Equal(t, test.atSize, v.AtSize)
			assert.Contains(t, v.Reason, test.reason)
			if v.Verdict == NotRun || v.Verdict == Failed {
				assert.Nil(t, v.Measured)
			}
		})
	}
}

// with2 returns the records after a change of the last one.
func with2(recs []*records.Record, change func(*records.Record)) []*records.Record {
	change(recs[len(recs)-1])
	return recs
}

func TestJudgeFillsInTheNumbers(t *testing.T) {
	c := Claim{ID: "v", Kind: "value", Statement: "s", Source: "Fig. 1", Method: "a", Metric: "error", Published: "15.3", Unit: "percent"}
	v := Judge(experiment(c), recordstest.Flat("a", 0.152, 0.154)).Verdicts[0]
	assert.InDelta(t, 15.3, *v.Measured, 1e-12)
	assert.InDelta(t, 15.3-12.706*0.1, *v.Low, 1e-4)
	assert.Equal(t, [2]float64{15.25, 15.35}, [2]float64{*v.PublishedLow, *v.PublishedHigh})
	assert.Equal(t, [2]float64{15.25, 15.35}, [2]float64{*v.Accept[0], *v.Accept[1]})
	assert.Equal(t, 2, v.Seeds)
	assert.InDeltaSlice(t, []float64{15.2, 15.4}, v.Values, 1e-9)
	assert.Nil(t, v.Next)

	c.PublishedIs = "run"
	r := Judge(experiment(c), recordstest.Flat("a", 0.152, 0.154)).Verdicts[0]
	mean, sd := math.Sqrt(15.2*15.4), math.Log(15.4/15.2)/math.Sqrt2
	assert.True(t, r.Log)
	assert.InDeltaSlice(t, []float64{mean, sd}, []float64{*r.Measured, *r.SD}, 1e-9)
	root := math.Cbrt(15.2) + math.Cbrt(15.4) - 12.706*math.Sqrt(3)*(math.Cbrt(15.4)-math.Cbrt(15.2)) // twice, on the scale that reaches farther down
	assert.InDeltaSlice(t, []float64{math.Pow(root/2, 3), mean * math.Exp(12.706*sd*math.Sqrt(1.5))}, r.Next[:], 1e-3)
	exp := experiment(c)
	exp.Metrics = []Metric{{Name: "error", Signed: true}}
	assert.False(t, Judge(exp, recordstest.Flat("a", 0.152, 0.154)).Verdicts[0].Log, "what can be negative has no logarithmic scale")

	// Shares of 1,000 test rows that agree have the spread of their rounding.
	equal := recordstest.Flat("a", 0.153, 0.153, 0.153)
	for _, r := range equal {
		r.Header.Resolved = map[string]float64{"test": 1000}
	}
	c.Published = "15.4"
	exp = experiment(c)
	assert.Equal(t, Inconclusive, Judge(exp, equal).Verdicts[0].Verdict)
	exp.Metrics = []Metric{{Name: "error", Unit: "fraction", ShareOf: "test"}}
	share := Judge(exp, equal).Verdicts[0]
	assert.Equal(t, Inconclusive, share.Verdict, share.Reason)
	assert.Contains(t, share.Reason, "; only a difference of 7.7 points would have been seen, and one of 3.85 must be")
	p := 155.0 / 1004
	assert.InDelta(t, 1.959964*math.Sqrt((1-p)/(1000*p)), math.Log(*share.High / *share.Measured), 1e-6)
	equal[2].Points[len(equal[2].Points)-1].Values["error"] = records.Value(0.154)
	rounded := Judge(exp, equal).Verdicts[0]
	assert.InDelta(t, math.Hypot(0.1/math.Sqrt(12)/15.333, math.Log(0.154/0.153)/math.Sqrt(3)), *rounded.SD, 1e-5)

	r = Judge(experiment(Claim{Kind: "rate", Method: "a", Metric: "error", Published: "-1", Tolerance: 0.2, Window: [2]float64{16, 65536}}),
		[]*records.Record{recordstest.Power("a", 1, 1, -1), recordstest.Power("a", 2, 1, -1.1)}).Verdicts[0]
	assert.Equal(t, &[2]float64{16, 65536}, r.Window)
	assert.Len(t, r.Sensitivity, 5)

	o := Judge(experiment(Claim{Kind: "order", Method: "a", Against: []string{"b"}, Metric: "error"}), recordstest.Join(recordstest.Flat("a", 1, 1), recordstest.Flat("b", 2, 2))).Verdicts[0]
	assert.InDelta(t, 0.5, *o.Measured, 1e-12)
	assert.Nil(t, o.Accept[0])
	assert.Equal(t, 1.0, *o.Accept[1])
}

func TestJudgeWarnsOfMixtures(t *testing.T) {
	recs := recordstest.Flat("a", 1, 1, 1)
	recs[1].Header.Digest = "other"
	recs[2].Header.Provenance.Commit = "other"
	recs[1].Header.Provenance.Data = []records.DataDigest{{Name: "a.bin"}, {Name: "b.bin", Differs: "has another sha1"}}
	v := Judge(experiment(Claim{Kind: "value", Method: "a", Metric: "error", Published: "1"}), recs).Verdicts[0]
	assert.Equal(t, []string{"a mixes runs that vary in digest", "mixes runs that vary in commit", "ran on files that are not the published ones, as its records say: b.bin"}, v.Warnings)
}

// The median of seeds of which some are only known to lie in a range is decided at the confidence of the look, too.
func TestALaterLookAtAMedian(t *testing.T) {
	var recs []*records.Record
	for seed := range uint64(12) {
		first := 9.0
		if seed < 2 {
			first = 1 // it reached the target somewhere before
		}
		recs = append(recs, recordstest.Record("a", seed+1, first, 1, 0.5))
	}
	c := Claim{Kind: "reach", Method: "a", Metric: "error", X: "step", Target: 1, Published: "2", Tolerance: 0.5}
	for planned, word := range map[int]Word{0: Reproduced, 12: Reproduced, 2: Inconclusive, 13: Inconclusive} {
		exp := experiment(c)
		exp.Methods = []Method{{ID: "a", Planned: planned}}
		v := Judge(exp, recs).Verdicts[0]
		assert.Equal(t, word, v.Verdict, "%d planned: %s", planned, v.Reason)
		assert.Contains(t, v.Reason, "is only known to lie between")
	}
}

// What had happened at the first evaluation is not known to have happened there.
func TestJudgeALateFirstEvaluation(t *testing.T) {
	start := func(method string, value float64) (recs []*records.Record) {
		for seed := range uint64(12) {
			recs = append(recs, recordstest.Record(method, seed+1, value, 1, 0.5))
		}
		return recs
	}
	ratio := Claim{Kind: "ratio", Method: "a", Against: []string{"b"}, Metric: "error", X: "seen", Target: 1, Published: "2", AtLeast: true}
	judge := func(c Claim, recs ...[]*records.Record) Verdict {
		return Judge(experiment(c), recordstest.Join(recs...)).Verdicts[0]
	}

	v := judge(ratio, start("a", 1), start("b", 9)) // a somewhere before 10 examples, b at 20
	assert.Equal(t, Reproduced, v.Verdict, v.Reason)
	assert.Contains(t, v.Reason, "a reaches error 1 on 12 of 12 seeds (12 at the first evaluation already) and b on 12 of 12 seeds, so the ratio in seen is only known to lie between 2 and infinity")
	ratio.Published = "4" // may be or not
	assert.Equal(t, Inconclusive, judge(ratio, start("a", 1), start("b", 9)).Verdict)
	ratio.AtLeast = false

	// Two seeds of twelve that are not known leave the median known.
	ratio.X, ratio.Published, ratio.Tolerance = "step", "1", 0.1
	some := slices.Concat(start("a", 9)[:10], start("a", 1)[10:])
	v = judge(ratio, some, start("b", 9))
	assert.Equal(t, Reproduced, v.Verdict, v.Reason)
	assert.Contains(t, v.Reason, "lie between 1 and infinity on every seed; its median over seeds lies between 1 and 1 (95.5 %); accepted is [0.9, 1.1]")
	assert.Equal(t, []float64{1, 1, 1}, []float64{*v.Measured, *v.Low, *v.High})
	assert.Equal(t, Inconclusive, judge(ratio, some[5:], start("b", 9)).Verdict, "two of seven")
}

// Of rivals with the same word, one that is better in its own number is named before one that is only less certain.
func TestJudgeNamesTheRivalThatIsBetter(t *testing.T) {
	order := experiment(Claim{Kind: "order", Method: "a", Against: []string{"wild", "better"}, Metric: "error"})
	v := Judge(order, recordstest.Join(recordstest.Flat("a", 1, 1.1, 1.05), recordstest.Flat("wild", 0.5, 2, 9), recordstest.Flat("better", 0.9, 1.1, 0.97))).Verdicts[0]
	assert.Contains(t, v.Reason, "would be inconclusive: error of a divided by that of better")
	assert.Greater(t, *v.Measured, 1.)
}

// A bound for every run is refuted by its worst seed, whatever the mean is.
func TestJudgeEveryRun(t *testing.T) {
	bound := Claim{Kind: "value", Method: "a", Metric: "error", Published: "1", PublishedIs: "theorem", AtMost: true, Every: true}
	judge := func(c Claim, values ...float64) Verdict {
		return Judge(experiment(c), recordstest.Flat("a", values...)).Verdicts[0]
	}

	nine := []float64{0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 1.4}
	v := judge(bound, nine...)
	assert.Equal(t, Deviates, v.Verdict)
	assert.Equal(t, "error of a at the end is 1.4 on the worst of 10 seeds, seed 10, which is not at most 1, and the bound is for every run", v.Reason)

	v = judge(bound, 0.5, 0.9, 0.5, 0.52, 0.51, 0.5, 0.53, 0.5, 0.5, 0.5)
	assert.Equal(t, Reproduced, v.Verdict)
	assert.Equal(t, "error of a at the end is 0.9 on the worst of 10 seeds, seed 2, which is at most 1; runs beyond the bound would have been seen if 26 % of all were", v.Reason)
	assert.Equal(t, Reproduced, judge(bound, 1, 1, 1).Verdict, "the bound itself")
	assert.Equal(t, Inconclusive, judge(bound, 0.2, 0.3, 0.99).Verdict, "so wide that the mean itself may be beyond it")

	least := bound
	least.AtMost, least.AtLeast = false, true
	assert.Contains(t, judge(least, 3, 2, 0.9, 4).Reason, "0.9 on the worst of 4 seeds, seed 3, which is not at least 1")
}

// planned lays out an experiment's methods a and b with three seeds each and the digests of record.
func planned(exp Experiment) Experiment {
	for _, r := range recordstest.Join(recordstest.Flat("a", 1, 1, 1), recordstest.Flat("b", 1, 1, 1)) {
		exp.Expected = append(exp.Expected, Planned{r.Header.Cell, r.Header.Method, r.Header.Digest})
	}
	return exp
}

// Records that the plan does not have count if they have the settings of its records, the contents of files included.
func TestStrays(t *testing.T) {
	all := recordstest.Flat("a", 1, 1.1, 1.2, 9, 9.1)
	exp := planned(experiment(Claim{Kind: "value", Method: "a", Metric: "error", Published: "1", Tolerance: 0.5}))
	other := map[string]any{records.ContentKey: map[string]any{"w.py": "old"}}
	all[3].Header.Settings, all[3].Header.Digest = other, "old"
	assert.Len(t, exp.Own(all), 4)
	strays, keys := exp.Strays(all)
	assert.Equal(t, all[3:4], strays)
	assert.Equal(t, []string{"content.w.py"}, keys)
	assert.Equal(t, 4, Judge(exp, all).Verdicts[0].Seeds)
	assert.Len(t, exp.Own(append(all[3:4:4], all[4])), 2, "without a record of the plan nothing is known")
	all[1].Header.Settings, all[1].Header.Digest = other, "old"
	strays, _ = exp.Strays(all)
	assert.Len(t, strays, 2, "where the plan's own differ, none counts beside them")
	exp.Expected = nil
	assert.Len(t, exp.Own(all), 5, "without a plan all count")
}

// The settings decide what a record is of, not the name of the profile it ran under.
func TestRecordsOfThePlansSettingsCountAtAnyProfile(t *testing.T) {
	exp := planned(experiment(Claim{Kind: "order", Method: "a", Against: []string{"b"}, Metric: "error"}))
	recs := recordstest.Join(recordstest.Flat("a", 1, 2, 3), recordstest.Flat("b", 1.5, 3.1, 4.4))
	for _, r := range recs[:3] {
		r.Header.Profile = "quick"
	}
	v := Judge(exp, recs).Verdicts[0]
	assert.Equal(t, Reproduced, v.Verdict, v.Reason)
	assert.Empty(t, v.Warnings, "they count as being of the experiment's profile")
	assert.Equal(t, "quick", recs[0].Header.Profile, "the caller's record is left alone")

	recs[1].Header.Digest = "other"
	v = Judge(exp, recs).Verdicts[0]
	assert.Equal(t, NotRun, v.Verdict)
	assert.Equal(t, "no record of a-2 at profile paper; there are records at profile quick", v.Reason)

	exp.Expected[1].Digest, recs[1].Header.Digest = "", ""
	assert.Equal(t, NotRun, Judge(exp, recs).Verdicts[0].Verdict, "of unknown settings nothing is known to be the same")
	assert.Len(t, Experiment{ID: exp.ID}.Own(recs), 6, "no profile is any profile")
	assert.Empty(t, Experiment{ID: "x/y"}.Own(recs))
}

func TestRecordsOfOtherSettingsAreNotComparable(t *testing.T) {
	order := Claim{ID: "order", Kind: "order", Method: "a", Against: []string{"b"}, Metric: "error"}
	value := Claim{ID: "value", Kind: "value", Method: "b", Metric: "error", Published: "3.0", PublishedIs: "run", Tolerance: 9}
	const stale = "the records of a have other settings or files than the spec has now; run it again; "
	for _, test := range []struct {
		name   string
		change func([]*records.Record) []*records.Record
		want   [2]Word // verdict and at this size
		reason string
	}{
		{"judged", func(r []*records.Record) []*records.Record { return r }, [2]Word{NotComparable, Reproduced}, stale + "error of a divided by that of b"},
		{"diverged", func(r []*records.Record) []*records.Record { recordstest.Ended(r[1], records.Diverged); return r }, [2]Word{NotComparable, Failed}, stale + "a seed 2 diverged"},
		{"one missing", func(r []*records.Record) []*records.Record { return r[:5] }, [2]Word{NotRun, ""}, "no record of b-3"},
		{"not comparable already", func(r []*records.Record) []*records.Record {
			r[0].Header.Provenance.Substitute = "virtual examples"
			return r
		}, [2]Word{NotComparable, Reproduced}, stale + "ran on substitute data"},
	} {
		t.Run(test.name, func(t *testing.T) {
			exp := planned(experiment(order, value))
			recs := recordstest.Join(recordstest.Flat("a", 1, 2, 3), recordstest.Flat("b", 1.5, 3.1, 4.4))
			recs[0].Header.Digest = "other"
			verdicts := Judge(exp, test.change(recs)).Verdicts
			assert.Equal(t, test.want, [2]Word{verdicts[0].Verdict, verdicts[0].AtSize})
			assert.Contains(t, verdicts[0].Reason, test.reason)
			if test.name != "one missing" {
				assert.Equal(t, Reproduced, verdicts[1].Verdict, "what did not change still counts")
			}
		})
	}
}

func TestJudgeAcrossAndStatistic(t *testing.T) {
	paper := map[string]map[string]any{"b": nil}
	var recs []*records.Record
	var members []string
	for _, d := range []int{2, 4, 8, 16} {
		members = append(members, "a,inputs="+printed.Number(float64(d)))
		for seed := range uint64(2) {
			recs = append(recs, recordstest.Sized(seed+1, d, math.Pow(float64(d), 1+float64(seed)/10000)))
		}
		paper[members[len(members)-1]] = recs[len(recs)-1].Header.Settings
	}
	across := Claim{ID: "d", Kind: "rate", Method: "a", Metric: "error", Published: "1", Tolerance: 0.1, Across: "data.inputs", Members: members}
	mean := Claim{ID: "t", Kind: "rate", Method: "b", Metric: "error", X: "step", Published: "-1", Tolerance: 0.1, Statistic: "mean"}
	recs = append(recs, recordstest.Power("b", 1, 1, -1), recordstest.Power("b", 2, 2, -1), recordstest.Power("b", 3, 2, -1.001))
	exp := experiment(across, mean)
	exp.Original.Settings = paper
	v := Judge(exp, recs).Verdicts
	assert.Equal(t, Reproduced, v[0].Verdict, v[0].Reason)
	assert.Contains(t, v[0].Reason, "slope of log error of a against log data.inputs from 2 to 16 is 1,")
	assert.Equal(t, Reproduced, v[1].Verdict, v[1].Reason)
	assert.Contains(t, v[1].Reason, "slope of log mean over seeds of error of b against log step")

	v = Judge(experiment(with1(mean, func(c *Claim) { c.Statistic = "q90" })), recs).Verdicts
	assert.Equal(t, Inconclusive, v[0].Verdict)
	assert.Equal(t, "the 90 % quantile over 3 seeds has no interval; it takes 20 seeds or more", v[0].Reason)

	v = Judge(experiment(across), recs[2:]).Verdicts
	assert.Equal(t, NotRun, v[0].Verdict)
	assert.Contains(t, v[0].Reason, "no record of a,inputs=2")

	// Across a grid a bend is no power law either.
	bent := with1(across, func(c *Claim) { c.Members = nil; c.Published, c.Tolerance = "2", 0.3 })
	var grid []*records.Record
	for _, d := range []int{2, 4, 8, 16, 32} {
		bent.Members = append(bent.Members, "a,inputs="+printed.Number(float64(d)))
		for seed := range uint64(3) {
			grid = append(grid, recordstest.Sized(seed+1, d, max(float64(d), math.Pow(float64(d), 3)/64)*math.Pow(float64(d), float64(seed)/1000)))
		}
	}
	b := judged(bent, grid)
	assert.Equal(t, Inconclusive, b.Verdict)
	assert.Contains(t, b.Reason, "no power law on this window (1.001 early, 3.001 [2.999, 3.003] late); slope of")

	across.Members = nil
	v = Judge(experiment(across), recs).Verdicts
	assert.Equal(t, NotRun, v[0].Verdict, "no method of the grid is laid out")
}

// A value read at a place is that of the place: a run that ends before has none.
func TestValueBeyondTheEndIsInconclusive(t *testing.T) {
	recs := recordstest.Flat("a", 1, 1, 1.001) // to step 2
	claim := Claim{ID: "v", Kind: "value", Method: "a", Metric: "error", Published: "1.0", At: records.At{X: "step", Value: 2}}
	exp := experiment(claim)
	assert.Equal(t, Reproduced, Judge(exp, recs).Verdicts[0].Verdict)
	exp.Claims[0].At.Value = 3
	v := Judge(exp, recs).Verdicts[0]
	assert.Equal(t, Inconclusive, v.Verdict)
	assert.Equal(t, "a seed 1 ends before step 3", v.Reason)
	exp.Claims[0].At = records.At{X: "step-seconds", Value: 3}
	assert.Equal(t, Reproduced, Judge(exp, timedRecords(recs)).Verdicts[0].Verdict, "what it has at the end, it has from then on")
}

// timedRecords returns the records with a clock worth reading.
func timedRecords(recs []*records.Record) []*records.Record {
	for _, r := range recs {
		r.Header.Provenance.Timed = true
	}
	return recs
}

func TestJudgePlateau(t *testing.T) {
	paper := map[string]map[string]any{}
	var recs []*records.Record
	var members []string
	for i, d := range []int{2, 4, 8, 16} {
		members = append(members, "a,inputs="+printed.Number(float64(d)))
		for seed := range uint64(2) {
			recs = append(recs, recordstest.Sized(seed+1, d, []float64{4, 1.21, 1, 1}[i]*(1+float64(seed)/1000)))
		}
		paper[members[i]] = recs[len(recs)-1].Header.Settings
	}
	of := func(change func(c *Claim)) Verdict {
		c := Claim{ID: "p", Kind: "plateau", Method: "a", Metric: "error", Derived: "5", Tolerance: 1.5, Within: 0.1, Across: "data.inputs", Members: members}
		change(&c)
		exp := experiment(c)
		exp.Original.Settings = paper
		return Judge(exp, recs).Verdicts[0]
	}
	same := func(*Claim) {}
	v := of(same)
	assert.Equal(t, Reproduced, v.Verdict, v.Reason)
	assert.Equal(t, PlaceLevel, v.Quantity())
	assert.InDelta(t, math.Sqrt(4*8), *v.Measured, 1e-9)
	assert.Contains(t, v.Reason, "data.inputs at which a has its error within 10 % of the best beyond is 5.657")
	assert.Contains(t, v.Reason, "inside [3.333333333, 7.5]")
	assert.Equal(t, Deviates, of(func(c *Claim) { c.Derived = "2" }).Verdict)
	assert.Equal(t, Deviates, of(func(c *Claim) { c.Derived = "20" }).Verdict)
	assert.Equal(t, Reproduced, of(func(c *Claim) { c.Derived, c.AtMost = "20", true }).Verdict)
	assert.Equal(t, Reproduced, of(func(c *Claim) { c.Derived, c.AtLeast = "2", true }).Verdict)
	assert.Equal(t, Inconclusive, of(func(c *Claim) { c.Tolerance = 0.5 }).Verdict)

	first := of(func(c *Claim) { c.Within = 5 })
	assert.Contains(t, first.Reason, "is 2, interval 0 to 2 of the geometric mean over 2 seeds (which covers at least 94 %), which lies outside")
	for i, r := range recs {
		recs[i] = recordstest.Sized(r.Header.Seed, int([]float64{2, 2, 4, 4, 8, 8, 16, 16}[i]), []float64{8, 8, 4, 4, 2, 2, 1, 1}[i])
	}
	v = of(same)
	assert.Equal(t, Deviates, v.Verdict)
	assert.Contains(t, v.Reason, "is 8, interval 8 to infinity of the geometric mean over 2 seeds (which covers at least 94 %), which lies outside [3.333333333, 7.5]")
	assert.Nil(t, v.High)
	assert.Equal(t, Inconclusive, of(func(c *Claim) { c.Derived = "10" }).Verdict)
}

// A line through a bend decides only what its second half bears out, and the reason begins with the slopes of both halves.
func TestJudgeBends(t *testing.T) {
	grown := func(of func(x float64) float64) []*records.Record { // ten seeds, at steps 1, 2, 4, ..., 2^19
		return curves(rand.New(rand.NewPCG(1, 2)), "a", 10, 0.02, of)
	}
	along := func(of func(t float64) float64) (recs []*records.Record) { // five seeds, at steps 10, 20, ..., 400
		for seed, factor := range []float64{1, 3, 0.4, 1.7, 0.8} {
			recs = append(recs, recordstest.Along("a", uint64(seed+1), func(t float64) float64 { return factor * of(t) * (1 + 0.01*math.Sin(t*float64(seed+1))) }))
		}
		return recs
	}
	floor := func(x float64) float64 { return 1/x + 1/700.0 }
	bend := func(x float64) float64 { return 1 / max(x, 100) }
	for _, test := range []struct {
		name  string
		claim Claim
		recs  []*records.Record
		want  Word
	}{
		{"1/t above a floor is no 1/√t", rateOf("-0.5", 0.1, false), grown(floor), Inconclusive},
		{"1/t above a floor is not O(1/√t)", rateOf("-0.5", 0.1, true), grown(floor), Inconclusive},
		{"flat and then 1/t is no t^-0.7", rateOf("-0.7", 0.1, false), grown(bend), Inconclusive},
		{"flat and then 1/t is O(t^-0.7)", rateOf("-0.7", 0.1, true), grown(bend), Reproduced},
		{"flat and then 1/t does not deviate from 1/t", rateOf("-1", 0.1, false), grown(bend), Inconclusive},
		{"a transient before 1/t", rateOf("-1", 0.1, false), grown(func(x float64) float64 { return 1/x + 2/(x*x*x) }), Reproduced},
		{"1/t is no 0.99^t, which fits the whole of it", factorOf("0.992", 0.002, false), along(func(t float64) float64 { return 1 / t }), Inconclusive},
		{"0.9^t with a floor of noise does not converge to it", factorOf("0.97", 0, true), along(func(t float64) float64 { return math.Pow(0.9, t) + 1e-9 }), Inconclusive},
		{"0.9^t and then 0.99^t is no 0.95^t", factorOf("0.95", 0.02, false), along(func(t float64) float64 { return math.Pow(0.9, min(t, 200)) * math.Pow(0.99, max(0, t-200)) }), Inconclusive},
	} {
		test.claim.Method, test.claim.Metric = "a", "error"
		v := judged(test.claim, test.recs)
		assert.Equal(t, test.want, v.Verdict, "%s: %s", test.name, v.Reason)
		assert.Equal(t, test.want == Inconclusive, strings.HasPrefix(v.Reason, "no power law on this window (-") || strings.HasPrefix(v.Reason, "no linear convergence on this window (0."), v.Reason)
		assert.Len(t, v.Halves, 2)
		assert.NotNil(t, v.Measured)
	}
}

// Seeds that agree are no certainty: a share of rows varies with the rows, and of anything else nothing is known; counts are exact.
func TestJudgeWithoutSpread(t *testing.T) {
	of := func(metric string, shares ...string) func(c Claim, recs ...[]*records.Record) Verdict {
		return func(c Claim, recs ...[]*records.Record) Verdict {
			c.Method, c.Metric = "a", metric
			exp := experiment(c)
			all := recordstest.Join(recs...)
			for _, r := range all {
				r.Header.Resolved = map[string]float64{"test": 10_000}
			}
			if len(shares) > 0 {
				exp.Metrics = []Metric{{Name: metric, Unit: "fraction", ShareOf: "test"}}
			}
			return Judge(exp, all).Verdicts[0]
		}
	}
	same := func(method string, v float64) []*records.Record { return recordstest.Flat(method, v, v, v, v, v) }
	number, share := of("error"), of("error", "test")

	v := number(Claim{Kind: "value", Published: "0.15", PublishedIs: "run"}, same("a", 0.15))
	assert.Equal(t, Inconclusive, v.Verdict)
	assert.Equal(t, "error of a at the end is 0.15 on all of 5 seeds: nothing varies, so there is no interval; accepted is [0.145, 0.155)", v.Reason)
	assert.Equal(t, 0.15, *v.Measured)
	assert.Nil(t, v.Low)

	// An error of 1.50 % of 10,000 rows has a standard error of 0.12 points.
	printed := Claim{Kind: "value", Published: "1.6", PublishedIs: "run", Unit: Percent}
	v = share(printed, same("a", 0.015))
	assert.Equal(t, Inconclusive, v.Verdict, "a difference of a quarter would not have been seen")
	assert.Contains(t, v.Reason, "error of a at the end (the same on every seed, so that the interval is that of 10,000 rows) is 1.5 %")
	assert.InDelta(t, 1.5*math.Exp(1.96*0.122/1.5), *v.High, 0.01)
	printed.Published = "3.5"
	assert.Equal(t, Deviates, share(printed, same("a", 0.015)).Verdict)
	bound := Claim{Kind: "value", Published: "1.51", PublishedIs: "theorem", AtMost: true, Unit: Percent}
	assert.Equal(t, Inconclusive, share(bound, same("a", 0.015)).Verdict, "another test set may have more")
	bound.Published = "1.8"
	assert.Equal(t, Reproduced, share(bound, same("a", 0.015)).Verdict)
	assert.Equal(t, Reproduced, share(bound, same("a", 0)).Verdict)
	assert.Equal(t, Inconclusive, number(bound, same("a", 0)).Verdict, "what is no share may be anything else tomorrow")

	// Better by 0.0005 or by 0.01 of 10,000 rows.
	order := Claim{Kind: "order", Against: []string{"b"}}
	assert.Equal(t, Inconclusive, share(order, same("a", 0.0150), same("b", 0.0155)).Verdict)
	assert.Equal(t, Reproduced, share(order, same("a", 0.0150), same("b", 0.0250)).Verdict)
	assert.Equal(t, Deviates, share(order, same("a", 0.0250), same("b", 0.0150)).Verdict)
	assert.Equal(t, Inconclusive, share(order, same("a", 0.0150), same("b", 0.0150)).Verdict, "a tie")
	assert.Equal(t, Inconclusive, number(order, same("a", 1), same("b", 2)).Verdict)
	match := Claim{Kind: "match", Against: []string{"b"}, Tolerance: 0.002}
	assert.Equal(t, Inconclusive, share(match, same("a", 0.0150), same("b", 0.0150)).Verdict)
	match.Tolerance = 0.005
	assert.Equal(t, Reproduced, share(match, same("a", 0.0150), same("b", 0.0150)).Verdict)

	// A place is no share, whatever its metric is: on seven seeds that agree neither the rows nor the median give it an interval.
	var places []*records.Record
	for seed := range uint64(7) {
		places = append(places, recordstest.Power("a", seed+1, 1, -1))
	}
	v = share(Claim{Kind: "reach", X: "step", Target: 0.01, Published: "100", PublishedIs: "theorem", Tolerance: 10}, places)
	assert.Equal(t, Inconclusive, v.Verdict)
	assert.Contains(t, v.Reason, "on all of 7 seeds: nothing varies, so there is no interval")
	assert.Nil(t, v.Low)
	assert.InDelta(t, 100, *v.Measured, 1e-9)
}

// The seeds that the file of an imported method lacks were never planned: of a claim about two methods, those of the one with fewer count.
func TestSeedsThatAFileLacks(t *testing.T) {
	absent := func(r *records.Record) *records.Record {
		r = recordstest.Ended(r, records.Skipped)
		r.Points, r.Header.Provenance.Source = nil, records.Imported
		return r
	}
	a, b := recordstest.Flat("a", 1, 1.01, 1.02, 1.03, 1.04), recordstest.Flat("b", 2, 2.01, 2.02, 2.03, 2.04)
	exp := experiment(Claim{ID: "value", Kind: "value", Method: "a", Metric: "error", Published: "1.02", Tolerance: 0.5},
		Claim{ID: "order", Kind: "order", Method: "a", Against: []string{"b"}, Metric: "error"})
	exp.Methods = []Method{{ID: "a", Planned: 5}, {ID: "b", Planned: 5}}
	planned := func(recs []*records.Record) (all []int) {
		for _, v := range Judge(exp, recs).Verdicts {
			require.Equal(t, Reproduced, v.Verdict, v.Reason)
			all = append(all, v.Planned)
		}
		return all
	}
	assert.Equal(t, []int{5, 5}, planned(recordstest.Join(a, b)))
	a[4] = absent(a[4])
	assert.Equal(t, []int{4, 4}, planned(recordstest.Join(a, b)))
	b[3], b[4] = absent(b[3]), absent(b[4])
	assert.Equal(t, []int{4, 3}, planned(recordstest.Join(a, b)))
	assert.Contains(t, Judge(exp, recordstest.Join(a, b)).Verdicts[0].Warnings[0], "judged without a seed 5 skipped")
}
