package drawings

import (
	"fmt"
	"image"
	"image/color"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"repro/plots/figures"
	"repro/plots/live"
)

// The lines at a level of a circle have its length, and are as far from the middle as linear interpolation allows: at most h²/8 off. In a saddle
// the middle says which sides are joined, and where a value is not finite there is no line.
func TestLevels(t *testing.T) {
	const n = 40
	at := func(i int) float64 { return -2 + 4*float64(i)/n }
	length := 0.0
	for i := range n {
		for j := range n {
			x, y := at(j), at(i)
			ends := crossings([4]float64{math.Hypot(x, y), math.Hypot(at(j+1), y), math.Hypot(at(j+1), at(i+1)), math.Hypot(x, at(i+1))}, 1)
			for k, e := range ends {
				assert.InDelta(t, 1, math.Hypot(x+4./n*float64(e.X), y+4./n*float64(e.Y)), 0.002)
				if k%2 == 1 {
					from := ends[k-1]
					length += 4. / n * math.Hypot(float64(e.X-from.X), float64(e.Y-from.Y))
				}
			}
		}
	}
	assert.InDelta(t, 2*math.Pi, length, 0.02)
	high, low := crossings([4]float64{2, -1, 2, -1}, 0), crossings([4]float64{1, -2, 1, -2}, 0)
	require.Len(t, low, 4)
	require.Len(t, high, 4)
	assert.Zero(t, low[0].X, "the middle is low: the first line cuts the lower left corner off")
	assert.Zero(t, low[1].Y)
	assert.Zero(t, high[0].Y, "the middle is high: the first line cuts the lower right corner off")
	assert.EqualValues(t, 1, high[1].X)
	assert.Empty(t, crossings([4]float64{1, -1, math.Inf(1), 1}, 0))

	f := smallHeat()
	f.Heat.Levels = []float64{0.5}
	d, _, err := layOut(f)
	require.NoError(t, err)
	assert.Equal(t, "f(x) = 0.5", d.(framed).drawing.(*heatDrawing).legend.entries[0].label)
}

// Dots widen the axes unless the figure gives their range, and those outside it are left out.
func TestDots(t *testing.T) {
	c := &figures.Curves{
		Lines: []figures.Line{{Label: "f", X: []float64{0, 1}, Y: []float64{0, 1}}},
		Dots:  &figures.Dots{Label: "rows", X: []float64{-1, 0.5}, Y: []float64{5, 0.5}},
	}
	d := &curvesDrawing{Layout: figures.Layout{Curves: c}}
	var err error
	d.XR, err = d.RangeX()
	require.NoError(t, err)
	d.YR, err = d.RangeY()
	require.NoError(t, err)
	assert.True(t, d.XR.Holds(-1) && d.YR.Holds(5))

	dots := func() int {
		p := rendered(t, figures.Figure{ID: "d", Curves: c})
		return strings.Count(string(p.SVG()), "#A8A8A8")
	}
	free := dots()
	c.Y.Min, c.Y.Max = 0, 1
	assert.Equal(t, 5, free, "two in the panel, three in the legend")
	assert.Equal(t, free-1, dots())
}

// A map of classes has a legend of their names in place of a colour bar.
func TestLegendOfClasses(t *testing.T) {
	f := smallHeat()
	f.Heat.Classes = []string{"cats", "dogs"}
	d, _, err := layOut(f)
	require.NoError(t, err)
	sheet := d.(framed).drawing.(*heatDrawing)
	require.Len(t, sheet.legend.entries, 2)
	assert.Equal(t, "dogs", sheet.legend.entries[1].label)
	assert.Nil(t, sheet.colours, "no colour bar")
	assert.NotEqual(t, sheet.colour(1), sheet.colour(2))
}

// Rows of two classes are in the legend, and their numbers do not widen the axis of the function.
func TestLegendOfRowsOfClasses(t *testing.T) {
	d := laidOut(t, figures.Figure{Curves: &figures.Curves{
		Lines: []figures.Line{{Label: "f", X: []float64{0, 1}, Y: []float64{10, 20}}},
		Dots:  &figures.Dots{X: []float64{0.2, 0.4}, Y: []float64{1, -1}, Classes: []string{"q", "p"}},
	}})
	assert.Greater(t, d.YR.Lo, 5.0, "the labels −1 and 1 are no values of the function")
	var names []string
	for _, e := range d.entries() {
		names = append(names, e.label)
	}
	assert.Equal(t, []string{"f", "q (lower edge)", "p (upper edge)"}, names)
}

