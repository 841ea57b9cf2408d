package tracing

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"regexp"
	"strconv"
	"strings"
	"sync/atomic"
	"unicode/utf8"

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
		v := &viewer{drawing: d, ids: map[string]*element{}}
		v.index(root)
		box := numbersIn(root.get("viewBox"))
		if len(box) != 4 {
			box = []float64{0, 0, lengthOf(root.get("width")), lengthOf(root.get("height"))}
		}
		d.width, d.height = box[2], box[3]
		v.draw(root, look{m: matrix{1, 0, 0, 1, -box[0], -box[1]}, fill: "#000000", size: 16}, 0)
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
	open := []*element{{}}
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
			e := &element{name: token.Name.Local, attributes: map[string]string{}}
			for _, a := range token.Attr {
				e.attributes[a.Name.Local] = a.Value
			}
			for _, rule := range strings.Split(e.attributes["style"], ";") {
				if key, value, ok := strings.Cut(rule, ":"); ok {
					if e.style == nil {
						e.style = map[string]string{}
					}
					e.style[strings.TrimSpace(key)] = strings.TrimSpace(value)
				}
			}
			top.children = append(top.children, e)
			open = append(open, e)
		case xml.EndElement:
			if len(open) > 1 {
				open = open[:len(open)-1]
			}
		case xml.CharData:
			if s := string(token); (top.name == "text" || top.name == "tspan") && s != "" {
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
	dashes       string
	size         float64
	anchor       string
}

// A viewer draws elements.
type viewer struct {
	*drawing
	ids map[string]*element
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
	k.m = transformOf(e.get("transform")).then(k.m)
	for key, to := range map[string]*string{"stroke": &k.colour, "fill": &k.fill} {
		if value := e.get(key); value != "" {
			*to = colourOf(value, *to)
		}
	}
	if s := e.get("stroke-dasharray"); s == "none" {
		k.dashes = ""
	} else if s != "" {
		parts := printed.Each(numbersIn(s), func(d float64) string { return printed.Digits(d*k.m.scale(), 2) })
		k.dashes = strings.Join(parts[:min(len(parts), 8)], " ")
	}
	for _, font := range []string{e.get("font-size"), e.get("font")} {
		for _, word := range strings.Fields(font) {
			if n := lengthOf(word); n > 0 && (strings.HasSuffix(word, "px") || strings.HasSuffix(word, "pt") || font == e.get("font-size")) {
				k.size = n
			}
		}
	}
	if a := e.get("text-anchor"); a != "" {
		k.anchor = a
	}
	return k
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
	if depth > mostNesting || len(v.strokes) >= mostParts || e.get("display") == "none" || e.get("visibility") == "hidden" {
		return
	}
	k = k.inherit(e)
	number := func(key string) float64 { return lengthOf(e.attributes[key]) }
	switch e.name {
	case "defs", "clipPath", "symbol", "marker", "pattern", "mask", "metadata", "title", "desc", "style", "script":
		return
	case "image":
		v.pictures++
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
			v.write(label{text: string(rune(code)), from: k.m.of(0, 0), to: k.m.of(width, 0), size: glyphUnits * math.Hypot(k.m[0], k.m[1])})
			return
		}
	}
	if to := v.ids[id]; to != nil && to.name != "svg" {
		if to.name == "symbol" || to.name == "marker" {
			for _, c := range to.children {
				v.draw(c, k.inherit(to), depth+8)
			}
			return
		}
		v.draw(to, k, depth+8) // so that what refers to itself ends soon
	}
}

// paths adds parts of a path with a look.
func (v *viewer) paths(parts []stroke, k look) {
	for _, s := range parts {
		for i, p := range s.points {
			s.points[i] = k.m.of(p.x, p.y)
		}
		s.colour, s.fill, s.dashes = k.colour, k.fill, k.dashes
		if s.colour != "" && !s.closed {
			s.fill = "" // the fill of an open line is black if nobody says otherwise
		}
		v.add(s)
	}
}

