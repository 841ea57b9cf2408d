// Package plots writes the figures, the tables and the HTML report of experiments. Package figures makes the figures from records
// and verdicts, package drawings draws them. The same input gives the same bytes.
package plots

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
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
	cases = inPaperOrder(cases)
	w := writer{out: out, how: how}
	r := newReport(cases, warnings, how)
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
	for _, t := range append(slices.Clip(e.Case.Tables), ordersTables(e.Case)...) {
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
	Beside    *Run          // runs of another output folder, which the figures show, too; nil for none
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

// nameOf returns the name that another run has in figures: that of its folder, if it is short and the font of figures has its letters.
func nameOf(dir string) string {
	name := filepath.Base(filepath.Clean(dir))
	if utf8.RuneCountInString(name) > longestName || figures.Drawable(name) != nil {
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
