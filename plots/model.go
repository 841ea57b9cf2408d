// Package plots draws figures as SVG, PNG and PDF and writes the HTML report. A figure is described
// by a model that knows nothing of records (Figure); Build makes one from results, Render draws it.
// The same input gives the same bytes.
package plots

import "math"

// A Figure is a picture to draw: either one panel of curves or a row of heat maps that share their
// colours. Texts may hold ^{...} and _{...} for raised and lowered characters.
type Figure struct {
	ID       string
	Title    string // above the figure
	Caption  string // below it, in the report; not drawn
	Warnings []string

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

// An Axis is one side of a panel.
type Axis struct {
	Label    string
	Log      bool
	Decimal  bool    // label decades 10 and 100 rather than 10¹ and 10²
	Min, Max float64 // what is shown; both zero means the range of the data
}

// fixed says whether the axis has a usable range of its own.
func (a Axis) fixed() bool { return a.Min < a.Max && (!a.Log || a.Min > 0) }

// at returns where a value lies on the axis, NaN if nowhere: zero and negative values have no place
// on a logarithmic axis.
func (a Axis) at(v float64) float64 {
	if a.Log {
		if !(v > 0) {
			return math.NaN()
		}
		v = math.Log10(v)
	}
	if math.IsInf(v, 0) {
		return math.NaN()
	}
	return v
}

// A Line is one curve. Y, and Low and High if there is a band, have the length of X; a value that is
// not finite, or not positive on a logarithmic axis, breaks the line.
type Line struct {
	Label     string
	X, Y      []float64
	Low, High []float64 // band, nil if there is none
	Breaks    []float64 // x at which a run diverged, marked by a cross
	Style     int       // which colour, dash and marker
}

// Dots are single points, such as the rows of a data set.
type Dots struct {
	Label string
	X, Y  []float64
}

// A Guide is a straight line of a known slope on two logarithmic axes, set just beside the data.
type Guide struct {
	Slope float64
	Label string
}

// A Mark is a published value: a point with a bar at X, a line across the panel if X is NaN. Low and
// High bound the numbers that round to it.
type Mark struct {
	X            float64
	Y, Low, High float64
	Label        string // in the legend, which leaves it out if there is none
	Style        int    // colour, that of the line it is compared with
}

// Heat is a row of heat maps on one colour scale.
type Heat struct {
	X, Y     Axis
	Panels   []Panel
	Label    string  // of the colour bar
	Min, Max float64 // colour scale; values beyond it take its end's colour
}

// A Panel is a function on a regular grid: Z[i][j] is its value at Y[i], X[j]. X and Y increase.
type Panel struct {
	Title string
	X, Y  []float64
	Z     [][]float64
}

// clips says whether a value lies beyond the colour scale, or is not finite.
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