// The axes of a live figure are those of the drawing.
func TestViews(t *testing.T) {
	f := smallFigure()
	views, _ := live.ViewsOf(f.Curves)
	glyphs, err := newOutlines(themeOf(figures.Style{}))
	require.NoError(t, err)
	laid, err := layOutCurves(f.Curves, glyphs, 20*vg.Centimeter)
	require.NoError(t, err)
	drawn := laid.(*curvesDrawing)
	for _, a := range []struct {
		views [2]*live.View
		drawn figures.Interval
		axis  figures.Axis
		room  int
	}{{views.X, drawn.XR, f.Curves.X, live.RoomX}, {views.Y, drawn.YR, f.Curves.Y, live.RoomY}} {
		require.NotNil(t, a.views[0])
		require.NotNil(t, a.views[1])
		assert.InDelta(t, a.drawn.Lo, a.views[1].Range[0], 1e-5, "six digits")
		assert.InDelta(t, a.drawn.Hi, a.views[1].Range[1], 1e-5, "six digits")
		var labels []string
		for _, m := range a.views[1].Marks {
			labels = append(labels, m.Label)
		}
		var want []string
		for _, m := range a.axis.Ticks(a.drawn.Lo, a.drawn.Hi, a.room) {
			if m.Label != "" {
				want = append(want, m.Label)
			}
		}
		assert.Equal(t, want, labels)
	}
}

// No point lies on the frame: a range that the spec chose grows where one would, and a range from zero on does, too.
func TestPointsKeepClearOfTheFrame(t *testing.T) {
	const padY = 0.05 // room between the data and the frame, as a fraction of the range
	ranges := func(fixed bool, ys ...float64) figures.Interval {
		c := &figures.Curves{Lines: []figures.Line{{X: []float64{0, 1, 2}, Y: ys}}}
		if fixed {
			c.Y.Min, c.Y.Max = 0, 1
		}
		d := &curvesDrawing{Layout: figures.Layout{Curves: c}}
		r, err := d.RangeY()
		require.NoError(t, err)
		return r
	}
	assert.Equal(t, figures.Interval{Lo: 0, Hi: 1}, ranges(true, 0.2, 0.5, 0.8))
	assert.Equal(t, figures.Interval{Lo: -padY / 2, Hi: 1 + padY/2}, ranges(true, 0, 0.5, 1))
	assert.Equal(t, figures.Interval{Lo: 0, Hi: 1}, ranges(true, -5, 0.5, 7), "points beyond the range are not shown")
	assert.Negative(t, ranges(false, 0, 0.5, 1).Lo)
	assert.Zero(t, ranges(false, 0.04, 0.5, 1).Lo, "room enough")
}

// Each sign uses its half of the colours whole.
func TestSignsUseTheirColours(t *testing.T) {
	at := func(lo, hi, z float64) any {
		c, err := colourMap(lo, hi)(z)
		require.NoError(t, err)
		return c
	}
	assert.Equal(t, at(-1, 1, -1), at(-0.2, 1, -0.2))
	assert.Equal(t, at(-1, 1, 1), at(-0.2, 1, 1))
	assert.Equal(t, at(-1, 1, 0), at(-0.2, 1, 0))
}

// extent is a canvas that notes the rectangle that holds everything drawn on it. It knows the transformations that figures
// use: shifts and turns.
type extent struct {
	at    []turn // a stack
	box   vg.Rectangle
	width vg.Length
}

type turn struct {
	angle float64
	shift vg.Point
}

func newExtent() *extent {
	far := vg.Length(math.Inf(1))
	return &extent{at: []turn{{}}, box: vg.Rectangle{Min: vg.Point{X: far, Y: far}, Max: vg.Point{X: -far, Y: -far}}}
}

func (e *extent) now() *turn { return &e.at[len(e.at)-1] }

func (t turn) apply(p vg.Point) vg.Point {
	sin, cos := math.Sincos(t.angle)
	x, y := float64(p.X), float64(p.Y)
	return vg.Point{X: t.shift.X + vg.Length(x*cos-y*sin), Y: t.shift.Y + vg.Length(x*sin+y*cos)}
}

func (e *extent) add(p vg.Point, around vg.Length) {
	p = e.now().apply(p)
	e.box.Min.X, e.box.Max.X = min(e.box.Min.X, p.X-around), max(e.box.Max.X, p.X+around)
	e.box.Min.Y, e.box.Max.Y = min(e.box.Min.Y, p.Y-around), max(e.box.Max.Y, p.Y+around)
}

func (e *extent) path(p vg.Path, around vg.Length) {
	for _, c := range p {
		switch c.Type {
		case vg.MoveComp, vg.LineComp, vg.CurveComp:
			e.add(c.Pos, around)
		case vg.ArcComp:
			e.add(c.Pos, around+c.Radius)
		}
	}
}

func (e *extent) SetLineWidth(w vg.Length)                { e.width = w }
func (e *extent) SetLineDash([]vg.Length, vg.Length)      {}
func (e *extent) SetColor(color.Color)                    {}
func (e *extent) Rotate(rad float64)                      { e.now().angle += rad }
func (e *extent) Translate(p vg.Point)                    { e.now().shift = e.now().apply(p) }
func (e *extent) Scale(float64, float64)                  { panic("not used by figures") }
func (e *extent) Push()                                   { e.at = append(e.at, *e.now()) }
func (e *extent) Pop()                                    { e.at = e.at[:len(e.at)-1] }
func (e *extent) Stroke(p vg.Path)                        { e.path(p, e.width/2) }
func (e *extent) Fill(p vg.Path)                          { e.path(p, 0) }
func (e *extent) FillString(font.Face, vg.Point, string)  { panic("not used by figures") }
func (e *extent) DrawImage(r vg.Rectangle, _ image.Image) { e.add(r.Min, 0); e.add(r.Max, 0) }

