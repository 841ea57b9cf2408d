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
	"repro/results/tables"
)

// Write writes the figures, the tables and the report of experiments below out and returns the paths:
//
//	figures/<experiment>/<figure>.svg or the formats of how, and .csv with the points drawn
//	tables/<experiment>/<table>.md .csv .tex
//	records.csv with every value of every record
//	report.html
//
// It uses the records of the store that claims.Experiment.Records chooses. shipped holds the verdicts at the published size
// that come with the program; the report shows them next to the verdicts given. It works on all processors. The same input
// gives the same bytes. If a figure or a table cannot be made, Write still writes the others. The report then says why, and
// Write returns the error with the paths, unless only runs are missing.
func Write(out string, run Run, shipped []claims.Verdict, how Output) ([]string, error) {
	run.Experiments = inPaperOrder(run.Experiments)
	w := writer{out: out, verdicts: run.Verdicts, how: how}
	r := newReport(run, shipped, how)
	figures := w.figures(run)
	n := len(run.Experiments)
	parts := make([]writer, n+1)
	records.Parallel(n+1, func(i int) {
		part := &parts[(i+n)%(n+1)] // the last one, which takes longest, first
		*part = writer{out: out, verdicts: run.Verdicts, how: how}
		if i == 0 {
			part.records(run)
		} else {
			part.experiment(&r.Experiments[i-1], run.Experiments[i-1], figures[i-1], run.Store)
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
func (w *writer) experiment(e *experimentView, exp claims.Experiment, figures []drawn, store *records.Store) {
	recs := exp.Records(store.Records)
	for _, f := range figures {
		w.saveFigure(e, f, recs)
	}
	for _, t := range exp.Tables {
		e.Tables = append(e.Tables, w.table(exp, t, recs))
	}
}

// records writes the records of all experiments.
func (w *writer) records(run Run) {
	var shown []*records.Record
	for _, exp := range run.Experiments {
		shown = append(shown, exp.Records(run.Store.Records)...)
	}
	path := filepath.Join(w.out, "records.csv")
	w.saved(path, files.WriteBy(w.out, path, func(out io.Writer) error { return tables.WriteRecords(out, shown) }))
}

// A Run is what Write shows of an output folder.
type Run struct {
	Experiments []claims.Experiment
	Store       *records.Store
	Verdicts    []claims.Verdict // of the experiments
}

// of returns the run's experiment with the given id, and its records; ok is false if the run has none.
func (r *Run) of(id string) (exp claims.Experiment, recs []*records.Record, ok bool) {
	for _, exp := range r.Experiments {
		if exp.ID == id {
			return exp, exp.Records(r.Store.Records), true
		}
	}
	return exp, nil, false
}

// An Output says how Write draws figures.
type Output struct {
	Style      figures.Style // of all figures
	Formats    []string      // of Formats; SVG if there is none
	Beside     *Run          // runs of another output folder, which the figures and the report show, too; nil for none
	BesideName string        // of that run in figures; that of its folder, shortened, if empty
	Elsewhere  []string      // the flag of commands that names the output folder; none for the usual one
}

// say writes a command for the reader of a report.
func (o Output) say(verb string, words ...string) string {
	return printed.Line(verb, append(slices.Clone(words), o.Elsewhere...)...)
}

// A writer collects the paths of the files written and the errors.
type writer struct {
	out      string
	verdicts []claims.Verdict
	how      Output
	paths    []string
	errs     []error
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
func (w *writer) figures(run Run) [][]drawn {
	all := make([][]drawn, len(run.Experiments))
	var draw []func()
	for i, exp := range run.Experiments {
		recs := exp.Records(run.Store.Records)
		all[i] = make([]drawn, len(exp.Figures))
		for k, fig := range exp.Figures {
			draw = append(draw, func() { all[i][k] = w.figure(exp, fig, recs) })
		}
	}
	records.Parallel(len(draw), func(i int) { draw[i]() })
	return all
}

// figure draws one figure.
func (w *writer) figure(exp claims.Experiment, fig claims.Figure, recs []*records.Record) drawn {
	f, err := w.model(exp, fig, recs)
	d := drawn{Figure: f, spec: fig, err: err}
	if err != nil {
		return d
	}
	f.Style = w.how.Style
	if d.picture, err = drawings.Render(f, w.how.Formats...); err == nil {
		d.points, err = f.PointsCSV()
	}
	if err != nil {
		d.err = fmt.Errorf("%s: %w", exp.ID, err)
	}
	return d
}

// model builds one figure, with what another run has for it.
func (w *writer) model(exp claims.Experiment, fig claims.Figure, recs []*records.Record) (figures.Figure, error) {
	f, err := figures.Build(w.out, exp, fig, recs, w.verdicts)
	if err == nil {
		w.beside(&f, exp.ID)
	}
	return f, err
}

// saveFigure writes the files of one figure and adds what the report shows of it.
func (w *writer) saveFigure(e *experimentView, d drawn, recs []*records.Record) {
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
	e.enliven(&d.Figure, d.spec, d.picture.Sheet, recs, w.how.Beside)
}

// table builds and writes one table and returns what the report shows of it.
func (w *writer) table(exp claims.Experiment, t claims.Table, recs []*records.Record) tableView {
	d, err := tables.Build(exp, t, recs, w.verdicts)
	if err != nil {
		w.fail(err)
		return tableView{ID: t.ID, Title: t.Title, Missing: err.Error()}
	}
	paths, err := tables.Write(w.out, exp.ID, d)
	if err != nil {
		w.fail(err)
	}
	w.paths = append(w.paths, paths...)
	view := newTableView(d, of(exp, w.verdicts))
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
	if w.how.Beside == nil {
		return
	}
	other := w.how.Beside
	name := cmp.Or(w.how.BesideName, nameOf(other.Store.Dir))
	exp, recs, _ := other.of(experiment)
	for _, fig := range exp.Figures {
		if fig.ID != f.ID {
			continue
		}
		g, err := figures.Build(other.Store.Dir, exp, fig, recs, other.Verdicts)
		if err != nil {
			f.Warnings = append(f.Warnings, fmt.Sprintf("%s: %v", name, err))
			return
		}
		for _, text := range g.Warnings {
			f.Warnings = figures.AppendNew(f.Warnings, name+": "+text)
		}
		f.Beside(g, name)
	}
}

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
	w := writer{out: s.Dir, verdicts: s.Verdicts, how: Output{Beside: s.Beside, BesideName: s.BesideName}}
	fig, err := w.model(s.Experiment, s.Experiment.Figures[i], s.Records)
	if err != nil {
		return v, err
	}
	f := newFigureView(&fig, nil)
	fig.Style = s.Style
	if f.Drawing, err = drawings.SheetOf(fig); err != nil {
		return v, err
	}
	v.Figures = []figureView{f}
	v.enliven(&fig, v.Experiment.Figures[i], f.Drawing, s.Records, s.Beside)
	v.ID, v.Live.ID = s.Name, s.Name
	return v, nil
}
