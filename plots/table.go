package plots

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"repro/plots/figures"
	"repro/results/claims"
	"repro/results/printed"
	"repro/results/records"
	"repro/results/stats"
)

// A Table is a table of a paper with the measured numbers: a row a method and a column a metric or, with X, a row a place
// on the curves and a column a metric of a method. Where X is a discretisation parameter the places are meshes, from the coarsest to the
// finest, and every column is followed by one of the orders.
type Table struct {
	ID, Title, Source string
	X                 string // abscissa of the rows' places; empty if rows are methods
	Place             string // X in words
	Columns           []Column
	Rows              []Row
	Notes             []string // what the numbers are, and warnings; they are printed below the table
}

// A Column is one metric or abscissa.
type Column struct {
	Method, Label string // of a table whose rows are places
	Metric        string
	Words         string // what the metric is called, without its unit; empty for an abscissa
	Unit          claims.Unit
	Origin        string // what the numbers are called that some cells are compared with, "published" or claims.ByUs; empty if there are none
	Order         bool   // the orders of the column before
	Format        string // of its numbers; empty if their spread decides
}

// A Row is one method, or one place on the curves; Label then holds the place.
type Row struct {
	Method, Label string
	At            float64 // the place
	Cells         []Cell  // by column
}

// A Cell is one number over seeds, in its column's unit. Seeds that diverged count as +Inf.
type Cell struct {
	Median    float64 // NaN if there is none, +Inf if half the seeds diverged
	Low, High float64 // quartiles, or the range of fewer than four seeds
	Seeds     int
	Missing   string          // why there is no number
	Published string          // as printed, in the column's unit
	Origin    string          // what this number is called, "published" or claims.ByUs
	Claim     string          // id of the claim that holds this number
	Verdict   *claims.Verdict // on this number; nil for none
}

// BuildTable reads a table's numbers from the records of its case. It takes published numbers and their verdicts from the
// value claims on the same metric at the same place. Interrupted, failed and skipped runs are left out and listed in the
// notes. A method that the experiment does not have is an error.
func BuildTable(j claims.Case, t claims.Table) (*Table, error) {
	rows, err := rowsOf(j.Experiment, t)
	if err != nil {
		return nil, err
	}
	d := &Table{ID: t.ID, Title: t.Title, Source: t.Source, X: t.X}
	if t.X != "" {
		d.Place = figures.AbscissaOf(j.Experiment, t.X)
		if mesh, _ := j.Abscissa(t.X); mesh.Finer != "" {
			return d, d.addMeshes(j, t, rows, mesh.Finer)
		}
		d.addPlaces(j, t, rows)
		return d, nil
	}
	for _, m := range t.Metrics {
		d.Columns = append(d.Columns, columnOf(j.Experiment, m))
	}
	d.Notes = append(d.Notes, fmt.Sprintf("Median %s; behind the comma the quartiles over seeds, or their range if there are fewer than %d.%s",
		t.At, stats.QuartileSeeds, departure(j, rows)))
	for _, m := range rows {
		d.addRow(j, t, m)
	}
	return d, nil
}

// departure returns a sentence if the runs of a table's methods have other settings than the paper's.
func departure(j claims.Case, methods []claims.Method) string {
	var recs []*records.Record
	for _, m := range methods {
		recs = append(recs, records.Select(j.Records, m.ID)...)
	}
	if s := j.Departure(recs); s != "" {
		return " These runs have " + s + "."
	}
	return ""
}

// rowsOf returns the methods that a table names, in its order, or all of the experiment's.
func rowsOf(exp claims.Experiment, t claims.Table) ([]claims.Method, error) {
	if len(t.Metrics) == 0 {
		return nil, fmt.Errorf("table %s of %s has no metrics", t.ID, exp.ID)
	}
	if len(t.Methods) == 0 {
		return exp.Methods, nil
	}
	var rows []claims.Method
	for _, id := range t.Methods {
		i := slices.IndexFunc(exp.Methods, func(m claims.Method) bool { return m.ID == id })
		if i < 0 {
			return nil, fmt.Errorf("table %s of %s: unknown method %q", t.ID, exp.ID, id)
		}
		rows = append(rows, exp.Methods[i])
	}
	return rows, nil
}

// columnOf returns a metric's column.
func columnOf(exp claims.Experiment, metric string) Column {
	return Column{Metric: metric, Words: exp.Metric(metric).Words, Unit: exp.Unit(metric)}
}

func (d *Table) addRow(j claims.Case, t claims.Table, m claims.Method) {
	recs := records.Select(j.Records, m.ID)
	row := Row{Method: m.ID, Label: cmp.Or(m.Label, m.ID)}
	d.noteRecords(row.Label, recs)
	for i := range d.Columns {
		row.Cells = append(row.Cells, d.Columns[i].cell(j, m.ID, t.At, recs))
	}
	d.Rows = append(d.Rows, row)
}

// noteRecords adds notes on records of a method that differ in settings and on those left out.
func (d *Table) noteRecords(label string, recs []*records.Record) {
	for _, w := range records.Mixtures(recs) {
		d.Notes = append(d.Notes, fmt.Sprintf("%s %v.", label, w))
	}
	left := records.Listing(recs, func(r *records.Record) bool { return !r.Status().Complete() })
	if left != "" {
		d.Notes = append(d.Notes, "Left out: "+left+".")
	}
}

