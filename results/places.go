package results

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// addPlaces fills in a table whose rows are places on the curves: a column a metric of a method.
func (d *TableData) addPlaces(exp Experiment, t Table, methods []Method, own []*Record, verdicts []Verdict) {
	rows := make([]TableRow, len(t.Rows))
	for i, x := range t.Rows {
		rows[i].Label = strconv.FormatFloat(x, 'g', -1, 64)
	}
	d.Notes = []string{"Median over seeds." + atProfile(exp)}
	for _, m := range methods {
		recs := Select(own, m.ID)
		label := m.Label
		if label == "" {
			label = m.ID
		}
		d.noteRecords(label, recs)
		for _, metric := range t.Metrics {
			col := columnOf(exp, metric)
			col.Method, col.Label = m.ID, label
			for i, x := range t.Rows {
				rows[i].Cells = append(rows[i].Cells, col.place(exp, m.ID, At{t.X, x}, recs, verdicts))
			}
			d.Columns = append(d.Columns, col)
		}
	}
	d.Rows = rows
	if s := d.summary(); s != "" {
		d.Notes = append([]string{s}, d.Notes...)
	}
}

// place returns a method's number at a place; runs that end before it have none there.
func (col *TableColumn) place(exp Experiment, method string, at At, recs []*Record, verdicts []Verdict) TableCell {
	there := slices.DeleteFunc(slices.Clone(recs), func(r *Record) bool {
		return (r.Status() == Done || r.Status() == Budget) && !r.reaches(at)
	})
	cell := col.cell(exp, method, at, there, verdicts)
	if len(there) == 0 && len(recs) > 0 {
		cell.Missing = "not reached"
	}
	return cell
}

// marks are how the texts of a table of places show a verdict.
var marks = map[Word]string{Reproduced: "=", Deviates: "≠", Inconclusive: "?", NotComparable: "/", NotRun: "–", FailedVerdict: "!"}

// words are the verdicts in the order in which they are counted.
var words = []Word{Reproduced, Deviates, Inconclusive, NotComparable, NotRun, FailedVerdict}

// summary counts the verdicts on a table's published numbers; it is empty if there are none.
func (d *TableData) summary() string {
	counts, n := map[Word]int{}, 0
	for _, r := range d.Rows {
		for _, c := range r.Cells {
			if c.Published != "" {
				counts[c.Verdict]++
				n++
			}
		}
	}
	var parts []string
	for _, w := range words {
		if counts[w] > 0 {
			parts = append(parts, fmt.Sprintf("%s %d", w, counts[w]))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return fmt.Sprintf("Verdicts on %d printed numbers: %s.", n, strings.Join(parts, ", "))
}

// textNotes returns the notes with a key to the marks, which only texts have.
func (d *TableData) textNotes() []string {
	if d.X == "" || !slices.ContainsFunc(d.Columns, func(c TableColumn) bool { return c.Published }) {
		return d.Notes
	}
	var parts []string
	for _, w := range words {
		parts = append(parts, marks[w]+" "+string(w))
	}
	return append(slices.Clone(d.Notes), "In brackets what was printed: "+strings.Join(parts, ", ")+".")
}

// compared returns a cell of a table of places as it is read: the median, and in brackets the printed
// number with the verdict's mark.
func (c TableCell) compared(number, escape func(string) string) string {
	s := c.Missing
	switch {
	case s != "":
	case math.IsInf(c.Median, 1):
		s = string(Diverged)
	case c.Published != "":
		s = number(As(c.Published, c.Median))
	default:
		s = number(formatFor(c.Median, c.Low, c.High)(c.Median))
	}
	if c.Published == "" {
		return s
	}
	return fmt.Sprintf("%s (%s)", s, strings.TrimSpace(number(c.Published)+" "+escape(marks[c.Verdict])))
}

// As writes a number in the way of a printed one, with one more digit: 0.02413 as 2.41e-2 beside 3.2e-2, and
// as 0.024 beside 0.03.
func As(printed string, v float64) string {
	mantissa, _, exponent := strings.Cut(strings.ToLower(printed), "e")
	_, decimals, _ := strings.Cut(mantissa, ".")
	if !exponent {
		return strconv.FormatFloat(v, 'f', len(decimals)+1, 64)
	}
	return strings.Replace(strings.Replace(strconv.FormatFloat(v, 'e', len(decimals)+1, 64), "e-0", "e-", 1), "e+0", "e", 1)
}
