// Package scores counts verdicts by paper and by the rows of its scoreboard.
package scores

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"repro/results/claims"
	"repro/results/printed"
)

// How the data of a claim that has not run comes to a machine.
const (
	Fetch = "fetch"
	Bring = "bring"
)

// An Entry is an experiment with claims that count.
type Entry struct {
	ID     string // paper/name
	Paper  claims.Paper
	Claims []string // ids
	Data   string   // the data set
	How    string   // Fetch or Bring, empty if nobody has to
}

// Extensions says how many rows are not in the papers, and is empty for none.
func Extensions(n int) string {
	if n == 0 {
		return ""
	}
	return " and " + printed.Count(n, "extension")
}

// A Board counts verdicts by paper and row. It is what `score --json` prints.
type Board struct {
	From       string       `json:"from"` // folder of the verdicts; empty for those that come with repro
	Papers     []Paper      `json:"papers"`
	Rows       int          `json:"rows"`       // of all papers, without extensions
	Extensions int          `json:"extensions"` // rows that the papers do not have
	Total      claims.Tally `json:"total"`
}

// A Paper is the part of a scoreboard about one paper.
type Paper struct {
	ID    string `json:"id"`
	Title string `json:"title"`
	Page  string `json:"page,omitempty"` // says why claims deviate
	claims.Tally
	Rows        []Row        `json:"rows"`
	Experiments []Experiment `json:"experiments"`
}

// An Experiment is the tally of one experiment.
type Experiment struct {
	ID string `json:"id"`
	claims.Tally
}

// A Row is one line of a scoreboard.
type Row struct {
	ID        string `json:"id"`
	Source    string `json:"source"`
	What      string `json:"what"`
	Extension bool   `json:"extension,omitempty"`
	claims.Tally
	Experiments []string `json:"experiments"`
	Settled     int      `json:"settled_by_seeds"` // of the inconclusive claims, those that more seeds would settle
	Seeds       int      `json:"seeds_needed"`     // the most that one of them needs
	Needs       []Need   `json:"needs,omitempty"`  // data of the claims that have not run
}

// A Need is a data set that an experiment has to have before it can run.
type Need struct {
	Data string `json:"data"`
	How  string `json:"how"` // fetch or bring, as list shows it
}

// New counts the verdicts on the claims of entries. A claim without a verdict has not run.
func New(entries []Entry, verdicts []claims.Verdict) Board {
	data := map[string]Need{}
	known := map[[2]string]claims.Verdict{}
	for _, v := range verdicts {
		known[[2]string{v.Experiment, v.Claim}] = v
	}
	papers := map[string]claims.Paper{}
	judged := map[string][]claims.Verdict{}
	board := Board{Papers: []Paper{}}
	for _, e := range entries {
		data[e.ID] = Need{e.Data, e.How}
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
		i := slices.IndexFunc(board.Papers, func(p Paper) bool { return p.ID == key })
		if i < 0 {
			i = len(board.Papers)
			board.Papers = append(board.Papers, Paper{ID: key, Title: e.Paper.Title, Page: e.Paper.Page})
		}
		p := &board.Papers[i]
		p.Experiments = append(p.Experiments, Experiment{e.ID, claims.TallyOf(own)})
	}
	slices.SortStableFunc(board.Papers, func(a, b Paper) int { return papers[a.ID].Year - papers[b.ID].Year })
	for i := range board.Papers {
		p := &board.Papers[i]
		p.Tally = claims.TallyOf(judged[p.ID])
		board.Total = board.Total.Plus(p.Tally)
		for _, group := range papers[p.ID].ByRow(judged[p.ID]) {
			p.Rows = append(p.Rows, newRow(group, data))
			if group.Extension {
				board.Extensions++
			} else {
				board.Rows++
			}
		}
	}
	return board
}

// newRow counts the verdicts of a row; data has the data sets of the experiments.
func newRow(group claims.RowVerdicts, data map[string]Need) Row {
	row := Row{ID: group.ID, Source: group.Source, What: group.What, Extension: group.Extension, Tally: claims.TallyOf(group.Verdicts)}
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
			if n := data[v.Experiment]; n.How != "" && !slices.Contains(row.Needs, n) {
				row.Needs = append(row.Needs, n)
			}
		}
	}
	return row
}

// settling says what would settle the inconclusive claims of a row, and is empty if it has none.
func (r Row) settling() string {
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

// Markdown returns the scoreboard as a Markdown table for each paper. A count of claims that deviate links to the page that
// says why; beside inconclusive claims is what would settle them, and beside those that have not run the data they need.
func (b Board) Markdown() string {
	var s strings.Builder
	fmt.Fprintf(&s, "%s of %s%s, %s: %v.\n", printed.Count(b.Rows, "row"), printed.Count(len(b.Papers), "paper"), Extensions(b.Extensions), printed.Count(b.Total.Claims, "claim"), b.Total)
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
func (r Row) words(page string) []string {
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
			for _, how := range []string{Fetch, Bring} {
				if names := Needed(r.Needs, how); len(names) > 0 {
					ways = append(ways, how+" `"+strings.Join(names, "`, `")+"`")
				}
			}
			text += " (" + strings.Join(ways, "; ") + ")"
		}
		parts = append(parts, text)
	}
	return parts
}

// MarkdownByExperiment returns the scoreboard as a Markdown table: a row for each experiment, for the sum of each paper and
// for the sum of all.
func (b Board) MarkdownByExperiment() string {
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
