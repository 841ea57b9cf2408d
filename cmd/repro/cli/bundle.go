package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"repro/cmd/repro/findings"
	"repro/datasets"
	"repro/experiments"
	"repro/results/bundles"
	"repro/results/claims"
	"repro/results/exports"
	"repro/results/files"
	"repro/results/printed"
	"repro/results/records"
)

func newBundle(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "bundle FILE.zip [ID...]",
		Short: "Pack records, specs, verdicts and the report into one file for others to check",
		Long: `Bundle writes one zip file with everything behind the verdicts except the data: the records, the specs as
they were loaded, the verdicts, the report with its figures and tables, the digests and licences of the
data, the machines that made the records, the exports of repro export, and a manifest with the SHA-256 of
every entry. The same folder gives the same bytes. It writes the report into the output folder first, as
repro report does.

Without ids it packs every experiment that comes with repro and has records; give the paths of your own
specs. Runs made with --set, --method or --seeds need the same flags again.

Bundle prints the SHA-256 of the file. Publish it where others can find it: with it they know that their
copy is yours. repro verify FILE.zip judges the records again, and repro audit FILE.zip runs a sample of
them again.`,
		Example: `  repro bundle results.zip
  repro bundle ridge.zip dai2014/ridge --profile paper --out paper
  repro verify results.zip
  repro audit results.zip --sample 30`,
		Args:              cobra.MinimumNArgs(1),
		ValidArgsFunction: completeIDs,
		RunE:              func(_ *cobra.Command, args []string) error { return a.bundle(args[0], args[1:]) },
	}
	a.specFlags(cmd, "")
	a.outFlag(cmd)
	return cmd
}

// isBundle reports whether an argument is the path of a bundle.
func isBundle(arg string) bool { return strings.HasSuffix(arg, ".zip") }

func (a *app) bundle(path string, args []string) error {
	if !isBundle(path) {
		return fmt.Errorf("bundle: %s does not end in .zip; name the file to write first, as in %s", path, printed.Command("bundle results.zip"))
	}
	s, err := a.pack(args)
	if err != nil {
		return err
	}
	if s.Files, err = a.reportFiles(s); err != nil {
		return err
	}
	more, err := exports.Files(s.export(func(file string) bool { _, ok := s.Files[file]; return ok }))
	if err != nil {
		return err
	}
	maps.Copy(s.Files, more)
	digest, err := bundles.Write(path, s.Contents)
	if err != nil {
		return err
	}
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	fmt.Fprintf(a.Stdout, "%s: %s of %s, %s\nSHA-256 %s\n", path, printed.Count(len(s.Records), "record"), printed.Count(len(s.Experiments), "experiment"),
		printed.Bytes(float64(info.Size())), digest)
	return nil
}

// A study is the contents of a bundle with the experiments as they are judged, in the same order.
type study struct {
	bundles.Contents
	store  *records.Store
	judged []claims.Case
}

// export returns the study as the exports want it. has reports whether the report has a file.
func (s *study) export(has func(file string) bool) exports.Study {
	out := exports.Study{Contents: s.Contents, Has: has}
	for _, j := range s.judged {
		out.Cases = append(out.Cases, claims.Case{Experiment: j.Experiment, Verdicts: j.Verdicts})
	}
	return out
}

// pack collects the records, specs and verdicts of the experiments that arguments name, or of all with records.
func (a *app) pack(args []string) (*study, error) {
	texts, err := records.Texts(a.out)
	if err != nil {
		return nil, err
	}
	all := &records.Store{Dir: a.out}
	for _, t := range texts {
		all.Records = append(all.Records, t.Record)
	}
	refs, err := a.recordedRefs(args, all)
	if err != nil {
		return nil, err
	}
	s := &study{store: &records.Store{Dir: a.out}}
	s.Program = findings.Program()
	var asked, exps []claims.Experiment
	for _, ref := range refs {
		exp, packed, err := a.chosen(ref, all)
		if err != nil {
			return nil, err
		}
		asked = append(asked, exp)
		n := len(s.Records)
		for _, t := range texts {
			if len(exp.Records([]*records.Record{t.Record})) > 0 {
				s.Records = append(s.Records, t)
				s.store.Records = append(s.store.Records, t.Record)
			}
		}
		if len(s.Records) == n {
			a.Note("%s: left out, because it has no records at profile %s", exp.ID, exp.Profile)
			continue
		}
		exps, s.Experiments = append(exps, exp), append(s.Experiments, packed)
	}
	if len(exps) == 0 {
		return nil, a.nothing(asked)
	}
	for _, exp := range exps { // from the records of the bundle only, as whoever reads it does
		j := claims.NewCase(exp, s.store.Records)
		s.judged = append(s.judged, j)
		s.Verdicts = append(s.Verdicts, j.Verdicts...)
	}
	s.Data, s.Machines = dataIn(s.store.Records), bundles.MachinesOf(s.store.Records)
	return s, nil
}

