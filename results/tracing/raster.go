package tracing

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math"
	"slices"
	"strconv"
	"strings"

	"repro/results/printed"
)

// mostPixels bounds the size of a picture.
const mostPixels = 40_000_000

// A Box is a part of a figure, in its units: left, top, right and bottom.
type Box struct {
	Left   float64 `json:"left"`
	Top    float64 `json:"top"`
	Right  float64 `json:"right"`
	Bottom float64 `json:"bottom"`
}

func (b Box) holds(x, y float64) bool {
	return x >= b.Left && x <= b.Right && y >= b.Top && y <= b.Bottom
}

// shows reports whether a place can be seen through a box, whose edge is a line of some width.
func (b Box) shows(x, y float64) bool {
	const slack = 0.75
	return Box{b.Left - slack, b.Top - slack, b.Right + slack, b.Bottom + slack}.holds(x, y)
}

// A Colour is a colour to look for, and the name of its curve.
type Colour struct {
	Name string
	RGB  [3]float64
}

// hex writes it as #rrggbb.
func (c Colour) hex() string { return hexOf(c.RGB[0]/255, c.RGB[1]/255, c.RGB[2]/255) }

// ParseColour reads NAME=#rrggbb.
func ParseColour(text string) (c Colour, err error) {
	i := strings.LastIndex(text, "=")
	hex := strings.TrimPrefix(text[i+1:], "#")
	v, err := strconv.ParseUint(hex, 16, 32)
	if err != nil || len(hex) != 6 {
		return c, fmt.Errorf("want NAME=#rrggbb, as in FOGD=#1f77b4, got %s", printed.Quote(text))
	}
	c.RGB = [3]float64{float64(v >> 16), float64(v >> 8 & 255), float64(v & 255)}
	if c.Name = "#" + hex; i > 0 {
		c.Name = text[:i]
	}
	return c, nil
}

// Pixels are what a picture is read with.
type Pixels struct {
	X, Y    Axis
	Frame   Box // inside the axes; from the outermost ticks if zero
	Without []Box
	Colours []Colour // of the curves; those that are found if there are none
}

// ReadPNG reads the curves of a picture by their colours.
func ReadPNG(text []byte, p Pixels) (*Trace, error) {
	config, err := png.DecodeConfig(bytes.NewReader(text))
	if err != nil {
		return nil, fmt.Errorf("is no PNG that can be read: %w", err)
	}
	if config.Width*config.Height > mostPixels {
		return nil, fmt.Errorf("has %d by %d pixels, and %d can be read; make it smaller", config.Width, config.Height, mostPixels)
	}
	if len(p.X.Ticks) == 0 || len(p.Y.Ticks) == 0 {
		return nil, errors.New("a picture has no tick labels that can be read; give two ticks of each axis by their pixels: --x 27=0,1143=50 --y 430=0,30=60, with log before them for a logarithmic axis")
	}
	img, err := png.Decode(bytes.NewReader(text))
	if err != nil {
		return nil, fmt.Errorf("is no PNG that can be read: %w", err)
	}
	if p.Frame == (Box{}) {
		p.Frame = frameOf(p.X, p.Y)
	}
	whole := img.Bounds()
	p.Frame = Box{max(p.Frame.Left, float64(whole.Min.X)), max(p.Frame.Top, float64(whole.Min.Y)), min(p.Frame.Right, float64(whole.Max.X-1)), min(p.Frame.Bottom, float64(whole.Max.Y-1))}
	s := &sheet{img: img, Pixels: p}
	if len(p.Colours) == 0 {
		s.Colours = s.colours()
	}
	t := &Trace{X: p.X, Y: p.Y, Frame: p.Frame, Width: float64(config.Width), Height: float64(config.Height), Kind: "raster", picture: text}
	for _, c := range s.Colours {
		curve := Curve{Name: c.Name, Colour: c.hex()}
		if inner := s.inside(c); inner != p.Frame {
			return nil, fmt.Errorf("a line along the edge of the axes has the colour of %s, %s, and would be read as part of it; give their inside as --frame %g,%g,%g,%g", printed.Quote(c.Name), curve.Colour, inner.Left, inner.Top, inner.Right, inner.Bottom)
		}
		runs, left := s.chain(c)
		if left > 0.1*(p.Frame.Right-p.Frame.Left) {
			t.warn("of the colour %s (%s) there is more above or below the curve that was read, in a piece of %.0f pixels; --without LEFT,TOP,RIGHT,BOTTOM leaves out what is not the curve", curve.Colour, c.Name, left)
		}
		for _, r := range runs {
			curve.add(t, r.x, r.y, 0.5+p.X.Residual, max(0.5, min(r.half, 1.5))+p.Y.Residual)
		}
		if len(curve.Points) < 3 {
			t.warn("no curve of the colour %s (%s) was found inside the frame", curve.Colour, c.Name)
			continue
		}
		t.Curves = append(t.Curves, curve)
	}
	if len(t.Curves) == 0 {
		return nil, errors.New("no curve was found: give its colour as --curve NAME=#rrggbb, and the inside of the axes as --frame LEFT,TOP,RIGHT,BOTTOM")
	}
	return t, nil
}

