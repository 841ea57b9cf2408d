// Package plots writes the figures, the tables and the HTML report of experiments. Package figures makes the figures from records
// and verdicts, package drawings draws them. The same input gives the same bytes.
package plots

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"html/template"
	"io"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"repro/plots/drawings"
	"repro/plots/figures"
	"repro/results/claims"
	"repro/results/files"
	"repro/results/printed"
	"repro/results/records"
)

// Write writes the figures, the tables and the report of experiments below out and returns the paths:
//
//	figures/<experiment>/<figure>.svg or the formats of how, and .csv with the points drawn
//	tables/<experiment>/<table>.md .csv .tex
//	records.csv with every value of every record
//	report.html
//
// warnings are about the output folder. It works on all processors. The same input gives the same bytes. If a figure or a table cannot
// be made, Write still writes the others. The report then says why, and Write returns the error with the paths, unless only runs are
// missing.
func Write(out string, cases []claims.Case, warnings []error, how Output) ([]string, error) {
	given := cases
	cases = inPaperOrder(cases)
	w := writer{out: out, how: how}
	r := newReport(cases, warnings, how)
	if how.Beside != nil {
		r.Beside = newBesideView(given, *how.Beside)
	}
	figures := w.figures(cases)
	n := len(cases)
	parts := make([]writer, n+1)
	records.Parallel(n+1, func(i int) {
		part := &parts[(i+n)%(n+1)] // the last one, which takes longest, first
		*part = writer{out: out, how: how}
		if i == 0 {
			part.records(cases)
		} else {
			part.experiment(&r.Experiments[i-1], figures[i-1])
		}
	})
	for _, part := range parts {
		w.paths, w.errs = append(w.paths, part.paths...), append(w.errs, part.errs...)
	}
	html, err := r.html()
	if err != nil {
		return w.paths, errors.Join(append(w.errs, err)...)
	}
	w.save(filepath.Join(out, "report.html"), html)
	return w.paths, errors.Join(w.errs...)
}

// experiment writes the figures, which are drawn already, and the tables of an experiment, and adds them to what the report
// shows of it.
func (w *writer) experiment(e *experimentView, figures []drawn) {
	for _, f := range figures {
		w.saveFigure(e, f)
	}
	for _, t := range e.Case.Tables {
		e.Tables = append(e.Tables, w.table(e.Case, t))
	}
}

// records writes the records of all experiments.
func (w *writer) records(cases []claims.Case) {
	var shown []*records.Record
	for _, j := range cases {
		shown = append(shown, j.Records...)
	}
	path := filepath.Join(w.out, "records.csv")
	w.saved(path, files.WriteBy(w.out, path, func(out io.Writer) error { return writeRecords(out, shown) }))
}

// A Run is what is shown beside: the cases of another output folder, and its name in figures; that of the folder, shortened, if empty.
type Run struct {
	Name, Dir string
	Cases     []claims.Case
}

// An Output says how Write draws figures.
type Output struct {
	Style     figures.Style // of all figures
	Formats   []string      // of Formats; SVG if there is none
	Beside    *Run          // runs of another output folder, which the figures and the report show, too; nil for none
	Elsewhere []string      // the flag of commands that names the output folder; none for the usual one
}

// say writes a command for the reader of a report.
func (o Output) say(verb string, words ...string) string {
	return printed.Line(verb, append(slices.Clone(words), o.Elsewhere...)...)
}

// A writer collects the paths of the files written and the errors.
type writer struct {
	out   string
	how   Output
	paths []string
	errs  []error
}

// fail keeps an error, unless it only says that runs are missing.
func (w *writer) fail(err error) {
	if !errors.Is(err, figures.ErrNoData) {
		w.errs = append(w.errs, err)
	}
}

// save writes a file and keeps its path. It reports whether that succeeded.
func (w *writer) save(path string, data []byte) bool {
	return w.saved(path, files.Write(w.out, path, data))
}

func (w *writer) saved(path string, err error) bool {
	if err != nil {
		w.errs = append(w.errs, err)
		return false
	}
	w.paths = append(w.paths, path)
	return true
}

// A drawn figure has its files, or the error that says why not.
type drawn struct {
	figures.Figure
	spec    claims.Figure
	picture *drawings.Picture
	points  []byte
	err     error
}

// figures draws the figures of all experiments, on all processors, and returns them in the order of the specs.
func (w *writer) figures(cases []claims.Case) [][]drawn {
	all := make([][]drawn, len(cases))
	var draw []func()
	for i, j := range cases {
		all[i] = make([]drawn, len(j.Figures))
		for k, fig := range j.Figures {
			draw = append(draw, func() { all[i][k] = w.figure(j, fig) })
		}
	}
	records.Parallel(len(draw), func(i int) { draw[i]() })
	return all
}

