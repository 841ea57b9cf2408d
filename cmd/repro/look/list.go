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
	"repro/datasets"
	"repro/experiments"
	"repro/results/baseline"
	"repro/results/claims"
	"repro/results/printed"
)

// A listed is one experiment in `list --json`.
type listed struct {
	ID        string   `json:"id"`
	Paper     string   `json:"paper"`
	Row       string   `json:"row"` // of the scoreboard
	Title     string   `json:"title"`
	Source    string   `json:"source"`
	Data      string   `json:"data"`
	Available bool     `json:"available"` // needs no download
	Here      string   `json:"here"`      // yes, fetch, bring or part
	Reason    string   `json:"reason"`    // where the data is, or how to get it
	Claims    int      `json:"claims"`
	Profiles  []string `json:"profiles"`
	Citation  string   `json:"citation"`
	Auxiliary bool     `json:"auxiliary"` // serves other experiments; a run that names no experiment leaves it out

	PublishedSize claims.Score `json:"published_size"` // shipped verdicts of the runs at profile paper
}

func newList(t *terminal.Terminal) *cobra.Command {
	r := listRequest{Library: flags.Library(t)}
	cmd := &cobra.Command{
		Use:   "list [ID... | WORD]",
		Short: "List the experiments, or the names that specs can use",
		Long: `List shows every experiment that comes with repro: its id, whether its data is on this machine, the row
of the scoreboard that it belongs to, and how many of its claims were reproduced at the papers' size: those
of the class with the most (repro score has them all). Your own specs are not listed; every command takes the path of a spec instead of an id.

The data of an experiment is here (yes: on this machine, or generated), can be downloaded (fetch: see
repro fetch), has to be brought by you (bring: repro run lists the files), or is here in part (part).

With one of the words algorithms, data, kernels, losses, metrics and schedules, list shows the names that a spec can use, and what
they mean.`,
		Example: `  repro list
  repro list 'dai2014/*'
  repro list --profile ci             those that repro check runs
  repro list --json
  repro list algorithms               the methods a spec can name`,
		ValidArgsFunction: flags.IDs,
		RunE: func(_ *cobra.Command, args []string) error {
			for _, v := range experiments.Vocabularies {
				switch {
				case !slices.Contains(args, v.Key):
				case len(args) > 1 || r.profile != "":
					return fmt.Errorf("list: %s lists all %s; leave out everything else", v.Key, v.What)
				default:
					return t.Show(r.json, terminal.OrEmpty(v.Terms()), func() { printTerms(t.Stdout, v.Terms()) })
				}
			}
			r.args = args
			found, err := list(r)
			if err != nil {
				return err
			}
			return t.Show(r.json, found.Experiments, func() { found.print(t.Stdout) })
		},
	}
	cmd.Flags().StringVar(&r.profile, "profile", "", "list only the experiments that have this profile")
	flags.Complete(cmd, "profile", flags.Profiles)
	flags.JSON(cmd, &r.json)
	return cmd
}

// A listRequest is what the flags of list say.
type listRequest struct {
	*datasets.Library
	args    []string
	profile string // that the experiments have; empty for any
	json    bool
}

// A listing is the experiments that list shows.
type listing struct {
	Experiments []listed
	papers      map[string]claims.Paper
	profile     string
	left        int // experiments without the profile
}

// list lists the experiments that the arguments name, of those that have the profile.
func list(r listRequest) (listing, error) {
	none := listing{}
	entries, file, err := flags.Entries(r.args)
	if err != nil {
		return none, err
	}
	if file != "" {
		return none, fmt.Errorf("%s: list shows the experiments of the catalog; for a file use %s", file, printed.Again("show", file))
	}
	verdicts, err := baseline.Verdicts()
	if err != nil {
		return none, err
	}
	found := listing{Experiments: []listed{}, papers: map[string]claims.Paper{}, profile: r.profile}
	for _, e := range entries {
		if r.profile != "" && !slices.Contains(e.Profiles, r.profile) {
			found.left++
			continue
		}
		ok, reason := r.Available(e.Data)
		found.Experiments = append(found.Experiments, listed{
			ID: e.ID, Paper: e.Paper.Key, Row: e.Paper.RowOf(e.ID).ID, Title: e.Title, Source: e.Source, Data: e.Data,
			Available: ok, Here: r.Whereabouts(e.Data), Reason: reason, Claims: len(e.Claims), Profiles: e.Profiles, Citation: citation(e.Paper),
			Auxiliary: e.Auxiliary, PublishedSize: claims.ScoreOf(e.Case(verdicts).Verdicts),
		})
		found.papers[e.Paper.Key] = e.Paper
	}
	return found, nil
}