// inside returns the frame without the lines of a colour that run along its edges, within three pixels of them.
func (s *sheet) inside(c Colour) Box {
	f := s.Frame
	covered := func(from, to float64, at func(k int) [3]float64) bool {
		n := 0.0
		for k := int(from); k <= int(to); k++ {
			if c.shade(at(k)) > 0 {
				n++
			}
		}
		return n > 0 && n >= 0.97*(math.Floor(to)-math.Floor(from)+1)
	}
	row := func(y float64) bool {
		return covered(f.Left, f.Right, func(x int) [3]float64 { return s.at(x, int(y)) })
	}
	column := func(x float64) bool {
		return covered(f.Top, f.Bottom, func(y int) [3]float64 { return s.at(int(x), y) })
	}
	inner := f
	for d := 0.0; d < 4; d++ {
		if row(f.Top + d) {
			inner.Top = f.Top + d + 1
		}
		if row(f.Bottom - d) {
			inner.Bottom = f.Bottom - d - 1
		}
		if column(f.Left + d) {
			inner.Left = f.Left + d + 1
		}
		if column(f.Right - d) {
			inner.Right = f.Right - d - 1
		}
	}
	return inner
}

// frameOf returns the box of the outermost ticks.
func frameOf(x, y Axis) Box {
	at := func(a, b Tick) int { return cmp.Compare(a.At, b.At) }
	return Box{slices.MinFunc(x.Ticks, at).At, slices.MinFunc(y.Ticks, at).At, slices.MaxFunc(x.Ticks, at).At, slices.MaxFunc(y.Ticks, at).At}
}

// A sheet is a picture that is read.
type sheet struct {
	img image.Image
	Pixels
}

// at returns a pixel on a white ground.
func (s *sheet) at(x, y int) [3]float64 {
	c := color.NRGBAModel.Convert(s.img.At(x, y)).(color.NRGBA)
	a := float64(c.A) / 255
	return [3]float64{255 + a*(float64(c.R)-255), 255 + a*(float64(c.G)-255), 255 + a*(float64(c.B)-255)}
}

// seen reports whether a pixel is not left out.
func (s *sheet) seen(x, y float64) bool {
	return !slices.ContainsFunc(s.Without, func(b Box) bool { return b.holds(x, y) })
}

// colours finds the colours of curves: those that are no shade of grey and that many pixels have exactly, in most columns first.
func (s *sheet) colours() (all []Colour) {
	columns := map[[3]int]map[int]bool{}
	for x := int(s.Frame.Left); x <= int(s.Frame.Right); x++ {
		for y := int(s.Frame.Top); y <= int(s.Frame.Bottom); y++ {
			p := s.at(x, y)
			key := [3]int{int(p[0]), int(p[1]), int(p[2])}
			if slices.Max(key[:])-slices.Min(key[:]) < 40 || !s.seen(float64(x), float64(y)) {
				continue
			}
			if columns[key] == nil {
				if len(columns) > 10_000 {
					continue
				}
				columns[key] = map[int]bool{}
			}
			columns[key][x] = true
		}
	}
	var keys [][3]int
	for key, in := range columns {
		if len(in) >= 12 && float64(len(in)) > 0.02*(s.Frame.Right-s.Frame.Left) {
			keys = append(keys, key)
		}
	}
	slices.SortFunc(keys, func(a, b [3]int) int {
		return cmp.Or(cmp.Compare(len(columns[b]), len(columns[a])), slices.Compare(a[:], b[:]))
	})
	for _, key := range keys {
		c := Colour{RGB: [3]float64{float64(key[0]), float64(key[1]), float64(key[2])}}
		c.Name = c.hex()
		if len(all) < mostCurves && !slices.ContainsFunc(all, func(o Colour) bool { return o.near(c.RGB) || o.shade(c.RGB) > 0 }) {
			all = append(all, c)
		}
	}
	return all
}

// mostCurves bounds the curves of a figure.
const mostCurves = 64

func (c Colour) near(p [3]float64) bool {
	return math.Abs(c.RGB[0]-p[0])+math.Abs(c.RGB[1]-p[1])+math.Abs(c.RGB[2]-p[2]) < 60
}

