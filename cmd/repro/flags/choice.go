package flags

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"repro/cmd/repro/terminal"
	"repro/datasets"
	"repro/experiments"
	"repro/experiments/catalog"
	"repro/results/builds"
	"repro/results/claims"
	"repro/results/files"
	"repro/results/printed"
	"repro/results/records"
)

// Usual is the profile of every command, unless it takes the profile of records.
const Usual = claims.UsualProfile

// A Choice says which experiments a command is about, and which values of their specs it changes.
type Choice struct {
	Args         []string // ids, patterns and paths of specs; what none of them means differs between commands
	Profile      string   // empty for that of the latest records
	Methods, Set []string
	Seeds        int      // 0 for the spec's
	Also         []string // paths of specs, beside the experiments with records

	named func() bool // reports whether the user named the profile; nil if nobody did
}

// Flags adds the flags that choose and change the values of specs, and the methods and seeds. profile is the default, empty for that
// of records.
func (c *Choice) Flags(cmd *cobra.Command, profile string) {
	c.SpecFlags(cmd, profile)
	c.SeedsFlag(cmd)
	cmd.Flags().StringArrayVar(&c.Methods, "method", nil, "use only this method; may be repeated")
}

// SeedsFlag adds the flag of the number of seeds.
func (c *Choice) SeedsFlag(cmd *cobra.Command) {
	cmd.Flags().Var(whole{&c.Seeds, 1, "1 or more"}, "seeds", "number of seeds, instead of the spec's")
}

// SpecFlags adds the flags that choose the profile and change the values of specs.
func (c *Choice) SpecFlags(cmd *cobra.Command, profile string) {
	f := cmd.Flags()
	usage := "size of the experiment: smoke (seconds), quick (minutes), ci (see " + printed.Command("check") + ") or paper (as published)"
	if profile == "" {
		usage += "; the profile of the latest records if left out"
	}
	f.StringVar(&c.Profile, "profile", profile, usage)
	f.StringArrayVar(&c.Set, "set", nil, "change a value of the spec: path=value, as in problem.nu=1e-4; may be repeated")
	c.named = func() bool { return f.Changed("profile") }
	Complete(cmd, "profile", Profiles)
}

// Words returns the arguments and flags that make the choice, as another process gets them.
func (c Choice) Words() []string {
	words := append(slices.Clone(c.Args), "--profile", c.Profile)
	for _, m := range c.Methods {
		words = append(words, "--method", m)
	}
	if c.Seeds > 0 {
		words = append(words, "--seeds", strconv.Itoa(c.Seeds))
	}
	for _, s := range c.Set {
		words = append(words, "--set", s)
	}
	return words
}

// Changes reports whether the choice changes what a spec says.
func (c Choice) Changes() bool {
	return c.Profile != "" || len(c.Set)+len(c.Methods) > 0 || c.Seeds > 0
}

// At returns the options to load a spec at a profile.
func (c Choice) At(profile string) experiments.LoadOptions {
	return experiments.LoadOptions{Profile: profile, Set: c.Set, Methods: c.Methods, Seeds: c.Seeds}
}

// LoadSpecs loads specs with the values of the flags. The error holds the faults of all specs.
func (c Choice) LoadSpecs(refs []catalog.Ref) ([]*experiments.Spec, error) {
	specs, errs := catalog.LoadAll(refs, c.At(c.Profile))
	specs = slices.DeleteFunc(specs, func(s *experiments.Spec) bool { return s == nil })
	var unknown experiments.UnknownProfile
	if len(errs) > 1 && !slices.ContainsFunc(errs, func(err error) bool { return !errors.As(err, &unknown) }) {
		unknown.File = fmt.Sprintf("all of %d specs", len(errs)+len(specs))
		if len(specs) > 0 {
			unknown.File = fmt.Sprintf("%d of %d specs", len(errs), len(errs)+len(specs))
		}
		return nil, unknown
	}
	files := map[string]string{}
	for _, s := range specs {
		if other, ok := files[s.ID]; ok {
			errs = append(errs, fmt.Errorf("%s and %s are both experiment %s; rename one of them, or run them into different folders with --out", other, s.File, s.ID))
		}
		files[s.ID] = s.File
	}
	return specs, errors.Join(errs...)
}

