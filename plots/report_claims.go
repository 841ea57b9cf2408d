package plots

import (
	"cmp"
	"fmt"
	"html"
	"html/template"
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
func (j judged) Accepted() string {
	low, high := j.Accept[0], j.Accept[1]
	if low == nil && high == nil {
		return ""
	}
	return fmt.Sprintf("%s to %s", bound(low, figures.Minus+"∞"), bound(high, "∞")) + j.UnitSign()
}

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

func bound(v *float64, unbounded string) string {
	if v == nil {
		return unbounded
	}
	return figures.Number(*v)
}

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

// A classCount counts the verdicts of one class.
type classCount struct {
	Class  string // in the words of a count
	Apart  bool   // it does not count
	Counts []wordCount
}

// classCounts returns, for each class, how many verdicts have each word that one has.
func classCounts(verdicts []claims.Verdict) (classes []classCount) {
	for _, n := range claims.ScoreOf(verdicts) {
		classes = append(classes, classCount{n.Class.Of(n.Claims), n.Class != claims.Unclassified && !n.Class.Counts(), wordCounts(n.Verdicts)})
	}
	return classes
}

// shipped returns what came with the program on the claims of verdicts.
func shipped(verdicts []claims.Verdict) []claims.Verdict {
	known, _ := claims.Shipped(verdicts)
	return known.Verdicts
}

// A card is an experiment of the gallery: its figure with an edge in the colour of what was found.
type card struct {
	ID, Title, Conclusion string
	Class                 string // of the edge
	Counts                []wordCount
	Figure, ViewBox       string // of the drawing; empty if the experiment has none
	Sources               []sourceLink
}

// A sourceLink leads from what a figure reproduces to the figure.
type sourceLink struct{ Text, Figure string }

// A paperView is a block of the gallery and of the matrix of verdicts: a paper with its experiments.
type paperView struct {
	Key, Name, Title string
	Cards            []card
	Rows             []matrixRow
}

// A matrixRow is an experiment of the matrix, with a tile for each claim.
type matrixRow struct {
	ID            string
	Tiles         []judged
	Here, Shipped []classCount
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
	row := &matrixRow{ID: j.ID, Here: classCounts(j.Verdicts), Shipped: classCounts(shipped(j.Verdicts))}
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

// LocalSlope draws the slopes of both halves of a rate's window, with their intervals, over what the claim accepts: where they differ,
// the curve is no power law. It is empty for verdicts that are not inconclusive and for those without halves.
func (j judged) LocalSlope() template.HTML {
	if len(j.Halves) != 2 || j.Measured == nil || j.ByNumbers() != claims.Inconclusive {
		return ""
	}
	const width, height, label = 300.0, 90.0, 60.0
	low, high := *j.Measured, *j.Measured
	for _, h := range j.Halves {
		low, high = min(low, h.Low), max(high, h.High)
	}
	for _, end := range j.Accept {
		if end != nil {
			low, high = min(low, *end), max(high, *end)
		}
	}
	pad := max(0.1*(high-low), 1e-9)
	y := func(slope float64) float64 { return height * (high + pad - slope) / (high - low + 2*pad) }
	var b strings.Builder
	fmt.Fprintf(&b, `<svg viewBox="0 0 %g %g" width="%g" role="img" aria-label="local slope">`, width+label, height, width+label)
	band := func(x, w, from, to, opacity float64) {
		fmt.Fprintf(&b, `<rect x="%g" y="%.1f" width="%g" height="%.1f" fill="currentColor" opacity="%g"/>`, x, y(to), w, max(1, y(from)-y(to)), opacity)
	}
	ends := [2]float64{low - pad, high + pad}
	for i, end := range j.Accept {
		if end != nil {
			ends[i] = *end
		}
	}
	band(0, width, ends[0], ends[1], 0.1)
	for i, h := range j.Halves {
		x := float64(i) * width / 2
		band(x, width/2, h.Low, h.High, 0.3)
		fmt.Fprintf(&b, `<path d="M%g %.1fh%g" stroke="currentColor" stroke-width="2"/><text x="%g" y="%.1f" font-size="11" fill="currentColor">%s</text>`,
			x, y(h.Slope), width/2, x+4, y(h.Slope)-4, html.EscapeString(figures.PlainText(figures.Number(h.Slope))))
	}
	fmt.Fprintf(&b, `<path d="M0 %.1fh%g" stroke="currentColor" stroke-dasharray="4 3"/><text x="%g" y="%.1f" font-size="11" fill="currentColor">%s</text></svg>`,
		y(*j.Measured), width, width+4, y(*j.Measured)+4, html.EscapeString("all: "+figures.PlainText(figures.Number(*j.Measured))))
	return template.HTML(b.String())
}
