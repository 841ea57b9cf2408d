package plots

import (
	"fmt"
	"math"
	"strings"

	"repro/plots/figures"
	"repro/results/claims"
	"repro/results/printed"
)

type tableView struct {
	ID, Title, Source string
	Groups            []tableGroup // above the header of a table whose rows are places
	Header            []string
	Rows              []tableRowView
	Compared          bool // some cells have a number of the paper below ours
	Notes             []string
	Files             []fileLink
	Missing           string
}

// Narrow reports whether a table stands beside a figure.
func (t tableView) Narrow() bool { return len(t.Header) <= 5 && len(t.Rows) <= 5 }

// A tableGroup is a number of columns that belong to one method.
type tableGroup struct {
	Label string
	Span  int
}

type tableRowView struct {
	Label string
	Cells []tableCellView
}

// A tableCellView is a measured number, with the published one below it and its verdict if there is one.
type tableCellView struct {
	Text      string
	Verdict   half
	Published string
	Claim     string
	Distance  string // from the published number, in standard deviations; empty if it is not known
	Far       int    // 0 below one standard deviation, 1 below three, 2 beyond
	Hint      string // the full content of the cell, as a tooltip
}

// newTableView returns a table as the report shows it.
func newTableView(d *Table) tableView {
	v := tableView{ID: d.ID, Title: d.Title, Source: d.Source, Notes: d.Notes, Header: []string{"method"}}
	if d.X != "" {
		v.Header[0] = figures.AbscissaName(d.X)
	}
	for i, c := range d.Columns {
		v.Header = append(v.Header, columnName(c))
		if d.X == "" {
			continue
		}
		if i == 0 || c.Method != d.Columns[i-1].Method {
			v.Groups = append(v.Groups, tableGroup{Label: c.Label})
		}
		v.Groups[len(v.Groups)-1].Span++
	}
	for _, r := range d.Rows {
		row := tableRowView{Label: r.Label}
		for _, c := range r.Cells {
			row.Cells = append(row.Cells, newTableCellView(c, d.X != ""))
			v.Compared = v.Compared || c.Published != ""
		}
		v.Rows = append(v.Rows, row)
	}
	return v
}

// columnName returns the words for a column's metric, with its unit.
func columnName(c Column) string {
	name := figures.InWords(c.Words, c.Metric)
	if c.Unit.Sign != "" {
		name, _, _ = strings.Cut(name, " (") // the unit of the abscissa; the table may have another
	}
	return c.Unit.Label(name)
}

// newTableCellView returns a cell with the published number, if there is one. In a table of places, ours is then as long as the
// published one.
func newTableCellView(c Cell, place bool) tableCellView {
	v := tableCellView{Text: cellText(c)}
	if c.Published == "" {
		return v
	}
	v.Published, v.Claim, v.Verdict = figures.WithMinus(c.Published), c.Claim, halfOf(c.Verdict)
	v.Hint = fmt.Sprintf("%s over %s, %s %s: ", v.Text, printed.Count(c.Seeds, "seed"), c.Origin, v.Published)
	if c.Verdict != nil {
		v.Distance, v.Far = distance(*c.Verdict)
		if c.Verdict.AtSize != "" {
			v.Hint += c.Verdict.VerdictText()
		} else {
			v.Hint += string(c.Verdict.Verdict)
		}
	}
	if v.Distance != "" {
		v.Hint += "; " + v.Distance
	}
	if place && c.Missing == "" && !math.IsInf(c.Median, 0) {
		v.Text = figures.WithMinus(printed.Like(c.Published, c.Median))
	}
	return v
}

// distance says how far the measured number of a verdict is from the published one, in standard deviations of one run, and
// how large that is.
func distance(v claims.Verdict) (words string, far int) {
	if v.Measured == nil || v.SD == nil || !(*v.SD > 0) || v.PublishedLow == nil || v.PublishedHigh == nil {
		return "", 0
	}
	ours, theirs := *v.Measured, (*v.PublishedLow+*v.PublishedHigh)/2
	if v.Log {
		if !(ours > 0 && theirs > 0) {
			return "", 0
		}
		ours, theirs = math.Log(ours), math.Log(theirs)
	}
	d := (ours - theirs) / *v.SD
	switch a := math.Abs(d); {
	case a >= 3:
		far = 2
	case a >= 1:
		far = 1
	}
	if math.Abs(d) < 0.05 {
		return "no distance", 0
	}
	return fmt.Sprintf("%s SD %s", printed.Digits(math.Abs(d), 2), map[bool]string{true: "above", false: "below"}[d > 0]), far
}

// cellText writes the number of a table's cell with its band, if it has one.
func cellText(c Cell) string {
	switch {
	case c.Missing != "":
		return c.Missing
	case math.IsInf(c.Median, 1):
		return "diverged"
	case c.Seeds < 2, c.Low == c.High:
		return figures.Number(c.Median)
	}
	write := figures.NumberWithin(c.Low, c.High)
	return fmt.Sprintf("%s [%s, %s]", write(c.Median), write(c.Low), write(c.High))
}

type fileLink struct{ Name, Href string }
