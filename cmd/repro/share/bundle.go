package share

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"repro/cmd/repro/findings"
	"repro/cmd/repro/flags"
	"repro/cmd/repro/terminal"
	"repro/datasets"
	"repro/experiments"
	"repro/experiments/catalog"
	"repro/plots"
	"repro/results/baseline"
	"repro/results/builds"
	"repro/results/bundles"
	"repro/results/claims"
	"repro/results/files"
	"repro/results/printed"
	"repro/results/records"
)

// A bundleRequest is what the flags of bundle say.
type bundleRequest struct {
	flags.Choice
	Out string
}

func newBundle(t *terminal.Terminal) *cobra.Command {
	var r bundleRequest
	cmd := &cobra.Command{
		Use:   "bundle FILE.zip [ID...]",
		Short: "Pack records, specs, verdicts and the report into one file for others to check",
		Long: `Bundle writes one zip file with everything behind the verdicts except the data: the records, the specs as
they were loaded, the files of external programs that are beside them, the verdicts, the report with its
figures and tables, the digests and licences of the data, the machines that made the records, and a manifest
with the SHA-256 of every entry. The same folder gives the same bytes. It writes the report into the output
folder first, as repro judge --report does.

Without ids it packs every experiment that comes with repro and has records; give the paths of your own
specs. Runs made with --set, --method or --seeds need the same flags again.

Bundle prints the SHA-256 of the file. Publish it where others can find it: with it they know that their
copy is yours. repro judge FILE.zip judges the records again, and repro audit FILE.zip runs a sample of
them again.`,
		Example: `  repro bundle results.zip
  repro bundle ridge.zip dai2014/ridge --profile paper --out paper
  repro judge results.zip
  repro audit results.zip --sample 30`,
		Args:              cobra.MinimumNArgs(1),
		ValidArgsFunction: flags.IDs,
		RunE: func(_ *cobra.Command, args []string) error {
			r.Args = args[1:]
			return bundle(t, args[0], r)
		},
	}
	r.Choice.Flags(cmd, "")
	flags.Out(cmd, &r.Out)
	return cmd
}

// bundle writes the bundle of an output folder.
func bundle(t *terminal.Terminal, path string, r bundleRequest) error {
	if !flags.IsBundle(path) {
		return fmt.Errorf("bundle: %s does not end in .zip; name the file to write first, as in %s", path, printed.Command("bundle results.zip"))
	}
	s, err := pack(t, r.Out, r.Choice)
	if err != nil {
		return err
	}
	if s.Files, err = s.reportFiles(r.Out); err != nil {
		return err
	}
	digest, err := bundles.Write(path, s.Contents)
	if err != nil {
		return err
	}
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	fmt.Fprintf(t.Stdout, "%s: %s of %s, %s\nSHA-256 %s\n", path, printed.Count(len(s.Records), "record"), printed.Count(len(s.Experiments), "experiment"),
		printed.Bytes(float64(info.Size())), digest)
	return nil
}

// reportFiles writes the report into the output folder and returns its files, by their path in a bundle.
func (s *study) reportFiles(out string) (map[string][]byte, error) {
	paths, err := findings.Write(out, s.cases, nil, plots.Output{})
	if err != nil {
		return nil, err
	}
	made := map[string][]byte{}
	for _, p := range paths {
		rel, err := filepath.Rel(out, p)
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

// A study is the contents of a bundle with the experiments as they are judged, in the same order.
type study struct {
	bundles.Contents
	cases []claims.Case
}

// pack collects the records, specs and verdicts of the experiments that arguments name, or of all with records.
func pack(t *terminal.Terminal, out string, c flags.Choice) (*study, error) {
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
	s, recs := &study{}, []*records.Record(nil)
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
				recs = append(recs, t.Record)
			}
		}
		if len(s.Records) == n {
			t.Note("%s: left out, because it has no records at profile %s", exp.ID, exp.Profile)
			continue
		}
		packed.Programs = programs(t, spec, recs)
		exps, s.Experiments = append(exps, exp), append(s.Experiments, packed)
	}
	if len(exps) == 0 {
		return nil, c.Nothing(out, asked)
	}
	if s.cases, err = baseline.Judge(exps, recs); err != nil { // from the records of the bundle only, as whoever reads it does
		return nil, err
	}
	s.Verdicts = claims.Verdicts(s.cases)
	s.Data, s.Machines = bundles.DataOf(recs, describe), bundles.MachinesOf(recs)
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
	paths, texts := map[string]string{}, map[string][]byte{}
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
		text, err := files.ReadRegular(paths[name], mostProgram)
		if sum := sha256.Sum256(text); err == nil && !ran[hex.EncodeToString(sum[:])] {
			err = errors.New("it changed since the runs")
		}
		if !filepath.IsLocal(name) {
			err = errors.New("it is not below the spec's folder")
		}
		switch {
		case err == nil:
			texts[name] = text
		case len(ran) > 0:
			t.Note("%s: left out the program %s, so that nobody can repeat its runs from the bundle: %v", spec.ID, name, err)
		}
	}
	return texts
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

// Commands are the verbs of the package.
func Commands(t *terminal.Terminal) []*cobra.Command {
	return []*cobra.Command{newBundle(t), newAudit(t), newCite(t)}
}