// Open reads the records of an output folder.
func Open(t *terminal.Terminal, out string) (*records.Store, error) {
	store, err := records.Open(out)
	if err != nil {
		return nil, err
	}
	for _, w := range store.Warnings {
		t.Note("warning: %v", w)
	}
	return store, nil
}

// Recorded returns the experiments that the arguments name, or those with records if there are no arguments. Each is at
// the profile of --profile, or at that of its latest record.
func (c Choice) Recorded(t *terminal.Terminal, store *records.Store) ([]claims.Experiment, error) {
	refs, err := c.RecordedRefs(t, store)
	if err != nil {
		return nil, err
	}
	var all []claims.Experiment
	var errs []error
	for _, ref := range refs {
		exp, _, err := c.Choose(t, ref, store)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		all = append(all, exp)
	}
	return all, errors.Join(errs...)
}

// RecordedRefs resolves the arguments of Recorded.
func (c Choice) RecordedRefs(t *terminal.Terminal, store *records.Store) ([]catalog.Ref, error) {
	if len(c.Args) > 0 {
		refs, err := catalog.Resolve(c.Args)
		if err != nil {
			return nil, err
		}
		return c.AtProfile(t, refs)
	}
	var refs []catalog.Ref
	for _, id := range store.Experiments() {
		ref := catalog.Ref{ID: id}
		if found, err := catalog.Resolve([]string{id}); err != nil || !slices.Contains(found, ref) {
			if ref = (catalog.Ref{Path: recalled(store.Dir, id)}); ref.Path == "" {
				t.Note("%s: left out, because its spec does not come with %s; give the path of its .toml file", id, printed.Name())
				continue
			}
		}
		refs = append(refs, ref)
	}
	if len(c.Also) > 0 {
		own, err := catalog.Resolve(c.Also)
		if err != nil {
			return nil, err
		}
		refs = append(refs, own...)
	}
	return c.AtProfile(t, refs)
}

// specNote is the file of an output folder that says where the user's spec of an experiment lies, seen from the folder.
func specNote(out, id string) string { return files.Path(out, "specs", id, "path.txt") }

// Remember notes in an output folder where the user's specs among those that run into it lie, so that nobody has to name them again.
func Remember(out string, specs []*experiments.Spec) error {
	var errs []error
	for _, s := range specs {
		if s.Argument() == s.ID {
			continue // of the catalog
		}
		folder, err := filepath.Abs(out)
		file, err2 := filepath.Abs(s.File)
		if err := errors.Join(err, err2); err != nil {
			errs = append(errs, err)
			continue
		}
		if rel, err := filepath.Rel(folder, file); err == nil { // not on another drive
			file = rel
		}
		errs = append(errs, files.Write(out, specNote(out, s.ID), []byte(filepath.ToSlash(file)+"\n")))
	}
	return errors.Join(errs...)
}

// recalled returns the path of a user's spec that was remembered, and nothing if it is not there.
func recalled(out, id string) string {
	text, err := files.ReadRegular(specNote(out, id), 1<<12)
	if err != nil {
		return ""
	}
	path := filepath.FromSlash(strings.TrimSuffix(string(text), "\n"))
	if !filepath.IsAbs(path) {
		path = filepath.Join(out, path)
	}
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() || !strings.HasSuffix(path, ".toml") {
		return ""
	}
	return path
}

