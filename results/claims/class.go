package claims

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
)

// A Class is the heading under which a claim is counted. Those of a paper have one sum (see Whose), with its parts beside it.
type Class string

// The classes that count, in the order of Classes, and those in which a claim is set apart.
const (
	PrintedNumber Class = "printed number" // a number of a run, or a mean of runs, that the paper prints
	Column        Class = "column"         // all cells of a column of printed numbers together: see columnKind
	Curve         Class = "curve"          // what a figure of the paper shows
	Statement     Class = "statement"      // a sentence of the text
	Theorem       Class = "theorem"        // an exponent, a bound or an order that the paper proves
	OwnClaim      Class = "own claim"      // a number that we derived, or a claim that is ours
	Extension     Class = "extension"      // of a row of the scoreboard that the paper does not have

	OtherData   Class = "on other data" // on data that the paper does not have
	Fitted      Class = "fitted"        // of a column to which we fitted a step or another setting
	Repeated    Class = "repeated"      // the number of another claim once more
	Description Class = "description"   // of what cannot fail

	Unclassified Class = "" // of a verdict that does not say its class
)

// Classes are all classes in the order in which they are shown.
var Classes = []Class{PrintedNumber, Column, Curve, Statement, Theorem, OwnClaim, Extension, OtherData, Fitted, Repeated, Description, Unclassified}

// NamedClasses are the classes that a spec may name.
func NamedClasses() []string {
	var names []string
	for _, c := range []Class{PrintedNumber, Curve, Statement, Theorem, OwnClaim, OtherData} {
		names = append(names, string(c))
	}
	return names
}

// Counts reports whether claims of the class count; the others are set apart.
func (c Class) Counts() bool { return slices.Index(Classes, c) <= slices.Index(Classes, Extension) }

// Whose claims are, in the words of a filter.
const (
	Papers = "papers" // what a paper prints, draws, states or proves, on its own data
	Ours   = "ours"   // our own checks: derived numbers, extensions, and counts that nothing learned can refute
	Apart  = "apart"  // on other data, of a fitted column, or on a number of another claim
)

// Whose says whose claims of the class are. Verdicts of earlier versions, which do not say their class, are taken for the papers'.
func (c Class) Whose() string {
	switch c {
	case OwnClaim, Extension, Description:
		return Ours
	case OtherData, Fitted, Repeated:
		return Apart
	}
	return Papers
}

// Of names n claims of the class, without the number, as in "theorems".
func (c Class) Of(n int) string {
	switch {
	case c == OtherData || c == Fitted || c == Repeated:
		return string(c)
	case c == Unclassified:
		c = "claim"
	}
	if n == 1 {
		return string(c)
	}
	return string(c) + "s"
}

// Short returns the class in at most ten letters, for a line that has little room.
func (c Class) Short() string {
	if short, ok := map[Class]string{PrintedNumber: "printed", Statement: "text", OtherData: "other data", Description: "described"}[c]; ok {
		return short
	}
	return string(c)
}

// proved finds in a source that something is proved there.
var proved = regexp.MustCompile(`\b(Thm|Theorem|Cor\.|Corollary|Lemma|Prop\.|Proposition)`)

// classOf returns the class of a claim, and why it is not the one that its number and its source give.
func (e Experiment) classOf(c Claim) (class Class, why string) {
	switch {
	case c.Describes() != "":
		return Description, c.Describes()
	case c.SameAs != "":
		return Repeated, "the number of " + c.SameAs
	case c.Fitted != "":
		return Fitted, c.Fitted
	case c.CountsAs != "":
		return Class(c.CountsAs), c.CountsWhy
	case e.Paper.lacks(e.Data):
		return OtherData, fmt.Sprintf("%s has no data set %s", e.Paper.Key, e.Data)
	case e.Paper.rowOfClaim(e.ID, c.ID).Extension:
		return Extension, ""
	}
	return c.class(), ""
}

// class returns the class that follows from a claim's number and from what it stands on.
func (c Claim) class() Class {
	switch runs, known := RunsOf(c.PublishedIs); {
	case c.Derived != "" || c.Ours != "":
		return OwnClaim
	case c.Kind == columnKind:
		return Column
	case c.Kind == curveKind:
		return Curve
	case c.Published != "" && !(known && math.IsInf(runs, 1)):
		return PrintedNumber
	case c.Published != "" || proved.MatchString(c.Source):
		return Theorem
	case c.Drawn != "" || c.Words == "" && strings.Contains(c.Source, "Fig."):
		return Curve
	}
	return Statement
}

// A Count counts verdicts, of one class where it is part of a Score.
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

// String lists the counts that are not zero in the order of Words, after the name of the class, as in "theorems: 4 reproduced, 1 deviates".
func (n Count) String() string {
	var parts []string
	for _, w := range Words {
		if k := n.Of(w); k > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", k, w))
		}
	}
	return n.Class.Of(n.Claims) + ": " + strings.Join(parts, ", ")
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

// Sentence says how many claims there are and what became of them, as in "of 4 claims 2 are reproduced, 1 deviates, 1 was not run".
func (n Count) Sentence() string {
	text, between := fmt.Sprintf("of %d claims ", n.Claims), ""
	switch n.Claims {
	case 0:
		return "no claim on its own data"
	case 1:
		text = "of one claim "
	}
	for _, w := range Words {
		k := n.Of(w)
		if k == 0 {
			continue
		}
		verb := map[bool]string{true: "is ", false: "are "}[k == 1]
		switch w {
		case Deviates, Failed:
			verb = ""
		case NotRun:
			verb = map[bool]string{true: "was ", false: "were "}[k == 1]
		}
		text += fmt.Sprintf("%s%d %s%s", between, k, verb, w.Verb(k))
		between = ", "
	}
	return text
}

// A Score counts verdicts by class, in the order of Classes, without classes that have none.
type Score []Count

// ScoreOf counts verdicts by class. A column of cells that are no printed numbers, or set apart, is in no class.
func ScoreOf(verdicts []Verdict) (s Score) {
	by := map[Class][]Verdict{}
	for _, v := range verdicts {
		if !v.Whole() || v.Class == Column {
			by[v.Class] = append(by[v.Class], v)
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

// Of returns the count of a class.
func (s Score) Of(c Class) Count {
	for _, n := range s {
		if n.Class == c {
			return n
		}
	}
	return Count{Class: c}
}

// Papers adds up the claims of the papers, Checks our own.
func (s Score) Papers() Count { return s.sum(Papers) }
func (s Score) Checks() Count { return s.sum(Ours) }

func (s Score) sum(whose string) (all Count) {
	for _, n := range s {
		if n.Class.Whose() == whose {
			all.Claims += n.Claims
			for _, w := range Words {
				*all.of(w) += n.Of(w)
			}
			all.Verdicts = append(all.Verdicts, n.Verdicts...)
		}
	}
	return all
}

// Counting returns the classes that count, and Apart the others.
func (s Score) Counting() Score { return s.where(true) }
func (s Score) Apart() Score    { return s.where(false) }

func (s Score) where(counts bool) Score {
	return slices.DeleteFunc(slices.Clone(s), func(n Count) bool { return n.Class.Counts() != counts })
}

// Any returns the number of claims of all classes with a verdict, for texts that say what is open. It is not a score.
func (s Score) Any(w Word) (n int) {
	for _, c := range s {
		n += c.Of(w)
	}
	return n
}

// String lists the counts, as in "printed numbers: 4 reproduced, 1 deviates; theorem: 1 reproduced".
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
