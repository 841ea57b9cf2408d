package claims

import (
	"cmp"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"

	"repro/results/printed"
)

// A Class says what a claim is. The claims of the papers have one sum (see Whose), with its classes beside it.
type Class string

const (
	Printed Class = "printed" // a number of a run, or a mean of runs, that the paper prints, and all cells of a column of them together
	Drawn   Class = "drawn"   // what a figure of the paper shows
	Stated  Class = "stated"  // a sentence of the text
	Proved  Class = "proved"  // an exponent, a bound or an order that the paper proves
	Ours    Class = "ours"    // what the paper does not say, a number that we derived, and what nothing learned could refute
	Apart   Class = "apart"   // the heading of claims that do not count, whatever their class: see Verdict.Uncounted

	Unclassified Class = "" // of a verdict that does not say its class
)

// Classes are all classes in the order in which they are shown.
var Classes = []Class{Printed, Drawn, Stated, Proved, Unclassified, Ours, Apart}

// NamedClasses are the classes that a spec may name.
func NamedClasses() (names []string) {
	for _, c := range Classes {
		if c != Unclassified {
			names = append(names, string(c))
		}
	}
	return names
}

// earlier has the classes of earlier versions, as they are called now: those of claims that do not count are not known.
var earlier = map[Class]Class{
	"printed number": Printed, "column": Printed, "curve": Drawn, "statement": Stated, "theorem": Proved,
	"own claim": Ours, "extension": Ours, "description": Ours, "on other data": Apart, "fitted": Apart, "repeated": Apart,
}

// Papers are the claims of the papers, in the words of a filter; the others are Ours and Apart.
const Papers = "papers"

// Whose says whose claims with the heading are. Verdicts of earlier versions, which do not say their class, are taken for the papers'.
func (c Class) Whose() string {
	if c == Ours || c == Apart {
		return string(c)
	}
	return Papers
}

// Heading returns the class under which a verdict is counted: Apart if it does not count.
func (v Verdict) Heading() Class {
	if v.Uncounted != "" {
		return Apart
	}
	return v.Class
}

// ByCells reports whether the verdict is on a column whose cells are counted in its place: all but printed numbers that count.
func (v Verdict) ByCells() bool { return v.Whole() && v.Heading() != Printed }

// proved finds in a source that something is proved there.
var proved = regexp.MustCompile(`\b(Thm|Theorem|Cor\.|Corollary|Lemma|Prop\.|Proposition)`)

// classify sets the class of the verdict on a claim, why it is not the one that the claim's number and source give, and why it does not count.
func (v *Verdict) classify(e Experiment, c Claim) {
	v.Class = c.class()
	switch as := Class(c.CountsAs); {
	case c.Describes() != "":
		v.Class, v.ClassWhy = Ours, c.Describes()
		return
	case c.SameAs != "":
		v.Uncounted = "the number of " + c.SameAs
	case c.Fitted != "":
		v.Uncounted = c.Fitted
	case as == Apart:
		v.Uncounted = c.CountsWhy
	case as != Unclassified:
		v.Class, v.ClassWhy = as, c.CountsWhy
		return
	case e.Paper.lacks(e.Data):
		v.Uncounted = fmt.Sprintf("%s has no data set %s", e.Paper.Key, e.Data)
	}
	if e.Paper.rowOfClaim(e.ID, c.ID).Extension {
		v.Class, v.ClassWhy = Ours, "the paper does not have it"
	}
}

// class returns the class that follows from a claim's number and from what it stands on.
func (c Claim) class() Class {
	switch runs, known := RunsOf(c.PublishedIs); {
	case c.Derived != "" || c.Ours != "":
		return Ours
	case c.Kind == columnKind:
		return Printed
	case c.Kind == curveKind:
		return Drawn
	case c.Published != "" && !(known && math.IsInf(runs, 1)):
		return Printed
	case c.Published != "" || proved.MatchString(c.Source):
		return Proved
	case c.Drawn != "" || c.Words == "" && strings.Contains(c.Source, "Fig."):
		return Drawn
	}
	return Stated
}

// A Count counts verdicts, of one heading where it is part of a Score.
type Count struct {
	Class         Class `json:"class"`
	Claims        int   `json:"claims"`
	Reproduced    int   `json:"reproduced"`
	Deviates      int   `json:"deviates"`
	Inconclusive  int   `json:"inconclusive"`
	NotComparable int   `json:"not_comparable"`
	NotRun        int   `json:"not_run"`
	Failed        int   `json:"failed"`

	Verdicts []Verdict `json:"-"` // that it counts
}

