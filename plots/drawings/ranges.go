package drawings

import (
	"fmt"
	"math"

	"repro/plots/figures"
)

var errNoPoint = fmt.Errorf("%w: no curve has a point with a place on the axes", figures.ErrNoData)

// rangeX returns the range of x to show.
func (d *curvesDrawing) rangeX() (figures.Interval, error) {
	if d.X.Fixed() {
		return figures.Interval{Lo: d.X.At(d.X.Min), Hi: d.X.At(d.X.Max)}, nil
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

// rangeY returns the range of y to show: that of the published values, of the bars of single points and of the curves that stay
// finite. Bands and curves that diverged enlarge it only by a fraction, so that they do not flatten the other curves.
func (d *curvesDrawing) rangeY() (figures.Interval, error) {
	if d.Y.Fixed() {
		return figures.Interval{Lo: d.Y.At(d.Y.Min), Hi: d.Y.At(d.Y.Max)}, nil
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