// Nothing that a figure draws is clipped: not the longest label, in any style and size.
func TestNothingIsClipped(t *testing.T) {
	long := smallFigure()
	long.ID = "long"
	long.Title = "A title that is much longer than a figure is wide, so that it must be broken into lines, or it would be clipped"
	long.Curves.Y.Label = "squared L_{2} distance to the exact solution of the averaged iterate, of all that has a name as long as this"
	long.Curves.X.Label = long.Curves.Y.Label + ", and longer still, because the horizontal axis has more room for its label"
	many := smallFigure()
	many.ID = "many"
	for i := range 11 {
		many.Curves.Lines = append(many.Curves.Lines, figures.Line{Label: fmt.Sprintf("method %d with several words in its label", i), X: []float64{1, 100}, Y: []float64{1, 0.02}, Style: i})
	}
	sheet := smallHeat()
	sheet.ID = "sheet"
	sheet.Title = long.Title
	for range 3 {
		sheet.Heat.Panels = append(sheet.Heat.Panels, figures.Panel{Title: "a title of a panel with many words", X: sheet.Heat.Panels[0].X, Y: sheet.Heat.Panels[0].Y, Z: sheet.Heat.Panels[0].Z})
	}
	sheet.Heat.Levels = []float64{0}
	for _, f := range []figures.Figure{smallFigure(), long, many, smallHeat(), sheet} {
		for _, s := range []figures.Style{
			{}, {Name: figures.StylePaper}, {Name: figures.StyleSlides}, {Name: figures.StyleDark}, {Name: figures.StyleSlides, Width: 16, Font: 20},
			{Width: 12},
		} {
			t.Run(fmt.Sprintf("%s %+v", f.ID, s), func(t *testing.T) {
				f := f
				f.Style = s
				d, _, err := layOut(f)
				require.NoError(t, err)
				e := newExtent()
				w, h := d.size()
				d.draw(draw.NewCanvas(e, w, h))
				const rounding = 0.01
				assert.GreaterOrEqual(t, float64(e.box.Min.X), -rounding)
				assert.GreaterOrEqual(t, float64(e.box.Min.Y), -rounding)
				assert.LessOrEqual(t, float64(e.box.Max.X), float64(w)+rounding)
				assert.LessOrEqual(t, float64(e.box.Max.Y), float64(h)+rounding)
			})
		}
	}
}

// Labels at the ends of curves do not overlap and stay in their range.
func TestSeparate(t *testing.T) {
	for _, wanted := range [][]vg.Length{{5, 6, 7}, {0, 0, 0}, {100, 100}, {50}, {-20, 40, 41, 130}, {10, 50, 90}} {
		var labels []endLabel
		for _, y := range wanted {
			labels = append(labels, endLabel{y: y, height: 10})
		}
		shift := separate(labels, 0, 100, 1)
		for i, l := range labels {
			assert.True(t, l.y >= 5-1e-9 && l.y <= 95+1e-9, "%v: %v", wanted, l.y)
			if i > 0 {
				assert.GreaterOrEqual(t, float64(l.y-labels[i-1].y), 11-1e-9, "%v", wanted)
			}
			assert.LessOrEqual(t, math.Abs(float64(l.y-wanted[i])), float64(shift)+1e-9, "%v", wanted)
		}
	}
	apart := []endLabel{{y: 10, height: 10}, {y: 50, height: 10}}
	assert.Zero(t, separate(apart, 0, 100, 1), "labels with room stay where they are")
}

// The legend has no entry for what lies outside the ranges shown.
func TestOnlyVisibleEntries(t *testing.T) {
	f := smallFigure()
	f.Curves.Y.Min, f.Curves.Y.Max = 0.5, 5
	f.Curves.Lines = append(f.Curves.Lines, figures.Line{Label: "far below", X: []float64{1, 100}, Y: []float64{1e-6, 1e-7}},
		figures.Line{Label: "crosses", X: []float64{1, 100}, Y: []float64{1e-6, 1e6}})
	var names []string
	for _, e := range laidOut(t, f).entries() {
		names = append(names, e.label)
	}
	assert.Equal(t, []string{"falls", "breaks (diverged)", "crosses"}, names[:3])
}

// Labels are at the ends of curves, unless one ends before the edge.
func TestLegendPlaces(t *testing.T) {
	f := smallFigure()
	f.Curves.Marks, f.Curves.Lines = nil, f.Curves.Lines[:1]
	assert.Len(t, laidOut(t, f).ends, 2, "the curve and its guide end at the edge")
	early := f.Curves.Lines[0]
	early.X, early.Label = []float64{1, 2, 3}, "early"
	f.Curves.Lines = append(f.Curves.Lines, early)
	d := laidOut(t, f)
	assert.Empty(t, d.ends)
	assert.Len(t, d.legend.entries, 3)
}
