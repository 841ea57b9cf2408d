package cli

import (
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"repro/cmd/repro/findings"
	"repro/cmd/repro/terminal"
	"repro/datasets"
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
				return terminal.PrintJSON(a.Stdout, board)
			case markdown && byExperiment:
				fmt.Fprint(a.Stdout, board.markdownByExperiment())
			case markdown:
				fmt.Fprint(a.Stdout, board.markdown())
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
		a.Stdout.Paragraph("%s", strings.TrimSuffix(p.ID+": "+p.Title, ": "))
		ids, tallies := names(p)
		a.printTallies(append(ids, "sum"), append(tallies, p.Tally), words, widest)
		fmt.Fprintln(a.Stdout)
	}
	if len(board.Papers) > 1 {
		a.printTallies([]string{"all papers"}, []claims.Tally{board.Total}, words, widest)
		fmt.Fprintln(a.Stdout)
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
	a.Stdout.Table(g)
}

// printOpen says why claims deviate, what would settle the inconclusive ones, and which data is needed.
func (a *app) printOpen(board scoreboard) {
	if board.From == "" {
		a.Stdout.Paragraph("Runs at the papers' size; %s of %s%s.", printed.Count(board.Rows, "row"), printed.Count(len(board.Papers), "paper"), extensions(board.Extensions))
	} else {
		a.Stdout.Paragraph("Your runs in %s; %s without --out has those at the papers' size.", board.From, printed.Command("score"))
	}
	inconclusive := 0
	var needs []need
	for _, p := range board.Papers {
		if p.Deviates > 0 && p.Page != "" && board.From == "" {
			a.Stdout.Paragraph("%s: %s says why %s", p.ID, p.Page, deviate(p.Deviates))
		}
		for _, r := range p.Rows {
			inconclusive += r.Inconclusive
			needs = append(needs, r.Needs...)
		}
	}
	if inconclusive > 0 && board.From == "" {
		a.Stdout.Paragraph("%s inconclusive; %s says what would settle them", printed.Count(inconclusive, "claim"), printed.Command("plan --settle"))
	}
	if names := needed(needs, datasets.ToFetch); len(names) > 0 {
		a.Stdout.Paragraph("not run without data from %s: %s", printed.Command("fetch"), strings.Join(names, ", "))
	}
	if names := needed(needs, datasets.ToBring); len(names) > 0 {
		a.Stdout.Paragraph("not run without data that you bring: %s", strings.Join(names, ", "))
	}
	if _, err := os.Stat(filepath.Join(a.out, "verdicts.json")); err == nil && board.From == "" {
		a.Stdout.Paragraph("Your own runs: %s", printed.Command("score --out "+a.out))
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

// A scoreboard counts verdicts by paper and row. It is what `score --json` prints.
type scoreboard struct {
	From       string       `json:"from"` // folder of the verdicts; empty for those that come with repro
	Papers     []paperScore `json:"papers"`
	Rows       int          `json:"rows"`       // of all papers, without extensions
	Extensions int          `json:"extensions"` // rows that the papers do not have
	Total      claims.Tally `json:"total"`
}

// A paperScore is the part of a scoreboard about one paper.
type paperScore struct {
	ID    string `json:"id"`
	Title string `json:"title"`
	Page  string `json:"page,omitempty"` // says why claims deviate
	claims.Tally
	Rows        []rowScore        `json:"rows"`
	Experiments []experimentScore `json:"experiments"`
}

// An experimentScore is the tally of one experiment.
type experimentScore struct {
	ID string `json:"id"`
	claims.Tally
}

// A rowScore is one line of a scoreboard.
type rowScore struct {
	ID        string `json:"id"`
	Source    string `json:"source"`
	What      string `json:"what"`
	Extension bool   `json:"extension,omitempty"`
	claims.Tally
	Experiments []string `json:"experiments"`
	Settled     int      `json:"settled_by_seeds"` // of the inconclusive claims, those that more seeds would settle
	Seeds       int      `json:"seeds_needed"`     // the most that one of them needs
	Needs       []need   `json:"needs,omitempty"`  // data of the claims that have not run
}

// A need is a data set that an experiment has to have before it can run.
type need struct {
	Data string `json:"data"`
	How  string `json:"how"` // fetch or bring, as list shows it
}

// shippedScoreboard counts the verdicts that come with repro, on the experiments that the arguments name.
func shippedScoreboard(args []string) (scoreboard, error) {
	entries, err := scored(args)
	if err != nil {
		return scoreboard{}, err
	}
	verdicts, err := baseline.Verdicts()
	if err != nil {
		return scoreboard{}, err
	}
	return newScoreboard(entries, verdicts), nil
}

// scoreboardOf judges the records of the output folder, and counts the verdicts on the experiments that the arguments name, or on
// all that have records there.
func (a *app) scoreboardOf(args []string) (scoreboard, error) {
	store, err := a.open()
	if err != nil {
		return scoreboard{}, err
	}
	exps, err := a.recorded(args, store)
	if err != nil {
		return scoreboard{}, err
	}
	if len(exps) == 0 {
		return scoreboard{}, a.nothing(exps)
	}
	known, err := experiments.Catalog()
	if err != nil {
		return scoreboard{}, err
	}
	var entries []experiments.Entry
	var verdicts []claims.Verdict
	for _, j := range findings.Judge(exps, store.Records) {
		e := experiments.Entry{ID: j.ID, Paper: claims.Paper{Key: path.Dir(j.ID)}}
		if i := slices.IndexFunc(known, func(e experiments.Entry) bool { return e.ID == j.ID }); i >= 0 {
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
	board := newScoreboard(entries, verdicts)
	board.From = a.out
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
			return nil, fmt.Errorf("%s: score counts the verdicts of experiments that come with repro; for a file use %s, or name the folder of its runs with --out", r.Path, printed.Command("verify "+r.Path))
		}
		wanted[r.ID] = true
	}
	entries, err := experiments.Catalog()
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(entries, func(e experiments.Entry) bool { return !wanted[e.ID] || e.Auxiliary || len(e.Claims) == 0 }), nil
}

// newScoreboard counts the verdicts on the claims of entries. A claim without a verdict has not run.
func newScoreboard(entries []experiments.Entry, verdicts []claims.Verdict) scoreboard {
	data := map[string]string{}
	known := map[[2]string]claims.Verdict{}
	for _, v := range verdicts {
		known[[2]string{v.Experiment, v.Claim}] = v
	}
	papers := map[string]claims.Paper{}
	judged := map[string][]claims.Verdict{}
	board := scoreboard{Papers: []paperScore{}}
	for _, e := range entries {
		data[e.ID] = e.Data
		var own []claims.Verdict
		for _, c := range e.Claims {
			v, ok := known[[2]string{e.ID, c}]
			if !ok {
				v = claims.Verdict{Experiment: e.ID, Claim: c, Verdict: claims.NotRun}
			}
			own = append(own, v)
		}
		key := e.Paper.Key
		papers[key] = e.Paper
		judged[key] = append(judged[key], own...)
		i := slices.IndexFunc(board.Papers, func(p paperScore) bool { return p.ID == key })
		if i < 0 {
			i = len(board.Papers)
			board.Papers = append(board.Papers, paperScore{ID: key, Title: e.Paper.Title, Page: e.Paper.Page})
		}
		p := &board.Papers[i]
		p.Experiments = append(p.Experiments, experimentScore{e.ID, claims.TallyOf(own)})
	}
	slices.SortStableFunc(board.Papers, func(a, b paperScore) int { return papers[a.ID].Year - papers[b.ID].Year })
	for i := range board.Papers {
		p := &board.Papers[i]
		p.Tally = claims.TallyOf(judged[p.ID])
		board.Total = board.Total.Plus(p.Tally)
		for _, group := range papers[p.ID].ByRow(judged[p.ID]) {
			p.Rows = append(p.Rows, newRowScore(group, data))
			if group.Extension {
				board.Extensions++
			} else {
				board.Rows++
			}
		}
	}
	return board
}

// newRowScore counts the verdicts of a row; data has the data sets of the experiments.
func newRowScore(group claims.RowVerdicts, data map[string]string) rowScore {
	row := rowScore{ID: group.ID, Source: group.Source, What: group.What, Extension: group.Extension, Tally: claims.TallyOf(group.Verdicts)}
	for _, v := range group.Verdicts {
		if !slices.Contains(row.Experiments, v.Experiment) {
			row.Experiments = append(row.Experiments, v.Experiment)
		}
		switch v.Verdict {
		case claims.Inconclusive:
			if n := v.SeedsNeeded(); n > 0 {
				row.Settled++
				row.Seeds = max(row.Seeds, n)
			}
		case claims.NotRun:
			n := need{data[v.Experiment], datasets.ToFetch}
			if datasets.Brought(n.Data) {
				n.How = datasets.ToBring
			}
			if _, err := datasets.Describe(n.Data); err == nil && !datasets.Generated(n.Data) && !slices.Contains(row.Needs, n) {
				row.Needs = append(row.Needs, n)
			}
		}
	}
	return row
}

// settling says what would settle the inconclusive claims of a row, and is empty if it has none.
func (r rowScore) settling() string {
	seeds := printed.Count(r.Seeds, "seed")
	switch {
	case r.Inconclusive == 0:
		return ""
	case r.Settled == 0:
		return "not settled by more seeds"
	case r.Settled == r.Inconclusive:
		return "settled by " + seeds
	}
	return fmt.Sprintf("%d settled by %s", r.Settled, seeds)
}

// needed lists the data of needs that are met in one way.
func needed(needs []need, how string) []string {
	var names []string
	for _, n := range needs {
		if n.How == how && !slices.Contains(names, n.Data) {
			names = append(names, n.Data)
		}
	}
	return names
}

// markdown returns the scoreboard as a Markdown table for each paper. A count of claims that deviate links to the page that
// says why; beside inconclusive claims is what would settle them, and beside those that have not run the data they need.
func (b scoreboard) markdown() string {
	var s strings.Builder
	fmt.Fprintf(&s, "%s of %s%s, %s: %v.\n", printed.Count(b.Rows, "row"), printed.Count(len(b.Papers), "paper"), extensions(b.Extensions), printed.Count(b.Total.Claims, "claim"), b.Total)
	for _, p := range b.Papers {
		fmt.Fprintf(&s, "\n**%s**", p.ID)
		if p.Title != "" {
			fmt.Fprintf(&s, ", %s", p.Title)
		}
		fmt.Fprintf(&s, ": %v\n\n| Row | Source | What is compared | Claims | Verdicts |\n|---|---|---|--:|---|\n", p.Tally)
		for _, r := range p.Rows {
			what := r.What
			if r.Extension {
				what += " (an extension)"
			}
			fmt.Fprintf(&s, "| `%s` | %s | %s | %d | %s |\n", r.ID, r.Source, what, r.Claims, strings.Join(r.words(p.Page), ", "))
		}
	}
	return s.String()
}

// words lists the counts of a row, with what they call for; page says why claims deviate.
func (r rowScore) words(page string) []string {
	var parts []string
	for _, w := range claims.Words {
		n := r.Of(w)
		text := fmt.Sprintf("%d %s", n, w)
		switch {
		case n == 0:
			continue
		case w == claims.Deviates && page != "":
			text = fmt.Sprintf("[%s](%s)", text, page)
		case w == claims.Inconclusive:
			text += " (" + r.settling() + ")"
		case w == claims.NotRun && len(r.Needs) > 0:
			var ways []string
			for _, how := range []string{datasets.ToFetch, datasets.ToBring} {
				if names := needed(r.Needs, how); len(names) > 0 {
					ways = append(ways, how+" `"+strings.Join(names, "`, `")+"`")
				}
			}
			text += " (" + strings.Join(ways, "; ") + ")"
		}
		parts = append(parts, text)
	}
	return parts
}

// markdownByExperiment returns the scoreboard as a Markdown table: a row for each experiment, for the sum of each paper and
// for the sum of all.
func (b scoreboard) markdownByExperiment() string {
	var s strings.Builder
	line := func(name string, cells []string) { fmt.Fprintf(&s, "| %s | %s |\n", name, strings.Join(cells, " | ")) }
	head := []string{"claims"}
	for _, w := range claims.Words {
		head = append(head, string(w))
	}
	line("experiment", head)
	s.WriteString("|---|" + strings.Repeat("--:|", len(head)) + "\n")
	counts := func(t claims.Tally) []string {
		cells := []string{strconv.Itoa(t.Claims)}
		for _, w := range claims.Words {
			cells = append(cells, strconv.Itoa(t.Of(w)))
		}
		return cells
	}
	for _, p := range b.Papers {
		for _, e := range p.Experiments {
			line("`"+e.ID+"`", counts(e.Tally))
		}
		line("sum of "+p.ID, counts(p.Tally))
	}
	if len(b.Papers) > 1 {
		line("sum", counts(b.Total))
	}
	return s.String()
}

// A rejudging is what `score` does with --rejudge.
type rejudging struct {
	on    bool
	from  []string // verdicts of new runs, in place of the stored ones of the same experiments
	write string   // directory for one file of verdicts a paper; empty to write none
}

func (r *rejudging) flags(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&r.on, "rejudge", false, "apply the present claims to the numbers of the stored verdicts and print what changes")
	cmd.Flags().StringSliceVar(&r.from, "from", nil, "with --rejudge: files of verdicts of new runs that take the place of the stored ones")
	cmd.Flags().StringVar(&r.write, "write", "", "with --rejudge: write the verdicts to this directory, a file for each paper")
	for _, other := range []string{"json", "markdown"} {
		cmd.MarkFlagsMutuallyExclusive("rejudge", other)
	}
}

func (r rejudging) wanted() bool { return r.on || len(r.from) > 0 || r.write != "" }

// rejudge judges the stored verdicts again, prints those whose word changes, and writes all if it is asked to.
func (a *app) rejudge(args []string, how rejudging) error {
	entries, err := scored(args)
	if err != nil {
		return err
	}
	stored, err := storedVerdicts(how.from)
	if err != nil {
		return err
	}
	before := map[[2]string]claims.Word{}
	for _, v := range stored {
		before[[2]string{v.Experiment, v.Claim}] = v.Verdict
	}
	g := terminal.Table{Head: []string{"experiment", "claim", "was", "is", "reason"}, Wrap: 4}
	files := map[string][]claims.Verdict{}
	var all []claims.Verdict
	for _, e := range entries {
		spec, err := experiments.Load(experiments.Ref{ID: e.ID}, experiments.LoadOptions{})
		if err != nil {
			return err
		}
		again := claims.Rejudge(spec.Experiment(), stored)
		paper := path.Dir(e.ID)
		files[paper], all = append(files[paper], again...), append(all, again...)
		for _, v := range again {
			was, ok := before[[2]string{v.Experiment, v.Claim}]
			if !ok {
				was = claims.NotRun
			}
			if was != v.Verdict {
				g.Rows = append(g.Rows, []string{v.Experiment, v.Claim, string(was), string(v.Verdict), v.Reason})
			}
		}
	}
	a.Stdout.Table(g)
	fmt.Fprintf(a.Stdout, "%s; %d changed\n", findings.Summary(all), len(g.Rows))
	if how.write == "" {
		return nil
	}
	for paper, verdicts := range files {
		// Experiments that have not run are left out.
		ran := map[string]bool{}
		for _, v := range verdicts {
			ran[v.Experiment] = ran[v.Experiment] || v.Verdict != claims.NotRun
		}
		verdicts = slices.DeleteFunc(verdicts, func(v claims.Verdict) bool { return !ran[v.Experiment] })
		if len(verdicts) == 0 {
			continue
		}
		if err := claims.WriteVerdicts(filepath.Join(how.write, paper+".json"), verdicts); err != nil {
			return err
		}
	}
	return nil
}

// storedVerdicts returns the verdicts that come with repro, with those of the files in place of the same experiments'.
func storedVerdicts(files []string) ([]claims.Verdict, error) {
	stored, err := baseline.Verdicts()
	if err != nil {
		return nil, err
	}
	for _, name := range files {
		f, err := os.Open(name)
		if err != nil {
			return nil, err
		}
		fresh, err := claims.ReadVerdicts(f)
		if err := errors.Join(err, f.Close()); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		stored = slices.DeleteFunc(stored, func(v claims.Verdict) bool {
			return slices.ContainsFunc(fresh, func(w claims.Verdict) bool { return w.Experiment == v.Experiment })
		})
		stored = append(stored, fresh...)
	}
	return stored, nil
}
