package plots

import (
	"cmp"
	"path/filepath"
	"strings"

	"repro/plots/figures"
	"repro/results/claims"
)

// A besideView compares the run of the report with another one.
type besideView struct {
	Dir   string
	Ran   string       // what the other run was
	There []classCount // its verdicts
	Parts []besidePart
	Notes []string // which experiments only one of the runs has
}

// A besidePart is the claims whose two verdicts differ, whose numbers differ, or that are equal.
type besidePart struct {
	Title string
	Open  bool
	Rows  []besideRow
}

// A besideRow is a claim with the verdicts of both runs; that of a run that has none is nil.
type besideRow struct {
	*claims.Verdict // the first of the two
	Here, There     *claims.Verdict
	Difference      string // here less there; empty if one of them is missing
	Apart           bool   // the intervals have no number in common
}

// fewRows is how many claims whose numbers differ are not folded.
const fewRows = 20

// newBesideView compares all claims of two runs.
func newBesideView(cases []claims.Case, other Run) *besideView {
	v := &besideView{Dir: filepath.ToSlash(other.Dir), There: classCounts(claims.Verdicts(other.Cases))}
	v.Ran = amount(other.Cases)
	alone := func(a, b []claims.Case, words string) {
		var ids []string
		for _, j := range a {
			if claims.Of(b, j.ID) == nil {
				ids = append(ids, j.ID)
			}
		}
		if len(ids) > 0 {
			v.Notes = append(v.Notes, words+": "+strings.Join(ids, ", "))
		}
	}
	alone(inPaperOrder(cases), other.Cases, "Not in "+v.Dir)
	alone(other.Cases, cases, "Only in "+v.Dir)
	var changed, moved, same []besideRow
	add := func(h, t *claims.Verdict) {
		row := newBesideRow(h, t)
		switch {
		case h == nil || t == nil || h.Verdict != t.Verdict || h.AtSize != t.AtSize:
			changed = append(changed, row)
		case figures.Measured(*h) != figures.Measured(*t) || row.Difference != "":
			moved = append(moved, row)
		default:
			same = append(same, row)
		}
	}
	for _, here := range cases {
		if there := claims.Of(other.Cases, here.ID); there != nil {
			for i, h := range here.Verdicts {
				add(&here.Verdicts[i], there.On(h.Claim))
			}
		}
	}
	for _, there := range other.Cases {
		if here := claims.Of(cases, there.ID); here != nil {
			for i, t := range there.Verdicts {
				if here.On(t.Claim) == nil {
					add(nil, &there.Verdicts[i])
				}
			}
		}
	}
	v.Parts = []besidePart{
		{"another verdict", true, changed},
		{"the same verdict and another number", len(changed)+len(moved) <= fewRows, moved},
		{"the same verdict and number", false, same},
	}
	return v
}

// newBesideRow returns the row of a claim from its two verdicts, one of which may be nil.
func newBesideRow(here, there *claims.Verdict) besideRow {
	row := besideRow{Verdict: cmp.Or(here, there), Here: here, There: there}
	if here == nil || there == nil || here.Measured == nil || there.Measured == nil || *here.Measured == *there.Measured {
		return row
	}
	d := *here.Measured - *there.Measured
	row.Difference = figures.Number(d) + here.UnitSign()
	if d > 0 {
		row.Difference = "+" + row.Difference
	}
	if here.Low != nil && here.High != nil && there.Low != nil && there.High != nil {
		row.Apart = *here.Low > *there.High || *there.Low > *here.High
	}
	return row
}