// chosen returns the experiment of a spec as choose does, and what a bundle says of it.
func (a *app) chosen(ref experiments.Ref, store *records.Store) (claims.Experiment, bundles.Experiment, error) {
	var none bundles.Experiment
	exp, err := a.choose(ref, store)
	if err != nil {
		return exp, none, err
	}
	profile, edited := strings.CutSuffix(exp.Profile, experiments.EditedMark)
	if edited && len(a.set) == 0 {
		return exp, none, fmt.Errorf("%s: its runs used --set; give the same --set again, so that others can judge them, or name the other experiments", exp.ID)
	}
	e := bundles.Experiment{
		ID: exp.ID, File: filepath.Base(exp.ID) + ".toml", Own: ref.ID == "", Profile: profile, Set: a.set, Methods: a.methods, Seeds: a.seeds,
	}
	e.Text, e.Files, err = experiments.Written(ref)
	return exp, e, err
}

// dataIn lists the data that records name, with what the registry says of it.
func dataIn(recs []*records.Record) []bundles.Dataset {
	var all []bundles.Dataset
	for _, r := range recs {
		name := dataName(r)
		i := slices.IndexFunc(all, func(d bundles.Dataset) bool { return d.Name == name })
		if i < 0 {
			i = len(all)
			d := bundles.Dataset{Name: name, Files: []records.DataDigest{}}
			if s, err := datasets.Describe(name); err == nil {
				d.Title, d.Licence, d.Citation = s.Title, s.Licence, s.Citation
				for _, f := range s.Files {
					d.URLs = append(d.URLs, f.URLs...)
				}
			}
			all = append(all, d)
		}
		if !slices.Contains(all[i].Experiments, r.Header.Experiment) {
			all[i].Experiments = append(all[i].Experiments, r.Header.Experiment)
		}
		for _, f := range r.Header.Provenance.Data {
			if !slices.Contains(all[i].Files, f) {
				all[i].Files = append(all[i].Files, f)
			}
		}
	}
	slices.SortFunc(all, func(x, y bundles.Dataset) int { return strings.Compare(x.Name, y.Name) })
	return all
}

// dataName returns the name of a record's data in specs, or that of the user's own file.
func dataName(r *records.Record) string {
	data, _ := r.Header.Settings["data"].(map[string]any)
	for _, key := range []string{"name", "file"} {
		if name, ok := data[key].(string); ok && name != "" {
			return filepath.Base(filepath.FromSlash(name))
		}
	}
	return "unknown"
}

// reportFiles writes the report of a study into the output folder and returns its files, by their path in a bundle.
func (a *app) reportFiles(s *study) (map[string][]byte, error) {
	paths, err := findings.Write(a.out, s.store, s.judged, a.drawing)
	if err != nil {
		return nil, err
	}
	made := map[string][]byte{}
	for _, p := range paths {
		rel, err := filepath.Rel(a.out, p)
		if err != nil {
			return nil, err
		}
		if rel == "verdicts.json" || rel == "records.csv" {
			continue // a bundle has the verdicts, and the records themselves
		}
		if made[filepath.ToSlash(rel)], err = files.Read(p); err != nil {
			return nil, err
		}
	}
	return made, nil
}

// unpack reads a bundle and lays out its experiments.
func (a *app) unpack(path string) (*bundles.Bundle, *study, error) {
	b, err := bundles.Read(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, fmt.Errorf("%s: no such file; %s makes one", path, printed.Command("bundle"))
	}
	if err != nil {
		return nil, nil, err
	}
	s := &study{Contents: b.Contents, store: b.Store()}
	for _, e := range b.Experiments {
		spec, err := bundledSpec(e, "")
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", path, err)
		}
		s.judged = append(s.judged, claims.NewCase(spec.Experiment(), s.store.Records))
	}
	return b, s, nil
}

// bundledSpec lays out the spec of a bundle. The files that it names are relative to dir.
func bundledSpec(e bundles.Experiment, dir string) (*experiments.Spec, error) {
	spec, err := experiments.LoadText(filepath.Join(dir, e.File), e.Text, experiments.LoadOptions{Profile: e.Profile, Set: e.Set, Methods: e.Methods, Seeds: e.Seeds})
	if err == nil && spec.ID != e.ID {
		err = fmt.Errorf("the spec of %s is that of %s; get another copy of the bundle", e.ID, spec.ID)
	}
	return spec, err
}

// exportFormats are the arguments of export.
var exportFormats = map[string]func(exports.Study) (string, error){
	"markdown":  func(s exports.Study) (string, error) { return exports.Markdown(s), nil },
	"latex":     func(s exports.Study) (string, error) { return exports.LaTeX(s), nil },
	"crate":     func(s exports.Study) (string, error) { text, err := exports.Crate(s); return string(text), err },
	"codecheck": exports.Codecheck,
	"citation":  func(s exports.Study) (string, error) { return exports.Citation(s.Program, s.Papers()), nil },
}

