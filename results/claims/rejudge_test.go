package claims

import (
	"math"
	"slices"
	"strings"

	"repro/results/stats"
)

// Rejudge applies the present claims and the present rule to the numbers of stored verdicts, for claims whose records are
// not kept. A claim without a stored verdict or with one that has no estimate keeps what is stored, or is not run; so is a
// claim that had another kind, metric or method when its numbers were measured. The stored verdicts are of the experiment and
// its profile.
func Rejudge(exp Experiment, stored []Verdict) []Verdict {
	var verdicts []Verdict
	for _, c := range exp.Claims {
		c = exp.measured(c)
		v := newVerdict(exp, c)
		v.Verdict, v.Reason = NotRun, "no stored verdict of this claim"
		if v.Whole() {
			v.Reason = "the numbers of its cells on every seed are not stored"
		}
		for _, old := range stored {
			if old.Experiment != exp.ID || old.Claim != c.ID {
				continue
			}
			if old.Kind != c.Kind || old.Metric != c.Metric || old.Method != c.Method {
				v.Reason = "the stored number is of another kind of claim, metric or method"
				continue
			}
			v = rejudge(v, c, old)
		}
		verdicts = append(verdicts, v)
	}
	return verdicts
}

// rejudge judges the numbers of an old verdict; v is the new one without numbers.
func rejudge(v Verdict, c Claim, old Verdict) Verdict {
	v.Planned = c.planned
	v.Profile, v.Window, v.Sensitivity, v.Halves, v.Warnings = old.Profile, old.Window, old.Sensitivity, old.Halves, old.Warnings
	v.What, v.Measured, v.Low, v.High, v.Seeds, v.Accept = old.What, old.Measured, old.Low, old.High, old.Seeds, old.Accept
	v.Verdict, v.AtSize, v.Reason = old.Verdict, old.AtSize, old.Reason
	if old.Kind == curveKind { // its bands at every place are not stored
		v.Values, v.Parts, v.Next, v.Visible, v.SD, v.Log = old.Values, old.Parts, old.Next, old.Visible, old.SD, old.Log
		if p := old.Parts; p != nil && old.Verdict == Reproduced && c.Tolerance <= 1 && !c.telling(math.Log(p.Visible), p.Lag, p.MostLag) {
			v.Verdict = Inconclusive
			v.Reason += c.askedText(p.MostLag)
		}
		return v
	}
	m := old.measurement()
	m.Joint, m.planned = c.Statistic != "", c.planned
	var err error
	if m.accept, err = c.Accepts(old.Quantity()); err != nil {
		return v
	}
	var word Word
	var reason string
	switch {
	case old.Ranges != nil:
		word, reason = v.ofRanges(m, c, old)
	case !m.Bounded():
		return v
	default:
		if m.Values = old.Values; c.Kind == "value" && old.Kind == "value" && len(old.Scales) == 0 {
			m.Estimate = c.again(m.Estimate)
		}
		switch {
		case c.Kind == "value":
			m.Estimate = c.limited(m.Estimate)
		case m.Quantity == Difference && c.shareOf != "":
			m.Estimate = m.WithLimits(-c.factor(), c.factor())
		}
		word, reason = v.conclude(m, c.Runs())
	}
	if old.Verdict == NotComparable {
		v.AtSize = word
		return v
	}
	v.Values, v.Verdict, v.Reason = old.Values, word, reason
	return v
}

// ofRanges writes the ranges of an old verdict into the new one and judges them.
func (v *Verdict) ofRanges(m Measurement, c Claim, old Verdict) (Word, string) {
	m.N, m.Bounds = old.Seeds, []uint64{0} // of some seed
	m.Undecided, _, _ = strings.Cut(old.Reason, " is only known to lie between")
	m.What = strings.TrimPrefix(old.What, "median over seeds of ")
	for _, r := range old.Ranges {
		end := [2]float64{math.Inf(-1), math.Inf(1)}
		for i, e := range r {
			if e != nil {
				end[i] = *e
			}
		}
		m.Ranges = append(m.Ranges, end)
	}
	v.accept(m.accept)
	v.median(m)
	return m.word(c.Runs())
}

// again estimates the values of an old estimate of the claim anew, with the variance of rounding that it had. Values without a
// spread keep the interval that they have.
func (c Claim) again(old stats.Estimate) stats.Estimate {
	if len(old.Values) < 2 || slices.Min(old.Values) == slices.Max(old.Values) {
		return old
	}
	e := c.estimate(old.Values, 0)
	step := math.Sqrt(12*max(0, old.SD-e.SD)) * math.Sqrt(old.SD+e.SD) // no square of 1e300
	if e.Log {
		step *= e.Mean
	}
	if step < 1e-6*e.SD {
		step = 0
	}
	e = c.estimate(old.Values, step)
	e.Mean, e.SD = old.Mean, old.SD // to the last bit
	return e.OfSeeds(e.N)
}
