package plots

import (
	"math"
	"slices"

	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
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

// A guideLabel is a label beside a guide. corner is its lower left one, from the data area's.
type guideLabel struct {
	text   string
	corner vg.Point
	style  text.Style
}

// labelGuides finds a place for the label of every guide: beside the guide, where it hides nothing. ok is false if one has none.
func (d *curvesDrawing) labelGuides(a arrangement) (labels []guideLabel, ok bool) {
	size := a.data().Size()
	sty := d.o.style(tickSize, text.XLeft, text.YBottom)
	sty.Color = d.o.guide
	taken := d.obstacles(size)
	gap := d.o.pt(3)
	if a.place == legendInside {
		w, h := a.legend.size()
		for x := vg.Length(0); x <= w; x += gap {
			for y := vg.Length(0); y <= h; y += gap {
				taken = append(taken, vg.Point{X: a.inside.X + x, Y: a.inside.Y + y})
			}
		}
	}
	for i, g := range d.guides {
		if max(g[0].y, g[1].y) < d.yr.lo || min(g[0].y, g[1].y) > d.yr.hi {
			continue // it cannot be seen
		}
		w, h := sty.Width(d.Guides[i].Label), sty.Height(d.Guides[i].Label)
		corner, found := vg.Point{}, false
		for k := 0; k < 2*guidePlaces && !found; k++ {
			share := 1 - (float64(k/2)+0.5)/guidePlaces // of the guide; the right end first
			v := vertex{g[0].x + share*(g[1].x-g[0].x), g[0].y + share*(g[1].y-g[0].y)}
			if !d.holds(v) {
				continue
			}
			corner = vg.Point{X: size.X * vg.Length((v.x-d.xr.lo)/d.xr.length()), Y: size.Y * vg.Length((v.y-d.yr.lo)/d.yr.length())}
			below, falls := k%2 == 0, g[1].y < g[0].y
			if below {
				corner.Y -= h + gap
			} else {
				corner.Y += gap
			}
			if below == falls { // left of the guide
				corner.X -= w + gap
			} else {
				corner.X += gap
			}
			found = corner.X > gap && corner.X+w < size.X-gap && corner.Y > gap && corner.Y+h < size.Y-gap &&
				!slices.ContainsFunc(taken, func(p vg.Point) bool {
					return p.X > corner.X-1 && p.X < corner.X+w+1 && p.Y > corner.Y-1 && p.Y < corner.Y+h+1
				})
		}
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

// guidePlaces is how many places along a guide its label is tried at, on either side.
const guidePlaces = 12

// guideStyle returns how the i-th guide is stroked.
func (d *curvesDrawing) guideStyle(i int) draw.LineStyle {
	return draw.LineStyle{Color: d.o.guide, Width: d.o.pt(guideWidth), Dashes: d.o.scaled(guideDashes[i%len(guideDashes)]...)}
}
