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

// about says what the page is, and what its numbers in brackets are.
func about(cases []claims.Case) string {
	var papers []string
	for _, j := range inPaperOrder(cases) {
		if j.Paper.Title != "" {
			papers = figures.AppendNew(papers, shortName(j.Paper, path.Dir(j.ID)))
		}
	}
	whose := "claims"
	if n := len(papers); n > 0 {
		whose = "the claims of " + strings.Join(papers, ", ")
		if n > 1 {
			whose = fmt.Sprintf("the claims of %d papers (%s)", n, strings.Join(papers, ", "))
		}
	}
	return "This page tests " + whose + " with new runs of the experiments: a claim is reproduced if the runs agree with it, and deviates if they contradict it. " +
		"Square brackets hold the 95 % interval over seeds."
}

// A phrase is a part of the sentence on the first screen. One with a filter is a link that shows these claims in the table; Of is
// whose they are, empty if there are no others.
type phrase struct{ Text, Class, Filter, Of string }

// sentence says of how many claims what became.
func sentence(s claims.Standing) (parts []phrase) {
	if s.Sorted() == 0 {
		return []phrase{{Text: "The experiments have no claims."}}
	}
	whose := ""
	if s.Divided() {
		whose = claims.Papers
	}
	between := "Of " + s.Claims() + ", "
	add := func(text, filter string, w claims.Word) {
		parts = append(parts, phrase{Text: between}, phrase{text, class(w), filter, whose})
		between = ", "
	}
	for _, p := range claims.CountOf(slices.Concat(s.Holds, s.Deviates, s.Open, s.Other)).Parts() {
		add(p.Text, string(p.Word), p.Word)
	}
	if n := len(s.Smaller); n > 0 {
		verb := map[bool]string{true: "is", false: "are"}[n == 1]
		add(fmt.Sprintf("%d %s %s", n, verb, claims.SmallerRun), claims.SmallerRun, claims.NotComparable)
	}
	return append(parts, phrase{Text: "."})
}

// beside says what the published size gives on the claims of the sentence, and what became of the others.
func beside(s claims.Standing) (lines []string) {
	settled := slices.Concat(s.Holds, s.Deviates)
	if known, other := claims.Shipped(settled); known.Claims > 0 {
		same, of := known.Claims-other.Claims, printed.Count(len(settled), "decided claim")
		text := fmt.Sprintf("At the papers’ size %d of the %s have the same verdict", same, of)
		if same == len(settled) {
			text = map[bool]string{true: "The " + of + " has", false: "All " + of + " have"}[same == 1] + " the same verdict at the papers’ size"
		}
		lines = append(lines, text)
	}
	if there, _ := claims.Shipped(s.Smaller); there.Claims > 0 {
		lines = append(lines, fmt.Sprintf("The %d %s: %s at the papers’ size", len(s.Smaller), claims.SmallerRun, there.Prose()))
	}
	for _, line := range s.Beside() {
		lines = append(lines, capital(line))
	}
	return lines
}

// A command is a line for a terminal.
type command struct{ Words, Line string }

// paperSize is the profile at the published size.
const paperSize = "paper"

// A deviation is an experiment with claims that deviate: the first of them, and how many others do.
type deviation struct {
	judged
	More int
}

// mostDeviations is how many experiments with claims that deviate the first screen names.
const mostDeviations = 4

// deviations lists the experiments with claims that deviate.
func deviations(s claims.Standing) (all []deviation) {
	for _, group := range s.Deviating() {
		all = append(all, deviation{judged{group[0]}, len(group) - 1})
	}
	return all[:min(len(all), mostDeviations)]
}

