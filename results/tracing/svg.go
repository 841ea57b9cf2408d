package tracing

import (
	"bytes"
	"cmp"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"unicode/utf8"

	"golang.org/x/net/html"

	"repro/results/printed"
)

// ReadSVG reads the curves of an SVG.
func ReadSVG(text []byte, p Paths) (*Trace, error) {
	return bounded(func(*atomic.Bool) (*Trace, error) {
		root, err := parseSVG(text)
		if err != nil {
			return nil, fmt.Errorf("cannot be read as SVG: %w", err)
		}
		d := &drawing{}
		v := &viewer{drawing: d, ids: map[string]*element{}, clips: map[string]Box{}}
		for _, what := range root.dressed() {
			d.warnings = append(d.warnings, fmt.Sprintf("the style sheet has %s, which is not read; what it colours or hides may be read wrongly", printed.Quote(what)))
		}
		v.index(root)
		box := numbersIn(root.get("viewBox"))
		if len(box) != 4 {
			box = []float64{0, 0, lengthOf(root.get("width")), lengthOf(root.get("height"))}
		}
		d.width, d.height, v.wide, v.high = box[2], box[3], box[2], box[3]
		root.name = "g"
		v.draw(root, look{m: matrix{1, 0, 0, 1, -box[0], -box[1]}, fill: "#000000", current: "#000000", size: 16, ink: 1, paint: 1, pen: 1}, 0)
		if v.wrong != "" {
			return nil, errors.New(v.wrong)
		}
		d.assemble()
		return d.read(p)
	})
}

// An element is one of an SVG, or text if it has no name.
type element struct {
	name, text string
	attributes map[string]string
	style      map[string]string
	children   []*element
	node       *html.Node // for selectors
}

// get returns an attribute, or a property of the style.
func (e *element) get(key string) string {
	if v, ok := e.style[key]; ok {
		return v
	}
	return e.attributes[key]
}

// Bounds of an SVG.
const (
	mostElements = 400_000
	mostNesting  = 60
)

// parseSVG reads the elements of an SVG.
func parseSVG(text []byte) (*element, error) {
	in := xml.NewDecoder(bytes.NewReader(text))
	in.CharsetReader = func(_ string, r io.Reader) (io.Reader, error) { return r, nil }
	in.Strict = false
	open := []*element{{node: &html.Node{Type: html.DocumentNode}}}
	for n := 0; ; {
		token, err := in.Token()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, err
		}
		top := open[len(open)-1]
		switch token := token.(type) {
		case xml.StartElement:
			if n++; n > mostElements || len(open) > mostNesting {
				return nil, fmt.Errorf("it has more than %s elements, or %d in each other", printed.Number(mostElements), mostNesting)
			}
			e := &element{name: token.Name.Local, attributes: map[string]string{}, node: &html.Node{Type: html.ElementNode, Data: strings.ToLower(token.Name.Local)}}
			for _, a := range token.Attr {
				e.attributes[a.Name.Local] = a.Value
				e.node.Attr = append(e.node.Attr, html.Attribute{Key: a.Name.Local, Val: a.Value})
			}
			top.node.AppendChild(e.node)
			top.children = append(top.children, e)
			open = append(open, e)
		case xml.EndElement:
			if len(open) > 1 {
				open = open[:len(open)-1]
			}
		case xml.CharData:
			if s := string(token); (top.name == "text" || top.name == "tspan" || top.name == "style") && s != "" {
				top.children = append(top.children, &element{text: s})
			}
		}
	}
	for _, e := range open[0].children {
		if e.name == "svg" {
			return e, nil
		}
	}
	return nil, errors.New("it has no element svg")
}

// A look is what elements inherit.
type look struct {
	m            matrix
	colour, fill string
	current      string // what currentColor is
	dashes       string
	size         float64
	anchor       string
	middle       float64 // how far letters are lowered, in sizes
	ink, paint   float64 // opacity of strokes and of fills
	pen          float64 // width of strokes
	hidden       bool
	clip         Box
}

