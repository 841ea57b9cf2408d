package main

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"repro/experiments"
	"repro/plots"
	"repro/results"
)

// editedMark ends the profile of records that ran with --set.
const editedMark = " (edited)"

// A judged is an experiment with the verdicts on its claims.
type judged struct {
	exp      results.Experiment
	verdicts []results.Verdict
}

// open reads the records of the output folder.
func (a *app) open() (*results.Store, error) {
	store, err := results.Open(a.out)
	if err != nil {
		return nil, err
	}
	for _, w := range store.Warnings {
		a.note("warning: %v", w)
	}
	return store, nil
}

// A chosen is a spec laid out as its records ran.
type chosen struct {
	spec *experiments.Spec
	exp  results.Experiment
	recs int // how many there are
}

// recorded returns the experiments that arguments name, or without any those with records, laid out
// at the profile asked for, or else at the latest one with records.
func (a *app) recorded(args []string, store *results.Store) ([]chosen, error) {
	refs, err := a.recordedRefs(args, store)
	if err != nil {
		return nil, err
	}
	var all []chosen
	var errs []error
	for _, ref := range refs {
		c, err := a.choose(ref, store)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		all = append(all, c)
	}
	return all, errors.Join(errs...)
}

func (a *app) recordedRefs(args []string, store *results.Store) ([]experiments.Ref, error) {
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
func (a *app) choose(ref experiments.Ref, store *results.Store) (chosen, error) {
	asked, edited := strings.CutSuffix(a.profile, editedMark)
	if asked == "" {
		asked = "paper" // every spec has it; only the id is needed
	}
	spec, err := experiments.Load(ref, a.loadOptions(asked))
	if err != nil {
		return chosen{}, err
	}
	if a.profile == "" {
		profile := a.latest(spec.ID, store)
		asked, edited = strings.CutSuffix(profile, editedMark)
		if profile == "" {
			asked = defaultProfile
		}
		if spec, err = experiments.Load(ref, a.loadOptions(asked)); err != nil {
			return chosen{}, err
		}
	}
	c := chosen{spec: spec, exp: spec.Experiment()}
	if edited && len(a.set) == 0 {
		c.exp.Profile = asked + editedMark
		a.note("%s: its records ran with --set; give the same again to have them judged by the edited spec", spec.ID)
	} else {
		adopt(spec, store)
	}
	c.recs = len(store.Of(c.exp.ID, c.exp.Profile))
	return c, nil
}

// latest returns the profile of an experiment's latest record, and says if there are others.
func (a *app) latest(id string, store *results.Store) string {
	var profiles []string
	profile, started := "", ""
	for _, r := range store.Of(id, "") {
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

// judge judges the claims of an experiment from the store. Records of the same settings that ran
// under another profile count; claims on records of other settings than the spec has now are not
// comparable with it.
func judge(spec *experiments.Spec, exp results.Experiment, store *results.Store) judged {
	stale := map[string]bool{}
	if spec.Profile == exp.Profile { // otherwise edited values are not known here, and digests say nothing
		stale = adopt(spec, store)
	}
	j := judged{exp: exp, verdicts: results.Judge(exp, store.Of(exp.ID, ""))}
	for i := range j.verdicts {
		v := &j.verdicts[i]
		for _, m := range append([]string{v.Method}, v.Against...) {
			if stale[m] {
				outdate(v, m)
				break
			}
		}
	}
	return j
}

// adopt counts records of the spec's cells at its profile if their settings are the same, whatever
// profile they ran under: run keeps those. It returns the methods with records at this profile whose
// settings differ from the spec's.
func adopt(spec *experiments.Spec, store *results.Store) (stale map[string]bool) {
	digests := map[string]string{}
	for _, c := range spec.Expand() {
		digests[c.Name] = c.Digest
	}
	stale = map[string]bool{}
	for _, r := range store.Of(spec.ID, "") {
		switch d, ok := digests[r.Header.Cell]; {
		case !ok:
		case d == r.Header.Digest:
			r.Header.Profile = spec.Profile
		case r.Header.Profile == spec.Profile:
			stale[r.Header.Method] = true
		}
	}
	return stale
}

// outdate marks a verdict whose records are of other settings than the spec's.
func outdate(v *results.Verdict, method string) {
	if v.Verdict == results.NotRun || v.Verdict == results.FailedVerdict {
		return
	}
	if v.Verdict != results.NotComparable {
		v.AtSize = v.Verdict
	}
	v.Verdict = results.NotComparable
	v.Reason = fmt.Sprintf("the records of %s are of other settings than the spec has now: run it again; %s", method, v.Reason)
}

// writeReport writes verdicts.json, figures, tables and report.html, and returns the paths.
func (a *app) writeReport(store *results.Store, all []judged) ([]string, error) {
	var exps []results.Experiment
	var verdicts []results.Verdict
	for _, j := range all {
		exps = append(exps, j.exp)
		verdicts = append(verdicts, j.verdicts...)
	}
	path := filepath.Join(a.out, "verdicts.json")
	if err := results.WriteVerdicts(path, verdicts); err != nil {
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

// noRecords is the error for experiments without records. It is an fs.ErrNotExist.
type noRecords string

func (e noRecords) Error() string        { return string(e) }
func (e noRecords) Is(target error) bool { return target == fs.ErrNotExist }

func (a *app) nothing(all []chosen) error {
	if len(all) == 0 {
		return noRecords(fmt.Sprintf("%s: no records of experiments that come with repro; run some first, or give the path of your spec", a.out))
	}
	var ids []string
	for _, c := range all {
		ids = append(ids, c.exp.ID)
	}
	profile := ""
	if a.profile != "" {
		profile = " at profile " + a.profile
	}
	return noRecords(fmt.Sprintf("%s: no records of %s%s; run it first, or name the folder of its records with --out", a.out, strings.Join(ids, ", "), profile))
}