// CountOf counts verdicts.
func CountOf(verdicts []Verdict) Count {
	n := Count{Claims: len(verdicts), Verdicts: verdicts}
	for _, v := range verdicts {
		*n.of(v.Verdict)++
	}
	return n
}

// Of returns the number of claims with the given verdict.
func (n Count) Of(w Word) int { return *n.of(w) }

func (n *Count) of(w Word) *int {
	switch w {
	case Reproduced:
		return &n.Reproduced
	case Deviates:
		return &n.Deviates
	case Inconclusive:
		return &n.Inconclusive
	case NotComparable:
		return &n.NotComparable
	case NotRun:
		return &n.NotRun
	case Failed:
		return &n.Failed
	}
	panic(fmt.Sprintf("claims: unknown verdict %q", w))
}

// String lists the counts that are not zero in the order of Words, after the class, as in "proved: 4 reproduced, 1 deviates".
func (n Count) String() string {
	var parts []string
	for _, w := range Words {
		if k := n.Of(w); k > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", k, w))
		}
	}
	return cmp.Or(string(n.Class), "claims") + ": " + strings.Join(parts, ", ")
}

// Prose counts for a sentence what is reproduced, what deviates, and what is neither, as in "4 reproduced, 2 deviate, 1 undecided".
func (n Count) Prose() string {
	var parts []string
	for _, p := range []struct {
		n    int
		word string
	}{{n.Reproduced, string(Reproduced)}, {n.Deviates, Deviates.Verb(n.Deviates)}, {n.Claims - n.Reproduced - n.Deviates, "undecided"}} {
		if p.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", p.n, p.word))
		}
	}
	return strings.Join(parts, ", ")
}

// A Part says how many claims have a word, as in "2 are reproduced".
type Part struct {
	Word Word
	Text string
}

// Parts returns the parts of a sentence, in the order of Words.
func (n Count) Parts() (parts []Part) {
	for _, w := range Words {
		verb := map[bool]string{true: "is ", false: "are "}[n.Of(w) == 1]
		switch w {
		case Deviates, Failed:
			verb = ""
		case NotRun:
			verb = map[bool]string{true: "was ", false: "were "}[n.Of(w) == 1]
		}
		if k := n.Of(w); k > 0 {
			parts = append(parts, Part{w, fmt.Sprintf("%d %s%s", k, verb, w.Verb(k))})
		}
	}
	return parts
}

// Sentence says how many claims there are and what became of them, as in "of 4 claims 2 are reproduced, 1 deviates, 1 was not run".
func (n Count) Sentence() string {
	if n.Claims == 0 {
		return "no claim on its own data"
	}
	return "of " + printed.Count(n.Claims, "claim") + " " + strings.Join(printed.Each(n.Parts(), func(p Part) string { return p.Text }), ", ")
}

// A Score counts verdicts by heading, in the order of Classes, without those that have none.
type Score []Count

// ScoreOf counts verdicts by heading.
func ScoreOf(verdicts []Verdict) (s Score) {
	by := map[Class][]Verdict{}
	for _, v := range verdicts {
		if !v.ByCells() {
			by[v.Heading()] = append(by[v.Heading()], v)
		}
	}
	for _, c := range Classes {
		if len(by[c]) > 0 {
			n := CountOf(by[c])
			n.Class = c
			s = append(s, n)
		}
	}
	return s
}

// Of returns the count of a heading.
func (s Score) Of(c Class) Count {
	for _, n := range s {
		if n.Class == c {
			return n
		}
	}
	return Count{Class: c}
}

// Papers adds up the claims of the papers, Checks our own.
func (s Score) Papers() (all Count) {
	for _, n := range s {
		if n.Class.Whose() == Papers {
			all.Claims += n.Claims
			for _, w := range Words {
				*all.of(w) += n.Of(w)
			}
			all.Verdicts = append(all.Verdicts, n.Verdicts...)
		}
	}
	return all
}

func (s Score) Checks() Count { return s.Of(Ours) }

// Any returns the number of claims of all classes with a verdict, for texts that say what is open. It is not a score.
func (s Score) Any(w Word) (n int) {
	for _, c := range s {
		n += c.Of(w)
	}
	return n
}

// String lists the counts, as in "printed: 4 reproduced, 1 deviates; proved: 1 reproduced".
func (s Score) String() string {
	var parts []string
	for _, n := range s {
		parts = append(parts, n.String())
	}
	return strings.Join(parts, "; ")
}

// lacks reports whether the paper lists its data sets and the given one is not among them.
func (p Paper) lacks(data string) bool {
	return len(p.Data) > 0 && !slices.Contains(p.Data, data)
}
