package guard

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"repro/cmd/repro/terminal"
	"repro/plots/drawings"
	"repro/plots/figures"
	"repro/results/changes"
	"repro/results/printed"
	"repro/results/stats"
)

// A past is the history of a claim in `history --json`.
type past struct {
	Claim        string        `json:"claim"` // experiment#claim
	Versions     []pastVersion `json:"versions"`
	ChangePoints []pastChange  `json:"change_points"`
	Gone         *revision     `json:"gone,omitempty"` // the commit that removed the claim
}

// A pastVersion is an accepted state with the commit that made it the accepted one.
type pastVersion struct {
	revision
	changes.Version
}

// A pastChange is a commit from which on the level of a claim's number is another.
type pastChange struct {
	revision
	Before float64 `json:"before"` // means of the versions from the change point before, and up to the next one
	After  float64 `json:"after"`
	P      float64 `json:"p"`
}

// latest returns the number of the last version.
func (p *past) latest() pastVersion { return p.Versions[len(p.Versions)-1] }

// drawHistory draws the number of every claim over its versions into a folder.
func drawHistory(t *terminal.Terminal, all []*past, dir string, s stats.Segments) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	drawn := 0
	for _, p := range all {
		f := p.figure(s)
		if len(f.Curves.Lines[0].X) == 0 {
			continue
		}
		picture, err := drawings.Render(f)
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, f.ID+".svg"), picture.SVG(), 0o644); err != nil {
			return err
		}
		drawn++
	}
	t.Note("%s drawn into %s", printed.Count(drawn, "figure"), dir)
	return nil
}

// figure draws the number of a claim over its versions, with the intervals over seeds as bars, and a line at the mean of each
// level if there are change points.
func (p *past) figure(s stats.Segments) figures.Figure {
	line := figures.Line{Label: "accepted", Points: true}
	levels := figures.Line{Label: fmt.Sprintf("levels, p ≤ %v", s.P), Style: 1}
	y := figures.Axis{Label: "number of the claim", Min: math.Inf(1), Max: math.Inf(-1)}
	level, next := math.NaN(), 0
	if len(p.ChangePoints) > 0 {
		level = p.ChangePoints[0].Before
	}
	for i, v := range p.Versions {
		if next < len(p.ChangePoints) && p.ChangePoints[next].Commit == v.Commit {
			level = p.ChangePoints[next].After
			next++
		}
		if v.Value == nil {
			continue
		}
		low, high := *v.Value, *v.Value
		if v.Low != nil && v.High != nil {
			low, high = *v.Low, *v.High
		}
		line.X, line.Y = append(line.X, float64(i+1)), append(line.Y, *v.Value)
		line.Low, line.High = append(line.Low, low), append(line.High, high)
		levels.X, levels.Y = append(levels.X, float64(i+1)), append(levels.Y, level)
		y.Min, y.Max = min(y.Min, low), max(y.Max, high)
	}
	room := (y.Max - y.Min) / 20
	y.Min, y.Max = y.Min-room, y.Max+room
	lines := []figures.Line{line}
	if len(p.ChangePoints) > 0 {
		lines = append(lines, levels)
	}
	x := figures.Axis{Label: "accepted version, from " + p.Versions[0].short() + " to " + p.latest().short(), Min: 0.5, Max: float64(len(p.Versions)) + 0.5}
	return figures.Figure{
		ID: strings.NewReplacer("/", "-", "#", "-", " ", "-").Replace(p.Claim), Title: p.Claim, Curves: &figures.Curves{X: x, Y: y, Lines: lines},
	}
}

// sparks are the heights of a sparkline.
var sparks = []rune("▁▂▃▄▅▆▇█")

// bars draws numbers as bars, from a low number to a high one, with · for NaN.
func bars(values []float64, low, high float64) string {
	line := make([]rune, len(values))
	for i, v := range values {
		switch {
		case math.IsNaN(v):
			line[i] = '·'
		case low == high:
			line[i] = sparks[0]
		default:
			line[i] = sparks[int(math.Round((v-low)/(high-low)*float64(len(sparks)-1)))]
		}
	}
	return string(line)
}

// sparklines draws two curves on one scale, logarithmic if all values are positive. A curve that is nil is empty.
func sparklines(before, after *changes.Curve) (b, a string) {
	curves := make([][]float64, 2)
	for i, c := range []*changes.Curve{before, after} {
		if c != nil {
			curves[i] = slices.Clone(c.Y)
		}
	}
	all := slices.Concat(curves...)
	if len(all) == 0 {
		return "", ""
	}
	low, high := slices.Min(all), slices.Max(all)
	if low > 0 {
		low, high = math.Log(low), math.Log(high)
		for _, c := range curves {
			for i, v := range c {
				c[i] = math.Log(v)
			}
		}
	}
	return bars(curves[0], low, high), bars(curves[1], low, high)
}
