// Package exports writes a study in the forms that others ask for: an artifact appendix in Markdown and LaTeX, a Process Run
// Crate, codecheck.yml, CITATION.cff and BibTeX.
package exports

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"repro/results/bundles"
	"repro/results/claims"
	"repro/results/printed"
	"repro/results/records"
)

// A Study is what an export describes: the contents of a bundle, and its experiments with their verdicts in the same order.
type Study struct {
	bundles.Contents
	Cases []claims.Case
	Has   func(path string) bool // whether the bundle has, or will have, a file of the report
}

// Names of the exports as entries of a bundle.
const (
	MarkdownName  = "artifact.md"
	LaTeXName     = "artifact.tex"
	CrateName     = "ro-crate-metadata.json"
	CodecheckName = "codecheck.yml"
	CitationName  = "CITATION.cff"
	BibTeXName    = "references.bib"
)

// Files returns all exports of a study by their name in a bundle. codecheck.yml is for one paper; a study of several has
// codecheck-<paper>.yml for each.
func Files(s Study) (map[string][]byte, error) {
	crate, err := Crate(s)
	if err != nil {
		return nil, err
	}
	files := map[string][]byte{
		MarkdownName: []byte(Markdown(s)), LaTeXName: []byte(LaTeX(s)), CrateName: crate,
		CitationName: []byte(Citation(s.Program, s.Papers())), BibTeXName: []byte(BibTeX(s.Program, s.Papers())),
	}
	for _, p := range s.Papers() {
		name := CodecheckName
		if len(s.Papers()) > 1 {
			name = "codecheck-" + p.Key + ".yml"
		}
		files[name] = []byte(codecheck(s, p))
	}
	return files, nil
}

// Papers lists the papers of a study in alphabetical order of their keys.
func (s Study) Papers() []claims.Paper {
	var all []claims.Paper
	for _, j := range s.Cases {
		if !slices.ContainsFunc(all, func(p claims.Paper) bool { return p.Key == j.Paper.Key }) {
			all = append(all, j.Paper)
		}
	}
	slices.SortFunc(all, func(a, b claims.Paper) int { return strings.Compare(a.Key, b.Key) })
	return all
}

// command returns the command that runs an experiment as the study did.
func command(e bundles.Experiment) string {
	words := []string{printed.Command("run"), e.ID}
	if e.Own {
		words[1] = e.File
	}
	words = append(words, "--profile", e.Profile)
	for _, m := range e.Methods {
		words = append(words, "--method", printed.ShellWord(m))
	}
	if e.Seeds > 0 {
		words = append(words, "--seeds", fmt.Sprint(e.Seeds))
	}
	for _, set := range e.Set {
		words = append(words, "--set", printed.ShellWord(set))
	}
	return strings.Join(words, " ")
}

// Costs are what the records of an experiment say that it took.
type Costs struct {
	Cells    int
	Seconds  float64 // sum of the cells' times
	Longest  float64 // time of the longest cell, in seconds
	Memory   int64   // bytes of the largest predictor
	From, To string  // first start and last end, RFC 3339; empty if they are unknown
	Failed   int     // cells that failed or diverged
}

// costs sums up the records of an experiment.
func (s Study) costs(id string) Costs {
	var c Costs
	for _, r := range s.Records {
		if r.Header.Experiment != id {
			continue
		}
		c.Cells++
		if start := r.Header.Timing.Started; start != "" && (c.From == "" || start < c.From) {
			c.From = start
		}
		for _, p := range r.Points {
			c.Memory = max(c.Memory, p.Counters.Memory)
		}
		if s := r.Status(); s == records.Failed || s == records.Diverged {
			c.Failed++
		}
		if r.End != nil {
			c.Seconds += r.End.Timing.Wall
			c.Longest = max(c.Longest, r.End.Timing.Wall)
			c.To = max(c.To, r.End.Timing.Finished)
		}
	}
	return c
}

// seconds writes a time.
func seconds(v float64) string {
	switch {
	case v >= 2*3600:
		return printed.Digits(v/3600, 3) + " h"
	case v >= 120:
		return printed.Digits(v/60, 3) + " min"
	}
	return printed.Digits(v, 3) + " s"
}

// megabytes writes a size.
func megabytes(n int64) string { return printed.Digits(float64(n)/1e6, 3) + " MB" }

// builds lists the builds that made the records, and the one that made the study if there are none.
func (s Study) builds() []bundles.Program {
	var all []bundles.Program
	for _, m := range s.Machines {
		if !slices.Contains(all, m.Program) {
			all = append(all, m.Program)
		}
	}
	if len(all) == 0 {
		all = append(all, s.Program)
	}
	return all
}

// versionOf writes a build.
func versionOf(p bundles.Program) string {
	v := cmp.Or(p.Version, "devel") + ", commit " + cmp.Or(p.Commit, "unknown")
	if p.Dirty {
		v += " with changes"
	}
	return v
}
