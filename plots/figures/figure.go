// Package figures makes the models of figures from records and verdicts. A Figure describes what to draw: texts, axes, curves and
// maps. It does not say where things lie on the paper; plots does.
package figures

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"

	"github.com/go-gota/gota/dataframe"
	"github.com/go-gota/gota/series"

	"repro/results/printed"
)

// A Figure describes a picture: one panel of curves, or a row of heat maps with one colour scale. Texts may hold ^{...} and
// _{...} for superscripts and subscripts.
type Figure struct {
	ID       string
	Title    string  // above the figure
	Note     string  // in small letters at the lower edge: in what the runs are not the paper's
	Caption  Caption // below the figure in the report; it is not drawn
	Warnings []string
	Style    Style

	Curves *Curves
	Heat   *Heat
}

// Curves is one panel of curves.
type Curves struct {
	X, Y   Axis
	Dots   *Dots // behind the lines; nil for none
	Lines  []Line
	Guides []Guide
	Marks  []Mark
	Orders *Curves // below, on the same horizontal axis: the observed orders of each of Lines, and those that claims give; nil for none
}

// Shown returns the points of a line that have a place on the axes and, where the vertical one has a range, lie in it.
func (c *Curves) Shown(l Line) (xs, ys []float64) {
	for i, x := range l.X {
		y := l.Y[i]
		if !math.IsNaN(c.X.At(x)) && !math.IsNaN(c.Y.At(y)) && (!c.Y.Fixed() || y >= c.Y.Min && y <= c.Y.Max) {
			xs, ys = append(xs, x), append(ys, y)
		}
	}
	return xs, ys
}

// An Axis is one side of a panel.
type Axis struct {
	Label    string
	Log      bool
	Decimal  bool    // label powers of ten as 10 and 100, not as 10¹ and 10²
	Min, Max float64 // the range shown; the range of the data if both are zero
}

// Fixed reports whether Min and Max are a range that the axis can show.
func (a Axis) Fixed() bool { return a.Min < a.Max && (!a.Log || a.Min > 0) }

// farthest bounds drawing coordinates, so that lengths and margins of an axis are finite.
const farthest = math.MaxFloat64 / 16

// At returns the drawing coordinate of a value. It is NaN for values without one: those beyond farthest and, on a
// logarithmic axis, zero and negative ones.
func (a Axis) At(v float64) float64 {
	if a.Log {
		if !(v > 0) {
			return math.NaN()
		}
		v = math.Log10(v)
	}
	if math.Abs(v) > farthest {
		return math.NaN()
	}
	return v
}

// A Line is one curve. Y, and Low and High if there is a band, have the length of X; a value that is
// not finite, or not positive on a logarithmic axis, breaks the line.
type Line struct {
	Label     string
	X, Y      []float64
	Low, High []float64 // bounds of the band; nil if there is none
	Breaks    []float64 // x at which a run diverged, marked by a cross
	Style     int       // number of the colour, dash and marker, for styleOf
	Level     bool      // a method that is a single point, drawn across the panel; its marker is at At
	At        float64
	Beside    bool // of another run, drawn fainter and dotted, without its band

	Method, Metric, Statistic string // of the records it shows; empty if it shows none over their steps
}

// Banded reports whether a line is drawn with its band.
func (l Line) Banded() bool { return l.Low != nil && !l.Beside }

// EndsInBreak reports whether a curve has no finite value after its last break. It then may have grown without bound. A
// curve goes on if only some of its runs diverged.
func (l Line) EndsInBreak() bool {
	if len(l.Breaks) == 0 {
		return false
	}
	last := slices.Max(l.Breaks)
	for i, x := range l.X {
		if x > last && !math.IsNaN(l.Y[i]) && !math.IsInf(l.Y[i], 0) {
			return false
		}
	}
	return true
}

// Dots are single points, such as the rows of a data set. If Classes are named, the sign of Y says to which of two classes a
// row belongs: the rows of the first, with Y < 0, are drawn at the lower edge of the panel, the others at the upper edge.
type Dots struct {
	Label   string
	X, Y    []float64
	Classes []string
}

// A Guide is a straight line of a given slope beside the data, on two logarithmic axes or, for a factor, on a vertical one alone.
//
// A triangle is one of a convergence study: a short piece of the line, as the hypotenuse, with Label beside its right angle.
type Guide struct {
	Slope    float64 // on the scales of the axes
	Name     string  // its slope or its factor in words
	Label    string
	Triangle bool
	Line     int // of a triangle: the index of the line that it stands beside, -1 for any
}

