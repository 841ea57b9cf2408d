package plots

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"

	"repro/results/claims"
	"repro/results/records"
	"repro/results/tables"
)

// Write writes the figures, the tables and the report of experiments below out and returns the paths:
//
//	figures/<experiment>/<figure>.svg .png .pdf, and .csv with the points drawn
//	tables/<experiment>/<table>.md .csv .tex
//	records.csv with every value of every record
//	report.html
//
// It uses the records of the store that claims.Experiment.Records chooses. shipped holds the verdicts at the published size
// that come with the program; the report shows them next to the verdicts given.
// The same input gives the same bytes. If a figure or a table cannot be made, Write still writes the others. The report
// then says why, and Write returns the error with the paths, unless only runs are missing.
func Write(out string, exps []claims.Experiment, store *records.Store, verdicts, shipped []claims.Verdict) ([]string, error) {
	w := writer{out: out, verdicts: verdicts}
	r := newReport(exps, store, verdicts, shipped)
	var shown []*records.Record
	for i, exp := range exps {
		recs := exp.Records(store.Records)
		shown = append(shown, recs...)
		for _, f := range exp.Figures {
			w.figure(&r.Experiments[i], f, recs)
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

// A writer collects the paths of the files written and the errors.
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

// save writes a file and keeps its path. It reports whether that succeeded.
func (w *writer) save(path string, data []byte) bool {
	if err := records.WriteFile(w.out, path, data); err != nil {
		w.errs = append(w.errs, err)
		return false
	}
	w.paths = append(w.paths, path)
	return true
}

// figure draws and writes one figure and adds what the report shows of it.
func (w *writer) figure(e *experimentView, fig claims.Figure, recs []*records.Record) {
	exp := e.Experiment
	f, err := Build(w.out, exp, fig, recs, w.verdicts)
	view := newFigureView(&f, e.tiles(fig))
	defer func() { e.Figures = append(e.Figures, view) }()
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
		return
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
	view.Drawing, view.Data, view.Live = p.sheet, newDataView(&f), e.enliven(fig, &f, recs)
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
