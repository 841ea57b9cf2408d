package plots

import (
	"cmp"
	"fmt"
	"strings"

	"repro/plots/figures"
	"repro/results/claims"
)

// A judged claim has the verdict of the runs at hand and the one that came with the program: a row of the table of claims, and a
// tile of the matrix. The methods give numbers as text.
type judged struct{ claims.Verdict }

// title returns a claim in words.
func title(v claims.Verdict) string { return cmp.Or(v.Statement, v.Claim) }

// Accepted returns the numbers that the claim accepts.
func (j judged) Accepted() string { return j.AcceptedText(figures.Number) }

// Label says what a tile shows, for people who do not see it.
func (j judged) Label() string {
	label := fmt.Sprintf("%s: %s", j.Claim, j.VerdictText())
	if j.Shipped != nil {
		label += fmt.Sprintf("; at the published size: %s", j.Shipped.VerdictText())
	}
	return label
}

// Here and There are the halves of a tile: above, the verdict of the runs at hand, and below, that at the published size.
func (j judged) Here() half  { return halfOf(&j.Verdict) }
func (j judged) There() half { return halfOf(j.Shipped) }

// marked returns the published or derived number of a claim, marked if it is derived.
func marked(v claims.Verdict) string { return figures.WithMinus(v.MarkedText()) }

// A wordCount is the number of claims with one verdict.
type wordCount struct {
	Word   claims.Word
	Called string // in words for people
	N      int
}

// wordCounts counts verdicts by what they are called.
func wordCounts(verdicts []claims.Verdict) (counts []wordCount) {
	for _, w := range claims.Words {
		for _, smaller := range []bool{true, false} {
			c := wordCount{Word: w}
			for _, v := range verdicts {
				if v.Verdict == w && v.Smaller == smaller {
					c.Called = v.Called()
					c.N++
				}
			}
			if c.N > 0 {
				counts = append(counts, c)
			}
		}
	}
	return counts
}

// A card is an experiment of the gallery: its figure with an edge in the colour of what was found.
type card struct {
	ID, Title, Conclusion string
	Class                 string      // of the edge
	Counts                []wordCount // of claims of the paper or, if there are none, of ours
	Ours                  bool
	Figure, ViewBox, X, Y string // of the drawing, with the words for its axes; empty if the experiment has none
	Sources               []sourceLink
}

// A sourceLink leads from what a figure reproduces to the figure.
type sourceLink struct{ Text, Figure string }

// A paperView is a block of the gallery and of the matrix of verdicts: a paper with its experiments.
type paperView struct {
	Key, Name, Title string
	Cards            []card
	Rows             []matrixRow

	cases []claims.Case
}

// Found says what became of the paper's claims, and of our checks.
func (p paperView) Found() string { return found(p.cases...) }

// Found says what became of the experiment's claims, here and at the published size, and of our checks.
func (e experimentView) Found() string { return found(e.Case) }

func found(cases ...claims.Case) string {
	s, text := claims.StandingOf(cases), ""
	for _, part := range sentence(s) {
		text += part.Text
	}
	for _, line := range beside(s) {
		text += " " + line + "."
	}
	return strings.Replace(text, " of the papers", "", 1)
}

// A matrixRow is an experiment of the matrix, with a tile for each claim.
type matrixRow struct {
	ID    string
	Tiles []judged
}

// A half is one verdict of a tile. It is hollow if the runs cannot be compared with the paper's.
type half struct {
	Word   claims.Word // empty if there is no verdict
	Hollow bool
}

// Mark returns the sign of the half's word.
func (h half) Mark() string {
	if h.Word == "" {
		return " "
	}
	return h.Word.Sign()
}

// Class returns the classes of the half.
func (h half) Class() string {
	c := class(h.Word)
	if h.Hollow {
		c += " hollow"
	}
	return c
}

// halfOf returns the half of a verdict.
func halfOf(v *claims.Verdict) half {
	if v == nil {
		return half{}
	}
	return half{Word: v.ByNumbers(), Hollow: v.Verdict == claims.NotComparable}
}

// newMatrixRow returns the row of an experiment, and nil if it has no claims.
func newMatrixRow(j claims.Case) *matrixRow {
	if len(j.Verdicts) == 0 {
		return nil
	}
	row := &matrixRow{ID: j.ID}
	for _, v := range j.Verdicts {
		row.Tiles = append(row.Tiles, judged{v})
	}
	return row
}

// shortName writes a paper as "Dai et al. 2014", and as its key if it has no authors.
func shortName(p claims.Paper, key string) string {
	family := func(name string) string { return name[strings.LastIndex(name, " ")+1:] }
	s := key
	switch n := len(p.Authors); {
	case n > 2:
		s = family(p.Authors[0]) + " et al."
	case n == 2:
		s = family(p.Authors[0]) + " and " + family(p.Authors[1])
	case n == 1:
		s = family(p.Authors[0])
	default:
		return s
	}
	if p.Year != 0 {
		s += fmt.Sprintf(" %d", p.Year)
	}
	return s
}
