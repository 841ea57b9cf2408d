package plots

import (
	"fmt"
	"math"
	"slices"
)

// A dataView is the table of the numbers that a figure draws.
type dataView struct {
	Header []string
	Rows   [][]string
	Note   string // what was left out; empty if nothing was
}

// Most rows and columns of the table of a figure. The file of its points has all of them.
const (
	mostDataRows = 200
	mostSide     = 14 // of a heat map
)

// newDataView returns the numbers of a figure.
func newDataView(f *Figure) *dataView {
	if f.Heat != nil {
		return f.Heat.data()
	}
	return f.Curves.data()
}

// data returns a row for each point of each curve, then the published values.
func (c *Curves) data() *dataView {
	d := &dataView{Header: []string{"curve", c.X.Label, c.Y.Label, "band"}}
	most := max(2, (mostDataRows-len(c.Marks))/max(1, len(c.Lines)))
	all, shown := 0, 0
	for _, l := range c.Lines {
		picked := thinned(len(l.X), most)
		all, shown = all+len(l.X), shown+len(picked)
		for n, i := range picked {
			row := []string{"", number(l.X[i]), number(l.Y[i]), ""}
			if n == 0 {
				row[0] = l.Label
			}
			if math.IsNaN(l.Y[i]) {
				row[2] = "none"
			}
			if l.Low != nil {
				row[2] = numberWithin(l.Low[i], l.High[i])(l.Y[i])
				row[3] = within(l.Low[i], l.High[i])
			}
			d.Rows = append(d.Rows, row)
		}
	}
	for _, m := range c.Marks {
		if len(d.Rows) == mostDataRows {
			break
		}
		row := []string{m.Label, "the end", number(m.Y), within(m.Low, m.High)}
		if m.Label == "" {
			row[0] = m.Origin
		}
		if !math.IsNaN(m.X) {
			row[1] = number(m.X)
		}
		d.Rows = append(d.Rows, row)
	}
	if shown < all {
		d.Note = fmt.Sprintf("%d of %d points; the csv file has all of them.", shown, all)
	}
	return d
}

func within(low, high float64) string {
	write := numberWithin(low, high)
	return write(low) + " to " + write(high)
}

// data returns a row for some of the points of each panel.
func (h *Heat) data() *dataView {
	d := &dataView{Header: []string{"panel", h.X.Label, h.Y.Label, h.Label}}
	all := 0
	side := mostSide
	for len(h.Panels)*side*side > mostDataRows && side > 2 {
		side--
	}
	for _, p := range h.Panels {
		all += len(p.X) * len(p.Y)
		first := true
		for _, i := range thinned(len(p.Y), side) {
			for _, j := range thinned(len(p.X), side) {
				row := []string{"", number(p.X[j]), number(p.Y[i]), number(p.Z[i][j])}
				if math.IsNaN(p.Z[i][j]) {
					row[3] = "none"
				}
				if first {
					row[0], first = p.Title, false
				}
				d.Rows = append(d.Rows, row)
			}
		}
	}
	if len(d.Rows) < all {
		d.Note = fmt.Sprintf("%d of %d points; the csv file has all of them.", len(d.Rows), all)
	}
	return d
}

// thinned returns at most the given number of indices below n, evenly spaced, with the first and the last.
func thinned(n, most int) []int {
	var out []int
	if n <= most {
		for i := range n {
			out = append(out, i)
		}
		return out
	}
	for k := range most {
		out = append(out, k*(n-1)/(most-1))
	}
	return slices.Compact(out)
}
