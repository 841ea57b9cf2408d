package tracing

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"regexp"
	"runtime/metrics"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
	"unicode/utf16"

	"github.com/ledongthuc/pdf"

	"repro/results/printed"
)

// Bounds of what a file may cost: its bytes, the time and the memory of reading it.
const (
	MostBytes  = 64 << 20
	mostTime   = 30 * time.Second
	mostMemory = 1 << 30
)

// ReadPDF reads the curves of a figure on a page of a PDF, counted from 1. Page 0 is the only one.
func ReadPDF(text []byte, page int, p Paths) (t *Trace, err error) {
	if !bytes.HasPrefix(text, []byte("%PDF-")) {
		return nil, errors.New("is no PDF: it does not begin with %PDF-")
	}
	if wrong := oversized(text); wrong != "" {
		return nil, fmt.Errorf("is damaged or made to harm: %s", wrong)
	}
	return bounded(func(stop *atomic.Bool) (*Trace, error) {
		r, err := pdf.NewReader(bytes.NewReader(text), int64(len(text)))
		if err != nil {
			if strings.Contains(strings.ToLower(err.Error()), "encrypt") || strings.Contains(strings.ToLower(err.Error()), "password") {
				return nil, errors.New("is encrypted; save a copy without a password, such as with qpdf --decrypt")
			}
			return nil, fmt.Errorf("cannot be read as a PDF: %w; print it to a new file", err)
		}
		n := r.NumPage()
		switch {
		case page > n:
			return nil, fmt.Errorf("has %s; there is no page %d", printed.Count(n, "page"), page)
		case page == 0 && n > 1:
			return nil, fmt.Errorf("has %d pages; choose one with --page", n)
		}
		d, err := drawingOf(r.Page(max(1, page)), stop)
		if err != nil {
			return nil, err
		}
		return d.read(p)
	})
}

// sizes matches numbers of a PDF by which memory is taken.
var sizes = regexp.MustCompile(`/(Size|Columns|Colors|BitsPerComponent)\s+(\d+)|/W\s*\[([\d\s]*)\]|\b(\d{8,})\s+\d+\s*\r?\n\d{10} `)

// oversized returns a size that no file of these bytes can have; empty if there is none.
func oversized(text []byte) string {
	for _, m := range sizes.FindAllSubmatch(text, 100_000) {
		most, digits := int64(len(text)), []string{string(m[2]), string(m[4])}
		if string(m[1]) != "Size" {
			most = 1 << 20
		}
		if len(m[3]) > 0 && len(m[3]) < 40 { // of the fields of a table, or the widths of letters
			digits = nil
		}
		for _, text := range digits {
			if v, err := strconv.ParseInt(text, 10, 64); text != "" && (err != nil || v > most) {
				return fmt.Sprintf("it has %s", printed.Quote(string(bytes.TrimSpace(m[0]))))
			}
		}
	}
	return ""
}

// bounded runs what reads a file, which may panic, and stops waiting for it once it takes too long or too much memory.
func bounded(read func(stop *atomic.Bool) (*Trace, error)) (t *Trace, err error) {
	type result struct {
		t   *Trace
		err error
	}
	var stop atomic.Bool
	done := make(chan result, 1)
	go func() {
		defer func() {
			if v := recover(); v != nil {
				done <- result{nil, fmt.Errorf("cannot be read, it is damaged: %.200v; print it to a new file", v)}
			}
		}()
		t, err := read(&stop)
		done <- result{t, err}
	}()
	began, before := time.Now(), heap()
	for {
		select {
		case r := <-done:
			return r.t, r.err
		case <-time.After(10 * time.Millisecond):
		}
		switch {
		case time.Since(began) > mostTime:
			stop.Store(true)
			return nil, fmt.Errorf("takes more than %v to read; save the page with the figure alone", mostTime)
		case heap() > before+mostMemory:
			stop.Store(true)
			return nil, errors.New("takes more than 1 GiB to read; save the page with the figure alone")
		}
	}
}

