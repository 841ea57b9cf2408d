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
	box          Box
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
	b := Box{math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)}
	for _, p := range []point{l.from, l.to, {l.from.x + 0.7*l.size*uy, l.from.y - 0.7*l.size*ux}, {l.to.x + 0.7*l.size*uy, l.to.y - 0.7*l.size*ux}} {
		b = b.with(p)
	}
	return b
}

// level reports whether the text runs from left to right.
func (l label) level() bool { return math.Abs(l.to.y-l.from.y) <= 0.05*math.Abs(l.to.x-l.from.x)+0.01 }

func (b Box) with(p point) Box {
	return Box{min(b.Left, p.x), min(b.Top, p.y), max(b.Right, p.x), max(b.Bottom, p.y)}
}

func (b Box) width() float64  { return b.Right - b.Left }
func (b Box) height() float64 { return b.Bottom - b.Top }
func (b Box) middle() point   { return point{(b.Left + b.Right) / 2, (b.Top + b.Bottom) / 2} }

// A drawing is what a page shows.
type drawing struct {
	width, height float64
	strokes       []stroke
	labels        []label
	pictures      int
	full          bool // there was more than is held
	looks         int  // of boxes at labels beside them
}

// Bounds of what is held of a page.
const (
	mostParts    = 100_000
	mostVertices = 2_000_000
	mostLabels   = 20_000
	mostLooks    = 20_000_000
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
	s.box = Box{math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)}
	for _, p := range s.points {
		if math.IsNaN(p.x+p.y) || math.IsInf(p.x, 0) || math.IsInf(p.y, 0) {
			return
		}
		s.box = s.box.with(p)
	}
	d.strokes = append(d.strokes, s)
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
		if !slices.ContainsFunc(reversed(whole[open:]), func(o *label) bool { return turn(*o) == turn(l) && o.join(l) }) {
			whole = append(whole, l)
		}
	}
	d.labels = whole
}

