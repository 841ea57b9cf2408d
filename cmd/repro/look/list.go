package look

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"repro/cmd/repro/findings"
	"repro/cmd/repro/flags"
	"repro/cmd/repro/terminal"
	"repro/datasets"
	"repro/experiments"
	"repro/results/baseline"
	"repro/results/claims"
	"repro/results/printed"
)

// A listed is one experiment in `list --json`.
type listed struct {
	ID        string   `json:"id"`
	Paper     string   `json:"paper"`
	Row       string   `json:"row"` // of the scoreboard
	Title     string   `json:"title"`
	Source    string   `json:"source"`
	Data      string   `json:"data"`
	Available bool     `json:"available"` // needs no download
	Here      string   `json:"here"`      // yes, fetch, bring or part
	Reason    string   `json:"reason"`    // where the data is, or how to get it
	Claims    int      `json:"claims"`
	Profiles  []string `json:"profiles"`
	Citation  string   `json:"citation"`
	Auxiliary bool     `json:"auxiliary"` // serves other experiments; a run that names no experiment leaves it out

	PublishedSize claims.Score `json:"published_size"` // shipped verdicts of the runs at profile paper
}

func newList(t *terminal.Terminal) *cobra.Command {
	r := listRequest{Library: flags.Library(t)}
	cmd := &cobra.Command{
		Use:   "list [ID... | WORD]",
		Short: "List the experiments, or the names that specs can use",
		Long: `List shows every experiment that comes with repro: its id, whether its data is on this machine, the table
or figure of the paper that it is about, and how many of the paper's claims were reproduced at the papers' size;
ours counts our own checks where there are none (repro score has all). Your own specs are not listed; every command takes the path of a spec instead of an id.

The data of an experiment is here (yes: on this machine, or generated), can be downloaded (fetch: see
repro fetch), is not downloadable (no: repro run lists the files that you put there), or is here in part (part).

With one of the words algorithms, data, kernels, losses, metrics and schedules, list shows the names that a spec can use, and what
they mean.`,
		Example: `  repro list
  repro list 'dai2014/*'
  repro list --profile ci             those that repro check runs
  repro list --json
  repro list algorithms               the methods a spec can name`,
		ValidArgsFunction: flags.IDs,
		RunE: func(_ *cobra.Command, args []string) error {
			for _, v := range experiments.Vocabularies {
				switch {
				case !slices.Contains(args, v.Key):
				case len(args) > 1 || r.profile != "":
					return fmt.Errorf("list: %s lists all %s; leave out everything else", v.Key, v.What)
				default:
					return t.Show(r.json, terminal.OrEmpty(v.Terms()), func() { printTerms(t.Stdout, v.Terms()) })
				}
			}
			r.args = args
			found, err := list(r)
			if err != nil {
				return err
			}
			return t.Show(r.json, found.Experiments, func() { found.print(t.Stdout) })
		},
	}
	cmd.Flags().StringVar(&r.profile, "profile", "", "list only the experiments that have this profile")
	flags.Complete(cmd, "profile", flags.Profiles)
	flags.JSON(cmd, &r.json)
	return cmd
}

// A listRequest is what the flags of list say.
type listRequest struct {
	*datasets.Library
	args    []string
	profile string // that the experiments have; empty for any
	json    bool
}

// A listing is the experiments that list shows.
type listing struct {
	Experiments []listed
	papers      map[string]claims.Paper
	profile     string
	left        int // experiments without the profile
}

// list lists the experiments that the arguments name, of those that have the profile.
func list(r listRequest) (listing, error) {
	none := listing{}
	entries, file, err := flags.Entries(r.args)
	if err != nil {
		return none, err
	}
	if file != "" {
		return none, fmt.Errorf("%s: list shows the experiments of the catalog; for a file use %s", file, printed.Again("show", file))
	}
	verdicts, err := baseline.Verdicts()
	if err != nil {
		return none, err
	}
	found := listing{Experiments: []listed{}, papers: map[string]claims.Paper{}, profile: r.profile}
	for _, e := range entries {
		if r.profile != "" && !slices.Contains(e.Profiles, r.profile) {
			found.left++
			continue
		}
		ok, reason := r.Available(e.Data)
		found.Experiments = append(found.Experiments, listed{
			ID: e.ID, Paper: e.Paper.Key, Row: e.Paper.RowOf(e.ID).ID, Title: e.Title, Source: e.Source, Data: e.Data,
			Available: ok, Here: r.Whereabouts(e.Data), Reason: reason, Claims: len(e.Claims), Profiles: e.Profiles, Citation: citation(e.Paper),
			Auxiliary: e.Auxiliary, PublishedSize: claims.ScoreOf(e.Case(verdicts).Verdicts),
		})
		found.papers[e.Paper.Key] = e.Paper
	}
	return found, nil
}