// print prints a table for each paper. On a wide terminal it has the titles, too.
func (l listing) print(o *terminal.Output) {
	all := l.Experiments
	rows := map[string]bool{}
	for first, n := 0, 0; first < len(all); first += n {
		paper := all[first].Paper
		for n = 1; first+n < len(all) && all[first+n].Paper == paper; n++ {
		}
		if first > 0 {
			fmt.Fprintln(o)
		}
		o.Paragraph("%s", heading(paper, l.papers[paper]))
		g := terminal.Table{Head: []string{"id", "data", "row", "reproduced"}, Wrap: 4}
		for _, e := range all[first : first+n] {
			if l.papers[paper].Title != "" || !e.Auxiliary {
				rows[paper+"/"+e.Row] = true
			}
			held, row := reproduced(e.PublishedSize), e.Row
			if e.Auxiliary {
				held, row = "-", row+" (aux)"
			}
			g.Rows = append(g.Rows, []string{e.ID, e.Here, row, held})
		}
		if o.Width >= wide {
			g.Head, g.Wrap = append(g.Head, "title"), 5
			for i, e := range all[first : first+n] {
				g.Rows[i] = append(g.Rows[i], e.Title)
			}
		}
		g.Paint = func(row, column int) terminal.Colour {
			switch e := all[first+row]; {
			case column == 1 && e.Here != datasets.Here:
				return terminal.Yellow
			case column == 3 && !e.Auxiliary && !slices.ContainsFunc(e.PublishedSize, func(n claims.Count) bool { return n.Reproduced < n.Claims }):
				return terminal.Green
			}
			return 0
		}
		o.Table(g)
	}
	if len(all) > 1 {
		fmt.Fprintln(o)
		o.Paragraph("%s in %s of the scoreboard. %s prints what one does; %s counts the verdicts of all classes.", printed.Count(len(all), "experiment"), printed.Count(len(rows), "row"), printed.Command("show ID"), printed.Command("score"))
		o.Paragraph("Data: yes, it is here; fetch, %s downloads it; bring, only you have it; part, some files are here. An auxiliary experiment (aux) runs only if it is named.", printed.Command("fetch"))
	}
	if l.left > 0 {
		o.Paragraph("%s without the profile %s left out.", printed.Count(l.left, "experiment"), l.profile)
	}
}

// heading names a paper in a line.
func heading(key string, p claims.Paper) string {
	if p.Title == "" {
		return key
	}
	return fmt.Sprintf("%s: %s (%s %d)", key, p.Title, p.Venue, p.Year)
}

// wide is the width from which a terminal has room for titles.
const wide = 120

// printTerms prints names with a line each.
func printTerms(o *terminal.Output, terms []experiments.Term) {
	g := terminal.Table{Head: []string{"name", "what it is"}, Wrap: 2}
	for _, t := range terms {
		g.Rows = append(g.Rows, []string{t.Name, t.Doc})
	}
	o.Table(g)
}

// reproduced says how many claims of the class with the most are reproduced, as in "12 of 15 printed, …" if there are others.
func reproduced(s claims.Score) string {
	if len(s) == 0 {
		return "-"
	}
	n := slices.MaxFunc(s, func(a, b claims.Count) int { return a.Claims - b.Claims })
	more := ""
	if len(s) > 1 {
		more = ", …"
	}
	return fmt.Sprintf("%d of %d %s%s", n.Reproduced, n.Claims, n.Class.Short(), more)
}

// citation names a paper in a line.
func citation(p claims.Paper) string {
	if p.Title == "" {
		return p.Key
	}
	authors := strings.Join(p.Authors, ", ")
	if len(p.Authors) > 3 {
		authors = p.Authors[0] + " et al."
	}
	return fmt.Sprintf("%s: %s. %s %d", authors, p.Title, p.Venue, p.Year)
}

func newScore(t *terminal.Terminal) *cobra.Command {
	var markdown, byExperiment, asJSON bool
	cmd := &cobra.Command{
		Use:   "score [ID...]",
		Short: "Count the verdicts, paper by paper",
		Long: `Score counts for every table, figure and theorem of the papers how many claims were reproduced, deviate,
and so on, when repro's authors ran the experiments at the papers' size. These verdicts come with repro;
your own runs do not change them: run and verify count those. Auxiliary experiments, whose runs only serve
others, are left out.

Claims of the papers have one sum, with its classes beside it: a printed number, a column of them, a curve,
a statement or a theorem. Our own checks are counted apart; repro docs verdicts has the classes.`,
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
				case markdown && byExperiment:
					fmt.Fprint(t.Stdout, board.MarkdownByExperiment())
				case markdown:
					fmt.Fprint(t.Stdout, board.Markdown())
				default:
					printBoard(t.Stdout, board, byExperiment)
				}
			})
		},
	}
	flags.JSON(cmd, &asJSON)
	cmd.Flags().BoolVar(&markdown, "markdown", false, "print a Markdown table")
	cmd.Flags().BoolVar(&byExperiment, "experiments", false, "one line an experiment, instead of one for each table or figure of the papers")
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
		of, all := lines(p), scoreLines("all rows", p.Score)
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
func printOpen(o *terminal.Output, board findings.Board) {
	o.Paragraph("Runs at the papers' size; %s of %s%s.", printed.Count(board.Rows, "row"), printed.Count(len(board.Papers), "paper"), findings.Extensions(board.Extensions))
	var needs []findings.Need
	hours := 0.0
	for _, p := range board.Papers {
		if n := p.Score.Any(claims.Deviates); n > 0 && p.Page != "" {
			o.Paragraph("%s: %s says why %s", p.ID, p.Page, deviate(n))
		}
		for _, r := range p.Rows {
			needs, hours = append(needs, r.Needs...), hours+r.Hours
		}
	}
	if n := board.Score.Any(claims.Inconclusive); n > 0 {
		o.Paragraph("%s inconclusive; %s says what would settle them", printed.Count(n, "claim"), printed.Command("plan --settle"))
	}
	if len(board.Score.Apart()) > 0 {
		o.Paragraph("These are not counted: on other data, the paper does not have the data set; fitted, to whose column we fitted a step; repeated, the number of another claim; described, what nothing learned could refute.")
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
}

func deviate(n int) string {
	if n == 1 {
		return "1 claim deviates"
	}
	return fmt.Sprintf("%d claims deviate", n)
}
