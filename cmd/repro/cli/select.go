package cli

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"repro/datasets"
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

// memory returns the bytes that programs may have here, of the machine or of the container, and those that they can still
// get, 0 if nobody knows.
func memory() (total, free float64, ok bool) {
	bytes, ok := datasets.MachineMemory()
	total = float64(bytes)
	f, err := os.Open("/proc/meminfo")
	if err != nil {
		return total, 0, ok
	}
	defer f.Close()
	for s := bufio.NewScanner(f); s.Scan(); {
		var kB float64
		if n, _ := fmt.Sscanf(s.Text(), "MemAvailable: %g kB", &kB); n == 1 {
			free = min(1024*kB, total)
		}
	}
	return total, free, ok
}

// memoryBound returns the bytes that a cell may need: those of --memory, else those of the machine or the container. It is
// +Inf if nobody knows.
func (a *app) memoryBound() (bytes float64, whose string) {
	if a.memory > 0 {
		return float64(a.memory), "--memory allows"
	}
	if total, _, ok := memory(); ok {
		return total, "this machine has"
	}
	return math.Inf(1), ""
}

// argument names a spec on the command line: by the path of its file, or by its id if it is one of the catalog.
func argument(s *experiments.Spec) string {
	if _, err := os.Stat(s.File); err == nil {
		return s.File
	}
	return s.ID
}

// elsewhere is the flag of a command for the same output folder, empty for the usual one.
func (a *app) elsewhere() string {
	if a.out == "out" {
		return ""
	}
	return " --out " + a.out
}

// generated reports whether a registered data set needs no file.
func generated(name string) bool {
	s, err := datasets.Describe(name)
	return err == nil && s.Generated()
}

// here says in a word whether a registered data set is on this machine.
func (a *app) here(name string) string {
	if ok, _ := a.library().Available(name); ok {
		return dataHere
	}
	if absent, files := a.library().Absent(name); len(absent) < files {
		return dataPart
	}
	if brought(name) {
		return dataBring
	}
	return dataFetch
}

// Words for whether the data of an experiment is on this machine.
const (
	dataHere  = "yes"   // it is, or it is generated
	dataFetch = "fetch" // repro fetch downloads it
	dataBring = "bring" // nobody offers it for download
	dataPart  = "part"  // some of its files are here
)

// brought reports whether only the user can provide a registered data set.
func brought(name string) bool {
	s, err := datasets.Describe(name)
	return err == nil && s.Bring != ""
}

// writable checks that files can be made in a folder or, if it does not exist, in the closest folder above it.
func writable(dir string) error {
	for {
		info, err := os.Stat(dir)
		if err == nil && !info.IsDir() {
			return fmt.Errorf("%s is a file, not a folder", dir)
		}
		if err == nil {
			break
		}
		parent := filepath.Dir(dir)
		if !errors.Is(err, fs.ErrNotExist) || parent == dir {
			return err
		}
		dir = parent
	}
	f, err := os.CreateTemp(dir, ".repro-*")
	if err != nil {
		return err
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}
