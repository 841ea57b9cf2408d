package findings

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"repro/cmd/repro/flags"
	"repro/cmd/repro/terminal"
	"repro/datasets"
	"repro/experiments/catalog"
	"repro/plots"
	"repro/results/baseline"
	"repro/results/claims"
	"repro/results/printed"
	"repro/results/records"
	"repro/results/scores"
	"repro/runner"
)

// Recorded reads an output folder and judges the experiments with records there that a choice names. If there are
// none, it returns an error.
func Recorded(t *terminal.Terminal, out string, c flags.Choice) (store *records.Store, all []claims.Case, err error) {
	if store, err = flags.Open(t, out); err != nil {
		return nil, nil, err
	}
	refs, err := c.RecordedRefs(t, store)
	if err != nil {
		return nil, nil, err
	}
	var exps, without []claims.Experiment
	var errs []error
	for _, ref := range refs {
		exp, _, err := c.Choose(t, ref, store)
		switch {
		case err != nil:
			errs = append(errs, err)
		case len(exp.Records(store.Records)) == 0:
			without = append(without, exp)
			t.Note("%s: left out, because it has no records at profile %s", exp.ID, exp.Profile)
		case !slices.ContainsFunc(exps, func(e claims.Experiment) bool { return e.ID == exp.ID }):
			exps = append(exps, exp)
		}
	}
	if len(exps) == 0 && len(errs) == 0 {
		errs = append(errs, c.Nothing(out, without))
	}
	return store, Judge(exps, store.Records), errors.Join(errs...)
}

// RunOf returns what the report shows of a store: experiments with their verdicts.
func RunOf(store *records.Store, all []claims.Case) plots.Run {
	run := plots.Run{Store: store}
	for _, j := range all {
		run.Experiments, run.Verdicts = append(run.Experiments, j.Experiment), append(run.Verdicts, j.Verdicts...)
	}
	return run
}

// Write writes verdicts.json and what plots.Write writes, and returns the paths. It writes what it can; the error
// names every file that it could not write.
func Write(out string, store *records.Store, all []claims.Case, drawing plots.Output) ([]string, error) {
	run := RunOf(store, all)
	path := filepath.Join(out, "verdicts.json")
	shipped, err := shippedVerdicts(run.Experiments)
	if err != nil {
		return nil, err
	}
	paths, err := plots.Write(out, run, shipped, drawing)
	if fault := claims.WriteVerdicts(path, run.Verdicts); fault != nil {
		return paths, errors.Join(fault, err)
	}
	return append(paths, path), err
}

// shippedVerdicts returns the verdicts at the published size on those of the experiments that come with repro.
func shippedVerdicts(exps []claims.Experiment) ([]claims.Verdict, error) {
	all, err := baseline.Verdicts()
	if err != nil {
		return nil, err
	}
	own := map[string]bool{}
	for _, e := range exps {
		if _, err := catalog.Resolve([]string{e.ID}); err == nil {
			own[e.ID] = true
		}
	}
	return slices.DeleteFunc(all, func(v claims.Verdict) bool { return !own[v.Experiment] }), nil
}

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
	scored := Entries(entries)
	if err := expectTime(scored, entries, verdicts); err != nil {
		return scores.Board{}, err
	}
	return scores.New(scored, verdicts), nil
}

// Scored returns the experiments with claims that the arguments name, or all if there are no arguments.
func Scored(args []string) ([]catalog.Entry, error) {
	entries, file, err := flags.Entries(args)
	if file != "" {
		return nil, fmt.Errorf("%s: score counts the verdicts of experiments that come with %s; for a file use %s, or name the folder of its runs with --out", file, printed.Name(), printed.Again("verify", file))
	}
	return slices.DeleteFunc(entries, func(e catalog.Entry) bool { return e.Auxiliary || len(e.Claims) == 0 }), err
}

// Entries are entries of the catalog as a scoreboard wants them.
func Entries(all []catalog.Entry) []scores.Entry {
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

// expectTime sets the seconds that those entries of a board, made of the given ones, are expected to take on one thread of a typical
// processor that have no verdict.
func expectTime(board []scores.Entry, entries []catalog.Entry, verdicts []claims.Verdict) error {
	ran := map[string]bool{}
	for i := range verdicts {
		if v := &verdicts[i]; v.Verdict != claims.NotRun {
			ran[v.Experiment] = true
		}
	}
	errs := make([]error, len(board))
	records.Parallel(len(board), func(i int) {
		if ran[board[i].ID] {
			return
		}
		estimator := runner.NewNominalEstimator(&datasets.Library{})
		cells := entries[i].Spec.Expand()
		for k := range cells {
			expected, err := estimator.Cell(context.Background(), &cells[k])
			if err != nil {
				errs[i] = fmt.Errorf("%s: %w", board[i].ID, err)
			}
			board[i].Seconds += max(0, expected.Seconds)
		}
	})
	return errors.Join(errs...)
}
