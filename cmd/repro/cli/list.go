package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"repro/datasets"
	"repro/experiments"
	"repro/results/claims"
	"repro/results/printed"
)

// Words for whether the data of an experiment is on this machine.
const (
	dataHere  = "yes"   // it is, or it is generated
	dataFetch = "fetch" // repro fetch downloads it
	dataBring = "bring" // nobody offers it for download
	dataPart  = "part"  // some of its files are here
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

	PublishedSize claims.Tally `json:"published_size"` // shipped verdicts of the runs at profile paper
}

// vocabularies are the lists of names that list shows instead of experiments, by flag.
var vocabularies = []struct {
	flag, what string
	terms      func() []experiments.Term
}{
	{"algorithms", "algorithms", experiments.Algorithms},
	{"data", "data sets", experiments.DataSets},
	{"kernels", "kernels", experiments.Kernels},
	{"losses", "losses", experiments.Losses},
	{"metrics", "metrics", experiments.MetricTerms},
	{"schedules", "schedules of step sizes", experiments.Schedules},
}

func newList(a *app) *cobra.Command {
	var profile string
	asked := make([]bool, len(vocabularies))
	cmd := &cobra.Command{
		Use:   "list [ID...]",
		Short: "List the experiments, or the names that specs can use",
		Long: `List shows every experiment that comes with repro: its id, whether its data is on this machine, how many
of its claims were reproduced at the papers' size (see repro score), and the row of the scoreboard that it
belongs to. Your own specs are not listed; every command takes the path of a spec instead of an id.

The data of an experiment is here (yes: on this machine, or generated), can be downloaded (fetch: see
repro fetch), has to be brought by you (bring: repro run lists the files), or is here in part (part).

With a flag such as --algorithms, list shows the names that a spec can use and what they mean.`,
		Example: `  repro list
  repro list 'dai2014/*'
  repro list --profile ci             those that repro check runs
  repro list --json
  repro list --algorithms             the methods a spec can name`,
		ValidArgsFunction: completeIDs,
		RunE: func(_ *cobra.Command, args []string) error {
			for i, v := range vocabularies {
				if asked[i] {
					if len(args) > 0 {
						return fmt.Errorf("list: --%s lists all %s; leave out %s", v.flag, v.what, strings.Join(args, " "))
					}
					return a.listTerms(v.terms())
				}
			}
			return a.list(args, profile)
		},
	}
	var flags []string
	for i, v := range vocabularies {
		cmd.Flags().BoolVar(&asked[i], v.flag, false, "list the "+v.what+" that specs can name")
		flags = append(flags, v.flag)
	}
	cmd.Flags().StringVar(&profile, "profile", "", "list only the experiments that have this profile")
	register(cmd, "profile", completeProfiles)
	cmd.MarkFlagsMutuallyExclusive(append(flags, "profile")...)
	a.jsonFlag(cmd)
	return cmd
}

// list lists the experiments that the arguments name, of those that have the profile if it is not empty.
func (a *app) list(args []string, profile string) error {
	refs, err := experiments.Resolve(args)
	if err != nil {
		return err
	}
	entries, err := experiments.Catalog()
	if err != nil {
		return err
	}
	scores, err := shippedScores(staked(entries))
	if err != nil {
		return err
	}
	papers := map[string]claims.Paper{}
	wanted := map[string]bool{}
	for _, r := range refs {
		if r.Path != "" {
			return fmt.Errorf("%s: list shows the experiments of the catalog; for a file use %s", r.Path, printed.Command("show "+r.Path))
		}
		wanted[r.ID] = true
	}
	all, left := []listed{}, 0
	for _, e := range entries {
		if !wanted[e.ID] {
			continue
		}
		if profile != "" && !slices.Contains(e.Profiles, profile) {
			left++
			continue
		}
		ok, reason := a.library().Available(e.Data)
		all = append(all, listed{
			ID: e.ID, Paper: e.Paper.Key, Row: e.Paper.RowOf(e.ID).ID, Title: e.Title, Source: e.Source, Data: e.Data,
			Available: ok, Here: a.here(e.Data), Reason: reason, Claims: len(e.Claims), Profiles: e.Profiles, Citation: citation(e.Paper),
			Auxiliary: e.Auxiliary, PublishedSize: scores[e.ID],
		})
		papers[e.Paper.Key] = e.Paper
	}
	if a.json {
		return printJSON(a.stdout, all)
	}
	a.printList(all, papers)
	if left > 0 {
		a.stdout.paragraph("%s without the profile %s left out.", printed.Count(left, "experiment"), profile)
	}
	return nil
}

// here says in a word whether a registered data set is on this machine.
func (a *app) here(name string) string {
	if ok, _ := a.library().Available(name); ok {
		return dataHere
	}
	if absent, files := a.library().Absent(name); len(absent) < files {
		return dataPart
	}
	if brought(name) {
		return dataBring
	}
	return dataFetch
}

// printList prints a table for each paper. On a wide terminal it has the titles, too.
func (a *app) printList(all []listed, papers map[string]claims.Paper) {
	rows := map[string]bool{}
	for first, n := 0, 0; first < len(all); first += n {
		paper := all[first].Paper
		for n = 1; first+n < len(all) && all[first+n].Paper == paper; n++ {
		}
		if first > 0 {
			fmt.Fprintln(a.stdout)
		}
		a.stdout.paragraph("%s", heading(paper, papers[paper]))
		g := grid{head: []string{"id", "data", "reproduced", "row"}, right: []int{3}}
		for _, e := range all[first : first+n] {
			rows[paper+"/"+e.Row] = true
			reproduced, row := fmt.Sprintf("%d of %d", e.PublishedSize.Reproduced, e.Claims), e.Row
			if e.Auxiliary {
				reproduced, row = "-", row+" (aux)"
			}
			g.rows = append(g.rows, []string{e.ID, e.Here, reproduced, row})
		}
		if a.stdout.width >= wide {
			g.head, g.wrap = append(g.head, "title"), 5
			for i, e := range all[first : first+n] {
				g.rows[i] = append(g.rows[i], e.Title)
			}
		}
		g.paint = func(row, column int) colour {
			switch e := all[first+row]; {
			case column == 1 && e.Here != dataHere:
				return yellow
			case column == 2 && !e.Auxiliary && e.PublishedSize.Reproduced == e.Claims:
				return green
			}
			return 0
		}
		a.print(g)
	}
	if len(all) > 1 {
		fmt.Fprintln(a.stdout)
		a.stdout.paragraph("%s in %s of the scoreboard. %s prints what one does; %s counts the verdicts.", printed.Count(len(all), "experiment"), printed.Count(len(rows), "row"), printed.Command("show ID"), printed.Command("score"))
		a.stdout.paragraph("Data: yes, it is here; fetch, %s downloads it; bring, only you have it; part, some files are here. An auxiliary experiment (aux) runs only if it is named.", printed.Command("fetch"))
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

// listTerms lists names with a line each.
func (a *app) listTerms(terms []experiments.Term) error {
	if a.json {
		return printJSON(a.stdout, orEmpty(terms))
	}
	g := grid{head: []string{"name", "what it is"}, wrap: 2}
	for _, t := range terms {
		g.rows = append(g.rows, []string{t.Name, t.Doc})
	}
	a.print(g)
	return nil
}

// generated reports whether a registered data set needs no file.
func generated(name string) bool {
	s, err := datasets.Describe(name)
	return err == nil && s.Generated()
}
