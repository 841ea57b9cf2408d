package claims

import (
	"errors"
	"fmt"
	"math"

	"repro/results/printed"
	"repro/results/records"
	"repro/results/stats"
)

// decide compares complete records with a claim. It sets the verdict's numbers and returns its word and reason.
func decide(c Claim, recs []*records.Record, v *Verdict) (Word, string) {
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
	case KindPlateau:
		return decidePlateau(c, recs, v)
	}
	return Inconclusive, fmt.Sprintf("unknown kind of claim %q", c.Kind)
}

// decideValue judges a claim of kind value. If the paper printed one run of a metric that is never negative, the scale is
// logarithmic and our mean the geometric one: the intervals then hold for skewed metrics too. A printed mean of several
// runs is arithmetic, and so is ours.
func decideValue(c Claim, recs []*records.Record, v *Verdict) (Word, string) {
	a, err := accepted(c)
	if err != nil {
		return undecided(err)
	}
	values := make([]float64, len(recs))
	for i, r := range recs {
		if !r.Reaches(c.At) {
			return undecided(fmt.Errorf("%s seed %d ends before %s %s", r.Header.Method, r.Header.Seed, c.At.X, printed.Number(c.At.Value)))
		}
		if values[i], err = read(r, c); err != nil {
			return undecided(err)
		}
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
	return v.conclude(fmt.Sprintf("%s of %s %s", c.Metric, c.Method, c.At), e.Rounded(c.step(recs[0].Header)), a, c.Runs(), UnitSign(c.Unit))
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

// decideRate judges a claim of kind rate by its slope.
func decideRate(c Claim, recs []*records.Record, v *Verdict) (Word, string) {
	a, err := accepted(c)
	if err != nil {
		return undecided(err)
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
		return undecided(err)
	}
	v.Window, v.Sensitivity = &rate.Window, rate.Sensitivity
	if c.Statistic != "" && !rate.Bounded() {
		return Inconclusive, fmt.Sprintf("the %s over %s has no interval; run with --seeds %d or more",
			stats.StatisticName(c.Statistic), printed.Count(len(recs), "seed"), stats.LeastSeeds(c.Statistic))
	}
	what := fmt.Sprintf("slope of log %s of %s against log %s from %s to %s", metric, c.Method, x, printed.Number(rate.Window[0]), printed.Number(rate.Window[1]))
	return v.conclude(what, rate.Estimate, a, c.Runs(), "")
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
