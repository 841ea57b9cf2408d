package claims

import (
	"fmt"
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

// A Stake is the number of claims that an experiment makes.
type Stake struct {
	Experiment string // paper/name
	Claims     int
}

// Scores returns the tallies of the given experiments by their ids. Claims without a verdict count as not run.
func Scores(stakes []Stake, verdicts []Verdict) map[string]Tally {
	by := map[string][]Verdict{}
	for _, v := range verdicts {
		by[v.Experiment] = append(by[v.Experiment], v)
	}
	scores := map[string]Tally{}
	for _, s := range stakes {
		t := TallyOf(by[s.Experiment])
		if missing := s.Claims - t.Claims; missing > 0 {
			t.NotRun, t.Claims = t.NotRun+missing, s.Claims
		}
		scores[s.Experiment] = t
	}
	return scores
}
