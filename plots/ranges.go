package plots

import (
	"errors"
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

// clamp returns the number of the interval nearest to v, the upper end for NaN.
func (r interval) clamp(v float64) float64 {
	if math.IsNaN(v) {
		return r.hi
	}
	return math.Max(r.lo, math.Min(r.hi, v))
}

// with returns the smallest interval that also holds v; NaN changes nothing.
func (r interval) with(v float64) interval {
	if math.IsNaN(v) {
		return r
	}
	return interval{math.Min(r.lo, v), math.Max(r.hi, v)}
}

// toward grows r to hold other, by no more than the given length on either side.
func (r interval) toward(other interval, most float64) interval {
	if other.empty() {
		return r
	}
	return interval{
		math.Max(math.Min(r.lo, other.lo), r.lo-most),
		math.Min(math.Max(r.hi, other.hi), r.hi+most),
	}
}

// padded leaves room on both sides. A range of one point becomes one decade, or the number's own size.
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

// ErrNoData is wrapped where there is nothing to draw yet, because the runs it needs have not
// happened.
var ErrNoData = errors.New("nothing to draw")

var errNoPoint = fmt.Errorf("%w: no curve has a point with a place on the axes", ErrNoData)

// rangeX returns the range of x shown.
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

// rangeY returns the range of y shown: that of the curves which stay finite and of the published
// values. Bands and curves that diverged enlarge it, but cannot flatten the rest.
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
			if l.Low != nil {
				bands = bands.with(d.Y.at(l.Low[i])).with(d.Y.at(l.High[i]))
			}
		}
	}
	for _, m := range d.Marks {
		sound = sound.with(d.Y.at(m.Low)).with(d.Y.at(m.Y)).with(d.Y.at(m.High))
	}
	if d.Dots != nil {
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
	return r.padded(padY, d.Y), nil
}

// endsInBreak says whether a curve has no value beyond the last of its breaks, so that it may have
// grown without bound; one of which a few runs diverged goes on.
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

// leastReach is what a range of almost no length may grow by all the same.
func leastReach(r interval, a Axis) float64 {
	if a.Log {
		return 1
	}
	return 0.5 * math.Max(math.Abs(r.lo), math.Abs(r.hi))
}

// placeGuides sets every guide beside the data, below them if that needs no more room than above,
// and makes room where there is none. Guides mean something on two logarithmic axes only.
func (d *curvesDrawing) placeGuides() {
	if !d.X.Log || !d.Y.Log {
		return
	}
	inner := nothing
	var vertices []vertex // of the curves; a single point is none
	for _, l := range d.Lines {
		own := slices.DeleteFunc(d.vertices(l), func(v vertex) bool { return !v.known() })
		if len(own) == 1 {
			continue
		}
		for _, v := range own {
			inner = inner.with(v.x)
		}
		vertices = append(vertices, own...)
	}
	if inner.empty() {
		return
	}
	from, to := inner.lo+guideFrom*inner.length(), inner.hi
	shown := d.yr
	for i, g := range d.Guides {
		offset := nothing // of the data from a line of this slope through the origin
		for _, v := range vertices {
			if v.x >= from && shown.holds(v.y) {
				offset = offset.with(v.y - g.Slope*v.x)
			}
		}
		if offset.empty() {
			offset = interval{shown.lo - g.Slope*from, shown.lo - g.Slope*from}
		}
		apart := guideApart * float64(1+i/2) * shown.length()
		line := func(at float64) [2]vertex {
			return [2]vertex{{from, at + g.Slope*from}, {to, at + g.Slope*to}}
		}
		below, above := line(offset.lo-apart), line(offset.hi+apart)
		chosen := below
		if overflow(above, shown) < overflow(below, shown) {
			chosen = above
		}
		d.guides = append(d.guides, chosen)
		if !d.Y.fixed() {
			need := nothing.with(chosen[0].y).with(chosen[1].y)
			d.yr = d.yr.toward(need, 0.15*shown.length())
		}
	}
}

// overflow returns how far a line reaches beyond the range of y.
func overflow(line [2]vertex, r interval) float64 {
	over := 0.0
	for _, v := range line {
		over += math.Max(0, r.lo-v.y) + math.Max(0, v.y-r.hi)
	}
	return over
}
