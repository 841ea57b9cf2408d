package plots

import (
	"bytes"
	"fmt"
	"html/template"
	"slices"

	"repro/plots/drawings"
	"repro/plots/figures"
	"repro/results/claims"
	"repro/results/records"
)

// A Shown is a figure on a page that is not the report.
type Shown struct {
	Name       string // of the run; a page has a figure of it once
	Dir        string // output folder of the records
	Experiment claims.Experiment
	Figure     string // id
	Records    []*records.Record
	Verdicts   []claims.Verdict
	Beside     *Run   // shown fainter, or nil
	BesideName string // as in Output
	Style      figures.Style
}

// Sections returns figures as sections of one page, drawn and ready for the script to enliven, and the rules of their classes.
// Each section has the id fig-NAME-FIGURE.
func Sections(figures ...Shown) ([]template.HTML, string, error) {
	var sheets []*drawings.Sheet
	var views []experimentView
	for _, s := range figures {
		v, err := s.view()
		if err != nil {
			return nil, "", fmt.Errorf("%s: %w", s.Name, err)
		}
		views, sheets = append(views, v), append(sheets, v.Figures[0].Drawing)
	}
	css := drawings.SheetsCSS(sheets...)
	var all []template.HTML
	for _, v := range views {
		var b bytes.Buffer
		if err := templates.ExecuteTemplate(&b, "section.tmpl", v); err != nil {
			return nil, "", err
		}
		all = append(all, template.HTML(b.String()))
	}
	return all, css, nil
}

// view draws the figure.
func (s Shown) view() (experimentView, error) {
	v := experimentView{Experiment: s.Experiment}
	i := slices.IndexFunc(s.Experiment.Figures, func(f claims.Figure) bool { return f.ID == s.Figure })
	if i < 0 {
		return v, fmt.Errorf("there is no figure %s", s.Figure)
	}
	w := writer{out: s.Dir, verdicts: s.Verdicts, how: Output{Beside: s.Beside, BesideName: s.BesideName, Style: s.Style}}
	d := w.figure(s.Experiment, s.Experiment.Figures[i], s.Records)
	if d.err != nil {
		return v, d.err
	}
	f := newFigureView(&d.Figure, nil)
	f.Drawing, f.Data = d.picture.Sheet, figures.NumbersOf(&d.Figure, mostDataRows)
	if s.Style != (figures.Style{}) {
		fig := d.Figure
		fig.Style = s.Style.Over(fig.Style)
		var err error
		if f.Drawing, err = drawings.SheetOf(fig); err != nil {
			return v, err
		}
	}
	v.Figures = []figureView{f}
	v.enliven(&d, s.Records, s.Beside)
	v.ID, v.Live.ID = s.Name, s.Name
	return v, nil
}