// origin returns what a column's numbers are called, of which some are called a and others b.
func origin(a, b string) string {
	if a == "" || a == b {
		return b
	}
	return "published or " + claims.ByUs
}

// cell returns a method's number in the column, with the published or derived one.
func (col *Column) cell(j claims.Case, method string, at records.At, recs []*records.Record) Cell {
	cell := cellOf(*col, at, recs)
	col.compare(&cell, j, method, at)
	return cell
}

// compare adds the published or derived number to the cell of a method at a place.
func (col *Column) compare(cell *Cell, j claims.Case, method string, at records.At) {
	for _, c := range j.Claims {
		if c.Quantity() != claims.OfMetric || c.Method != method || c.Metric != col.Metric || c.At.String() != at.String() {
			continue
		}
		cell.Published, cell.Origin, cell.Claim, cell.Verdict = c.Number(), c.Origin(), c.ID, j.On(c.ID)
		col.Origin = origin(col.Origin, cell.Origin)
		break
	}
}

func cellOf(col Column, at records.At, recs []*records.Record) Cell {
	c := Cell{Median: math.NaN(), Low: math.NaN(), High: math.NaN(), Missing: "not run"}
	var values []float64
	for _, r := range recs {
		if !r.Status().Complete() {
			c.Missing = string(r.Status())
			continue
		}
		v, ok := r.MeasureAt(col.Metric, at)
		if !ok {
			c.Missing = "not measured"
			continue
		}
		values = append(values, col.Unit.Of(v))
	}
	if len(values) > 0 {
		c.Seeds, c.Missing = len(values), ""
		c.Median = stats.Median(values)
		c.Low, c.High = stats.Band(values)
	}
	return c
}

// addPlaces fills in a table whose rows are places on the curves: a column a metric of a method.
func (d *Table) addPlaces(j claims.Case, t claims.Table, methods []claims.Method) {
	rows := make([]Row, len(t.Rows))
	for i, x := range t.Rows {
		rows[i].Label, rows[i].At = decimal(x), x
	}
	d.Notes = []string{"Median over seeds." + departure(j, methods)}
	for _, m := range methods {
		recs := records.Select(j.Records, m.ID)
		label := cmp.Or(m.Label, m.ID)
		d.noteRecords(label, recs)
		for _, metric := range t.Metrics {
			col := columnOf(j.Experiment, metric)
			col.Method, col.Label = m.ID, label
			for i, x := range t.Rows {
				rows[i].Cells = append(rows[i].Cells, col.place(j, m.ID, records.At{X: t.X, Value: x}, recs))
			}
			d.Columns = append(d.Columns, col)
		}
	}
	d.Rows = rows
	d.summarize()
}

// place returns a method's number at a place. It leaves out runs that end before the place.
func (col *Column) place(j claims.Case, method string, at records.At, recs []*records.Record) Cell {
	there := slices.DeleteFunc(slices.Clone(recs), func(r *records.Record) bool {
		return (r.Status() == records.Done || r.Status() == records.Budget) && !r.Reaches(at)
	})
	cell := col.cell(j, method, at, there)
	if len(there) == 0 && len(recs) > 0 {
		cell.Missing = "not reached"
	}
	return cell
}

// summarize notes the verdicts on a table's published numbers, if there are any.
func (d *Table) summarize() {
	var verdicts []claims.Verdict
	for _, r := range d.Rows {
		for _, c := range r.Cells {
			if c.Verdict != nil {
				verdicts = append(verdicts, *c.Verdict)
			}
		}
	}
	if len(verdicts) > 0 {
		d.Notes = append([]string{fmt.Sprintf("Verdicts on numbers %s: %s.", d.origin(), claims.ScoreOf(verdicts))}, d.Notes...)
	}
}

// origin returns what the numbers are called that the table's cells are compared with; it is empty if there are none.
func (d *Table) origin() string {
	s := ""
	for _, c := range d.Columns {
		if c.Origin != "" {
			s = origin(s, c.Origin)
		}
	}
	return s
}

// textNotes returns the notes, followed by a key to the marks if the table's texts use them.
func (d *Table) textNotes() []string {
	if d.X == "" || d.origin() == "" {
		return d.Notes
	}
	parts := printed.Each(claims.Words, func(w claims.Word) string { return w.Sign() + " " + string(w) })
	return append(slices.Clone(d.Notes), "In brackets the "+d.origin()+" number: "+strings.Join(parts, ", ")+".")
}

// word returns the word of the verdict, empty for none.
func (c Cell) word() claims.Word {
	if c.Verdict == nil {
		return ""
	}
	return c.Verdict.Verdict
}

// compared returns a cell of a table of places as a text: the median, and in brackets the published number with the
// verdict's mark. Without a format the spread decides the digits.
func (c Cell) compared(format string, number, escape func(string) string) string {
	s := c.Missing
	switch {
	case s != "":
	case math.IsInf(c.Median, 1):
		s = string(records.Diverged)
	case c.Published != "":
		s = number(printed.Like(c.Published, c.Median))
	case format != "":
		s = number(fmt.Sprintf(format, c.Median))
	default:
		s = number(formatFor(c.Median, c.Low, c.High)(c.Median))
	}
	if c.Published == "" {
		return s
	}
	return fmt.Sprintf("%s (%s)", s, strings.TrimSpace(number(c.Published)+" "+escape(c.word().Sign())))
}