// heap returns the bytes that objects take.
func heap() uint64 {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}

// A matrix maps (x, y) to (a·x + c·y + e, b·x + d·y + f).
type matrix [6]float64

func (m matrix) of(x, y float64) point {
	return point{m[0]*x + m[2]*y + m[4], m[1]*x + m[3]*y + m[5]}
}

// then returns the map that applies m first.
func (m matrix) then(n matrix) matrix {
	return matrix{
		m[0]*n[0] + m[1]*n[2], m[0]*n[1] + m[1]*n[3],
		m[2]*n[0] + m[3]*n[2], m[2]*n[1] + m[3]*n[3],
		m[4]*n[0] + m[5]*n[2] + n[4], m[4]*n[1] + m[5]*n[3] + n[5],
	}
}

// scale returns by how much a length grows.
func (m matrix) scale() float64 { return math.Sqrt(math.Abs(m[0]*m[3] - m[1]*m[2])) }

// dashes writes a pattern of dashes, in units of the figure.
func (m matrix) dashes(list []float64) string {
	return strings.Join(printed.Each(list[:min(len(list), 8)], func(d float64) string { return printed.Digits(d*m.scale(), 2) }), " ")
}

// A pen is the state with which a page draws.
type pen struct {
	m            matrix
	colour, fill string
	dashes       string
	font         *face
	size, stretch, leading, rise,
	letters, words float64
	clip             Box  // what can be seen; zero if all
	noStroke, noFill bool // with an opacity of 0
	hidden           bool // letters are not painted
}

// A painter draws the content of a page into a drawing.
type painter struct {
	*drawing
	pen
	saved     []pen
	line, at  matrix // of text
	parts     []stroke
	clipping  bool // with the path, once it is painted
	vertices  int
	resources pdf.Value
	fonts     map[string]*face
	depth     int
	work      int
	stop      *atomic.Bool
}

// Bounds of a page: how deep forms lie in each other, and its operators.
const (
	mostDepth = 12
	mostWork  = 5_000_000
)

// drawingOf returns what a page draws.
func drawingOf(page pdf.Page, stop *atomic.Bool) (*drawing, error) {
	if page.V.IsNull() {
		return nil, errors.New("has no such page")
	}
	box := [4]float64{0, 0, 612, 792}
	inherited := func(key string) pdf.Value {
		v := page.V
		for range 32 {
			if k := v.Key(key); !k.IsNull() {
				return k
			}
			v = v.Key("Parent")
		}
		return pdf.Value{}
	}
	if b := inherited("MediaBox"); b.Len() == 4 {
		for i := range box {
			box[i] = b.Index(i).Float64()
		}
	}
	w, h := math.Abs(box[2]-box[0]), math.Abs(box[3]-box[1])
	left, bottom := min(box[0], box[2]), min(box[1], box[3])
	m := matrix{1, 0, 0, -1, -left, bottom + h}
	switch turn := (int(inherited("Rotate").Int64())%360 + 360) % 360; turn {
	case 90:
		m, w, h = matrix{0, 1, 1, 0, -bottom, -left}, h, w
	case 180:
		m = matrix{-1, 0, 0, 1, left + w, -bottom}
	case 270:
		m, w, h = matrix{0, -1, -1, 0, bottom + h, left + w}, h, w
	}
	d := &drawing{width: w, height: h}
	p := &painter{drawing: d, stop: stop, resources: inherited("Resources"), fonts: map[string]*face{}}
	p.pen = pen{m: m, colour: "#000000", fill: "#000000", stretch: 1}
	p.run(page.V.Key("Contents"))
	d.assemble()
	return d, nil
}

// mostContent bounds the bytes of the content of a page.
const mostContent = 256 << 20

