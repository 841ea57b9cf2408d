package plots

import (
	"bytes"
	"encoding/json"
	"fmt"
	"html/template"
	"math"
	"slices"
	"strconv"

	"repro/plots/web"
	"repro/results/claims"
	"repro/results/records"
	"repro/results/stats"
)

// A liveData is what the page's script needs of an experiment, as JSON: its figures and, once for all of them, the costs at the
// steps of the points of curves.
type liveData struct {
	ID      string       `json:"id"`
	Costs   []liveCost   `json:"costs"` // that a reader can put on the horizontal axis
	Grids   []liveGrid   `json:"grids"`
	Figures []liveFigure `json:"figures"`

	grids map[string]int // index by content
}

type liveCost struct {
	Name  string `json:"name"`
	Label string `json:"label"`
}

// newLiveData returns the data of an experiment without figures.
func newLiveData(id string) *liveData {
	d := &liveData{ID: id}
	for _, a := range records.Abscissae {
		if a.Chosen {
			d.Costs = append(d.Costs, liveCost{a.Name, a.Label()})
		}
	}
	return d
}

// A liveGrid holds the costs at the points of a curve by the name of the abscissa: the values, or the factor by which they are larger
// than those of step.
type liveGrid map[string]any

type liveFigure struct {
	ID       string     `json:"id"`
	Title    string     `json:"title"`
	Note     string     `json:"note,omitempty"` // of curves; the drawing of maps has it
	X        liveAxis   `json:"x"`
	Y        liveAxis   `json:"y"`
	Abscissa string     `json:"abscissa,omitempty"` // of x, if it is a cost
	Lines    []liveLine `json:"lines"`
	Marks    []liveMark `json:"marks,omitempty"`
	Guides   []Guide    `json:"guides,omitempty"`
	Dots     *liveDots  `json:"dots,omitempty"`
	Maps     []liveMap  `json:"maps,omitempty"`  // in place of lines
	Value    string     `json:"value,omitempty"` // the words for the colour of maps
	Classes  []string   `json:"classes,omitempty"`
	Band     string     `json:"band,omitempty"` // the words for Low and High of maps
	Step     float64    `json:"step,omitempty"` // of the values of maps
}

// A liveMap is a heat map. Its values are row by row, from the smallest y on. If the figure has steps, they are numbers of
// steps, each less the finite one before it, which compresses best.
type liveMap struct {
	Title string   `json:"title"`
	At    [4]int   `json:"at"` // its place in the drawing: left, top, width and height
	X     digits   `json:"x"`
	Y     digits   `json:"y"`
	Z     digits   `json:"z"`
	Low   digits   `json:"low,omitempty"`
	High  digits   `json:"high,omitempty"`
	Seeds []uint64 `json:"seeds,omitempty"`
	Runs  []digits `json:"runs,omitempty"` // the values of each seed
}

type liveAxis struct {
	Label   string    `json:"label"`
	Log     bool      `json:"log,omitempty"`
	Decimal bool      `json:"decimal,omitempty"` // how powers of ten are labelled
	Range   []float64 `json:"range,omitempty"`
}

type liveLine struct {
	Label  string   `json:"label"`
	Method string   `json:"method,omitempty"`
	Style  liveLook `json:"style"`
	Grid   *int     `json:"grid,omitempty"` // of the costs at the points; nil if they have none
	X      digits   `json:"x,omitempty"`
	Y      digits   `json:"y"`
	Low    digits   `json:"low,omitempty"`
	High   digits   `json:"high,omitempty"`
	Breaks digits   `json:"breaks,omitempty"`
	Level  bool     `json:"level,omitempty"`
	Points bool     `json:"points,omitempty"` // single points with bars
	Beside bool     `json:"beside,omitempty"` // of another run
	Seeds  []uint64 `json:"seeds,omitempty"`
	Runs   []digits `json:"runs,omitempty"` // the values of each seed, at the points of the line
}

// A liveLook is a curveStyle.
type liveLook struct {
	Colour  string  `json:"colour"`
	Night   string  `json:"night"` // colour on a dark background
	Dashes  digits  `json:"dashes,omitempty"`
	Corners int     `json:"corners"`
	Turn    float64 `json:"turn,omitempty"`
	Filled  bool    `json:"filled,omitempty"`
	Bare    bool    `json:"bare,omitempty"` // without a marker
}

