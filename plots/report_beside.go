package plots

import (
	"cmp"
	"path/filepath"
	"strings"

	"repro/plots/figures"
	"repro/results/claims"
	"repro/results/printed"
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
func newBesideView(run, other Run) *besideView {
	v := &besideView{Dir: filepath.ToSlash(other.Store.Dir), There: classCounts(other.Verdicts)}
	recs := 0
	for _, exp := range other.Experiments {
		recs += len(exp.Records(other.Store.Records))
	}
	v.Ran = printed.Count(len(other.Experiments), "experiment") + ", " + printed.Count(recs, "run")
	if p := claims.Profiles(other.Experiments); p != "" {
		v.Ran += " at profile " + p
	}
	alone := func(a, b Run, words string) {
		var ids []string
		for _, exp := range a.Experiments {
			if _, _, ok := b.of(exp.ID); !ok {
				ids = append(ids, exp.ID)
			}
		}
		if len(ids) > 0 {
			v.Notes = append(v.Notes, words+": "+strings.Join(ids, ", "))
		}
	}
	alone(run, other, "Not in "+v.Dir)
	alone(other, run, "Only in "+v.Dir)
	var changed, moved, same []besideRow
	there := index(other.Verdicts)
	here := index(run.Verdicts)
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
	for i, h := range run.Verdicts {
		if _, _, ok := other.of(h.Experiment); ok {
			add(&run.Verdicts[i], there[[2]string{h.Experiment, h.Claim}])
		}
	}
	for i, t := range other.Verdicts {
		if _, _, ok := run.of(t.Experiment); ok && here[[2]string{t.Experiment, t.Claim}] == nil {
			add(nil, &other.Verdicts[i])
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