// contentOf returns the bytes of a stream, or of several in a row.
func contentOf(stream pdf.Value) io.Reader {
	if stream.Kind() != pdf.Array {
		return io.LimitReader(stream.Reader(), mostContent)
	}
	var all []io.Reader
	for i := range min(stream.Len(), 10_000) {
		all = append(all, stream.Index(i).Reader(), strings.NewReader("\n"))
	}
	return io.LimitReader(io.MultiReader(all...), mostContent)
}

// run draws a stream.
func (p *painter) run(stream pdf.Value) {
	if k := stream.Kind(); k != pdf.Stream && k != pdf.Array {
		return
	}
	err := interpret(contentOf(stream), func(op string, args []operand) {
		if p.work++; p.work > mostWork {
			panic("it has more than 5 million operators")
		}
		if p.stop.Load() {
			panic("stopped")
		}
		p.do(op, args)
	})
	if err != nil {
		panic(err)
	}
}

// numbersOf returns the numbers among the last n operands; ok is false if there are fewer.
func numbersOf(args []operand, n int) (v []float64, ok bool) {
	if len(args) < n {
		return nil, false
	}
	for _, a := range args[len(args)-n:] {
		v = append(v, a.number)
	}
	return v, true
}

// operands are how many numbers operators need; others are checked where they are done.
var operands = map[string]int{
	"cm": 6, "RG": 3, "rg": 3, "G": 1, "g": 1, "K": 4, "k": 4, "m": 2, "l": 2, "c": 6, "v": 4, "y": 4, "re": 4,
	"Td": 2, "TD": 2, "Tm": 6, "Tc": 1, "Tw": 1, "Tz": 1, "TL": 1, "Ts": 1, "Tr": 1,
}

// do executes an operator.
func (p *painter) do(op string, args []operand) {
	v, ok := numbersOf(args, operands[op])
	if !ok {
		return
	}
	switch op {
	case "q":
		if len(p.saved) < 1000 {
			p.saved = append(p.saved, p.pen)
		}
	case "Q":
		if n := len(p.saved); n > 0 {
			p.pen, p.saved = p.saved[n-1], p.saved[:n-1]
		}
	case "cm":
		p.m = matrix(v).then(p.m)
	case "d":
		if p.dashes = ""; len(args) > 0 {
			list, _ := numbersOf(args[0].list, len(args[0].list))
			p.dashes = p.m.dashes(list)
		}
	case "m", "l", "c", "v", "y", "re", "h":
		p.path(op, v)
	case "S", "s", "f", "F", "f*", "B", "B*", "b", "b*", "n":
		p.paint(op)
	case "Do":
		if len(args) > 0 {
			p.form(args[0].name)
		}
	case "EI":
		p.picture(corners(p.m, Box{0, 0, 1, 1}), p.clip)
	case "W", "W*":
		p.clipping = true
	case "Tr":
		p.hidden = v[0] == 3 || v[0] == 7
	case "gs":
		if len(args) > 0 {
			p.state(p.resources.Key("ExtGState").Key(args[0].name))
		}
	default:
		if !p.ink(op, args, v) {
			p.text(op, args, v)
		}
	}
}

// ink sets a colour, and reports whether that is what the operator does.
func (p *painter) ink(op string, args []operand, v []float64) bool {
	to := &p.fill
	if op[0] >= 'A' && op[0] <= 'Z' {
		to = &p.colour
	}
	switch op {
	case "RG", "rg", "G", "g", "K", "k":
	case "SC", "SCN", "sc", "scn":
		if v = nil; len(args) > 0 && len(args) <= 4 {
			v, _ = numbersOf(args, len(args))
		}
	case "CS", "cs":
		v = []float64{0}
	default:
		return false
	}
	switch len(v) {
	case 1:
		*to = hexOf(v[0], v[0], v[0])
	case 3:
		*to = hexOf(v[0], v[1], v[2])
	case 4:
		*to = hexOf((1-v[0])*(1-v[3]), (1-v[1])*(1-v[3]), (1-v[2])*(1-v[3]))
	}
	return true
}

