package tracing

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"

	"repro/results/printed"
)

// Paths are what a vector figure is read with. What is left out is found.
type Paths struct {
	X, Y  Axis
	Frame Box
	Panel int    // of several, from 1 on
	Side  string // left or right, of two vertical axes
}

// A panel is a frame with its axes.
type panel struct {
	Box
	x, y Axis
	why  string // it is not sure of an axis
	two  bool   // it has a vertical axis on each side
}

// read reads the curves of a drawing.
func (d *drawing) read(p Paths) (*Trace, error) {
	if len(d.strokes) == 0 || !slices.ContainsFunc(d.strokes, func(s stroke) bool { return len(s.points) > 2 || s.colour != "" }) {
		if d.pictures > 0 {
			return nil, errors.New("shows a picture and draws no lines; save the picture as PNG, and trace that with --x, --y and --curve")
		}
		return nil, errors.New("draws no lines; is the figure on another page?")
	}
	flat, upright := d.edges()
	at, err := d.panel(p, flat, upright)
	if err != nil {
		return nil, err
	}
	t := &Trace{Kind: "vector", X: at.x, Y: at.y, Frame: at.Box, Width: d.width, Height: d.height}
	if d.curves(t); d.full {
		t.warn("the page draws more than is read; give the figure alone")
	}
	if len(t.Curves) == 0 {
		return nil, fmt.Errorf("has axes (x: %v; y: %v) and no curve in them", at.x, at.y)
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

// panel finds the panel to read.
func (d *drawing) panel(p Paths, flat, upright []edge) (panel, error) {
	all := frames(flat, upright)
	if p.Frame != (Box{}) {
		all = []Box{p.Frame}
	}
	numbers, sides := d.numbers(), numberable(all, flat, upright)
	var sure, doubtful []panel
	for _, f := range all {
		q := d.calibrate(f, sides, numbers, flat, upright, p)
		switch {
		case q.why == "" && len(q.x.Ticks) > 0 && len(q.y.Ticks) > 0:
			sure = append(sure, q)
		case q.why != "":
			doubtful = append(doubtful, q)
		}
	}
	sure = outermost(sure)
	switch {
	case len(p.X.Ticks) > 0 && len(p.Y.Ticks) > 0 && p.Frame != (Box{}):
		return panel{Box: p.Frame, x: p.X, y: p.Y}, nil
	case len(p.X.Ticks) > 0 && len(p.Y.Ticks) > 0:
		return panel{Box: around(all, frameOf(p.X, p.Y)), x: p.X, y: p.Y}, nil
	case len(sure) > 0:
		return chosen(sure, p)
	case len(doubtful) > 0:
		return panel{}, fmt.Errorf("%s; give the axis as --x or --y, with the places of ticks in points from the upper left corner: --x 72=0,300=50, with log before them for a logarithmic one", doubtful[0].why)
	case len(numbers) < 4:
		return panel{}, errors.New("has no tick labels that can be read: letters may be drawn as shapes; give both axes as --x and --y, with the places of ticks in points from the upper left corner: --x 72=0,300=50, with log before them for a logarithmic axis" + places(all, flat, upright))
	}
	return panel{}, errors.New("no axes were found: no two lines with numbers along both of them; give both axes as --x and --y, with the places of ticks in points from the upper left corner")
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
	if q.two && p.Side == "" {
		return q, errors.New("has a vertical axis on each side, and a curve may belong to either; say with --side left or --side right which one to read")
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

// apart returns the sides of frames that lie apart from one.
func apart(f Box, sides map[Box][]side) (others []side) {
	for o, list := range sides {
		if !o.near(f) && !o.holds(f.middle().x, f.middle().y) && !f.holds(o.middle().x, o.middle().y) {
			others = append(others, list...)
		}
	}
	return others
}

// calibrate finds the axes of a frame.
func (d *drawing) calibrate(f Box, sides map[Box][]side, numbers []numbered, flat, upright []edge, p Paths) panel {
	q := panel{Box: f}
	others := apart(f, sides)
	var axes [4]Axis
	for i, s := range sidesOf(f) {
		if i > 1 && !slices.ContainsFunc(sides[f], func(o side) bool { return o.name == s.name }) {
			continue // a second axis has tick marks
		}
		x, why := d.axis(f, s, s.row(numbers, others), flat, upright)
		axes[i] = x
		if given := len(p.X.Ticks) > 0 && !s.vertical || len(p.Y.Ticks) > 0 && s.vertical; why != "" && i < 2 && !given {
			q.why = fmt.Sprintf("the %s axis is not sure: %s", s.name, why)
		}
	}
	q.two = len(axes[1].Ticks) > 0 && len(axes[3].Ticks) > 0 && !axes[1].same(axes[3])
	q.x, q.y = axes[0], axes[1]
	if len(q.x.Ticks) == 0 {
		q.x = axes[2]
	}
	if len(q.y.Ticks) == 0 || p.Side == "right" && len(axes[3].Ticks) > 0 {
		q.y = axes[3]
	}
	if len(p.X.Ticks) > 0 {
		q.x = p.X
	}
	if len(p.Y.Ticks) > 0 {
		q.y, q.two = p.Y, false
	}
	return q
}

// axis finds the axis of a side of a frame from its numbers, and the factor at its end.
func (d *drawing) axis(f Box, s side, row []numbered, flat, upright []edge) (x Axis, why string) {
	major, marks := s.ticks(flat, upright)
	if x, why = s.axis(row, major, marks); why != "" {
		return Axis{}, why
	}
	factor, why := d.multiplier(f, s, row)
	for k := range x.Ticks {
		x.Ticks[k].Value *= factor
	}
	if why == "" && factor != 1 && !x.fit() {
		why = "the factor at its end does not fit"
	}
	if why != "" {
		return Axis{}, why
	}
	return x, ""
}

// same reports whether an axis has the scale of another.
func (x Axis) same(o Axis) bool {
	return x.Log == o.Log && math.Abs(x.a-o.a) < 1e-6*math.Abs(x.a)+1e-9 && math.Abs(x.b-o.b) < 1e-6*math.Abs(x.b)
}

// factors matches what axes have at their ends: a factor of all their numbers, or an offset.
var (
	factors = regexp.MustCompile(`^(1[eE][+-]?\d+|x?10\^[+-]?\d+)$`)
	offsets = regexp.MustCompile(`^[+-]?[\d.]*([eE][+-]?\d+)?\+[\d.]|^\+[\d.]+([eE][+-]?\d+)?$`)
)

// multiplier returns the factor that stands beyond the end of an axis; 1 if there is none.
func (d *drawing) multiplier(f Box, s side, row []numbered) (factor float64, wrong string) {
	factor = 1
	for _, l := range d.labels {
		text := strings.NewReplacer("−", "-", "×", "x", " ", "").Replace(l.text)
		b := l.box()
		var there bool
		switch s.name {
		case "lower":
			there = b.Top > f.Bottom && b.Top < f.Bottom+4*l.size+10 && b.Right > f.Right-0.25*f.width() && b.Left < f.Right+0.2*f.width()
		case "left":
			there = b.Bottom < f.Top+1 && b.Bottom > f.Top-1.5*l.size && b.Left < f.Left+0.2*f.width() && b.Right > f.Left-0.2*f.width()-30
		}
		if !there || slices.ContainsFunc(row, func(n numbered) bool { return n.label == l }) {
			continue
		}
		if offsets.MatchString(text) {
			return 1, fmt.Sprintf("%s stands at its end and is added to its numbers", printed.Quote(l.text))
		}
		if v, _, ok := numberOf(text); ok && factors.MatchString(text) {
			factor = v
		}
	}
	return factor, ""
}

// curves finds the curves of the panel: lines and series of markers, with their names.
func (d *drawing) curves(t *Trace) {
	lines, marks := d.candidates(t.Frame)
	swatches, lines := d.swatches(lines, t.Frame)
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
}

// candidates returns what may be a curve, and what may be a marker: grids, ticks, bars of errors and what is filled are left out.
func (d *drawing) candidates(f Box) (lines, marks []stroke) {
	ground := "#ffffff"
	for _, s := range d.strokes {
		w, h := s.box.width(), s.box.height()
		if s.fill != "" && w > 0.95*d.width && h > 0.95*d.height {
			ground = s.fill
		}
		small := w < 0.05*f.width() && h < 0.07*f.height()
		switch {
		case s.fill == ground && s.colour == "": // it hides what lies below it
		case small && (s.fill != "" || s.closed) && max(w, h) > 0.5 && max(w, h) < 4*min(w, h):
			marks = append(marks, s)
		case s.colour == "" || s.closed || s.fill != "" || len(s.points) < 2 || s.ofAxes(f):
		default:
			lines = append(lines, s)
		}
	}
	return lines, marks
}

// ofAxes reports whether a line is the frame, a grid line, a tick or the bar of an error.
func (s stroke) ofAxes(f Box) bool {
	b := s.box
	at := func(place float64, edges ...float64) bool {
		return slices.ContainsFunc(edges, func(e float64) bool { return math.Abs(place-e) < exact })
	}
	if len(s.points) < 7 && b.near(f) {
		return true
	}
	if len(s.points) > 3 {
		return false
	}
	touches := b.Right > f.Left-exact && b.Left < f.Right+exact && b.Bottom > f.Top-exact && b.Top < f.Bottom+exact
	level := b.height() < 0.05
	tick := b.width() < 0.06*f.width() && (at(b.Left, f.Left, f.Right) || at(b.Right, f.Left, f.Right))
	return b.width() < 0.05 || touches && level && (b.width() > 0.97*f.width() || b.width() < 0.02*f.width() || at(b.Top, f.Top, f.Bottom) || tick)
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
				for _, p := range s.points {
					o.box = o.box.with(p)
				}
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