// Choose loads a spec at the profile of --profile, or at that of its latest record, and returns its experiment as it is judged.
func (c Choice) Choose(t *terminal.Terminal, ref catalog.Ref, store *records.Store) (claims.Experiment, *experiments.Spec, error) {
	asked, edited := strings.CutSuffix(c.Profile, experiments.EditedMark)
	if asked == "" {
		asked = "paper" // every spec has it; only the id is needed
	}
	spec, err := catalog.Load(ref, c.At(asked))
	if err != nil {
		return claims.Experiment{}, nil, err
	}
	if c.Profile == "" {
		profile := c.latest(t, spec, store)
		asked, edited = strings.CutSuffix(profile, experiments.EditedMark)
		if profile == "" {
			asked = Usual
		}
		if spec, err = catalog.Load(ref, c.At(asked)); err != nil {
			return claims.Experiment{}, nil, err
		}
	}
	c.tellProfile(t, spec)
	exp := spec.Experiment()
	if edited && len(c.Set) == 0 {
		exp.Profile = asked + experiments.EditedMark
		for i := range exp.Expected {
			exp.Expected[i].Digest = "" // the values of --set are not known here
		}
		t.Note("%s: its runs used --set; give the same --set again to judge them by the edited spec", spec.ID)
	}
	TellStrays(t, exp, store)
	return exp, spec, nil
}

// TellStrays prints a note on records that are not judged because the plan does not have them and they ran with other settings.
func TellStrays(t *terminal.Terminal, exp claims.Experiment, store *records.Store) {
	strays, keys := exp.Strays(store.Records)
	if len(strays) == 0 {
		return
	}
	paths := printed.Each(strays, func(r *records.Record) string { return records.Path(store.Dir, exp.ID, r.Header.Cell) })
	remove := strings.Join(paths, " ")
	if len(paths) > 4 {
		remove = "their files in " + filepath.Dir(paths[0])
	}
	t.Note("%s: not judged: %s, which the plan does not have and which differ from its records in %s; remove %s, or run these seeds again with --seeds",
		exp.ID, printed.List(printed.Each(strays, func(r *records.Record) string { return r.Header.Cell })), strings.Join(keys, ", "), remove)
}

// latest returns the profile of an experiment's latest record, and prints a note if there are others. It leaves out records
// at profiles that the spec does not have, with a warning.
func (c Choice) latest(t *terminal.Terminal, spec *experiments.Spec, store *records.Store) string {
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
		t.Note("warning: %s: left out, because its spec has no such profile: the record of %s; remove it, or add the profile to %s", spec.ID, printed.List(strange), spec.File)
	}
	if len(profiles) > 1 {
		t.Note("%s: has records at profiles %s; taking %s, the latest (choose with --profile)", spec.ID, strings.Join(profiles, ", "), profile)
	}
	return profile
}

// Nothing returns the error that none of the experiments has records.
func (c Choice) Nothing(out string, all []claims.Experiment) error {
	if len(all) == 0 {
		return records.NoRecords(fmt.Sprintf("%s: there are no records of experiments that come with %s; run some first, or give the path of your spec", out, printed.Name()))
	}
	ids := printed.Each(all, func(exp claims.Experiment) string { return exp.ID })
	profile := ""
	if c.Profile != "" {
		profile = " at profile " + c.Profile
	}
	return records.NoRecords(fmt.Sprintf("%s: no records of %s%s; run it first, or name the folder of its records with --out", out, strings.Join(ids, ", "), profile))
}

// ToRun loads the experiments that plan and run are about.
func (c Choice) ToRun(t *terminal.Terminal) ([]*experiments.Spec, error) {
	refs, err := refsToRun(c.Args)
	if err != nil {
		return nil, err
	}
	if refs, err = c.AtProfile(t, refs); err != nil {
		return nil, err
	}
	specs, err := c.LoadSpecs(refs)
	c.tellProfile(t, specs...)
	return specs, err
}

