package results

import (
	"errors"
	"fmt"
	"math"
)

// decide compares complete records with a claim. It fills in the verdict's numbers and returns its
// word and reason.
func decide(c Claim, recs []*Record, v *Verdict) (Word, string) {
	switch c.Kind {
	case KindValue:
		return decideValue(c, recs, v)
	case KindRate:
		return decideRate(c, recs, v)
	case KindOrder:
		return decideRivals(c, recs, v, compareOrder)
	case KindMatch:
		return decideRivals(c, recs, v, compareMatch)
	case KindRatio:
		return decideRivals(c, recs, v, compareRatio)
	case KindReach:
		return decideReach(c, recs, v)
	}
	return Inconclusive, fmt.Sprintf("unknown kind of claim %q", c.Kind)
}

// decideValue judges the mean over seeds of a printed number.
func decideValue(c Claim, recs []*Record, v *Verdict) (Word, string) {
	a, err := accepted(c)
	if err != nil {
		return undecided(err)
	}
	values := make([]float64, len(recs))
	for i, r := range recs {
		if !r.reaches(c.At) {
			return undecided(fmt.Errorf("%s seed %d ends before %s %s", r.Header.Method, r.Header.Seed, c.At.X, Number(c.At.Value)))
		}
		if values[i], err = read(r, c); err != nil {
			return undecided(err)
		}
	}
	word, reason := v.conclude(fmt.Sprintf("%s of %s %s", c.Metric, c.Method, c.At), MeanInterval(values, Level), a, unit(c))
	if len(values) > 1 && v.PublishedLow != nil {
		low, high := NextInterval(values, Level)
		v.OneRun = &[2]float64{low, high}
		if word != Reproduced {
			reason += fmt.Sprintf("; one more run, as the paper's, would be expected between %s and %s", Number(low), Number(high))
		}
	}
	return word, reason
}

// WithinOneRun reports whether the published number is where one more run would be expected: a paper prints
// one run, not the mean over seeds.
func (v *Verdict) WithinOneRun() bool {
	return v.OneRun != nil && *v.PublishedLow <= v.OneRun[1] && *v.PublishedHigh >= v.OneRun[0]
}

// decideRate judges a slope.
func decideRate(c Claim, recs []*Record, v *Verdict) (Word, string) {
	a, err := accepted(c)
	if err != nil {
		return undecided(err)
	}
	x, metric, rate := abscissaOf(c), c.Metric, Rate{}
	switch {
	case c.Across != "":
		x = c.Across
		rate, err = FitAcross(recs, c.Metric, x, c.At)
	case c.Statistic != "":
		metric = fmt.Sprintf("%s over seeds of %s", StatisticName(c.Statistic), metric)
		rate, err = FitStatistic(recs, c.Metric, x, c.Window, c.Statistic)
	default:
		rate, err = FitRate(recs, c.Metric, x, c.Window)
	}
	if err != nil {
		return undecided(err)
	}
	v.Window, v.Sensitivity = &rate.Window, rate.Sensitivity
	what := fmt.Sprintf("slope of log %s of %s against log %s from %s to %s", metric, c.Method, x, Number(rate.Window[0]), Number(rate.Window[1]))
	return v.conclude(what, rate.Estimate, a, "")
}

// abscissaOf returns the claim's abscissa, steps if it names none.
func abscissaOf(c Claim) string {
	if c.X == "" {
		return "step"
	}
	return c.X
}

// A comparison is of the method with one rival.
type comparison struct {
	what     string
	estimate Estimate
	accept   region
	unit     string
	word     Word   // set where the comparison has no estimate
	reason   string // for word
	warnings []string
}

// decideRivals compares the method with every rival, paired by seed, and keeps the rival that is
// worst for the claim: one it deviates from, else one that leaves it open, else the closest.
func decideRivals(c Claim, recs []*Record, v *Verdict, compare func(Claim, string, [][2]*Record) (comparison, error)) (Word, string) {
	if len(c.Against) == 0 {
		return Inconclusive, "the claim names no rival under against"
	}
	rank := map[Word]int{Reproduced: 0, Inconclusive: 1, Deviates: 2}
	var worst comparison
	for i, rival := range c.Against {
		pairs := pair(Select(recs, c.Method), Select(recs, rival))
		if len(pairs) == 0 {
			return Inconclusive, fmt.Sprintf("%s and %s have no seed in common", c.Method, rival)
		}
		k, err := compare(c, rival, pairs)
		if err != nil {
			return undecided(err)
		}
		v.Warnings = append(v.Warnings, k.warnings...)
		if k.word == "" {
			k.word = k.accept.place(k.estimate)
		}
		if i == 0 || rank[k.word] > rank[worst.word] ||
			k.word == worst.word && k.accept.overhang(k.estimate) > worst.accept.overhang(worst.estimate) {
			worst = k
		}
	}
	if worst.reason != "" {
		v.Seeds = worst.estimate.N
		v.accept(worst.accept)
		return worst.word, worst.reason
	}
	return v.conclude(worst.what, worst.estimate, worst.accept, worst.unit)
}

