package plots

// A view is an axis as a panel shows it.
type view struct {
	Range [2]float64 `json:"range"` // in drawing coordinates
	Marks []Tick     `json:"marks"` // with a label
	Minor digits     `json:"minor,omitempty"`
}

// axisViews are the views of both axes, linear and logarithmic; nil if nothing has a place on an axis.
type axisViews struct{ x, y [2]*view }

// Room for labels at the axes of a live figure. The script leaves out labels that touch on a narrow page.
const liveRoomX, liveRoomY = 12, 15

// views lays the axes of a live figure out, and its guides if both axes of the figure are logarithmic.
func (c *Curves) views() (v axisViews, guides [][2]vertex) {
	for i, log := range []bool{false, true} {
		d := curvesDrawing{Curves: &Curves{X: c.X, Y: c.Y, Lines: c.Lines, Dots: c.Dots, Marks: c.Marks, Guides: c.Guides}}
		d.X.Log, d.Y.Log = log, log
		var errX, errY error
		if d.xr, errX = d.rangeX(); errX == nil {
			v.x[i] = d.X.view(d.xr, liveRoomX)
		}
		if d.yr, errY = d.rangeY(); errY != nil {
			continue
		}
		if errX == nil && c.X.Log && c.Y.Log {
			d.placeGuides()
			guides = d.guides
		}
		v.y[i] = d.Y.view(d.yr, liveRoomY)
	}
	return v, guides
}

// view returns the axis over a range.
func (a Axis) view(r interval, room int) *view {
	v := &view{Range: [2]float64{rounded(r.lo, 6), rounded(r.hi, 6)}}
	for _, t := range a.ticks(r.lo, r.hi, room) {
		if t.IsMinor() {
			v.Minor = append(v.Minor, rounded(t.Value, 4))
		} else {
			v.Marks = append(v.Marks, Tick{rounded(t.Value, 6), t.Label})
		}
	}
	return v
}
