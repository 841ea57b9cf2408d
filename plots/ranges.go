package plots

import (
	"fmt"
	"math"
	"slices"
)

// An interval is a range in drawing coordinates.
type interval struct{ lo, hi float64 }

// nothing is the interval that holds no number.
var nothing = interval{math.Inf(1), math.Inf(-1)}

func (r interval) empty() bool          { return !(r.lo <= r.hi) }
func (r interval) length() float64      { return r.hi - r.lo }
func (r interval) holds(v float64) bool { return v >= r.lo-slack && v <= r.hi+slack }

// clamp returns the number of the interval nearest to v, and the upper end for NaN.
func (r interval) clamp(v float64) float64 {
	if math.IsNaN(v) {
		return r.hi
	}
	return math.Max(r.lo, math.Min(r.hi, v))
}

// with returns the smallest interval that holds r and v. It ignores NaN.
func (r interval) with(v float64) interval {
	if math.IsNaN(v) {
		return r
	}
	return interval{math.Min(r.lo, v), math.Max(r.hi, v)}
}

// toward enlarges r to hold other, by at most the given length on either side.
func (r interval) toward(other interval, most float64) interval {
	if other.empty() {
		return r
	}
	return interval{
		math.Max(math.Min(r.lo, other.lo), r.lo-most),
		math.Min(math.Max(r.hi, other.hi), r.hi+most),
	}
}

// padded returns the range with room on both sides. A range of one point becomes one decade or, on a linear axis, as long
// as the number.
func (r interval) padded(fraction float64, a Axis) interval {
	if r.length() < slack*math.Max(1, math.Abs(r.lo)) {
		half := 0.5
		if !a.Log && r.lo != 0 {
			half = 0.5 * math.Abs(r.lo)
		}
		return interval{r.lo - half, r.hi + half}
	}
	pad := fraction * r.length()
	out := interval{r.lo - pad, r.hi + pad}
	if !a.Log && r.lo >= 0 && out.lo < 0 {
		out.lo = 0
	}
	return out
}

var errNoPoint = fmt.Errorf("%w: no curve has a point with a place on the axes", ErrNoData)

// rangeX returns the range of x to show.
func (d *curvesDrawing) rangeX() (interval, error) {
	if d.X.fixed() {
		return interval{d.X.at(d.X.Min), d.X.at(d.X.Max)}, nil
	}
	r := nothing
	for _, l := range d.Lines {
		for _, x := range l.X {
			r = r.with(d.X.at(x))
		}
		for _, x := range l.Breaks {
			r = r.with(d.X.at(x))
		}
	}
	for _, m := range d.Marks {
		r = r.with(d.X.at(m.X))
	}
	if d.Dots != nil {
		for _, x := range d.Dots.X {
			r = r.with(d.X.at(x))
		}
	}
	if r.empty() {
		return r, errNoPoint
	}
	return r.padded(padX, d.X), nil
}

// rangeY returns the range of y to show: that of the published values, of the bars of single points and of the curves that stay
// finite. Bands and curves that diverged enlarge it only by a fraction, so that they do not flatten the other curves.
func (d *curvesDrawing) rangeY() (interval, error) {
	if d.Y.fixed() {
		return interval{d.Y.at(d.Y.Min), d.Y.at(d.Y.Max)}, nil
	}
	sound, diverged, bands := nothing, nothing, nothing
	for _, l := range d.Lines {
		of := &sound
		if l.endsInBreak() {
			of = &diverged
		}
		for i, v := range d.vertices(l) {
			if !v.known() {
				continue
			}
			*of = of.with(v.y)
			if l.banded() {
				around := &bands
				if l.Points {
					around = of
				}
				*around = around.with(d.Y.at(l.Low[i])).with(d.Y.at(l.High[i]))
			}
		}
	}
	for _, m := range d.Marks {
		sound = sound.with(d.Y.at(m.Low)).with(d.Y.at(m.Y)).with(d.Y.at(m.High))
	}
	if d.Dots != nil && d.Dots.Classes == nil {
		for _, y := range d.Dots.Y {
			sound = sound.with(d.Y.at(y))
		}
	}
	if sound.empty() {
		sound = diverged
	}
	if sound.empty() {
		return sound, errNoPoint
	}
	reach := math.Max(sound.length(), leastReach(sound, d.Y))
	r := sound.toward(diverged, 0.25*reach).toward(bands, 0.5*reach)
	if d.Dots != nil && d.Dots.Classes != nil {
		return r.padded(padRug, d.Y), nil
	}
	return r.padded(padY, d.Y), nil
}

// endsInBreak reports whether a curve has no finite value after its last break. It then may have grown without bound. A
// curve goes on if only some of its runs diverged.
func (l Line) endsInBreak() bool {
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

// leastReach returns the least length by which rangeY scales the room for bands and diverged curves.
func leastReach(r interval, a Axis) float64 {
	if a.Log {
		return 1
	}
	return 0.5 * math.Max(math.Abs(r.lo), math.Abs(r.hi))
}
