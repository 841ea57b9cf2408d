package plots

import (
	"fmt"
	"slices"

	"repro/plots/figures"
	"repro/results/claims"
)

// A verdictView is a row of the table of claims.
type verdictView struct {
	claims.Verdict
	Title               string // of the claim, in words
	Published, Measured string
	Accepted            string
	Shipped             *claims.Verdict // at the published size; nil if none came with the program
	ShippedMeasured     string
}

// newVerdictView returns a verdict with its numbers as text.
func newVerdictView(v claims.Verdict, shipped *claims.Verdict) verdictView {
	view := verdictView{Verdict: v, Title: v.Statement, Published: marked(v), Measured: figures.Measured(v), Shipped: shipped}
	if view.Title == "" {
		view.Title = v.Claim
	}
	if low, high := v.Accept[0], v.Accept[1]; low != nil || high != nil {
		view.Accepted = fmt.Sprintf("%s to %s", bound(low, figures.Minus+"∞"), bound(high, "∞")) + v.UnitSign()
	}
	if shipped != nil {
		view.ShippedMeasured = figures.Measured(*shipped)
	}
	return view
}

// marked returns the published or derived number of a claim, marked if it is derived.
func marked(v claims.Verdict) string { return figures.WithMinus(v.MarkedText()) }

// effective returns the word at the size that ran if the runs cannot be compared with the paper's.
func effective(v claims.Verdict) claims.Word {
	if v.Verdict == claims.NotComparable && v.AtSize != "" {
		return v.AtSize
	}
	return v.Verdict
}

func bound(v *float64, unbounded string) string {
	if v == nil {
		return unbounded
	}
	return figures.Number(*v)
}

// A wordCount is the number of claims with one verdict.
type wordCount struct {
	Word claims.Word
	N    int
}

// of returns the verdicts on an experiment's claims.
func of(exp claims.Experiment, verdicts []claims.Verdict) []claims.Verdict {
	return slices.DeleteFunc(slices.Clone(verdicts), func(v claims.Verdict) bool { return v.Experiment != exp.ID })
}

// index returns verdicts by experiment and claim.
func index(verdicts []claims.Verdict) map[[2]string]*claims.Verdict {
	by := map[[2]string]*claims.Verdict{}
	for i, v := range verdicts {
		by[[2]string{v.Experiment, v.Claim}] = &verdicts[i]
	}
	return by
}

// wordCounts returns the counts of a tally that are not zero.
func wordCounts(t claims.Tally) []wordCount {
	var counts []wordCount
	for _, w := range claims.Words {
		if n := t.Of(w); n > 0 {
			counts = append(counts, wordCount{w, n})
		}
	}
	return counts
}
