package figures

import (
	"bytes"
	"encoding/csv"
	"math"
	"strconv"
)

// PointsCSV returns the points that a figure draws as CSV, one row for each point. A number that is missing is an empty field.
func (f *Figure) PointsCSV() ([]byte, error) {
	var rows [][]string
	if f.Heat != nil {
		rows = f.Heat.points()
	} else {
		rows = f.Curves.points()
	}
	var b bytes.Buffer
	err := csv.NewWriter(&b).WriteAll(rows)
	return b.Bytes(), err
}

// withNumbers returns a row of texts with numbers behind them.
func withNumbers(row []string, numbers ...float64) []string {
	for _, v := range numbers {
		s := ""
		if !math.IsNaN(v) {
			s = strconv.FormatFloat(v, 'g', -1, 64)
		}
		row = append(row, s)
	}
	return row
}

// points returns the points of a panel of curves, with the columns kind (line, diverged, published, derived or dot), label, x,
// y, low and high. Low and high bound a line's band, or the numbers that round to a published or derived value. Such a value
// without x is a line across the panel; a run that diverged has no y.
func (c *Curves) points() [][]string {
	rows := [][]string{{"kind", "label", "x", "y", "low", "high"}}
	add := func(kind, label string, x, y, low, high float64) {
		rows = append(rows, withNumbers([]string{kind, label}, x, y, low, high))
	}
	none := math.NaN()
	for _, l := range c.Lines {
		for i, x := range l.X {
			low, high := none, none
			if l.Low != nil {
				low, high = l.Low[i], l.High[i]
			}
			add("line", l.Label, x, l.Y[i], low, high)
		}
		for _, at := range l.Breaks {
			add("diverged", l.Label, at, none, none, none)
		}
	}
	for _, m := range c.Marks {
		add(m.Origin, m.Label, m.X, m.Y, m.Low, m.High)
	}
	if c.Dots != nil {
		for i, x := range c.Dots.X {
			add("dot", c.Dots.Label, x, c.Dots.Y[i], none, none)
		}
	}
	return rows
}

// points returns the points of a row of heat maps, with the columns panel, x, y and value.
func (h *Heat) points() [][]string {
	rows := [][]string{{"panel", "x", "y", "value"}}
	for _, p := range h.Panels {
		for i, row := range p.Z {
			for j, z := range row {
				rows = append(rows, withNumbers([]string{p.Title}, p.X[j], p.Y[i], z))
			}
		}
	}
	return rows
}