type liveMark struct {
	X      *float64 `json:"x"` // null for a line across the figure
	Y      float64  `json:"y"`
	Low    float64  `json:"low"`
	High   float64  `json:"high"`
	Label  string   `json:"label,omitempty"`
	Origin string   `json:"origin"`
	Line   int      `json:"line"`             // that the value is compared with
	Common bool     `json:"common,omitempty"` // the label is for the marks of all lines
	Claim  string   `json:"claim"`
}

type liveDots struct {
	Label   string   `json:"label"`
	X       digits   `json:"x"`
	Y       digits   `json:"y"`
	Classes []string `json:"classes,omitempty"` // drawn at the edges
}

// digits are numbers with six significant digits: NaN is null, and an infinite number is one that overflows.
type digits []float64

// MarshalJSON implements json.Marshaler.
func (d digits) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('[')
	for i, v := range d {
		if i > 0 {
			b.WriteByte(',')
		}
		switch {
		case math.IsNaN(v):
			b.WriteString("null")
		case math.IsInf(v, 0):
			b.WriteString(map[bool]string{true: "1e999", false: "-1e999"}[v > 0])
		default:
			b.Write(shortest(v, 6))
		}
	}
	b.WriteByte(']')
	return b.Bytes(), nil
}

// shortest writes a number with at most the given number of significant digits, as short as JSON allows.
func shortest(v float64, significant int) []byte {
	rounded, _ := strconv.ParseFloat(strconv.FormatFloat(v, 'g', significant, 64), 64) // what FormatFloat writes is a number
	long, short := strconv.AppendFloat(nil, rounded, 'f', -1, 64), strconv.AppendFloat(nil, rounded, 'e', -1, 64)
	short = bytes.ReplaceAll(bytes.ReplaceAll(short, []byte("e+0"), []byte("e")), []byte("e-0"), []byte("e-"))
	if len(short) < len(long) {
		return short
	}
	return long
}

// shownDigits is how many significant digits of a measured value the page shows.
const shownDigits = 4

// mostRuns is the largest number of values of single seeds that a figure keeps; a figure with more keeps none.
const mostRuns = 2500

// mapSteps is how many steps of the values of a heat map its colour scale has at least.
const mapSteps = 200

// mostSteps is the largest value of a heat map in steps; the differences of larger ones would need more digits than digits has.
const mostSteps = 1e5

// addMaps adds a figure of heat maps, whose places in the drawing are given.
func (d *liveData) addMaps(f *Figure, places [][4]int) {
	h := f.Heat
	out := liveFigure{ID: f.ID, Title: f.Title, X: newLiveAxis(h.X), Y: newLiveAxis(h.Y), Value: h.Label, Classes: h.Classes}
	out.Step, _ = strconv.ParseFloat(fmt.Sprintf("%.0e", (h.Max-h.Min)/mapSteps), 64) // one digit is a number
	if h.Classes != nil {
		out.Step = 1
	}
	if h.largest() > mostSteps*out.Step {
		out.Step = 0
	}
	short := func(v float64) float64 {
		if out.Step == 0 {
			return rounded(v, 3)
		}
		return math.Round(v / out.Step)
	}
	flat := func(rows [][]float64) (all digits) {
		for _, row := range rows {
			for _, v := range row {
				all = append(all, short(v))
			}
		}
		return all
	}
	for k, p := range h.Panels {
		m := liveMap{Title: p.Title, At: places[k], X: p.X, Y: p.Y, Z: flat(p.Z), Seeds: p.Seeds}
		for _, z := range p.Runs {
			m.Runs = append(m.Runs, flat(z))
		}
		for i := range m.Z {
			var values []float64
			for _, run := range m.Runs { // still without differences
				if !math.IsNaN(run[i]) {
					values = append(values, run[i])
				}
			}
			if len(m.Runs) == 0 {
				break
			}
			low, high := math.NaN(), math.NaN()
			if len(values) > 0 {
				low, high = stats.Band(values)
			}
			m.Low, m.High = append(m.Low, rounded(low, 6)), append(m.High, rounded(high, 6))
		}
		if out.Band == "" && len(m.Runs) > 0 {
			out.Band = stats.BandName(len(m.Runs))
		}
		for _, values := range append([]digits{m.Z, m.Low, m.High}, m.Runs...) {
			if out.Step > 0 {
				differences(values)
			}
		}
		out.Maps = append(out.Maps, m)
	}
	d.Figures = append(d.Figures, out)
}

