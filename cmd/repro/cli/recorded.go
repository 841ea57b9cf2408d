package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"repro/experiments"
	"repro/results/claims"
	"repro/results/printed"
	"repro/results/records"
)

// open reads the records of the output folder.
func (a *app) open() (*records.Store, error) {
	store, err := records.Open(a.out)
	if err != nil {
		return nil, err
	}
	for _, w := range store.Warnings {
		a.note("warning: %v", w)
	}
	return store, nil
}

// recorded returns the experiments that the arguments name, or those with records if there are no arguments. Each is at
// the profile of --profile, or at that of its latest record.
func (a *app) recorded(args []string, store *records.Store) ([]claims.Experiment, error) {
	refs, err := a.recordedRefs(args, store)
	if err != nil {
		return nil, err
	}
	if refs, err = a.atProfile(args, refs); err != nil {
		return nil, err
	}
	var all []claims.Experiment
	var errs []error
	for _, ref := range refs {
		exp, err := a.choose(ref, store)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		all = append(all, exp)
	}
	return all, errors.Join(errs...)
}

// recordedRefs resolves the arguments of recorded.
func (a *app) recordedRefs(args []string, store *records.Store) ([]experiments.Ref, error) {
	if len(args) > 0 {
		return experiments.Resolve(args)
	}
	var refs []experiments.Ref
	for _, id := range store.Experiments() {
		ref := experiments.Ref{ID: id}
		if found, err := experiments.Resolve([]string{id}); err != nil || !slices.Contains(found, ref) {
			a.note("%s: left out, because its spec does not come with repro; give the path of its .toml file", id)
			continue
		}
		refs = append(refs, ref)
	}
	return refs, nil
}

// choose loads a spec at the profile of --profile, or at that of its latest record.
func (a *app) choose(ref experiments.Ref, store *records.Store) (claims.Experiment, error) {
	asked, edited := strings.CutSuffix(a.profile, experiments.EditedMark)
	if asked == "" {
		asked = "paper" // every spec has it; only the id is needed
	}
	spec, err := experiments.Load(ref, a.loadOptions(asked))
	if err != nil {
		return claims.Experiment{}, err
	}
	if a.profile == "" {
		profile := a.latest(spec, store)
		asked, edited = strings.CutSuffix(profile, experiments.EditedMark)
		if profile == "" {
			asked = defaultProfile
		}
		if spec, err = experiments.Load(ref, a.loadOptions(asked)); err != nil {
			return claims.Experiment{}, err
		}
	}
	exp := spec.Experiment()
	if edited && len(a.set) == 0 {
		exp.Profile = asked + experiments.EditedMark
		for i := range exp.Expected {
			exp.Expected[i].Digest = "" // the values of --set are not known here
		}
		a.note("%s: its runs used --set; give the same --set again to judge them by the edited spec", spec.ID)
	}
	return exp, nil
}

// latest returns the profile of an experiment's latest record, and prints a note if there are others. It leaves out records
// at profiles that the spec does not have, with a warning.
func (a *app) latest(spec *experiments.Spec, store *records.Store) string {
	var profiles, strange []string
	profile, started := "", ""
	for _, r := range store.Of(spec.ID) {
		h := r.Header
		if name, _ := strings.CutSuffix(h.Profile, experiments.EditedMark); !slices.Contains(spec.Profiles, name) {
			strange = append(strange, fmt.Sprintf("%s at %q", h.Cell, h.Profile))
			continue
		}
		if !slices.Contains(profiles, h.Profile) {
			profiles = append(profiles, h.Profile)
		}
		if h.Timing.Started > started || profile == "" {
			profile, started = h.Profile, h.Timing.Started
		}
	}
	if len(strange) > 0 {
		a.note("warning: %s: left out, because its spec has no such profile: the record of %s; remove it, or add the profile to %s", spec.ID, printed.List(strange), spec.File)
	}
	if len(profiles) > 1 {
		a.note("%s: has records at profiles %s; taking %s, the latest (choose with --profile)", spec.ID, strings.Join(profiles, ", "), profile)
	}
	return profile
}

// nothing returns the error that none of the experiments has records.
func (a *app) nothing(all []claims.Experiment) error {
	if len(all) == 0 {
		return records.NoRecords(fmt.Sprintf("%s: there are no records of experiments that come with repro; run some first, or give the path of your spec", a.out))
	}
	var ids []string
	for _, exp := range all {
		ids = append(ids, exp.ID)
	}
	profile := ""
	if a.profile != "" {
		profile = " at profile " + a.profile
	}
	return records.NoRecords(fmt.Sprintf("%s: no records of %s%s; run it first, or name the folder of its records with --out", a.out, strings.Join(ids, ", "), profile))
}
