package claims

import (
	"fmt"
	"math"

	"repro/results/printed"
	"repro/results/records"
	"repro/results/stats"
)

var _ = Register(Kind{
	Name: "plateau", Doc: "above the number, larger values of the key `across` of a grid improve the metric by a factor of at most 1 + `within`",
	Number: true, Needs: []string{"across", "within", "tolerance"},
	May: []string{"why", "at_most", "at_least", "at"},
	Check: func(c *Claim, keys Keys) {
		if keys.Has("within") && c.Within == 0 {
			keys.Wrong("within", "must be > 0, got 0")
		}
		if keys.Has("tolerance") && c.Tolerance < 1 {
			keys.Wrong("tolerance", "is a factor between the published place and ours; must be >= 1, got %v", c.Tolerance)
		}
	},
	Sided:    func(*Claim) string { return noneBest },
	Measure:  single(measurePlateau),
	Quantity: PlaceLevel,
	Accept:   acceptPlateau,
	Margin:   factorMargin,
	Called:   "place",
	Holds:    "{metric} of {method} is level from {number} on{paper}",
})

// acceptPlateau returns the region of a plateau, whose tolerance is a factor.
func acceptPlateau(c Claim, _ Quantity) (Region, error) {
	value, _, _, err := printed.Parse(c.Number())
	if err != nil {
		return Region{}, err
	}
	a := Region{Low: value / c.Tolerance, High: value * c.Tolerance, Exact: value}
	switch {
	case !(c.Tolerance >= 1):
		return Region{}, fmt.Errorf("tolerance %v is a factor, which must be at least 1", c.Tolerance)
	case c.AtMost:
		a.Low = math.Inf(-1)
	case c.AtLeast:
		a.High = math.Inf(1)
	}
	return a, nil
}

// measurePlateau measures from where on, along the key of a grid, more helps no more.
func measurePlateau(c Claim, recs []*records.Record) (m Measurement, err error) {
	places, e, err := stats.Plateau(recs, c.Metric, c.Across, c.At, c.Within, c.Larger)
	if err != nil {
		return m, err
	}
	for _, at := range places {
		if m.Seeds = append(m.Seeds, at.Seed); at.First || !at.Reached {
			m.Bounds = append(m.Bounds, at.Seed)
		}
	}
	m.What = fmt.Sprintf("%s at which %s has its %s within %s %% of the best beyond", c.Across, c.Method, c.Metric, printed.Number(100*c.Within))
	m.Estimate = e
	return m, nil
}
