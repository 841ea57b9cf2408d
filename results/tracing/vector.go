package tracing

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"repro/results/printed"
)

// Paths are what a vector figure is read with. What is left out is found.
type Paths struct {
	X, Y  Axis
	Frame Box
	Panel int    // of several, from 1 on
	Side  string // left or right, of two vertical axes; lower or upper, of two horizontal ones; both with a comma
}

// A panel is a frame with its axes.
type panel struct {
	Box
	x, y   Axis
	why    string  // it is not sure of an axis
	two    [2]bool // it has two horizontal axes, or two vertical ones
	lacks  string  // the side that is asked for has no numbers
	insets []Box   // frames in it
}

// read reads the curves of a drawing.
func (d *drawing) read(p Paths) (*Trace, error) {
	if len(d.strokes) == 0 || !slices.ContainsFunc(d.strokes, func(s stroke) bool { return len(s.points) > 2 || s.colour != "" }) {
		if len(d.pictures) > 0 {
			return nil, errors.New("shows a picture and draws no lines; save the picture as PNG, and trace that with --x, --y and --curve")
		}
		return nil, errors.New("draws no lines; is the figure on another page?")
	}
	at := d.layout()
	quarters, err := d.sideways(at)
	if err != nil {
		return nil, err
	}
	if quarters > 0 {
		d.turn(quarters)
		at = d.layout()
	}
	q, err := d.panel(p, at)
	if err != nil {
		return nil, err
	}
	t := &Trace{Kind: "vector", X: q.x, Y: q.y, Frame: q.Box, Width: d.width, Height: d.height}
	if quarters > 0 {
		t.warn("the figure lies on its side; places are those of the page turned by %d° to the right", 90*quarters)
	}
	d.curves(t, q.insets)
	t.Warnings = append(t.Warnings, d.warnings...)
	if d.full {
		t.warn("the page draws more than is read; give the figure alone")
	}
	for _, b := range d.pictures {
		if in := b.cut(q.Box); in.width() > 0.1*q.width() && in.height() > 0.1*q.height() {
			t.warn("a picture lies in the axes; curves that are part of it are not read: save the figure as PNG and trace that")
			break
		}
	}
	if len(t.Curves) == 0 {
		return nil, fmt.Errorf("has axes (x: %v; y: %v) and no curve in them", q.x, q.y)
	}
	for _, s := range d.strokes {
		if len(t.behind) < 4000 && len(s.points) < 5000 && s.colour != "" {
			t.behind = append(t.behind, outline(s))
		}
	}
	return t, nil
}

// outline returns a part of a path as the data of an SVG path.
func outline(s stroke) string {
	var b strings.Builder
	for i, p := range s.points {
		fmt.Fprintf(&b, "%c%.5g %.5g", "ML"[min(i, 1)], p.x, p.y)
	}
	if s.closed {
		b.WriteString("Z")
	}
	return b.String()
}

// sideways returns by how many quarters to the right the page is to be turned so that the numbers along its frames read from left to right.
func (d *drawing) sideways(at layout) (quarters int, err error) {
	var count, sides [4]int
	for _, rows := range at.rows {
		for i, e := range rows {
			for _, n := range e.row {
				count[n.quarter()]++
				sides[i]++
			}
		}
	}
	switch {
	case count[0] > 0 || count[1] > 0 && count[3] > 0:
		return 0, nil
	case count[1] > 0 && sides[right] > 0:
		return 1, nil
	case count[1] > 0 && slices.ContainsFunc(d.labels, label.level): // only the numbers are turned
		return 0, nil
	case count[2] > 0 && count[1] == 0:
		return 2, nil
	case count[3] > 0 && sides[upper] > 0:
		return 3, nil
	case count[1] > 0 || count[3] > 0:
		return 0, errors.New("has numbers that all run upwards or downwards: it may lie on its side; save it turned so that they run from left to right")
	}
	return 0, nil
}

