package cli

import (
	"fmt"
	"slices"
	"strings"

	"repro/experiments"
	"repro/results/printed"
)

// toRun loads the experiments that plan and run are about.
func (a *app) toRun(args []string) ([]*experiments.Spec, error) {
	refs, err := refsToRun(args)
	if err != nil {
		return nil, err
	}
	if refs, err = a.atProfile(args, refs); err != nil {
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

// atProfile leaves out the experiments of the catalog that do not have the profile of --profile, unless an argument is their
// id: for those, loading returns an error that says what is missing. A note has the number of those left out.
func (a *app) atProfile(args []string, refs []experiments.Ref) ([]experiments.Ref, error) {
	profile, _ := strings.CutSuffix(a.profile, experiments.EditedMark)
	if profile != experiments.CI {
		return refs, nil // every spec has the others, or none of the catalog
	}
	entries, err := experiments.Catalog()
	if err != nil {
		return nil, err
	}
	lacking := map[string]bool{}
	for _, e := range entries {
		lacking[e.ID] = !slices.Contains(e.Profiles, profile)
	}
	kept := slices.DeleteFunc(slices.Clone(refs), func(ref experiments.Ref) bool {
		return ref.Path == "" && lacking[ref.ID] && !slices.Contains(args, ref.ID)
	})
	left := len(refs) - len(kept)
	if left > 0 && len(kept) == 0 {
		return nil, fmt.Errorf("none of the %s has the profile %s; %s lists those that have", printed.Count(left, "experiment"), profile, printed.Command("list --profile "+profile))
	}
	if left > 0 {
		a.note("%s without the profile %s left out", printed.Count(left, "experiment"), profile)
	}
	return kept, nil
}
