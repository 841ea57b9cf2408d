package plots

import (
	"fmt"
	"math"
	"strings"

	"repro/results/claims"
	"repro/results/printed"
	"repro/results/records"
)

// marks returns the published values that the figure's claims hold against a curve.
func (b *builder) marks(method, metric string, style int) []Mark {
	var out []Mark
	var column string
	for _, c := range b.figureClaims() {
		if c.Kind != claims.KindValue || c.Method != method || c.Metric != metric {
			continue
		}
		y, low, high, err := printed.Parse(c.Published)
		if err != nil {
			continue // the verdict says what is wrong with it
		}
		unit := 1.0
		if b.percent && c.Unit != claims.Percent {
			unit = 100
		}
		label := fmt.Sprintf("%s: published %s%s%s", b.label(method), ofBound(c), strings.ReplaceAll(c.Published, "-", minus), unitSign(c.Unit))
		if c.Column != "" {
			label = b.label(method) + ": published"
		}
		if c.Column != "" && c.Column == column {
			label = "" // one entry of the legend for the whole column
		}
		column = c.Column
		out = append(out, Mark{X: b.markX(c), Y: unit * y, Low: unit * low, High: unit * high, Style: style, Label: label})
	}
	return out
}

// ofBound says of a published value that it is a bound, such as a rival's error.
func ofBound(c claims.Claim) string {
	if c.AtMost {
		return "upper bound "
	}
	if c.AtLeast {
		return "lower bound "
	}
	return ""
}

// markX returns where a claim reads its curve on the figure's abscissa, NaN if at the end.
func (b *builder) markX(c claims.Claim) float64 {
	if c.At.Value == 0 {
		return math.NaN()
	}
	if c.At.X == b.fig.X {
		return c.At.Value
	}
	for _, r := range records.Select(b.recs, c.Method) {
		if x, ok := r.At(b.fig.X, c.At); ok {
			return x
		}
	}
	return math.NaN()
}