// panel finds the panel to read.
func (d *drawing) panel(p Paths, at layout) (panel, error) {
	all := at.frames
	if p.Frame != (Box{}) {
		all = []Box{p.Frame}
		at.around(append(slices.Clone(at.frames), p.Frame), d.numbers())
	}
	var sure, doubtful, half []panel
	for _, f := range all {
		q := d.calibrate(f, at, p)
		switch {
		case q.why == "" && (q.two[0] || len(q.x.Ticks) > 0) && (q.two[1] || len(q.y.Ticks) > 0):
			sure = append(sure, q)
		case q.why != "":
			doubtful = append(doubtful, q)
		case len(q.x.Ticks)+len(q.y.Ticks) > 0:
			half = append(half, q)
		}
	}
	sure = outermost(sure)
	switch {
	case len(p.X.Ticks) > 0 && len(p.Y.Ticks) > 0 && p.Frame != (Box{}):
		return panel{Box: p.Frame, x: p.X, y: p.Y}, nil
	case len(p.X.Ticks) > 0 && len(p.Y.Ticks) > 0:
		return panel{Box: around(all, frameOf(p.X, p.Y)), x: p.X, y: p.Y}, nil
	case len(sure) > 0:
		q, err := chosen(sure, p)
		d.unread(append(doubtful, half...), sure)
		q.insets = slices.DeleteFunc(all, func(o Box) bool { return o.near(q.Box) || !q.holds(o.Left, o.Top) || !q.holds(o.Right, o.Bottom) })
		return q, err
	case len(doubtful) > 0:
		return panel{}, fmt.Errorf("%s; give the axis as --x or --y, with the places of ticks in points from the upper left corner: --x 72=0,300=50, with log before them for a logarithmic one", doubtful[0].why)
	case len(d.numbers()) < 4:
		return panel{}, errors.New("has no tick labels that can be read: letters may be drawn as shapes; give both axes as --x and --y, with the places of ticks in points from the upper left corner: --x 72=0,300=50, with log before them for a logarithmic axis" + places(all, at.flat, at.upright))
	}
	return panel{}, errors.New("no axes were found: no two lines with numbers along both of them; give both axes as --x and --y, with the places of ticks in points from the upper left corner")
}

// unread warns of panels beside those that can be read, of which lines are not read because an axis is missing or not sure.
func (d *drawing) unread(panels, sure []panel) {
	for _, q := range panels {
		alone := !slices.ContainsFunc(sure, func(o panel) bool { return !beside(o.Box, q.Box) })
		if alone && slices.ContainsFunc(d.strokes, func(s stroke) bool { return len(s.points) > 3 && s.colour != "" && s.box.cut(q.Box).near(s.box) }) {
			d.warnings = append(d.warnings, fmt.Sprintf("the panel at %s has an axis without numbers, or with unsure ones, and is not read; --frame %s with --x or --y reads it", frameText(q.Box), frameText(q.Box)))
		}
	}
}

// frameText writes a box as --frame reads it.
func frameText(b Box) string {
	return strings.Join(printed.Each([]float64{b.Left, b.Top, b.Right, b.Bottom}, func(v float64) string { return plainNumber(v, 5) }), ",")
}

// around returns the smallest box that holds another one; that one if none does.
func around(all []Box, ticks Box) Box {
	best := ticks
	for _, b := range all { // the largest first
		if ticks.Left > b.Left-exact && ticks.Right < b.Right+exact && ticks.Top > b.Top-exact && ticks.Bottom < b.Bottom+exact {
			best = b
		}
	}
	return best
}

// places says where the tick marks of the first frame are that has them on both sides, so that a reader can give their values.
func places(all []Box, flat, upright []edge) string {
	for _, f := range all {
		var lists [2]string
		for i, s := range sidesOf(f)[:2] {
			major, marks := s.ticks(flat, upright)
			if len(major) < 2 {
				major = marks
			}
			parts := printed.Each(major[:min(len(major), 12)], func(at float64) string { return plainNumber(at, 5) })
			if len(parts) > 1 {
				lists[i] = strings.Join(parts, " ")
			}
		}
		if lists[0] != "" && lists[1] != "" {
			return fmt.Sprintf(". Its tick marks stand at %s from left to right, and at %s from top to bottom", lists[0], lists[1])
		}
	}
	return ""
}

