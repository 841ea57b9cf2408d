package figures

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"strconv"

	"github.com/go-gota/gota/dataframe"
	"github.com/go-gota/gota/series"
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
	err := WriteFrame(&b, df)
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

// WriteFrame writes a data frame as CSV with a header line, every number with as many digits as it
// has, and NaN as an empty field.
func WriteFrame(w io.Writer, df dataframe.DataFrame) error {
	out := csv.NewWriter(w)
	if err := out.Write(df.Names()); err != nil {
		return err
	}
	if err := writeRows(out, df); err != nil {
		return err
	}
	out.Flush()
	return out.Error()
}

func writeRows(out *csv.Writer, df dataframe.DataFrame) error {
	if df.Err != nil {
		return fmt.Errorf("table: %w", df.Err)
	}
	row := make([]string, df.Ncol())
	for i := range df.Nrow() {
		for j := range row {
			row[j] = field(df.Elem(i, j))
		}
		if err := out.Write(row); err != nil {
			return err
		}
	}
	return nil
}

func field(e series.Element) string {
	switch {
	case e.IsNA():
		return ""
	case e.Type() == series.Float:
		return strconv.FormatFloat(e.Float(), 'g', -1, 64)
	}
	return e.String()
}