// A viewer draws elements.
type viewer struct {
	*drawing
	ids        map[string]*element
	clips      map[string]Box // of clip paths, in their own units
	wide, high float64        // of the viewport
	wrong      string         // why the figure cannot be read
}

func (v *viewer) index(e *element) {
	if id := e.attributes["id"]; id != "" {
		v.ids[id] = e
	}
	for _, c := range e.children {
		v.index(c)
	}
}

// inherit returns the look of an element.
func (k look) inherit(e *element) look {
	if value := e.get("color"); value != "" && value != "inherit" {
		k.current = colourOf(value)
	}
	for key, to := range map[string]*string{"stroke": &k.colour, "fill": &k.fill} {
		switch value := e.get(key); {
		case strings.EqualFold(value, "currentcolor"):
			*to = k.current
		case value != "" && value != "inherit":
			*to = colourOf(value)
		}
	}
	for key, to := range map[string]*float64{"stroke-opacity": &k.ink, "fill-opacity": &k.paint, "stroke-width": &k.pen} {
		if v := numbersIn(e.get(key)); len(v) == 1 {
			*to = v[0]
		}
	}
	if v := numbersIn(e.get("opacity")); len(v) == 1 { // of a group; an element in it cannot be seen either
		k.ink, k.paint = k.ink*v[0], k.paint*v[0]
	}
	if value := e.get("visibility"); value != "" && value != "inherit" {
		k.hidden = value != "visible"
	}
	if s := e.get("stroke-dasharray"); s == "none" {
		k.dashes = ""
	} else if s != "" {
		k.dashes = k.m.dashes(numbersIn(s))
	}
	k.lettering(e)
	return k
}

// lettering sets the look of letters.
func (k *look) lettering(e *element) {
	whole := e.get("font-size")
	for _, font := range []string{whole, e.get("font")} {
		for _, word := range strings.Fields(strings.Split(font, "/")[0]) {
			if n := k.length(word); n > 0 && (font == whole || sized.MatchString(word)) {
				k.size = n
			}
		}
	}
	if a := e.get("text-anchor"); a != "" {
		k.anchor = a
	}
	for _, key := range []string{"dominant-baseline", "alignment-baseline"} {
		switch e.get(key) {
		case "middle", "central":
			k.middle = 0.35
		case "hanging", "text-before-edge", "text-top":
			k.middle = 0.75
		case "auto", "baseline", "alphabetic":
			k.middle = 0
		}
	}
}

// sized matches a size of letters with its unit.
var sized = regexp.MustCompile(`^[\d.]+(px|pt|em|rem|%)$`)

// length reads a length, of which em and % are those of the letters.
func (k look) length(text string) float64 {
	n := lengthOf(text)
	switch text = strings.TrimSpace(text); {
	case strings.HasSuffix(text, "rem"):
		return n * 16
	case strings.HasSuffix(text, "em"):
		return n * k.size
	case strings.HasSuffix(text, "ex"):
		return n * k.size / 2
	case strings.HasSuffix(text, "%"):
		return n * k.size / 100
	}
	return n
}

// letter matches the id of a letter drawn as a path: the font and the number of the letter.
var letter = regexp.MustCompile(`^[A-Za-z][\w ]*(?:-[A-Za-z]+)*-([0-9a-f]{2,5})$`)

// glyphUnits is the size of letters drawn as paths, in their units, and glyphWidth the share of it that most are wide.
const (
	glyphUnits = 100
	glyphWidth = 0.6
)

