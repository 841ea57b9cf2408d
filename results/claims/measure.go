package claims

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"repro/results/printed"
	"repro/results/records"
	"repro/results/stats"
)

// A Measurement is the number of a claim with its value on every seed. A verdict is concluded from it, and two versions of
// the program are compared by it.
type Measurement struct {
	stats.Estimate
	What   string   // the number in words
	Rival  string   // the method that the claim's method is compared with; empty for kinds without rivals
	Unit   string   // what follows the number
	Seeds  []uint64 // of the Values
	Bounds []uint64 // seeds that never reach the target or have no plateau: their value is that of the curve's end
	Joint  bool     // Values are pseudo-values, each of which depends on all seeds

	accept      region
	word        Word   // set if bounds decide the claim, or nothing does, because there is no estimate
	reason      string // for word
	warnings    []string
	window      *[2]float64
	sensitivity []stats.Sensitivity
}

// measure returns the numbers of a claim from complete records: one for each rival, or one for kinds without rivals.
// Numbers measured before an error are returned with it.
func measure(c Claim, recs []*records.Record) ([]Measurement, error) {
	one := func(m Measurement, err error) ([]Measurement, error) { return []Measurement{m}, err }
	switch c.Kind {
	case KindValue:
		return one(measureValue(c, recs))
	case KindRate:
		return one(measureRate(c, recs))
	case KindOrder:
		return measureRivals(c, recs, compareOrder)
	case KindMatch:
		return measureRivals(c, recs, compareMatch)
	case KindRatio:
		return measureRivals(c, recs, compareRatio)
	case KindReach:
		return one(measureReach(c, recs))
	case KindPlateau:
		return one(measurePlateau(c, recs))
	}
	return nil, fmt.Errorf("unknown kind of claim %q", c.Kind)
}

// overflow returns an error if a finite value of the runs is so large that the number, its interval or the value of a seed is
// not finite. Runs do not diverge at 1e306, but nothing can be concluded from their numbers.
func (m Measurement) overflow(c Claim) error {
	numbers := append([]float64{m.Mean}, m.Values...)
	if m.Bounded() {
		next, beyond := m.Next(c.Runs())
		numbers = append(numbers, m.Low, m.High, m.SD, next, beyond)
	}
	if !slices.ContainsFunc(numbers, func(v float64) bool { return math.IsInf(v, 0) || math.IsNaN(v) }) {
		return nil
	}
	return fmt.Errorf("claim %s: %s or its interval is %w: values of the runs are too large or too small for a float64", c.ID, m.What, stats.ErrNotFinite)
}

// conclude writes the numbers of a claim into the verdict, and returns its word and reason. Of several rivals, the one that is
// worst for the claim decides: deviates is worse than inconclusive, which is worse than reproduced; of one word, the interval
// that reaches farthest out of the accepted region is the worst.
func conclude(c Claim, numbers []Measurement, v *Verdict) (Word, string) {
	rank := map[Word]int{Reproduced: 0, Inconclusive: 1, Deviates: 2}
	var worst Measurement
	for i, m := range numbers {
		if m.word == "" {
			m.word = m.accept.place(m.Estimate, c.Runs())
		}
		if i == 0 || rank[m.word] > rank[worst.word] ||
			m.word == worst.word && m.accept.overhang(m.Estimate) > worst.accept.overhang(worst.Estimate) {
			worst = m
		}
	}
	v.Window, v.Sensitivity = worst.window, worst.sensitivity
	if worst.reason != "" {
		v.Seeds = worst.N
		v.accept(worst.accept)
		return worst.word, worst.reason
	}
	return v.conclude(worst.What, worst.Estimate, worst.accept, c.Runs(), worst.Unit)
}

