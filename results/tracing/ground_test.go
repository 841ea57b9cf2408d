package tracing

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/runner/goldentest"
)

// A known is a figure of known data, as testdata/make.py writes it.
type known struct {
	Curves     map[string][][2]float64
	XLim, YLim [2]float64
	Log        [2]bool
	Tool       string
	Legend     bool
	Asks       string // what it is asked for, if the figure cannot be read by itself
	Panel      int

	X, Y    [][2]float64 // of pictures: two ticks by their pixels
	Frame   *[4]float64
	Without *[4]float64
	Colours map[string]string
}

// axis returns an axis with given ticks.
func axisWith(ticks [][2]float64, log bool) Axis {
	x := Axis{Log: log}
	for _, t := range ticks {
		x.Ticks = append(x.Ticks, Tick{t[0], t[1]})
	}
	x.fit()
	return x
}

func (k known) trace(t *testing.T, file string) (*Trace, error) {
	text, err := os.ReadFile(filepath.Join("testdata", file))
	require.NoError(t, err)
	switch filepath.Ext(file) {
	case ".pdf":
		return ReadPDF(text, 0, Paths{Panel: k.Panel})
	case ".svg":
		return ReadSVG(text, Paths{})
	}
	p := Pixels{X: axisWith(k.X, k.Log[0]), Y: axisWith(k.Y, k.Log[1]), Frame: Box{k.Frame[0], k.Frame[1], k.Frame[2], k.Frame[3]}}
	if k.Without != nil {
		p.Without = []Box{{k.Without[0], k.Without[1], k.Without[2], k.Without[3]}}
	}
	for name, colour := range k.Colours {
		c, err := ParseColour(name + "=" + colour)
		require.NoError(t, err)
		p.Colours = append(p.Colours, c)
	}
	slices.SortFunc(p.Colours, func(a, b Colour) int { return strings.Compare(a.Name, b.Name) })
	return ReadPNG(text, p)
}

// share returns where a value lies between two limits on the scale of an axis, as a share.
func share(v float64, lim [2]float64, log bool) float64 {
	if log {
		return math.Log(v/lim[0]) / math.Log(lim[1]/lim[0])
	}
	return (v - lim[0]) / (lim[1] - lim[0])
}

// off returns the largest distance of a read curve from the points of the true one, as a share of the vertical axis: of markers at
// their nearest point, of lines between neighbours at the same x. missing counts true points that have none.
func (k known) off(c Curve, truth [][2]float64) (worst float64, missing int) {
	at := func(x, y float64) point { return point{share(x, k.XLim, k.Log[0]), share(y, k.YLim, k.Log[1])} }
	var read []point
	for _, p := range c.Points {
		read = append(read, at(p[0], p[1]))
	}
	for _, p := range truth {
		want := at(p[0], p[1])
		if min(want.x, want.y) < -1e-9 || max(want.x, want.y) > 1+1e-9 {
			continue
		}
		best := math.Inf(1)
		for i, q := range read {
			if c.Markers {
				best = min(best, max(math.Abs(q.x-want.x), math.Abs(q.y-want.y)))
				continue
			}
			if math.Abs(q.x-want.x) < 5e-4 {
				best = min(best, math.Abs(q.y-want.y))
			}
			if i > 0 && (read[i-1].x-want.x)*(q.x-want.x) <= 0 && q.x != read[i-1].x {
				o := read[i-1]
				best = min(best, math.Abs(o.y+(q.y-o.y)*(want.x-o.x)/(q.x-o.x)-want.y))
			}
		}
		if math.IsInf(best, 1) || best > 0.2 {
			missing++
			continue
		}
		worst = max(worst, best)
	}
	return worst, missing
}

// A tally counts what came of the figures of a program.
type tally struct{ figures, curves, read, named, asked, axes, wrong int }

// TestGroundTruth reads all figures of testdata and holds the table of the page to what came out: of vector figures at least 95 % of
// the curves are found, within 0.1 % of the axis, and assigned, the axes of 95 % are right and none is wrong without a word; of
// pictures at least 85 % of the curves are within 1 %.
func TestGroundTruth(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("testdata", "truth.json"))
	require.NoError(t, err)
	var all map[string]known
	require.NoError(t, json.Unmarshal(text, &all))
	tallies := map[string]*tally{}
	vector, raster := &tally{}, &tally{}
	var names []string
	for name := range all {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		k := all[name]
		file, _, _ := strings.Cut(name, "#")
		picture := filepath.Ext(file) == ".png"
		row := k.Tool + ", " + strings.ToUpper(filepath.Ext(file)[1:])
		if tallies[row] == nil {
			tallies[row] = &tally{}
		}
		sums := []*tally{tallies[row], vector}
		if picture {
			sums[1] = raster
		}
		one := k.count(t, name, file, picture)
		for _, s := range sums {
			s.figures, s.curves, s.read, s.named = s.figures+1, s.curves+one.curves, s.read+one.read, s.named+one.named
			s.asked, s.axes, s.wrong = s.asked+one.asked, s.axes+one.axes, s.wrong+one.wrong
		}
	}
	assert.GreaterOrEqual(t, vector.figures+raster.figures, 60)
	assert.GreaterOrEqual(t, vector.read, (95*vector.curves+99)/100, "curves of vector figures")
	assert.GreaterOrEqual(t, vector.named, (95*vector.curves+99)/100, "curves of vector figures with their names")
	assert.GreaterOrEqual(t, vector.axes, (95*vector.figures+99)/100, "axes that are right, or asked for where they must be")
	assert.Zero(t, vector.wrong, "axes that are wrong without a word")
	// what is read today stays read
	assert.Equal(t, vector.figures, vector.axes, "axes")
	assert.Equal(t, vector.curves, vector.named, "curves of vector figures")
	assert.GreaterOrEqual(t, raster.read, (85*raster.curves+99)/100, "curves of pictures")
	table := "| figures | number | curves | read | with their names | axes right | asked for axes | axes wrong |\n|---|--:|--:|--:|--:|--:|--:|--:|\n"
	var rows []string
	for row := range tallies {
		rows = append(rows, row)
	}
	slices.Sort(rows)
	for _, row := range append(rows, "all vector figures", "all pictures") {
		s := tallies[row]
		if s == nil {
			s = map[string]*tally{"all vector figures": vector, "all pictures": raster}[row]
		}
		table += fmt.Sprintf("| %s | %d | %d | %d | %d | %d | %d | %d |\n", row, s.figures, s.curves, s.read, s.named, s.axes-s.asked, s.asked, s.wrong)
	}
	const begin, end = "<!-- tracing: go test ./results/tracing -run TestGroundTruth -update -->\n", "<!-- end of tracing -->\n"
	page := filepath.Join("..", "..", "docs", "tracing.md")
	old, err := os.ReadFile(page)
	require.NoError(t, err)
	before, rest, ok := strings.Cut(string(old), begin)
	_, after, ends := strings.Cut(rest, end)
	require.True(t, ok && ends)
	goldentest.Equal(t, page, before+begin+table+end+after)
}

