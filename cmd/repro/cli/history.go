package cli

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"repro/cmd/repro/findings"
	"repro/cmd/repro/terminal"
	"repro/experiments"
	"repro/plots"
	"repro/plots/figures"
	"repro/results/changes"
	"repro/results/claims"
	"repro/results/printed"
	"repro/results/stats"
)

// A historian reads the accepted states of claims from the commits of a checkout. Every file is read once, however many
// commits have it.
type historian struct {
	checkout
	paper    bool // reads the verdicts at profile paper, not the snapshots at profile ci
	segments stats.Segments
	methods  map[string]func(claim string) []string // of a claim, by experiment
	files    map[string]map[string]changes.Version  // versions by claim, by hash of the file
}

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

func newHistory(a *app) *cobra.Command {
	h := historian{segments: stats.DefaultSegments}
	var dir, figures string
	cmd := &cobra.Command{
		Use:   "history [CLAIM...]",
		Short: "Show how the verdicts and numbers of claims changed from commit to commit",
		Long: `History reads the accepted baselines of all commits from git and lists the claims whose accepted state
changed: the verdict now, the number over the versions as a line of bars, its change points, and the commit
of the latest change. With a claim it lists every version of it: what was accepted, in which commit, and what
differed from the version before.

A claim is experiment#claim, as in dai2014/rate#theta-3-optimal; * and ? stand for any text, an experiment for
all its claims, and a claim without an experiment for all that have its name. It runs nothing and changes nothing. A change that a merge brought is shown at the merge.

What differed is one or more of: bits (a run with unchanged settings gave other values: exactly this commit
changed what the program computes), settings, seeds, work (counted work), claim (its published number or
tolerance), value, interval (with the same value), verdict. Change points are found in the numbers alone, by
E-Divisive with a t-test: with few versions there are none. Versions that are equal count once.

--paper reads the verdicts at the papers' size instead of the runs at profile ci.`,
		Example: `  repro history
  repro history dai2014/rate
  repro history 'dai2014/rate#theta-3-*' --figures history
  repro history --paper --json`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if h.segments.Shortest < 2 || !(h.segments.P > 0 && h.segments.P < 1) {
				return fmt.Errorf("--segment must be 2 or more and --p between 0 and 1, got %d and %v", h.segments.Shortest, h.segments.P)
			}
			all, err := h.read(cmd.Context(), dir, args)
			if err != nil {
				return err
			}
			if figures != "" {
				if err := a.drawHistory(all, figures, h.segments); err != nil {
					return err
				}
			}
			if a.json {
				return terminal.PrintJSON(a.Stdout, terminal.OrEmpty(all))
			}
			a.printHistory(all, len(args) > 0, h.segments)
			return nil
		},
	}
	f := cmd.Flags()
	f.BoolVar(&h.paper, "paper", false, "the verdicts at the papers' size")
	f.StringVar(&dir, "dir", "results/baseline", "`folder` in a checkout that holds ci and paper")
	f.StringVar(&figures, "figures", "", "draw the numbers of every listed claim as SVG into this `folder`")
	f.IntVar(&h.segments.Shortest, "segment", h.segments.Shortest, "least number of versions between two change points")
	f.Float64Var(&h.segments.P, "p", h.segments.P, "largest p of a change point")
	a.jsonFlag(cmd)
	return cmd
}

