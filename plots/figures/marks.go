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

// marks returns the published and derived values of the figure's claims on a metric of a series. Across a grid those of its
// combinations have one label, after the name of the grid.
func (b *Builder) marks(s claims.Series, metric, name string, style int) []Mark {
	var out []Mark
	var column string
	for _, c := range b.figureClaims() {
		member := slices.Contains(s.Members, c.Method)
		if c.Method != s.Method && !member || c.Metric != metric || b.Spec.Across != "" && c.At.Value != 0 {
			continue
		}
		if c.Reference != nil {
			out = append(out, b.curveMarks(c, style)...)
			continue
		}
		x := math.NaN() // a line across the panel
		if member || b.Spec.Across == "" {
			x = b.markX(c)
		}
		if c.Quantity() != claims.OfMetric || member && math.IsNaN(x) {
			continue
		}
		y, low, high, err := printed.Parse(c.Number())
		if err != nil {
			continue // the claim's verdict holds the error
		}
		if c.Column != "" {
			name = b.Label(s.Method)
		} else if member {
			c.Column = s.Method
		}
		label := fmt.Sprintf("%s: %s %s%s%s", b.Label(s.Method), c.Origin(), ofBound(c), Typeset(c.Number()), claims.UnitSign(c.Unit))
		if c.Column != "" {
			label = name + ": " + c.Origin()
		}
		if c.Column != "" && c.Column == column {
			label = "" // the whole column has one entry in the legend
		}
		column = c.Column
		out = append(out, Mark{X: x, Y: y, Low: low, High: high, Style: style, Label: label, Origin: c.Origin(), Column: c.Column != "", Claim: c.ID})
	}
	return out
}

// curveMarks returns points of a published curve, at equal distances in their order, with their errors of reading.
func (b *Builder) curveMarks(c claims.Claim, style int) (out []Mark) {
	if c.Across != b.Spec.Across {
		return nil
	}
	unit, label := b.unit.Factor, b.Label(c.Method)+": "+c.Origin()
	if c.Unit == claims.Percent {
		unit /= 100
	}
	for _, i := range stats.Evenly(len(c.Reference.Points), curvePoints) {
		x, y, _, dy := c.Reference.At(i)
		if c.Across == "" {
			c.At = records.At{X: c.X, Value: x}
			x = b.markX(c)
		}
		out = append(out, Mark{X: x, Y: unit * y, Low: unit * (y - dy), High: unit * (y + dy), Style: style, Label: label, Origin: c.Origin(), Column: true, Read: true, Claim: c.ID})
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

// unmarked says which claims of a figure across a grid have published values that it does not mark.
func (b *Builder) unmarked(marks []Mark) (warnings []string) {
	for _, c := range b.figureClaims() {
		_, _, _, err := printed.Parse(c.Number())
		valued := c.Reference != nil || err == nil && c.Quantity() == claims.OfMetric
		if b.Spec.Across != "" && valued && !slices.ContainsFunc(marks, func(m Mark) bool { return m.Claim == c.ID }) {
			warnings = append(warnings, fmt.Sprintf("claim %s: the %s value is not marked: it is of another method, metric or place than the figure shows", c.ID, c.Origin()))
		}
	}
	return warnings
}

// markX returns the place at which a claim reads its curve, on the figure's abscissa or, across a grid, the setting of its method. It
// is NaN for the end of the curve, and for a method without that setting.
func (b *Builder) markX(c claims.Claim) float64 {
	if b.Spec.Across != "" {
		for _, r := range records.Select(b.Records, c.Method) {
			if x, err := r.Header.Setting(b.Spec.Across); err == nil {
				return x
			}
		}
		return math.NaN()
	}
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