// figure draws one figure.
func (w *writer) figure(j claims.Case, fig claims.Figure) drawn {
	f, err := w.model(j, fig)
	d := drawn{Figure: f, spec: fig, err: err}
	if err != nil {
		return d
	}
	f.Style = w.how.Style
	if d.picture, err = drawings.Render(f, w.how.Formats...); err == nil {
		d.points, err = f.PointsCSV()
	}
	if err != nil {
		d.err = fmt.Errorf("%s: %w", j.ID, err)
	}
	return d
}

// model builds one figure, with what another run has for it.
func (w *writer) model(j claims.Case, fig claims.Figure) (figures.Figure, error) {
	f, err := figures.Build(w.out, j, fig)
	if err == nil {
		w.beside(&f, j.ID)
	}
	return f, err
}

// saveFigure writes the files of one figure and adds what the report shows of it.
func (w *writer) saveFigure(e *experimentView, d drawn) {
	view := newFigureView(&d.Figure, e.tiles(d.spec))
	defer func() { e.Figures = append(e.Figures, view) }()
	if d.err != nil {
		w.fail(d.err)
		view.Missing = d.err.Error()
		return
	}
	stem := files.Path(w.out, "figures", e.ID, d.ID)
	for _, file := range append(d.picture.Files, drawings.File{Suffix: ".csv", Data: d.points}) {
		if w.save(stem+file.Suffix, file.Data) {
			view.Files = append(view.Files, w.link(stem+file.Suffix))
		}
	}
	view.Drawing, view.curves = d.picture.Sheet, d.Curves != nil
	e.enliven(&d.Figure, d.spec, d.picture.Sheet, w.how.Beside)
}

// table builds and writes one table and returns what the report shows of it.
func (w *writer) table(j claims.Case, t claims.Table) tableView {
	d, err := BuildTable(j, t)
	if err != nil {
		w.fail(err)
		return tableView{ID: t.ID, Title: t.Title, Missing: err.Error()}
	}
	paths, err := writeTable(w.out, j.ID, d)
	if err != nil {
		w.fail(err)
	}
	w.paths = append(w.paths, paths...)
	view := newTableView(d)
	for _, p := range paths {
		view.Files = append(view.Files, w.link(p))
	}
	return view
}

// link returns a file as the report links to it.
func (w *writer) link(path string) fileLink {
	rel, err := filepath.Rel(w.out, path)
	if err != nil {
		rel = path
	}
	return fileLink{Name: filepath.Ext(path)[1:], Href: filepath.ToSlash(rel)}
}

// longestName is the largest number of characters of a folder's name in the legend of a figure.
const longestName = 20

// nameOf returns the name that another run has in figures: its folder, shortened.
func nameOf(dir string) string {
	name := filepath.ToSlash(filepath.Clean(dir))
	if utf8.RuneCountInString(name) > longestName {
		name = "…/" + path.Base(name)
	}
	beyondLatin := func(r rune) bool { return r > 0x17F && r != '…' } // the font of figures may lack it
	if strings.ContainsFunc(name, beyondLatin) || utf8.RuneCountInString(name) > 2*longestName {
		return "the other run"
	}
	return printed.Visible(name)
}

// beside adds to a figure what another run has for it.
func (w *writer) beside(f *figures.Figure, experiment string) {
	other := w.how.Beside
	if other == nil {
		return
	}
	j := claims.Of(other.Cases, experiment)
	if j == nil {
		return
	}
	i := slices.IndexFunc(j.Figures, func(g claims.Figure) bool { return g.ID == f.ID })
	if i < 0 {
		return
	}
	name := cmp.Or(other.Name, nameOf(other.Dir))
	g, err := figures.Build(other.Dir, *j, j.Figures[i])
	if err != nil {
		f.Warnings = append(f.Warnings, fmt.Sprintf("%s: %v", name, err))
		return
	}
	for _, text := range g.Warnings {
		f.Warnings = figures.AppendNew(f.Warnings, name+": "+text)
	}
	f.Beside(g, name)
}

// A Shown is a figure on a page that is not the report.
type Shown struct {
	Name   string // of the run; a page has a figure of it once
	Dir    string // output folder of the records
	Case   claims.Case
	Figure string // id
	Beside *Run   // shown fainter, or nil
	Style  figures.Style
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
	v := experimentView{Case: s.Case}
	i := slices.IndexFunc(s.Case.Figures, func(f claims.Figure) bool { return f.ID == s.Figure })
	if i < 0 {
		return v, fmt.Errorf("there is no figure %s", s.Figure)
	}
	w := writer{out: s.Dir, how: Output{Beside: s.Beside}}
	fig, err := w.model(s.Case, s.Case.Figures[i])
	if err != nil {
		return v, err
	}
	f := newFigureView(&fig, nil)
	fig.Style = s.Style
	if f.Drawing, err = drawings.SheetOf(fig); err != nil {
		return v, err
	}
	v.Figures = []figureView{f}
	v.enliven(&fig, s.Case.Figures[i], f.Drawing, s.Beside)
	v.ID, v.Live.ID = s.Name, s.Name
	return v, nil
}
