package figures

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"repro/results/claims"
	"repro/results/printed"
)

var _ = Register(Kind{
	Name: "exponents", Doc: "the measured slopes of its claims against their printed or derived numbers",
	Check: func(f *claims.Figure, keys Keys) {
		sloped := func(kind string) bool { return claims.KindOf(kind).Quantity == claims.Slope }
		slopes := `"` + strings.Join(slices.DeleteFunc(claims.Kinds(), func(kind string) bool { return !sloped(kind) }), `" or "`) + `"`
		if len(f.Claims) == 0 {
			keys.Wrong("claims", "a figure of exponents needs claims of kind %s; name them", slopes)
		}
		for _, id := range f.Claims {
			if c, known := keys.ClaimOf(id); known && !sloped(c.Kind) {
				keys.Wrong("claims", "%q is not of kind %s; remove it", id, slopes)
			}
		}
	},
	Build: (*Builder).exponents,
})

// exponents builds a figure of measured against predicted exponents: a point for each claim of a slope that the figure
// names, at its published or derived number, with the interval of the measured slope as a band, and the line on which the two
// are equal.
func (b *Builder) exponents(f *Figure) error {
	type point struct{ x, y, low, high float64 }
	var points []point
	for _, c := range b.figureClaims() {
		x, _, _, err := printed.Parse(c.Number())
		v := b.On(c.ID)
		if c.Quantity() != claims.Slope || err != nil || v == nil || v.Measured == nil {
			f.Warnings = append(f.Warnings, c.ID+": no slope was measured")
			continue
		}
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
		X: Axis{Label: b.XLabel("predicted exponent")}, Y: Axis{Label: b.YLabel("measured exponent"), Min: b.Spec.YRange[0], Max: b.Spec.YRange[1]},
		Lines: []Line{measured, {Label: "measured = predicted", X: ends, Y: ends, Style: TruthStyle}},
	}
	f.Caption.Add(AxesSentence + "exponents of the claims; vertical: slopes fitted to the runs, with their 95 %% intervals as bars")
	return nil
}
