// Package figures makes the models of figures from records and verdicts. A Figure describes what to draw: texts, axes, curves and
// maps. It does not say where things lie on the paper; plots does.
package figures

import (
	"math"
	"slices"
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
type Guide struct {
	Slope float64 // on the scales of the axes
	Name  string  // its slope or its factor in words
	Label string
}

// A Mark is a published or derived value: a ring with a bar at X or, if X is NaN, a line across the panel. Low and High bound the
// numbers that round to it.
type Mark struct {
	X            float64
	Y, Low, High float64
	Label        string // in the legend; a mark without a label is not in the legend
	Origin       string // published or derived
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
