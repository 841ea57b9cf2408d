package figures

import (
	"cmp"
	"image/color"
	"math"
	"slices"
	"strings"

	"repro/results/claims"
)

// A Ground is what curves are drawn on.
type Ground struct {
	Paper, Ink color.NRGBA
	Colours    [ColourCount]color.NRGBA // of curves
}

// Light is the report's ground, and Dark that of dark screens.
var (
	Light = Ground{grey(0xFF), grey(0x20), lightColours}
	Dark  = Ground{grey(0x18), grey(0xE6), darkColours}
)

func grey(level uint8) color.NRGBA { return color.NRGBA{level, level, level, 0xFF} }

// lightColours are the colours of Okabe and Ito that are visible on white, which readers with any of the common colour vision
// deficiencies can tell apart, and four more for figures of more than seven methods.
var lightColours = [ColourCount]color.NRGBA{
	{0x00, 0x72, 0xB2, 0xFF}, // blue
	{0xD5, 0x5E, 0x00, 0xFF}, // vermilion
	{0x00, 0x9E, 0x73, 0xFF}, // bluish green
	{0xCC, 0x79, 0xA7, 0xFF}, // reddish purple
	{0xE6, 0x9F, 0x00, 0xFF}, // orange
	{0x00, 0x00, 0x00, 0xFF}, // black
	{0x56, 0xB4, 0xE9, 0xFF}, // sky blue
	{0x8C, 0x51, 0x0A, 0xFF}, // brown
	{0x5E, 0x3C, 0x99, 0xFF}, // violet
	{0x70, 0x75, 0x00, 0xFF}, // olive
	{0xB0, 0x00, 0x52, 0xFF}, // crimson
}

// darkColours take the places of lightColours on a dark ground. They are of Paul Tol's light scheme, with white for black.
var darkColours = [ColourCount]color.NRGBA{
	{0x77, 0xAA, 0xDD, 0xFF}, // light blue
	{0xEE, 0x88, 0x66, 0xFF}, // orange
	{0x44, 0xBB, 0x99, 0xFF}, // mint
	{0xFF, 0xAA, 0xBB, 0xFF}, // pink
	{0xEE, 0xDD, 0x88, 0xFF}, // light yellow
	{0xFF, 0xFF, 0xFF, 0xFF}, // white
	{0x99, 0xDD, 0xFF, 0xFF}, // light cyan
	{0xD2, 0xA6, 0x79, 0xFF}, // tan
	{0xB9, 0xA3, 0xE3, 0xFF}, // lavender
	{0xC3, 0xC9, 0x5C, 0xFF}, // light olive
	{0xF0, 0x78, 0xAE, 0xFF}, // rose
}

// Faint returns a colour mixed with the paper.
func (g *Ground) Faint(c color.NRGBA) color.NRGBA {
	const share = 0.6 // of the colour
	mix := func(v, ground uint8) uint8 { return uint8(math.Round(share*float64(v) + (1-share)*float64(ground))) }
	return color.NRGBA{mix(c.R, g.Paper.R), mix(c.G, g.Paper.G), mix(c.B, g.Paper.B), c.A}
}

// dashes are patterns of dash and gap, in units of a line's width at the standard size; the first is solid.
var dashes = [][]float64{
	nil,
	{6, 2.5},
	{1.8, 1.8},
	{7, 2, 1.8, 2},
	{10, 3},
	{4, 1.8, 1.2, 1.8, 1.2, 1.8},
}

// A Marker is a symbol on a curve.
type Marker struct {
	Name    string  // in words
	Corners int     // of a regular polygon; zero is a circle
	Turn    float64 // of its first corner, in radians
	Filled  bool
}

var markers = []Marker{
	{"disc", 0, 0, true},
	{"open square", 4, math.Pi / 4, false},
	{"triangle", 3, math.Pi / 2, true},
	{"open diamond", 4, 0, false},
	{"circle", 0, 0, false},
	{"triangle down", 3, -math.Pi / 2, true},
	{"square", 4, math.Pi / 4, true},
	{"open triangle", 3, math.Pi / 2, false},
}

// A Look is how a curve is drawn on one ground.
type Look struct {
	Colour color.NRGBA
	Dashes []float64 // of dash and gap, in points at the standard size
	Marker Marker    // without a name, there is none
}

// LookOfStyle returns the look of the style with the given number.
func (g *Ground) LookOfStyle(i int) Look {
	if i == TruthStyle {
		return Look{Colour: g.Ink, Dashes: []float64{4, 2}}
	}
	colour, variant := ColourOf(i), i/ColourCount
	return Look{g.Colours[colour], dashes[(colour+variant)%len(dashes)], markers[(colour+3*variant)%len(markers)]}
}

// LookOf returns the look of a line. A line of another run is fainter and dotted, and only a level has a marker.
func (g *Ground) LookOf(l Line) Look {
	look := g.LookOfStyle(l.Style)
	if !l.Beside {
		return look
	}
	look.Colour, look.Dashes = g.Faint(look.Colour), []float64{1.2, 2.2}
	if !l.Level {
		look.Marker = Marker{}
	}
	return look
}

// Names of styles.
const (
	StylePaper  = "paper"
	StyleSlides = "slides"
	StyleDark   = "dark"
)

// StyleNames lists the styles besides the report's, whose name is empty.
var StyleNames = []string{StylePaper, StyleSlides, StyleDark}