// chosen returns the panel that is asked for, or the only one.
func chosen(sure []panel, p Paths) (panel, error) {
	slices.SortStableFunc(sure, func(a, b panel) int {
		return cmp.Or(cmp.Compare(math.Round(a.Top/20), math.Round(b.Top/20)), cmp.Compare(a.Left, b.Left))
	})
	n := len(sure)
	switch {
	case p.Panel > n:
		return panel{}, fmt.Errorf("has %s; there is no --panel %d", printed.Count(n, "panel"), p.Panel)
	case n > 1 && p.Panel < 1:
		var list []string
		for i, q := range sure {
			list = append(list, fmt.Sprintf("%d with x from %s to %s", i+1, printed.Digits(q.x.Value(q.Left), 3), printed.Digits(q.x.Value(q.Right), 3)))
		}
		return panel{}, fmt.Errorf("has %d panels: %s; choose one with --panel", n, strings.Join(list, ", "))
	}
	q := sure[max(0, p.Panel-1)]
	if q.lacks != "" {
		return q, fmt.Errorf("has no numbers along the %s side that --side names", q.lacks)
	}
	switch q.two {
	case [2]bool{true, false}:
		return q, errors.New("has a horizontal axis below and above, and a curve may belong to either; say with --side lower or --side upper which one to read")
	case [2]bool{false, true}:
		return q, errors.New("has a vertical axis on each side, and a curve may belong to either; say with --side left or --side right which one to read")
	case [2]bool{true, true}:
		return q, errors.New("has two horizontal and two vertical axes, and a curve may belong to any; say which to read with --side lower,left, lower,right, upper,left or upper,right")
	}
	return q, nil
}

// outermost leaves out panels inside others that have the same axes, such as boxes that two ticks make.
func outermost(all []panel) (kept []panel) {
	for _, q := range all {
		if !slices.ContainsFunc(kept, func(k panel) bool {
			return k.holds(q.middle().x, q.middle().y) || slices.Equal(k.x.Ticks, q.x.Ticks) && slices.Equal(k.y.Ticks, q.y.Ticks)
		}) {
			kept = append(kept, q)
		}
	}
	return kept
}

// calibrate finds the axes of a frame.
func (d *drawing) calibrate(f Box, at layout, p Paths) panel {
	q := panel{Box: f}
	used, frames := at.neighbours(f)
	var axes [4]Axis
	var whys [4]string
	for i, e := range at.rows[f] {
		x, rest, why := e.axis(d.labels)
		marked := slices.ContainsFunc(at.sides[f], func(o side) bool { return o.name == e.name })
		if i > 1 && marked && len(e.row) == 0 && e.named(d.labels) {
			why = "texts stand at its tick marks"
		}
		if i > 1 && (!marked && (len(x.Ticks) < 3 || slices.ContainsFunc(e.row, func(n numbered) bool { return used[n.label] })) || d.legend(e.row, f)) {
			continue // a second axis has tick marks, or numbers that fit a scale and belong to no other frame; a legend has samples
		}
		axes[i], whys[i] = x, why
		for _, n := range e.row {
			used[n.label] = used[n.label] || !slices.Contains(rest, n)
		}
	}
	d.change(f, frames, used, &axes, &whys)
	for k, given := range [2]Axis{p.X, p.Y} {
		q.choose(k, given, p.Side, axes, whys)
	}
	return q
}

// change multiplies the axes of a frame by the factors at their ends, and says of other texts there that they make an axis unsure. used are the
// labels that are ticks, others the frames beside it.
func (d *drawing) change(f Box, others []Box, used map[label]bool, axes *[4]Axis, whys *[4]string) {
	var has, changed [4]bool
	for i := range has {
		has[i] = len(axes[i].Ticks) > 0 || whys[i] != ""
	}
	for _, e := range d.ends(f, has, used, others) {
		factor, ok := factorOf(e.text)
		for _, i := range e.of {
			if !has[i] || whys[i] != "" {
				continue
			}
			if !ok || len(e.of) > 1 || axes[i].Log || changed[i] || !axes[i].times(factor) {
				whys[i] = fmt.Sprintf("%s stands at its end, and may be added to its numbers (%s), multiply them or belong to another axis", printed.Quote(e.text), axes[i].ends())
			}
			changed[i] = true
		}
	}
}

// choose sets the horizontal axis, 0, or the vertical one, 1, of a panel from those of its sides, unless it is given.
func (q *panel) choose(k int, given Axis, asked string, axes [4]Axis, whys [4]string) {
	to := &q.x
	if k == 1 {
		to = &q.y
	}
	if len(given.Ticks) > 0 {
		*to = given
		return
	}
	has := func(i int) bool { return len(axes[i].Ticks) > 0 || whys[i] != "" }
	names := sidesOf(q.Box)
	i := k
	wanted := slices.IndexFunc(names, func(s side) bool {
		return s.vertical == (k == 1) && slices.Contains(strings.Split(asked, ","), s.name)
	})
	switch {
	case wanted >= 0 && has(wanted):
		i = wanted
	case wanted >= 0:
		q.lacks = names[wanted].name
	case !has(k):
		i = k + 2
	default:
		q.two[k] = has(k+2) && !(whys[k] == "" && whys[k+2] == "" && axes[k].same(axes[k+2], names[k].from, names[k].to))
	}
	if *to = axes[i]; whys[i] != "" && !q.two[k] && q.why == "" {
		q.why = fmt.Sprintf("the %s axis is not sure: %s", names[i].name, whys[i])
	}
}

