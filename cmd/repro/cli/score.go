package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"repro/experiments"
	"repro/results/baseline"
	"repro/results/claims"
	"repro/results/printed"
)

func newScore(a *app) *cobra.Command {
	var markdown, byExperiment bool
	var again rejudging
	cmd := &cobra.Command{
		Use:   "score [ID|FILE.toml...]",
		Short: "Count the verdicts, paper by paper",
		Long: `Score counts for every table, figure and theorem of the papers how many claims were reproduced, deviate,
and so on, when repro's authors ran the experiments at the papers' size. These verdicts come with repro;
your own runs do not change them. Auxiliary experiments, whose runs only serve others, are left out.

With --out it judges the records of your own runs in that folder instead, and counts these verdicts. Name the
files of your own specs; without arguments it takes all experiments that come with repro.

With --rejudge it applies the claims that the specs make now, and the rule of verdicts, to the numbers of
the verdicts that come with repro, without records, and prints what changes.`,
		Example: `  repro score
  repro score 'ma2017/*' --experiments
  repro score --out out               your own runs
  repro score --json
  repro score --markdown
  repro score --rejudge`,
		ValidArgsFunction: completeIDs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if again.wanted() {
				return a.rejudge(args, again)
			}
			board, err := shippedScoreboard(args)
			if cmd.Flags().Changed("out") {
				board, err = a.scoreboardOf(args)
			}
			switch {
			case err != nil:
				return err
			case a.json:
				return printJSON(a.stdout, board)
			case markdown && byExperiment:
				fmt.Fprint(a.stdout, board.markdownByExperiment())
			case markdown:
				fmt.Fprint(a.stdout, board.markdown())
			default:
				a.printScoreboard(board, byExperiment)
			}
			return nil
		},
	}
	a.jsonFlag(cmd)
	a.outFlag(cmd)
	cmd.Flags().Lookup("out").Usage = "count the verdicts in this output folder"
	cmd.Flags().BoolVar(&markdown, "markdown", false, "print a Markdown table")
	cmd.Flags().BoolVar(&byExperiment, "experiments", false, "one line an experiment, instead of one for each table or figure of the papers")
	cmd.MarkFlagsMutuallyExclusive("json", "markdown")
	again.flags(cmd)
	return cmd
}

// printScoreboard prints a table for each paper, the totals, and what is open.
func (a *app) printScoreboard(board scoreboard, byExperiment bool) {
	names := func(p paperScore) (names []string, tallies []claims.Tally) {
		if byExperiment {
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
		a.stdout.paragraph("%s", strings.TrimSuffix(p.ID+": "+p.Title, ": "))
		ids, tallies := names(p)
		a.printTallies(append(ids, "sum"), append(tallies, p.Tally), words, widest)
		fmt.Fprintln(a.stdout)
	}
	if len(board.Papers) > 1 {
		a.printTallies([]string{"all papers"}, []claims.Tally{board.Total}, words, widest)
		fmt.Fprintln(a.stdout)
	}
	a.printOpen(board)
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
func (a *app) printTallies(names []string, tallies []claims.Tally, words []claims.Word, widest int) {
	g := grid{head: []string{fmt.Sprintf("%-*s", widest, ""), "claims"}, indent: "  "}
	for _, w := range words {
		g.head = append(g.head, shortWords[w])
	}
	for i := range g.head[1:] {
		g.right = append(g.right, i+2)
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
		g.rows = append(g.rows, row)
	}
	g.paint = func(row, column int) colour {
		switch {
		case column > 1 && tallies[row].Of(words[column-2]) == 0:
			return dim
		case column > 1:
			return colourOf(words[column-2])
		case row == len(tallies)-1:
			return bold
		}
		return 0
	}
	a.print(g)
}

// printOpen says why claims deviate, what would settle the inconclusive ones, and which data is needed.
func (a *app) printOpen(board scoreboard) {
	if board.From == "" {
		a.stdout.paragraph("Runs at the papers' size; %s of %s%s.", printed.Count(board.Rows, "row"), printed.Count(len(board.Papers), "paper"), extensions(board.Extensions))
	} else {
		a.stdout.paragraph("Your runs in %s; %s without --out has those at the papers' size.", board.From, printed.Command("score"))
	}
	inconclusive := 0
	var needs []need
	for _, p := range board.Papers {
		if p.Deviates > 0 && p.Page != "" && board.From == "" {
			a.stdout.paragraph("%s: %s says why %s", p.ID, p.Page, deviate(p.Deviates))
		}
		for _, r := range p.Rows {
			inconclusive += r.Inconclusive
			needs = append(needs, r.Needs...)
		}
	}
	if inconclusive > 0 && board.From == "" {
		a.stdout.paragraph("%s inconclusive; %s says what would settle them", printed.Count(inconclusive, "claim"), printed.Command("plan --settle"))
	}
	if names := needed(needs, dataFetch); len(names) > 0 {
		a.stdout.paragraph("not run without data from %s: %s", printed.Command("fetch"), strings.Join(names, ", "))
	}
	if names := needed(needs, dataBring); len(names) > 0 {
		a.stdout.paragraph("not run without data that you bring: %s", strings.Join(names, ", "))
	}
	if _, err := os.Stat(filepath.Join(a.out, "verdicts.json")); err == nil && board.From == "" {
		a.stdout.paragraph("Your own runs: %s", printed.Command("score --out "+a.out))
	}
}

func deviate(n int) string {
	if n == 1 {
		return "1 claim deviates"
	}
	return fmt.Sprintf("%d claims deviate", n)
}

func extensions(n int) string {
	if n == 0 {
		return ""
	}
	return " and " + printed.Count(n, "extension")
}

// staked returns the stakes of entries of the catalog.
func staked(entries []experiments.Entry) []claims.Stake {
	var stakes []claims.Stake
	for _, e := range entries {
		stakes = append(stakes, claims.Stake{Experiment: e.ID, Claims: len(e.Claims)})
	}
	return stakes
}

// shippedScores returns the tallies at the published size of the given experiments, by id.
func shippedScores(stakes []claims.Stake) (map[string]claims.Tally, error) {
	verdicts, err := baseline.Verdicts()
	if err != nil {
		return nil, err
	}
	return claims.Scores(stakes, verdicts), nil
}
