package guard

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"repro/cmd/repro/findings"
	"repro/cmd/repro/flags"
	"repro/cmd/repro/terminal"
	"repro/plots/drawings"
	"repro/plots/figures"
	"repro/results/baseline"
	"repro/results/changes"
	"repro/results/claims"
	"repro/results/printed"
	"repro/results/records"
)

// A past is the history of a claim's number: what was accepted by which commit.
type past struct {
	Claim    string    `json:"claim"` // without the experiment; with the method that it is compared with, if there are several
	Versions []version `json:"versions"`
	Gone     *revision `json:"gone,omitempty"` // the commit that removed it
}

// A version is what a commit accepted. A number that does not exist is nil.
type version struct {
	revision
	Verdict claims.Word `json:"verdict"`
	Value   *float64    `json:"value"`
	Low     *float64    `json:"low"` // 95 % interval over seeds
	High    *float64    `json:"high"`
	Seeds   int         `json:"seeds"`
	Terms   string      `json:"-"` // what the claim said
}

func newHistory(t *terminal.Terminal) *cobra.Command {
	var dir, figure string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "history ID",
		Short: "Show which commits accepted which numbers of an experiment",
		Long: `History reads the reference results of an experiment from the commits of the checkout. It lists, for each claim, the commits
that changed its verdict, its number or its definition. Of a merge it lists the merge. It runs nothing.`,
		Example: `  repro history dai2014/rate
  repro history dai2014/rate --figure rate.svg
  repro history mine/optimisers --baseline accepted`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			all, commits, err := readHistory(cmd.Context(), checkout{cmp.Or(dir, baseline.DefaultDir())}, args[0])
			if err != nil {
				return err
			}
			if figure != "" {
				picture, err := drawings.Render(historyFigure(args[0], all, commits))
				if err != nil {
					return err
				}
				if err := os.WriteFile(figure, picture.Files[0].Data, 0o644); err != nil {
					return err
				}
			}
			return t.Show(asJSON, all, func() { printHistory(t.Stdout, all) })
		},
		ValidArgsFunction: flags.IDs,
	}
	cmd.Flags().StringVar(&dir, "baseline", "", baselineUsage)
	cmd.Flags().StringVar(&figure, "figure", "", "draw the numbers over the commits into this SVG `file`")
	flags.JSON(cmd, &asJSON)
	return cmd
}

// readHistory returns the histories of the claims of an experiment in alphabetical order, and the commits that changed them, the
// oldest first.
func readHistory(ctx context.Context, c checkout, id string) (all []*past, commits []revision, err error) {
	if info, err := os.Stat(c.dir); err != nil || !info.IsDir() {
		return nil, nil, fmt.Errorf("there is no folder %s; run at the top of a module that has reference results, or name their folder with --baseline", c.dir)
	}
	file := filepath.ToSlash(id) + ".json"
	commits, err = c.log(ctx, "--first-parent", "--reverse", "--", file)
	if err != nil {
		return nil, nil, err
	}
	if len(commits) == 0 {
		return nil, nil, fmt.Errorf("no commit has reference results of %s below %s", id, c.dir)
	}
	for _, r := range commits {
		var s changes.Snapshot
		if text, err := c.git(ctx, "show", r.Commit+":./"+file); err == nil { // else the commit removed it
			if err := json.Unmarshal([]byte(text), &s); err != nil {
				return nil, nil, fmt.Errorf("%s at commit %s: %w", file, r.short(), err)
			}
		}
		now := versions(s, r)
		for claim, v := range now {
			i := slices.IndexFunc(all, func(p *past) bool { return p.Claim == claim })
			if i < 0 {
				i, all = len(all), append(all, &past{Claim: claim})
			}
			p := all[i]
			if n := len(p.Versions); n == 0 || p.Gone != nil || v.changed(p.Versions[n-1]) != "" {
				p.Versions = append(p.Versions, v)
			}
			p.Gone = nil
		}
		for _, p := range all {
			if _, there := now[p.Claim]; !there && p.Gone == nil {
				p.Gone = &r
			}
		}
	}
	slices.SortFunc(all, func(a, b *past) int { return strings.Compare(a.Claim, b.Claim) })
	return all, commits, nil
}

