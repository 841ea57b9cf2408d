package figures

import (
	"fmt"
	"math"
	"slices"
)

const (
	padRug     = 0.12       // padY where rows of classes stand at the edges
	padX, padY = 0.02, 0.05 // room between the data and the frame, as a fraction of the range
	guideFrom  = 0.3        // guides start at this fraction of the range of x
	guideApart = 0.05       // distance between the data and a guide, as a fraction of the range of y
)

// A Layout is a panel of curves with what it shows of the axes.
type Layout struct {
	*Curves
	XR, YR     Interval // ranges shown, in drawing coordinates: decimal logarithms on a logarithmic axis
	GuideLines [][2]Vertex
}

// A Vertex is a point in drawing coordinates.
type Vertex struct{ X, Y float64 }

// Known says whether a vertex has a place.
func (v Vertex) Known() bool { return !math.IsNaN(v.X) && !math.IsNaN(v.Y) }

// Vertices returns the points of a line in drawing coordinates, NaN where they have no place.
func (d *Layout) Vertices(l Line) []Vertex {
	out := make([]Vertex, len(l.X))
	for i := range l.X {
		out[i] = Vertex{d.X.At(l.X[i]), d.Y.At(l.Y[i])}
	}
	return out
}

var errNoPoint = fmt.Errorf("%w: no curve has a point with a place on the axes", ErrNoData)

// RangeX returns the range of x to show.
func (d *Layout) RangeX() (Interval, error) {
	if d.X.Fixed() {
		return d.clear(Interval{Lo: d.X.At(d.X.Min), Hi: d.X.At(d.X.Max)}, padX, func(v Vertex) float64 { return v.X }), nil
	}
	r := Nothing
	for _, l := range d.Lines {
		for _, x := range l.X {
			r = r.With(d.X.At(x))
		}
		for _, x := range l.Breaks {
			r = r.With(d.X.At(x))
		}
	}
	for _, m := range d.Marks {
		r = r.With(d.X.At(m.X))
	}
	if d.Dots != nil {
		for _, x := range d.Dots.X {
			r = r.With(d.X.At(x))
		}
	}
	if r.Empty() {
		return r, errNoPoint
	}
	return r.Padded(padX, d.X), nil
}

// clear enlarges a range that the spec chose at an end on which a point would lie.
func (d *Layout) clear(r Interval, pad float64, of func(Vertex) float64) Interval {
	ends, room := Nothing, pad*r.Length()
	for _, l := range d.Lines {
		for _, v := range d.Vertices(l) {
			if at := of(v); v.Known() && r.Holds(at) {
				ends = ends.With(at)
			}
		}
	}
	return Interval{Lo: min(r.Lo, max(r.Lo-room, ends.Lo-room/2)), Hi: max(r.Hi, min(r.Hi+room, ends.Hi+room/2))}
}

// RangeY returns the range of y to show: that of the published values and of the curves that stay finite. Bands and curves that diverged enlarge it only by a fraction, so that they do not flatten the other curves.
func (d *Layout) RangeY() (Interval, error) {
	if d.Y.Fixed() {
		return d.clear(Interval{Lo: d.Y.At(d.Y.Min), Hi: d.Y.At(d.Y.Max)}, padY, func(v Vertex) float64 { return v.Y }), nil
	}
	sound, diverged, bands := Nothing, Nothing, Nothing
	for _, l := range d.Lines {
		of := &sound
		if l.EndsInBreak() {
			of = &diverged
		}
		for i, v := range d.Vertices(l) {
			if !v.Known() {
				continue
			}
			*of = of.With(v.Y)
			if l.Banded() {
				bands = bands.With(d.Y.At(l.Low[i])).With(d.Y.At(l.High[i]))
			}
		}
	}
	for _, m := range d.Marks {
		sound = sound.With(d.Y.At(m.Low)).With(d.Y.At(m.Y)).With(d.Y.At(m.High))
	}
	if d.Dots != nil && d.Dots.Classes == nil {
		for _, y := range d.Dots.Y {
			sound = sound.With(d.Y.At(y))
		}
	}
	if sound.Empty() {
		sound = diverged
	}
	if sound.Empty() {
		return sound, errNoPoint
	}
	reach := math.Max(sound.Length(), leastReach(sound, d.Y))
	r := sound.Toward(diverged, 0.25*reach).Toward(bands, 0.5*reach)
	if d.Dots != nil && d.Dots.Classes != nil {
		return r.Padded(padRug, d.Y), nil
	}
	return r.Padded(padY, d.Y), nil
}

// leastReach returns the least length by which RangeY scales the room for bands and diverged curves.
func leastReach(r Interval, a Axis) float64 {
	if a.Log {
		return 1
	}
	return 0.5 * math.Max(math.Abs(r.Lo), math.Abs(r.Hi))
}

// PlaceGuides puts every guide beside the data: below the data unless there is more room above. It enlarges the range of y
// if a guide needs it. It places no guides unless the vertical axis is logarithmic.
func (d *Layout) PlaceGuides() {
	if !d.Y.Log {
		return
	}
	inner := Nothing
	var vertices []Vertex // of the curves with more than one point
	for _, l := range d.Lines {
		own := slices.DeleteFunc(d.Vertices(l), func(v Vertex) bool { return !v.Known() })
		if len(own) == 1 {
			continue
		}
		for _, v := range own {
			inner = inner.With(v.X)
		}
		vertices = append(vertices, own...)
	}
	if inner.Empty() {
		return
	}
	from, to := inner.Lo+guideFrom*inner.Length(), inner.Hi
	shown := d.YR
	for i, g := range d.Guides {
		offset := Nothing // of the data from a line of this slope through the origin
		for _, v := range vertices {
			if v.X >= from && shown.Holds(v.Y) {
				offset = offset.With(v.Y - g.Slope*v.X)
			}
		}
		if offset.Empty() {
			offset = Interval{Lo: shown.Lo - g.Slope*from, Hi: shown.Lo - g.Slope*from}
		}
		apart := guideApart * float64(1+i/2) * shown.Length()
		line := func(at float64) [2]Vertex {
			return [2]Vertex{{from, at + g.Slope*from}, {to, at + g.Slope*to}}
		}
		below, above := line(offset.Lo-apart), line(offset.Hi+apart)
		chosen := below
		if overflow(above, shown) < overflow(below, shown) {
			chosen = above
		}
		d.GuideLines = append(d.GuideLines, chosen)
		if !d.Y.Fixed() {
			need := Nothing.With(chosen[0].Y).With(chosen[1].Y)
			d.YR = d.YR.Toward(need, 0.15*shown.Length())
		}
	}
}

// overflow returns how far a line reaches beyond the range of y.
func overflow(line [2]Vertex, r Interval) float64 {
	over := 0.0
	for _, v := range line {
		over += math.Max(0, r.Lo-v.Y) + math.Max(0, v.Y-r.Hi)
	}
	return over
}

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
