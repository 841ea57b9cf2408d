package guard

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/spf13/cobra"

	"repro/cmd/repro/findings"
	"repro/cmd/repro/flags"
	"repro/cmd/repro/terminal"
	"repro/plots"
	"repro/results/changes"
	"repro/results/printed"
	"repro/results/stats"
)

// A historyRequest is what the flags of history say.
type historyRequest struct {
	historian
	dir           string // of the accepted baseline
	figures, page string // to write; empty for none
	json          bool
}

func newHistory(t *terminal.Terminal) *cobra.Command {
	r := historyRequest{historian: historian{segments: stats.DefaultSegments}}
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
tolerance), value, interval (with the same value), verdict. Change points are found in the numbers alone,
weighted by their intervals; --p is the share of series without a change that have one. With few versions there
are none. Versions that are equal count once.

It works in any git repository, and in a folder of it: --baseline names the folder of the accepted baseline, as in check.
--paper reads the verdicts at the papers' size instead, which a module ships in the folder paper beside ci. --runs adds
the runs of logs that repro check --append wrote, every commit once.

--html writes pages: one for each experiment, or one for all if the name ends in .html. A page draws every number with
its interval over the commits, the curves of the versions where it changed, the counted work and, of runs, the training
times. It loads nothing, and needs no script to be read.`,
		Example: `  repro history
  repro history dai2014/rate
  repro history 'dai2014/rate#theta-3-*' --figures history
  repro history --html history --runs runs.jsonl
  repro history --baseline accepted
  repro history --paper --json`,
		RunE: func(cmd *cobra.Command, args []string) error { return r.show(cmd.Context(), t, args) },
	}
	f := cmd.Flags()
	f.BoolVar(&r.paper, "paper", false, "the verdicts at the papers' size")
	f.StringVar(&r.dir, "baseline", "", "folder of the accepted baseline, or with --paper of the verdicts; that of the module if left out")
	f.StringVar(&r.figures, "figures", "", "draw the numbers of every listed claim as SVG into this `folder`")
	f.StringVar(&r.page, "html", "", "write pages into this `folder`, or one page if the name ends in .html")
	f.StringSliceVar(&r.runs, "runs", nil, "`file` that repro check --append wrote; several with commas")
	f.IntVar(&r.segments.Shortest, "segment", r.segments.Shortest, "least number of versions between two change points")
	f.Float64Var(&r.segments.P, "p", r.segments.P, "largest p of a change point")
	flags.JSON(cmd, &r.json)
	return cmd
}

// show reads, draws and prints histories.
func (r *historyRequest) show(ctx context.Context, t *terminal.Terminal, args []string) error {
	if s := r.segments; s.Shortest < 2 || !(s.P >= leastP && s.P < 1) {
		return fmt.Errorf("--segment must be 2 or more and --p between %v and 1, got %d and %v", leastP, s.Shortest, s.P)
	}
	if r.paper && len(r.runs) > 0 {
		return errors.New("--runs are not of the papers' size; leave --paper out")
	}
	all, err := r.read(ctx, t, r.dir, args)
	if err != nil {
		return err
	}
	if r.page != "" {
		err = r.writePages(t, r.page, all)
	}
	if r.figures != "" {
		err = errors.Join(err, drawHistory(t, all, r.figures))
	}
	if err != nil {
		return err
	}
	return t.Show(r.json, terminal.OrEmpty(all), func() { printHistory(t.Stdout, all, len(args) > 0, r.segments) })
}

// writePages writes the pages of the experiments of histories.
func (h *historian) writePages(t *terminal.Terminal, name string, all []*past) error {
	var pages []plots.Timeline
	for of := range groups(all) {
		pages = append(pages, timeline(h.specs, h.segments, of, h.moments))
	}
	note := fmt.Sprintf("Every point is a commit. Bars and bands are 95 %% intervals over seeds. A ring with a bar is a change point: the levels before and after it. Of series without a change %v %% have one. A + after a commit: the files differed from it.", 100*h.segments.P)
	return writePages(t, name, note, pages)
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
			if p.still() && !named {
				still++
				continue
			}
			v := p.latest()
			verdict, last, what := string(v.Verdict), v.revision, parts(v.Changed)
			if p.Gone != nil {
				verdict, last, what = "removed", *p.Gone, "removed"
			}
			g.Rows = append(g.Rows, []string{p.name(), verdict, printed.Maybe(v.Value), numberBars(p.Versions), what, last.short() + " " + last.Subject})
		}
		if len(g.Rows) > 0 {
			o.Table(g)
			fmt.Fprintln(o)
		}
		if still > 0 {
			o.Paragraph("%s without a change.", printed.Count(still, "claim"))
		}
		for _, p := range all {
			for _, c := range p.ChangePoints {
				o.Paragraph("change point of %s: %s", p.name(), c)
			}
		}
	}
	o.Paragraph("Change points: the largest t between two levels against series without a change, p ≤ %v, at least %s on each side.", s.P, printed.Count(s.Shortest, "version"))
}

// leastP is the smallest p that drawn series can show.
const leastP = 2. / (stats.Draws + 1)

// longHistories is the largest number of claims whose versions are all listed.
const longHistories = 10

// print prints every version of a claim.
func (p *past) print(o *terminal.Output) {
	o.Paragraph("%s  %s", p.name(), numberBars(p.Versions))
	g := terminal.Table{Head: []string{"commit", "date", "verdict", "number", "95 % interval", "seeds", "flops", "changed", "subject"}, Right: []int{6, 7}, Wrap: 9, Indent: "  "}
	shown := p.changed()
	for _, v := range shown {
		interval, flops := "", ""
		if v.Low != nil && v.High != nil {
			interval = "[" + printed.Maybe(v.Low) + ", " + printed.Maybe(v.High) + "]"
		}
		if v.Work != nil {
			flops = printed.Number(float64(v.Work.Flops))
		}
		g.Rows = append(g.Rows, []string{v.mark(), v.Date, string(v.Verdict), printed.Maybe(v.Value), interval, fmt.Sprint(v.Seeds), flops, parts(v.Changed), v.Subject})
	}
	g.Paint = func(row, column int) terminal.Colour {
		if column == 2 {
			return findings.Colour(shown[row].Verdict)
		}
		return 0
	}
	o.Table(g)
	if n := len(p.Versions) - len(shown); n > 0 {
		o.Paragraph("  and %s without a change", printed.Count(n, "commit"))
	}
	for _, c := range p.ChangePoints {
		o.Paragraph("  change point: %s", c)
	}
	if p.Gone != nil {
		o.Paragraph("  removed by %s %s", p.Gone.short(), p.Gone.Subject)
	}
}

func parts(all []changes.Part) string {
	return strings.Join(printed.Each(all, func(p changes.Part) string { return string(p) }), ", ")
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
