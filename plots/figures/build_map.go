package figures

import (
	"fmt"
	"math"
	"slices"

	"repro/results/printed"
	"repro/results/records"
	"repro/results/stats"
)

// gridMap builds one map for each series: the metric at the end of the runs over two keys of a grid.
func (b *builder) gridMap(f *Figure) error {
	metric := b.exp.Metric(b.fig.Y)
	b.unit = b.exp.Unit(b.fig.Y)
	label := b.yLabel(b.unit.Label(CurveName(b.exp, b.fig.Y)))
	h := &Heat{X: Axis{Label: b.xLabel(AbscissaName(b.fig.Across)), Log: true}, Y: Axis{Label: AbscissaName(b.fig.By), Log: true}, Label: label}
	shown, seeds := Nothing, 0
	for _, s := range b.series() {
		var recs []*records.Record
		for _, m := range s.Members {
			recs = append(recs, records.Select(b.recs, m)...)
		}
		m, err := stats.MapOf(recs, b.fig.Y, b.fig.Across, b.fig.By, metric.Better == "larger")
		title := Typeset(s.Label)
		if title == "" {
			title = b.label(s.Method)
		}
		switch {
		case err != nil:
			f.Warnings = append(f.Warnings, fmt.Sprintf("%s: %v", title, err))
			continue
		case len(m.X) < 2 || len(m.Y) < 2:
			f.Warnings = append(f.Warnings, fmt.Sprintf("%s: a map needs runs at two values of %s and of %s", title, b.fig.Across, b.fig.By))
			continue
		}
		for _, row := range m.Z {
			for j, z := range row {
				if row[j] = b.unit.Of(z); !math.IsInf(z, 0) && !math.IsNaN(z) {
					shown = shown.With(row[j])
				}
			}
		}
		p := Panel{Title: title, X: m.X, Y: m.Y, Z: m.Z, Best: m.Best}
		b.addRuns(&p, recs)
		if b.fig.Limit != "" {
			c := stats.AcrossCurve(finished(recs), b.fig.Limit, b.fig.Across)
			for _, x := range m.X {
				y := math.NaN()
				if i := slices.Index(c.X, x); i >= 0 {
					y = c.Median[i]
				}
				p.Limit = append(p.Limit, y)
			}
			f.Warnings = append(f.Warnings, texts(c.Warnings)...)
		}
		seeds = max(seeds, m.Seeds)
		h.Panels = append(h.Panels, p)
	}
	if len(h.Panels) == 0 {
		return fmt.Errorf("%w: no run of its grid has ended", ErrNoData)
	}
	h.Min, h.Max = colourScale(shown)
	if r := b.fig.YRange; r[0] < r[1] {
		h.Min, h.Max = r[0], r[1]
	}
	f.Heat = h
	var c caption
	c.add("%s", Typeset(b.fig.Caption))
	c.add("Horizontal: %s (logarithmic); vertical: %s (logarithmic); colour: %s from %s to %s, the median over %s",
		h.X.Label, h.Y.Label, h.Label, Number(h.Min), Number(h.Max), printed.Count(seeds, "seed"))
	c.add("The line joins the best %s for each %s", h.Y.Label, h.X.Label)
	if b.fig.Limit != "" {
		c.add("The dashed line is the %s", CurveName(b.exp, b.fig.Limit))
	}
	if h.clips() {
		c.add("Values beyond the scale have the colour of its end; grey marks runs that diverged or are missing")
	}
	b.endCaption(&c)
	f.Caption = c.String()
	return nil
}

// addRuns adds the values of every seed to a panel over a grid.
func (b *builder) addRuns(p *Panel, recs []*records.Record) {
	for _, r := range recs {
		x, errX := r.Header.Setting(b.fig.Across)
		y, errY := r.Header.Setting(b.fig.By)
		z, measured := r.MeasureAt(b.fig.Y, records.At{})
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

func texts(warnings []error) (list []string) {
	for _, w := range warnings {
		list = append(list, w.Error())
	}
	return list
}
