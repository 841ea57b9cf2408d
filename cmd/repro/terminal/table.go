package terminal

import (
	"fmt"
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
)

// A Table is a table that is printed as text.
type Table struct {
	Head   []string
	Rows   [][]string
	Right  []int // numbers of the right-aligned columns, from 1
	Wrap   int   // number, from 1, of the column whose text is broken to fit a terminal; 0 for none
	Indent string
	Paint  func(row, column int) Colour // of a cell, counted from 0; nil for none
}

// least is the fewest columns of a terminal that the wrapped column gets beside the others.
const least = 24

// Table writes a grid: columns without lines between them, which people can read and scripts can cut. On a terminal
// that is too narrow the wrapped column is below the others, or if these do not fit either, every cell has a line.
func (o *Output) Table(g Table) {
	width := o.Width
	others, word := g.measure()
	switch room := width - others; {
	case width == 0 || g.Wrap == 0 && room >= 0:
		o.lines(g, 0, nil)
	case g.Wrap > 0 && room >= max(least, word):
		o.lines(g, room, nil)
	case g.Wrap > 0 && room >= 0:
		top := Table{Right: g.Right, Indent: g.Indent}
		cut := func(row []string) []string { return slices.Concat(row[:g.Wrap-1], row[g.Wrap:]) }
		top.Head = cut(g.Head)
		for _, r := range g.Rows {
			top.Rows = append(top.Rows, cut(r))
		}
		if g.Paint != nil {
			top.Paint = func(row, column int) Colour {
				if column >= g.Wrap-1 {
					column++
				}
				return g.Paint(row, column)
			}
		}
		o.lines(top, 0, func(line int) {
			s := strings.ToUpper(g.Head[g.Wrap-1])
			if line > 0 {
				s = o.cell(g, line-1, g.Wrap-1)
			}
			if s != "" {
				o.hang(g.Indent+"    ", s)
			}
		})
	default:
		o.stack(g)
	}
}

// lines prints a grid as lines; below prints what belongs below a line, from 0 for the head, and is nil for nothing. room is the width of the wrapped
// column, 0 if it is as wide as its text.
func (o *Output) lines(g Table, room int, below func(row int)) {
	t := table.NewWriter()
	style := table.Style{
		Name:    "plain",
		Box:     table.BoxStyle{PaddingRight: "  "},
		Format:  table.FormatOptions{Header: text.FormatUpper},
		Options: table.Options{SeparateColumns: false},
	}
	t.SetStyle(style)
	t.SuppressTrailingSpaces()
	head := make(table.Row, len(g.Head))
	for j, h := range g.Head {
		head[j] = o.Paint(0, h)
	}
	t.AppendHeader(head)
	for i, r := range g.Rows {
		row := make(table.Row, len(r))
		for j := range r {
			row[j] = o.cell(g, i, j)
		}
		t.AppendRow(row)
	}
	var columns []table.ColumnConfig
	for _, n := range g.Right {
		columns = append(columns, table.ColumnConfig{Number: n, Align: text.AlignRight, AlignHeader: text.AlignRight})
	}
	if room > 0 {
		columns = append(columns, table.ColumnConfig{Number: g.Wrap, WidthMax: room, WidthMaxEnforcer: text.WrapSoft})
	}
	t.SetColumnConfigs(columns)
	for i, line := range strings.Split(t.Render(), "\n") {
		o.Painted(strings.TrimRight(g.Indent+line, " "))
		if below != nil {
			below(i)
		}
	}
}

// stack prints a grid with a line for every cell, headed by its column.
func (o *Output) stack(g Table) {
	widest := 0
	for _, h := range g.Head {
		widest = max(widest, text.StringWidthWithoutEscSequences(h))
	}
	for i, r := range g.Rows {
		if i > 0 {
			o.Painted("")
		}
		for j := range r {
			o.hang(fmt.Sprintf("%s%-*s  ", g.Indent, widest, strings.ToUpper(g.Head[j])), o.cell(g, i, j))
		}
	}
}

// hang prints a text behind a head, broken at words to fit the terminal, below its beginning.
func (o *Output) hang(head, s string) {
	o.Painted(strings.TrimRight(Hung(head, s, o.Width), " "))
}

// Hung returns a text behind a head, broken at words to fit a width, below its beginning.
func Hung(head, s string, width int) string {
	n := text.StringWidthWithoutEscSequences(head)
	return head + strings.ReplaceAll(Broken(s, max(1, width-n), ""), "\n", "\n"+strings.Repeat(" ", n))
}

// measure returns the width of the table without the wrapped column, and of the longest word in that.
func (g Table) measure() (others, word int) {
	others = len(g.Indent) - 2
	for i := range g.Head {
		widest := 0
		for _, r := range append([][]string{g.Head}, g.Rows...) {
			widest = max(widest, text.LongestLineLen(r[i]))
			for w := range strings.FieldsSeq(r[i]) {
				if i == g.Wrap-1 {
					word = max(word, text.StringWidthWithoutEscSequences(w))
				}
			}
		}
		if i != g.Wrap-1 {
			others += widest + 2
		}
	}
	if g.Wrap > 0 {
		others += 2
	}
	return others, word
}

// cell returns a cell on one line in its colour.
func (o *Output) cell(g Table, row, column int) string {
	c := Colour(0)
	if g.Paint != nil {
		c = g.Paint(row, column)
	}
	return o.Paint(c, strings.ReplaceAll(g.Rows[row][column], "\n", " "))
}
