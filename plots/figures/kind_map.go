package figures

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"repro/results/claims"
	"repro/results/printed"
	"repro/results/records"
	"repro/results/stats"
)

var _ = Register(Kind{
	Name: "map", Doc: "y at the end of the runs of a grid, as a colour over its keys `across` and `by`",
	Needs: []string{"across", "by", "y"}, May: []string{"series", "limit"},
	Check: func(f *claims.Figure, keys Keys) {
		for _, s := range f.Series {
			if f.Limit != "" {
				keys.Measured("limit", f.Limit, s.Method)
			}
			if f.By != "" {
				keys.Varied("by", f.By, s.Method)
			}
		}
	},
	Build: (*Builder).gridMap,
})

// gridMap builds one map for each series: the metric at the end of the runs over two keys of a grid.
func (b *Builder) gridMap(f *Figure) error {
	b.unit = b.Experiment.Unit(b.Spec.Y)
	label := b.YLabel(b.unit.Label(CurveName(b.Experiment, b.Spec.Y)))
	h := &Heat{X: Axis{Label: b.XLabel(AbscissaName(b.Spec.Across)), Log: true}, Y: Axis{Label: AbscissaName(b.Spec.By), Log: true}, Label: label}
	h.Best = "best " + h.Y.Label
	if b.Spec.Limit != "" {
		h.Limit = CurveName(b.Experiment, b.Spec.Limit)
	}
	shown, seeds := Nothing, 0
	for _, s := range b.Series() {
		title := cmp.Or(Typeset(s.Label), b.Label(s.Method))
		p, n, warnings, err := b.gridPanel(s)
		if err != nil {
			f.Warnings = append(f.Warnings, fmt.Sprintf("%s: %v", title, err))
			continue
		}
		if r := p.valueRange(); !r.Empty() {
			shown = shown.With(r.Lo).With(r.Hi)
		}
		p.Title, seeds = title, max(seeds, n)
		f.Warnings = append(f.Warnings, warnings...)
		h.Panels = append(h.Panels, p)
	}
	if len(h.Panels) == 0 {
		return fmt.Errorf("%w: no run of its grid has ended", ErrNoData)
	}
	h.Min, h.Max = b.colourScale(shown)
	f.Heat = h
	f.Caption.Add(AxesSentence+"%s (logarithmic); vertical: %s (logarithmic); colour: %s from %s to %s, the median over %s",
		h.X.Label, h.Y.Label, h.Label, Number(h.Min), Number(h.Max), printed.Count(seeds, "seed"))
	f.Caption.Add("The line joins the best %s for each %s", h.Y.Label, h.X.Label)
	if h.clips() {
		f.Caption.Add("Values beyond the scale have the colour of its end; grey diverged")
	}
	return nil
}

// gridPanel returns the map of a series without its title, the number of seeds, and warnings about its limit.
func (b *Builder) gridPanel(s claims.Series) (p Panel, seeds int, warnings []string, err error) {
	recs := b.recordsOf(s)
	m, err := stats.MapOf(recs, b.Spec.Y, b.Spec.Across, b.Spec.By, b.Experiment.Metric(b.Spec.Y).Better == "larger")
	switch {
	case err != nil:
		return p, 0, nil, err
	case len(m.X) < 2 || len(m.Y) < 2:
		return p, 0, nil, fmt.Errorf("a map needs runs at two values of %s and of %s", b.Spec.Across, b.Spec.By)
	}
	for _, row := range m.Z {
		for j, z := range row {
			row[j] = b.unit.Of(z)
		}
	}
	p = Panel{X: m.X, Y: m.Y, Z: m.Z, Best: m.Best}
	b.addRuns(&p, recs)
	if b.Spec.Limit != "" {
		c := stats.AcrossCurve(finished(recs), b.Spec.Limit, b.Spec.Across)
		for _, x := range m.X {
			y := math.NaN()
			if i := slices.Index(c.X, x); i >= 0 {
				y = c.Median[i]
			}
			p.Limit = append(p.Limit, y)
		}
		for _, w := range c.Warnings {
			warnings = append(warnings, w.Error())
		}
	}
	return p, m.Seeds, warnings, nil
}

// addRuns adds the values of every seed to a panel over a grid.
func (b *Builder) addRuns(p *Panel, recs []*records.Record) {
	for _, r := range recs {
		x, errX := r.Header.Setting(b.Spec.Across)
		y, errY := r.Header.Setting(b.Spec.By)
		z, measured := r.MeasureAt(b.Spec.Y, records.At{})
		i, j := slices.Index(p.Y, y), slices.Index(p.X, x)
		if errX != nil || errY != nil || !measured || i < 0 || j < 0 {
			continue
		}
		k := slices.Index(p.Seeds, r.Header.Seed)
		if k < 0 {
			k = len(p.Seeds)
			none := make([][]float64, len(p.Y))
			for i := range none {
				none[i] = slices.Repeat([]float64{math.NaN()}, len(p.X))
			}
			p.Seeds, p.Runs = append(p.Seeds, r.Header.Seed), append(p.Runs, none)
		}
		p.Runs[k][i][j] = b.unit.Of(z)
	}
	if len(p.Seeds) == 1 {
		p.Runs = nil
	}
}

// finished returns the records of runs that did not diverge.
func finished(recs []*records.Record) []*records.Record {
	return slices.DeleteFunc(slices.Clone(recs), func(r *records.Record) bool { return r.Status() == records.Diverged })
}

// Predicted says which limit of a map all runs of the experiment that diverged lie above, and where it stands. It is empty if none
// diverged, or if one lies below.
func Predicted(j claims.Case) string {
	for _, fig := range j.Figures {
		if fig.Limit != "" && beyond(fig, j.Records) {
			return fmt.Sprintf("above the %s, as %s predicts", CurveName(j.Experiment, fig.Limit), cmp.Or(fig.Source, "figure "+fig.ID))
		}
	}
	return ""
}

// beyond reports whether some runs of a map's grid diverged, all of them above the limit that the others have at the same place.
func beyond(fig claims.Figure, own []*records.Record) bool {
	limit := stats.AcrossCurve(finished(own), fig.Limit, fig.Across)
	some := false
	for _, r := range own {
		if r.Status() != records.Diverged {
			continue
		}
		x, errX := r.Header.Setting(fig.Across)
		y, errY := r.Header.Setting(fig.By)
		i := slices.Index(limit.X, x)
		if errX != nil || errY != nil || i < 0 || !(y > limit.Median[i]) {
			return false
		}
		some = true
	}
	return some
}