// Next returns the command that says most after runs, and what it is about; the command is empty if nothing is left to do.
func Next(cases []claims.Case, say claims.Say) (words, line string) {
	s := claims.StandingOf(inPaperOrder(cases))
	for _, v := range slices.Concat(s.Smaller, s.Open, s.Other, s.Deviates) {
		e := claims.Of(cases, v.Experiment)
		switch n := v.SeedsNeeded(); {
		case v.Smaller:
			return "Next, one at the published size", e.Command(say, "run", "--profile", paperSize)
		case n > 0:
			return "Next, more seeds", e.MoreSeeds(say, n, append([]string{v.Method}, v.Against...))
		case v.Verdict != claims.Inconclusive && v.Because() == "":
			return "Next, the reasons", e.Command(say, "judge", "-v")
		}
	}
	return "", ""
}

// inPaperOrder sorts experiments by the year of their paper, those with its claims before those with checks of ours alone, and by the rows
// of its scoreboard. Papers without a year come last.
func inPaperOrder(cases []claims.Case) []claims.Case {
	row := func(e claims.Case) int {
		i := slices.IndexFunc(e.Paper.Rows, func(r claims.Row) bool { return r.Has(path.Base(e.ID)) })
		if i < 0 {
			return len(e.Paper.Rows)
		}
		return i
	}
	ours := func(e claims.Case) int { return min(1, claims.ScoreOf(e.Verdicts).Papers().Claims) }
	year := func(e claims.Case) int { return cmp.Or(e.Paper.Year, 1<<30) }
	sorted := slices.Clone(cases)
	slices.SortStableFunc(sorted, func(a, b claims.Case) int {
		return cmp.Or(year(a)-year(b), strings.Compare(path.Dir(a.ID), path.Dir(b.ID)), ours(b)-ours(a), row(a)-row(b))
	})
	return sorted
}

// quantity names what the numbers of a verdict are.
func quantity(v claims.Verdict) string {
	return cmp.Or(string(v.Quantity()), figures.AbscissaName(v.Metric))
}

// conclusion says in a sentence or two what an experiment found: how many of its claims hold, the first of them that do and the
// first that do not, with their numbers. It is empty for an experiment without claims.
func conclusion(j claims.Case) string {
	exp, verdicts := j.Experiment, j.Verdicts
	if len(verdicts) == 0 {
		return ""
	}
	by := map[claims.Word][]claims.Verdict{}
	atSize := false
	for _, v := range verdicts {
		w := v.ByNumbers()
		by[w] = append(by[w], v)
		atSize = atSize || v.Verdict == claims.NotComparable
	}
	held, failed := by[claims.Reproduced], by[claims.Deviates]
	where := ""
	if atSize {
		where = "At this run’s own size, "
	}
	s := capital(where + hold(verdicts))
	if f := findings(exp, held, 2, finding); f != "" {
		s += ": " + f
	}
	s += "."
	if f := findings(exp, failed, 1, shortfall); f != "" {
		s += " " + capital(f)
		if more := len(failed) - 1; more > 0 {
			s += fmt.Sprintf(", and %d more %s", more, map[bool]string{true: "deviates", false: "deviate"}[more == 1])
		}
		s += "."
	}
	return s
}

// hold says how many claims hold at the size that ran.
func hold(verdicts []claims.Verdict) string {
	var all []claims.Verdict
	for _, v := range verdicts {
		if v.Verdict = v.ByNumbers(); !v.ByCells() {
			all = append(all, v)
		}
	}
	switch n := claims.CountOf(all); {
	case n.Reproduced+n.Deviates == 0:
		return "nothing is decided: " + n.Sentence()
	case n.Claims == 1:
		return "the claim " + map[int]string{0: "does not hold", 1: "holds"}[n.Reproduced]
	case n.Reproduced == n.Claims:
		return fmt.Sprintf("all %d claims hold", n.Claims)
	case n.Reproduced == 0:
		return fmt.Sprintf("none of %d claims holds", n.Claims)
	default:
		return fmt.Sprintf("%d of %d claims hold", n.Reproduced, n.Claims)
	}
}