// read returns the histories of the claims that match one of the patterns, or of all, in alphabetical order.
func (h *historian) read(ctx context.Context, dir string, patterns []string) ([]*past, error) {
	for _, p := range patterns {
		if _, err := path.Match(p, ""); err != nil {
			return nil, fmt.Errorf("%q: not a pattern; use * and ? as in dai2014/rate#*", p)
		}
	}
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return nil, fmt.Errorf("there is no folder %s; run in a checkout of the sources, or name the folder of its baselines with --dir", dir)
	}
	h.checkout, h.files = checkout{dir}, map[string]map[string]changes.Version{}
	below := experiments.CI
	if h.paper {
		below = "paper"
	}
	commits, err := h.revisions(ctx, below)
	if err != nil {
		return nil, err
	}
	pasts := map[string]*past{}
	for _, r := range commits {
		accepted, err := h.at(ctx, r, below)
		if err != nil {
			return nil, err
		}
		for claim, v := range accepted {
			if !matches(patterns, claim) {
				continue
			}
			p := pasts[claim]
			if p == nil {
				p = &past{Claim: claim, ChangePoints: []pastChange{}}
				pasts[claim] = p
			}
			p.Gone = nil
			if n := len(p.Versions); n == 0 || v.Follow(p.Versions[n-1].Version) {
				p.Versions = append(p.Versions, pastVersion{r, v})
			}
		}
		for claim, p := range pasts {
			if _, there := accepted[claim]; !there && p.Gone == nil {
				p.Gone = &r
			}
		}
	}
	var all []*past
	for _, claim := range slices.Sorted(maps.Keys(pasts)) {
		p := pasts[claim]
		versions := make([]changes.Version, len(p.Versions))
		for i, v := range p.Versions {
			versions[i] = v.Version
		}
		for _, c := range changes.Levels(versions, h.segments) {
			p.ChangePoints = append(p.ChangePoints, pastChange{p.Versions[c.At].revision, c.Before, c.After, c.P})
		}
		all = append(all, p)
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("no commit has an accepted state of %s below %s", cmp.Or(strings.Join(patterns, ", "), "any claim"), path.Join(filepath.ToSlash(dir), below))
	}
	return all, nil
}

// matches reports whether a claim matches one of the patterns, or there are none.
func matches(patterns []string, claim string) bool {
	name, _, _ := strings.Cut(claim, " against ")
	experiment, id, _ := strings.Cut(name, "#")
	return len(patterns) == 0 || slices.ContainsFunc(patterns, func(p string) bool {
		all := !strings.Contains(p, "#") && claims.Named(p+"#*", experiment, id)
		return all || p == claim || claims.Named(p, experiment, id)
	})
}

// at returns the accepted states at a commit, by claim.
func (h *historian) at(ctx context.Context, r revision, below string) (map[string]changes.Version, error) {
	files, err := h.blobs(ctx, r.Commit, below)
	if err != nil {
		return nil, err
	}
	all := map[string]changes.Version{}
	for _, f := range files {
		if path.Ext(f.path) != ".json" {
			continue
		}
		if h.files[f.hash] == nil {
			text, err := h.git(ctx, "cat-file", "blob", f.hash)
			if err != nil {
				return nil, err
			}
			if h.files[f.hash], err = h.parse([]byte(text)); err != nil {
				return nil, fmt.Errorf("%s at commit %s: %w", f.path, r.short(), err)
			}
		}
		for claim, v := range h.files[f.hash] {
			all[claim] = v
		}
	}
	return all, nil
}

// parse reads a file of a baseline. Keys that are unknown, as those of another version of the program may be, are left out.
func (h *historian) parse(text []byte) (map[string]changes.Version, error) {
	all := map[string]changes.Version{}
	if h.paper {
		var verdicts []claims.Verdict
		if err := json.Unmarshal(text, &verdicts); err != nil {
			return nil, err
		}
		for _, v := range verdicts {
			all[v.Experiment+"#"+v.Claim] = changes.VersionOf(v)
		}
		return all, nil
	}
	var s changes.Snapshot
	if err := json.NewDecoder(bytes.NewReader(text)).Decode(&s); err != nil {
		return nil, err
	}
	for claim, v := range s.Versions(h.methodsOf(s.Experiment)) {
		all[s.Experiment+"#"+claim] = v
	}
	return all, nil
}

// methodsOf returns the function that lists the methods of a claim, as the experiment's spec has them now. Of a claim that the
// spec does not have, and of specs that do not come with repro, the methods are unknown.
func (h *historian) methodsOf(experiment string) func(claim string) []string {
	if f := h.methods[experiment]; f != nil {
		return f
	}
	known := map[string][]string{}
	if s, err := experiments.Load(experiments.Ref{ID: experiment}, experiments.LoadOptions{Profile: experiments.CI}); err == nil {
		for _, c := range s.Experiment().Claims {
			known[c.ID] = c.Methods()
		}
	}
	if h.methods == nil {
		h.methods = map[string]func(string) []string{}
	}
	h.methods[experiment] = func(claim string) []string { return known[claim] }
	return h.methods[experiment]
}