// A Mark is a published or derived value: a ring with a bar at X or, if X is NaN, a line across the panel. Low and High bound the
// numbers that round to it.
type Mark struct {
	X            float64
	Y, Low, High float64
	Label        string // in the legend; a mark without a label is not in the legend
	Origin       string // as claims.Claim.Origin has it
	Style        int    // of the line that the value is compared with
	Column       bool   // of a whole column of a table, or of a curve
	Read         bool   // from a figure; Low and High bound what reading leaves open
	Common       bool   // its label is for the marks of all lines
	Claim        string // that has the value
}

// Heat is a row of heat maps on one colour scale.
type Heat struct {
	X, Y     Axis
	Panels   []Panel
	Label    string    // of the colour bar
	Min, Max float64   // ends of the colour scale; values beyond it get the colour of its end
	Levels   []float64 // values at which a line is drawn
	Best     string    // what the marked points of the panels are; empty if none has any
	Limit    string    // what the dashed lines are
	Classes  []string  // names of the classes, if the values are their numbers, from 1 on; a legend takes the place of the colour bar
}

// MapSteps is how many steps the colour scale has on a page.
const MapSteps = 200

// A Panel is a function on a grid that is regular in drawing coordinates: Z[i][j] is its value at Y[i], X[j]. X and Y increase.
// If Z is a median over Seeds, Runs has their values: Runs[k][i][j] is that of Seeds[k], NaN if it has none.
type Panel struct {
	Title string
	X, Y  []float64
	Z     [][]float64
	Seeds []uint64      // empty if no run belongs to the panel
	Runs  [][][]float64 // nil if there is one seed at most
	Best  []float64     // for each X, the Y of a point to mark, joined by lines; NaN for none; nil for no marks
	Limit []float64     // for each X, the Y of a dashed line; NaN for none; nil for no line
}

// clips reports whether a value lies beyond the colour scale or is not finite.
func (h *Heat) clips() bool {
	for _, p := range h.Panels {
		for _, row := range p.Z {
			for _, z := range row {
				if !(z >= h.Min && z <= h.Max) {
					return true
				}
			}
		}
	}
	return false
}

// Beside adds the curves or the maps of the same figure of another run. It leaves out those that are equal to ours, and says in
// the caption how many are.
func (f *Figure) Beside(other Figure, name string) {
	if f.Curves == nil && f.Heat == nil || (f.Heat == nil) != (other.Heat == nil) {
		return
	}
	what, all, added := "curve", 0, 0
	if f.Heat != nil {
		what = "map"
		ours := f.Heat.Panels
		for _, p := range other.Heat.Panels {
			all++
			if !slices.ContainsFunc(ours, func(q Panel) bool {
				return sameValues(q.X, p.X) && sameValues(q.Y, p.Y) && slices.EqualFunc(q.Z, p.Z, sameValues)
			}) {
				p.Title += " (" + name + ")"
				f.Heat.Panels = append(f.Heat.Panels, p)
				added++
			}
		}
	} else {
		ours := f.Curves.Lines
		orders, theirs := f.Curves.Orders, other.Curves.Orders
		for i, l := range other.Curves.Lines {
			all++
			if slices.ContainsFunc(ours, l.same) {
				continue
			}
			added++
			l.Label, l.Beside = l.Label+" ("+name+")", true
			f.Curves.Lines = append(f.Curves.Lines, l)
			if orders != nil && theirs != nil {
				o := theirs.Lines[i]
				o.Label, o.Beside = l.Label, true
				orders.Lines = append(orders.Lines, o)
			}
		}
		spanLevels(f.Curves.Lines)
	}
	var c Caption
	how := "Fainter and dotted: the runs in %s"
	if f.Heat != nil {
		how = "The maps with %s in their titles show the runs there"
	}
	if added > 0 {
		c.Add(how, name)
	}
	if equal := all - added; equal > 0 {
		c.Add("%d of %s in %s %s equal to ours and not drawn twice", equal, printed.Count(all, what), name, map[bool]string{true: "is", false: "are"}[equal == 1])
	}
	f.Caption = append(c, f.Caption...)
}

// same reports whether a line shows the same values as another one in the same style.
func (l Line) same(k Line) bool {
	return l.Style == k.Style && sameValues(l.X, k.X) && sameValues(l.Y, k.Y) && sameValues(l.Low, k.Low) && sameValues(l.High, k.High) && sameValues(l.Breaks, k.Breaks)
}

// sameValues reports whether two lists are equal; NaN is equal to NaN.
func sameValues(a, b []float64) bool {
	return slices.EqualFunc(a, b, func(v, w float64) bool { return v == w || math.IsNaN(v) && math.IsNaN(w) })
}

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

// points returns the points of a panel of curves, with the columns kind (line, diverged, published, derived, dot or order), label, x,
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
	if c.Orders != nil {
		for _, l := range c.Orders.Lines {
			for i := range l.X {
				add("order", l.Label, [4]float64{l.X[i], l.Y[i], none, none})
			}
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
