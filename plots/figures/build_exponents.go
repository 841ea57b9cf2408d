package figures

import (
	"cmp"
	"fmt"
	"slices"

	"repro/results/claims"
	"repro/results/printed"
)

// exponents builds a figure of measured against predicted exponents: a point for each claim of a slope that the figure
// names, at its published or derived number, with the interval of the measured slope as a band, and the line on which the two
// are equal.
func (b *builder) exponents(f *Figure) error {
	type point struct{ x, y, low, high float64 }
	var points []point
	for _, c := range b.figureClaims() {
		x, _, _, err := printed.Parse(c.Number())
		i := slices.IndexFunc(b.verdicts, func(v claims.Verdict) bool { return v.Claim == c.ID })
		if c.Quantity() != claims.Slope || err != nil || i < 0 || b.verdicts[i].Measured == nil {
			f.Warnings = append(f.Warnings, c.ID+": no slope was measured")
			continue
		}
		v := b.verdicts[i]
		p := point{x, *v.Measured, *v.Measured, *v.Measured}
		if v.Low != nil && v.High != nil {
			p.low, p.high = *v.Low, *v.High
		}
		points = append(points, p)
	}
	if len(points) == 0 {
		return fmt.Errorf("%w: no claim of the figure has a measured slope yet; run the experiment", ErrNoData)
	}
	slices.SortStableFunc(points, func(p, q point) int { return cmp.Compare(p.x, q.x) })
	measured := Line{Label: "measured", Points: true}
	for _, p := range points {
		measured.X, measured.Y = append(measured.X, p.x), append(measured.Y, p.y)
		measured.Low, measured.High = append(measured.Low, p.low), append(measured.High, p.high)
	}
	ends := []float64{measured.X[0], measured.X[len(points)-1]}
	f.Curves = &Curves{
		X: Axis{Label: b.xLabel("predicted exponent")}, Y: Axis{Label: b.yLabel("measured exponent"), Min: b.fig.YRange[0], Max: b.fig.YRange[1]},
		Lines: []Line{measured, {Label: "measured = predicted", X: ends, Y: ends, Style: TruthStyle}},
	}
	var c caption
	c.add("%s", Typeset(b.fig.Caption))
	c.add("Horizontal: exponents of the claims; vertical: slopes fitted to the runs, with their 95 %% intervals as bars")
	b.endCaption(&c)
	f.Caption = c.String()
	return nil
}
