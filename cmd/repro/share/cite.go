package share

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"repro/cmd/repro/flags"
	"repro/cmd/repro/terminal"
	"repro/experiments/catalog"
	"repro/results/builds"
	"repro/results/claims"
	"repro/results/printed"
)

// The code as it is cited. LICENSE and CITATION.cff have the same authors and title.
const (
	codeName    = "repro"
	codeTitle   = "repro: reproductions of the experiments of papers on kernel methods"
	codeAuthors = "the repro authors"
	codeYear    = 2026
)

func newCite(t *terminal.Terminal) *cobra.Command {
	var json bool
	cmd := &cobra.Command{
		Use:   "cite [PAPER...]",
		Short: "Print BibTeX of the code and of the papers",
		Long: `Cite prints BibTeX entries of this build of repro and of papers, named by their keys as in the ids of
experiments. Without arguments it prints all papers.`,
		Example: `  repro cite
  repro cite dai2014 ma2017 >references.bib`,
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return printed.Each(catalog.Papers(), paperKey), cobra.ShellCompDirectiveNoFileComp
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
					return fmt.Errorf("cite: unknown paper %q; choose some of %s", key, strings.Join(printed.Each(all, paperKey), ", "))
				}
				papers = append(papers, all[i])
			}
			text := bibTeX(builds.This(), papers)
			if json {
				return terminal.PrintJSON(t.Stdout, map[string]any{"bibtex": text, "papers": papers})
			}
			_, err := io.WriteString(t.Stdout, text)
			return err
		},
	}
	flags.JSON(cmd, &json)
	return cmd
}

func paperKey(p claims.Paper) string { return p.Key }

// bibTeX returns an entry for the code and one for each paper. A paper that is not registered has no title and is left out.
func bibTeX(p builds.Program, papers []claims.Paper) string {
	var b strings.Builder
	fmt.Fprintf(&b, "@software{%s,\n  author = {{%s}},\n  title = {%s},\n  year = {%d},\n", codeName, codeAuthors, texTitle(codeTitle), codeYear)
	if p.Go = ""; p.Version != "" {
		fmt.Fprintf(&b, "  version = {%v},\n", p)
	}
	b.WriteString("  license = {BSD-3-Clause}\n}\n")
	for _, paper := range papers {
		if paper.Title == "" {
			continue
		}
		fmt.Fprintf(&b, "\n@inproceedings{%s,\n  author = {%s},\n  title = {%s},\n  booktitle = {%s},\n  year = {%d},\n  url = {%s}\n}\n",
			paper.Key, texTitle(strings.Join(paper.Authors, " and ")), texTitle(paper.Title), texTitle(paper.Venue), paper.Year, paper.URL)
	}
	return b.String()
}

// texTitle keeps the capitals of acronyms and names, and escapes what BibTeX gives a meaning to.
func texTitle(title string) string {
	var words []string
	for _, w := range strings.Fields(strings.NewReplacer("&", `\&`, "%", `\%`, "#", `\#`, "_", `\_`, "{", "", "}", "").Replace(title)) {
		if len(w) > 1 && strings.ToUpper(w) == w && strings.ToLower(w) != w {
			w = "{" + w + "}"
		}
		words = append(words, w)
	}
	return strings.Join(words, " ")
}
