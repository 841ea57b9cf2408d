package cli

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"repro/datasets"
	"repro/experiments"
	"repro/results/claims"
)

// A listed is one experiment in `list --json`.
type listed struct {
	ID        string   `json:"id"`
	Paper     string   `json:"paper"`
	Title     string   `json:"title"`
	Source    string   `json:"source"`
	Data      string   `json:"data"`
	Available bool     `json:"available"` // needs no download
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
	asked := make([]bool, len(vocabularies))
	cmd := &cobra.Command{
		Use:   "list [ID...]",
		Short: "List the experiments, or the names that specs can use",
		Long: `List shows every experiment that comes with repro: its id, its data and whether that is on this machine,
the number of its claims, and the verdicts of the runs at the papers' size that come with repro (see
repro score). Your own specs are not listed; every command takes the path of a spec instead of an id.

With a flag such as --algorithms, list shows the names that a spec can use and what they mean.`,
		Example: `  repro list
  repro list 'dai2014/*'
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
			return a.list(args)
		},
	}
	var flags []string
	for i, v := range vocabularies {
		cmd.Flags().BoolVar(&asked[i], v.flag, false, "list the "+v.what+" that specs can name")
		flags = append(flags, v.flag)
	}
	cmd.MarkFlagsMutuallyExclusive(flags...)
	a.jsonFlag(cmd)
	return cmd
}

func (a *app) list(args []string) error {
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
	wanted := map[string]bool{}
	for _, r := range refs {
		if r.Path != "" {
			return fmt.Errorf("%s: list shows the experiments of the catalog; for a file use repro show %[1]s", r.Path)
		}
		wanted[r.ID] = true
	}
	all := []listed{}
	for _, e := range entries {
		if !wanted[e.ID] {
			continue
		}
		ok, reason := a.library().Available(e.Data)
		all = append(all, listed{
			ID: e.ID, Paper: e.Paper.Key, Title: e.Title, Source: e.Source, Data: e.Data,
			Available: ok, Reason: reason, Claims: e.Claims, Profiles: e.Profiles, Citation: citation(e.Paper),
			Auxiliary: e.Auxiliary, PublishedSize: scores[e.ID],
		})
	}
	if a.json {
		return printJSON(a.stdout, all)
	}
	g := grid{head: []string{"id", "paper", "data", "available", "claims", "at published size", "title"}, right: []int{5}, wrap: 7}
	for _, e := range all {
		available := "yes, " + e.Reason
		if !e.Available {
			available = "no, run repro fetch " + e.Data
			if brought(e.Data) {
				available = "no, needs files of yours; repro run " + e.ID + " lists them"
			}
		}
		title := e.Title + " (" + e.Source + ")"
		if e.Auxiliary {
			title += "; auxiliary: runs only if named"
		}
		g.rows = append(g.rows, []string{e.ID, e.Paper, e.Data, available, strconv.Itoa(e.Claims), e.PublishedSize.String(), title})
	}
	a.print(g)
	return nil
}

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
