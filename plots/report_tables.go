package plots

import (
	"fmt"
	"math"
	"strings"

	"repro/results/printed"
	"repro/results/tables"
)

// newTableView returns a table as the report shows it.
func newTableView(d *tables.Table) tableView {
	if d.X != "" {
		return newPlacesView(d)
	}
	v := tableView{ID: d.ID, Title: d.Title, Source: d.Source, Notes: d.Notes, Header: []string{"method"}}
	for _, c := range d.Columns {
		v.Header = append(v.Header, columnName(c))
		if c.Origin != "" {
			v.Header = append(v.Header, c.Origin)
		}
	}
	for _, r := range d.Rows {
		row := tableRowView{Label: r.Label}
		for i, c := range r.Cells {
			row.Cells = append(row.Cells, tableCellView{Text: cellText(c)})
			if d.Columns[i].Origin != "" {
				row.Cells = append(row.Cells, tableCellView{Text: withMinus(c.Published), Verdict: c.Verdict})
			}
		}
		v.Rows = append(v.Rows, row)
	}
	return v
}

// columnName returns the words for a column's metric, with its unit.
func columnName(c tables.Column) string {
	name := inWords(c.Words, c.Metric)
	if c.Unit.Sign != "" {
		name, _, _ = strings.Cut(name, " (") // the unit of the abscissa; the table may have another
	}
	return c.Unit.Label(name)
}

// newPlacesView returns a table whose rows are places on the curves. Its columns are grouped by method, and a published
// number stands below the measured one.
func newPlacesView(d *tables.Table) tableView {
	v := tableView{ID: d.ID, Title: d.Title, Source: d.Source, Notes: d.Notes, Header: []string{abscissaName(d.X)}}
	for i, c := range d.Columns {
		v.Header = append(v.Header, columnName(c))
		if i == 0 || c.Method != d.Columns[i-1].Method {
			v.Groups = append(v.Groups, tableGroup{Label: c.Label})
		}
		v.Groups[len(v.Groups)-1].Span++
	}
	for _, r := range d.Rows {
		row := tableRowView{Label: r.Label}
		for _, c := range r.Cells {
			row.Cells = append(row.Cells, placeView(c))
		}
		v.Rows = append(v.Rows, row)
	}
	return v
}

// placeView returns a cell with the published number, if there is one.
func placeView(c tables.Cell) tableCellView {
	v := tableCellView{Text: cellText(c)}
	if c.Published == "" {
		return v
	}
	v.Published, v.Verdict, v.Claim = withMinus(c.Published), c.Verdict, c.Claim
	v.Hint = fmt.Sprintf("%s over %s, %s %s: %s", v.Text, printed.Count(c.Seeds, "seed"), c.Origin, v.Published, c.Verdict)
	if c.Missing == "" && !math.IsInf(c.Median, 0) {
		v.Text = withMinus(printed.Like(c.Published, c.Median))
	}
	return v
}