// versions returns what a snapshot says of each claim, without the numbers of early looks.
func versions(s changes.Snapshot, r revision) map[string]version {
	all := map[string]version{}
	for claim, n := range s.Whole() {
		v := version{revision: r, Verdict: n.Word, Value: n.Mean, Seeds: len(n.Values), Terms: claims.TextOf(s.Claims[n.Claim])}
		if v.Seeds > 0 {
			e := n.Interval()
			v.Low, v.High = records.Value(e.Low), records.Value(e.High)
		}
		all[claim] = v
	}
	return all
}

// changed says what differs from the version before; nothing is an empty text.
func (v version) changed(before version) string {
	var parts []string
	for _, p := range []struct {
		what    string
		changed bool
	}{
		{"claim", before.Terms != v.Terms}, {"seeds", before.Seeds != v.Seeds}, {"verdict", before.Verdict != v.Verdict},
		{"number", printed.Maybe(before.Value) != printed.Maybe(v.Value) || printed.Maybe(before.Low) != printed.Maybe(v.Low)},
	} {
		if p.changed {
			parts = append(parts, p.what)
		}
	}
	return strings.Join(parts, ", ")
}

func printHistory(o *terminal.Output, all []*past) {
	g := terminal.Table{Head: []string{"claim", "commit", "date", "verdict", "number", "95 % interval", "seeds", "changed", "subject"}, Right: []int{7}, Wrap: 9}
	var words []claims.Word
	for _, p := range all {
		for i, v := range p.Versions {
			name, changed := p.Claim, ""
			if i > 0 {
				name, changed = "", v.changed(p.Versions[i-1])
			}
			interval := ""
			if v.Low != nil && v.High != nil {
				interval = "[" + printed.Maybe(v.Low) + ", " + printed.Maybe(v.High) + "]"
			}
			g.Rows = append(g.Rows, []string{name, v.short(), v.Date, string(v.Verdict), printed.Maybe(v.Value), interval, fmt.Sprint(v.Seeds), changed, v.Subject})
			words = append(words, v.Verdict)
		}
		if r := p.Gone; r != nil {
			g.Rows, words = append(g.Rows, []string{"", r.short(), r.Date, "removed", "", "", "", "", r.Subject}), append(words, "")
		}
	}
	g.Paint = func(row, column int) terminal.Colour {
		if column == 3 {
			return findings.Colour(words[row])
		}
		return 0
	}
	o.Table(g)
}

// historyFigure draws the numbers over the commits, counted from 1, with their intervals as bands.
func historyFigure(id string, all []*past, commits []revision) figures.Figure {
	c := figures.Curves{X: figures.Axis{Label: "commit that changed the baseline", Min: 0.5, Max: float64(len(commits)) + 0.5}, Y: figures.Axis{Label: "number of the claim"}}
	c.Y.Log = true
	for i, p := range all {
		line := figures.Line{Label: p.Claim, Style: i}
		for _, v := range p.Versions {
			if v.Value == nil {
				continue
			}
			low, high := *v.Value, *v.Value
			if v.Low != nil && v.High != nil {
				low, high = *v.Low, *v.High
			}
			line.X, line.Y = append(line.X, float64(1+slices.Index(commits, v.revision))), append(line.Y, *v.Value)
			line.Low, line.High = append(line.Low, low), append(line.High, high)
			c.Y.Log = c.Y.Log && low > 0
		}
		if len(line.X) > 0 {
			c.Lines = append(c.Lines, line)
		}
	}
	return figures.Figure{ID: "history", Title: "Accepted numbers of " + id, Curves: &c}
}
