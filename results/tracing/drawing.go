package tracing

import (
	"cmp"
	"math"
	"slices"
	"strings"
)

// A point is a place of a figure, in its units, from the upper left corner.
type point struct{ x, y float64 }

// A stroke is one part of a path as it is drawn.
type stroke struct {
	points       []point
	closed       bool
	colour, fill string // as #rrggbb; empty if it is not stroked, or not filled
	dashes       string
	box, clip    Box // clip is where it can be seen; zero if everywhere
}

// style is what tells curves apart.
func (s stroke) style() string { return s.colour + " " + s.dashes }

// A label is a text of a figure, a superscript behind ^.
type label struct {
	text     string
	from, to point   // of its baseline
	size     float64 // of its letters
	raised   bool    // what was added last is a superscript
}

// box returns where the letters are.
func (l label) box() Box {
	along := math.Hypot(l.to.x-l.from.x, l.to.y-l.from.y)
	ux, uy := 1.0, 0.0
	if along > 0 {
		ux, uy = (l.to.x-l.from.x)/along, (l.to.y-l.from.y)/along
	}
	return boxAround(l.from, l.to, point{l.from.x + 0.7*l.size*uy, l.from.y - 0.7*l.size*ux}, point{l.to.x + 0.7*l.size*uy, l.to.y - 0.7*l.size*ux})
}

// level reports whether the text runs from left to right.
func (l label) level() bool { return math.Abs(l.to.y-l.from.y) <= 0.05*math.Abs(l.to.x-l.from.x)+0.01 }

// quarter returns how many quarters of a turn, to the left, bring a level text to where it runs: 1 reads upwards, 2 stands upside down, 3
// reads downwards. Slanted texts count as level.
func (l label) quarter() int {
	turns := math.Atan2(l.from.y-l.to.y, l.to.x-l.from.x) / (math.Pi / 2)
	if near := math.Round(turns); math.Abs(turns-near) < 0.1 {
		return (int(near) + 4) % 4
	}
	return 0
}

// boxAround returns the smallest box that holds points.
func boxAround(points ...point) Box {
	b := Box{math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)}
	for _, p := range points {
		b = b.and(Box{p.x, p.y, p.x, p.y})
	}
	return b
}

// touches reports whether a place is at one of several edges.
func touches(at float64, edges ...float64) bool {
	return slices.ContainsFunc(edges, func(e float64) bool { return math.Abs(at-e) < exact })
}

// meets reports whether a box has a place in common with another one, which is everywhere if it is zero.
func (b Box) meets(o Box) bool {
	return o == (Box{}) || b.Left <= o.Right && b.Right >= o.Left && b.Top <= o.Bottom && b.Bottom >= o.Top
}

// cut returns what of a box lies in another one; its width or height is negative if nothing does.
func (b Box) cut(o Box) Box {
	return Box{max(b.Left, o.Left), max(b.Top, o.Top), min(b.Right, o.Right), min(b.Bottom, o.Bottom)}
}

// and returns the box around two.
func (b Box) and(o Box) Box {
	return Box{min(b.Left, o.Left), min(b.Top, o.Top), max(b.Right, o.Right), max(b.Bottom, o.Bottom)}
}

func (b Box) width() float64  { return b.Right - b.Left }
func (b Box) height() float64 { return b.Bottom - b.Top }
func (b Box) middle() point   { return point{(b.Left + b.Right) / 2, (b.Top + b.Bottom) / 2} }

// A drawing is what a page shows.
type drawing struct {
	width, height float64
	strokes       []stroke
	labels        []label
	pictures      []Box
	full          bool // there was more than is held
	looks         int  // of boxes at labels beside them
	warnings      []string
}

// Bounds of what is held of a page.
const (
	mostParts    = 100_000
	mostVertices = 2_000_000
	mostLabels   = 20_000
	mostLooks    = 20_000_000
	mostPictures = 1000
)

// add adds a part of a path.
func (d *drawing) add(s stroke) {
	if len(s.points) == 0 || s.colour == "" && s.fill == "" {
		return
	}
	if len(d.strokes) >= mostParts {
		d.full = true
		return
	}
	if slices.ContainsFunc(s.points, func(p point) bool { return math.IsNaN(p.x+p.y) || math.IsInf(p.x, 0) || math.IsInf(p.y, 0) }) {
		return
	}
	if s.box = boxAround(s.points...); !s.box.meets(s.clip) {
		return
	}
	d.strokes = append(d.strokes, s)
}

// picture notes a picture by its corners.
func (d *drawing) picture(corners []point, clip Box) {
	if len(d.pictures) < mostPictures {
		d.pictures = append(d.pictures, clipped(clip, []stroke{{points: corners}}))
	}
}

// clipped returns what of a box, which is everything if it is zero, can be seen through parts of a path: that of the box around them.
func clipped(clip Box, parts []stroke) Box {
	var all []point
	for _, s := range parts {
		all = append(all, s.points...)
	}
	if clip == (Box{}) {
		return boxAround(all...)
	}
	return boxAround(all...).cut(clip)
}

// write adds a piece of text.
func (d *drawing) write(l label) {
	if l.text = strings.TrimSpace(l.text); l.text == "" || !(l.size > 0) || math.IsNaN(l.from.x+l.from.y+l.to.x+l.to.y) || math.IsInf(l.from.x+l.from.y+l.to.x+l.to.y, 0) {
		return
	}
	if len(d.labels) >= mostLabels {
		d.full = true
		return
	}
	d.labels = append(d.labels, l)
}

