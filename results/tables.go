package results

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/go-gota/gota/dataframe"
	"github.com/go-gota/gota/series"
)

// TableData is a table of a paper with what was measured: a row a method, a column a metric; or, with X,
// a row a place on the curves, a column a metric of a method.
type TableData struct {
	ID, Title, Source string
	X                 string // abscissa of the rows' places; empty if rows are methods
	Columns           []TableColumn
	Rows              []TableRow
	Notes             []string // what the numbers are, and warnings, to print below the table
}

// A TableColumn is one metric or abscissa.
type TableColumn struct {
	Method, Label string // of a table whose rows are places
	Metric        string
	Words         string // what the metric is called, without its unit; empty for an abscissa
	Unit          string // "%", "s", "MiB" or empty
	Published     bool   // some cell has a published number to compare with
	factor        float64
}

// A TableRow is one method, or one place on the curves, which is its label.
type TableRow struct {
	Method, Label string
	Cells         []TableCell // by column
}

// A TableCell is one number over seeds, in its column's unit. Seeds that diverged count as +Inf.
type TableCell struct {
	Median    float64 // NaN if there is none, +Inf if half the seeds diverged
	Low, High float64 // quartiles, or the range of fewer than four seeds
	Seeds     int
	Missing   string // why there is no number
	Published string // as printed
	Verdict   Word   // on the published number
	Claim     string // id of the claim that holds the published number
}

// BuildTable reads a table's numbers from the records of its experiment, published ones and their
// verdicts from value claims that read the same metric at the same place. Interrupted, failed and
// skipped runs are left out and noted. A method or metric that the experiment does not have is an
// error.
func BuildTable(exp Experiment, t Table, recs []*Record, verdicts []Verdict) (*TableData, error) {
	rows, err := rowsOf(exp, t)
	if err != nil {
		return nil, err
	}
	d := &TableData{ID: t.ID, Title: t.Title, Source: t.Source, X: t.X}
	own := exp.Records(recs)
	if t.X != "" {
		d.addPlaces(exp, t, rows, own, verdicts)
		return d, nil
	}
	for _, m := range t.Metrics {
		d.Columns = append(d.Columns, columnOf(exp, m))
	}
	d.Notes = append(d.Notes, fmt.Sprintf("Median %s; in brackets the quartiles over seeds, or the range of fewer than %d seeds.%s",
		t.At, quartileSeeds, atProfile(exp)))
	for _, m := range rows {
		d.addRow(exp, t, m, Select(own, m.ID), verdicts)
	}
	return d, nil
}

// atProfile says if an experiment did not run at the paper's size.
func atProfile(exp Experiment) string {
	if exp.Profile == paperProfile || exp.Profile == "" {
		return ""
	}
	return fmt.Sprintf(" Ran at profile %s, not at the paper's size.", exp.Profile)
}

// rowsOf returns the methods of a table in its order, all of the experiment's if it names none.
func rowsOf(exp Experiment, t Table) ([]Method, error) {
	if len(t.Metrics) == 0 {
		return nil, fmt.Errorf("table %s of %s has no metrics", t.ID, exp.ID)
	}
	if len(t.Methods) == 0 {
		return exp.Methods, nil
	}
	var rows []Method
	for _, id := range t.Methods {
		i := slices.IndexFunc(exp.Methods, func(m Method) bool { return m.ID == id })
		if i < 0 {
			return nil, fmt.Errorf("table %s of %s: unknown method %q", t.ID, exp.ID, id)
		}
		rows = append(rows, exp.Methods[i])
	}
	return rows, nil
}

// columnOf returns a metric's column: in per cent if it is a fraction or a claim prints it so.
func columnOf(exp Experiment, metric string) TableColumn {
	c := TableColumn{Metric: metric, Words: exp.Metric(metric).Words, factor: 1}
	switch {
	case timed(metric):
		c.Unit = "s"
	case metric == "memory":
		c.Unit, c.factor = "MiB", 1.0/(1<<20)
	case exp.InPercent(metric):
		c.Unit, c.factor = "%", 100
	}
	return c
}

func (d *TableData) addRow(exp Experiment, t Table, m Method, recs []*Record, verdicts []Verdict) {
	row := TableRow{Method: m.ID, Label: m.Label}
	if row.Label == "" {
		row.Label = m.ID
	}
	d.noteRecords(row.Label, recs)
	for i := range d.Columns {
		row.Cells = append(row.Cells, d.Columns[i].cell(exp, m.ID, t.At, recs, verdicts))
	}
	d.Rows = append(d.Rows, row)
}