// printHistory prints a line for every claim that changed, or every version of every claim if claims were named.
func (a *app) printHistory(all []*past, named bool, s stats.Segments) {
	if named && len(all) <= longHistories {
		for i, p := range all {
			if i > 0 {
				fmt.Fprintln(a.Stdout)
			}
			a.printPast(p)
		}
	} else {
		g := terminal.Table{Head: []string{"claim", "verdict", "number", "versions", "changed", "in commit"}, Wrap: 6}
		still := 0
		for _, p := range all {
			if len(p.Versions) == 1 && p.Gone == nil && !named {
				still++
				continue
			}
			v := p.latest()
			verdict, last, what := string(v.Verdict), v.revision, parts(v.Changed)
			if p.Gone != nil {
				verdict, last, what = "removed", *p.Gone, "removed"
			}
			g.Rows = append(g.Rows, []string{p.Claim, verdict, maybe(v.Value), numberBars(p.Versions), what, last.short() + " " + last.Subject})
		}
		if len(g.Rows) > 0 {
			a.Stdout.Table(g)
			fmt.Fprintln(a.Stdout)
		}
		if still > 0 {
			a.Stdout.Paragraph("%s without a change.", printed.Count(still, "claim"))
		}
	}
	a.Stdout.Paragraph("Change points: E-Divisive with Student's t-test, p ≤ %v, at least %s on each side.", s.P, printed.Count(s.Shortest, "version"))
}

// longHistories is the largest number of claims whose versions are all listed.
const longHistories = 10

// printPast prints every version of a claim.
func (a *app) printPast(p *past) {
	a.Stdout.Paragraph("%s  %s", p.Claim, numberBars(p.Versions))
	g := terminal.Table{Head: []string{"commit", "date", "verdict", "number", "95 % interval", "seeds", "flops", "changed", "subject"}, Right: []int{6, 7}, Wrap: 9, Indent: "  "}
	for _, v := range p.Versions {
		interval, flops := "", ""
		if v.Low != nil && v.High != nil {
			interval = "[" + maybe(v.Low) + ", " + maybe(v.High) + "]"
		}
		if v.Work != nil {
			flops = printed.Number(float64(v.Work.Flops))
		}
		g.Rows = append(g.Rows, []string{v.short(), v.Date, string(v.Verdict), maybe(v.Value), interval, fmt.Sprint(v.Seeds), flops, parts(v.Changed), v.Subject})
	}
	g.Paint = func(row, column int) terminal.Colour {
		if column == 2 {
			return findings.Colour(p.Versions[row].Verdict)
		}
		return 0
	}
	a.Stdout.Table(g)
	for _, c := range p.ChangePoints {
		a.Stdout.Paragraph("  change point: %s %s: from %s to %s, p = %s", c.short(), c.Subject, printed.Number(c.Before), printed.Number(c.After), printed.Digits(c.P, 2))
	}
	if p.Gone != nil {
		a.Stdout.Paragraph("  removed by %s %s", p.Gone.short(), p.Gone.Subject)
	}
}

// parts lists what a version changed.
func parts(all []changes.Part) string {
	words := make([]string, len(all))
	for i, p := range all {
		words[i] = string(p)
	}
	return strings.Join(words, ", ")
}

// maybe writes a number, "-" if there is none.
func maybe(v *float64) string {
	if v == nil {
		return "-"
	}
	return printed.Number(*v)
}

// mostBars is the number of versions that numberBars shows: the latest.
const mostBars = 24

// numberBars draws the numbers of versions, from the smallest to the largest, with · for none.
func numberBars(all []pastVersion) string {
	all = all[max(0, len(all)-mostBars):]
	low, high := math.Inf(1), math.Inf(-1)
	for _, v := range all {
		if v.Value != nil {
			low, high = min(low, *v.Value), max(high, *v.Value)
		}
	}
	var line []rune
	for _, v := range all {
		switch {
		case v.Value == nil:
			line = append(line, '·')
		case low == high:
			line = append(line, sparks[0])
		default:
			line = append(line, sparks[int(math.Round((*v.Value-low)/(high-low)*float64(len(sparks)-1)))])
		}
	}
	return string(line)
}

// drawHistory draws the number of every claim over its versions into a folder.
func (a *app) drawHistory(all []*past, dir string, s stats.Segments) error {
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
	a.Note("%s drawn into %s", printed.Count(drawn, "figure"), dir)
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
		return "", fmt.Errorf("%s is not in a git repository; history and bisect read the commits of a checkout of the sources", c.dir)
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

// blobs lists the files below paths at a commit.
func (c checkout) blobs(ctx context.Context, commit string, paths ...string) ([]blob, error) {
	out, err := c.git(ctx, append([]string{"ls-tree", "-r", "-z", commit, "--"}, paths...)...)
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
