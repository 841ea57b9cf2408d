package claims

import (
	"fmt"
	"path"
	"slices"
	"strings"
)

// A Tally counts claims by verdict.
type Tally struct {
	Claims        int `json:"claims"`
	Reproduced    int `json:"reproduced"`
	Deviates      int `json:"deviates"`
	Inconclusive  int `json:"inconclusive"`
	NotComparable int `json:"not_comparable"`
	NotRun        int `json:"not_run"`
	Failed        int `json:"failed"`
}

// TallyOf counts verdicts.
func TallyOf(verdicts []Verdict) Tally {
	var t Tally
	for _, v := range verdicts {
		t.Claims++
		*t.count(v.Verdict)++
	}
	return t
}

// Of returns the number of claims with the given verdict.
func (t Tally) Of(w Word) int { return *t.count(w) }

func (t *Tally) count(w Word) *int {
	switch w {
	case Reproduced:
		return &t.Reproduced
	case Deviates:
		return &t.Deviates
	case Inconclusive:
		return &t.Inconclusive
	case NotComparable:
		return &t.NotComparable
	case NotRun:
		return &t.NotRun
	case Failed:
		return &t.Failed
	}
	panic(fmt.Sprintf("claims: unknown verdict %q", w))
}

// Plus returns the sum of two tallies.
func (t Tally) Plus(u Tally) Tally {
	sum := Tally{Claims: t.Claims + u.Claims}
	for _, w := range Words {
		*sum.count(w) = t.Of(w) + u.Of(w)
	}
	return sum
}

// String lists the counts that are not zero in the order of Words, as in "4 reproduced, 1 deviates".
func (t Tally) String() string {
	var parts []string
	for _, w := range Words {
		if n := t.Of(w); n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, w))
		}
	}
	return strings.Join(parts, ", ")
}

// Complete returns a verdict on every claim of an experiment, of which only the id, the paper, the data and the claims need be set:
// of the given verdicts, or else that the claim was not run.
func Complete(exp Experiment, verdicts []Verdict) []Verdict {
	var all []Verdict
	for _, c := range exp.Claims {
		i := slices.IndexFunc(verdicts, func(v Verdict) bool { return v.Experiment == exp.ID && v.Claim == c.ID })
		if i >= 0 {
			all = append(all, verdicts[i])
			continue
		}
		v := newVerdict(exp, c)
		v.Verdict = NotRun
		all = append(all, v)
	}
	return all
}

// Gate returns the exit status of `repro verify --gate`: 0 all claims hold, 1 some deviate, 3 some
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

// A Debt is an inconclusive claim, with what would settle it if mean and spread stay as measured. What is not known is nil.
type Debt struct {
	Experiment string   `json:"experiment"`
	Claim      string   `json:"claim"`
	Seeds      int      `json:"seeds"`
	Needed     *int     `json:"seeds_needed"` // nil if no number of seeds would settle it
	Seconds    *float64 `json:"seconds"`      // of all the runs of that many seeds of the claim's methods
	Reason     string   `json:"reason"`
}