// noteRecords says which of a method's records are of several kinds, and which are left out.
func (d *TableData) noteRecords(label string, recs []*Record) {
	for _, w := range mixtures(recs) {
		d.Notes = append(d.Notes, fmt.Sprintf("%s %v.", label, w))
	}
	left := listing(recs, func(r *Record) bool { return !r.Status().Complete() })
	if left != "" {
		d.Notes = append(d.Notes, "Left out: "+left+".")
	}
}

// cell returns a method's number in the column, with what was published of it.
func (col *TableColumn) cell(exp Experiment, method string, at At, recs []*Record, verdicts []Verdict) TableCell {
	cell := cellOf(*col, at, recs)
	for _, c := range exp.Claims {
		if c.Kind != KindValue || c.Method != method || c.Metric != col.Metric || c.At.String() != at.String() {
			continue
		}
		cell.Published, cell.Claim = c.Published, c.ID
		if col.Unit == "%" && c.Unit != percent {
			cell.Published = inPercent(c.Published)
		}
		col.Published = true
		for _, v := range verdicts {
			if v.Experiment == exp.ID && v.Claim == c.ID {
				cell.Verdict = v.Verdict
			}
		}
		break
	}
	return cell
}

func cellOf(col TableColumn, at At, recs []*Record) TableCell {
	c := TableCell{Median: math.NaN(), Low: math.NaN(), High: math.NaN(), Missing: "not run"}
	var values []float64
	for _, r := range recs {
		if !r.Status().Complete() {
			c.Missing = string(r.Status())
			continue
		}
		v, ok := r.measureAt(col.Metric, at)
		if !ok {
			c.Missing = "not measured"
			continue
		}
		values = append(values, scaled(v, col.factor))
	}
	if len(values) > 0 {
		c.Seeds, c.Missing = len(values), ""
		c.Median = Median(values)
		c.Low, c.High = Band(values)
	}
	return c
}

// scaled returns v in a column's unit, without the rounding error that turns 0.1534 into
// 15.340000000000002 per cent.
func scaled(v, factor float64) float64 {
	if factor == 1 || math.IsInf(v, 0) {
		return v
	}
	w, err := strconv.ParseFloat(strconv.FormatFloat(v*factor, 'g', 15, 64), 64)
	if err != nil {
		return v * factor
	}
	return w
}

// Frame returns the table's numbers as a data frame: method and label, or the place, and for every column
// its median, low, high and seeds, with published and verdict where some number was printed.
func (d *TableData) Frame() dataframe.DataFrame {
	method, label := make([]string, len(d.Rows)), make([]string, len(d.Rows))
	for i, r := range d.Rows {
		method[i], label[i] = r.Method, r.Label
	}
	columns := []series.Series{series.New(method, series.String, "method"), series.New(label, series.String, "label")}
	if d.X != "" {
		columns = []series.Series{series.New(label, series.String, d.X)}
	}
	for j, col := range d.Columns {
		name := strings.TrimSpace(col.Method + " " + strings.TrimSpace(col.Metric+" "+col.Unit))
		numbers := func(of func(TableCell) float64, suffix string) {
			v := make([]float64, len(d.Rows))
			for i, r := range d.Rows {
				v[i] = of(r.Cells[j])
			}
			columns = append(columns, series.New(v, series.Float, name+suffix))
		}
		texts := func(of func(TableCell) string, suffix string) {
			v := make([]string, len(d.Rows))
			for i, r := range d.Rows {
				v[i] = of(r.Cells[j])
			}
			columns = append(columns, series.New(v, series.String, name+suffix))
		}
		numbers(func(c TableCell) float64 { return c.Median }, "")
		numbers(func(c TableCell) float64 { return c.Low }, " low")
		numbers(func(c TableCell) float64 { return c.High }, " high")
		texts(func(c TableCell) string { return fmt.Sprint(c.Seeds) }, " seeds")
		if col.Published {
			texts(func(c TableCell) string { return c.Published }, " published")
			texts(func(c TableCell) string { return string(c.Verdict) }, " verdict")
		}
	}
	return dataframe.New(columns...)
}
