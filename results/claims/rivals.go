package claims

import (
	"errors"
	"fmt"
	"slices"

	"repro/results/records"
	"repro/results/stats"
)

// againstRivals makes the Measure of a kind that compares the method with every rival, paired by seed.
func againstRivals(compare func(Claim, string, [][2]*records.Record) (Measurement, error)) func(Claim, []*records.Record) ([]Measurement, error) {
	return func(c Claim, recs []*records.Record) ([]Measurement, error) {
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
		Quantity: Difference,
		Unit:     UnitSign(c.Unit),
	}
}

func positive(values []float64) bool {
	return !slices.ContainsFunc(values, func(v float64) bool { return v <= 0 })
}

// readPairs reads the metric from both records of every pair.
func readPairs(c Claim, pairs [][2]*records.Record) (a, b []float64, err error) {
	for _, p := range pairs {
		v, err := c.Read(p[0])
		w, err2 := c.Read(p[1])
		if err := errors.Join(err, err2); err != nil {
			return nil, nil, err
		}
		a, b = append(a, v), append(b, w)
	}
	return a, b, nil
}