// tellProfile prints a note on specs without the profile that the user named.
func (c Choice) tellProfile(t *terminal.Terminal, specs ...*experiments.Spec) {
	if c.named == nil || !c.named() {
		return
	}
	asked, _ := strings.CutSuffix(c.Profile, experiments.EditedMark)
	var without []string
	for _, s := range specs {
		if name, _ := strings.CutSuffix(s.Profile, experiments.EditedMark); name != asked {
			without = append(without, s.ID)
		}
	}
	if len(without) > 0 {
		t.Note("%s: there is no [profile.%s] in the spec, so the profile is paper: the spec as it stands", printed.List(without), asked)
	}
}

// opening is the experiment that a run without arguments begins with: it takes seconds, and a million steps that hardly get
// further than a hundred show at a glance what the papers are about.
const opening = "ma2017/heaviside"

// refsToRun resolves the arguments of plan and run: without any, every experiment of the program's own module whose data is
// generated, except auxiliary ones.
func refsToRun(args []string) ([]catalog.Ref, error) {
	if len(args) > 0 {
		return catalog.Resolve(args)
	}
	entries, err := catalog.Entries()
	if err != nil {
		return nil, err
	}
	var refs []catalog.Ref
	for _, e := range entries {
		if ref := (catalog.Ref{ID: e.ID}); !catalog.Own(e.ID) {
			continue
		} else if e.ID == opening {
			refs = append([]catalog.Ref{ref}, refs...)
		} else if datasets.Generated(e.Data) && !e.Auxiliary {
			refs = append(refs, ref)
		}
	}
	if len(refs) == 0 {
		return nil, fmt.Errorf("%s registers no experiment that runs without a download; give the path of your spec, or the ids of experiments, see %s", builds.Main(), printed.Command("list '*/*'"))
	}
	return refs, nil
}

// AtProfile leaves out the experiments of the catalog that do not have the profile of --profile, unless an argument is their
// id: for those, loading returns an error that says what is missing. A note has the number of those left out.
func (c Choice) AtProfile(t *terminal.Terminal, refs []catalog.Ref) ([]catalog.Ref, error) {
	profile, _ := strings.CutSuffix(c.Profile, experiments.EditedMark)
	if profile != experiments.CI || !slices.ContainsFunc(refs, func(r catalog.Ref) bool { return r.Path == "" }) {
		return refs, nil // every spec has the others, or none of the catalog
	}
	entries, err := catalog.Entries()
	if err != nil {
		return nil, err
	}
	lacking := map[string]bool{}
	for _, e := range entries {
		lacking[e.ID] = !slices.Contains(e.Profiles, profile)
	}
	kept := slices.DeleteFunc(slices.Clone(refs), func(ref catalog.Ref) bool {
		return ref.Path == "" && lacking[ref.ID] && !slices.Contains(c.Args, ref.ID)
	})
	left := len(refs) - len(kept)
	if left > 0 && len(kept) == 0 {
		return nil, fmt.Errorf("none of the %s has the profile %s; %s lists those that have", printed.Count(left, "experiment"), profile, printed.Command("list --profile "+profile))
	}
	if left > 0 {
		t.Note("%s without the profile %s left out", printed.Count(left, "experiment"), profile)
	}
	return kept, nil
}

// Entries returns the entries of the catalog that arguments name; without arguments those of the program's own module, or all if
// it has none. If an argument names a file, which has no entry, it returns that.
func Entries(args []string) (named []catalog.Entry, file string, err error) {
	refs, err := catalog.Resolve(args)
	if err != nil {
		return nil, "", err
	}
	if i := slices.IndexFunc(refs, func(r catalog.Ref) bool { return r.Path != "" }); i >= 0 {
		return nil, refs[i].Path, nil
	}
	entries, err := catalog.Entries()
	if own := slices.ContainsFunc(refs, func(r catalog.Ref) bool { return catalog.Own(r.ID) }); len(args) == 0 && own {
		refs = slices.DeleteFunc(refs, func(r catalog.Ref) bool { return !catalog.Own(r.ID) })
	}
	return slices.DeleteFunc(entries, func(e catalog.Entry) bool { return !slices.Contains(refs, catalog.Ref{ID: e.ID}) }), "", err
}