// pair matches records of two methods by seed; both are sorted by seed.
func pair(a, b []*Record) [][2]*Record {
	var pairs [][2]*Record
	for _, r := range a {
		for _, s := range b {
			if r.Header.Seed == s.Header.Seed {
				pairs = append(pairs, [2]*Record{r, s})
				break
			}
		}
	}
	return pairs
}

// compareOrder asks whether the method's metric is smaller: their ratio below one, or, where a
// value is not positive, their difference below zero. A tie on every seed is not better. Where larger is better, it
// asks whether the rival's is smaller.
func compareOrder(c Claim, rival string, pairs [][2]*Record) (comparison, error) {
	a, b, err := readPairs(c, pairs)
	if err != nil {
		return comparison{}, err
	}
	if c.Larger {
		a, b, c.Method, rival = b, a, rival, c.Method
	}
	k := ratioOf(c, rival, a, b)
	k.accept = region{low: math.Inf(-1), high: 1, openHigh: true}
	if !positive(a, b) {
		k = differenceOf(c, rival, a, b)
		k.accept = region{low: math.Inf(-1), high: 0, openHigh: true}
	}
	return k, nil
}

// compareMatch asks whether the method's metric is close to the rival's.
func compareMatch(c Claim, rival string, pairs [][2]*Record) (comparison, error) {
	a, b, err := readPairs(c, pairs)
	if err != nil {
		return comparison{}, err
	}
	if !c.Relative {
		k := differenceOf(c, rival, a, b)
		k.accept = region{low: -c.Tolerance, high: c.Tolerance}
		return k, nil
	}
	if c.Tolerance < 1 {
		return comparison{}, fmt.Errorf("a relative tolerance is a factor of at least 1, got %s", Number(c.Tolerance))
	}
	if !positive(a, b) {
		return comparison{}, fmt.Errorf("%s is not positive on every seed, so it has no ratio; use a difference", c.Metric)
	}
	k := ratioOf(c, rival, a, b)
	k.accept = region{low: 1 / c.Tolerance, high: c.Tolerance}
	return k, nil
}

// compareRatio asks how many times less x the method takes than its rival to reach the target.
func compareRatio(c Claim, rival string, pairs [][2]*Record) (comparison, error) {
	accept, err := accepted(c)
	if err != nil {
		return comparison{}, err
	}
	x := abscissaOf(c)
	k := comparison{
		what:   fmt.Sprintf("%s at which %s reaches %s %s, over that of %s,", x, rival, c.Metric, Number(c.Target), c.Method),
		accept: accept,
	}
	var logs []float64
	reached := [2]int{}
	low, high := math.Inf(1), 0.0 // of the bounds that seeds give on the ratio
	for _, p := range pairs {
		var at [2]crossing
		for i, r := range p {
			if at[i], err = reach(r, c, x); err != nil {
				return k, err
			}
			if at[i].reached {
				reached[i]++
			}
			if at[i].first {
				k.warnings = append(k.warnings, fmt.Sprintf("%s seed %d is at the target at its first evaluation, %s %s: evaluate earlier",
					r.Header.Method, r.Header.Seed, x, Number(at[i].x)))
			}
		}
		ratio := at[1].x / at[0].x
		logs = append(logs, math.Log(ratio))
		lo, hi := ratio, ratio
		if !at[0].reached {
			lo = 0
		}
		if !at[1].reached {
			hi = math.Inf(1)
		}
		low, high = min(low, lo), max(high, hi)
	}
	k.estimate = MeanInterval(logs, Level).Exp()
	if n := len(pairs); reached[0] < n || reached[1] < n {
		k.word = Inconclusive
		if bounds := (Estimate{Low: low, High: high, N: n}); accept.place(bounds) == Deviates {
			k.word = Deviates
		}
		k.reason = fmt.Sprintf("%s reaches %s %s on %d of %s and %s on %d, so all that is known of the ratio, in %s, is that it lies between %s and %s on every seed; accepted is %s",
			c.Method, c.Metric, Number(c.Target), reached[0], seeds(n), rival, reached[1], x, Number(low), Number(high), accept)
	}
	return k, nil
}

func ratioOf(c Claim, rival string, a, b []float64) comparison {
	logs := make([]float64, len(a))
	for i := range a {
		logs[i] = math.Log(a[i] / b[i])
	}
	return comparison{
		what:     fmt.Sprintf("%s of %s over that of %s %s", c.Metric, c.Method, rival, c.At),
		estimate: MeanInterval(logs, Level).Exp(),
	}
}

