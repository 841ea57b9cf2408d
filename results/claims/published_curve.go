package claims

import (
	"math"
	"slices"
)

// A PublishedCurve is a curve of a figure of the paper, as points.
type PublishedCurve struct {
	ID       string `toml:"id" json:"id" must:"yes" doc:"name of the curve, for claims of kind curve"`
	Figure   string `toml:"figure" json:"figure" must:"yes" doc:"the paper's figure, such as Fig. 3 (top left)"`
	Page     int    `toml:"page" json:"page,omitempty" want:">= 0" doc:"its page"`
	Obtained string `toml:"obtained" json:"obtained" must:"yes" want:"vector|raster|table|data" doc:"how the points were obtained: read from the paths of a vector figure, from the pixels of a picture, from a table, or from data of the authors"`
	How      string `toml:"how" json:"how,omitempty" doc:"the file, the program and the calibration that they were read with"`

	File  string `toml:"file" json:"-" not:"points" doc:"file with the points, which may be of several curves: CSV with the columns x and y, and if known curve, x_error and y_error; or a project or an export of WebPlotDigitizer. It is relative to the spec"`
	Curve string `toml:"curve" json:"-" needs:"file" doc:"name of the curve in the file; the id if left out"`

	Points   [][]float64 `toml:"points" json:"points" doc:"in place of file: the points [x, y] or [x, y, x_error, y_error], with rising x"`
	XError   float64     `toml:"x_error" json:"x_error,omitempty" want:">= 0" doc:"largest error of reading x, for points without one"`
	YError   float64     `toml:"y_error" json:"y_error,omitempty" want:">= 0" doc:"largest error of reading y, for points without one"`
	Relative bool        `toml:"relative" json:"relative,omitempty" doc:"x_error and y_error are shares of x and of y, as on logarithmic axes"`
}

// At returns the point with an index: x and y with their largest errors of reading.
func (c *PublishedCurve) At(i int) (x, y, dx, dy float64) {
	p := c.Points[i]
	x, y, dx, dy = p[0], p[1], c.XError, c.YError
	if c.Relative {
		dx, dy = dx*math.Abs(x), dy*math.Abs(y)
	}
	if len(p) == 4 {
		dx, dy = p[2], p[3]
	}
	return x, y, dx, dy
}

// Wrong returns what is wrong with the points and the index of the first that it is about; empty if nothing is.
func (c *PublishedCurve) Wrong() (wrong string, at int) {
	for i, p := range c.Points {
		switch {
		case len(p) != 2 && len(p) != 4:
			return "is not [x, y] or [x, y, x_error, y_error]", i
		case slices.ContainsFunc(p, func(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) }):
			return "is not finite", i
		case len(p) == 4 && min(p[2], p[3]) < 0:
			return "has an error below 0", i
		case i > 0 && p[0] <= c.Points[i-1][0]:
			return "does not lie beyond the point before it; sort the points by x, and keep one at each", i
		}
	}
	if len(c.Points) < leastPlaces {
		return "a curve needs 3 points", 0
	}
	return "", 0
}

// logarithmic reports whether points are read between as on two logarithmic axes: all values are positive, and y or x goes over
// more than a factor of ten.
func (c *PublishedCurve) logarithmic() bool {
	low, high := math.Inf(1), 0.0
	for _, p := range c.Points {
		if min(p[0], p[1]) <= 0 {
			return false
		}
		low, high = min(low, p[1]), max(high, p[1])
	}
	return high/low > 10 || c.Points[len(c.Points)-1][0]/c.Points[0][0] > 10
}

// between returns y at x, which lies between two points or at one, or a little beyond the ends, with the largest error of reading: its
// own, and that of x along the stretch between them.
func (c *PublishedCurve) between(x float64) (y, dy float64) {
	log := c.logarithmic()
	scale, back := func(v float64) float64 { return v }, func(v float64) float64 { return v }
	if log {
		scale, back = math.Log, math.Exp
	}
	i := 1
	for i < len(c.Points)-1 && c.Points[i][0] < x {
		i++
	}
	x0, y0, dx0, dy0 := c.At(i - 1)
	x1, y1, dx1, dy1 := c.At(i)
	slope := (scale(y1) - scale(y0)) / (scale(x1) - scale(x0))
	y = back(scale(y0) + slope*(scale(x)-scale(x0)))
	if log {
		return y, y * (max(dy0/y0, dy1/y1) + math.Abs(slope)*max(dx0/x0, dx1/x1))
	}
	return y, max(dy0, dy1) + math.Abs(slope)*max(dx0, dx1)
}