// textOf writes a text. Its width is not known; most letters of a number are as wide as 0.556 of their size.
func (v *viewer) textOf(e *element, k look) {
	type piece struct {
		text       string
		size, rise float64
	}
	var pieces []piece
	x, y, rise := lengthOf(e.attributes["x"]), lengthOf(e.attributes["y"]), 0.0
	first := true
	var walk func(e *element, k look, depth int)
	walk = func(e *element, k look, depth int) {
		for _, c := range e.children {
			if c.name == "" {
				if s := strings.TrimSpace(c.text); s != "" && len(pieces) < 100 {
					pieces, first = append(pieces, piece{s, k.size, rise}), false
				}
				continue
			}
			if first && c.attributes["x"] != "" {
				x = lengthOf(c.attributes["x"])
			}
			if first && c.attributes["y"] != "" {
				y = lengthOf(c.attributes["y"])
			}
			rise -= lengthOf(c.attributes["dy"])
			if depth < 8 {
				own := k.inherit(c)
				own.m = k.m
				walk(c, own, depth+1)
			}
		}
	}
	walk(e, k, 0)
	whole := 0.0
	for _, p := range pieces {
		whole += 0.556 * p.size * float64(utf8.RuneCountInString(p.text))
	}
	switch k.anchor {
	case "middle":
		x -= whole / 2
	case "end":
		x -= whole
	}
	for _, p := range pieces {
		w := 0.556 * p.size * float64(utf8.RuneCountInString(p.text))
		v.write(label{text: p.text, from: k.m.of(x, y-p.rise), to: k.m.of(x+w, y-p.rise), size: p.size * k.m.scale()})
		x += w
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

// lengthOf reads a length; a unit other than px and pt counts as these.
func lengthOf(text string) float64 {
	v, _ := strconv.ParseFloat(numeric.FindString(text), 64)
	return v
}

// function matches one map of a transform.
var function = regexp.MustCompile(`(\w+)\s*\(([^)]*)\)`)

// transformOf reads a transform.
func transformOf(text string) matrix {
	m := matrix{1, 0, 0, 1, 0, 0}
	for _, f := range function.FindAllStringSubmatch(text, 32) {
		v := append(numbersIn(f[2]), 0, 0, 0)
		n := len(v) - 3
		var own matrix
		switch {
		case f[1] == "matrix" && n == 6:
			own = matrix(v[:6])
		case f[1] == "translate":
			own = matrix{1, 0, 0, 1, v[0], v[1]}
		case f[1] == "scale" && n == 1:
			own = matrix{v[0], 0, 0, v[0], 0, 0}
		case f[1] == "scale":
			own = matrix{v[0], 0, 0, v[1], 0, 0}
		case f[1] == "rotate":
			s, c := math.Sincos(v[0] * math.Pi / 180)
			own = matrix{1, 0, 0, 1, -v[1], -v[2]}.then(matrix{c, s, -s, c, 0, 0}).then(matrix{1, 0, 0, 1, v[1], v[2]})
		default:
			continue
		}
		m = own.then(m)
	}
	return m
}

// colourOf reads a colour; one that it does not know leaves what was inherited.
func colourOf(text, inherited string) string {
	text = strings.ToLower(strings.TrimSpace(text))
	names := map[string]string{"black": "#000000", "white": "#ffffff", "red": "#ff0000", "green": "#008000", "blue": "#0000ff", "gray": "#808080", "grey": "#808080", "currentcolor": "#000000"}
	switch v := numbersIn(text); {
	case text == "none" || text == "transparent":
		return ""
	case strings.HasPrefix(text, "#") && len(text) == 7:
		return text
	case strings.HasPrefix(text, "#") && len(text) == 4:
		return "#" + strings.Repeat(text[1:2], 2) + strings.Repeat(text[2:3], 2) + strings.Repeat(text[3:4], 2)
	case strings.HasPrefix(text, "rgb") && len(v) >= 3 && strings.Contains(text, "%"):
		return hexOf(v[0]/100, v[1]/100, v[2]/100)
	case strings.HasPrefix(text, "rgb") && len(v) >= 3:
		return hexOf(v[0]/255, v[1]/255, v[2]/255)
	case names[text] != "":
		return names[text]
	}
	return inherited
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
