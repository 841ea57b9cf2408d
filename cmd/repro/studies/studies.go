// Package studies collects what a bundle holds: records, specs and verdicts, from an output folder or from a bundle.
package studies

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"repro/cmd/repro/flags"
	"repro/cmd/repro/terminal"
	"repro/datasets"
	"repro/datasets/regular"
	"repro/experiments"
	"repro/experiments/catalog"
	"repro/results/baseline"
	"repro/results/builds"
	"repro/results/bundles"
	"repro/results/claims"
	"repro/results/exports"
	"repro/results/printed"
	"repro/results/records"
)

// IsBundle reports whether an argument is the path of a bundle.
func IsBundle(arg string) bool { return strings.HasSuffix(arg, ".zip") }

// A Study is the contents of a bundle with the experiments as they are judged, in the same order.
type Study struct {
	exports.Study
	Store *records.Store
	Specs []*experiments.Spec // of a bundle
}

// Pack collects the records, specs and verdicts of the experiments that arguments name, or of all with records.
func Pack(t *terminal.Terminal, out string, c flags.Choice) (*Study, error) {
	texts, err := records.Texts(out)
	if err != nil {
		return nil, err
	}
	all := &records.Store{Dir: out}
	for _, t := range texts {
		all.Records = append(all.Records, t.Record)
	}
	refs, err := c.RecordedRefs(t, all)
	if err != nil {
		return nil, err
	}
	s := &Study{Store: &records.Store{Dir: out}}
	s.Program = builds.This()
	var asked, exps []claims.Experiment
	for _, ref := range refs {
		exp, spec, packed, err := chosen(t, c, ref, all)
		if err != nil {
			return nil, err
		}
		asked = append(asked, exp)
		n := len(s.Records)
		for _, t := range texts {
			if len(exp.Own([]*records.Record{t.Record})) > 0 {
				s.Records = append(s.Records, t)
				s.Store.Records = append(s.Store.Records, t.Record)
			}
		}
		if len(s.Records) == n {
			t.Note("%s: left out, because it has no records at profile %s", exp.ID, exp.Profile)
			continue
		}
		packed.Programs = programs(t, spec, s.Store.Records)
		exps, s.Experiments = append(exps, exp), append(s.Experiments, packed)
	}
	if len(exps) == 0 {
		return nil, c.Nothing(out, asked)
	}
	if s.Cases, err = baseline.Judge(exps, s.Store.Records); err != nil { // of the bundle only, as whoever reads it has them
		return nil, err
	}
	s.Verdicts = claims.Verdicts(s.Cases)
	s.Data, s.Machines = bundles.DataOf(s.Store.Records, describe), bundles.MachinesOf(s.Store.Records)
	return s, nil
}

// chosen returns the experiment of a spec as choose does, and what a bundle says of it.
func chosen(t *terminal.Terminal, c flags.Choice, ref catalog.Ref, store *records.Store) (claims.Experiment, *experiments.Spec, bundles.Experiment, error) {
	var none bundles.Experiment
	exp, spec, err := c.Choose(t, ref, store)
	if err != nil {
		return exp, nil, none, err
	}
	profile, edited := strings.CutSuffix(exp.Profile, experiments.EditedMark)
	if edited && len(c.Set) == 0 {
		return exp, nil, none, fmt.Errorf("%s: its runs used --set; give the same --set again, so that others can judge them, or name the other experiments", exp.ID)
	}
	e := bundles.Experiment{
		ID: exp.ID, File: filepath.Base(exp.ID) + ".toml", Own: ref.ID == "", Profile: profile, Set: c.Set, Methods: c.Methods, Seeds: c.Seeds,
	}
	e.Text, e.Files, err = catalog.Written(ref)
	return exp, spec, e, err
}

// mostProgram is the largest file of a program that a bundle takes, in bytes.
const mostProgram = 16 << 20

// programs reads the files of a spec's programs as they were when its cells ran. It prints a note on those that are not so any more.
func programs(t *terminal.Terminal, spec *experiments.Spec, recs []*records.Record) map[string][]byte {
	paths, files := map[string]string{}, map[string][]byte{}
	for _, c := range spec.Expand() {
		maps.Copy(paths, c.Programs())
	}
	for _, name := range slices.Sorted(maps.Keys(paths)) {
		ran := map[any]bool{} // digests of the file that cells ran on
		for _, r := range recs {
			if content, _ := r.Header.Settings[records.ContentKey].(map[string]any); r.Header.Experiment == spec.ID && content[name] != nil {
				ran[content[name]] = true
			}
		}
		text, err := regular.Read(paths[name], mostProgram)
		if sum := sha256.Sum256(text); err == nil && !ran[hex.EncodeToString(sum[:])] {
			err = errors.New("it changed since the cells ran")
		}
		if !filepath.IsLocal(name) {
			err = errors.New("it is not below the spec's folder")
		}
		switch {
		case err == nil:
			files[name] = text
		case len(ran) > 0:
			t.Note("%s: left out the program %s, so that nobody can run its cells again from the bundle: %v", spec.ID, name, err)
		}
	}
	return files
}

// describe adds to data what the registry says of it.
func describe(d *bundles.Dataset) {
	if s, err := datasets.Describe(d.Name); err == nil {
		d.Title, d.Licence, d.Citation = s.Title, s.Licence, s.Citation
		for _, f := range s.Files {
			d.URLs = append(d.URLs, f.URLs...)
		}
	}
}

// Unpack reads a bundle and lays out its experiments. The files that their specs name are relative to dir.
func Unpack(path, dir string) (*bundles.Bundle, *Study, error) {
	b, err := bundles.Read(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, fmt.Errorf("%s: no such file; %s makes one", path, printed.Command("bundle"))
	}
	if err != nil {
		return nil, nil, err
	}
	s := &Study{Study: exports.Study{Contents: b.Contents}, Store: b.Store()}
	var exps []claims.Experiment
	for _, e := range b.Experiments {
		spec, err := Layout(e, dir)
		if other := b.Program.Other(); err != nil && other != "" {
			err = fmt.Errorf("%w; %s", err, other)
		}
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", path, err)
		}
		s.Specs, exps = append(s.Specs, spec), append(exps, spec.Experiment())
	}
	s.Cases, err = baseline.Judge(exps, s.Store.Records)
	return b, s, err
}

// Layout lays out an experiment of a bundle. The files that its spec names are relative to dir.
func Layout(e bundles.Experiment, dir string) (*experiments.Spec, error) {
	spec, err := catalog.LoadText(filepath.Join(dir, e.File), e.Text, experiments.LoadOptions{Profile: e.Profile, Set: e.Set, Methods: e.Methods, Seeds: e.Seeds})
	if err == nil && spec.ID != e.ID {
		err = fmt.Errorf("the spec of %s is that of %s; get another copy of the bundle", e.ID, spec.ID)
	}
	return spec, err
}

// Argument returns the path if the only argument is one of a bundle.
func Argument(args []string) (file string, err error) {
	i := slices.IndexFunc(args, IsBundle)
	if i < 0 {
		return "", nil
	}
	if len(args) > 1 {
		return "", fmt.Errorf("%s is taken whole; leave out %s", args[i], strings.Join(slices.Delete(slices.Clone(args), i, i+1), " "))
	}
	return args[i], nil
}
