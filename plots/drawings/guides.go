package drawings

import (
	"slices"

	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"repro/plots/figures"
)

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
	for i, g := range d.GuideLines {
		if max(g[0].Y, g[1].Y) < d.YR.Lo || min(g[0].Y, g[1].Y) > d.YR.Hi {
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
		v := vertexAt(g[0].X+share*(g[1].X-g[0].X), g[0].Y+share*(g[1].Y-g[0].Y))
		if !d.holds(v) {
			continue
		}
		corner = d.on(size, v)
		below, falls := k%2 == 0, g[1].Y < g[0].Y
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