// largest returns the largest absolute value of a map that is finite.
func (h *Heat) largest() (most float64) {
	for _, p := range h.Panels {
		for _, rows := range append([][][]float64{p.Z}, p.Runs...) {
			for _, row := range rows {
				for _, z := range row {
					if a := math.Abs(z); a > most && !math.IsInf(a, 0) {
						most = a
					}
				}
			}
		}
	}
	return most
}

// differences replaces every finite value by its difference from the finite one before it.
func differences(values digits) {
	last := 0.0
	for i, v := range values {
		if !math.IsNaN(v) && !math.IsInf(v, 0) {
			values[i], last = v-last, v
		}
	}
}

// addCurves adds a figure of curves. Lines of another run take their costs from besides, the records of that run.
func (d *liveData) addCurves(exp claims.Experiment, fig claims.Figure, f *Figure, recs, besides []*records.Record) {
	c := f.Curves
	out := liveFigure{ID: f.ID, Title: f.Title, Note: f.Note, X: newLiveAxis(c.X), Y: newLiveAxis(c.Y), Guides: c.Guides}
	if _, cost := records.AbscissaOf(fig.X); cost && fig.Across == "" {
		out.Abscissa = fig.X
	}
	values := 0
	for _, l := range c.Lines {
		if l.Level { // the script draws it across the panel
			end := func(v []float64) []float64 { return v[max(0, len(v)-1):] }
			l.X, l.Y, l.Low, l.High = []float64{l.At}, end(l.Y), end(l.Low), end(l.High)
		}
		line := liveLine{
			Label: l.Label, Method: l.Method, Style: newLiveLook(l), X: l.X, Breaks: l.Breaks, Level: l.Level, Points: l.Points, Beside: l.Beside,
			Y: shortened(l.Y), Low: shortened(l.Low), High: shortened(l.High),
		}
		if l.Method != "" && out.Abscissa != "" {
			unit := claims.Unit{Factor: 1}
			if _, cost := records.AbscissaOf(l.Metric); !cost {
				unit = exp.Unit(l.Metric)
			}
			of := recs
			if l.Beside {
				of = besides
			}
			d.trace(&line, l, unit, fig.X, records.Select(of, l.Method))
		}
		for _, r := range line.Runs {
			values += len(r)
		}
		out.Lines = append(out.Lines, line)
	}
	if values > mostRuns {
		for i := range out.Lines {
			out.Lines[i].Seeds, out.Lines[i].Runs = nil, nil
		}
	}
	for _, m := range c.Marks {
		out.Marks = append(out.Marks, newLiveMark(m, c.Lines))
	}
	if c.Dots != nil {
		out.Dots = &liveDots{Label: c.Dots.Label, Classes: c.Dots.Classes, X: shortened(c.Dots.X), Y: shortened(c.Dots.Y)}
	}
	d.Figures = append(d.Figures, out)
}