// assemble joins the pieces of the texts, which may have been drawn in any order: those that go on where another one ends, along its
// line or, smaller, above it.
func (d *drawing) assemble() {
	turn := func(l label) int {
		return int(math.Round(math.Atan2(l.to.y-l.from.y, l.to.x-l.from.x) * 180 / math.Pi))
	}
	along := func(l label, p point) float64 {
		a := float64(turn(l)) * math.Pi / 180
		return p.x*math.Cos(a) + p.y*math.Sin(a)
	}
	slices.SortStableFunc(d.labels, func(a, b label) int {
		return cmp.Or(cmp.Compare(turn(a), turn(b)), cmp.Compare(along(a, a.from), along(b, b.from)), cmp.Compare(b.size, a.size))
	})
	var whole []label
	open := 0 // those before end too far behind
	for _, l := range d.labels {
		for open < len(whole) && (turn(whole[open]) != turn(l) || along(l, whole[open].to) < along(l, l.from)-whole[open].size) {
			open++
		}
		joined := false
		for i := len(whole) - 1; i >= max(open, len(whole)-400) && !joined; i-- {
			joined = turn(whole[i]) == turn(l) && whole[i].join(l)
		}
		if !joined {
			whole = append(whole, l)
		}
	}
	d.labels = whole
}

// join adds a piece that follows, and reports whether it does.
func (l *label) join(next label) bool {
	along := math.Hypot(next.to.x-next.from.x, next.to.y-next.from.y)
	if along == 0 || len(l.text) > 300 {
		return false
	}
	ux, uy := (next.to.x-next.from.x)/along, (next.to.y-next.from.y)/along
	dx, dy := next.from.x-l.to.x, next.from.y-l.to.y
	gap, rise := dx*ux+dy*uy, dx*uy-dy*ux // along the line, and above it
	if own := math.Hypot(l.to.x-l.from.x, l.to.y-l.from.y); own > 0 && (l.to.x-l.from.x)*ux+(l.to.y-l.from.y)*uy < 0.99*own {
		return false
	}
	if gap < -0.3*l.size || gap > 0.45*l.size {
		return false
	}
	small := next.size < 0.85*l.size
	switch {
	case small && rise > 0.15*l.size && rise < 0.9*l.size:
		if !l.raised {
			l.text += "^"
		}
		l.text, l.raised = l.text+next.text, true
	case !small && !l.raised && math.Abs(rise) < 0.12*l.size && next.size < 1.2*l.size:
		if gap > 0.18*l.size {
			l.text += " "
		}
		l.text += next.text
	default:
		return false
	}
	l.to = point{next.to.x - rise*uy, next.to.y + rise*ux} // on the line itself
	return true
}

// An edge is a straight line along an axis, at a place, from one end to another.
type edge struct{ at, from, to float64 }

func (e edge) length() float64 { return e.to - e.from }

const exact = 1.2 // distance, in units of the figure, within which things touch

// edges returns the horizontal and the vertical lines, also of polygons with few corners, the longest first.
func (d *drawing) edges() (flat, upright []edge) {
	for _, s := range d.strokes {
		if len(s.points) > 6 {
			continue
		}
		n := len(s.points)
		last := n - 1
		if s.closed {
			last = n
		}
		for i := range last {
			a, b := s.points[i], s.points[(i+1)%n]
			switch {
			case math.Abs(a.y-b.y) < 0.05 && a.x != b.x:
				flat = append(flat, edge{a.y, min(a.x, b.x), max(a.x, b.x)})
			case math.Abs(a.x-b.x) < 0.05 && a.y != b.y:
				upright = append(upright, edge{a.x, min(a.y, b.y), max(a.y, b.y)})
			}
		}
	}
	for _, all := range [][]edge{flat, upright} {
		slices.SortStableFunc(all, func(a, b edge) int { return cmp.Compare(b.length(), a.length()) })
	}
	return flat, upright
}

// mostEdges bounds the lines that are tried as sides of frames.
const mostEdges = 300

// frames returns the boxes that two lines with a common lower left corner make, the largest first.
func frames(flat, upright []edge) (all []Box) {
	flat, upright = flat[:min(len(flat), mostEdges)], upright[:min(len(upright), mostEdges)]
	for _, h := range flat {
		for _, v := range upright {
			b := Box{v.at, v.from, h.to, h.at}
			if math.Abs(h.from-v.at) > exact || math.Abs(v.to-h.at) > exact || b.width() < 36 || b.height() < 36 {
				continue
			}
			if !slices.ContainsFunc(all, func(o Box) bool { return o.near(b) }) && len(all) < mostEdges {
				all = append(all, b)
			}
		}
	}
	slices.SortStableFunc(all, func(a, b Box) int { return cmp.Compare(b.width()*b.height(), a.width()*a.height()) })
	return all
}

func (b Box) near(o Box) bool {
	return max(math.Abs(b.Left-o.Left), math.Abs(b.Right-o.Right), math.Abs(b.Top-o.Top), math.Abs(b.Bottom-o.Bottom)) < 3
}

// turn turns the page by quarters to the right.
func (d *drawing) turn(quarters int) {
	for range quarters {
		place := func(p point) point { return point{d.height - p.y, p.x} }
		box := func(b Box) Box { return Box{d.height - b.Bottom, b.Left, d.height - b.Top, b.Right} }
		for i := range d.strokes {
			s := &d.strokes[i]
			for k, p := range s.points {
				s.points[k] = place(p)
			}
			if s.box = box(s.box); s.clip != (Box{}) {
				s.clip = box(s.clip)
			}
		}
		for i := range d.labels {
			d.labels[i].from, d.labels[i].to = place(d.labels[i].from), place(d.labels[i].to)
		}
		for i, b := range d.pictures {
			d.pictures[i] = box(b)
		}
		d.width, d.height = d.height, d.width
	}
}