// draw draws an element and what is in it.
func (v *viewer) draw(e *element, k look, depth int) {
	if depth > mostNesting || len(v.strokes) >= mostParts || e.get("display") == "none" {
		return
	}
	k.m = v.moved(e).then(k.m)
	k = k.inherit(e)
	k.clip = v.clipOf(e, k, depth)
	number := func(key string) float64 { return v.number(e, key) }
	switch e.name {
	case "defs", "clipPath", "symbol", "marker", "pattern", "mask", "metadata", "title", "desc", "style", "script":
		return
	case "svg":
		wide, high := v.wide, v.high
		w, h := cmp.Or(number("width"), wide), cmp.Or(number("height"), high)
		k.m = v.view(e, number("x"), number("y"), w, h).then(k.m)
		defer func() { v.wide, v.high = wide, high }()
	case "image":
		x, y, w, h := number("x"), number("y"), number("width"), number("height")
		if k.paint > 0 && !k.hidden {
			v.picture(corners(k.m, Box{x, y, x + w, y + h}), k.clip)
		}
	case "text":
		v.textOf(e, k)
		return
	case "use":
		v.use(e, k, depth)
		return
	case "path":
		v.paths(pathOf(e.attributes["d"]), k)
	case "polyline", "polygon":
		s := stroke{closed: e.name == "polygon"}
		list := numbersIn(e.attributes["points"])
		for i := 0; i+1 < len(list); i += 2 {
			s.points = append(s.points, point{list[i], list[i+1]})
		}
		v.paths([]stroke{s}, k)
	case "line":
		v.paths([]stroke{{points: []point{{number("x1"), number("y1")}, {number("x2"), number("y2")}}}}, k)
	case "rect":
		x, y, w, h := number("x"), number("y"), number("width"), number("height")
		v.paths([]stroke{{closed: true, points: []point{{x, y}, {x + w, y}, {x + w, y + h}, {x, y + h}}}}, k)
	case "circle", "ellipse":
		rx, ry := number("r")+number("rx"), number("r")+number("ry")
		s := stroke{closed: true}
		for i := range 16 {
			a := 2 * math.Pi * float64(i) / 16
			s.points = append(s.points, point{number("cx") + rx*math.Cos(a), number("cy") + ry*math.Sin(a)})
		}
		v.paths([]stroke{s}, k)
	}
	for _, c := range e.children {
		v.draw(c, k, depth+1)
	}
}

// moved returns the transform of an element.
func (v *viewer) moved(e *element) matrix {
	m, wrong := transformOf(e.get("transform"))
	if origin := numbersIn(e.get("transform-origin")); e.get("transform") != "" && slices.ContainsFunc(origin, func(at float64) bool { return at != 0 }) {
		wrong = "transform-origin"
	}
	if wrong != "" {
		v.wrong = fmt.Sprintf("moves parts by %s, which is not read; save it with plain paths, such as by a program for drawings, or as PDF", printed.Quote(wrong))
	}
	return m
}

// number returns a length of an element, of which % are those of the viewport.
func (v *viewer) number(e *element, key string) float64 {
	whole := v.high
	if strings.ContainsAny(key, "xw") {
		whole = v.wide
	}
	if n := lengthOf(e.attributes[key]); strings.HasSuffix(e.attributes[key], "%") {
		return n * whole / 100
	} else {
		return n
	}
}

// use draws what an element refers to, or writes the letter that it is.
func (v *viewer) use(e *element, k look, depth int) {
	id := strings.TrimPrefix(e.attributes["href"], "#")
	k.m = matrix{1, 0, 0, 1, lengthOf(e.attributes["x"]), lengthOf(e.attributes["y"])}.then(k.m)
	if m := letter.FindStringSubmatch(id); m != nil {
		if code, err := strconv.ParseUint(m[1], 16, 32); err == nil && utf8.ValidRune(rune(code)) {
			width := glyphWidth * glyphUnits
			if code == '.' || code == ',' {
				width /= 2
			}
			if code == 0x2212 {
				width = 0.838 * glyphUnits
			}
			if k.hidden || k.paint <= 0 {
				return
			}
			v.write(label{text: string(rune(code)), from: k.m.of(0, 0), to: k.m.of(width, 0), size: glyphUnits * math.Hypot(k.m[0], k.m[1])})
			return
		}
	}
	if to := v.ids[id]; to != nil && to.name != "svg" {
		if to.name == "symbol" || to.name == "marker" {
			if len(numbersIn(to.get("viewBox"))) == 4 {
				k.m = v.view(to, 0, 0, cmp.Or(lengthOf(e.attributes["width"]), v.wide), cmp.Or(lengthOf(e.attributes["height"]), v.high)).then(k.m)
			}
			for _, c := range to.children {
				v.draw(c, k.inherit(to), depth+8)
			}
			return
		}
		v.draw(to, k, depth+8) // so that what refers to itself ends soon
	}
}

