// Package live makes the data from which a page's script draws figures, and lays their axes out. It needs no fonts, so a page can
// compute it, too.
package live

import (
	"bytes"
	"fmt"
	"image/color"
	"math"
	"slices"
	"strconv"

	"repro/plots/figures"
	"repro/results/claims"
	"repro/results/records"
	"repro/results/stats"
)

// Data is what the page's script needs of an experiment, as JSON.
type Data struct {
	ID      string   `json:"id"`
	Costs   []Cost   `json:"costs"` // that a reader can put on the horizontal axis
	Figures []Figure `json:"figures"`
}

// A Cost is what a reader can put on the horizontal axis.
type Cost struct {
	Name  string `json:"name"`
	Label string `json:"label"`
}

// New returns the data of an experiment without figures.
func New(id string) *Data {
	d := &Data{ID: id}
	for _, a := range records.Abscissae {
		if a.Chosen {
			d.Costs = append(d.Costs, Cost{a.Name, a.Label()})
		}
	}
	return d
}

// A Figure is what the script draws.
type Figure struct {
	ID       string   `json:"id"`
	Title    string   `json:"title"`
	Note     string   `json:"note,omitempty"` // of curves; the drawing of maps has it
	X        Axis     `json:"x"`
	Y        Axis     `json:"y"`
	Abscissa string   `json:"abscissa,omitempty"` // of x, if it is a cost
	Lines    []Line   `json:"lines"`
	Marks    []Mark   `json:"marks,omitempty"`
	Guides   []Guide  `json:"guides,omitempty"`
	Dots     *Dots    `json:"dots,omitempty"`
	Orders   *Figure  `json:"orders,omitempty"` // the panel below: of each line the observed orders, and marks
	Maps     []Map    `json:"maps,omitempty"`   // in place of lines
	Value    string   `json:"value,omitempty"`  // the words for the colour of maps
	Classes  []string `json:"classes,omitempty"`
	Band     string   `json:"band,omitempty"` // the words for Low and High of maps
}

// A Map is a heat map. Its values are row by row, from the smallest y on.
type Map struct {
	Title string   `json:"title"`
	At    [4]int   `json:"at"` // its place in the drawing: left, top, width and height
	X     Digits   `json:"x"`
	Y     Digits   `json:"y"`
	Z     Digits   `json:"z"`
	Low   Digits   `json:"low,omitempty"`
	High  Digits   `json:"high,omitempty"`
	Seeds []uint64 `json:"seeds,omitempty"`
	Runs  []Digits `json:"runs,omitempty"` // the values of each seed
}

// A Axis has the ranges and the marks that the axis can show, so that the script lays nothing out.
type Axis struct {
	Label string              `json:"label"`
	Log   bool                `json:"log,omitempty"`
	Fixed bool                `json:"fixed,omitempty"` // the spec chose the range
	Views map[string][2]*View `json:"views,omitempty"` // linear and logarithmic, by what is on the horizontal axis; nil if nothing has a place
}

// A Line is one curve with the costs at its points.
type Line struct {
	Label  string            `json:"label"`
	Method string            `json:"method,omitempty"`
	Style  LineLook          `json:"style"`
	Costs  map[string]Digits `json:"costs,omitempty"` // at the points, by abscissa
	X      Digits            `json:"x"`
	Y      Digits            `json:"y"`
	Low    Digits            `json:"low,omitempty"`
	High   Digits            `json:"high,omitempty"`
	Breaks Digits            `json:"breaks,omitempty"`
	Level  bool              `json:"level,omitempty"`
	Beside bool              `json:"beside,omitempty"` // of another run
	Seeds  []uint64          `json:"seeds,omitempty"`
	Runs   []Digits          `json:"runs,omitempty"` // the values of each seed, at the points of the line
}

