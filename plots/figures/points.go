package figures

import (
	"bytes"
	"fmt"
	"math"

	"github.com/go-gota/gota/dataframe"
	"github.com/go-gota/gota/series"

	"repro/results/stats"
	"repro/results/tables"
)

// PointsCSV returns the points that a figure draws as CSV, one row for each point.
func (f *Figure) PointsCSV() ([]byte, error) {
	var df dataframe.DataFrame
	if f.Heat != nil {
		df = f.Heat.points()
	} else {
		df = f.Curves.points()
	}
	var b bytes.Buffer
	err := tables.WriteFrame(&b, df)
	return b.Bytes(), err
}

// points returns the points of a panel of curves, with the columns kind (line, diverged, published, derived or dot), label, x,
// y, low and high. Low and high bound a line's band, or the numbers that round to a published or derived value. Such a value
// without x is a line across the panel; a run that diverged has no y.
func (c *Curves) points() dataframe.DataFrame {
	var kind, label []string
	var x, y, low, high []float64
	add := func(k, l string, values [4]float64) {
		kind, label = append(kind, k), append(label, l)
		x, y, low, high = append(x, values[0]), append(y, values[1]), append(low, values[2]), append(high, values[3])
	}
	none := math.NaN()
	for _, l := range c.Lines {
		for i := range l.X {
			p := [4]float64{l.X[i], l.Y[i], none, none}
			if l.Low != nil {
				p[2], p[3] = l.Low[i], l.High[i]
			}
			add("line", l.Label, p)
		}
		for _, at := range l.Breaks {
			add("diverged", l.Label, [4]float64{at, none, none, none})
		}
	}
	for _, m := range c.Marks {
		add(m.Origin, m.Label, [4]float64{m.X, m.Y, m.Low, m.High})
	}
	if c.Dots != nil {
		for i := range c.Dots.X {
			add("dot", c.Dots.Label, [4]float64{c.Dots.X[i], c.Dots.Y[i], none, none})
		}
	}
	return dataframe.New(
		series.New(kind, series.String, "kind"), series.New(label, series.String, "label"),
		series.New(x, series.Float, "x"), series.New(y, series.Float, "y"),
		series.New(low, series.Float, "low"), series.New(high, series.Float, "high"),
	)
}

// points returns the points of a row of heat maps, with the columns panel, x, y and value.
func (h *Heat) points() dataframe.DataFrame {
	var panel []string
	var x, y, value []float64
	for _, p := range h.Panels {
		for i, row := range p.Z {
			for j, z := range row {
				panel = append(panel, p.Title)
				x, y, value = append(x, p.X[j]), append(y, p.Y[i]), append(value, z)
			}
		}
	}
	return dataframe.New(
		series.New(panel, series.String, "panel"), series.New(x, series.Float, "x"),
		series.New(y, series.Float, "y"), series.New(value, series.Float, "value"),
	)
}

// A Numbers is the table of the numbers that a figure draws.
type Numbers struct {
	Header []string
	Rows   [][]string
	Note   string // what was left out; empty if nothing was
}

// NumbersOf returns the numbers of a figure, in about the given number of rows.
func NumbersOf(f *Figure, most int) *Numbers {
	if f.Heat != nil {
		return f.Heat.data(most)
	}
	return f.Curves.data(most)
}

// PointCount returns how many points a figure has.
func (f *Figure) PointCount() (n int) {
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
func (c *Curves) data(rows int) *Numbers {
	d := &Numbers{Header: []string{"curve", c.X.Label, c.Y.Label, "band"}}
	most := max(2, (rows-min(len(c.Marks), rows/2))/max(1, len(c.Lines)))
	all, shown := 0, 0
	for _, l := range c.Lines {
		picked := stats.Evenly(len(l.X), most)
		all, shown = all+len(l.X), shown+len(picked)
		for n, i := range picked {
			row := []string{"", c.X.Text(l.X[i]), Number(l.Y[i]), ""}
			if n == 0 {
				row[0] = l.Label
			}
			if math.IsNaN(l.Y[i]) {
				row[2] = "none"
			}
			if l.Low != nil {
				row[2] = NumberWithin(l.Low[i], l.High[i])(l.Y[i])
				row[3] = Within(l.Low[i], l.High[i])
			}
			d.Rows = append(d.Rows, row)
		}
	}
	for _, m := range c.Marks {
		if len(d.Rows) >= rows {
			break
		}
		row := []string{m.Label, "the end", Number(m.Y), Within(m.Low, m.High)}
		if m.Label == "" {
			row[0] = m.Origin
		}
		if !math.IsNaN(m.X) {
			row[1] = Number(m.X)
		}
		d.Rows = append(d.Rows, row)
	}
	if shown < all {
		d.Note = fmt.Sprintf("%d of %d points; the csv file has all of them.", shown, all)
	}
	return d
}

func Within(low, high float64) string {
	write := NumberWithin(low, high)
	return write(low) + " to " + write(high)
}

// data returns a row for some of the points of each panel.
func (h *Heat) data(rows int) *Numbers {
	d := &Numbers{Header: []string{"panel", h.X.Label, h.Y.Label, h.Label}}
	all := 0
	side := max(2, int(math.Sqrt(float64(rows)/float64(len(h.Panels)))))
	for _, p := range h.Panels {
		all += len(p.X) * len(p.Y)
		first := true
		for _, i := range stats.Evenly(len(p.Y), side) {
			for _, j := range stats.Evenly(len(p.X), side) {
				row := []string{"", Number(p.X[j]), Number(p.Y[i]), Number(p.Z[i][j])}
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