// view returns the map of what a nested svg or a symbol shows into its place.
func (v *viewer) view(e *element, x, y, w, h float64) matrix {
	v.wide, v.high = w, h
	m := matrix{1, 0, 0, 1, x, y}
	box := numbersIn(e.get("viewBox"))
	if len(box) != 4 || box[2] <= 0 || box[3] <= 0 {
		return m
	}
	v.wide, v.high = box[2], box[3]
	sx, sy := w/box[2], h/box[3]
	switch how := e.get("preserveAspectRatio"); {
	case strings.HasPrefix(how, "none"):
	case how == "" || strings.HasPrefix(how, "xMidYMid"):
		s := min(sx, sy)
		if strings.HasSuffix(how, "slice") {
			s = max(sx, sy)
		}
		m[4], m[5] = x+(w-s*box[2])/2, y+(h-s*box[3])/2
		sx, sy = s, s
	default:
		v.wrong = fmt.Sprintf("has a part with preserveAspectRatio %s, which is not read; save it with plain paths, or as PDF", printed.Quote(how))
	}
	return matrix{sx, 0, 0, sy, -sx * box[0], -sy * box[1]}.then(m)
}

// reference matches what a property refers to.
var reference = regexp.MustCompile(`url\(["']?#([^"')]+)["']?\)`)

// clipOf returns what of an element can be seen: what its clip path leaves of what could be.
func (v *viewer) clipOf(e *element, k look, depth int) Box {
	m := reference.FindStringSubmatch(e.get("clip-path"))
	if m == nil || v.ids[m[1]] == nil || v.ids[m[1]].get("clipPathUnits") == "objectBoundingBox" {
		return k.clip
	}
	own, known := v.clips[m[1]]
	if !known {
		inner := viewer{drawing: &drawing{}, ids: v.ids, clips: v.clips, wide: v.wide, high: v.high}
		for _, c := range v.ids[m[1]].children {
			inner.draw(c, look{m: matrix{1, 0, 0, 1, 0, 0}, fill: "#000000", ink: 1, paint: 1, pen: 1}, depth+8)
		}
		for i, s := range inner.strokes {
			if i == 0 {
				own = s.box
			}
			own = own.and(s.box)
		}
		v.clips[m[1]] = own
	}
	if own == (Box{}) {
		return k.clip
	}
	return clipped(k.clip, []stroke{{points: corners(k.m, own)}})
}

// corners returns where a map puts the corners of a box.
func corners(m matrix, b Box) []point {
	return []point{m.of(b.Left, b.Top), m.of(b.Right, b.Top), m.of(b.Right, b.Bottom), m.of(b.Left, b.Bottom)}
}

// paths adds parts of a path with a look.
func (v *viewer) paths(parts []stroke, k look) {
	for _, s := range parts {
		for i, p := range s.points {
			s.points[i] = k.m.of(p.x, p.y)
		}
		s.colour, s.fill, s.dashes, s.clip = k.colour, k.fill, k.dashes, k.clip
		if k.hidden || k.ink <= 0 || k.pen <= 0 {
			s.colour = ""
		}
		if k.hidden || k.paint <= 0 {
			s.fill = ""
		}
		if s.colour != "" && !s.closed {
			s.fill = "" // the fill of an open line is black if nobody says otherwise
		}
		v.add(s)
	}
}