// trace adds the costs at the points of a line and the values of its seeds.
func (d *liveData) trace(line *liveLine, l Line, unit claims.Unit, x string, recs []*records.Record) {
	steps := stats.CurveOf(recs, l.Metric, "step", l.Statistic).X
	if len(steps) == 0 || (!l.Level && len(steps) != len(l.X)) {
		return
	}
	if l.Level {
		steps = steps[len(steps)-1:]
	}
	grid := liveGrid{"step": digits(steps)}
	for _, a := range d.Costs {
		at := stats.CurveOf(recs, l.Metric, a.Name, l.Statistic).X
		if l.Level {
			at = at[len(at)-1:]
		}
		if a.Name != "step" && slices.ContainsFunc(at, func(v float64) bool { return v != 0 }) {
			grid[a.Name] = multiple(steps, at)
		}
	}
	if _, known := grid[x]; !known {
		grid[x] = digits(l.X)
	}
	i := d.grid(grid)
	line.Grid = &i
	if i := d.Grids[i]; !l.Level && sameDigits(i[x], line.X, steps) {
		line.X = nil // the script takes it from the grid
	}
	if l.Level || len(recs) < 2 {
		return
	}
	for _, r := range recs {
		values := make(digits, len(steps))
		for k, s := range steps {
			values[k] = math.NaN()
			for _, p := range r.Points {
				if v, ok := p.Measure(l.Metric); ok && float64(p.Step) == s {
					values[k] = rounded(unit.Of(v), shownDigits)
				}
			}
		}
		line.Seeds, line.Runs = append(line.Seeds, r.Header.Seed), append(line.Runs, values)
	}
}

// sameDigits reports whether the values of a grid's abscissa are those of a line.
func sameDigits(of any, x digits, steps []float64) bool {
	switch v := of.(type) {
	case digits:
		return slices.Equal(v, x)
	case float64:
		for i, s := range steps {
			if math.Abs(v*s-x[i]) > 1e-9*math.Abs(x[i]) {
				return false
			}
		}
		return true
	}
	return false
}

// multiple returns the factor by which values are larger than steps if it is the same for all of them, and else the values.
func multiple(steps, values []float64) any {
	k := math.NaN()
	for i, s := range steps {
		if s == 0 {
			if values[i] != 0 {
				return digits(values)
			}
			continue
		}
		if math.IsNaN(k) {
			k = values[i] / s
		}
		if math.Abs(values[i]-k*s) > 1e-9*math.Abs(values[i]) {
			return digits(values)
		}
	}
	if math.IsNaN(k) {
		return digits(values)
	}
	return k
}

// grid returns the index of a grid; equal ones are kept once.
func (d *liveData) grid(g liveGrid) int {
	b, err := json.Marshal(g)
	if err != nil {
		panic("plots: " + err.Error()) // names and numbers are all that a grid has
	}
	if i, ok := d.grids[string(b)]; ok {
		return i
	}
	if d.grids == nil {
		d.grids = map[string]int{}
	}
	d.grids[string(b)] = len(d.Grids)
	d.Grids = append(d.Grids, g)
	return len(d.Grids) - 1
}

// rounded returns a number with the given number of significant digits.
func rounded(v float64, significant int) float64 {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return v
	}
	r, _ := strconv.ParseFloat(strconv.FormatFloat(v, 'g', significant, 64), 64) // what FormatFloat writes is a number
	return r
}

// shortened returns values with the digits that the page shows.
func shortened(values []float64) digits {
	var out digits
	for _, v := range values {
		out = append(out, rounded(v, shownDigits))
	}
	return out
}

func newLiveAxis(a Axis) liveAxis {
	axis := liveAxis{Label: a.Label, Log: a.Log, Decimal: a.Decimal}
	if a.fixed() {
		axis.Range = []float64{a.Min, a.Max}
	}
	return axis
}

func newLiveLook(l Line) liveLook {
	s, night := themeOf(Style{}).lookOf(l), themeOf(Style{Name: styleDark}).lookOf(l)
	look := liveLook{
		Colour: "#" + colourCode(s.colour), Night: "#" + colourCode(night.colour),
		Corners: s.marker.corners, Turn: rounded(s.marker.turn, 6), Filled: s.marker.filled, Bare: s.marker.name == "",
	}
	for _, d := range s.dashes {
		look.Dashes = append(look.Dashes, float64(d))
	}
	return look
}

func newLiveMark(m Mark, lines []Line) liveMark {
	mark := liveMark{Y: m.Y, Low: m.Low, High: m.High, Label: m.Label, Origin: m.Origin, Common: m.Common, Claim: m.Claim}
	if !math.IsNaN(m.X) {
		mark.X = &m.X
	}
	for i, l := range lines {
		if l.Style == m.Style && !l.Beside {
			mark.Line = i
		}
	}
	return mark
}

// Packed returns the data for a script element.
func (d *liveData) Packed() (template.HTML, error) { return web.Pack(d) }
