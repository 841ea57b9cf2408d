package guard

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
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

// A checkout is a folder of a git working tree.
type checkout struct{ dir string }

// A revision is a commit.
type revision struct {
	Commit  string `json:"commit"`
	Date    string `json:"date"` // of the committer, as in 2026-11-22
	Subject string `json:"subject"`
}

// short returns the first characters of the commit's hash.
func (r revision) short() string { return r.Commit[:min(len(r.Commit), 9)] }

// git runs a git command in the folder and returns its standard output.
func (c checkout) git(ctx context.Context, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.Dir = c.dir
	var out, said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &said
	err := cmd.Run()
	switch {
	case errors.Is(err, exec.ErrNotFound):
		return "", errors.New("git is not installed; history and bisect need it")
	case err != nil && strings.Contains(said.String(), "not a git repository"):
		return "", fmt.Errorf("%s is not in a git repository; history and bisect read its commits", c.dir)
	case err != nil:
		return "", fmt.Errorf("git %s: %w: %s", args[0], err, strings.TrimSpace(said.String()))
	}
	return out.String(), nil
}

// commit returns the full hash of a commit that a user named.
func (c checkout) commit(ctx context.Context, name string) (string, error) {
	out, err := c.git(ctx, "rev-parse", "--verify", "--quiet", "--end-of-options", name+"^{commit}")
	if err != nil {
		return "", fmt.Errorf("%s: no such commit in %s", name, c.dir)
	}
	return strings.TrimSpace(out), nil
}

// revisions lists the commits that changed files below paths, the oldest first. Of a merge it lists the merge, not the commits
// that it brought, so that the list is one line of versions.
func (c checkout) revisions(ctx context.Context, paths ...string) ([]revision, error) {
	return c.log(ctx, append([]string{"--first-parent", "--reverse", "--"}, paths...)...)
}

// log lists the commits that git log lists with the given arguments.
func (c checkout) log(ctx context.Context, args ...string) ([]revision, error) {
	out, err := c.git(ctx, append([]string{"log", "--format=%H%x09%cs%x09%s"}, args...)...)
	if err != nil {
		return nil, err
	}
	var all []revision
	for line := range strings.Lines(out) {
		if f := strings.SplitN(strings.TrimSuffix(line, "\n"), "\t", 3); len(f) == 3 {
			all = append(all, revision{f[0], f[1], f[2]})
		}
	}
	return all, nil
}

// A blob is a file of a commit: its path below the folder and the hash of its content.
type blob struct{ path, hash string }

// blobs lists the files of the folder at a commit.
func (c checkout) blobs(ctx context.Context, commit string) ([]blob, error) {
	out, err := c.git(ctx, "ls-tree", "-r", "-z", commit)
	if err != nil {
		return nil, err
	}
	var all []blob
	for _, entry := range strings.Split(strings.TrimSuffix(out, "\x00"), "\x00") {
		about, path, ok := strings.Cut(entry, "\t")
		if f := strings.Fields(about); ok && len(f) == 3 {
			all = append(all, blob{path, f[2]})
		}
	}
	return all, nil
}