// measureValue measures a claim of kind value. If the paper printed one run of a metric that is never negative, the scale is
// logarithmic and our mean the geometric one: the intervals then hold for skewed metrics too. A printed mean of several
// runs is arithmetic, and so is ours.
func measureValue(c Claim, recs []*records.Record) (m Measurement, err error) {
	if m.accept, err = accepted(c); err != nil {
		return m, err
	}
	values := make([]float64, len(recs))
	for i, r := range recs {
		if !r.Reaches(c.At) {
			return m, fmt.Errorf("%s seed %d ends before %s %s", r.Header.Method, r.Header.Seed, c.At.X, printed.Number(c.At.Value))
		}
		if values[i], err = read(r, c); err != nil {
			return m, err
		}
		m.Seeds = append(m.Seeds, r.Header.Seed)
	}
	e := stats.MeanInterval(values)
	if positive(values) && !c.Signed {
		if c.Runs() == 1 {
			e = stats.GeometricInterval(values)
			e.Covers = stats.Geometric
		} else if e.SD > skewed*e.Mean {
			e.Covers = stats.Skewed
		}
	}
	m.What, m.Unit = fmt.Sprintf("%s of %s %s", c.Metric, c.Method, c.At), UnitSign(c.Unit)
	m.Estimate = e.Rounded(c.step(recs[0].Header))
	return m, nil
}

// step returns the distance of two values that a share of rows can have, in the claim's unit, and 0 for other metrics.
func (c Claim) step(h records.Header) float64 {
	n := h.Resolved[c.shareOf]
	switch {
	case n == 0:
		return 0
	case c.Unit == Percent:
		return 100 / n
	}
	return 1 / n
}

// skewed is the ratio of standard deviation to mean from which the t interval of an arithmetic mean covers stats.Skewed.
const skewed = 0.3

// measureRate measures the slope of a claim of kind rate.
func measureRate(c Claim, recs []*records.Record) (m Measurement, err error) {
	if m.accept, err = accepted(c); err != nil {
		return m, err
	}
	x, metric, rate := abscissaOf(c), c.Metric, stats.Rate{}
	if c.Statistic != "" {
		metric = fmt.Sprintf("%s over seeds of %s", stats.StatisticName(c.Statistic), metric)
	}
	switch {
	case c.Best != "" && c.Target != 0:
		x, metric = c.Across, fmt.Sprintf("the largest %s with %s better than %s", c.Best, c.Metric, printed.Number(c.Target))
		rate, err = stats.FitFrontier(recs, c.Metric, c.Best, x, c.At, c.Target, c.Larger)
	case c.Best != "":
		x, metric = c.Across, c.Best+" with the best "+c.Metric
		rate, err = stats.FitBest(recs, c.Metric, c.Best, x, c.At, c.Larger)
	case c.Across != "":
		x = c.Across
		rate, err = stats.FitAcross(recs, c.Metric, x, c.At, c.Statistic)
	case c.Statistic != "":
		rate, err = stats.FitStatistic(recs, c.Metric, x, c.Window, c.Statistic)
	default:
		rate, err = stats.FitRate(recs, c.Metric, x, c.Window)
	}
	if err != nil {
		return m, err
	}
	m.window, m.sensitivity = &rate.Window, rate.Sensitivity
	m.Estimate, m.Seeds, m.Joint = rate.Estimate, rate.Seeds, c.Statistic != ""
	m.What = fmt.Sprintf("slope of log %s of %s against log %s from %s to %s", metric, c.Method, x, printed.Number(rate.Window[0]), printed.Number(rate.Window[1]))
	if m.Joint && !rate.Bounded() {
		m.word, m.reason = Inconclusive, fmt.Sprintf("the %s over %s has no interval; run with --seeds %d or more",
			stats.StatisticName(c.Statistic), printed.Count(len(recs), "seed"), stats.LeastSeeds(c.Statistic))
	}
	return m, nil
}

// read returns the claim's metric at the claim's place and in its unit.
func read(r *records.Record, c Claim) (float64, error) {
	who := fmt.Sprintf("%s of %s seed %d", c.Metric, r.Header.Method, r.Header.Seed)
	v, ok := r.MeasureAt(c.Metric, c.At)
	if !ok {
		return 0, fmt.Errorf("%s was not measured %s", who, c.At)
	}
	if math.IsInf(v, 0) {
		return 0, fmt.Errorf("%s is %w %s", who, stats.ErrNotFinite, c.At)
	}
	if c.Unit == Percent {
		v *= 100
	}
	return v, nil
}

// readPairs reads the metric from both records of every pair.
func readPairs(c Claim, pairs [][2]*records.Record) (a, b []float64, err error) {
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