// shade returns how much of the colour a pixel has, if it is a mixture with white: 0 if it is another colour.
func (c Colour) shade(p [3]float64) float64 {
	var dot, square float64
	for k := range p {
		dot += (255 - p[k]) * (255 - c.RGB[k])
		square += (255 - c.RGB[k]) * (255 - c.RGB[k])
	}
	a := min(1.05, dot/square)
	off := 0.0
	for k := range p {
		off += math.Abs(255 - a*(255-c.RGB[k]) - p[k])
	}
	if a < 0.4 || off > 40 {
		return 0
	}
	return min(a, 1)
}

// A run is a stretch of pixels of one column that a curve covers.
type run struct{ x, y, half, top, bottom float64 }

// runs returns those of a column.
func (s *sheet) runs(c Colour, x int) (all []run) {
	weight, sum, from := 0.0, 0.0, -1
	for y := int(s.Frame.Top); y <= int(s.Frame.Bottom)+1; y++ {
		a := 0.0
		if y <= int(s.Frame.Bottom) && s.seen(float64(x), float64(y)) {
			a = c.shade(s.at(x, y))
		}
		switch {
		case a > 0:
			if from < 0 {
				from = y
			}
			weight, sum = weight+a, sum+a*float64(y)
		case from >= 0:
			if weight >= 0.7 {
				all = append(all, run{float64(x), sum / weight, weight / 2, float64(from), float64(y - 1)})
			}
			weight, sum, from = 0, 0, -1
		}
	}
	return all
}

// chain returns the curve of a colour: the stretches of pixels that touch from column to column, joined into chains, of which the
// longest and those beside it are kept. A swatch in a legend lies over or under a longer chain and is left out, as wide as left.
func (s *sheet) chain(c Colour) (curve []run, left float64) {
	var open, done [][]run
	for x := int(math.Ceil(s.Frame.Left)); x <= int(s.Frame.Right); x++ {
		runs := s.runs(c, x)
		after := follow(open, runs)
		var next [][]run
		for i, chain := range open {
			switch k := slices.Index(after, i); {
			case k >= 0:
				next = append(next, append(chain, runs[k]))
			case float64(x)-chain[len(chain)-1].x < 4:
				next = append(next, chain)
			default:
				done = append(done, chain)
			}
		}
		for k, r := range runs {
			if after[k] < 0 {
				next = append(next, []run{r})
			}
		}
		open = next
	}
	done = append(done, open...)
	slices.SortStableFunc(done, func(a, b []run) int { return cmp.Compare(len(b), len(a)) })
	var kept [][]run
	for _, chain := range done {
		from, to := chain[0].x, chain[len(chain)-1].x
		switch over := slices.ContainsFunc(kept, func(k []run) bool { return from <= k[len(k)-1].x && to >= k[0].x }); {
		case over:
			left = max(left, to-from)
		case len(chain) >= 3:
			kept = append(kept, chain)
		}
	}
	slices.SortFunc(kept, func(a, b []run) int { return cmp.Compare(a[0].x, b[0].x) })
	return sharpened(slices.Concat(kept...)), left
}

// follow returns which chain each run of a column goes on, -1 for none: those first that lie closest to the end of a chain.
func follow(chains [][]run, runs []run) (after []int) {
	after = slices.Repeat([]int{-1}, len(runs))
	type pair struct {
		run, chain int
		far        float64
	}
	var pairs []pair
	for k, r := range runs {
		for i, chain := range chains {
			end := chain[len(chain)-1]
			gap := max(0, end.top-r.bottom, r.top-end.bottom) + 0.5*(r.x-end.x-1)
			if gap < 2.5 {
				pairs = append(pairs, pair{k, i, gap + 0.05*math.Abs(end.y-r.y)})
			}
		}
	}
	slices.SortStableFunc(pairs, func(a, b pair) int { return cmp.Compare(a.far, b.far) })
	for _, p := range pairs {
		if after[p.run] < 0 && !slices.Contains(after, p.chain) {
			after[p.run] = p.chain
		}
	}
	return after
}

// sharpened returns a curve without the columns in which another curve hides most of it, and with peaks at the edge of the line and not
// in the middle of the flanks that a column has beside them.
func sharpened(curve []run) (out []run) {
	var thick []float64
	for _, r := range curve {
		thick = append(thick, 2*r.half)
	}
	if len(thick) == 0 {
		return nil
	}
	slices.Sort(thick)
	width := thick[len(thick)/3] // of flat parts
	for i, r := range curve {
		if 2*r.half < 0.55*width {
			continue
		}
		if i > 0 && i < len(curve)-1 && 2*r.half > 1.2*width {
			switch before, after := curve[i-1], curve[i+1]; {
			case before.y > r.y+0.2 && after.y > r.y+0.2:
				r.y = min(r.y, r.top+width/2)
			case before.y < r.y-0.2 && after.y < r.y-0.2:
				r.y = max(r.y, r.bottom-width/2)
			}
		}
		out = append(out, r)
	}
	return out
}
