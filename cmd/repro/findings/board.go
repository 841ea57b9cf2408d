package findings

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"repro/cmd/repro/flags"
	"repro/datasets"
	"repro/experiments/catalog"
	"repro/plots/figures"
	"repro/results/baseline"
	"repro/results/claims"
	"repro/results/printed"
	"repro/results/records"
	"repro/runner"
)

// How the data of a claim that has not run comes to a machine.
const (
	Fetch = "fetch"
	Bring = "bring"
)

// Extensions says how many rows are not in the papers, and is empty for none.
func Extensions(n int) string {
	if n == 0 {
		return ""
	}
	return " and " + printed.Count(n, "extension")
}

// A Board counts verdicts by paper, row and class. It is what `score --json` prints.
type Board struct {
	Papers     []Paper      `json:"papers"`
	Rows       int          `json:"rows"`       // of all papers, without extensions
	Extensions int          `json:"extensions"` // rows that the papers do not have
	Score      claims.Score `json:"score"`
}

// A Paper is the part of a scoreboard about one paper.
type Paper struct {
	ID          string       `json:"id"`
	Title       string       `json:"title"`
	Page        string       `json:"page,omitempty"` // says why claims deviate
	Score       claims.Score `json:"score"`
	Rows        []Row        `json:"rows"`
	Experiments []Experiment `json:"experiments"`
}

// An Experiment is the score of one experiment.
type Experiment struct {
	ID    string       `json:"id"`
	Score claims.Score `json:"score"`
}

// A Row is one line of a scoreboard.
type Row struct {
	ID        string `json:"id"`
	Source    string `json:"source"`
	What      string `json:"what"`
	Extension bool   `json:"extension,omitempty"`

	Score       claims.Score `json:"score"`
	Experiments []string     `json:"experiments"`
	Settled     int          `json:"settled_by_seeds"`      // of the inconclusive claims, those that more seeds would settle
	Seeds       int          `json:"seeds_needed"`          // the most that one of them needs
	Needs       []Need       `json:"needs,omitempty"`       // data of the claims that have not run
	Hours       float64      `json:"hours_needed,omitzero"` // that their experiments are expected to take on one thread

	inconclusive int // claims, without columns
}

// A Need is a data set that an experiment has to have before it can run.
type Need struct {
	Data string `json:"data"`
	How  string `json:"how"` // fetch or bring, as list shows it
}

// Shipped counts the verdicts that come with repro, on the experiments that the arguments name.
func Shipped(args []string) (Board, error) {
	entries, err := Scored(args)
	if err != nil {
		return Board{}, err
	}
	verdicts, err := baseline.Verdicts()
	if err != nil {
		return Board{}, err
	}
	cases := make([]claims.Case, len(entries))
	for i, e := range entries {
		cases[i] = e.Case(verdicts)
	}
	seconds, err := expectedTime(entries, cases)
	if err != nil {
		return Board{}, err
	}
	return newBoard(cases, seconds), nil
}

// Scored returns the experiments with claims that the arguments name, or all if there are no arguments.
func Scored(args []string) ([]catalog.Entry, error) {
	entries, file, err := flags.Entries(args)
	if file != "" {
		return nil, fmt.Errorf("%s: score counts the verdicts of experiments that come with %s; for a file use %s", file, printed.Name(), printed.Again("judge", file))
	}
	return slices.DeleteFunc(entries, func(e catalog.Entry) bool { return e.Auxiliary || len(e.Claims) == 0 }), err
}

// expectedTime returns the seconds that those of the experiments are expected to take on one thread of a typical processor that have not
// run, by their ids.
func expectedTime(entries []catalog.Entry, cases []claims.Case) (map[string]float64, error) {
	seconds := make([]float64, len(entries))
	errs := make([]error, len(entries))
	records.Parallel(len(entries), func(i int) {
		if claims.CountOf(cases[i].Verdicts).NotRun < len(cases[i].Verdicts) {
			return
		}
		estimator := runner.NewNominalEstimator(&datasets.Library{})
		cells := entries[i].Spec.Expand()
		for k := range cells {
			expected, err := estimator.Cell(context.Background(), &cells[k])
			if err != nil {
				errs[i] = fmt.Errorf("%s: %w", entries[i].ID, err)
			}
			seconds[i] += max(0, expected.Seconds)
		}
	})
	by := map[string]float64{}
	for i, e := range entries {
		by[e.ID] = seconds[i]
	}
	return by, errors.Join(errs...)
}

// newBoard counts the verdicts of cases. seconds are those that the runs of an experiment are expected to take on one thread, by its id,
// where they have not run and that is known.
func newBoard(cases []claims.Case, seconds map[string]float64) Board {
	papers := map[string][]claims.Case{}
	board := Board{Papers: []Paper{}, Score: claims.ScoreOf(claims.Verdicts(cases))}
	for _, j := range cases {
		key := j.Paper.Key
		if papers[key] == nil {
			board.Papers = append(board.Papers, Paper{ID: key, Title: j.Paper.Title, Page: j.Paper.Page})
		}
		papers[key] = append(papers[key], j)
	}
	slices.SortStableFunc(board.Papers, func(a, b Paper) int { return papers[a.ID][0].Paper.Year - papers[b.ID][0].Paper.Year })
	var rows sync.WaitGroup
	defer rows.Wait()
	for i := range board.Papers {
		p := &board.Papers[i]
		own := papers[p.ID]
		for _, j := range own {
			p.Experiments = append(p.Experiments, Experiment{j.ID, claims.ScoreOf(j.Verdicts)})
		}
		verdicts := claims.Verdicts(own)
		p.Score = claims.ScoreOf(verdicts)
		groups := own[0].Paper.ByRow(verdicts)
		p.Rows = make([]Row, len(groups))
		for k, group := range groups {
			rows.Go(func() { p.Rows[k] = newRow(group, own, seconds) }) // the seeds that a verdict needs take a millisecond
			if group.Extension {
				board.Extensions++
			} else {
				board.Rows++
			}
		}
	}
	return board
}

