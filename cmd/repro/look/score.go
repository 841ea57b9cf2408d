package look

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"repro/cmd/repro/findings"
	"repro/cmd/repro/flags"
	"repro/cmd/repro/terminal"
	"repro/experiments/catalog"
	"repro/results/baseline"
	"repro/results/claims"
	"repro/results/printed"
)

// A scoreRequest is what the flags of score say.
type scoreRequest struct {
	flags.Choice
	Out                string // of the user's own runs
	byExperiment, json bool
}

func newScore(t *terminal.Terminal) *cobra.Command {
	var r scoreRequest
	var markdown bool
	cmd := &cobra.Command{
		Use:   "score [ID|FILE.toml...]",
		Short: "Count the verdicts, paper by paper",
		Long: `Score counts for every table, figure and theorem of the papers how many claims were reproduced, deviate,
and so on, when repro's authors ran the experiments at the papers' size. These verdicts come with repro;
your own runs do not change them. Auxiliary experiments, whose runs only serve others, are left out.

Claims are counted by class, because a printed number, a curve and a claim of our own differ in worth:
repro docs verdicts has the classes. Numbers of different classes are never added up.

With --out it judges the records of your own runs in that folder instead, and counts these verdicts. Name the
files of your own specs; without arguments it takes all experiments that come with repro.`,
		Example: `  repro score
  repro score 'ma2017/*' --experiments
  repro score --out out               your own runs
  repro score --json
  repro score --markdown`,
		ValidArgsFunction: flags.IDs,
		RunE: func(cmd *cobra.Command, args []string) error {
			r.Args = args
			board, err := findings.Shipped(args)
			if cmd.Flags().Changed("out") {
				board, err = scoreOf(t, r)
			}
			if err != nil {
				return err
			}
			return t.Show(r.json, board, func() {
				switch {
				case markdown && r.byExperiment:
					fmt.Fprint(t.Stdout, board.MarkdownByExperiment())
				case markdown:
					fmt.Fprint(t.Stdout, board.Markdown())
				default:
					printBoard(t.Stdout, board, r)
				}
			})
		},
	}
	flags.JSON(cmd, &r.json)
	flags.Out(cmd, &r.Out)
	cmd.Flags().Lookup("out").Usage = "count the verdicts in this output folder"
	cmd.Flags().BoolVar(&markdown, "markdown", false, "print a Markdown table")
	cmd.Flags().BoolVar(&r.byExperiment, "experiments", false, "one line an experiment, instead of one for each table or figure of the papers")
	cmd.MarkFlagsMutuallyExclusive("json", "markdown")
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
func printBoard(o *terminal.Output, board findings.Board, r scoreRequest) {
	lines := func(p findings.Paper) (lines []scoreLine) {
		if r.byExperiment {
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
		of, all := lines(p), scoreLines("all rows", p.Score)
		printLines(o, append(of, all...), len(all), words, widest)
		fmt.Fprintln(o)
	}
	if len(board.Papers) > 1 {
		all := scoreLines("all papers", board.Score)
		printLines(o, all, len(all), words, widest)
		fmt.Fprintln(o)
	}
	printOpen(o, board, r.Out)
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
		row := []string{fmt.Sprintf("%-*s", widest, l.name), l.Class.Short()}
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
		case column > 1 && (l.Of(words[column-2]) == 0 || !l.Class.Counts()), column == 1 && !l.Class.Counts():
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
func printOpen(o *terminal.Output, board findings.Board, out string) {
	if board.From == "" {
		o.Paragraph("Runs at the papers' size; %s of %s%s.", printed.Count(board.Rows, "row"), printed.Count(len(board.Papers), "paper"), findings.Extensions(board.Extensions))
	} else {
		o.Paragraph("Your runs in %s; %s without --out has those at the papers' size.", board.From, printed.Command("score"))
	}
	var needs []findings.Need
	hours := 0.0
	for _, p := range board.Papers {
		if n := p.Score.Any(claims.Deviates); n > 0 && p.Page != "" && board.From == "" {
			o.Paragraph("%s: %s says why %s", p.ID, p.Page, deviate(n))
		}
		for _, r := range p.Rows {
			needs, hours = append(needs, r.Needs...), hours+r.Hours
		}
	}
	if n := board.Score.Any(claims.Inconclusive); n > 0 && board.From == "" {
		o.Paragraph("%s inconclusive; %s says how many seeds would settle them", printed.Count(n, "claim"), printed.Command("score --markdown"))
	}
	if board.From == "" && len(board.Score.Apart()) > 0 {
		o.Paragraph("Classes are never added up. These are not counted: on other data, the paper does not have the data set; fitted, to whose column we fitted a step; repeated, the number of another claim; described, what nothing learned could refute.")
	}
	if names := findings.Needed(needs, findings.Fetch); len(names) > 0 {
		o.Paragraph("not run without data from %s: %s", printed.Command("fetch"), strings.Join(names, ", "))
	}
	if names := findings.Needed(needs, findings.Bring); len(names) > 0 {
		o.Paragraph("not run without data that you bring: %s", strings.Join(names, ", "))
	}
	if hours > 0 {
		o.Paragraph("their runs take about %s on one thread; %s says what one takes here", printed.Duration(3600*hours), printed.Command("plan ID --profile paper"))
	}
	if _, err := os.Stat(filepath.Join(out, "verdicts.json")); err == nil && board.From == "" {
		o.Paragraph("Your own runs: %s", printed.Again("score", "--out", out))
	}
}

func deviate(n int) string {
	if n == 1 {
		return "1 claim deviates"
	}
	return fmt.Sprintf("%d claims deviate", n)
}

// scoreOf judges the records of the output folder, and counts the verdicts on the experiments that the arguments name, or on
// all that have records there.
func scoreOf(t *terminal.Terminal, r scoreRequest) (findings.Board, error) {
	none := findings.Board{}
	store, err := flags.Open(t, r.Out)
	if err != nil {
		return none, err
	}
	exps, err := r.Recorded(t, store)
	if err != nil {
		return none, err
	}
	if len(exps) == 0 {
		return none, r.Nothing(r.Out, exps)
	}
	known, err := catalog.Entries()
	if err != nil {
		return none, err
	}
	cases, err := baseline.Judge(exps, store.Records)
	if err != nil {
		return none, err
	}
	var counted []claims.Case
	for _, j := range cases {
		i := slices.IndexFunc(known, func(e catalog.Entry) bool { return e.ID == j.ID })
		if i < 0 { // of the user's own, in a row of its own
			j.Paper = claims.Paper{Key: path.Dir(j.ID)}
		}
		if len(j.Verdicts) > 0 && (i < 0 || !known[i].Auxiliary) {
			counted = append(counted, j)
		}
	}
	board := findings.NewBoard(counted, nil)
	board.From = r.Out
	return board, nil
}
