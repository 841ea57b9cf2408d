package plots

import (
	"math"
	"slices"

	"gonum.org/v1/plot/vg/draw"
)

// placeGuides puts every guide beside the data: below the data unless there is more room above. It enlarges the range of y
// if a guide needs it. It places no guides unless both axes are logarithmic.
func (d *curvesDrawing) placeGuides() {
	if !d.X.Log || !d.Y.Log {
		return
	}
	inner := nothing
	var vertices []vertex // of the curves with more than one point
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

// guideStyle returns how the i-th guide is stroked.
func (d *curvesDrawing) guideStyle(i int) draw.LineStyle {
	return draw.LineStyle{Color: d.o.guide, Width: d.o.pt(guideWidth), Dashes: d.o.scaled(guideDashes[i%len(guideDashes)]...)}
}