func newExport(a *app) *cobra.Command {
	var to string
	cmd := &cobra.Command{
		Use:   "export FORMAT [ID... | FILE.zip]",
		Short: "Describe results as artifact evaluation, CODECHECK or RO-Crate ask for them",
		Long: `Export prints a description of the results in the output folder, or of a bundle:

  markdown   an artifact appendix: experiments, claims, measured time and memory, commands, data, machines
  latex      the same in LaTeX
  crate      ro-crate-metadata.json, a Process Run Crate with one action for each experiment
  codecheck  codecheck.yml, of the experiments of one paper
  citation   CITATION.cff

A bundle has all of them.`,
		Example: `  repro export markdown
  repro export latex 'dai2014/*' --profile paper --out paper --to appendix.tex
  repro export codecheck results.zip --to codecheck.yml`,
		Args: cobra.MinimumNArgs(1),
		ValidArgsFunction: func(cmd *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
			if len(args) == 0 {
				return slices.Sorted(maps.Keys(exportFormats)), cobra.ShellCompDirectiveNoFileComp
			}
			return completeIDs(cmd, args, word)
		},
		RunE: func(_ *cobra.Command, args []string) error { return a.export(args[0], args[1:], to) },
	}
	a.specFlags(cmd, "")
	a.outFlag(cmd)
	cmd.Flags().StringVar(&to, "to", "", "write to this file; standard output if left out")
	return cmd
}

func (a *app) export(format string, args []string, to string) error {
	write, ok := exportFormats[format]
	if !ok {
		return fmt.Errorf("export: unknown format %q; choose one of %s", format, strings.Join(slices.Sorted(maps.Keys(exportFormats)), ", "))
	}
	file, err := bundleArgument(args)
	if err != nil {
		return err
	}
	var s *study
	var has func(string) bool
	if file != "" {
		if a.profile != "" || len(a.set)+len(a.methods) > 0 || a.seeds > 0 {
			return fmt.Errorf("export: %s says itself at which profile and with which settings its experiments are judged; leave out --profile, --set, --method and --seeds", file)
		}
		var b *bundles.Bundle
		if b, s, err = a.unpack(file); err != nil {
			return err
		}
		if len(b.Faults) > 0 {
			a.Note("warning: %s of the bundle; %s names them", printed.Count(len(b.Faults), "fault"), printed.Command("verify "+file))
		}
		has = func(name string) bool { _, ok := s.Files[name]; return ok }
	} else {
		if s, err = a.pack(args); err != nil {
			return err
		}
		has = func(name string) bool {
			_, err := os.Stat(filepath.Join(a.out, filepath.FromSlash(name)))
			return err == nil
		}
	}
	text, err := write(s.export(has))
	if err != nil {
		return err
	}
	if to != "" {
		return files.Write(filepath.Dir(to), to, []byte(text))
	}
	_, err = io.WriteString(a.Stdout, text)
	return err
}

func newCite(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "cite [PAPER...]",
		Short: "Print BibTeX of the code and of the papers",
		Long: `Cite prints BibTeX entries of this build of repro and of papers, named by their keys as in the ids of
experiments. Without arguments it prints all papers.`,
		Example: `  repro cite
  repro cite dai2014 ma2017 >references.bib`,
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return paperKeys(experiments.Papers()), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(_ *cobra.Command, args []string) error {
			all := experiments.Papers()
			papers := all
			if len(args) > 0 {
				papers = nil
			}
			for _, key := range args {
				key, _, _ = strings.Cut(key, "/") // the id of an experiment stands for its paper
				i := slices.IndexFunc(all, func(p claims.Paper) bool { return p.Key == key })
				if i < 0 {
					return fmt.Errorf("cite: unknown paper %q; choose some of %s", key, strings.Join(paperKeys(all), ", "))
				}
				papers = append(papers, all[i])
			}
			_, err := io.WriteString(a.Stdout, exports.BibTeX(findings.Program(), papers))
			return err
		},
	}
}

func paperKeys(all []claims.Paper) (keys []string) {
	for _, p := range all {
		keys = append(keys, p.Key)
	}
	return keys
}

// bundleArgument returns the path if the only argument is one of a bundle.
func bundleArgument(args []string) (file string, err error) {
	i := slices.IndexFunc(args, isBundle)
	if i < 0 {
		return "", nil
	}
	if len(args) > 1 {
		return "", fmt.Errorf("%s is taken whole; leave out %s", args[i], strings.Join(slices.Delete(slices.Clone(args), i, i+1), " "))
	}
	return args[i], nil
}