// reversed returns the labels from the last on, at most a few hundred.
func reversed(all []label) (some []*label) {
	for i := len(all) - 1; i >= 0 && len(some) < 400; i-- {
		some = append(some, &all[i])
	}
	return some
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

// A numbered label is one that is a number.
type numbered struct {
	label
	box   Box
	value float64
	power bool
}

// numbers returns the labels that are numbers.
func (d *drawing) numbers() (all []numbered) {
	for _, l := range d.labels {
		if v, power, ok := numberOf(l.text); ok {
			all = append(all, numbered{l, l.box(), v, power})
		}
	}
	return all
}

// A side is one side of a frame with its numbers, in coordinates along it and away from it.
type side struct {
	name      string
	along     func(Box) (from, to float64)
	away      func(Box) float64 // how far a box begins outside of the side; negative if it lies inside
	from, to  float64
	vertical  bool
	tickAt    float64 // place of the side itself
	otherFrom float64 // the opposite side
}

func sidesOf(f Box) []side {
	x := func(b Box) (float64, float64) { return b.Left, b.Right }
	y := func(b Box) (float64, float64) { return b.Top, b.Bottom }
	return []side{
		{"lower", x, func(b Box) float64 { return b.Top - f.Bottom }, f.Left, f.Right, false, f.Bottom, f.Top},
		{"left", y, func(b Box) float64 { return f.Left - b.Right }, f.Top, f.Bottom, true, f.Left, f.Right},
		{"upper", x, func(b Box) float64 { return f.Top - b.Bottom }, f.Left, f.Right, false, f.Top, f.Bottom},
		{"right", y, func(b Box) float64 { return b.Left - f.Right }, f.Top, f.Bottom, true, f.Right, f.Left},
	}
}

// row returns the numbers beside a side: those of the nearest row or column that has two, all labels of which begin at one distance
// or end at one.
func (s side) row(all []numbered, others []side) []numbered {
	reach := 0.22*(s.to-s.from) + 30
	var beside []numbered
	for _, n := range all {
		from, to := s.along(n.box)
		mid, away := (from+to)/2, s.away(n.box)
		slack := 0.03*(s.to-s.from) + n.size
		if corner := away < 0 && (mid < s.from-0.4*n.size || mid > s.to+0.4*n.size); corner || away < -0.4*n.size || away > min(reach, 75) || mid < s.from-slack || mid > s.to+slack || s.nearer(n, others, away) {
			continue
		}
		beside = append(beside, n)
	}
	slices.SortStableFunc(beside, func(a, b numbered) int { return cmp.Compare(s.away(a.box), s.away(b.box)) })
	for i, first := range beside {
		if len(beside) == 1 && first.power { // unlabelled marks may show the scale
			return beside
		}
		var row []numbered
		for _, n := range beside[i:] {
			if s.away(n.box)-s.away(first.box) < 0.7*first.size {
				row = append(row, n)
			}
		}
		if len(row) >= 2 {
			return row
		}
	}
	return nil
}

// nearer reports whether a number stands nearer to a side of another frame, outside of it.
func (s side) nearer(n numbered, others []side, away float64) bool {
	return slices.ContainsFunc(others, func(t side) bool {
		from, to := t.along(n.box)
		mid, d := (from+to)/2, t.away(n.box)
		return d > -0.4*n.size && d < away && mid > t.from-n.size && mid < t.to+n.size
	})
}

// numberable returns the sides of frames that may have numbers: those with tick marks or, where a frame has none at all, all four.
func numberable(all []Box, flat, upright []edge) map[Box][]side {
	of := map[Box][]side{}
	for _, f := range all {
		sides := sidesOf(f)
		if of[f] = slices.DeleteFunc(slices.Clone(sides), func(s side) bool { _, marks := s.ticks(flat, upright); return len(marks) == 0 }); len(of[f]) == 0 {
			of[f] = sides
		}
	}
	return of
}

// ticks returns the places of the tick marks on a side, and of grid lines from it: the longest first, then all.
func (s side) ticks(flat, upright []edge) (major, all []float64) {
	lines := upright
	if s.vertical {
		lines = flat
	}
	span, longest := math.Abs(s.otherFrom-s.tickAt), 0.0
	for _, e := range lines { // the longest first
		touches := math.Abs(e.from-s.tickAt) < exact || math.Abs(e.to-s.tickAt) < exact
		long := e.length() > 0.06*span
		if e.at < s.from-exact || e.at > s.to+exact || !touches || long && (e.length() < 0.97*span || math.Abs(e.at-s.from) < exact || math.Abs(e.at-s.to) < exact) {
			continue // the last are the frame itself
		}
		all = append(all, e.at)
		if longest == 0 && e.length() <= 0.06*span {
			longest = e.length()
		}
		if longest > 0 && e.length() > 0.9*longest && e.length() <= 0.06*span {
			major = append(major, e.at)
		}
	}
	return distinct(major), distinct(all)
}

// distinct sorts places and leaves out those that are equal.
func distinct(places []float64) []float64 {
	slices.Sort(places)
	return slices.CompactFunc(places, func(a, b float64) bool { return math.Abs(a-b) < 0.05 })
}

// axis finds the axis of a side. why says what keeps it from being sure; it is empty too if no numbers stand there at all.
func (s side) axis(row []numbered, major, marks []float64) (x Axis, why string) {
	if len(row) == 0 {
		return x, ""
	}
	if len(row) == 1 {
		return s.decade(row[0], marks)
	}
	powers := true
	var ticks []Tick
	places, why := s.places(row, major)
	if why != "" || len(major) < 2 || slices.ContainsFunc(places, math.IsNaN) {
		places, why = s.places(row, marks)
	}
	if why != "" {
		return x, why
	}
	for i, n := range row {
		if !math.IsNaN(places[i]) {
			ticks, powers = append(ticks, Tick{places[i], n.value}), powers && n.power
		}
	}
	return axisOf(ticks, powers)
}

// decade finds a logarithmic axis with one number, a power of ten, from its other tick marks: they must be all of the multiples 1 to 9
// of powers between the outermost, and no others.
func (s side) decade(n numbered, marks []float64) (x Axis, why string) {
	why = "one number stands along it"
	places, wrong := s.places([]numbered{n, n}, marks)
	if len(marks) < 6 || wrong != "" || math.IsNaN(places[0]) {
		return x, why
	}
	at := slices.Index(marks, places[0])
	for _, step := range []int{-1, 1} { // the multiple 2 is the nearest mark on one side
		if at+step < 0 || at+step >= len(marks) {
			continue
		}
		unit := (marks[at+step] - marks[at]) / math.Log10(2)
		x = Axis{Log: true, Ticks: []Tick{{marks[at], n.value}}}
		fits, expected := true, map[int]bool{}
		for _, m := range marks {
			v := math.Pow(10, (m-marks[at])/unit)
			power := math.Floor(math.Log10(v) + 0.01)
			k := math.Round(v / math.Pow(10, power))
			off := math.Abs(math.Log10(k*math.Pow(10, power))*unit - (m - marks[at]))
			fits = fits && off < sure*(marks[len(marks)-1]-marks[0]) && !expected[int(9*power+k)]
			expected[int(9*power+k)] = true
			if m != marks[at] {
				x.Ticks = append(x.Ticks, Tick{m, n.value * k * math.Pow(10, power)})
			}
		}
		lowest, highest := math.MaxInt, math.MinInt
		for k := range expected {
			lowest, highest = min(lowest, k), max(highest, k)
		}
		if fits && highest-lowest+1 == len(marks) && x.fit() {
			return x, ""
		}
	}
	return Axis{}, why
}

// An anchor is the place of a label that may stand at its tick mark.
type anchor func(n numbered) float64

// turned reports whether a label is neither level nor upright.
func (n numbered) turned() bool {
	return !n.level() && math.Abs(n.to.x-n.from.x) > 0.05*math.Abs(n.to.y-n.from.y)
}

// anchors returns what of the labels of a row may stand at their marks: their middle or, where texts are turned, also the beginning or
// the end of the middle of their letters.
func (s side) anchors(row []numbered) []anchor {
	all := []anchor{func(n numbered) float64 { from, to := s.along(n.box); return (from + to) / 2 }}
	if !slices.ContainsFunc(row, numbered.turned) {
		return all
	}
	half := func(n numbered, p point) float64 {
		along := math.Hypot(n.to.x-n.from.x, n.to.y-n.from.y)
		if s.vertical {
			return p.y - 0.35*n.size*(n.to.x-n.from.x)/along
		}
		return p.x + 0.35*n.size*(n.to.y-n.from.y)/along
	}
	return append(all, func(n numbered) float64 { return half(n, n.from) }, func(n numbered) float64 { return half(n, n.to) })
}

// at returns the marks nearest to the labels of a row, NaN for a label without one, and the largest distance in sizes of the letters.
// ok is false if most have none.
func (place anchor) at(row []numbered, marks []float64) (list []float64, worst float64, ok bool) {
	with := 0
	for _, n := range row {
		best, far := math.NaN(), 0.7*n.size
		for _, m := range marks {
			if d := math.Abs(m - place(n)); d <= far {
				best, far = m, d
			}
		}
		if list = append(list, best); !math.IsNaN(best) {
			worst, with = max(worst, far/n.size), with+1
		}
	}
	return list, worst, with >= 2 && 2*with > len(row)
}

// places returns where the ticks of the numbers of a row are, NaN for a number without a mark. Where two anchors of turned texts fit, and
// give other marks, it is not sure.
func (s side) places(row []numbered, marks []float64) (at []float64, why string) {
	anchors := s.anchors(row)
	least := math.Inf(1)
	var near [][]float64 // that fit well
	for _, place := range anchors {
		list, worst, ok := place.at(row, marks)
		if !ok {
			continue
		}
		if worst < 0.5 {
			near = append(near, list)
		}
		if worst < least {
			at, least = list, worst
		}
	}
	switch {
	case at == nil && len(anchors) > 1:
		return nil, "its numbers are turned and stand at no tick marks"
	case at == nil && len(marks) >= 2:
		return nil, "its numbers do not stand at its tick marks"
	case at == nil:
		for _, n := range row {
			at = append(at, anchors[0](n))
		}
	}
	same := func(a, b float64) bool { return a == b || math.IsNaN(a) && math.IsNaN(b) }
	if slices.ContainsFunc(near, func(list []float64) bool { return !slices.EqualFunc(list, at, same) }) {
		return nil, "its turned numbers may belong to either of two neighbouring tick marks"
	}
	return at, ""
}
