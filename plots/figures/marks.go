package figures

import (
	"fmt"
	"math"
	"slices"

	"repro/results/claims"
	"repro/results/printed"
	"repro/results/records"
	"repro/results/stats"
)

// marks returns the published and derived values of the figure's claims on a metric of a method.
func (b *Builder) marks(method, metric string, style int) []Mark {
	var out []Mark
	var column string
	for _, c := range b.figureClaims() {
		if c.Method != method || c.Metric != metric {
			continue
		}
		if c.Reference != nil {
			out = append(out, b.curveMarks(c, style)...)
			continue
		}
		if c.Quantity() != claims.OfMetric {
			continue
		}
		y, low, high, err := printed.Parse(c.Number())
		if err != nil {
			continue // the claim's verdict holds the error
		}
		label := fmt.Sprintf("%s: %s %s%s%s", b.Label(method), c.Origin(), ofBound(c), Typeset(c.Number()), claims.UnitSign(c.Unit))
		if c.Column != "" {
			label = b.Label(method) + ": " + c.Origin()
		}
		if c.Column != "" && c.Column == column {
			label = "" // the whole column has one entry in the legend
		}
		column = c.Column
		out = append(out, Mark{X: b.markX(c), Y: y, Low: low, High: high, Style: style, Label: label, Origin: c.Origin(), Column: c.Column != "", Claim: c.ID})
	}
	return out
}

// curveMarks returns points of a published curve, at equal distances in their order, with their errors of reading.
func (b *Builder) curveMarks(c claims.Claim, style int) (out []Mark) {
	unit, label := b.unit.Factor, b.Label(c.Method)+": "+c.Origin()
	if c.Unit == claims.Percent {
		unit /= 100
	}
	for _, i := range stats.Evenly(len(c.Reference.Points), curvePoints) {
		x, y, _, dy := c.Reference.At(i)
		c.At = records.At{X: c.X, Value: x}
		out = append(out, Mark{X: b.markX(c), Y: unit * y, Low: unit * (y - dy), High: unit * (y + dy), Style: style, Label: label, Origin: c.Origin(), Column: true, Read: true, Claim: c.ID})
		label = "" // the whole curve has one entry in the legend
	}
	return slices.DeleteFunc(out, func(m Mark) bool { return math.IsNaN(m.X) })
}

// curvePoints is the largest number of points of a published curve that a figure draws.
const curvePoints = 24

// ofBound returns what stands before a published value that is a bound.
func ofBound(c claims.Claim) string {
	if c.AtMost {
		return "upper bound "
	}
	if c.AtLeast {
		return "lower bound "
	}
	return ""
}

// markX returns the place at which a claim reads its curve, on the figure's abscissa. It is NaN for the end of the curve.
func (b *Builder) markX(c claims.Claim) float64 {
	if c.At.Value == 0 {
		return math.NaN()
	}
	if c.At.X == b.Spec.X {
		return c.At.Value
	}
	for _, r := range records.Select(b.Records, c.Method) {
		if x, ok := r.At(b.Spec.X, c.At); ok {
			return x
		}
	}
	return math.NaN()
}
