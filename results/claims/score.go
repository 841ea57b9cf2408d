package claims

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"repro/results/printed"
)

// Complete returns the case of an experiment, of which only the id, the paper, the data and the claims need be set, without records: a
// claim that none of the verdicts is on was not run.
func Complete(exp Experiment, verdicts []Verdict) Case {
	j := Case{Experiment: exp}
	for _, c := range exp.Claims {
		i := slices.IndexFunc(verdicts, func(v Verdict) bool { return v.Experiment == exp.ID && v.Claim == c.ID })
		if i >= 0 {
			j.Verdicts = append(j.Verdicts, verdicts[i])
			continue
		}
		v := newVerdict(exp, c)
		v.Verdict = NotRun
		j.Verdicts = append(j.Verdicts, v)
	}
	return j
}

// Gate returns the exit status of `repro judge --gate`: 0 all claims hold, 1 some deviate, 3 some
// are inconclusive, 4 some were not run or are not comparable, 5 a run failed. exits has the meanings of all statuses.
//
// With several outcomes the first of 5, 1, 4, 3, 0 is the status. A failed run makes every other outcome doubtful. A
// deviation stands even if other cells are missing. A claim that was not compared says less than one that is inconclusive.
// Without any verdict the status is 4.
func Gate(verdicts []Verdict) int {
	status := map[Word]int{Reproduced: 0, Deviates: 1, Inconclusive: 3, NotComparable: 4, NotRun: 4, Failed: 5}
	if len(verdicts) == 0 {
		return status[NotRun]
	}
	worst := 0
	for _, v := range verdicts {
		s, ok := status[v.Verdict]
		if !ok {
			panic(fmt.Sprintf("claims: unknown verdict %q", v.Verdict))
		}
		worst = WorseStatus(worst, s)
	}
	return worst
}

// WorseStatus returns the worse of two statuses of a gate.
func WorseStatus(a, b int) int {
	order := []int{0, 3, 4, 1, 5} // from the mildest
	return order[max(slices.Index(order, a), slices.Index(order, b))]
}

// Headline returns the verdict with the one number of an experiment that matters most: the first claim that deviates, because
// a reader has to know; otherwise the first that is reproduced or inconclusive; otherwise the first that has a number. Specs
// list their main claim first. ok is false if no claim has a number.
func Headline(verdicts []Verdict) (v Verdict, ok bool) {
	for _, words := range [][]Word{{Deviates}, {Reproduced, Inconclusive}, Words} {
		i := slices.IndexFunc(verdicts, func(v Verdict) bool { return v.Measured != nil && slices.Contains(words, v.Verdict) })
		if i >= 0 {
			return verdicts[i], true
		}
	}
	return Verdict{}, false
}

// A Row is one line of the scoreboard: a table, figure, theorem or section of a paper, and the experiments that reproduce
// it. Experiments are named without their paper. Each belongs to the one row that names it, and its claims count there,
// unless another row takes them.
type Row struct {
	ID          string   `toml:"id" json:"id" must:"yes" doc:"short name, unique in the paper"`
	Source      string   `toml:"source" json:"source" must:"yes" doc:"where it is in the paper"`
	What        string   `toml:"what" json:"what" must:"yes" doc:"what is compared"`
	Experiments []string `toml:"experiments" json:"experiments,omitempty" doc:"names of the experiments, or patterns such as losses-*"`
	Takes       []string `toml:"takes" json:"takes,omitempty" doc:"claims of experiments of other rows, as patterns such as nets-*#*-final"`
	Extension   bool     `toml:"extension" json:"extension,omitempty" doc:"the paper does not have it"`
}

// Has reports whether an experiment, named without its paper, belongs to the row.
func (r Row) Has(experiment string) bool {
	return slices.ContainsFunc(r.Experiments, func(pattern string) bool { return matches(pattern, experiment) })
}

// Named reports whether a pattern names a claim: EXPERIMENT#CLAIM, or CLAIM for that of any experiment. Both parts may have *
// and ?.
func Named(pattern, experiment, claim string) bool {
	e, c, ok := strings.Cut(pattern, "#")
	if !ok {
		return matches(pattern, claim)
	}
	return matches(e, experiment) && matches(c, claim)
}

func matches(pattern, name string) bool {
	ok, err := path.Match(pattern, name)
	return ok && err == nil
}

// RowOf returns the row of an experiment, paper/name. If the paper has none for it, the experiment is a row of its own.
func (p Paper) RowOf(experiment string) Row {
	name := path.Base(experiment)
	for _, r := range p.Rows {
		if r.Has(name) {
			return r
		}
	}
	return Row{ID: name, Experiments: []string{name}}
}

// rowOfClaim returns the row in which a claim counts.
func (p Paper) rowOfClaim(experiment, claim string) Row {
	takes := func(pattern string) bool { return Named(pattern, path.Base(experiment), claim) }
	for _, r := range p.Rows {
		if slices.ContainsFunc(r.Takes, takes) {
			return r
		}
	}
	return p.RowOf(experiment)
}

