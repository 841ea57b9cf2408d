package cli

import (
	"fmt"
	"slices"
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

// least is the fewest columns of a terminal that the wrapped column gets beside the others.
const least = 24

// print writes a grid: columns without lines between them, which people can read and scripts can cut. On a terminal
// that is too narrow the wrapped column is below the others, or if these do not fit either, every cell has a line.
func (o *output) print(g grid) {
	width := o.width
	others, word := g.measure()
	switch room := width - others; {
	case width == 0 || g.wrap == 0 && room >= 0:
		o.lines(g, 0, nil)
	case g.wrap > 0 && room >= max(least, word):
		o.lines(g, room, nil)
	case g.wrap > 0 && room >= 0:
		top := grid{right: g.right, indent: g.indent}
		cut := func(row []string) []string { return slices.Concat(row[:g.wrap-1], row[g.wrap:]) }
		top.head = cut(g.head)
		for _, r := range g.rows {
			top.rows = append(top.rows, cut(r))
		}
		if g.paint != nil {
			top.paint = func(row, column int) colour {
				if column >= g.wrap-1 {
					column++
				}
				return g.paint(row, column)
			}
		}
		o.lines(top, 0, func(line int) {
			s := strings.ToUpper(g.head[g.wrap-1])
			if line > 0 {
				s = o.cell(g, line-1, g.wrap-1)
			}
			if s != "" {
				o.hang(g.indent+"    ", s)
			}
		})
	default:
		o.stack(g)
	}
}

// lines prints a grid as lines; below prints what belongs below a line, from 0 for the head, and is nil for nothing. room is the width of the wrapped
// column, 0 if it is as wide as its text.
func (o *output) lines(g grid, room int, below func(row int)) {
	t := table.NewWriter()
	style := table.Style{
		Name:    "plain",
		Box:     table.BoxStyle{PaddingRight: "  "},
		Format:  table.FormatOptions{Header: text.FormatUpper},
		Options: table.Options{SeparateColumns: false},
	}
	t.SetStyle(style)
	t.SuppressTrailingSpaces()
	head := make(table.Row, len(g.head))
	for j, h := range g.head {
		head[j] = o.paint(0, h)
	}
	t.AppendHeader(head)
	for i, r := range g.rows {
		row := make(table.Row, len(r))
		for j := range r {
			row[j] = o.cell(g, i, j)
		}
		t.AppendRow(row)
	}
	var columns []table.ColumnConfig
	for _, n := range g.right {
		columns = append(columns, table.ColumnConfig{Number: n, Align: text.AlignRight, AlignHeader: text.AlignRight})
	}
	if room > 0 {
		columns = append(columns, table.ColumnConfig{Number: g.wrap, WidthMax: room, WidthMaxEnforcer: text.WrapSoft})
	}
	t.SetColumnConfigs(columns)
	for i, line := range strings.Split(t.Render(), "\n") {
		o.painted(strings.TrimRight(g.indent+line, " "))
		if below != nil {
			below(i)
		}
	}
}

// stack prints a grid with a line for every cell, headed by its column.
func (o *output) stack(g grid) {
	widest := 0
	for _, h := range g.head {
		widest = max(widest, text.StringWidthWithoutEscSequences(h))
	}
	for i, r := range g.rows {
		if i > 0 {
			o.painted("")
		}
		for j := range r {
			o.hang(fmt.Sprintf("%s%-*s  ", g.indent, widest, strings.ToUpper(g.head[j])), o.cell(g, i, j))
		}
	}
}

// hang prints a text behind a head, broken at words to fit the terminal, below its beginning.
func (o *output) hang(head, s string) {
	o.painted(strings.TrimRight(hung(head, s, o.width), " "))
}

// hung returns a text behind a head, broken at words to fit a width, below its beginning.
func hung(head, s string, width int) string {
	n := text.StringWidthWithoutEscSequences(head)
	return head + strings.ReplaceAll(broken(s, max(1, width-n), ""), "\n", "\n"+strings.Repeat(" ", n))
}

// measure returns the width of the table without the wrapped column, and of the longest word in that.
func (g grid) measure() (others, word int) {
	others = len(g.indent) - 2
	for i := range g.head {
		widest := 0
		for _, r := range append([][]string{g.head}, g.rows...) {
			widest = max(widest, text.LongestLineLen(r[i]))
			for w := range strings.FieldsSeq(r[i]) {
				if i == g.wrap-1 {
					word = max(word, text.StringWidthWithoutEscSequences(w))
				}
			}
		}
		if i != g.wrap-1 {
			others += widest + 2
		}
	}
	if g.wrap > 0 {
		others += 2
	}
	return others, word
}

// cell returns a cell on one line in its colour.
func (o *output) cell(g grid, row, column int) string {
	c := colour(0)
	if g.paint != nil {
		c = g.paint(row, column)
	}
	return o.paint(c, strings.ReplaceAll(g.rows[row][column], "\n", " "))
}

func orDash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}