// Debts returns the inconclusive ones of verdicts on an experiment's claims, how many of them more seeds would settle, and the
// seconds that all of these runs take. seconds is the time of one seed of every method whose cost is known.
func Debts(exp Experiment, verdicts []Verdict, seconds map[string]float64) (debts []Debt, settled int, total float64) {
	most := map[string]int{} // seeds needed by method
	for _, v := range verdicts {
		if v.Experiment != exp.ID || v.Verdict != Inconclusive {
			continue
		}
		d := Debt{Experiment: v.Experiment, Claim: v.Claim, Seeds: v.Seeds, Reason: v.Reason}
		i := slices.IndexFunc(exp.Claims, func(c Claim) bool { return c.ID == v.Claim })
		if n := v.SeedsNeeded(); n > 0 && i >= 0 {
			settled++
			sum := 0.0
			for _, m := range exp.Claims[i].Methods() {
				sum += seconds[m] * float64(n)
				most[m] = max(most[m], n)
			}
			d.Needed, d.Seconds = &n, &sum
		}
		debts = append(debts, d)
	}
	for m, n := range most {
		total += seconds[m] * float64(n)
	}
	return debts, settled, total
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

// A Paired verdict stands beside the one at the published size on the same claim.
type Paired struct {
	Verdict
	Shipped *Verdict // nil if none came with the program
}

// Pair puts shipped verdicts beside those on the same claims.
func Pair(verdicts, shipped []Verdict) []Paired {
	known := map[[2]string]*Verdict{}
	for i, v := range shipped {
		known[[2]string{v.Experiment, v.Claim}] = &shipped[i]
	}
	all := make([]Paired, len(verdicts))
	for i, v := range verdicts {
		all[i] = Paired{v, known[[2]string{v.Experiment, v.Claim}]}
	}
	return all
}

// A Standing sorts the verdicts that count in some class by what their reader does next: nothing, look at the number, run more seeds,
// run the published size, or see why there is no verdict.
type Standing struct {
	Holds, Deviates, Open, Smaller, Other []Paired
}

// StandingOf sorts verdicts.
func StandingOf(all []Paired) (s Standing) {
	for _, p := range all {
		to := &s.Other
		switch {
		case p.Whole() && p.Class != Column: // counted cell by cell
			continue
		case p.Verdict.Verdict == Reproduced:
			to = &s.Holds
		case p.Verdict.Verdict == Deviates:
			to = &s.Deviates
		case p.Verdict.Verdict == Inconclusive:
			to = &s.Open
		case p.Smaller:
			to = &s.Smaller
		}
		*to = append(*to, p)
	}
	return s
}

// Deviating groups the verdicts that deviate by their experiments.
func (s Standing) Deviating() (groups [][]Paired) {
	for _, p := range s.Deviates {
		i := slices.IndexFunc(groups, func(g []Paired) bool { return g[0].Experiment == p.Experiment })
		if i < 0 {
			i, groups = len(groups), append(groups, nil)
		}
		groups[i] = append(groups[i], p)
	}
	return groups
}

// There counts the verdicts at the published size. Verdicts without one are left out.
func There(all []Paired) Tally {
	var there []Verdict
	for _, p := range all {
		if p.Shipped != nil {
			there = append(there, *p.Shipped)
		}
	}
	return TallyOf(there)
}

// Here returns the verdicts of the runs at hand.
func Here(all []Paired) []Verdict {
	here := make([]Verdict, len(all))
	for i, p := range all {
		here[i] = p.Verdict
	}
	return here
}

// SettledBySeeds returns how many of inconclusive verdicts more seeds would settle, and the most seeds that one of these needs.
func SettledBySeeds(all []Paired) (n, seeds int) {
	for _, p := range all {
		if k := p.SeedsNeeded(); k > 0 {
			n, seeds = n+1, max(seeds, k)
		}
	}
	return n, seeds
}

// Unlike returns those that have another word at the published size than at hand.
func Unlike(all []Paired) []Paired {
	return slices.DeleteFunc(slices.Clone(all), func(p Paired) bool { return p.Shipped == nil || p.Shipped.Verdict == p.Verdict.Verdict })
}

// Prose counts for a sentence what is reproduced, what deviates, and what is neither, as in "4 reproduced, 2 deviate, 1 open".
func (t Tally) Prose() string {
	var parts []string
	for _, n := range []struct {
		n    int
		word string
	}{{t.Reproduced, string(Reproduced)}, {t.Deviates, Deviates.Verb(t.Deviates)}, {t.Claims - t.Reproduced - t.Deviates, "open"}} {
		if n.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n.n, n.word))
		}
	}
	return strings.Join(parts, ", ")
}

// Verb returns the word for a sentence about n claims.
func (w Word) Verb(n int) string {
	if w == Deviates && n != 1 {
		return "deviate"
	}
	return string(w)
}