// A Style says how a figure is drawn. A field that is zero has the value that the named style has.
type Style struct {
	Name  string  // paper, slides, dark, or empty for the report's
	Width float64 // of the figure in cm; the content chooses the height
	Font  float64 // size of axis labels in points, by which other texts, lines and markers scale
}

// Numbers of styles of curves: every colour comes with variantCount dashes and markers.
const (
	ColourCount  = 11
	variantCount = 6
	StyleCount   = variantCount * ColourCount
)

// TruthStyle is the style of the function that generated the data: a line in the colour of the text, without markers.
const TruthStyle = -1

// ColourOf returns the number of a style's colour.
func ColourOf(style int) int { return style % ColourCount }

// An assignment gives every method of a paper the number of its style, the same in all figures of the paper.
type assignment map[string]int

// assign chooses the styles of the methods in casts, those in most casts first. Two methods of one cast never have the same
// style, and have the same colour only if a cast has more methods than there are colours, or if the colours that are left
// are all taken in other casts. Ids that name one method at different settings have one style: see variants.
func assign(casts []claims.Cast) assignment {
	of := variants(casts)
	in := map[string][]int{} // the casts of each group
	var groups []string
	for i, c := range casts {
		for _, m := range c {
			g := of[m.ID]
			if in[g] == nil {
				groups = append(groups, g)
			}
			if !slices.Contains(in[g], i) {
				in[g] = append(in[g], i)
			}
		}
	}
	slices.SortStableFunc(groups, func(a, b string) int { return cmp.Compare(len(in[b]), len(in[a])) })
	style := map[string]int{}
	for range assignRounds { // later rounds see the styles of all other methods
		for _, g := range groups {
			delete(style, g)
			style[g] = cheapest(func(i int) (taken []int) {
				for _, m := range casts[i] {
					if other, ok := style[of[m.ID]]; ok {
						taken = append(taken, other)
					}
				}
				return taken
			}, in[g])
		}
	}
	out := assignment{}
	for id, g := range of {
		out[id] = style[g]
	}
	return out
}

const assignRounds = 3

// cheapest returns the style that differs most from those taken in the casts in which a method is.
func cheapest(taken func(cast int) []int, casts []int) int {
	costs := make([]int, StyleCount)
	for _, i := range casts {
		for _, other := range taken(i) {
			costs[other] += 1000 // never, while another style is free
			for s := ColourOf(other); s < StyleCount; s += ColourCount {
				costs[s]++
			}
		}
	}
	return slices.Index(costs, slices.Min(costs))
}

// variants groups the ids in casts by method and returns the first id of each id's group. Two ids belong to one group if
// they have the same label, or if one is the other with a suffix, as norma and norma-time, unless a cast has both groups.
func variants(casts []claims.Cast) map[string]string {
	type group struct {
		ids, labels []string
		casts       []int
	}
	var ids []*group
	for i, c := range casts {
		for _, m := range c {
			k := slices.IndexFunc(ids, func(g *group) bool { return g.ids[0] == m.ID })
			if k < 0 {
				k = len(ids)
				ids = append(ids, &group{ids: []string{m.ID}})
			}
			ids[k].labels = AppendNew(ids[k].labels, m.Label)
			ids[k].casts = append(ids[k].casts, i)
		}
	}
	related := func(g, h *group) bool {
		for _, a := range g.ids {
			for _, b := range h.ids {
				if strings.HasPrefix(a, b+"-") || strings.HasPrefix(b, a+"-") {
					return true
				}
			}
		}
		return overlap(g.labels, h.labels)
	}
	var groups []*group
	for _, one := range ids {
		k := slices.IndexFunc(groups, func(g *group) bool { return related(g, one) && !overlap(g.casts, one.casts) })
		if k < 0 {
			groups = append(groups, one)
			continue
		}
		g := groups[k]
		g.ids, g.labels, g.casts = append(g.ids, one.ids...), append(g.labels, one.labels...), append(g.casts, one.casts...)
	}
	of := map[string]string{}
	for _, g := range groups {
		for _, id := range g.ids {
			of[id] = g.ids[0]
		}
	}
	return of
}

// overlap reports whether two lists have an element in common.
func overlap[T comparable](a, b []T) bool {
	return slices.ContainsFunc(a, func(x T) bool { return slices.Contains(b, x) })
}

// Styles returns the number of the style of every series of a figure: its method's in the paper. A further series of a method
// has the method's colour and another dash and marker.
func Styles(exp claims.Experiment, series []claims.Series) []int {
	var casts []claims.Cast
	if exp.Casts != nil {
		casts = exp.Casts()
	}
	all := assign(casts)
	for _, s := range series {
		if _, known := all[s.Method]; !known && s.Method != Truth {
			all = assign(append(slices.Clone(casts), exp.Methods))
			break
		}
	}
	out := make([]int, len(series))
	drawn, used := map[string]bool{}, map[int]bool{}
	again := make([]bool, len(series))
	for k, s := range series {
		out[k] = all[s.Method]
		if s.Method == Truth {
			out[k] = TruthStyle
		}
		again[k] = drawn[s.Method]
		drawn[s.Method], used[out[k]] = true, true
	}
	for k := range series {
		for n := 0; again[k] && used[out[k]] && n < variantCount; n++ {
			out[k] = (out[k] + ColourCount) % StyleCount
		}
		used[out[k]] = true
	}
	return out
}
