package drawings

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"repro/plots/figures"
)

var errNoPoint = fmt.Errorf("%w: no curve has a point with a place on the axes", figures.ErrNoData)

// rangeX returns the range of x to show.
func (d *curvesDrawing) rangeX() (figures.Interval, error) {
	if d.X.Fixed() {
		return d.clear(figures.Interval{Lo: d.X.At(d.X.Min), Hi: d.X.At(d.X.Max)}, padX, func(v vertex) float64 { return v.x }), nil
	}
	r := figures.Nothing
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
func (d *curvesDrawing) clear(r figures.Interval, pad float64, of func(vertex) float64) figures.Interval {
	ends, room := figures.Nothing, pad*r.Length()
	for _, l := range d.Lines {
		for _, v := range d.vertices(l) {
			if at := of(v); v.known() && r.Holds(at) {
				ends = ends.With(at)
			}
		}
	}
	return figures.Interval{Lo: min(r.Lo, max(r.Lo-room, ends.Lo-room/2)), Hi: max(r.Hi, min(r.Hi+room, ends.Hi+room/2))}
}

// rangeY returns the range of y to show: that of the published values, of the bars of single points and of the curves that stay
// finite. Bands and curves that diverged enlarge it only by a fraction, so that they do not flatten the other curves.
func (d *curvesDrawing) rangeY() (figures.Interval, error) {
	if d.Y.Fixed() {
		return d.clear(figures.Interval{Lo: d.Y.At(d.Y.Min), Hi: d.Y.At(d.Y.Max)}, padY, func(v vertex) float64 { return v.y }), nil
	}
	sound, diverged, bands := figures.Nothing, figures.Nothing, figures.Nothing
	for _, l := range d.Lines {
		of := &sound
		if l.EndsInBreak() {
			of = &diverged
		}
		for i, v := range d.vertices(l) {
			if !v.known() {
				continue
			}
			*of = of.With(v.y)
			if l.Banded() {
				around := &bands
				if l.Points {
					around = of
				}
				*around = around.With(d.Y.At(l.Low[i])).With(d.Y.At(l.High[i]))
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

// leastReach returns the least length by which rangeY scales the room for bands and diverged curves.
func leastReach(r figures.Interval, a figures.Axis) float64 {
	if a.Log {
		return 1
	}
	return 0.5 * math.Max(math.Abs(r.Lo), math.Abs(r.Hi))
}

// placeGuides puts every guide beside the data: below the data unless there is more room above. It enlarges the range of y
// if a guide needs it. It places no guides unless the vertical axis is logarithmic.
func (d *curvesDrawing) placeGuides() {
	if !d.Y.Log {
		return
	}
	inner := figures.Nothing
	var vertices []vertex // of the curves with more than one point
	for _, l := range d.Lines {
		own := slices.DeleteFunc(d.vertices(l), func(v vertex) bool { return !v.known() })
		if len(own) == 1 {
			continue
		}
		for _, v := range own {
			inner = inner.With(v.x)
		}
		vertices = append(vertices, own...)
	}
	if inner.Empty() {
		return
	}
	from, to := inner.Lo+guideFrom*inner.Length(), inner.Hi
	shown := d.yr
	for i, g := range d.Guides {
		offset := figures.Nothing // of the data from a line of this slope through the origin
		for _, v := range vertices {
			if v.x >= from && shown.Holds(v.y) {
				offset = offset.With(v.y - g.Slope*v.x)
			}
		}
		if offset.Empty() {
			offset = figures.Interval{Lo: shown.Lo - g.Slope*from, Hi: shown.Lo - g.Slope*from}
		}
		apart := guideApart * float64(1+i/2) * shown.Length()
		line := func(at float64) [2]vertex {
			return [2]vertex{{from, at + g.Slope*from}, {to, at + g.Slope*to}}
		}
		below, above := line(offset.Lo-apart), line(offset.Hi+apart)
		chosen := below
		if overflow(above, shown) < overflow(below, shown) {
			chosen = above
		}
		d.guides = append(d.guides, chosen)
		if !d.Y.Fixed() {
			need := figures.Nothing.With(chosen[0].y).With(chosen[1].y)
			d.yr = d.yr.Toward(need, 0.15*shown.Length())
		}
	}
}

// overflow returns how far a line reaches beyond the range of y.
func overflow(line [2]vertex, r figures.Interval) float64 {
	over := 0.0
	for _, v := range line {
		over += math.Max(0, r.Lo-v.y) + math.Max(0, v.y-r.Hi)
	}
	return over
}

// labelGuides finds a place for the label of every guide: beside the guide, where it hides nothing. ok is false if one has none.
func (d *curvesDrawing) labelGuides(a arrangement) (labels []guideLabel, ok bool) {
	size := a.data().Size()
	sty := d.o.style(tickSize, text.XLeft, text.YBottom)
	sty.Color = d.o.guide
	taken := d.obstacles(size)
	gap := d.o.pt(3)
	if a.place == figures.LegendInside {
		w, h := a.legend.size()
		for x := vg.Length(0); x <= w; x += gap {
			for y := vg.Length(0); y <= h; y += gap {
				taken = append(taken, vg.Point{X: a.inside.X + x, Y: a.inside.Y + y})
			}
		}
	}
	for i, g := range d.guides {
		if max(g[0].y, g[1].y) < d.yr.Lo || min(g[0].y, g[1].y) > d.yr.Hi {
			continue // it cannot be seen
		}
		w, h := sty.Width(d.Guides[i].Label), sty.Height(d.Guides[i].Label)
		corner, found := d.freeCorner(g, size, vg.Point{X: w, Y: h}, gap, taken)
		if !found {
			return nil, false
		}
		labels = append(labels, guideLabel{d.Guides[i].Label, corner, sty})
		for x := vg.Length(0); x <= w; x += gap {
			taken = append(taken, vg.Point{X: corner.X + x, Y: corner.Y + h/2})
		}
	}
	return labels, true
}

// freeCorner returns the lower left corner of the first place beside a guide at which a label of size box hides none of the
// points taken and stays inside a data area of the given size, with a gap around it.
func (d *curvesDrawing) freeCorner(g [2]vertex, size, box vg.Point, gap vg.Length, taken []vg.Point) (corner vg.Point, ok bool) {
	for k := range 2 * guidePlaces {
		share := 1 - (float64(k/2)+0.5)/guidePlaces // of the guide; the right end first
		v := vertex{g[0].x + share*(g[1].x-g[0].x), g[0].y + share*(g[1].y-g[0].y)}
		if !d.holds(v) {
			continue
		}
		corner = d.on(size, v)
		below, falls := k%2 == 0, g[1].y < g[0].y
		if below {
			corner.Y -= box.Y + gap
		} else {
			corner.Y += gap
		}
		if below == falls { // left of the guide
			corner.X -= box.X + gap
		} else {
			corner.X += gap
		}
		if corner.X > gap && corner.X+box.X < size.X-gap && corner.Y > gap && corner.Y+box.Y < size.Y-gap &&
			!slices.ContainsFunc(taken, func(p vg.Point) bool {
				return p.X > corner.X-1 && p.X < corner.X+box.X+1 && p.Y > corner.Y-1 && p.Y < corner.Y+box.Y+1
			}) {
			return corner, true
		}
	}
	return vg.Point{}, false
}

// guidePlaces is how many places along a guide its label is tried at, on either side.
const guidePlaces = 12

// guideStyle returns how the i-th guide is stroked.
func (d *curvesDrawing) guideStyle(i int) draw.LineStyle {
	return draw.LineStyle{Color: d.o.guide, Width: d.o.pt(guideWidth), Dashes: d.o.scaled(guideDashes[i%len(guideDashes)]...)}
}
