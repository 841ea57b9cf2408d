package cli

import (
	"fmt"
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
	t.AppendHeader(tableRow(g.head))
	for _, r := range g.rows {
		t.AppendRow(tableRow(r))
	}
	var columns []table.ColumnConfig
	for _, n := range g.right {
		columns = append(columns, table.ColumnConfig{Number: n, Align: text.AlignRight, AlignHeader: text.AlignRight})
	}
	if g.wrap > 0 && a.width > 0 {
		columns = append(columns, table.ColumnConfig{Number: g.wrap, WidthMax: max(24, a.width-g.others()), WidthMaxEnforcer: text.WrapSoft})
	}
	t.SetColumnConfigs(columns)
	for line := range strings.Lines(t.Render()) {
		fmt.Fprintln(a.stdout, g.indent+strings.TrimRight(line, " \n"))
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

func tableRow(cells []string) table.Row {
	r := make(table.Row, len(cells))
	for i, c := range cells {
		r[i] = c
	}
	return r
}

func orDash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}