// A RowVerdicts is a row with the verdicts that count in it.
type RowVerdicts struct {
	Row
	Verdicts []Verdict
}

// ByRow groups verdicts on claims of the paper by its rows: in the order of the rows, then those of experiments without a
// row. Rows without a verdict are left out.
func (p Paper) ByRow(verdicts []Verdict) []RowVerdicts {
	var groups []RowVerdicts
	for _, r := range p.Rows {
		groups = append(groups, RowVerdicts{Row: r})
	}
	for _, v := range verdicts {
		row := p.rowOfClaim(v.Experiment, v.Claim)
		i := slices.IndexFunc(groups, func(g RowVerdicts) bool { return g.ID == row.ID })
		if i < 0 {
			i = len(groups)
			groups = append(groups, RowVerdicts{Row: row})
		}
		groups[i].Verdicts = append(groups[i].Verdicts, v)
	}
	return slices.DeleteFunc(groups, func(g RowVerdicts) bool { return len(g.Verdicts) == 0 })
}

// A Standing sorts the verdicts on claims of papers or, without any, all others, by what their reader does next: nothing, look at the
// number, run more seeds, run the published size, or see why there is no verdict.
type Standing struct {
	Holds, Deviates, Open, Smaller, Other []Verdict

	Checks, Apart []Verdict // that are not sorted: Ours and Apart
	Own           bool      // without a claim of a paper: those sorted are checks of ours
}

// StandingOf sorts the verdicts of cases.
func StandingOf(cases []Case) (s Standing) {
	var papers []Verdict
	for _, j := range cases {
		for _, v := range j.Verdicts {
			switch {
			case v.ByCells():
			case v.Heading().Whose() == Papers || j.Paper.Title == "": // all claims of a spec of the user's own are sorted
				papers = append(papers, v)
			case v.Heading() == Ours:
				s.Checks = append(s.Checks, v)
			default:
				s.Apart = append(s.Apart, v)
			}
		}
	}
	if len(papers) == 0 {
		papers, s.Checks, s.Apart = slices.Concat(s.Checks, s.Apart), nil, nil
		s.Own = len(papers) > 0
	}
	for _, v := range papers {
		to := &s.Other
		switch {
		case v.Verdict == Reproduced:
			to = &s.Holds
		case v.Verdict == Deviates:
			to = &s.Deviates
		case v.Verdict == Inconclusive:
			to = &s.Open
		case v.Smaller:
			to = &s.Smaller
		}
		*to = append(*to, v)
	}
	return s
}

// Sorted returns how many claims are sorted.
func (s Standing) Sorted() int {
	return len(s.Holds) + len(s.Deviates) + len(s.Open) + len(s.Smaller) + len(s.Other)
}

// Divided reports whether there are claims that are not sorted: those that are, are then of papers.
func (s Standing) Divided() bool { return len(s.Checks)+len(s.Apart) > 0 }

// Claims counts the claims that are sorted, as in "4 claims of the papers", and says whose they are only if there may be others.
func (s Standing) Claims() string {
	if s.Own {
		return printed.Count(s.Sorted(), "check") + " of ours"
	}
	text := printed.Count(s.Sorted(), "claim")
	if s.Divided() {
		text += " of the papers"
	}
	return text
}

// Beside says what became of the claims that are not sorted, nothing if there are none.
func (s Standing) Beside() (lines []string) {
	if n := CountOf(s.Checks); n.Claims > 0 {
		lines = append(lines, fmt.Sprintf("our own checks: %d (%s)", n.Claims, n.Prose()))
	}
	if n := CountOf(s.Apart); n.Claims > 0 {
		lines = append(lines, fmt.Sprintf("not counted: %d (%s)", n.Claims, n.Prose()))
	}
	return lines
}

// Deviating groups the verdicts that deviate by their experiments.
func (s Standing) Deviating() (groups [][]Verdict) {
	for _, v := range s.Deviates {
		n := len(groups)
		if n == 0 || groups[n-1][0].Experiment != v.Experiment {
			groups = append(groups, nil)
			n++
		}
		groups[n-1] = append(groups[n-1], v)
	}
	return groups
}

// Shipped returns what came with the program on the claims of verdicts, at the published size, and how many of these have another word.
func Shipped(all []Verdict) (there Count, other Count) {
	var known, unlike []Verdict
	for _, v := range all {
		if v.Shipped == nil {
			continue
		}
		known = append(known, *v.Shipped)
		if v.Shipped.Verdict != v.Verdict {
			unlike = append(unlike, *v.Shipped)
		}
	}
	return CountOf(known), CountOf(unlike)
}

// Verb returns the word for a sentence about n claims.
func (w Word) Verb(n int) string {
	if w == Deviates && n != 1 {
		return "deviate"
	}
	return string(w)
}