// times multiplies the numbers of an axis, and reports whether it still is one.
func (x *Axis) times(factor float64) bool {
	for k := range x.Ticks {
		x.Ticks[k].Value *= factor
	}
	return x.fit()
}

// same reports whether an axis has the scale of another between two places.
func (x Axis) same(o Axis, from, to float64) bool {
	off := func(at float64) float64 { return math.Abs((x.scaled(o.Value(at))-x.a)/x.b - at) }
	return x.Log == o.Log && max(off(from), off(to)) <= sure*(to-from)
}

// curves finds the curves of the panel: lines and series of markers, with their names.
func (d *drawing) curves(t *Trace, insets []Box) {
	lines, levels, marks := d.candidates(t.Frame)
	lines = d.outside(insets, lines)
	swatches, lines := d.swatches(lines, t.Frame)
	for _, s := range levels { // a constant of the legend, and no line of a grid
		same := func(o stroke) bool { return o.style() == s.style() }
		if swatches[s.style()] != "" && !slices.ContainsFunc(lines, same) && len(slices.DeleteFunc(slices.Clone(levels), func(o stroke) bool { return !same(o) })) == 1 {
			lines = append(lines, s)
		}
	}
	byStyle := map[string]int{} // other panels may have the same
	for _, s := range joined(lines) {
		c := Curve{Colour: s.colour, Dashes: s.dashes}
		for _, p := range s.points {
			c.add(t, p.x, p.y, t.X.Residual+0.05, t.Y.Residual+0.05)
		}
		if len(c.Points) < 2 || len(t.Curves) >= mostCurves {
			continue
		}
		byStyle[s.style()]++
		t.Curves = append(t.Curves, c)
	}
	for i := range t.Curves {
		c := &t.Curves[i]
		if style := c.Colour + " " + c.Dashes; byStyle[style] == 1 {
			c.Name, c.Named = swatches[style], swatches[style] != ""
		}
	}
	d.bars(t)
	d.series(t, marks)
	for i := range t.Curves {
		c := &t.Curves[i]
		if c.Name == "" {
			c.Name = fmt.Sprintf("curve %d (%s)", i+1, strings.TrimSpace(c.Colour+" "+c.Dashes))
		}
		for k := range i {
			if t.Curves[k].Name == c.Name {
				c.Name += fmt.Sprintf(" (%d)", i+1)
			}
		}
		if !c.Named {
			t.warn("%s has no entry in the legend", c.Name)
		}
	}
	for _, style := range slices.Sorted(maps.Keys(swatches)) {
		if name := swatches[style]; name != "" && !slices.ContainsFunc(t.Curves, func(c Curve) bool { return c.Named && c.Name == name }) {
			t.warn("%s stands in the legend, and %s like its sample (%s)", printed.Quote(name), map[bool]string{true: "no curve looks", false: "several curves look"}[byStyle[style] == 0], style)
		}
	}
}

// outside returns the lines that do not lie in frames within the axes: those that can be seen only there, and those that lie there and are no
// samples of a legend.
func (d *drawing) outside(insets []Box, lines []stroke) []stroke {
	out := map[Box]bool{}
	return slices.DeleteFunc(lines, func(s stroke) bool {
		return slices.ContainsFunc(insets, func(b Box) bool {
			edge := touches(s.box.Top, b.Top, b.Bottom) || touches(s.box.Left, b.Left, b.Right) || touches(s.box.Right, b.Left, b.Right)
			in := s.clip.near(b) || (len(s.points) > 3 || edge) && s.box.cut(b).near(s.box)
			if in && !out[b] {
				d.warnings = append(d.warnings, fmt.Sprintf("what is drawn in a frame within the axes is left out; --frame %s reads it", frameText(b)))
				out[b] = true
			}
			return in
		})
	})
}

