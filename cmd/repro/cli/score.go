package cli

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"repro/experiments"
	"repro/results/baseline"
	"repro/results/claims"
)

// A scoreboard is what `score --json` prints.
type scoreboard struct {
	Papers []claims.Score `json:"papers"`
	Total  claims.Tally   `json:"total"`
}

func newScore(a *app) *cobra.Command {
	var markdown bool
	var again rejudging
	cmd := &cobra.Command{
		Use:   "score [ID...]",
		Short: "Count the verdicts of the runs at the papers' size",
		Long: `Score counts the verdicts for every paper and experiment: how many claims were reproduced, deviate, and so
on, when repro's authors ran the experiments at the papers' size. The verdicts come with repro; your own
runs do not change them. Auxiliary experiments, whose runs only serve others, are left out.

With --rejudge it applies the claims that the specs make now, and the rule of verdicts, to the numbers of
these verdicts, without records, and prints what changes.`,
		Example: `  repro score
  repro score 'ma2017/*'
  repro score --json
  repro score --markdown
  repro score --rejudge`,
		ValidArgsFunction: completeIDs,
		RunE: func(_ *cobra.Command, args []string) error {
			if again.wanted() {
				return a.rejudge(args, again)
			}
			return a.score(args, markdown)
		},
	}
	a.jsonFlag(cmd)
	cmd.Flags().BoolVar(&markdown, "markdown", false, "print a Markdown table")
	cmd.MarkFlagsMutuallyExclusive("json", "markdown")
	again.flags(cmd)
	return cmd
}

func (a *app) score(args []string, markdown bool) error {
	board, err := scoresOf(args)
	if err != nil {
		return err
	}
	switch {
	case a.json:
		return printJSON(a.stdout, board)
	case markdown:
		fmt.Fprint(a.stdout, board.markdown())
		return nil
	}
	g := grid{head: scoreHead(), right: []int{2, 3, 4, 5, 6, 7, 8}}
	for i, p := range board.Papers {
		if i > 0 {
			g.rows = append(g.rows, make([]string, len(g.head)))
		}
		for _, e := range p.Experiments {
			g.rows = append(g.rows, scoreRow(e.ID, e.Tally))
		}
		g.rows = append(g.rows, scoreRow("sum of "+p.ID, p.Tally))
	}
	if len(board.Papers) > 1 {
		g.rows = append(g.rows, make([]string, len(g.head)), scoreRow("sum", board.Total))
	}
	a.print(g)
	return nil
}

// scoresOf returns the scores of the experiments that the arguments name, or of all experiments if there are no arguments.
func scoresOf(args []string) (scoreboard, error) {
	entries, err := scored(args)
	if err != nil {
		return scoreboard{}, err
	}
	verdicts, err := baseline.Verdicts()
	if err != nil {
		return scoreboard{}, err
	}
	board := scoreboard{Papers: claims.Scoreboard(staked(entries), verdicts)}
	for _, p := range board.Papers {
		board.Total = board.Total.Plus(p.Tally)
	}
	return board, nil
}

// scored returns the experiments with claims that the arguments name, or all if there are no arguments.
func scored(args []string) ([]experiments.Entry, error) {
	refs, err := experiments.Resolve(args)
	if err != nil {
		return nil, err
	}
	wanted := map[string]bool{}
	for _, r := range refs {
		if r.Path != "" {
			return nil, fmt.Errorf("%s: score counts the verdicts that come with repro; for a file use repro verify %[1]s", r.Path)
		}
		wanted[r.ID] = true
	}
	entries, err := experiments.Catalog()
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(entries, func(e experiments.Entry) bool { return !wanted[e.ID] || e.Auxiliary || e.Claims == 0 }), nil
}

// staked returns the stakes of entries of the catalog.
func staked(entries []experiments.Entry) []claims.Stake {
	var stakes []claims.Stake
	for _, e := range entries {
		stakes = append(stakes, claims.Stake{Experiment: e.ID, Claims: e.Claims})
	}
	return stakes
}

// shippedScores returns the tallies at the published size of the given experiments, by id.
func shippedScores(stakes []claims.Stake) (map[string]claims.Tally, error) {
	verdicts, err := baseline.Verdicts()
	if err != nil {
		return nil, err
	}
	scores := map[string]claims.Tally{}
	for _, p := range claims.Scoreboard(stakes, verdicts) {
		for _, e := range p.Experiments {
			scores[e.ID] = e.Tally
		}
	}
	return scores, nil
}

func scoreHead() []string {
	head := []string{"experiment", "claims"}
	for _, w := range claims.Words {
		head = append(head, string(w))
	}
	return head
}

func scoreRow(name string, t claims.Tally) []string {
	row := []string{name, strconv.Itoa(t.Claims)}
	for _, w := range claims.Words {
		row = append(row, strconv.Itoa(t.Of(w)))
	}
	return row
}

// markdown returns the scoreboard as a Markdown table: a row for each experiment, for the sum of each paper and for the sum
// of all.
func (b scoreboard) markdown() string {
	var s strings.Builder
	line := func(cells []string) { fmt.Fprintf(&s, "| %s |\n", strings.Join(cells, " | ")) }
	head := scoreHead()
	line(head)
	s.WriteString("|---|" + strings.Repeat("--:|", len(head)-1) + "\n")
	for _, p := range b.Papers {
		for _, e := range p.Experiments {
			line(scoreRow("`"+e.ID+"`", e.Tally))
		}
		line(scoreRow("sum of "+p.ID, p.Tally))
	}
	if len(b.Papers) > 1 {
		line(scoreRow("sum", b.Total))
	}
	return s.String()
}