// hexOf writes a colour of shares.
func hexOf(r, g, b float64) string {
	part := func(v float64) int { return int(math.Round(255 * max(0, min(1, v)))) }
	return fmt.Sprintf("#%02x%02x%02x", part(r), part(g), part(b))
}

// path adds to the path.
func (p *painter) path(op string, v []float64) {
	if p.vertices++; p.vertices > mostVertices {
		p.full = true
		return
	}
	n := len(p.parts)
	switch {
	case op == "m":
		p.parts = append(p.parts, stroke{points: []point{p.m.of(v[0], v[1])}})
		return
	case op == "re":
		x, y, w, h := v[0], v[1], v[2], v[3]
		p.parts = append(p.parts, stroke{closed: true, points: []point{p.m.of(x, y), p.m.of(x+w, y), p.m.of(x+w, y+h), p.m.of(x, y+h)}})
		return
	case n == 0:
		return
	}
	s := &p.parts[n-1]
	switch op {
	case "l":
		s.points = append(s.points, p.m.of(v[0], v[1]))
	case "h":
		s.closed = true
	case "c":
		s.bend(p.m.of(v[0], v[1]), p.m.of(v[2], v[3]), p.m.of(v[4], v[5]))
	case "v":
		s.bend(s.points[len(s.points)-1], p.m.of(v[0], v[1]), p.m.of(v[2], v[3]))
	case "y":
		s.bend(p.m.of(v[0], v[1]), p.m.of(v[2], v[3]), p.m.of(v[2], v[3]))
	}
}

// bend adds a Bézier curve in eight pieces.
func (s *stroke) bend(b, c, d point) {
	a := s.points[len(s.points)-1]
	for i := 1; i <= 8; i++ {
		t := float64(i) / 8
		u := 1 - t
		s.points = append(s.points, point{
			u*u*u*a.x + 3*u*u*t*b.x + 3*u*t*t*c.x + t*t*t*d.x,
			u*u*u*a.y + 3*u*u*t*b.y + 3*u*t*t*c.y + t*t*t*d.y,
		})
	}
}

// paint draws the path and begins a new one.
func (p *painter) paint(op string) {
	for _, s := range p.parts {
		if op == "s" || op == "b" || op == "b*" {
			s.closed = true
		}
		if strings.ContainsAny(op, "SsBb") && !p.noStroke {
			s.colour, s.dashes = p.colour, p.dashes
		}
		if strings.ContainsAny(op, "fFBb") && !p.noFill {
			s.fill = p.fill
		}
		s.clip = p.clip
		p.add(s)
	}
	if p.clipping && len(p.parts) > 0 {
		p.clip = clipped(p.clip, p.parts)
	}
	p.parts, p.clipping = nil, false
}

// state sets what an ExtGState says of opacity.
func (p *painter) state(s pdf.Value) {
	for key, to := range map[string]*bool{"CA": &p.noStroke, "ca": &p.noFill} {
		if v := s.Key(key); !v.IsNull() {
			*to = v.Float64() == 0
		}
	}
}

// minus ends the name of a form that draws a letter, as matplotlib does for those beyond the first 256.
const minus = "-minus"

