package cli

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"repro/experiments"
	"repro/plots"
	"repro/results/claims"
	"repro/results/records"
)

// A judged is an experiment with the verdicts on its claims.
type judged struct {
	exp      claims.Experiment
	verdicts []claims.Verdict
}

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

// recorded returns the experiments that arguments name, or without any those with records, laid out
// at the profile asked for, or else at the latest one with records.
func (a *app) recorded(args []string, store *records.Store) ([]claims.Experiment, error) {
	refs, err := a.recordedRefs(args, store)
	if err != nil {
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

func (a *app) recordedRefs(args []string, store *records.Store) ([]experiments.Ref, error) {
	if len(args) > 0 {
		return experiments.Resolve(args)
	}
	var refs []experiments.Ref
	for _, id := range store.Experiments() {
		r, err := experiments.Resolve([]string{id})
		if err != nil {
			a.note("%s: has records, but its spec does not come with repro; give the path of its .toml file", id)
			continue
		}
		refs = append(refs, r...)
	}
	return refs, nil
}

// choose lays a spec out at the profile asked for, or at that of its latest record.
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
		profile := a.latest(spec.ID, store)
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
			exp.Expected[i].Digest = "" // the edited values are not known here
		}
		a.note("%s: its records ran with --set; give the same again to have them judged by the edited spec", spec.ID)
	}
	return exp, nil
}

// latest returns the profile of an experiment's latest record, and says if there are others.
func (a *app) latest(id string, store *records.Store) string {
	var profiles []string
	profile, started := "", ""
	for _, r := range store.Of(id) {
		h := r.Header
		if !slices.Contains(profiles, h.Profile) {
			profiles = append(profiles, h.Profile)
		}
		if h.Timing.Started > started || profile == "" {
			profile, started = h.Profile, h.Timing.Started
		}
	}
	if len(profiles) > 1 {
		a.note("%s: has records at profiles %s; taking %s, the latest (choose with --profile)", id, strings.Join(profiles, ", "), profile)
	}
	return profile
}

// judge judges the claims of an experiment from the store.
func judge(exp claims.Experiment, store *records.Store) judged {
	return judged{exp: exp, verdicts: claims.Judge(exp, store.Records)}
}

// writeReport writes verdicts.json, figures, tables and report.html, and returns the paths.
func (a *app) writeReport(store *records.Store, all []judged) ([]string, error) {
	var exps []claims.Experiment
	var verdicts []claims.Verdict
	for _, j := range all {
		exps = append(exps, j.exp)
		verdicts = append(verdicts, j.verdicts...)
	}
	path := filepath.Join(a.out, "verdicts.json")
	if err := claims.WriteVerdicts(path, verdicts); err != nil {
		return nil, err
	}
	paths, err := plots.Write(a.out, exps, store, verdicts)
	return append(paths, path), err
}

// tellPaths says where the report is.
func (a *app) tellPaths(paths []string) {
	fmt.Fprintf(a.stdout, "report: %s\n", filepath.Join(a.out, "report.html"))
	a.note("%d files written: report, verdicts, figures and tables in %s", len(paths), a.out)
}

// nothing is the error where none of the experiments has records.
func (a *app) nothing(all []claims.Experiment) error {
	if len(all) == 0 {
		return records.NoRecords(fmt.Sprintf("%s: no records of experiments that come with repro; run some first, or give the path of your spec", a.out))
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