// A piece is a part of a text.
type piece struct {
	text       string
	size, rise float64
	at         float64 // where it begins; NaN if behind the one before
	span       float64 // from its first letter to its last, if they have places; 0 if not
}

func (p piece) width() float64 {
	if p.span > 0 {
		return p.span + 0.556*p.size
	}
	return 0.556 * p.size * float64(utf8.RuneCountInString(p.text))
}

// A writer divides a text into pieces.
type writer struct {
	x, y, rise, at float64
	places         []float64 // of letters
	pieces         []piece
}

// walk reads the pieces of an element.
func (w *writer) walk(e *element, k look, depth int) {
	for _, c := range e.children {
		if c.name == "" {
			if s := strings.TrimSpace(c.text); s != "" && len(w.pieces) < 100 {
				p := piece{s, k.size, w.rise, w.at, 0}
				if n := len(w.places); n > 1 && n == utf8.RuneCountInString(s) {
					p.span = w.places[n-1] - w.places[0]
				}
				w.pieces, w.at, w.places = append(w.pieces, p), math.NaN(), nil
			}
			continue
		}
		if depth > 8 || c.get("display") == "none" {
			continue
		}
		own := k.inherit(c)
		own.m = k.m
		if c.attributes["x"] != "" {
			w.places = numbersIn(c.attributes["x"])
			if w.at = lengthOf(c.attributes["x"]); len(w.pieces) == 0 {
				w.x = w.at
			}
		}
		if to := lengthOf(c.attributes["y"]) + k.middle*k.size; c.attributes["y"] != "" {
			if w.rise = w.y - to; len(w.pieces) == 0 {
				w.y, w.rise = to, 0
			}
		}
		shift := map[string]float64{"super": 0.4 * k.size, "sub": -0.2 * k.size}[c.get("baseline-shift")] + own.length(c.get("baseline-shift"))
		w.rise += shift - own.length(c.attributes["dy"])
		w.walk(c, own, depth+1)
		w.rise -= shift
	}
}

// textOf writes a text. Its width is not known; most letters of a number are as wide as 0.556 of their size.
func (v *viewer) textOf(e *element, k look) {
	if k.hidden || k.paint <= 0 {
		return
	}
	place := func(key, by string) float64 { return lengthOf(e.attributes[key]) + k.length(e.attributes[by]) }
	w := writer{x: place("x", "dx"), y: place("y", "dy") + k.middle*k.size, at: math.NaN()}
	w.walk(e, k, 0)
	whole := 0.0
	for _, p := range w.pieces {
		whole += p.width()
	}
	x, free := w.x, false
	switch k.anchor {
	case "middle":
		x -= whole / 2
	case "end":
		x -= whole
	default:
		free = true
	}
	for _, p := range w.pieces {
		if free && !math.IsNaN(p.at) {
			x = p.at
		}
		v.write(label{text: p.text, from: k.m.of(x, w.y-p.rise), to: k.m.of(x+p.width(), w.y-p.rise), size: p.size * k.m.scale()})
		x += p.width()
	}
}

// numeric matches a number of SVG.
var numeric = regexp.MustCompile(`[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?`)

func numbersIn(text string) (all []float64) {
	for _, s := range numeric.FindAllString(text, 2*mostVertices) {
		v, _ := strconv.ParseFloat(s, 64)
		all = append(all, v)
	}
	return all
}

// units are the lengths of units.
var units = map[string]float64{"pt": 4.0 / 3, "pc": 16, "in": 96, "cm": 96 / 2.54, "mm": 9.6 / 2.54}

// lengthOf reads a length; units other than these count as px.
func lengthOf(text string) float64 {
	v, _ := strconv.ParseFloat(numeric.FindString(text), 64)
	text = strings.TrimSpace(text)
	return v * cmp.Or(units[text[max(0, len(text)-2):]], 1)
}

// function matches one map of a transform.
var function = regexp.MustCompile(`(\w+)\s*\(([^)]*)\)`)