// needOf returns what has to be done to have a data set; How is empty if nothing has.
func needOf(data string) Need {
	n := Need{Data: data}
	if _, err := datasets.Describe(data); err == nil && !datasets.Generated(data) {
		n.How = Fetch
		if datasets.Brought(data) {
			n.How = Bring
		}
	}
	return n
}

// newRow counts the verdicts of a row, which are on experiments of the cases.
func newRow(group claims.RowVerdicts, cases []claims.Case, seconds map[string]float64) Row {
	row := Row{ID: group.ID, Source: group.Source, What: group.What, Extension: group.Extension, Score: claims.ScoreOf(group.Verdicts)}
	var waiting []string
	for _, v := range group.Verdicts {
		row.Experiments = figures.AppendNew(row.Experiments, v.Experiment)
		switch {
		case v.Verdict == claims.Inconclusive && !v.Whole():
			row.inconclusive++
			if n := v.SeedsNeeded(); n > 0 {
				row.Settled++
				row.Seeds = max(row.Seeds, n)
			}
		case v.Verdict == claims.NotRun && !v.Whole() && !slices.Contains(waiting, v.Experiment):
			waiting = append(waiting, v.Experiment)
			row.Hours += seconds[v.Experiment] / 3600
			if n := needOf(claims.Of(cases, v.Experiment).Data); n.How != "" && !slices.Contains(row.Needs, n) {
				row.Needs = append(row.Needs, n)
			}
		}
	}
	return row
}

// open says what would settle the inconclusive claims of a row, and what those that have not run need: data, and time.
func (r Row) open() (parts []string) {
	if n := r.inconclusive; n > 0 {
		settling := "inconclusive: not decided by more seeds"
		if seeds := printed.Count(r.Seeds, "seed"); r.Settled == n {
			settling = "inconclusive: decided by " + seeds
		} else if r.Settled > 0 {
			settling = fmt.Sprintf("inconclusive: %d decided by %s", r.Settled, seeds)
		}
		parts = append(parts, settling)
	}
	var needs []string
	for _, how := range []string{Fetch, Bring} {
		if names := Needed(r.Needs, how); len(names) > 0 {
			needs = append(needs, how+" `"+strings.Join(names, "`, `")+"`")
		}
	}
	if r.Hours > 0 {
		needs = append(needs, "about "+printed.Duration(3600*r.Hours))
	}
	if len(needs) > 0 {
		parts = append(parts, "not run: "+strings.Join(needs, ", "))
	}
	return parts
}

// Needed lists the data of needs that are met in one way.
func Needed(needs []Need, how string) []string {
	var names []string
	for _, n := range needs {
		if n.How == how && !slices.Contains(names, n.Data) {
			names = append(names, n.Data)
		}
	}
	return names
}

// Markdown returns the scoreboard in Markdown: a table of classes over all papers, and one of rows for each paper. A count of claims
// that deviate links to the page that says why.
func (b Board) Markdown() string {
	var s strings.Builder
	fmt.Fprintf(&s, "Tables, figures and theorems: %d of %s%s.\n\n%s", b.Rows, printed.Count(len(b.Papers), "paper"), Extensions(b.Extensions), classTable(b.Score))
	for _, p := range b.Papers {
		fmt.Fprintf(&s, "\n%s\n\n| Row | Source | What is compared | Verdicts | Undecided |\n|---|---|---|---|---|\n", p.Sentence())
		for _, r := range p.Rows {
			fmt.Fprintf(&s, "| `%s` | %s | %s | %s | %s |\n", r.ID, r.Source, r.What, linked(r.Score, p.Page), strings.Join(r.open(), "; "))
		}
	}
	return s.String()
}

// Sentence says in Markdown what became of a paper's claims, and of our checks of it.
func (p Paper) Sentence() string {
	s := "**" + p.ID + "**"
	if p.Page != "" {
		s = "[" + s + "](" + p.Page + ")"
	}
	if p.Title != "" {
		s += ", " + p.Title
	}
	s += ": " + p.Score.Papers().Sentence() + "."
	if n := p.Score.Checks(); n.Claims > 0 {
		s += fmt.Sprintf(" Our own checks: %d, %s.", n.Claims, n.Prose())
	}
	return s
}

// linked writes a score; counts of claims that deviate link to the page that says why.
func linked(s claims.Score, page string) string {
	if page == "" {
		return s.String()
	}
	return deviating.ReplaceAllString(s.String(), "[$0]("+page+")")
}

var deviating = regexp.MustCompile(`\d+ ` + string(claims.Deviates))

// classTable returns a Markdown table with a row for each class.
func classTable(s claims.Score) string {
	cells := printed.Each(claims.Words, func(w claims.Word) string { return string(w) })
	text := fmt.Sprintf("| class | claims | %s |\n|---|%s\n", strings.Join(cells, " | "), strings.Repeat("--:|", len(cells)+1))
	for _, n := range s {
		cells := printed.Each(claims.Words, func(w claims.Word) string { return strconv.Itoa(n.Of(w)) })
		text += fmt.Sprintf("| %s | %d | %s |\n", n.Class, n.Claims, strings.Join(cells, " | "))
	}
	return text
}
