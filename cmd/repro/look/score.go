package look

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"repro/cmd/repro/findings"
	"repro/cmd/repro/flags"
	"repro/cmd/repro/terminal"
	"repro/results/claims"
	"repro/results/printed"
)

func newScore(t *terminal.Terminal) *cobra.Command {
	var markdown, byExperiment, asJSON bool
	cmd := &cobra.Command{
		Use:   "score [ID...]",
		Short: "Count the verdicts, paper by paper",
		Long: `Score counts for every table, figure and theorem of the papers how many claims were reproduced, deviate,
and so on, when repro's authors ran the experiments at the papers' size. These verdicts come with repro;
your own runs do not change them: run and judge count those. Auxiliary experiments, whose runs only serve
others, are left out.

Claims of the papers have one sum, with its classes beside it: what they print, draw, state and prove. Checks of
ours have a line of their own, and so has what does not count (apart); repro docs verdicts says why.`,
		Example: `  repro score
  repro score 'ma2017/*' --experiments
  repro score --json
  repro score --markdown`,
		ValidArgsFunction: flags.IDs,
		RunE: func(_ *cobra.Command, args []string) error {
			board, err := findings.Shipped(args)
			if err != nil {
				return err
			}
			return t.Show(asJSON, board, func() {
				switch {
				case markdown:
					fmt.Fprint(t.Stdout, board.Markdown())
				default:
					printBoard(t.Stdout, board, byExperiment)
				}
			})
		},
	}
	flags.JSON(cmd, &asJSON)
	cmd.Flags().BoolVar(&markdown, "markdown", false, "print Markdown tables")
	cmd.Flags().BoolVar(&byExperiment, "experiments", false, "one line an experiment, instead of one for each table or figure of the papers")
	cmd.MarkFlagsMutuallyExclusive("json", "markdown")
	cmd.MarkFlagsMutuallyExclusive("markdown", "experiments")
	return cmd
}

// A scoreLine is a line of a scoreboard: the claims of one class, of what the name says.
type scoreLine struct {
	name string // empty if it is that of the line before
	claims.Count
}

// scoreLines are the lines of one score.
func scoreLines(name string, s claims.Score) (lines []scoreLine) {
	for _, n := range s {
		lines = append(lines, scoreLine{name, n})
		name = ""
	}
	return lines
}

// printBoard prints a table for each paper, the scores of all, and what is open.
func printBoard(o *terminal.Output, board findings.Board, byExperiment bool) {
	lines := func(p findings.Paper) (lines []scoreLine) {
		if byExperiment {
			for _, e := range p.Experiments {
				lines = append(lines, scoreLines(e.ID, e.Score)...)
			}
			return lines
		}
		for _, r := range p.Rows {
			lines = append(lines, scoreLines(r.ID, r.Score)...)
		}
		return lines
	}
	widest := len("all papers")
	for _, p := range board.Papers {
		for _, l := range lines(p) {
			widest = max(widest, len(l.name))
		}
	}
	words := slices.DeleteFunc(slices.Clone(claims.Words), func(w claims.Word) bool { return w == claims.Failed && board.Score.Any(w) == 0 })
	for _, p := range board.Papers {
		o.Paragraph("%s", strings.TrimSuffix(p.ID+": "+p.Title, ": "))
		said := p.Score.Papers().Sentence()
		o.Paragraph("%s%s", strings.ToUpper(said[:1]), said[1:])
		of, all := lines(p), scoreLines("together", p.Score)
		printLines(o, append(of, all...), len(all), words, widest)
		fmt.Fprintln(o)
	}
	if len(board.Papers) > 1 {
		all := scoreLines("all papers", board.Score)
		printLines(o, all, len(all), words, widest)
		fmt.Fprintln(o)
	}
	printOpen(o, board)
}

// shortWords head the columns of a scoreboard that fits 80 columns.
var shortWords = map[claims.Word]string{
	claims.Reproduced: "reprod.", claims.Deviates: "deviates", claims.Inconclusive: "inconcl.",
	claims.NotComparable: "not comp.", claims.NotRun: "not run", claims.Failed: "failed",
}

// printLines prints lines in the colours of the verdicts; the last ones, in bold, are the scores of all lines before.
func printLines(o *terminal.Output, lines []scoreLine, last int, words []claims.Word, widest int) {
	g := terminal.Table{Head: []string{fmt.Sprintf("%-*s", widest, ""), "class     "}, Indent: "  "}
	for i, w := range words {
		g.Head, g.Right = append(g.Head, shortWords[w]), append(g.Right, i+3)
	}
	for _, l := range lines {
		row := []string{fmt.Sprintf("%-*s", widest, l.name), string(l.Class)}
		for _, w := range words {
			n := strconv.Itoa(l.Of(w))
			if n == "0" {
				n = "·"
			}
			row = append(row, n)
		}
		g.Rows = append(g.Rows, row)
	}
	g.Paint = func(row, column int) terminal.Colour {
		switch l := lines[row]; {
		case column > 0 && l.Class == claims.Apart, column > 1 && l.Of(words[column-2]) == 0:
			return terminal.Dim
		case column > 1:
			return findings.Colour(words[column-2])
		case row >= len(lines)-last:
			return terminal.Bold
		}
		return 0
	}
	o.Table(g)
}

// printOpen says why claims deviate, what would settle the inconclusive ones, and which data is needed.
func printOpen(o *terminal.Output, board findings.Board) {
	o.Paragraph("Runs at the papers' size; tables, figures and theorems: %d of %s%s.", board.Rows, printed.Count(len(board.Papers), "paper"), findings.Extensions(board.Extensions))
	var needs []findings.Need
	hours := 0.0
	for _, p := range board.Papers {
		if what := deviate(p.Score); what != "" && p.Page != "" {
			o.Paragraph("%s: %s says why %s", p.ID, p.Page, what)
		}
		for _, r := range p.Rows {
			needs, hours = append(needs, r.Needs...), hours+r.Hours
		}
	}
	if n := board.Score.Any(claims.Inconclusive); n > 0 {
		o.Paragraph("%s inconclusive; %s says what would decide them", printed.Count(n, "claim"), printed.Command("plan --settle"))
	}
	if board.Score.Of(claims.Apart).Claims > 0 {
		o.Paragraph("apart, and not counted: on data that the paper does not have, of a column to which we fitted a step, or the number of another claim")
	}
	if names := findings.Needed(needs, findings.Fetch); len(names) > 0 {
		o.Paragraph("not run without data from %s: %s", printed.Command("fetch"), strings.Join(names, ", "))
	}
	if names := findings.Needed(needs, findings.Bring); len(names) > 0 {
		o.Paragraph("not run without data that is not downloadable: %s", strings.Join(names, ", "))
	}
	if hours > 0 {
		o.Paragraph("their runs take about %s on one thread; %s says what one takes here", printed.Duration(3600*hours), printed.Command("plan ID --profile paper"))
	}
}

// deviate counts the claims that deviate, and our checks that do.
func deviate(s claims.Score) string {
	n, checks := s.Papers().Deviates, s.Checks().Deviates
	switch {
	case n == 0 && checks == 0:
		return ""
	case n == 0:
		return fmt.Sprintf("%d of our checks %s", checks, claims.Deviates.Verb(checks))
	}
	text := printed.Count(n, "claim") + " " + claims.Deviates.Verb(n)
	if checks > 0 {
		text += fmt.Sprintf(", and %d of our checks", checks)
	}
	return text
}
