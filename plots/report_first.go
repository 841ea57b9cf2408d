package plots

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"repro/plots/figures"
	"repro/results/claims"
	"repro/results/printed"
)

// A phrase is a part of the sentence on the first screen. One with a filter is a link that shows these claims in the table; Of is
// whose they are, empty if there are no others.
type phrase struct{ Text, Class, Filter, Of string }

// sentence says what was run, what holds and what does not.
func sentence(cases []claims.Case, s claims.Standing) (parts []phrase) {
	settled := slices.Concat(s.Holds, s.Deviates)
	what := printed.Count(len(cases), "experiment")
	if p := claims.Profiles(cases); p != "" {
		what += " at profile " + p
	}
	if s.Sorted() == 0 {
		return []phrase{{Text: capital(what) + " without claims."}}
	}
	whose := ""
	if s.Divided() {
		whose = claims.Papers
	}
	before := fmt.Sprintf("Of %s in %s, ", s.Claims(), what)
	add := func(n int, words, filter string, w claims.Word, between string) {
		if n > 0 {
			parts = append(parts, phrase{Text: before}, phrase{fmt.Sprintf("%d %s", n, words), class(w), filter, whose})
			before = between
		}
	}
	is := func(n int) string { return map[bool]string{true: "is ", false: "are "}[n == 1] }
	add(len(s.Holds), is(len(s.Holds))+"reproduced", string(claims.Reproduced), claims.Reproduced, " and ")
	add(len(s.Deviates), claims.Deviates.Verb(len(s.Deviates)), string(claims.Deviates), claims.Deviates, ", ")
	if known, other := claims.Shipped(settled); known.Claims > 0 {
		before = fmt.Sprintf(", %d of %d as at the papers’ size; ", known.Claims-other.Claims, len(settled))
	} else if len(settled) > 0 {
		before = "; "
	}
	run := map[bool]string{true: "is of a smaller run", false: "are of smaller runs"}[len(s.Smaller) == 1]
	add(len(s.Smaller), run, claims.SmallerRun, claims.NotComparable, shippedAs(s.Smaller)+", ")
	add(len(s.Open), is(len(s.Open))+"inconclusive", string(claims.Inconclusive), claims.Inconclusive, ", ")
	for _, w := range []claims.Word{claims.NotComparable, claims.NotRun, claims.Failed} {
		n := claims.CountOf(s.Other).Of(w)
		add(n, is(n)+string(w), string(w), w, ", ")
	}
	end := strings.TrimRight(before, ",; ") + "."
	for _, line := range s.Beside() {
		end += " " + capital(line) + "."
	}
	return append(parts, phrase{Text: end})
}

// shippedAs counts the verdicts at the published size.
func shippedAs(all []claims.Verdict) string {
	there, _ := claims.Shipped(all)
	if there.Claims == 0 {
		return ""
	}
	return fmt.Sprintf(" (at the papers’ size %s)", there.Prose())
}

// A command is a line for a terminal.
type command struct{ Words, Line string }

// paperSize is the profile at the published size.
const paperSize = "paper"

// A deviation is an experiment with claims that deviate: the first of them, and how many others do.
type deviation struct {
	judged
	More int
	Why  string // the page that explains; empty if there is none
}

// mostDeviations is how many experiments with claims that deviate the first screen names.
const mostDeviations = 4

// deviations lists the experiments with claims that deviate.
func deviations(cases []claims.Case, s claims.Standing) (all []deviation) {
	for _, group := range s.Deviating() {
		d := deviation{judged: judged{group[0]}, More: len(group) - 1}
		if d.Shipped != nil {
			d.Why = claims.Of(cases, d.Experiment).Paper.Page
		}
		all = append(all, d)
	}
	return all[:min(len(all), mostDeviations)]
}

// next is the command that says most after these runs.
func next(cases []claims.Case, s claims.Standing, say claims.Say) *command {
	for _, v := range slices.Concat(s.Smaller, s.Open) {
		e := claims.Of(cases, v.Experiment)
		switch n := v.SeedsNeeded(); {
		case v.Smaller:
			return &command{"Next, one at the published size", e.Command(say, "run", "--profile", paperSize)}
		case n > 0:
			return &command{"Next, more seeds", e.MoreSeeds(say, n, append([]string{v.Method}, v.Against...))}
		}
	}
	return nil
}

// inPaperOrder sorts experiments by the year of their paper and by the rows of its scoreboard. Papers without a year come last.
func inPaperOrder(cases []claims.Case) []claims.Case {
	row := func(e claims.Case) int {
		i := slices.IndexFunc(e.Paper.Rows, func(r claims.Row) bool { return r.Has(path.Base(e.ID)) })
		if i < 0 {
			return len(e.Paper.Rows)
		}
		return i
	}
	year := func(e claims.Case) int { return cmp.Or(e.Paper.Year, 1<<30) }
	sorted := slices.Clone(cases)
	slices.SortStableFunc(sorted, func(a, b claims.Case) int {
		return cmp.Or(year(a)-year(b), strings.Compare(path.Dir(a.ID), path.Dir(b.ID)), row(a)-row(b))
	})
	return sorted
}

// quantity names what the numbers of a verdict are.
func quantity(v claims.Verdict) string {
	return cmp.Or(string(v.Quantity()), figures.AbscissaName(v.Metric))
}