// count reads one figure and counts what came out.
func (k known) count(t *testing.T, name, file string, picture bool) (one tally) {
	one.curves = len(k.Curves)
	within := 1e-3
	if picture {
		within = 1e-2
	}
	trace, err := k.trace(t, file)
	if k.Asks != "" {
		one.curves = 0
		if err != nil && strings.Contains(err.Error(), k.Asks) {
			one.asked, one.axes = 1, 1
			return one
		}
		t.Logf("%s: want %q, got %v", name, k.Asks, err)
		if err == nil {
			one.wrong = 1
		}
		return one
	}
	if err != nil {
		t.Logf("%s: %v", name, err)
		return one
	}
	one.axes = 1
	if !picture {
		for i, end := range [4]float64{trace.X.Value(trace.Frame.Left), trace.X.Value(trace.Frame.Right), trace.Y.Value(trace.Frame.Bottom), trace.Y.Value(trace.Frame.Top)} {
			lim, log := k.XLim, k.Log[i/2]
			if i > 1 {
				lim = k.YLim
			}
			if off := math.Abs(share(end, lim, log) - float64(i%2)); !(off < 2e-3) && one.wrong == 0 {
				t.Logf("%s: the axis at side %d is off by %.4f: %v, %v in %v", name, i, off, trace.X, trace.Y, trace.Frame)
				one.axes, one.wrong = 0, 1
			}
		}
	}
	for label, truth := range k.Curves {
		found, worst, named := false, math.Inf(1), false
		for _, c := range trace.Curves {
			off, missing := k.off(c, truth)
			if missing > len(truth)/10 {
				continue
			}
			worst = min(worst, off)
			if off <= within {
				found, named = true, named || c.Name == label || !k.Legend
			}
		}
		if found {
			one.read++
		}
		if named {
			one.named++
		}
		if !found || !named {
			var list []string
			for _, c := range trace.Curves {
				off, missing := k.off(c, truth)
				list = append(list, fmt.Sprintf("%s: %.4f, %d of %d missing", c.Name, off, missing, len(truth)))
			}
			t.Logf("%s: %q found %v named %v: %s", name, label, found, named, strings.Join(list, "; "))
		}
	}
	return one
}

// Tick marks lie on a scale or not by their distance from it over the length of the axis, wherever that lies on the page.
func TestMarksOffTheScale(t *testing.T) {
	for _, at := range []float64{0, 1000} {
		x := axisWith([][2]float64{{at, 1}, {at + 400, 1e4}}, true)
		assert.True(t, x.explains([]float64{at, at + 100, at + 201, at + 300, at + 400}), at)
		assert.False(t, x.explains([]float64{at, at + 100, at + 203, at + 300, at + 400}), at)
	}
}

// A frame holds ticks that stand on one of its sides, and not what lies beyond one.
func TestFrameAroundTicks(t *testing.T) {
	frame := Box{0, 0, 100, 50}
	for _, out := range []Box{{Left: -1}, {Top: -1}, {Right: 1}, {Bottom: 1}} {
		at := func(far float64) Box {
			return Box{10 + (10+far)*out.Left, 10 + (10+far)*out.Top, 90 + (10+far)*out.Right, 40 + (10+far)*out.Bottom}
		}
		assert.Equal(t, frame, around([]Box{frame}, at(0)))
		assert.Equal(t, at(2*exact), around([]Box{frame}, at(2*exact)))
	}
}

// The numbers of a side stand at one distance from it, within 0.7 of their size.
func TestRowOfNumbers(t *testing.T) {
	at := func(x, far float64) numbered {
		return numbered{label: label{size: 10}, box: Box{x, 400 + far, x + 10, 410 + far}}
	}
	lower := sidesOf(Box{100, 100, 500, 400})[lower]
	assert.Len(t, lower.row([]numbered{at(150, 5), at(250, 11.9), at(350, 12.1)}, nil), 2)
}
