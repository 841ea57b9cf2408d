package claims

import (
	"fmt"
	"slices"
	"strings"
)

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
