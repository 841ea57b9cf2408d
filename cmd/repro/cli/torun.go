package cli

import (
	"repro/experiments"
)

// toRun loads the experiments that plan and run are about.
func (a *app) toRun(args []string) ([]*experiments.Spec, error) {
	refs, err := refsToRun(args)
	if err != nil {
		return nil, err
	}
	return a.load(refs)
}

// opening is the experiment that a run without arguments begins with: it takes seconds, and a million steps that hardly get
// further than a hundred show at a glance what the papers are about.
const opening = "ma2017/heaviside"

// refsToRun resolves the arguments of plan and run: without any, every experiment whose data is generated, except auxiliary
// ones.
func refsToRun(args []string) ([]experiments.Ref, error) {
	if len(args) > 0 {
		return experiments.Resolve(args)
	}
	entries, err := experiments.Catalog()
	if err != nil {
		return nil, err
	}
	var refs []experiments.Ref
	for _, e := range entries {
		if ref := (experiments.Ref{ID: e.ID}); e.ID == opening {
			refs = append([]experiments.Ref{ref}, refs...)
		} else if generated(e.Data) && !e.Auxiliary {
			refs = append(refs, ref)
		}
	}
	return refs, nil
}
