package guard

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"repro/cmd/repro/findings"
	"repro/cmd/repro/flags"
	"repro/cmd/repro/terminal"
	"repro/experiments"
	"repro/experiments/catalog"
	"repro/results/baseline"
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

func newHistory(t *terminal.Terminal) *cobra.Command {
	h := historian{segments: stats.DefaultSegments}
	var dir, figures string
	var asJSON bool
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

It works in any git repository, and in a folder of it: --baseline names the folder of the accepted baseline, as in check.
--paper reads the verdicts at the papers' size instead, which a module ships in the folder paper beside ci.`,
		Example: `  repro history
  repro history dai2014/rate
  repro history 'dai2014/rate#theta-3-*' --figures history
  repro history --baseline accepted
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
				if err := drawHistory(t, all, figures, h.segments); err != nil {
					return err
				}
			}
			return t.Show(asJSON, terminal.OrEmpty(all), func() { printHistory(t.Stdout, all, len(args) > 0, h.segments) })
		},
	}
	f := cmd.Flags()
	f.BoolVar(&h.paper, "paper", false, "the verdicts at the papers' size")
	f.StringVar(&dir, "baseline", "", "folder of the accepted baseline, or with --paper of the verdicts; that of the module if left out")
	f.StringVar(&figures, "figures", "", "draw the numbers of every listed claim as SVG into this `folder`")
	f.IntVar(&h.segments.Shortest, "segment", h.segments.Shortest, "least number of versions between two change points")
	f.Float64Var(&h.segments.P, "p", h.segments.P, "largest p of a change point")
	flags.JSON(cmd, &asJSON)
	return cmd
}

// read returns the histories of the claims that match one of the patterns, or of all, in alphabetical order.
func (h *historian) read(ctx context.Context, dir string, patterns []string) ([]*past, error) {
	for _, p := range patterns {
		if _, err := path.Match(p, ""); err != nil {
			return nil, fmt.Errorf("%q: not a pattern; use * and ? as in dai2014/rate#*", p)
		}
	}
	if dir == "" {
		if dir = baseline.DefaultDir(); h.paper {
			dir = filepath.Join(baseline.Folder(), "paper")
		}
	}
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return nil, fmt.Errorf("there is no folder %s; run at the top of a module that has an accepted baseline, or name its folder with --baseline", dir)
	}
	h.checkout, h.files = checkout{dir}, map[string]map[string]changes.Version{}
	commits, err := h.revisions(ctx, ".")
	if err != nil {
		return nil, err
	}
	pasts := map[string]*past{}
	for _, r := range commits {
		accepted, err := h.at(ctx, r)
		if err != nil {
			return nil, err
		}
		maps.DeleteFunc(accepted, func(claim string, _ changes.Version) bool { return !matches(patterns, claim) })
		add(pasts, r, accepted)
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
		return nil, fmt.Errorf("no commit has an accepted state of %s below %s", cmp.Or(strings.Join(patterns, ", "), "any claim"), dir)
	}
	return all, nil
}

// add adds what is accepted at a commit to the histories of claims.
func add(pasts map[string]*past, r revision, accepted map[string]changes.Version) {
	for claim, v := range accepted {
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

func matches(patterns []string, claim string) bool {
	name, _, _ := strings.Cut(claim, " against ")
	experiment, id, _ := strings.Cut(name, "#")
	return len(patterns) == 0 || slices.ContainsFunc(patterns, func(p string) bool {
		all := !strings.Contains(p, "#") && claims.Named(p+"#*", experiment, id)
		return all || p == claim || claims.Named(p, experiment, id)
	})
}

// at returns the accepted states at a commit, by claim.
func (h *historian) at(ctx context.Context, r revision) (map[string]changes.Version, error) {
	files, err := h.blobs(ctx, r.Commit)
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
	if s, err := catalog.Load(catalog.Ref{ID: experiment}, experiments.LoadOptions{Profile: experiments.CI}); err == nil {
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
func printHistory(o *terminal.Output, all []*past, named bool, s stats.Segments) {
	if named && len(all) <= longHistories {
		for i, p := range all {
			if i > 0 {
				fmt.Fprintln(o)
			}
			p.print(o)
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
			g.Rows = append(g.Rows, []string{p.Claim, verdict, printed.Maybe(v.Value), numberBars(p.Versions), what, last.short() + " " + last.Subject})
		}
		if len(g.Rows) > 0 {
			o.Table(g)
			fmt.Fprintln(o)
		}
		if still > 0 {
			o.Paragraph("%s without a change.", printed.Count(still, "claim"))
		}
	}
	o.Paragraph("Change points: E-Divisive with Student's t-test, p ≤ %v, at least %s on each side.", s.P, printed.Count(s.Shortest, "version"))
}

// longHistories is the largest number of claims whose versions are all listed.
const longHistories = 10

// print prints every version of a claim.
func (p *past) print(o *terminal.Output) {
	o.Paragraph("%s  %s", p.Claim, numberBars(p.Versions))
	g := terminal.Table{Head: []string{"commit", "date", "verdict", "number", "95 % interval", "seeds", "flops", "changed", "subject"}, Right: []int{6, 7}, Wrap: 9, Indent: "  "}
	for _, v := range p.Versions {
		interval, flops := "", ""
		if v.Low != nil && v.High != nil {
			interval = "[" + printed.Maybe(v.Low) + ", " + printed.Maybe(v.High) + "]"
		}
		if v.Work != nil {
			flops = printed.Number(float64(v.Work.Flops))
		}
		g.Rows = append(g.Rows, []string{v.short(), v.Date, string(v.Verdict), printed.Maybe(v.Value), interval, fmt.Sprint(v.Seeds), flops, parts(v.Changed), v.Subject})
	}
	g.Paint = func(row, column int) terminal.Colour {
		if column == 2 {
			return findings.Colour(p.Versions[row].Verdict)
		}
		return 0
	}
	o.Table(g)
	for _, c := range p.ChangePoints {
		o.Paragraph("  change point: %s %s: from %s to %s, p = %s", c.short(), c.Subject, printed.Number(c.Before), printed.Number(c.After), printed.Digits(c.P, 2))
	}
	if p.Gone != nil {
		o.Paragraph("  removed by %s %s", p.Gone.short(), p.Gone.Subject)
	}
}

func parts(all []changes.Part) string {
	words := make([]string, len(all))
	for i, p := range all {
		words[i] = string(p)
	}
	return strings.Join(words, ", ")
}

// mostBars is the number of versions that numberBars shows: the latest.
const mostBars = 24

// numberBars draws the numbers of versions, from the smallest to the largest, with · for none.
func numberBars(all []pastVersion) string {
	all = all[max(0, len(all)-mostBars):]
	values, low, high := make([]float64, len(all)), math.Inf(1), math.Inf(-1)
	for i, v := range all {
		if values[i] = math.NaN(); v.Value != nil {
			values[i], low, high = *v.Value, min(low, *v.Value), max(high, *v.Value)
		}
	}
	return bars(values, low, high)
}