// A Mark is a published or derived value.
type Mark struct {
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

// A Guide is a guide, from one place to another in drawing coordinates, or the three corners of a triangle, the right angle last.
type Guide struct {
	Label string   `json:"label"`
	Ends  []Digits `json:"ends"`
}

// Dots are single points.
type Dots struct {
	Label   string   `json:"label"`
	X       Digits   `json:"x"`
	Y       Digits   `json:"y"`
	Classes []string `json:"classes,omitempty"` // drawn at the edges
}

// shownDigits is how many significant digits of a measured value the page shows.
const shownDigits = 4

// mostRuns is the largest number of values of single seeds that a figure keeps; a figure with more keeps none.
const mostRuns = 2500

// Places returns places for maps where there is no drawing of them: in rows of three.
func Places(h *figures.Heat) (places [][4]int) {
	for k := range h.Panels {
		places = append(places, [4]int{60 + k%3*340, 30 + k/3*370, 300, 300})
	}
	return places
}

// AddMaps adds a figure of heat maps, whose places in the drawing are given.
func (d *Data) AddMaps(f *figures.Figure, places [][4]int) {
	h := f.Heat
	step, _ := strconv.ParseFloat(fmt.Sprintf("%.0e", (h.Max-h.Min)/figures.MapSteps), 64) // one digit is a number
	if h.Classes != nil {
		step = 1
	}
	flat := func(rows [][]float64) (all Digits) {
		for _, row := range rows {
			for _, v := range row {
				all = append(all, step*math.Round(v/step))
			}
		}
		return all
	}
	out := Figure{ID: f.ID, Title: f.Title, X: Axis{Label: h.X.Label}, Y: Axis{Label: h.Y.Label}, Value: h.Label, Classes: h.Classes}
	for k, p := range h.Panels {
		m := Map{Title: p.Title, At: places[k], X: p.X, Y: p.Y, Z: flat(p.Z), Seeds: p.Seeds}
		for _, z := range p.Runs {
			m.Runs = append(m.Runs, flat(z))
		}
		for i := range m.Z {
			var values []float64
			for _, run := range m.Runs {
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
			m.Low, m.High = append(m.Low, low), append(m.High, high)
		}
		if out.Band == "" && len(m.Runs) > 0 {
			out.Band = stats.BandName(len(m.Runs))
		}
		out.Maps = append(out.Maps, m)
	}
	d.Figures = append(d.Figures, out)
}

// AddCurves adds a figure of curves. Lines of another run take their costs from besides, the records of that run.
func (d *Data) AddCurves(j claims.Case, fig claims.Figure, f *figures.Figure, besides []*records.Record) {
	c := f.Curves
	out := Figure{ID: f.ID, Title: f.Title, Note: f.Note, X: Axis{Label: c.X.Label, Log: c.X.Log}, Y: Axis{Label: c.Y.Label, Log: c.Y.Log, Fixed: c.Y.Fixed()}}
	if _, cost := records.AbscissaOf(fig.X); cost && fig.Across == "" && c.Orders == nil {
		out.Abscissa = fig.X
	}
	values := 0
	for _, l := range c.Lines {
		if l.Level { // the script draws it across the panel
			end := func(v []float64) []float64 { return v[max(0, len(v)-1):] }
			l.X, l.Y, l.Low, l.High = []float64{l.At}, end(l.Y), end(l.Low), end(l.High)
		}
		line := Line{
			Label: l.Label, Method: l.Method, Style: LineLookOf(l), X: l.X, Breaks: l.Breaks, Level: l.Level, Beside: l.Beside,
			Y: shortened(l.Y, shownDigits), Low: shortened(l.Low, shownDigits), High: shortened(l.High, shownDigits),
		}
		if l.Method != "" && out.Abscissa != "" {
			unit := claims.Unit{Factor: 1}
			if _, cost := records.AbscissaOf(l.Metric); !cost {
				unit = j.Unit(l.Metric)
			}
			of := j.Records
			if l.Beside {
				of = besides
			}
			d.trace(&line, l, unit, records.Select(of, l.Method))
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
		out.Marks = append(out.Marks, newMark(m, c.Lines))
	}
	if c.Dots != nil {
		out.Dots = &Dots{Label: c.Dots.Label, Classes: c.Dots.Classes, X: shortened(c.Dots.X, shownDigits), Y: shortened(c.Dots.Y, shownDigits)}
	}
	d.addViews(&out, c)
	if o := c.Orders; o != nil {
		views, _ := ViewsOf(o)
		out.Orders = &Figure{Y: Axis{Label: o.Y.Label, Views: map[string][2]*View{"": views.Y}}}
		for _, l := range o.Lines {
			out.Orders.Lines = append(out.Orders.Lines, Line{X: l.X, Y: shortened(l.Y, shownDigits)})
		}
		for _, m := range o.Marks {
			out.Orders.Marks = append(out.Orders.Marks, newMark(m, c.Lines))
		}
	}
	d.Figures = append(d.Figures, out)
}

// addViews adds the ranges and marks of the axes, for each abscissa, and the places of the guides.
func (d *Data) addViews(out *Figure, c *figures.Curves) {
	views, guides := ViewsOf(c)
	for i, g := range guides {
		if g != nil { // a triangle may have no place
			out.Guides = append(out.Guides, Guide{c.Guides[i].Label, g})
		}
	}
	out.X.Views, out.Y.Views = map[string][2]*View{out.Abscissa: views.X}, map[string][2]*View{"": views.Y}
	for _, a := range d.Costs {
		over := figures.Curves{Y: c.Y}
		for i, l := range out.Lines {
			if costs := l.Costs[a.Name]; costs != nil {
				over.Lines = append(over.Lines, figures.Line{X: costs, Y: c.Lines[i].Y[:len(costs)]})
			}
		}
		if a.Name != out.Abscissa && len(over.Lines) > 0 {
			v, _ := ViewsOf(&over)
			out.X.Views[a.Name] = v.X
		}
	}
}

// trace adds the costs at the points of a line and the values of its seeds.
func (d *Data) trace(line *Line, l figures.Line, unit claims.Unit, recs []*records.Record) {
	steps := stats.DrawnCurve(recs, l.Metric, "step", l.Statistic).X
	if len(steps) == 0 || (!l.Level && len(steps) != len(l.X)) {
		return
	}
	line.Costs = map[string]Digits{}
	for _, a := range d.Costs {
		at := stats.DrawnCurve(recs, l.Metric, a.Name, l.Statistic).X
		if l.Level {
			at = at[len(at)-1:]
		}
		if a.Name == "step" || slices.ContainsFunc(at, func(v float64) bool { return v != 0 }) {
			line.Costs[a.Name] = shortened(at, shownDigits+1)
		}
	}
	if l.Level || len(recs) < 2 {
		return
	}
	for _, r := range recs {
		at := make(map[float64]float64, len(r.Points))
		for _, p := range r.Points {
			if v, ok := p.Measure(l.Metric); ok {
				at[float64(p.Step)] = v
			}
		}
		values := make(Digits, len(steps))
		for k, s := range steps {
			values[k] = math.NaN()
			if v, ok := at[s]; ok {
				values[k] = Rounded(unit.Of(v), shownDigits)
			}
		}
		line.Seeds, line.Runs = append(line.Seeds, r.Header.Seed), append(line.Runs, values)
	}
}

// shortened returns values with the given number of significant digits.
func shortened(values []float64, significant int) Digits {
	var out Digits
	for _, v := range values {
		out = append(out, Rounded(v, significant))
	}
	return out
}

func newMark(m figures.Mark, lines []figures.Line) Mark {
	mark := Mark{Y: m.Y, Low: m.Low, High: m.High, Label: m.Label, Origin: m.Origin, Common: m.Common, Claim: m.Claim}
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

// A View is an axis as a panel shows it.
type View struct {
	Range [2]float64     `json:"range"` // in drawing coordinates
	Marks []figures.Tick `json:"marks"` // with a label
	Minor Digits         `json:"minor,omitempty"`
}

// axisViews are the views of both axes, linear and logarithmic; nil if nothing has a place on an axis.
type axisViews struct{ X, Y [2]*View }

// Room for labels at the axes of a live figure. The script leaves out labels that touch on a narrow page.
const RoomX, RoomY = 12, 15

// ViewsOf lays the axes of a live figure out, and its guides if the vertical axis of the figure is logarithmic.
func ViewsOf(c *figures.Curves) (v axisViews, guides [][]Digits) {
	for i, log := range []bool{false, true} {
		d := figures.Layout{Curves: &figures.Curves{X: c.X, Y: c.Y, Lines: c.Lines, Dots: c.Dots, Marks: c.Marks, Guides: c.Guides}}
		d.X.Log, d.Y.Log = log, log
		var errX, errY error
		if d.XR, errX = d.RangeX(); errX == nil {
			v.X[i] = viewOf(d.X, d.XR, RoomX)
		}
		if d.YR, errY = d.RangeY(); errY != nil {
			continue
		}
		if errX == nil && c.Y.Log && log {
			d.X.Log = c.X.Log
			d.XR, _ = d.RangeX()
			d.PlaceGuides()
			for _, g := range d.GuideLines {
				var ends []Digits
				for _, v := range g {
					ends = append(ends, Digits{v.X, v.Y})
				}
				guides = append(guides, ends)
			}
		}
		v.Y[i] = viewOf(d.Y, d.YR, RoomY)
	}
	return v, guides
}

// viewOf returns an axis over a range.
func viewOf(a figures.Axis, r figures.Interval, room int) *View {
	v := &View{Range: [2]float64{Rounded(r.Lo, 6), Rounded(r.Hi, 6)}}
	for _, t := range a.Ticks(r.Lo, r.Hi, room) {
		if t.Label == "" {
			v.Minor = append(v.Minor, Rounded(t.At, 4))
		} else {
			v.Marks = append(v.Marks, figures.Tick{At: Rounded(t.At, 6), Label: t.Label})
		}
	}
	return v
}

// Digits are numbers with six significant digits: NaN is null, and an infinite number is one that overflows.
type Digits []float64

// MarshalJSON implements json.Marshaler.
func (d Digits) MarshalJSON() ([]byte, error) {
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
			b.WriteString(strconv.FormatFloat(Rounded(v, 6), 'g', -1, 64))
		}
	}
	b.WriteByte(']')
	return b.Bytes(), nil
}

// Rounded returns a number with the given number of significant digits.
func Rounded(v float64, significant int) float64 {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return v
	}
	r, _ := strconv.ParseFloat(strconv.FormatFloat(v, 'g', significant, 64), 64) // what FormatFloat writes is a number
	return r
}

// A LineLook is how a line looks on a page: numbers are in points, and angles in radians.
type LineLook struct {
	Colour  string  `json:"colour"`
	Night   string  `json:"night"` // colour on a dark background
	Dashes  Digits  `json:"dashes,omitempty"`
	Corners int     `json:"corners"`
	Turn    float64 `json:"turn,omitempty"`
	Filled  bool    `json:"filled,omitempty"`
	Bare    bool    `json:"bare,omitempty"` // without a marker
}

// LineLookOf returns the look of a line in the report.
func LineLookOf(l figures.Line) LineLook {
	day, night := figures.Light.LookOf(l), figures.Dark.LookOf(l)
	return LineLook{
		Colour: code(day.Colour), Night: code(night.Colour), Dashes: day.Dashes,
		Corners: day.Marker.Corners, Turn: Rounded(day.Marker.Turn, 6), Filled: day.Marker.Filled, Bare: day.Marker.Name == "",
	}
}

// code writes an opaque colour.
func code(c color.NRGBA) string { return fmt.Sprintf("#%02X%02X%02X", c.R, c.G, c.B) }
