package figures

import "math"

// An Interval is a range in drawing coordinates.
type Interval struct{ Lo, Hi float64 }

// Nothing is the interval that holds no number.
var Nothing = Interval{math.Inf(1), math.Inf(-1)}

func (r Interval) Empty() bool          { return !(r.Lo <= r.Hi) }
func (r Interval) Length() float64      { return r.Hi - r.Lo }
func (r Interval) Holds(v float64) bool { return v >= r.Lo-slack && v <= r.Hi+slack }

// Clamp returns the number of the interval nearest to v, and the upper end for NaN.
func (r Interval) Clamp(v float64) float64 {
	if math.IsNaN(v) {
		return r.Hi
	}
	return math.Max(r.Lo, math.Min(r.Hi, v))
}

// With returns the smallest interval that holds r and v. It ignores NaN.
func (r Interval) With(v float64) Interval {
	if math.IsNaN(v) {
		return r
	}
	return Interval{math.Min(r.Lo, v), math.Max(r.Hi, v)}
}

// Toward enlarges r to hold other, by at most the given length on either side.
func (r Interval) Toward(other Interval, most float64) Interval {
	if other.Empty() {
		return r
	}
	return Interval{
		math.Max(math.Min(r.Lo, other.Lo), r.Lo-most),
		math.Min(math.Max(r.Hi, other.Hi), r.Hi+most),
	}
}

// Padded returns the range with room on both sides. A range of one point becomes one decade or, on a linear axis, as long
// as the number.
func (r Interval) Padded(fraction float64, a Axis) Interval {
	if r.Length() < slack*math.Max(1, math.Abs(r.Lo)) {
		half := 0.5
		if !a.Log && r.Lo != 0 {
			half = 0.5 * math.Abs(r.Lo)
		}
		return Interval{r.Lo - half, r.Hi + half}
	}
	pad := fraction * r.Length()
	out := Interval{r.Lo - pad, r.Hi + pad}
	if !a.Log && r.Lo > pad/2 && out.Lo < 0 { // a point on the axis would hide it
		out.Lo = 0
	}
	return out
}
