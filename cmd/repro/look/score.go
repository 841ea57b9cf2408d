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
	"repro/results/claims"
	"repro/results/printed"
	"repro/results/scores"
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

// printBoard prints a table for each paper, the totals, and what is open.
func printBoard(o *terminal.Output, board scores.Board, r scoreRequest) {
	names := func(p scores.Paper) (names []string, tallies []claims.Tally) {
		if r.byExperiment {
			for _, e := range p.Experiments {
				names, tallies = append(names, e.ID), append(tallies, e.Tally)
			}
			return names, tallies
		}
		for _, r := range p.Rows {
			names, tallies = append(names, r.ID), append(tallies, r.Tally)
		}
		return names, tallies
	}
	widest := len("all papers")
	for _, p := range board.Papers {
		ids, _ := names(p)
		for _, id := range ids {
			widest = max(widest, len(id))
		}
	}
	words := scoreWords(board.Total)
	for _, p := range board.Papers {
		o.Paragraph("%s", strings.TrimSuffix(p.ID+": "+p.Title, ": "))
		ids, tallies := names(p)
		printTallies(o, append(ids, "sum"), append(tallies, p.Tally), words, widest)
		fmt.Fprintln(o)
	}
	if len(board.Papers) > 1 {
		printTallies(o, []string{"all papers"}, []claims.Tally{board.Total}, words, widest)
		fmt.Fprintln(o)
	}
	printOpen(o, board, r.Out)
}

// scoreWords are the verdicts that a scoreboard has columns for: failed only if a run failed.
func scoreWords(total claims.Tally) []claims.Word {
	return slices.DeleteFunc(slices.Clone(claims.Words), func(w claims.Word) bool { return w == claims.Failed && total.Failed == 0 })
}

// shortWords head the columns of a scoreboard that fits 80 columns.
var shortWords = map[claims.Word]string{
	claims.Reproduced: "reprod.", claims.Deviates: "deviates", claims.Inconclusive: "inconcl.",
	claims.NotComparable: "not comp.", claims.NotRun: "not run", claims.Failed: "failed",
}

// printTallies prints the tallies of one paper, the last of which is their sum, in the colours of the verdicts.
func printTallies(o *terminal.Output, names []string, tallies []claims.Tally, words []claims.Word, widest int) {
	g := terminal.Table{Head: []string{fmt.Sprintf("%-*s", widest, ""), "claims"}, Indent: "  "}
	for _, w := range words {
		g.Head = append(g.Head, shortWords[w])
	}
	for i := range g.Head[1:] {
		g.Right = append(g.Right, i+2)
	}
	for i, t := range tallies {
		row := []string{fmt.Sprintf("%-*s", widest, names[i]), strconv.Itoa(t.Claims)}
		for _, w := range words {
			n := strconv.Itoa(t.Of(w))
			if n == "0" {
				n = "·"
			}
			row = append(row, n)
		}
		g.Rows = append(g.Rows, row)
	}
	g.Paint = func(row, column int) terminal.Colour {
		switch {
		case column > 1 && tallies[row].Of(words[column-2]) == 0:
			return terminal.Dim
		case column > 1:
			return findings.Colour(words[column-2])
		case row == len(tallies)-1:
			return terminal.Bold
		}
		return 0
	}
	o.Table(g)
}

// printOpen says why claims deviate, what would settle the inconclusive ones, and which data is needed.
func printOpen(o *terminal.Output, board scores.Board, out string) {
	if board.From == "" {
		o.Paragraph("Runs at the papers' size; %s of %s%s.", printed.Count(board.Rows, "row"), printed.Count(len(board.Papers), "paper"), scores.Extensions(board.Extensions))
	} else {
		o.Paragraph("Your runs in %s; %s without --out has those at the papers' size.", board.From, printed.Command("score"))
	}
	inconclusive := 0
	var needs []scores.Need
	for _, p := range board.Papers {
		if p.Deviates > 0 && p.Page != "" && board.From == "" {
			o.Paragraph("%s: %s says why %s", p.ID, p.Page, deviate(p.Deviates))
		}
		for _, r := range p.Rows {
			inconclusive += r.Inconclusive
			needs = append(needs, r.Needs...)
		}
	}
	if inconclusive > 0 && board.From == "" {
		o.Paragraph("%s inconclusive; %s says what would settle them", printed.Count(inconclusive, "claim"), printed.Command("plan --settle"))
	}
	if names := scores.Needed(needs, scores.Fetch); len(names) > 0 {
		o.Paragraph("not run without data from %s: %s", printed.Command("fetch"), strings.Join(names, ", "))
	}
	if names := scores.Needed(needs, scores.Bring); len(names) > 0 {
		o.Paragraph("not run without data that you bring: %s", strings.Join(names, ", "))
	}
	if _, err := os.Stat(filepath.Join(out, "verdicts.json")); err == nil && board.From == "" {
		o.Paragraph("Your own runs: %s", printed.Command("score --out "+out))
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
func scoreOf(t *terminal.Terminal, r scoreRequest) (scores.Board, error) {
	store, err := flags.Open(t, r.Out)
	if err != nil {
		return scores.Board{}, err
	}
	exps, err := r.Recorded(t, store)
	if err != nil {
		return scores.Board{}, err
	}
	if len(exps) == 0 {
		return scores.Board{}, r.Nothing(r.Out, exps)
	}
	known, err := catalog.Entries()
	if err != nil {
		return scores.Board{}, err
	}
	var entries []catalog.Entry
	var verdicts []claims.Verdict
	for _, j := range findings.Judge(exps, store.Records) {
		e := catalog.Entry{ID: j.ID, Paper: claims.Paper{Key: path.Dir(j.ID)}}
		if i := slices.IndexFunc(known, func(e catalog.Entry) bool { return e.ID == j.ID }); i >= 0 {
			e = known[i]
		}
		if e.Claims = nil; e.Auxiliary || len(j.Verdicts) == 0 {
			continue
		}
		for _, v := range j.Verdicts { // which depend on the profile
			e.Claims = append(e.Claims, v.Claim)
		}
		entries, verdicts = append(entries, e), append(verdicts, j.Verdicts...)
	}
	board := scores.New(findings.Entries(entries), verdicts)
	board.From = r.Out
	return board, nil
}
