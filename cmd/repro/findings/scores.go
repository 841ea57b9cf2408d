package findings

import (
	"fmt"
	"slices"

	"repro/datasets"
	"repro/experiments"
	"repro/results/baseline"
	"repro/results/printed"
	"repro/results/scores"
)

// Shipped counts the verdicts that come with repro, on the experiments that the arguments name.
func Shipped(args []string) (scores.Board, error) {
	entries, err := Scored(args)
	if err != nil {
		return scores.Board{}, err
	}
	verdicts, err := baseline.Verdicts()
	if err != nil {
		return scores.Board{}, err
	}
	return scores.New(Entries(entries), verdicts), nil
}

// Scored returns the experiments with claims that the arguments name, or all if there are no arguments.
func Scored(args []string) ([]experiments.Entry, error) {
	refs, err := experiments.Resolve(args)
	if err != nil {
		return nil, err
	}
	wanted := map[string]bool{}
	for _, r := range refs {
		if r.Path != "" {
			return nil, fmt.Errorf("%s: score counts the verdicts of experiments that come with repro; for a file use %s, or name the folder of its runs with --out", r.Path, printed.Command("verify "+r.Path))
		}
		wanted[r.ID] = true
	}
	entries, err := experiments.Catalog()
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(entries, func(e experiments.Entry) bool { return !wanted[e.ID] || e.Auxiliary || len(e.Claims) == 0 }), nil
}

// Entries are entries of the catalog as a scoreboard wants them.
func Entries(all []experiments.Entry) []scores.Entry {
	var out []scores.Entry
	for _, e := range all {
		how := ""
		if _, err := datasets.Describe(e.Data); err == nil && !datasets.Generated(e.Data) {
			how = scores.Fetch
			if datasets.Brought(e.Data) {
				how = scores.Bring
			}
		}
		out = append(out, scores.Entry{ID: e.ID, Paper: e.Paper, Claims: e.Claims, Data: e.Data, How: how})
	}
	return out
}
