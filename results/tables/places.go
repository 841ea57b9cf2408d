package tables

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"repro/results/claims"
	"repro/results/printed"
	"repro/results/records"
)

// addPlaces fills in a table whose rows are places on the curves: a column a metric of a method.
func (d *Table) addPlaces(exp claims.Experiment, t claims.Table, methods []claims.Method, own []*records.Record, verdicts []claims.Verdict) {
	rows := make([]Row, len(t.Rows))
	for i, x := range t.Rows {
		rows[i].Label = strconv.FormatFloat(x, 'g', -1, 64)
	}
	d.Notes = []string{"Median over seeds." + departure(exp, methods, own)}
	for _, m := range methods {
		recs := records.Select(own, m.ID)
		label := cmp.Or(m.Label, m.ID)
		d.noteRecords(label, recs)
		for _, metric := range t.Metrics {
			col := columnOf(exp, metric)
			col.Method, col.Label = m.ID, label
			for i, x := range t.Rows {
				rows[i].Cells = append(rows[i].Cells, col.place(exp, m.ID, records.At{X: t.X, Value: x}, recs, verdicts))
			}
			d.Columns = append(d.Columns, col)
		}
	}
	d.Rows = rows
	if s := d.summary(); s != "" {
		d.Notes = append([]string{s}, d.Notes...)
	}
}

// place returns a method's number at a place. It leaves out runs that end before the place.
func (col *Column) place(exp claims.Experiment, method string, at records.At, recs []*records.Record, verdicts []claims.Verdict) Cell {
	there := slices.DeleteFunc(slices.Clone(recs), func(r *records.Record) bool {
		return (r.Status() == records.Done || r.Status() == records.Budget) && !r.Reaches(at)
	})
	cell := col.cell(exp, method, at, there, verdicts)
	if len(there) == 0 && len(recs) > 0 {
		cell.Missing = "not reached"
	}
	return cell
}

// marks are the signs for verdicts in the texts of a table of places.
var marks = map[claims.Word]string{claims.Reproduced: "=", claims.Deviates: "≠", claims.Inconclusive: "?", claims.NotComparable: "/", claims.NotRun: "–", claims.Failed: "!"}

// summary counts the verdicts on a table's published numbers; it is empty if there are none.
func (d *Table) summary() string {
	var verdicts []claims.Verdict
	for _, r := range d.Rows {
		for _, c := range r.Cells {
			if c.Verdict != "" {
				verdicts = append(verdicts, claims.Verdict{Verdict: c.Verdict})
			}
		}
	}
	if len(verdicts) == 0 {
		return ""
	}
	return fmt.Sprintf("Verdicts on %s: %s.", printed.Count(len(verdicts), d.origin()+" number"), claims.TallyOf(verdicts))
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
	var parts []string
	for _, w := range claims.Words {
		parts = append(parts, marks[w]+" "+string(w))
	}
	return append(slices.Clone(d.Notes), "In brackets the "+d.origin()+" number: "+strings.Join(parts, ", ")+".")
}

// compared returns a cell of a table of places as a text: the median, and in brackets the published number with the
// verdict's mark.
func (c Cell) compared(number, escape func(string) string) string {
	s := c.Missing
	switch {
	case s != "":
	case math.IsInf(c.Median, 1):
		s = string(records.Diverged)
	case c.Published != "":
		s = number(printed.Like(c.Published, c.Median))
	default:
		s = number(formatFor(c.Median, c.Low, c.High)(c.Median))
	}
	if c.Published == "" {
		return s
	}
	return fmt.Sprintf("%s (%s)", s, strings.TrimSpace(number(c.Published)+" "+escape(marks[c.Verdict])))
}