// candidates returns what may be a curve, level lines through all of the frame, and what may be a marker: grids, ticks, bars of errors, what
// is filled and what has the colour of the ground are left out.
func (d *drawing) candidates(f Box) (lines, levels, marks []stroke) {
	ground := "#ffffff"
	for _, s := range d.strokes {
		w, h := s.box.width(), s.box.height()
		if in := s.box.cut(f); s.fill != "" && s.upright() && in.width() > 0.95*f.width() && in.height() > 0.95*f.height() {
			ground = s.fill
		}
		unseen := func(colour string) bool { return colour == ground || colour == "" }
		switch {
		case unseen(s.fill) && unseen(s.colour): // it hides what lies below it
		case s.marker(f):
			marks = append(marks, s)
		case s.colour == "" || s.closed || s.fill != "" || len(s.points) < 2:
		case !s.ofAxes(f):
			lines = append(lines, s.seen())
		case s.box.Top > f.Top+exact && s.box.Bottom < f.Bottom-exact && h < 0.05 && w > 0.97*f.width():
			levels = append(levels, s)
		}
	}
	return lines, levels, marks
}

// marker reports whether a part of a path is as small and as compact as a marker.
func (s stroke) marker(f Box) bool {
	w, h := s.box.width(), s.box.height()
	return w < 0.05*f.width() && h < 0.07*f.height() && (s.fill != "" || s.closed) && max(w, h) > 0.5 && max(w, h) < 4*min(w, h)
}

// seen returns a line without its points that are clipped.
func (s stroke) seen() stroke {
	if s.clip != (Box{}) {
		s.points = slices.DeleteFunc(slices.Clone(s.points), func(p point) bool { return !s.clip.shows(p.x, p.y) })
	}
	return s
}

// ofAxes reports whether a line is the frame, a grid line, a tick or the bar of an error.
func (s stroke) ofAxes(f Box) bool {
	b := s.box
	if len(s.points) < 7 && b.near(f) {
		return true
	}
	if len(s.points) > 3 {
		return false
	}
	meets := b.Right > f.Left-exact && b.Left < f.Right+exact && b.Bottom > f.Top-exact && b.Top < f.Bottom+exact
	level := b.height() < 0.05
	tick := b.width() < longestTick(f.width()) && (touches(b.Left, f.Left, f.Right) || touches(b.Right, f.Left, f.Right))
	return b.width() < 0.05 || meets && level && (b.width() > 0.97*f.width() || b.width() < 0.02*f.width() || touches(b.Top, f.Top, f.Bottom) || tick)
}

// A match is a text beside a line, which may be the sample of a legend.
type match struct {
	line int
	name string
}

// swatches takes the samples of a legend out of the lines, and returns the names beside them by style. All names stand on one side of
// their samples. Lines that lead out of the frame to a text are taken out, too; they need not look like their curve.
func (d *drawing) swatches(lines []stroke, f Box) (names map[string]string, rest []stroke) {
	var right, left []match
	leads := map[int]bool{}
	for i, s := range lines {
		end := s.points[len(s.points)-1]
		if len(s.points) <= 3 && s.box.Left < f.Right+exact && end.x > f.Right+exact {
			_, r := d.besides(Box{end.x, end.y, end.x, end.y}, f)
			leads[i] = r != ""
			continue
		}
		if len(s.points) > 3 || s.box.height() > 0.05 {
			continue
		}
		l, r := d.besides(s.box, f)
		if r != "" {
			right = append(right, match{i, r})
		}
		if l != "" {
			left = append(left, match{i, l})
		}
	}
	chosen := right
	if len(left) > len(right) {
		chosen = left
	}
	names = map[string]string{}
	for _, m := range chosen {
		style := lines[m.line].style()
		if names[style] != "" && names[style] != m.name {
			m.name = "" // two entries look the same
		}
		names[style] = m.name
	}
	for i, s := range lines {
		if !leads[i] && !slices.ContainsFunc(chosen, func(m match) bool { return m.line == i }) {
			rest = append(rest, s)
		}
	}
	return names, rest
}

// besides returns the texts next to a flat box at its height, left and right of it. Those of ticks are none.
func (d *drawing) besides(b, f Box) (left, right string) {
	if d.looks += len(d.labels); d.looks > mostLooks {
		d.full = true
		return "", ""
	}
	farR, farL := math.Inf(1), math.Inf(1)
	for _, text := range d.labels {
		at := text.box()
		if _, _, number := numberOf(text.text); number && (at.Right < f.Left || at.Top > f.Bottom) {
			continue
		}
		if !text.level() || math.Abs(at.middle().y-b.middle().y) > 0.75*text.size {
			continue
		}
		if gap := at.Left - b.Right; gap > -0.5*text.size && gap < min(4*text.size, farR) {
			right, farR = text.text, gap
		}
		if gap := b.Left - at.Right; gap > -0.5*text.size && gap < min(4*text.size, farL) {
			left, farL = text.text, gap
		}
	}
	return left, right
}