func differenceOf(c Claim, rival string, a, b []float64) comparison {
	d := make([]float64, len(a))
	for i := range a {
		d[i] = a[i] - b[i]
	}
	return comparison{
		what:     fmt.Sprintf("%s of %s minus that of %s %s", c.Metric, c.Method, rival, c.At),
		estimate: MeanInterval(d, Level),
		unit:     unit(c),
	}
}

func positive(a, b []float64) bool {
	for i := range a {
		if a[i] <= 0 || b[i] <= 0 {
			return false
		}
	}
	return true
}

// read returns the claim's metric where it reads it, in its unit.
func read(r *Record, c Claim) (float64, error) {
	who := fmt.Sprintf("%s of %s seed %d", c.Metric, r.Header.Method, r.Header.Seed)
	v, ok := r.measureAt(c.Metric, c.At)
	if !ok {
		return 0, fmt.Errorf("%s was not measured %s", who, c.At)
	}
	if math.IsInf(v, 0) {
		return 0, fmt.Errorf("%s is %w %s", who, errLost, c.At)
	}
	if c.Unit == percent {
		v *= 100
	}
	return v, nil
}

func readPairs(c Claim, pairs [][2]*Record) (a, b []float64, err error) {
	for _, p := range pairs {
		v, err := read(p[0], c)
		w, err2 := read(p[1], c)
		if err := errors.Join(err, err2); err != nil {
			return nil, nil, err
		}
		a, b = append(a, v), append(b, w)
	}
	return a, b, nil
}

// percent is the unit of a fraction that was printed in per cent.
const percent = "percent"

// unit returns what to write behind a number of the claim.
func unit(c Claim) string {
	switch c.Unit {
	case "":
		return ""
	case percent:
		return " %"
	}
	return " " + c.Unit
}

// String says where on the curve in words.
func (a At) String() string {
	if a.Value == 0 {
		return "at the end"
	}
	return fmt.Sprintf("at %s %s", a.X, Number(a.Value))
}

// A crossing is where a curve first reaches a target.
type crossing struct {
	x       float64 // its last x if it never does
	reached bool
	first   bool // it was there at its first evaluation
}

// reach returns where a record's curve first comes down to the claim's target, or up to it where larger is better:
// between two evaluations by a straight line against log x, in log metric where that is positive.
func reach(r *Record, c Claim, x string) (crossing, error) {
	metric, target := c.Metric, c.Target
	var last crossing
	var before float64 // value at last.x
	n := 0
	for _, p := range r.Points {
		v, ok := p.measure(metric)
		at, known := Abscissa(p, x)
		if !ok || !known {
			continue
		}
		if math.IsInf(v, 0) {
			return crossing{}, fmt.Errorf("%s of %s seed %d is %w at %s %s", metric, r.Header.Method, r.Header.Seed, errLost, x, Number(at))
		}
		if v <= target && !c.Larger || v >= target && c.Larger {
			if at <= 0 {
				return crossing{}, fmt.Errorf("%s seed %d has %s %s already at %s 0", r.Header.Method, r.Header.Seed, metric, Number(v), x)
			}
			return crossing{x: between(last.x, at, before, v, target, n == 0), reached: true, first: n == 0}, nil
		}
		last, before, n = crossing{x: at}, v, n+1
	}
	if n == 0 || last.x <= 0 {
		return crossing{}, fmt.Errorf("%s of %s seed %d has no curve against %s", metric, r.Header.Method, r.Header.Seed, x)
	}
	return last, nil
}

// between interpolates where a line from (x0, v0) to (x1, v1), the target between v0 and v1, meets the target.
// From x0 = 0, which has no logarithm, or a first evaluation, there is no line: it returns x1.
func between(x0, x1, v0, v1, target float64, first bool) float64 {
	if first || x0 <= 0 || x0 >= x1 {
		return x1
	}
	if v0 > 0 && v1 > 0 {
		v0, v1, target = math.Log(v0), math.Log(v1), math.Log(target)
	}
	return x0 * math.Pow(x1/x0, (v0-target)/(v0-v1))
}

// accept writes the accepted region into the verdict.
func (v *Verdict) accept(a region) { v.Accept = [2]*float64{Value(a.low), Value(a.high)} }

// conclude writes the estimate into the verdict, compares it with what is accepted, and says so.
func (v *Verdict) conclude(what string, e Estimate, a region, unit string) (Word, string) {
	v.Measured, v.Low, v.High, v.Seeds = Value(e.Mean), Value(e.Low), Value(e.High), e.N
	v.accept(a)
	if !e.Bounded() {
		return Inconclusive, fmt.Sprintf("%s is %s%s on one seed, which has no interval; run with --seeds 2 or more; accepted is %s",
			what, Number(e.Mean), unit, a)
	}
	word := a.place(e)
	return word, fmt.Sprintf("%s is %s%s, 95 %% interval %s to %s over %d seeds, which %s",
		what, Number(e.Mean), unit, Number(e.Low), Number(e.High), e.N, a.relation(word))
}
