package tracing

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"repro/results/printed"
)

// A numbered label is one that is a number.
type numbered struct {
	label
	box       Box
	value     float64
	power     bool    // written as nothing but a power, or as 1e5
	thousands float64 // what it is if points or commas divide its thousands; 0 if they cannot
}

// numbers returns the labels that are numbers.
func (d *drawing) numbers() (all []numbered) {
	for _, l := range d.labels {
		v, power, ok := numberOf(l.text)
		if !ok {
			continue
		}
		text := plainText(l.text)
		_, factor := factorOf(text)
		n := numbered{l, l.box(), v, factor || power && !strings.ContainsAny(text, "x*"), 0}
		if grouped.MatchString(text) {
			n.thousands, _ = thousandsOf(text)
		}
		all = append(all, n)
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

// The sides of a frame, as sidesOf lists them.
const lower, left, upper, right = 0, 1, 2, 3

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
		if corner := away < 0 && (mid < s.from-0.4*n.size || mid > s.to+0.4*n.size); corner || away < -0.4*n.size || away > min(reach, 75) || mid < s.from-slack || mid > s.to+slack || s.nearer(n.label, others, away) {
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

// nearer reports whether a label stands nearer to a side of another frame, outside of it.
func (s side) nearer(l label, others []side, away float64) bool {
	b := l.box()
	return slices.ContainsFunc(others, func(t side) bool {
		from, to := t.along(b)
		mid, d := (from+to)/2, t.away(b)
		return d > -0.4*l.size && d < away && mid > t.from-l.size && mid < t.to+l.size
	})
}

// apart returns the sides of frames that lie apart from one.
func apart(f Box, sides map[Box][]side) (others []side) {
	for o, list := range sides {
		if beside(f, o) {
			others = append(others, list...)
		}
	}
	return others
}

// beside reports whether no frame holds the middle of the other.
func beside(f, o Box) bool {
	return !o.near(f) && !o.holds(f.middle().x, f.middle().y) && !f.holds(o.middle().x, o.middle().y)
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
	most := longestTick(span)
	for _, e := range lines { // the longest first
		touches := math.Abs(e.from-s.tickAt) < exact || math.Abs(e.to-s.tickAt) < exact
		long := e.length() > most
		if e.at < s.from-exact || e.at > s.to+exact || !touches || long && (e.length() < 0.97*span || math.Abs(e.at-s.from) < exact || math.Abs(e.at-s.to) < exact) {
			continue // the last are the frame itself
		}
		all = append(all, e.at)
		if longest == 0 && !long {
			longest = e.length()
		}
		if longest > 0 && e.length() > 0.9*longest && !long {
			major = append(major, e.at)
		}
	}
	return distinct(major), distinct(all)
}

// longestTick returns the largest length of tick marks on axes of a length.
func longestTick(span float64) float64 { return max(0.06*span, 10) }

// distinct sorts places and leaves out those that are equal.
func distinct(places []float64) []float64 {
	slices.Sort(places)
	return slices.CompactFunc(places, func(a, b float64) bool { return math.Abs(a-b) < 0.05 })
}

// An edging is a side with what stands at it: its numbers and its tick marks.
type edging struct {
	side
	row          []numbered
	major, marks []float64
}

// A layout is where the axes of a drawing may be: its frames with what stands at their sides.
type layout struct {
	flat, upright []edge
	frames        []Box
	sides         map[Box][]side // that may have numbers
	rows          map[Box][4]edging
}

// layout finds the frames of a drawing.
func (d *drawing) layout() layout {
	flat, upright := d.edges()
	at := layout{flat: flat, upright: upright, frames: frames(flat, upright)}
	at.around(at.frames, d.numbers())
	return at
}

// around finds what stands at the sides of frames.
func (at *layout) around(frames []Box, numbers []numbered) {
	at.sides, at.rows = numberable(frames, at.flat, at.upright), map[Box][4]edging{}
	for _, f := range frames {
		others, rows := apart(f, at.sides), [4]edging{}
		for i, s := range sidesOf(f) {
			major, marks := s.ticks(at.flat, at.upright)
			rows[i] = edging{s, s.row(numbers, others), major, marks}
		}
		at.rows[f] = rows
	}
}

// neighbours returns the frames beside one, and the labels that stand in rows at them.
func (at layout) neighbours(f Box) (taken map[label]bool, frames []Box) {
	taken = map[label]bool{}
	for o, rows := range at.rows {
		if !beside(f, o) {
			continue
		}
		frames = append(frames, o)
		for _, e := range rows {
			ticks, _ := e.withoutFactors()
			for _, n := range ticks {
				taken[n.label] = taken[n.label] || len(ticks) > 1
			}
		}
	}
	return taken, frames
}

// axis finds the axis of a side; rest are labels beside it that are no ticks of it and may be a factor. why says what keeps it from being
// sure; it is empty too if no numbers stand there at all.
func (e edging) axis(labels []label) (x Axis, rest []numbered, why string) {
	whole := e
	if e.row, rest = e.withoutFactors(); len(e.row) == 0 {
		return x, rest, ""
	}
	if _, factor := factorOf(e.row[0].text); len(e.row) == 1 && factor {
		if x, why = e.decade(e.row[0]); why != "" {
			return Axis{}, e.row, ""
		}
	}
	if slices.ContainsFunc(e.row, func(n numbered) bool { return n.quarter() == 2 || n.quarter() == 3 && e.name == "left" }) {
		return x, rest, "its numbers stand upside down or read downwards, as if the figure was turned"
	}
	if len(rest) > 0 { // some programs write small numbers of a logarithmic axis so, or 5e-05 beside 0.0001
		small := slices.MinFunc(rest, func(a, b numbered) int { return cmp.Compare(math.Abs(a.value), math.Abs(b.value)) })
		if x, why = whole.scale(labels); why == "" && (x.Log || math.Abs(small.value) > 0.01*x.reach()) {
			return x, nil, ""
		}
	}
	x, why = e.scale(labels)
	if with, sure := e.thousands(); with != nil {
		large, wrong := edging{e.side, with, e.major, e.marks}.scale(labels)
		switch {
		case wrong == "" && (sure || why != ""):
			x, why = large, ""
		case wrong == "" && why == "":
			k := slices.IndexFunc(with, func(n numbered) bool { return n.thousands != 0 })
			why = "its numbers, such as " + printed.Quote(with[k].text) + ", may have decimals or thousands behind the point or comma"
		}
	}
	return x, rest, why
}

// withoutFactors divides the labels of a row into ticks and what may be the factor at the end of an axis: a number with an exponent where others
// have none, or with the sign of a product.
func (e edging) withoutFactors() (ticks, rest []numbered) {
	const exponents = "^eE"
	digits := slices.ContainsFunc(e.row, func(n numbered) bool { return n.value != 0 && !strings.ContainsAny(n.text, exponents) })
	for _, n := range e.row {
		if digits && strings.ContainsAny(n.text, exponents) || strings.ContainsAny(plainText(n.text)[:1], "x*([") {
			rest = append(rest, n)
		} else {
			ticks = append(ticks, n)
		}
	}
	return ticks, rest
}

// thousands returns the numbers of a row if their points or commas divide thousands, nil if one shows that they do not. They surely do if
// one has two, or if there are commas and a number without one.
func (e edging) thousands() (row []numbered, sure bool) {
	some, many := false, false
	for _, n := range e.row {
		if n.thousands != 0 {
			n.value, some = n.thousands, true
		} else if strings.ContainsAny(n.text, ".,") {
			return nil, false
		} else {
			sure = true
		}
		many = many || n.thousands != 0 && strings.Count(n.text, ".")+strings.Count(n.text, ",") > 1
		row = append(row, n)
	}
	if !some {
		return nil, false
	}
	return row, many || sure && !slices.ContainsFunc(row, func(n numbered) bool { return strings.Contains(n.text, ".") })
}

// scale finds the scale of the numbers of a row, which must explain all that stands there.
func (e edging) scale(labels []label) (x Axis, why string) {
	if len(e.row) == 1 {
		return e.decade(e.row[0])
	}
	at, why := e.places(e.major)
	if why != "" || len(e.major) < 2 || slices.ContainsFunc(at, math.IsNaN) {
		at, why = e.places(e.marks)
	}
	if why != "" {
		return x, why
	}
	powers, values := true, map[float64]float64{}
	var ticks []Tick
	for i, n := range e.row {
		if math.IsNaN(at[i]) {
			continue
		}
		if v, taken := values[at[i]]; taken && v != n.value {
			return x, "two numbers stand at one place of it"
		}
		values[at[i]] = n.value
		ticks, powers = append(ticks, Tick{at[i], n.value}), powers && (n.power || n.value == 0)
	}
	if x, why = axisOf(ticks, powers, e.marks); why == "" {
		why = e.unexplained(x, at, labels)
	}
	return x, why
}

// touches reports whether another text of its direction, which is no number of its size, goes on where a number begins or ends.
func (n numbered) touches(l label) bool {
	b := l.box()
	over := b.cut(n.box)
	if n.quarter()%2 == 1 {
		over = Box{over.Top, over.Left, over.Bottom, over.Right}
	}
	gap, larger := 0.4*n.size, l.size > 1.15*n.size
	if larger { // it may be what the number is raised behind
		gap = 1.5 * n.size
	}
	return (larger || !onlyNumbers(l.text)) && l.quarter() == n.quarter() && !n.turned() && over.height() > 0.2*n.size && over.width() > -gap
}

// named reports whether texts stand at two tick marks of a side, just outside of it or inside.
func (e edging) named(labels []label) bool {
	at := map[float64]bool{}
	for _, l := range labels {
		from, to := e.along(l.box())
		deep := e.away(l.box())
		if e.vertical && deep < 0 {
			deep = -deep - l.box().width()
		} else if deep < 0 {
			deep = -deep - l.box().height()
		}
		for _, m := range e.marks {
			if math.Abs(m-(from+to)/2) < 0.25*l.size && deep > 0 && deep < 1.2*l.size {
				at[m] = true
			}
		}
	}
	return len(at) > 1
}

// unexplained says what a scale does not explain of what stands along it: a number that stands elsewhere, a text that stands at a tick mark,
// a long end without numbers.
func (e edging) unexplained(x Axis, at []float64, labels []label) string {
	for i, n := range e.row {
		from, to := e.along(n.box)
		if k := slices.IndexFunc(labels, func(l label) bool { return n.touches(l) }); k >= 0 {
			return printed.Quote(labels[k].text) + " stands close to " + printed.Quote(n.text)
		}
		if place := (x.scaled(n.value) - x.a) / x.b; math.IsNaN(at[i]) && !(math.Abs((from+to)/2-place) < 0.7*n.size) {
			return printed.Quote(n.text) + " stands along it, and not where its other numbers put it"
		}
	}
	near, far := math.Inf(1), 0.0 // where the row begins, away from the side
	for _, n := range e.row {
		near, far = min(near, e.away(n.box)), max(far, e.away(n.box))
	}
	first, last := x.Ticks[0].At, x.Ticks[len(x.Ticks)-1].At
	for _, l := range labels {
		from, to := e.along(l.box())
		away, mid := e.away(l.box()), (from+to)/2
		if onlyNumbers(l.text) || away < near-0.7*l.size || away > far+0.7*l.size || mid < e.from-l.size || mid > e.to+l.size {
			continue
		}
		marked := slices.ContainsFunc(e.marks, func(m float64) bool { return math.Abs(m-mid) < 0.5*l.size && !slices.Contains(at, m) })
		if marked || len(e.marks) < 2 && mid > first && mid < last {
			return printed.Quote(l.text) + " stands among its numbers"
		}
	}
	gap := 0.0
	for i, t := range x.Ticks[1:] {
		gap = max(gap, t.At-x.Ticks[i].At)
	}
	if max(first-e.from, e.to-last) > 2.05*gap && !x.explains(e.marks) {
		return "a large part of it has no numbers"
	}
	return ""
}

// An end is a text at the corner of a frame that changes what the numbers of an axis mean, and the sides that it may belong to.
type end struct {
	text string
	of   []int
}

// ends returns the texts at the corners of a frame that look like factors, offsets or dates. has says which sides have numbers, used which
// labels are ticks of them; others are frames that may be nearer.
func (d *drawing) ends(f Box, has [4]bool, used map[label]bool, others []Box) (all []end) {
	for _, l := range d.labels {
		text := strings.ReplaceAll(plainText(l.text), " ", "")
		if used[l] || len(text) > 40 || !factors.MatchString(text) && !changes.MatchString(text) {
			continue
		}
		b, reach := l.box(), 4*l.size+10
		far := b.far(f)
		if far == 0 || far > reach || slices.ContainsFunc(others, func(o Box) bool { return b.far(o) < far }) || d.sample(l, f, false) != "" {
			continue
		}
		all = append(all, end{l.text, whose(b, f, reach, has)})
	}
	return all
}

// whose returns the side at whose end a text stands: the first with numbers of those that programs put it at. It returns several if it may
// belong to any of them.
func whose(b, f Box, reach float64, has [4]bool) []int {
	atLeft := math.Abs(b.Left-f.Left) < 0.2*f.width()+reach
	atRight := math.Abs(b.Right-f.Right) < 0.25*f.width() || b.Right > f.Right
	var order []int
	switch above, below := b.Bottom < f.Top+1, b.Top > f.Bottom-1; {
	case above && atRight && has[upper] && has[right]:
		return []int{upper, right}
	case above && atRight:
		order = []int{right, upper}
	case above && atLeft:
		order = []int{left, right}
	case below && atRight:
		order = []int{lower, upper}
	case above || below:
	case b.Left > f.Right && b.middle().y > f.middle().y:
		order = []int{lower}
	case b.Left > f.Right:
		order = []int{right}
	default:
		order = []int{left}
	}
	for _, side := range order {
		if has[side] {
			return []int{side}
		}
	}
	return []int{lower, left, upper, right}
}

// far returns the distance of two boxes; 0 if they meet.
func (b Box) far(o Box) float64 {
	return math.Hypot(max(0, o.Left-b.Right, b.Left-o.Right), max(0, o.Top-b.Bottom, b.Top-o.Bottom))
}

// sample returns the style of the sample of a legend whose name a label outside of a frame is, empty if it is none. The sample is to its left
// or, if either will do, to its right.
func (d *drawing) sample(l label, f Box, either bool) string {
	if d.looks += len(d.strokes); d.looks > mostLooks {
		d.full = true
		return ""
	}
	b := l.box()
	i := slices.IndexFunc(d.strokes, func(s stroke) bool {
		gap := b.Left - s.box.Right
		if either {
			gap = max(gap, s.box.Left-b.Right)
		}
		return gap > -0.5*l.size && gap < 4*l.size && s.box.width() < 6*l.size && s.box.height() < 2*l.size && math.Abs(s.box.middle().y-b.middle().y) < 0.75*l.size && s.box.far(f) > exact
	})
	if i < 0 {
		return ""
	}
	return d.strokes[i].style() + " " + d.strokes[i].fill
}

// legend reports whether all numbers of a row have samples, of several styles; tick marks have one.
func (d *drawing) legend(row []numbered, f Box) bool {
	styles := map[string]bool{}
	for _, n := range row {
		styles[d.sample(n.label, f, true)] = true
	}
	return !styles[""] && len(styles) > 1
}

// onlyNumbers reports whether a text is a number, or several that stand close.
func onlyNumbers(text string) bool {
	_, _, one := numberOf(text)
	return one || !slices.ContainsFunc(strings.Fields(text), func(word string) bool { _, _, ok := numberOf(word); return !ok })
}

// decade finds a logarithmic axis with one number, a power of ten, from its other tick marks: they must be all of the multiples 1 to 9
// of powers between the outermost, and no others.
func (e edging) decade(n numbered) (x Axis, why string) {
	marks := e.marks
	why = "one number stands along it"
	e.row = []numbered{n, n}
	places, wrong := e.places(marks)
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
func (e edging) anchors() []anchor {
	all := []anchor{func(n numbered) float64 { from, to := e.along(n.box); return (from + to) / 2 }}
	if !slices.ContainsFunc(e.row, numbered.turned) {
		return all
	}
	half := func(n numbered, p point) float64 {
		along := math.Hypot(n.to.x-n.from.x, n.to.y-n.from.y)
		if e.vertical {
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
func (e edging) places(marks []float64) (at []float64, why string) {
	anchors := e.anchors()
	least := math.Inf(1)
	var near [][]float64 // that fit well
	for _, place := range anchors {
		list, worst, ok := place.at(e.row, marks)
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
		for _, n := range e.row {
			at = append(at, anchors[0](n))
		}
	}
	same := func(a, b float64) bool { return a == b || math.IsNaN(a) && math.IsNaN(b) }
	if slices.ContainsFunc(near, func(list []float64) bool { return !slices.EqualFunc(list, at, same) }) {
		return nil, "its turned numbers may belong to either of two neighbouring tick marks"
	}
	return at, ""
}
