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
	"repro/experiments"
	"repro/results/bundles"
	"repro/results/claims"
	"repro/results/exports"
	"repro/results/files"
	"repro/results/printed"
)

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
	var has func(string) bool
	if file != "" {
		if r.Changes() {
			return "", fmt.Errorf("export: %s says itself at which profile and with which settings its experiments are judged; leave out --profile, --set, --method and --seeds", file)
		}
		var b *bundles.Bundle
		if b, s, err = studies.Unpack(file); err != nil {
			return "", err
		}
		if len(b.Faults) > 0 {
			t.Note("warning: %s of the bundle; %s names them", printed.Count(len(b.Faults), "fault"), printed.Command("verify "+file))
		}
		has = func(name string) bool { _, ok := s.Files[name]; return ok }
	} else {
		if s, err = studies.Pack(t, r.Out, r.Choice); err != nil {
			return "", err
		}
		has = func(name string) bool {
			_, err := os.Stat(filepath.Join(r.Out, filepath.FromSlash(name)))
			return err == nil
		}
	}
	return write(s.Export(has))
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
			_, err := io.WriteString(t.Stdout, exports.BibTeX(findings.Program(), papers))
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
