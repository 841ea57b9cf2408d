package figures

import (
	"math"
	"slices"
)

// Measures of triangles, as shares of the range of an axis.
const (
	triangleWide  = 0.13 // of a horizontal leg
	triangleHigh  = 0.28 // largest vertical leg
	triangleApart = 0.03 // between the hypotenuse and the line
	digitsWide    = 0.05 // room for the slope beside the vertical leg
	digitsHigh    = 0.08 // room for the 1 beside the horizontal leg
)

// placeTriangle returns the corners of a triangle, the right angle last: beside the line that it belongs to, where it covers least.
func (d *Layout) placeTriangle(g Guide) (best []Vertex) {
	least := math.Inf(1)
	for i, l := range d.Lines {
		if g.Line >= 0 && g.Line != i || l.Beside {
			continue
		}
		own := slices.DeleteFunc(d.Vertices(l), func(v Vertex) bool { return !v.Known() })
		if len(own) < 2 {
			continue
		}
		x := Nothing.With(own[0].X).With(own[len(own)-1].X)
		wide := min(triangleWide*d.XR.Length(), triangleHigh*d.YR.Length()/math.Abs(g.Slope), x.Length())
		for _, share := range []float64{0.5, 0.35, 0.65, 0.2, 0.8, 0.05, 0.95} {
			from := x.Lo + share*(x.Length()-wide)
			offset := Nothing // of the line from one of this slope through the origin
			for _, v := range dense(own) {
				if v.X >= from-slack && v.X <= from+wide+slack {
					offset = offset.With(v.Y - g.Slope*v.X)
				}
			}
			if offset.Empty() {
				continue
			}
			apart := triangleApart * d.YR.Length()
			for _, at := range []float64{offset.Lo - apart, offset.Hi + apart} {
				below := at < offset.Lo
				t := []Vertex{{from, at + g.Slope*from}, {from + wide, at + g.Slope*(from+wide)}}
				if t = append(t, Vertex{t[0].X, t[1].Y}); (g.Slope > 0) == below {
					t[2] = Vertex{t[1].X, t[0].Y}
				}
				if c := d.covered(t, below, apart/2); c < least {
					best, least = t, c
				}
			}
		}
	}
	return best
}

// covered is how much a triangle and the digits at its legs cover of lines, marks and other triangles, and how far it reaches out of the
// panel, which counts more.
func (d *Layout) covered(t []Vertex, below bool, apart float64) (cost float64) {
	corner, x, y := t[2], Nothing, Nothing
	aside := apart / d.YR.Length() * d.XR.Length()
	for _, v := range t {
		x, y = x.With(v.X-aside).With(v.X+aside), y.With(v.Y)
	}
	wide, high := digitsWide*d.XR.Length(), digitsHigh*d.YR.Length()
	x, y = x.With(corner.X+math.Copysign(wide, corner.X-(t[0].X+t[1].X)/2)), y.With(corner.Y+math.Copysign(high, corner.Y-(t[0].Y+t[1].Y)/2))
	const outside = 1000
	cost += outside * (max(0, d.XR.Lo-x.Lo) + max(0, x.Hi-d.XR.Hi)) / d.XR.Length()
	cost += outside * (max(0, d.YR.Lo-y.Lo) + max(0, y.Hi-d.YR.Hi)) / d.YR.Length()
	count := func(v Vertex) {
		hypotenuse := t[0].Y + (t[1].Y-t[0].Y)/(t[1].X-t[0].X)*(v.X-t[0].X)
		if x.Holds(v.X) && y.Holds(v.Y) && (below && v.Y < hypotenuse+apart || !below && v.Y > hypotenuse-apart) {
			cost++
		}
	}
	for _, l := range d.Lines {
		for _, v := range dense(d.Vertices(l)) {
			count(v)
		}
	}
	for _, m := range d.Marks {
		count(Vertex{d.X.At(m.X), d.Y.At(m.Y)})
	}
	for _, g := range d.GuideLines {
		for _, v := range dense(append(slices.Clip(g), g...)) {
			count(v)
		}
	}
	return cost
}

// dense returns vertices with further ones on the straight lines between them.
func dense(vertices []Vertex) (all []Vertex) {
	const parts = 32
	for i, v := range vertices {
		for k := 1; i > 0 && k < parts; k++ {
			u, f := vertices[i-1], float64(k)/parts
			all = append(all, Vertex{u.X + f*(v.X-u.X), u.Y + f*(v.Y-u.Y)})
		}
		all = append(all, v)
	}
	return all
}
