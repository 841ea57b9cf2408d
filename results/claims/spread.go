package claims

import (
	"fmt"
	"math"
	"slices"

	"repro/results/printed"
	"repro/results/records"
)

// withoutSpread says what a number decides that is the same on all seeds. Counts are exact, and so is what the claim says is. Of
// a share of rows the variation of the rows counts, as if the rows of every method had been drawn independently, which makes
// the interval of a comparison wider than rows in common would. Any other number has no interval: that seeds agree does not
// say how far another data set, or a method that draws more, would be from it.
func (m *Measurement) withoutSpread(c Claim, recs []*records.Record) {
	n := len(m.Values)
	if n < 2 || slices.Min(m.Values) != slices.Max(m.Values) || m.Wider != [2]float64{} || m.Undecided != "" || m.accept.every || c.Exact != "" || counted(c.Metric) {
		return
	}
	rows := recs[0].Header.Resolved[c.shareOf]
	if rows == 0 || c.X != "" || c.Across != "" { // a place or a slope is no share, whatever its metric is
		m.Undecided = fmt.Sprintf("%s is %s%s on all of %s: nothing varies, so there is no interval; accepted is %s",
			m.What, printed.Number(m.Mean), m.Unit, printed.Count(n, "seed"), m.accept)
		return
	}
	variance := 0.0
	for _, method := range []string{c.Method, m.Rival} {
		if of := records.Select(recs, method); len(of) > 0 {
			variance += c.varianceOfRows(of[0], rows, m.Log)
		}
	}
	m.Estimate = m.WithError(math.Sqrt(variance))
	m.What += fmt.Sprintf(" (the same on every seed, so that the interval is that of %s rows)", printed.Number(rows))
}

// varianceOfRows returns the variance of the claim's metric, a share p of rows drawn independently, in the claim's unit, or of its
// logarithm: p(1 − p)/n, or (1 − p)/(pn), with two rows of either kind added [Agresti & Coull 1998], so that no share is certain.
func (c Claim) varianceOfRows(r *records.Record, rows float64, log bool) float64 {
	p, err := c.Read(r)
	if err != nil {
		return math.Inf(1)
	}
	p = (p/c.factor()*rows + 2) / (rows + 4)
	if log {
		return (1 - p) / (p * rows)
	}
	return c.factor() * c.factor() * p * (1 - p) / rows
}

// counted reports whether the runner counts the metric, so that it is exact.
func counted(metric string) bool {
	a, ok := records.AbscissaOf(metric)
	return ok && a.Source != records.Clock
}
