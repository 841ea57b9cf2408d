package figures

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
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
	XR, YR     Interval   // ranges shown, in drawing coordinates: decimal logarithms on a logarithmic axis
	GuideLines [][]Vertex // of each guide its ends or, of a triangle, the ends of its hypotenuse and the right angle
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
// if a guide needs it. A triangle stands where it covers nothing. It places no guides unless the vertical axis is logarithmic.
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
		if g.Triangle {
			d.GuideLines = append(d.GuideLines, d.placeTriangle(g))
			continue
		}
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
		line := func(at float64) []Vertex {
			return []Vertex{{from, at + g.Slope*from}, {to, at + g.Slope*to}}
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
func overflow(line []Vertex, r Interval) float64 {
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

const (
	MaxIntervals = 6  // of a linear axis
	maxDecades   = 10 // labelled on a logarithmic axis
	minLabels    = 3  // wanted on a logarithmic axis that holds two powers of ten or fewer
	maxLabels    = 7  // on such an axis, more would touch
)

// Ticks returns the tick marks of an axis that shows drawing coordinates in [lo, hi] and has room for the given number of
// labels. At least two marks have a label. A logarithmic axis labels multiples of powers of ten if it holds two powers or
// fewer, powers of ten if it holds more, and round numbers if it is too short for either.
func (a Axis) Ticks(lo, hi float64, room int) []Tick {
	room = max(room, 2)
	if !a.Log {
		return LinearTicks(lo, hi, float64(min(MaxIntervals, room)))
	}
	powers := math.Floor(hi+slack) - math.Ceil(lo-slack) + 1
	if powers <= 2 {
		if marks := multiplesTicks(lo, hi, min(maxLabels, room)); marks != nil {
			return marks
		}
	}
	if powers >= 2 {
		return decadeTicks(lo, hi, a.Decimal, min(maxDecades, room))
	}
	var out []Tick
	for _, t := range LinearTicks(math.Pow(10, lo), math.Pow(10, hi), float64(min(MaxIntervals, maxLabels, room))) {
		if t.At > 0 {
			out = append(out, Tick{At: math.Log10(t.At), Label: t.Label})
		}
	}
	return out
}

// A Tick is a mark with a label at a place of an axis, in decimal logarithms on a logarithmic one.
type Tick struct {
	At    float64 `json:"at"`
	Label string  `json:"label"`
}

// TextTicks returns the marks with a label of an axis from lo to hi, decimal logarithms if it is logarithmic, that has room for the
// given number of labels. The labels are plain text, with
// powers as in 10⁻³.
func TextTicks(lo, hi float64, log bool, room int) []Tick {
	var out []Tick
	for _, t := range (Axis{Log: log, Decimal: true}).Ticks(lo, hi, room) {
		if t.Label != "" {
			base, exponent, _ := strings.Cut(PlainText(t.Label), "^")
			out = append(out, Tick{t.At, base + raised.Replace(exponent)})
		}
	}
	return out
}

var raised = strings.NewReplacer("0", "⁰", "1", "¹", "2", "²", "3", "³", "4", "⁴", "5", "⁵", "6", "⁶", "7", "⁷", "8", "⁸", "9", "⁹", Minus, "⁻")

// slack is the relative rounding error that a tick at the edge of an axis may have.
const slack = 1e-9

// LinearTicks returns marks at round numbers in [lo, hi], with at most the given number of intervals between labels, or more
// if only one mark had a label.
func LinearTicks(lo, hi, intervals float64) []Tick {
	for ; ; intervals++ {
		out := roundTicks(lo, hi, intervals)
		labels := 0
		for _, t := range out {
			if t.Label != "" {
				labels++
			}
		}
		if labels >= 2 || intervals >= 2*MaxIntervals {
			return out
		}
	}
}

// roundTicks returns marks at round numbers in [lo, hi], with at most the given number of intervals between labels.
func roundTicks(lo, hi, intervals float64) []Tick {
	step, minor := linearStep(hi-lo, intervals)
	var out []Tick
	edge := slack * (hi - lo)
	for i := math.Ceil((lo - edge) / minor); i*minor <= hi+edge; i++ {
		t := Tick{At: i * minor}
		if n := math.Round(t.At / step); math.Abs(t.At-n*step) < minor/2 {
			t.At = n * step
			t.Label = linearLabel(t.At, step, math.Max(math.Abs(lo), math.Abs(hi)))
		}
		out = append(out, t)
	}
	return out
}

// linearStep returns the distance between labels, and between marks, on an axis of the given length.
func linearStep(length, intervals float64) (step, minor float64) {
	unit := math.Pow(10, math.Floor(math.Log10(length/intervals)))
	for _, s := range []struct{ step, minors float64 }{{1, 5}, {2, 4}, {2.5, 5}, {5, 5}} {
		if length/(s.step*unit) <= intervals+slack {
			return s.step * unit, s.step * unit / s.minors
		}
	}
	return 10 * unit, 2 * unit
}

// linearLabel writes a multiple of step with as many decimals as the step needs, or as m×10^{k} if the largest number of
// the axis is very large or very small.
func linearLabel(v, step, largest float64) string {
	if v == 0 {
		return "0"
	}
	exponent := 0
	if largest >= 1e5 || largest < 1e-2 {
		exponent = int(math.Floor(math.Log10(largest) + slack))
	}
	unit := math.Pow(10, float64(exponent))
	decimals := 0
	for s := step / unit; decimals < 15 && math.Abs(s-math.Round(s)) > 1e-6*s; s *= 10 {
		decimals++
	}
	label := strconv.FormatFloat(v/unit, 'f', decimals, 64)
	if exponent != 0 {
		label += "×" + power(exponent)
	}
	return WithMinus(label)
}

// decadeTicks marks powers of ten and their multiples on a range that holds two of them or more. It labels at most about the given
// number.
func decadeTicks(lo, hi float64, decimal bool, most int) []Tick {
	first, last := int(math.Floor(lo+slack)), int(math.Ceil(hi-slack))
	every := 1 + (last-first)/(most+1)
	decimal = decimal && first >= -3 && last <= 4
	var out []Tick
	for k := first; k <= last; k++ {
		if v := float64(k); v >= lo-slack && v <= hi+slack {
			t := Tick{At: v}
			if k%every == 0 {
				t.Label = power(k)
				if decimal {
					t.Label = strconv.FormatFloat(math.Pow10(k), 'f', -1, 64)
				}
			}
			out = append(out, t)
		}
		for m := 2; m < 10 && every == 1; m++ {
			if v := float64(k) + math.Log10(float64(m)); v > lo && v < hi {
				out = append(out, Tick{At: v})
			}
		}
	}
	return out
}

// multiplesTicks returns marks at the multiples of powers of ten. It labels the multiples 1, 2 and 5, or more of them if these
// are too few. It returns nil if none of these choices has from minLabels to most labels.
func multiplesTicks(lo, hi float64, most int) []Tick {
	plain := lo >= -3-slack && hi < 5
	for _, digits := range []string{"125", "12357", "123456789"} {
		var out []Tick
		labels := 0
		for k := int(math.Floor(lo)); k <= int(math.Floor(hi+slack)); k++ {
			for m := 1; m < 10; m++ {
				t := Tick{At: float64(k) + math.Log10(float64(m))}
				if t.At < lo-slack || t.At > hi+slack {
					continue
				}
				if strings.Contains(digits, strconv.Itoa(m)) {
					t.Label = multipleLabel(m, k, plain)
					labels++
				}
				out = append(out, t)
			}
		}
		if labels >= minLabels && labels <= most {
			return out
		}
	}
	return nil
}

// multipleLabel writes m·10^k.
func multipleLabel(m, k int, plain bool) string {
	switch {
	case plain:
		return strconv.FormatFloat(float64(m)*math.Pow10(k), 'f', max(0, -k), 64)
	case m == 1:
		return power(k)
	}
	return fmt.Sprintf("%d×%s", m, power(k))
}