// transformOf reads a transform. wrong is a map that it cannot read.
func transformOf(text string) (m matrix, wrong string) {
	m = matrix{1, 0, 0, 1, 0, 0}
	for _, f := range function.FindAllStringSubmatch(text, 32) {
		v := append(numbersIn(f[2]), 0, 0, 0)
		n := len(v) - 3
		if strings.ContainsAny(f[2], "%") || strings.Contains(f[2], "rad") || strings.Contains(f[2], "turn") || strings.Contains(f[2], "em") {
			return m, f[0]
		}
		sin, cos := math.Sincos(v[0] * math.Pi / 180)
		var own matrix
		switch {
		case f[1] == "matrix" && n == 6:
			own = matrix(v[:6])
		case f[1] == "translate":
			own = matrix{1, 0, 0, 1, v[0], v[1]}
		case f[1] == "translateX":
			own = matrix{1, 0, 0, 1, v[0], 0}
		case f[1] == "translateY":
			own = matrix{1, 0, 0, 1, 0, v[0]}
		case f[1] == "scale" && n == 1:
			own = matrix{v[0], 0, 0, v[0], 0, 0}
		case f[1] == "scale":
			own = matrix{v[0], 0, 0, v[1], 0, 0}
		case f[1] == "rotate":
			own = matrix{1, 0, 0, 1, -v[1], -v[2]}.then(matrix{cos, sin, -sin, cos, 0, 0}).then(matrix{1, 0, 0, 1, v[1], v[2]})
		case f[1] == "skewX":
			own = matrix{1, 0, sin / cos, 1, 0, 0}
		case f[1] == "skewY":
			own = matrix{1, sin / cos, 0, 1, 0, 0}
		default:
			return m, f[0]
		}
		m = own.then(m)
	}
	return m, ""
}

// command matches a command of path data with its numbers.
var command = regexp.MustCompile(`([MmLlHhVvCcSsQqTtAaZz])([^MmLlHhVvCcSsQqTtAaZz]*)`)

// coordinates are how many numbers a command needs.
var coordinates = map[byte]int{'M': 2, 'L': 2, 'H': 1, 'V': 1, 'C': 6, 'S': 4, 'Q': 4, 'T': 2, 'A': 7}

// pathOf reads path data. An arc is the line to its end.
func pathOf(text string) (parts []stroke) {
	var at, control point
	for _, c := range command.FindAllStringSubmatch(text, mostVertices) {
		v, op := numbersIn(c[2]), c[1][0]
		relative, kind := op >= 'a', op&^0x20
		need := coordinates[kind]
		if kind == 'Z' {
			if n := len(parts); n > 0 {
				parts[n-1].closed = true
				at = parts[n-1].points[0]
			}
			continue
		}
		for ; len(v) >= need; v = v[need:] {
			place := func(i int) point {
				p := point{v[i], v[i+1]}
				if relative {
					p.x, p.y = p.x+at.x, p.y+at.y
				}
				return p
			}
			if kind == 'M' {
				at = place(0)
				control, kind, parts = at, 'L', append(parts, stroke{points: []point{at}})
				continue
			}
			if len(parts) == 0 {
				return parts
			}
			if parts[len(parts)-1].closed {
				parts = append(parts, stroke{points: []point{at}})
			}
			s := &parts[len(parts)-1]
			switch kind {
			case 'L', 'T', 'A':
				at = place(need - 2)
			case 'H', 'V':
				to := &at.x
				if kind == 'V' {
					to = &at.y
				}
				if *to += v[0]; !relative {
					*to = v[0]
				}
			case 'C', 'S', 'Q':
				b, e := point{2*at.x - control.x, 2*at.y - control.y}, place(need-2)
				if kind != 'S' {
					b = place(0)
				}
				last := place(need - 4)
				s.bend(b, last, e)
				at, control = e, last
				continue
			}
			s.points, control = append(s.points, at), at
		}
	}
	return parts
}