// findings writes n verdicts that have a measured number. Those with a number of the paper come first, single numbers of tables
// last, and a kind of claim that was not yet written before another of the same kind.
func findings(exp claims.Experiment, verdicts []claims.Verdict, n int, write func(claims.Experiment, claims.Verdict) string) string {
	rank := func(v claims.Verdict) int {
		switch {
		case v.Column != "":
			return 2
		case v.Number() == "":
			return 1
		}
		return 0
	}
	left := slices.DeleteFunc(slices.Clone(verdicts), func(v claims.Verdict) bool { return v.Measured == nil })
	var parts []string
	var kinds []string
	for len(parts) < n && len(left) > 0 {
		best := 0
		for i, v := range left {
			again, bestAgain := slices.Contains(kinds, v.Kind), slices.Contains(kinds, left[best].Kind)
			if bestAgain && !again || again == bestAgain && rank(v) < rank(left[best]) {
				best = i
			}
		}
		kinds, parts = append(kinds, left[best].Kind), append(parts, write(exp, left[best]))
		left = slices.Delete(left, best, best+1)
	}
	return strings.Join(parts, "; ")
}

// finding says what was found for a claim that holds.
func finding(exp claims.Experiment, v claims.Verdict) string {
	return said(exp, v, claims.KindOf(v.Kind).Holds)
}

// shortfall says what was found for a claim that deviates.
func shortfall(exp claims.Experiment, v claims.Verdict) string {
	if s := claims.KindOf(v.Kind).Deviates; s != "" {
		return said(exp, v, s)
	}
	return finding(exp, v) + ", which deviates"
}

// said fills in the words of a kind of claim.
func said(exp claims.Experiment, v claims.Verdict, words string) string {
	metric := figures.CurveName(exp, v.Metric)
	if v.Of.Best != "" {
		metric = "the best " + figures.AbscissaName(v.Of.Best)
	}
	return strings.NewReplacer(
		"{method}", shortLabel(exp, v.Method), "{rivals}", rivals(exp, v), "{metric}", metric,
		"{quantity}", string(v.Quantity()), "{number}", figures.Number(*v.Measured)+v.UnitSign(), "{paper}", besides(v),
	).Replace(words)
}

// besides returns the published number, or that computed by us, in brackets, and nothing if there is none.
func besides(v claims.Verdict) string {
	n, what := figures.Published(v), v.Origin()
	if n == "" {
		return ""
	}
	if (v.Accept[0] == nil) != (v.Accept[1] == nil) {
		what = "bound, " + what
	}
	return fmt.Sprintf(" (%s: %s)", what, n)
}

// rivals names the methods that a claim compares its own with.
func rivals(exp claims.Experiment, v claims.Verdict) string {
	var names []string
	for _, m := range v.Against {
		names = append(names, shortLabel(exp, m))
	}
	return strings.Join(names, " and ")
}

// shortLabel returns a method's name in legends without its settings, which begin at a comma or a bracket, unless another method
// of the experiment then has the same name.
func shortLabel(exp claims.Experiment, method string) string {
	short := func(label string) string {
		if at := strings.IndexAny(label, ",(:"); at > 0 {
			return strings.TrimSpace(label[:at])
		}
		return label
	}
	own := short(methodLabel(exp, method))
	for _, m := range exp.Methods {
		if m.ID != method && short(methodLabel(exp, m.ID)) == own {
			return methodLabel(exp, method)
		}
	}
	return own
}

// methodLabel returns a method's name in legends.
func methodLabel(exp claims.Experiment, method string) string {
	for _, m := range exp.Methods {
		if m.ID == method && m.Label != "" {
			return m.Label
		}
	}
	return method
}

// capital returns a text with a capital first letter, unless its first word is a symbol or a name with other capitals.
func capital(s string) string {
	word, _, _ := strings.Cut(s, " ")
	if s == "" || word != strings.ToLower(word) || len(word) < 2 {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}