// form draws a form.
func (p *painter) form(name string) {
	x := p.resources.Key("XObject").Key(name)
	switch x.Key("Subtype").Name() {
	case "Image":
		p.picture(corners(p.m, Box{0, 0, 1, 1}), p.clip)
		return
	case "Form":
	default:
		return
	}
	if strings.HasSuffix(name, minus) {
		p.write(label{text: "-", from: p.m.of(0, 0), to: p.m.of(838, 0), size: 1000 * p.m.scale()})
		return
	}
	if strings.Contains(name, "-") && p.m.scale() < 0.1 { // another letter
		p.write(label{text: "?", from: p.m.of(0, 0), to: p.m.of(600, 0), size: 1000 * p.m.scale()})
		return
	}
	if p.depth >= mostDepth {
		return
	}
	before, resources, fonts, saved, parts := p.pen, p.resources, p.fonts, p.saved, p.parts
	if r := x.Key("Resources"); !r.IsNull() {
		p.resources, p.fonts = r, map[string]*face{}
	}
	if m := x.Key("Matrix"); m.Len() == 6 {
		var own matrix
		for i := range own {
			own[i] = m.Index(i).Float64()
		}
		p.m = own.then(p.m)
	}
	p.saved, p.parts = nil, nil
	p.depth++
	p.run(x)
	p.depth--
	p.pen, p.resources, p.fonts, p.saved, p.parts = before, resources, fonts, saved, parts
}

// text executes an operator of text.
func (p *painter) text(op string, args []operand, v []float64) {
	switch op {
	case "BT":
		p.line, p.at = matrix{1, 0, 0, 1, 0, 0}, matrix{1, 0, 0, 1, 0, 0}
	case "Tf":
		if len(args) >= 2 {
			p.font, p.size = p.face(args[0].name), args[1].number
		}
	case "Tc":
		p.letters = v[0]
	case "Tw":
		p.words = v[0]
	case "Tz":
		p.stretch = v[0] / 100
	case "TL":
		p.leading = v[0]
	case "Ts":
		p.rise = v[0]
	case "TD":
		p.leading = -v[1]
		p.move(v[0], v[1])
	case "Td":
		p.move(v[0], v[1])
	case "Tm":
		p.line = matrix(v)
		p.at = p.line
	case "T*":
		p.move(0, -p.leading)
	case "Tj", "'", `"`:
		if op != "Tj" {
			p.move(0, -p.leading)
		}
		if n := len(args); n > 0 {
			p.show(args[n-1].text)
		}
	case "TJ":
		if len(args) > 0 {
			for _, e := range args[0].list {
				if e.kind == 's' {
					p.show(e.text)
				} else {
					p.advance(-e.number / 1000 * p.size * p.stretch)
				}
			}
		}
	}
}

func (p *painter) move(x, y float64) {
	p.line = matrix{1, 0, 0, 1, x, y}.then(p.line)
	p.at = p.line
}

func (p *painter) advance(w float64) { p.at = matrix{1, 0, 0, 1, w, 0}.then(p.at) }

// show writes a string with the font.
func (p *painter) show(raw string) {
	if p.font == nil || raw == "" || len(raw) > 10_000 {
		return
	}
	m := p.at.then(p.m)
	width := 0.0
	for _, code := range p.font.codes(raw) {
		width += p.font.width(code)*p.size + p.letters
		if code == ' ' && !p.font.wide {
			width += p.words
		}
	}
	width *= p.stretch
	if !p.hidden {
		p.write(label{text: p.font.decode(raw), from: m.of(0, p.rise), to: m.of(width, p.rise), size: math.Abs(p.size) * math.Hypot(m[2], m[3])})
	}
	p.advance(width)
}

// A face is a font.
type face struct {
	wide   bool // two bytes a letter
	decode func(raw string) string
	widths map[int]float64 // of letters, in units of the size
	other  float64         // of letters without one
}

func (f *face) width(code int) float64 {
	if w, ok := f.widths[code]; ok {
		return w
	}
	return f.other
}

func (f *face) codes(raw string) (all []int) {
	step := 1
	if f.wide {
		step = 2
	}
	for i := 0; i+step <= len(raw); i += step {
		code := int(raw[i])
		if f.wide {
			code = code<<8 | int(raw[i+1])
		}
		all = append(all, code)
	}
	return all
}

// mostLetters bounds the widths of a font.
const mostLetters = 1 << 16

