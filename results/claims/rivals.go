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

// measureRivals compares the method with every rival, paired by seed.
func measureRivals(c Claim, recs []*records.Record, compare func(Claim, string, [][2]*records.Record) (Measurement, error)) ([]Measurement, error) {
	if len(c.Against) == 0 {
		return nil, errors.New("the claim names no rival under against")
	}
	var all []Measurement
	for _, rival := range c.Against {
		pairs := pair(records.Select(recs, c.Method), records.Select(recs, rival))
		if len(pairs) == 0 {
			return all, fmt.Errorf("%s and %s have no seed in common", c.Method, rival)
		}
		m, err := compare(c, rival, pairs)
		if err != nil {
			return all, err
		}
		m.Rival = rival
		for _, p := range pairs {
			m.Seeds = append(m.Seeds, p[0].Header.Seed)
		}
		all = append(all, m)
	}
	return all, nil
}

// pair matches the records of two methods by seed.
func pair(a, b []*records.Record) [][2]*records.Record {
	var pairs [][2]*records.Record
	for _, r := range a {
		for _, s := range b {
			if r.Header.Seed == s.Header.Seed {
				pairs = append(pairs, [2]*records.Record{r, s})
				break
			}
		}
	}
	return pairs
}

// compareOrder compares by whether the method's metric is smaller, or the rival's if larger values are better. The ratio
// of the two must be below one or, if a value is not positive, the difference below zero. A tie is not better.
func compareOrder(c Claim, rival string, pairs [][2]*records.Record) (Measurement, error) {
	a, b, err := readPairs(c, pairs)
	if err != nil {
		return Measurement{}, err
	}
	if c.Larger {
		a, b, c.Method, rival = b, a, rival, c.Method
	}
	k := ratioOf(c, rival, a, b)
	k.accept = region{low: math.Inf(-1), high: 1, openHigh: true}
	if !(positive(a) && positive(b)) {
		k = differenceOf(c, rival, a, b)
		k.accept = region{low: math.Inf(-1), high: 0, openHigh: true}
	}
	return k, nil
}

// compareMatch compares by whether the method's metric is close to the rival's.
func compareMatch(c Claim, rival string, pairs [][2]*records.Record) (Measurement, error) {
	a, b, err := readPairs(c, pairs)
	if err != nil {
		return Measurement{}, err
	}
	if !c.Relative {
		k := differenceOf(c, rival, a, b)
		k.accept = region{low: -c.Tolerance, high: c.Tolerance}
		return k, nil
	}
	if c.Tolerance < 1 {
		return Measurement{}, fmt.Errorf("a relative tolerance is a factor of at least 1, got %s", printed.Number(c.Tolerance))
	}
	if !(positive(a) && positive(b)) {
		return Measurement{}, fmt.Errorf("%s is not positive on every seed, so there is no ratio; use a difference (relative = false)", c.Metric)
	}
	k := ratioOf(c, rival, a, b)
	k.accept = region{low: 1 / c.Tolerance, high: c.Tolerance}
	return k, nil
}

// compareRatio compares the x at which the rival reaches the target with that of the method.
func compareRatio(c Claim, rival string, pairs [][2]*records.Record) (Measurement, error) {
	accept, err := accepted(c)
	if err != nil {
		return Measurement{}, err
	}
	x := abscissaOf(c)
	k := Measurement{
		What:   fmt.Sprintf("%s at which %s reaches %s %s, divided by that of %s,", x, rival, c.Metric, c.target(), c.Method),
		accept: accept,
	}
	var ratios []float64
	reached := [2]int{}
	low, high := math.Inf(1), 0.0 // bounds on the ratio over all seeds
	for _, p := range pairs {
		var at [2]stats.Crossing
		for i, r := range p {
			if at[i], err = stats.Reach(r, c.Metric, x, c.Target, c.Larger); err != nil {
				return k, err
			}
			if at[i].Reached {
				reached[i]++
			}
			if at[i].First {
				k.warnings = append(k.warnings, fmt.Sprintf("%s seed %d has reached the target at its first evaluation, %s %s; evaluate earlier",
					r.Header.Method, r.Header.Seed, x, printed.Number(at[i].X)))
			}
		}
		ratio := at[1].X / at[0].X
		ratios = append(ratios, ratio)
		if !at[0].Reached || !at[1].Reached {
			k.Bounds = append(k.Bounds, p[0].Header.Seed)
		}
		lo, hi := ratio, ratio
		if !at[0].Reached {
			lo = 0
		}
		if !at[1].Reached {
			hi = math.Inf(1)
		}
		low, high = min(low, lo), max(high, hi)
	}
	k.Estimate = stats.GeometricInterval(ratios)
	if n := len(pairs); reached[0] < n || reached[1] < n {
		k.word = Inconclusive
		if accept.misses(low, high) {
			k.word = Deviates
		}
		k.reason = fmt.Sprintf("%s reaches %s %s on %d of %s and %s on %d, so the ratio in %s is only known to lie between %s and %s on every seed; accepted is %s",
			c.Method, c.Metric, c.target(), reached[0], printed.Count(n, "seed"), rival, reached[1], x, printed.Number(low), printed.Number(high), accept)
	}
	return k, nil
}

func ratioOf(c Claim, rival string, a, b []float64) Measurement {
	ratios := make([]float64, len(a))
	for i := range a {
		ratios[i] = a[i] / b[i]
	}
	return Measurement{
		What:     fmt.Sprintf("%s of %s divided by that of %s %s", c.Metric, c.Method, rival, c.At),
		Estimate: stats.GeometricInterval(ratios),
	}
}

func differenceOf(c Claim, rival string, a, b []float64) Measurement {
	d := make([]float64, len(a))
	for i := range a {
		d[i] = a[i] - b[i]
	}
	return Measurement{
		What:     fmt.Sprintf("%s of %s minus that of %s %s", c.Metric, c.Method, rival, c.At),
		Estimate: stats.MeanInterval(d),
		Unit:     UnitSign(c.Unit),
	}
}

func positive(values []float64) bool {
	return !slices.ContainsFunc(values, func(v float64) bool { return v <= 0 })
}
