package plots

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"repro/results/claims"
	"repro/results/records"
	"repro/results/tables"
)

// Write writes everything that can be seen of results below out:
//
//	figures/<experiment>/<figure>.svg .png .pdf, and .csv with the points drawn
//	tables/<experiment>/<table>.md .csv .tex
//	records.csv with every value of every record
//	report.html
//
// and returns the paths. The same records give the same bytes. Of the store, the records that
// claims.Experiment.Records chooses are shown. A figure or table that cannot be made does not keep
// the others from being written: the report shows why in its place, and the error, unless all that is
// missing is runs, is returned with the paths.
func Write(out string, exps []claims.Experiment, store *records.Store, verdicts []claims.Verdict) ([]string, error) {
	w := writer{out: out, verdicts: verdicts}
	r := newReport(out, exps, store, verdicts)
	var shown []*records.Record
	for i, exp := range exps {
		recs := exp.Records(store.Records)
		shown = append(shown, recs...)
		for _, f := range exp.Figures {
			r.Experiments[i].Figures = append(r.Experiments[i].Figures, w.figure(exp, f, recs))
		}
		for _, t := range exp.Tables {
			r.Experiments[i].Tables = append(r.Experiments[i].Tables, w.table(exp, t, recs))
		}
	}
	var csv bytes.Buffer
	if err := tables.WriteRecords(&csv, shown); err != nil {
		w.errs = append(w.errs, err)
	} else {
		w.save(filepath.Join(out, "records.csv"), csv.Bytes())
	}
	html, err := r.html()
	if err != nil {
		return w.paths, errors.Join(append(w.errs, err)...)
	}
	w.save(filepath.Join(out, "report.html"), html)
	return w.paths, errors.Join(w.errs...)
}

// A writer keeps what was written and what went wrong.
type writer struct {
	out      string
	verdicts []claims.Verdict
	paths    []string
	errs     []error
}

// fail keeps an error, unless it only says that runs are missing.
func (w *writer) fail(err error) {
	if !errors.Is(err, ErrNoData) {
		w.errs = append(w.errs, err)
	}
}

// save writes a file and keeps its path.
func (w *writer) save(path string, data []byte) bool {
	if err := replaceFile(path, data); err != nil {
		w.errs = append(w.errs, err)
		return false
	}
	w.paths = append(w.paths, path)
	return true
}

// figure draws and writes one figure and returns its place in the report.
func (w *writer) figure(exp claims.Experiment, fig claims.Figure, recs []*records.Record) figureView {
	f, err := Build(w.out, exp, fig, recs, w.verdicts)
	view := figureView{ID: fig.ID, Title: f.Title, Caption: f.Caption, Warnings: f.Warnings}
	var p *Picture
	var points []byte
	if err == nil {
		if p, err = Render(f); err == nil {
			points, err = f.pointsCSV()
		}
		if err != nil {
			err = fmt.Errorf("%s: %w", exp.ID, err)
		}
	}
	if err != nil {
		w.fail(err)
		view.Missing = err.Error()
		return view
	}
	stem := records.File(w.out, "figures", exp.ID, fig.ID)
	for _, file := range []struct {
		ext  string
		data []byte
	}{{".svg", p.SVG}, {".png", p.PNG}, {".pdf", p.PDF}, {".csv", points}} {
		if w.save(stem+file.ext, file.data) {
			view.Files = append(view.Files, w.link(stem+file.ext))
		}
	}
	view.SVG = inlineSVG(p.SVG, exp.ID+" "+fig.ID)
	return view
}

// table builds and writes one table and returns its place in the report.
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

// replaceFile replaces a file as a whole: it is never seen half written. A file that already holds
// the data is left alone.
func replaceFile(path string, data []byte) error {
	if old, err := os.ReadFile(path); err == nil && bytes.Equal(old, data) {
		return nil
	}
	return records.WriteFile(path, data)
}
