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

// Most rows of the tables of figures. The file of a figure's points has all of them.
const (
	mostDataRows = 200  // of a figure
	leastRows    = 20   // of a figure in a page with very many
	mostPageRows = 2400 // of all figures of a page, about, so that the page stays small
)

// addData adds the numbers of the figures: of each as many as the page has room for.
func (r *report) addData() {
	most := mostDataRows
	for ; most > leastRows; most-- {
		rows := 0
		for _, e := range r.Experiments {
			for _, f := range e.Figures {
				rows += min(most, f.points)
			}
		}
		if rows <= mostPageRows {
			break
		}
	}
	for _, e := range r.Experiments {
		for i := range e.Figures {
			if f := &e.Figures[i]; f.figure != nil {
				f.Data = newDataView(f.figure, most)
			}
		}
	}
}

// newDataView returns the numbers of a figure, in about the given number of rows.
func newDataView(f *Figure, most int) *dataView {
	if f.Heat != nil {
		return f.Heat.data(most)
	}
	return f.Curves.data(most)
}

// pointCount returns how many points a figure has.
func (f *Figure) pointCount() (n int) {
	if f.Heat != nil {
		for _, p := range f.Heat.Panels {
			n += len(p.X) * len(p.Y)
		}
		return n
	}
	for _, l := range f.Curves.Lines {
		n += len(l.X)
	}
	return n + len(f.Curves.Marks)
}

// data returns a row for each point of each curve, then the published values.
func (c *Curves) data(rows int) *dataView {
	d := &dataView{Header: []string{"curve", c.X.Label, c.Y.Label, "band"}}
	most := max(2, (rows-min(len(c.Marks), rows/2))/max(1, len(c.Lines)))
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
		if len(d.Rows) >= rows {
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
func (h *Heat) data(rows int) *dataView {
	d := &dataView{Header: []string{"panel", h.X.Label, h.Y.Label, h.Label}}
	all := 0
	side := max(2, int(math.Sqrt(float64(rows)/float64(len(h.Panels)))))
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
