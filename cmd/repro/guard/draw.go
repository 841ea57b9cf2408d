package guard

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"

	"repro/cmd/repro/terminal"
	"repro/plots"
	"repro/plots/figures"
	"repro/results/printed"
	"repro/results/stats"
)

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
		picture, err := plots.Render(f)
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
