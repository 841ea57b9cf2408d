package findings

import (
	"errors"
	"path/filepath"
	"slices"

	"repro/experiments"
	"repro/plots"
	"repro/results/baseline"
	"repro/results/claims"
	"repro/results/records"
)

// Write writes verdicts.json and what plots.Write writes, and returns the paths. It writes what it can; the error
// names every file that it could not write.
func Write(out string, store *records.Store, all []claims.Case, drawing plots.Output) ([]string, error) {
	run := plots.Run{Store: store}
	for _, j := range all {
		run.Experiments, run.Verdicts = append(run.Experiments, j.Experiment), append(run.Verdicts, j.Verdicts...)
	}
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
		if _, err := experiments.Resolve([]string{e.ID}); err == nil {
			own[e.ID] = true
		}
	}
	return slices.DeleteFunc(all, func(v claims.Verdict) bool { return !own[v.Experiment] }), nil
}
