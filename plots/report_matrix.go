package plots

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"repro/results/claims"
)

// A paperView is a block of the matrix of verdicts: a paper with its experiments.
type paperView struct {
	Key, Name string
	Rows      []matrixRow
}

// A matrixRow is an experiment of the matrix, with a tile for each claim.
type matrixRow struct {
	ID            string
	Tiles         []judged
	Here, Shipped []wordCount
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
	return verdictSigns[h.Word].mark
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
	return half{Word: effective(*v), Hollow: v.Verdict == claims.NotComparable}
}

// newMatrixRow returns the row of an experiment, and nil if it has no claims.
func newMatrixRow(exp claims.Experiment, verdicts, shipped []claims.Verdict) *matrixRow {
	if len(verdicts) == 0 {
		return nil
	}
	return &matrixRow{exp.ID, judge(verdicts, shipped), wordCounts(verdicts), wordCounts(shipped)}
}

// matrix returns the papers of the experiments that have claims, each once, in the order of their first experiments.
func matrix(exps []experimentView) []paperView {
	var papers []paperView
	for _, e := range exps {
		if e.Score == nil {
			continue
		}
		key := path.Dir(e.ID)
		at := slices.IndexFunc(papers, func(p paperView) bool { return p.Key == key })
		if at < 0 {
			at = len(papers)
			papers = append(papers, paperView{Key: key, Name: shortName(e.Paper, key)})
		}
		papers[at].Rows = append(papers[at].Rows, *e.Score)
	}
	return papers
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

// tiles returns the tiles of the claims that a figure names.
func (e experimentView) tiles(fig claims.Figure) (tiles []judged) {
	if e.Score == nil {
		return nil
	}
	for _, id := range fig.Claims {
		for _, t := range e.Score.Tiles {
			if t.Claim == id {
				tiles = append(tiles, t)
			}
		}
	}
	return tiles
}
