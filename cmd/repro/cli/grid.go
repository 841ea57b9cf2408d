package cli

import (
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
)

// A grid is a table that is printed as text.
type grid struct {
	head   []string
	rows   [][]string
	right  []int // numbers of the right-aligned columns, from 1
	wrap   int   // number, from 1, of the column whose text is broken to fit a terminal; 0 for none
	indent string
	paint  func(row, column int) colour // of a cell, counted from 0; nil for none
}

// print writes the grid to stdout: columns without lines between them, which people can read and scripts can cut.
func (a *app) print(g grid) {
	t := table.NewWriter()
	style := table.Style{
		Name:    "plain",
		Box:     table.BoxStyle{PaddingRight: "  "},
		Format:  table.FormatOptions{Header: text.FormatUpper},
		Options: table.Options{SeparateColumns: false},
	}
	t.SetStyle(style)
	t.SuppressTrailingSpaces()
	t.AppendHeader(a.tableRow(g.head, nil))
	for i, r := range g.rows {
		var paint func(int) colour
		if g.paint != nil {
			paint = func(j int) colour { return g.paint(i, j) }
		}
		t.AppendRow(a.tableRow(r, paint))
	}
	var columns []table.ColumnConfig
	for _, n := range g.right {
		columns = append(columns, table.ColumnConfig{Number: n, Align: text.AlignRight, AlignHeader: text.AlignRight})
	}
	if g.wrap > 0 && a.stdout.width > 0 {
		columns = append(columns, table.ColumnConfig{Number: g.wrap, WidthMax: max(24, a.stdout.width-g.others()), WidthMaxEnforcer: text.WrapSoft})
	}
	t.SetColumnConfigs(columns)
	for line := range strings.Lines(t.Render()) {
		a.stdout.painted(strings.TrimRight(g.indent+strings.TrimRight(line, "\n"), " "))
	}
}

// others returns the width of the table without the wrapped column.
func (g grid) others() int {
	total := len(g.indent)
	for i := range g.head {
		widest := 0
		for _, r := range append([][]string{g.head}, g.rows...) {
			widest = max(widest, text.StringWidthWithoutEscSequences(r[i]))
		}
		if i != g.wrap-1 {
			total += widest + 2
		}
	}
	return total + 2
}

// tableRow returns cells in their colours; paint may be nil.
func (a *app) tableRow(cells []string, paint func(column int) colour) table.Row {
	r := make(table.Row, len(cells))
	for i, c := range cells {
		var col colour
		if paint != nil {
			col = paint(i)
		}
		r[i] = a.stdout.paint(col, c)
	}
	return r
}

func orDash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}
