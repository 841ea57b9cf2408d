package share

import (
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"repro/cmd/repro/findings"
	"repro/cmd/repro/flags"
	"repro/cmd/repro/studies"
	"repro/cmd/repro/terminal"
	"repro/experiments/catalog"
	"repro/plots"
	"repro/results/builds"
	"repro/results/bundles"
	"repro/results/claims"
	"repro/results/exports"
	"repro/results/files"
	"repro/results/printed"
	"repro/results/signatures"
)

// A bundleRequest is what the flags of bundle and export say.
type bundleRequest struct {
	flags.Choice
	Out  string
	sign string // file of a private key, or empty
}

func newBundle(t *terminal.Terminal) *cobra.Command {
	var r bundleRequest
	cmd := &cobra.Command{
		Use:   "bundle FILE.zip [ID...]",
		Short: "Pack records, specs, verdicts and the report into one file for others to check",
		Long: `Bundle writes one zip file with everything behind the verdicts except the data: the records, the specs as
they were loaded, the files of external programs that are beside them, the verdicts, the report with its
figures and tables, the digests and licences of the data, the machines that made the records, the exports of
repro export, and a manifest with the SHA-256 of every entry. The same folder gives the same bytes. It writes
the report into the output folder first, as repro report does.

Without ids it packs every experiment that comes with repro and has records; give the paths of your own
specs. Runs made with --set, --method or --seeds need the same flags again.

Bundle prints the SHA-256 of the file. Publish it where others can find it: with it they know that their
copy is yours. --sign also writes FILE.zip.minisig, a signature as minisign -S makes it, which minisign -V and repro
verify --key check. repro verify FILE.zip judges the records again, and repro audit FILE.zip runs a sample of
them again.`,
		Example: `  repro bundle results.zip
  repro bundle ridge.zip dai2014/ridge --profile paper --out paper
  repro bundle results.zip --sign minisign.key     the key is one of minisign -G -W
  repro verify results.zip
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
	cmd.Flags().StringVar(&r.sign, "sign", "", "sign the bundle with the private key in this file, which has no password")
	return cmd
}

// bundle writes the bundle of an output folder.
func bundle(t *terminal.Terminal, path string, r bundleRequest) error {
	if !studies.IsBundle(path) {
		return fmt.Errorf("bundle: %s does not end in .zip; name the file to write first, as in %s", path, printed.Command("bundle results.zip"))
	}
	var key signatures.PrivateKey
	var err error
	if r.sign != "" {
		if key, err = signatures.ReadPrivateKey(r.sign); err != nil {
			return fmt.Errorf("--sign: %w", err)
		}
	}
	s, err := studies.Pack(t, r.Out, r.Choice)
	if err != nil {
		return err
	}
	if s.Files, err = reportFiles(s, r.Out); err != nil {
		return err
	}
	s.Has = func(file string) bool { _, ok := s.Files[file]; return ok }
	more, err := exports.Files(s.Study)
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
	fmt.Fprintf(t.Stdout, "%s: %s of %s, %s\nSHA-256 %s\n", path, printed.Count(len(s.Records), "record"), printed.Count(len(s.Experiments), "experiment"),
		printed.Bytes(float64(info.Size())), digest)
	if r.sign == "" {
		return nil
	}
	signed, err := key.Sign(path)
	if err != nil {
		return err
	}
	fmt.Fprintf(t.Stdout, "signed in %s\n", signed)
	return nil
}

// reportFiles writes the report of a study into the output folder and returns its files, by their path in a bundle.
func reportFiles(s *studies.Study, out string) (map[string][]byte, error) {
	paths, err := findings.Write(out, s.Cases, s.Store.Warnings, plots.Output{})
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

// exportFormats are the arguments of export.
var exportFormats = map[string]func(exports.Study) (string, error){
	"markdown":  func(s exports.Study) (string, error) { return exports.Markdown(s), nil },
	"latex":     func(s exports.Study) (string, error) { return exports.LaTeX(s), nil },
	"crate":     func(s exports.Study) (string, error) { text, err := exports.Crate(s); return string(text), err },
	"codecheck": exports.Codecheck,
	"citation":  func(s exports.Study) (string, error) { return exports.Citation(s.Program, s.Papers()), nil },
}

func newExport(t *terminal.Terminal) *cobra.Command {
	var r bundleRequest
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
			return flags.IDs(cmd, args, word)
		},
		RunE: func(_ *cobra.Command, args []string) error {
			r.Args = args[1:]
			text, err := export(t, args[0], r)
			if err != nil {
				return err
			}
			if to != "" {
				return files.Write(filepath.Dir(to), to, []byte(text))
			}
			_, err = io.WriteString(t.Stdout, text)
			return err
		},
	}
	r.Choice.Flags(cmd, "")
	flags.Out(cmd, &r.Out)
	cmd.Flags().StringVar(&to, "to", "", "write to this file; standard output if left out")
	return cmd
}

// export describes results in a format.
func export(t *terminal.Terminal, format string, r bundleRequest) (string, error) {
	write, ok := exportFormats[format]
	if !ok {
		return "", fmt.Errorf("export: unknown format %q; choose one of %s", format, strings.Join(slices.Sorted(maps.Keys(exportFormats)), ", "))
	}
	file, err := studies.Argument(r.Args)
	if err != nil {
		return "", err
	}
	var s *studies.Study
	if file != "" {
		if r.Changes() {
			return "", fmt.Errorf("export: %s says itself at which profile and with which settings its experiments are judged; leave out --profile, --set, --method and --seeds", file)
		}
		var b *bundles.Bundle
		if b, s, err = studies.Unpack(file, ""); err != nil {
			return "", err
		}
		if len(b.Faults) > 0 {
			t.Note("warning: %s of the bundle; %s names them", printed.Count(len(b.Faults), "fault"), printed.Command("verify "+printed.ShellWord(file)))
		}
		s.Has = func(name string) bool { _, ok := s.Files[name]; return ok }
	} else {
		if s, err = studies.Pack(t, r.Out, r.Choice); err != nil {
			return "", err
		}
		s.Has = func(name string) bool {
			_, err := os.Stat(filepath.Join(r.Out, filepath.FromSlash(name)))
			return err == nil
		}
	}
	return write(s.Study)
}

func newCite(t *terminal.Terminal) *cobra.Command {
	return &cobra.Command{
		Use:   "cite [PAPER...]",
		Short: "Print BibTeX of the code and of the papers",
		Long: `Cite prints BibTeX entries of this build of repro and of papers, named by their keys as in the ids of
experiments. Without arguments it prints all papers.`,
		Example: `  repro cite
  repro cite dai2014 ma2017 >references.bib`,
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return paperKeys(catalog.Papers()), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(_ *cobra.Command, args []string) error {
			all := catalog.Papers()
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
			_, err := io.WriteString(t.Stdout, exports.BibTeX(builds.This(), papers))
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
