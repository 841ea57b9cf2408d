// Package exports writes a study in the forms that others ask for: an artifact appendix in Markdown and LaTeX, a Process Run
// Crate, codecheck.yml, CITATION.cff and BibTeX.
package exports

import (
	"fmt"
	"slices"
	"strings"

	"repro/results/builds"
	"repro/results/bundles"
	"repro/results/claims"
	"repro/results/printed"
	"repro/results/records"
	"repro/results/tables"
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

func seconds(v float64) string {
	switch {
	case v >= 2*3600:
		return printed.Digits(v/3600, 3) + " h"
	case v >= 120:
		return printed.Digits(v/60, 3) + " min"
	}
	return printed.Digits(v, 3) + " s"
}

func megabytes(n int64) string { return printed.Digits(float64(n)/1e6, 3) + " MB" }

// builds lists the builds that made the records, and the one that made the study if there are none.
func (s Study) builds() []builds.Program {
	var all []builds.Program
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

// A block is a part of the appendix. One of its fields is set.
type block struct {
	heading string
	text    string
	code    []string
	table   [][]string // with its header
}

func appendix(s Study) []block {
	var all []claims.Verdict
	for _, j := range s.Cases {
		all = append(all, j.Verdicts...)
	}
	builds := printed.Each(s.builds(), func(p builds.Program) string { return p.Name() + " " + p.String() })
	blocks := []block{
		{heading: "Abstract"},
		{text: fmt.Sprintf("The artifact holds %s and %s. Verdicts by class, which are not added up: %s.", printed.Count(len(s.Cases), "experiment"),
			printed.Count(len(s.Records), "record"), claims.ScoreOf(all))},
		{text: "Records were made by " + strings.Join(builds, "; ") + "."},
		{heading: "First steps"},
		{code: []string{printed.Command("doctor"), printed.Command("verify bundle.zip"), printed.Command("audit bundle.zip --sample 30")}},
		{text: "The first command checks the installation, the second judges every claim again from the records, the third runs a random sample of them again."},
		{heading: "Experiments"},
		{table: s.experimentTable()},
		{text: "Times are sums over the cells of an experiment; cells may have run side by side. Memory is that of the largest predictor. Both are from the records."},
	}
	commands := printed.Each(s.Experiments, command)
	blocks = append(blocks, block{code: commands}, block{heading: "Claims"})
	for i, j := range s.Cases {
		if len(j.Verdicts) > 0 {
			blocks = append(blocks, block{text: fmt.Sprintf("E%d, %s, %s (%s):", i+1, j.ID, j.Title, j.Source)}, block{table: claimTable(j)})
		}
	}
	blocks = append(blocks, block{heading: "Data"}, block{table: s.dataTable()}, block{heading: "Machines"}, block{table: s.machineTable()})
	return blocks
}

func (s Study) experimentTable() [][]string {
	rows := [][]string{{"", "experiment", "profile", "cells", "time", "longest cell", "memory"}}
	for i, e := range s.Experiments {
		c := s.costs(e.ID)
		rows = append(rows, []string{fmt.Sprintf("E%d", i+1), e.ID, e.Profile, fmt.Sprint(c.Cells), seconds(c.Seconds), seconds(c.Longest), megabytes(c.Memory)})
	}
	return rows
}

func claimTable(j claims.Case) [][]string {
	rows := [][]string{{"claim", "class", "statement", "in the paper", "published", "measured", "verdict"}}
	for _, v := range j.Verdicts {
		measured := strings.TrimSpace(string(v.Quantity()) + " " + v.MeasuredText(printed.Number))
		rows = append(rows, []string{v.Claim, string(v.Class), v.Statement, v.Source, v.MarkedText(), measured, v.VerdictText()})
	}
	return rows
}

func (s Study) dataTable() [][]string {
	rows := [][]string{{"data", "licence", "files with their SHA-256"}}
	for _, d := range s.Data {
		files := printed.Each(d.Files, func(f records.DataDigest) string { return f.Name + " " + f.SHA256[:min(16, len(f.SHA256))] })
		rows = append(rows, []string{d.Name, d.Licence, strings.Join(files, ", ")})
	}
	if len(s.Data) == 0 {
		rows = append(rows, []string{"none", "", ""})
	}
	return rows
}

func (s Study) machineTable() [][]string {
	rows := [][]string{{"processor", "system", "instruction set", "threads", "records"}}
	for _, m := range s.Machines {
		rows = append(rows, []string{m.CPU, m.Host, m.ISA, fmt.Sprint(m.Threads), fmt.Sprint(m.Records)})
	}
	return rows
}

// Markdown returns the artifact appendix in Markdown.
func Markdown(s Study) string {
	var b strings.Builder
	b.WriteString("# Artifact appendix\n")
	row := func(cells []string) {
		for _, c := range cells {
			b.WriteString("| " + tables.EscapeMarkdown(c) + " ")
		}
		b.WriteString("|\n")
	}
	for _, x := range appendix(s) {
		b.WriteString("\n")
		switch {
		case x.heading != "":
			b.WriteString("## " + x.heading + "\n")
		case x.code != nil:
			for _, line := range x.code {
				b.WriteString("    " + strings.ReplaceAll(line, "\n", " ") + "\n")
			}
		case x.table != nil:
			row(x.table[0])
			b.WriteString(strings.Repeat("|---", len(x.table[0])) + "|\n")
			for _, cells := range x.table[1:] {
				row(cells)
			}
		default:
			b.WriteString(tables.EscapeMarkdown(x.text) + "\n")
		}
	}
	return b.String()
}

// LaTeX returns the artifact appendix for LaTeX with the packages booktabs and longtable. It begins with a section.
func LaTeX(s Study) string {
	var b strings.Builder
	b.WriteString("% Needs \\usepackage{booktabs,longtable}.\n\\section*{Artifact appendix}\n")
	row := func(cells []string) {
		escaped := printed.Each(cells, latex)
		b.WriteString(strings.Join(escaped, " & ") + ` \\` + "\n")
	}
	for _, x := range appendix(s) {
		switch {
		case x.heading != "":
			b.WriteString("\n\\subsection*{" + x.heading + "}\n")
		case x.code != nil:
			b.WriteString("\\begin{flushleft}\\ttfamily\n")
			for _, line := range x.code {
				b.WriteString(strings.ReplaceAll(latex(line), "--", "-{}-") + ` \\` + "\n")
			}
			b.WriteString("\\end{flushleft}\n")
		case x.table != nil:
			column := fmt.Sprintf("p{%.3f\\linewidth}", 0.8/float64(len(x.table[0])))
			b.WriteString("\\begin{longtable}{" + strings.Repeat(column, len(x.table[0])) + "}\n\\toprule\n")
			row(x.table[0])
			b.WriteString("\\midrule\n")
			for _, cells := range x.table[1:] {
				row(cells)
			}
			b.WriteString("\\bottomrule\n\\end{longtable}\n")
		default:
			b.WriteString(latex(x.text) + "\n\n")
		}
	}
	return b.String()
}

// latex returns a text as LaTeX on one line.
func latex(text string) string {
	t, _ := printed.LaTeX(strings.ReplaceAll(text, "\n", " "))
	return t
}
