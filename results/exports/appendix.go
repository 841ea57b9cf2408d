package exports

import (
	"fmt"
	"strings"

	"repro/results/claims"
	"repro/results/printed"
	"repro/results/tables"
)

// A block is a part of the appendix. One of its fields is set.
type block struct {
	heading string
	text    string
	code    []string
	table   [][]string // with its header
}

// appendix returns the artifact appendix of a study.
func appendix(s Study) []block {
	var all []claims.Verdict
	for _, j := range s.Cases {
		all = append(all, j.Verdicts...)
	}
	var builds []string
	for _, p := range s.builds() {
		builds = append(builds, versionOf(p)+", "+p.Go)
	}
	blocks := []block{
		{heading: "Abstract"},
		{text: fmt.Sprintf("The artifact holds %s and %s on %s. Verdicts: %s.", printed.Count(len(s.Cases), "experiment"),
			printed.Count(len(s.Records), "record"), printed.Count(len(all), "claim"), claims.TallyOf(all))},
		{text: "Records were made by repro " + strings.Join(builds, "; ") + "."},
		{heading: "First steps"},
		{code: []string{printed.Command("doctor"), printed.Command("verify bundle.zip"), printed.Command("audit bundle.zip --sample 30")}},
		{text: "The first command checks the installation, the second judges every claim again from the records, the third runs a random sample of them again."},
		{heading: "Experiments"},
		{table: s.experimentTable()},
		{text: "Times are sums over the cells of an experiment; cells may have run side by side. Memory is that of the largest predictor. Both are from the records."},
	}
	var commands []string
	for _, e := range s.Experiments {
		commands = append(commands, command(e))
	}
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
	rows := [][]string{{"claim", "statement", "in the paper", "published", "measured", "verdict"}}
	for _, v := range j.Verdicts {
		measured := strings.TrimSpace(string(v.Quantity()) + " " + v.MeasuredText(printed.Number))
		rows = append(rows, []string{v.Claim, v.Statement, v.Source, v.MarkedText(), measured, v.VerdictText()})
	}
	return rows
}

func (s Study) dataTable() [][]string {
	rows := [][]string{{"data", "licence", "files with their SHA-256"}}
	for _, d := range s.Data {
		var files []string
		for _, f := range d.Files {
			files = append(files, f.Name+" "+f.SHA256[:min(16, len(f.SHA256))])
		}
		rows = append(rows, []string{d.Name, d.Licence, strings.Join(files, ", ")})
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
		var escaped []string
		for _, c := range cells {
			escaped = append(escaped, latex(c))
		}
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
