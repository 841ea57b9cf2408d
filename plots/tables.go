package plots

import (
	"fmt"
	"math"
	"strings"

	"repro/results/printed"
	"repro/results/tables"
)

// newTableView lays a table out for reading.
func newTableView(d *tables.Table) tableView {
	if d.X != "" {
		return newPlacesView(d)
	}
	v := tableView{ID: d.ID, Title: d.Title, Source: d.Source, Notes: d.Notes, Header: []string{"method"}}
	for _, c := range d.Columns {
		v.Header = append(v.Header, columnName(c))
		if c.Published {
			v.Header = append(v.Header, "published")
		}
	}
	for _, r := range d.Rows {
		row := tableRowView{Label: r.Label}
		for i, c := range r.Cells {
			row.Cells = append(row.Cells, tableCellView{Text: cellText(c)})
			if d.Columns[i].Published {
				row.Cells = append(row.Cells, tableCellView{Text: strings.ReplaceAll(c.Published, "-", minus), Verdict: c.Verdict})
			}
		}
		v.Rows = append(v.Rows, row)
	}
	return v
}

// columnName names a column's metric with its unit.
func columnName(c tables.Column) string {
	name := inWords(c.Words, c.Metric)
	if c.Unit == "" {
		return name
	}
	name, _, _ = strings.Cut(name, " (") // the axis' unit, which the table may not share
	return name + " (" + c.Unit + ")"
}

// newPlacesView lays out a table whose rows are places on the curves, its columns grouped by method and
// what was printed below what was measured.
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

// placeView writes a cell with what was printed for it.
func placeView(c tables.Cell) tableCellView {
	v := tableCellView{Text: cellText(c)}
	if c.Published == "" {
		return v
	}
	v.Published, v.Verdict, v.Claim = strings.ReplaceAll(c.Published, "-", minus), c.Verdict, c.Claim
	v.Hint = fmt.Sprintf("%s over %s, published %s: %s", v.Text, count(c.Seeds, "seed"), v.Published, c.Verdict)
	if c.Missing == "" && !math.IsInf(c.Median, 0) {
		v.Text = strings.ReplaceAll(printed.Like(c.Published, c.Median), "-", minus)
	}
	return v
}
