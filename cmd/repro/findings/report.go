package findings

import (
	"errors"
	"path/filepath"
	"slices"

	"repro/cmd/repro/flags"
	"repro/cmd/repro/terminal"
	"repro/plots"
	"repro/results/baseline"
	"repro/results/claims"
	"repro/results/records"
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
		case len(exp.Own(store.Records)) == 0:
			without = append(without, exp)
			t.Note("%s: left out, because it has no records at profile %s", exp.ID, exp.Profile)
		case !slices.ContainsFunc(exps, func(e claims.Experiment) bool { return e.ID == exp.ID }):
			exps = append(exps, exp)
		}
	}
	if len(exps) == 0 && len(errs) == 0 {
		errs = append(errs, c.Nothing(out, without))
	}
	if all, err = baseline.Judge(exps, store.Records); err != nil {
		errs = append(errs, err)
	}
	return store, all, errors.Join(errs...)
}

// Write writes verdicts.json and what plots.Write writes, and returns the paths. It writes what it can; the error
// names every file that it could not write.
func Write(out string, all []claims.Case, warnings []error, drawing plots.Output) ([]string, error) {
	paths, err := plots.Write(out, all, warnings, drawing)
	path := filepath.Join(out, "verdicts.json")
	if fault := claims.WriteVerdicts(path, claims.Verdicts(all)); fault != nil {
		return paths, errors.Join(fault, err)
	}
	return append(paths, path), err
}
