package smoothing

import (
	"fmt"

	"repro/plots/figures"
	"repro/results/claims"
	"repro/results/records"
	"repro/results/stats"
)

var _ = figures.Register(figures.Kind{
	Name: "doublings", Doc: "y divided by y at half of x, along the runs: 2^-a for an error that falls as x^-a",
	Needs: []string{"x", "y"}, May: []string{"series"},
	Check: func(f *claims.Figure, keys figures.Keys) {
		if f.X == "seconds" {
			keys.Wrong("x", "half of a time is not half of the work; choose a cost that is counted")
		}
	},
	Build: buildDoublings,
})

// buildDoublings draws a line for each method: q(x) = e(x)/e(x/2), where e is the metric y. The mean over seeds is geometric, the
// band its 95 % interval.
func buildDoublings(b *figures.Builder, f *figures.Figure) error {
	x, y := b.Spec.X, b.Spec.Y
	c := &figures.Curves{
		X: figures.Axis{Label: b.XLabel(figures.AbscissaName(x)), Log: true},
		Y: figures.Axis{Label: b.YLabel(figures.CurveName(b.Experiment, y) + " by that at half of x"), Min: b.Spec.YRange[0], Max: b.Spec.YRange[1]},
	}
	styles := figures.Styles(b.Experiment, b.Series())
	for i, s := range b.Series() {
		recs := records.Select(b.Records, s.Method)
		line := figures.Line{Label: b.Label(s.Method), Style: styles[i]}
		for _, at := range stats.CurveOf(recs, y, x, "").X {
			var ratios []float64
			for _, r := range recs {
				end, ok := r.At(y, records.At{X: x, Value: at})
				half, ok2 := r.At(y, records.At{X: x, Value: at / 2})
				if ok && ok2 && end > 0 && half > 0 {
					ratios = append(ratios, end/half)
				}
			}
			if len(ratios) > 0 {
				e := stats.GeometricInterval(ratios)
				line.X, line.Y = append(line.X, at), append(line.Y, e.Mean)
				line.Low, line.High = append(line.Low, e.Low), append(line.High, e.High)
			}
		}
		if len(line.X) == 0 {
			f.Warnings = append(f.Warnings, line.Label+": no value and one at half of its "+x)
			continue
		}
		c.Lines = append(c.Lines, line)
	}
	if len(c.Lines) == 0 {
		return fmt.Errorf("%w: no method has values at x and at half of x; run the experiment", figures.ErrNoData)
	}
	f.Curves = c
	f.Caption.Add("Horizontal: %s (logarithmic); vertical: %s; bands are 95 %% intervals of the geometric means", c.X.Label, c.Y.Label)
	return nil
}
