package cli

import (
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

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
			a.note("warning: %s of the bundle; %s names them", printed.Count(len(b.Faults), "fault"), printed.Command("verify "+file))
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
	_, err = io.WriteString(a.stdout, text)
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
			_, err := io.WriteString(a.stdout, exports.BibTeX(thisProgram(), papers))
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