// face returns the font of a name.
func (p *painter) face(name string) *face {
	if f := p.fonts[name]; f != nil {
		return f
	}
	v := p.resources.Key("Font").Key(name)
	f := &face{widths: map[int]float64{}, other: 0.556, wide: v.Key("Subtype").Name() == "Type0"}
	if m := v.Key("ToUnicode"); m.Kind() == pdf.Stream { // its map of letters
		f.decode = f.decoder(stretchesOf(m.Reader()))
	} else {
		f.decode = (&pdf.Font{V: v}).Encoder().Decode
	}
	unit := 0.001
	if m := v.Key("FontMatrix"); m.Len() == 6 {
		unit = m.Index(0).Float64()
	}
	if f.wide {
		of := v.Key("DescendantFonts").Index(0)
		f.other = 1
		if w := of.Key("DW"); !w.IsNull() {
			f.other = unit * w.Float64()
		}
		f.wideWidths(of.Key("W"), unit)
	} else {
		first, list := int(v.Key("FirstChar").Int64()), v.Key("Widths")
		for i := range min(list.Len(), 256) {
			f.widths[first+i] = unit * list.Index(i).Float64()
		}
	}
	p.fonts[name] = f
	return f
}

// A stretch is a range of letters of a font and the text of the first, whose last letter grows with theirs.
type stretch struct {
	from, to int
	text     []rune
}

// decoder returns what turns strings into text by a map of letters.
func (f *face) decoder(all []stretch) func(raw string) string {
	return func(raw string) string {
		var text []rune
		for _, code := range f.codes(raw) {
			i, found := slices.BinarySearchFunc(all, code, func(s stretch, code int) int { return cmp.Compare(s.from, code) })
			if !found {
				i--
			}
			if i < 0 || code > all[i].to || len(all[i].text) == 0 {
				text = append(text, '?')
				continue
			}
			text = append(text, all[i].text...)
			text[len(text)-1] += rune(code - all[i].from)
		}
		return string(text)
	}
}

// stretchesOf reads a map of letters up to where it is damaged, in the order of the letters.
func stretchesOf(r io.Reader) (all []stretch) {
	code := func(o operand) (v int) {
		for _, b := range []byte(o.text[:min(len(o.text), 2)]) {
			v = v<<8 | int(b)
		}
		return v
	}
	text := func(o operand) (letters []rune) {
		var units []uint16
		for i := 0; i+1 < min(len(o.text), 64); i += 2 {
			units = append(units, uint16(o.text[i])<<8|uint16(o.text[i+1]))
		}
		return utf16.Decode(units)
	}
	interpret(io.LimitReader(r, 4<<20), func(op string, args []operand) {
		step := map[string]int{"endbfchar": 2, "endbfrange": 3}[op]
		for ; step > 0 && len(args) >= step && len(all) < mostLetters; args = args[step:] {
			from, to, last := code(args[0]), code(args[step-2]), args[step-1]
			if last.kind != '[' {
				all = append(all, stretch{from, to, text(last)})
			}
			for k, o := range last.list {
				all = append(all, stretch{from + k, from + k, text(o)})
			}
		}
	})
	slices.SortStableFunc(all, func(a, b stretch) int { return cmp.Compare(a.from, b.from) })
	return all
}

// wideWidths reads the widths of a font with two bytes a letter: c [w1 w2 …] or first last w.
func (f *face) wideWidths(list pdf.Value, unit float64) {
	for i := 0; i+1 < min(list.Len(), mostLetters) && len(f.widths) < mostLetters; {
		first, second := int(list.Index(i).Int64()), list.Index(i+1)
		if second.Kind() == pdf.Array {
			for k := range min(second.Len(), mostLetters) {
				f.widths[first+k] = unit * second.Index(k).Float64()
			}
			i += 2
			continue
		}
		for c := first; c <= min(int(second.Int64()), first+mostLetters); c++ {
			f.widths[c] = unit * list.Index(i+2).Float64()
		}
		i += 3
	}
}