// print prints a table for each paper. On a wide terminal it has the titles, too.
func (l listing) print(o *terminal.Output) {
	all := l.Experiments
	for first, n := 0, 0; first < len(all); first += n {
		paper := all[first].Paper
		for n = 1; first+n < len(all) && all[first+n].Paper == paper; n++ {
		}
		if first > 0 {
			fmt.Fprintln(o)
		}
		o.Paragraph("%s", heading(paper, l.papers[paper]))
		g := terminal.Table{Head: []string{"id", "data", "table or figure", "reproduced"}, Wrap: 4}
		for _, e := range all[first : first+n] {
			held, row := reproduced(e.PublishedSize), e.Row
			if e.Auxiliary {
				held, row = "-", row+" (helper)"
			}
			here := e.Here
			if here == findings.Bring {
				here = "no"
			}
			g.Rows = append(g.Rows, []string{e.ID, here, row, held})
		}
		if o.Width >= wide {
			g.Head, g.Wrap = append(g.Head, "title"), 5
			for i, e := range all[first : first+n] {
				g.Rows[i] = append(g.Rows[i], e.Title)
			}
		}
		g.Paint = func(row, column int) terminal.Colour {
			switch e := all[first+row]; {
			case column == 1 && e.Here != datasets.Here:
				return terminal.Yellow
			case column == 3 && !e.Auxiliary && !slices.ContainsFunc(e.PublishedSize, func(n claims.Count) bool { return n.Reproduced < n.Claims }):
				return terminal.Green
			}
			return 0
		}
		o.Table(g)
	}
	if len(all) > 1 {
		fmt.Fprintln(o)
		o.Paragraph("%s. %s prints what one does; %s counts all verdicts.", printed.Count(len(all), "experiment"), printed.Command("show ID"), printed.Command("score"))
		o.Paragraph("Data: yes, it is here; fetch, %s downloads it; no, it is not downloadable; part, some files are here. A helper serves other experiments, and runs only if it is named.", printed.Command("fetch"))
	}
	if l.left > 0 {
		o.Paragraph("%s without the profile %s left out.", printed.Count(l.left, "experiment"), l.profile)
	}
}

// heading names a paper in a line.
func heading(key string, p claims.Paper) string {
	if p.Title == "" {
		return key
	}
	return fmt.Sprintf("%s: %s (%s %d)", key, p.Title, p.Venue, p.Year)
}

// wide is the width from which a terminal has room for titles.
const wide = 120

// printTerms prints names with a line each.
func printTerms(o *terminal.Output, terms []experiments.Term) {
	g := terminal.Table{Head: []string{"name", "what it is"}, Wrap: 2}
	for _, t := range terms {
		g.Rows = append(g.Rows, []string{t.Name, t.Doc})
	}
	o.Table(g)
}

// reproduced says how many of the paper's claims or, if it has none, of our checks are reproduced.
func reproduced(s claims.Score) string {
	n, whose := s.Papers(), ""
	if n.Claims == 0 {
		n, whose = s.Checks(), " ours"
	}
	if n.Claims == 0 {
		return "-"
	}
	return fmt.Sprintf("%d of %d%s", n.Reproduced, n.Claims, whose)
}

// citation names a paper in a line.
func citation(p claims.Paper) string {
	if p.Title == "" {
		return p.Key
	}
	authors := strings.Join(p.Authors, ", ")
	if len(p.Authors) > 3 {
		authors = p.Authors[0] + " et al."
	}
	return fmt.Sprintf("%s: %s. %s %d", authors, p.Title, p.Venue, p.Year)
}