// joined puts lines of one style together that go on where another ends, or that lie beside each other along x.
func joined(lines []stroke) (all []stroke) {
	for _, s := range lines {
		done := false
		for i := len(all) - 1; i >= 0 && i >= len(all)-200 && !done; i-- {
			o := &all[i]
			if o.style() != s.style() {
				continue
			}
			a, b := o.points[len(o.points)-1], s.points[0]
			if math.Hypot(a.x-b.x, a.y-b.y) < 0.02 || o.box.Right < s.box.Left+0.02 && len(s.points)+len(o.points) > 4 {
				o.points = append(slices.Clone(o.points), s.points...)
				o.box = o.box.and(s.box)
				done = true
			}
		}
		if !done {
			all = append(all, s)
		}
	}
	return all
}

// bars adds the bars of charts and histograms: filled rectangles of one colour, from three on, that stand on the lower edge or at 0. The
// point of each is in the middle of its end. One that stands elsewhere, beside a text, is the sample of the legend.
func (d *drawing) bars(t *Trace) {
	f, colours := t.Frame, []string{}
	zero := math.Inf(1) // the place of 0
	if !t.Y.Log {
		zero = -t.Y.a / t.Y.b
	}
	of := map[string]*Curve{}
	for _, s := range d.strokes {
		b := s.box
		if s.fill == "" || s.fill == "#ffffff" || len(s.points) < 4 || !s.upright() || b.width() > 0.5*f.width() {
			continue
		}
		c := of[s.fill]
		if c == nil {
			c = &Curve{Colour: s.fill, Markers: true, bars: true}
			of[s.fill], colours = c, append(colours, s.fill)
		}
		switch near := func(at, edge float64) bool { return math.Abs(at-edge) < 0.2 }; {
		case near(b.Bottom, zero), b.Bottom > f.Bottom-0.2 && b.Top < f.Bottom:
			c.add(t, b.middle().x, b.Top, t.X.Residual+0.1, t.Y.Residual+0.1)
		case near(b.Top, zero):
			c.add(t, b.middle().x, b.Bottom, t.X.Residual+0.1, t.Y.Residual+0.1)
		default:
			if _, name := d.besides(b, f); name != "" && !c.Named {
				c.Name, c.Named = name, true
			}
		}
	}
	for _, colour := range colours {
		if c := of[colour]; len(c.Points) >= 3 && len(t.Curves) < mostCurves {
			t.Curves = append(t.Curves, *c)
		}
	}
}

// upright reports whether a part of a path is a rectangle along the axes.
func (s stroke) upright() bool {
	for i, p := range s.points {
		q := s.points[(i+1)%len(s.points)]
		if len(s.points) > 5 || math.Abs(p.x-q.x) > 0.05 && math.Abs(p.y-q.y) > 0.05 {
			return false
		}
	}
	return true
}

// series adds the markers that belong to no line: those of one shape and colour, from four on, named by the one that stands beside a
// text.
func (d *drawing) series(t *Trace, marks []stroke) {
	groups := map[string][]stroke{}
	var order []string
	for _, s := range marks {
		key := fmt.Sprintf("%s %s %.1f %.1f %d", s.colour, s.fill, s.box.width(), s.box.height(), len(s.points))
		if groups[key] == nil {
			order = append(order, key)
		}
		groups[key] = append(groups[key], s)
	}
	for _, key := range order {
		group := groups[key]
		colour := cmp.Or(group[0].fill, group[0].colour)
		onLine := func(c Curve) bool {
			return (!c.Markers || c.bars) && (c.Colour == group[0].fill || c.Colour == group[0].colour)
		}
		if len(group) < 4 || len(t.Curves) >= mostCurves || slices.ContainsFunc(t.Curves, onLine) || len(d.labels) == 0 {
			continue
		}
		c := Curve{Colour: colour, Markers: true}
		for _, s := range group {
			at := s.box.middle()
			if _, name := d.besides(s.box, t.Frame); name != "" && !c.Named {
				c.Name, c.Named = name, true
				continue
			}
			c.add(t, at.x, at.y, t.X.Residual+0.1, t.Y.Residual+0.1)
		}
		if len(c.Points) >= 3 {
			t.Curves = append(t.Curves, c)
		}
	}
}
