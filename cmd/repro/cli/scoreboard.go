package cli

import (
	"fmt"
	"path"
	"slices"

	"repro/datasets"
	"repro/experiments"
	"repro/results/baseline"
	"repro/results/claims"
	"repro/results/printed"
)

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
	for _, j := range judgeAll(exps, store) {
		e := experiments.Entry{ID: j.exp.ID, Paper: claims.Paper{Key: path.Dir(j.exp.ID)}}
		if i := slices.IndexFunc(known, func(e experiments.Entry) bool { return e.ID == j.exp.ID }); i >= 0 {
			e = known[i]
		}
		if e.Claims = nil; e.Auxiliary || len(j.verdicts) == 0 {
			continue
		}
		for _, v := range j.verdicts { // which depend on the profile
			e.Claims = append(e.Claims, v.Claim)
		}
		entries, verdicts = append(entries, e), append(verdicts, j.verdicts...)
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
			n := need{data[v.Experiment], dataFetch}
			if brought(n.Data) {
				n.How = dataBring
			}
			if _, err := datasets.Describe(n.Data); err == nil && !generated(n.Data) && !slices.Contains(row.Needs, n) {
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
