package records

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"repro/results/printed"
)

// A DriftState is the result of comparing a cell with its baseline.
type DriftState string

const (
	Same            DriftState = "same"             // identical values
	Close           DriftState = "close"            // within the tolerance
	Drifted         DriftState = "drifted"          // not
	Missing         DriftState = "missing"          // no record, an interrupted one, or a skipped cell
	SettingsDiffer  DriftState = "settings differ"  // another run, so values cannot be compared
	NotReproducible DriftState = "not reproducible" // a budget in seconds: two runs may differ
)

// A Drift is the comparison of one cell with its baseline. Metric, Step, Base and Got are those of
// the largest relative difference, if values differ; nil stands for a number that is not finite or absent.
type Drift struct {
	Experiment string     `json:"experiment"`
	Cell       string     `json:"cell"`
	Profile    string     `json:"profile"`
	State      DriftState `json:"state"`
	Metric     string     `json:"metric,omitempty"`
	Step       int        `json:"step,omitempty"`
	Base       *float64   `json:"base,omitempty"`
	Got        *float64   `json:"got,omitempty"`
	Difference *float64   `json:"difference,omitempty"` // relative to the larger of the two
	Reason     string     `json:"reason"`
}

// Compare compares every cell of a baseline with the cell of the same experiment, name and profile
// in got, in the order of the baseline. Values may differ by tol relative to the larger; seconds are
// not compared. Cells that are only in got are left out.
func Compare(base, got *Store, tol float64) []Drift {
	found := map[[3]string]*Record{}
	for _, r := range got.Records {
		found[cellKey(r)] = r
	}
	drifts := make([]Drift, 0, len(base.Records))
	for _, b := range base.Records {
		h := b.Header
		d := Drift{Experiment: h.Experiment, Cell: h.Cell, Profile: h.Profile}
		d.compare(b, found[cellKey(b)], tol)
		drifts = append(drifts, d)
	}
	return drifts
}

func cellKey(r *Record) [3]string {
	return [3]string{r.Header.Experiment, r.Header.Cell, r.Header.Profile}
}

// compare fills in the outcome for two records; got may be nil.
func (d *Drift) compare(base, got *Record, tol float64) {
	switch {
	case got == nil:
		d.State, d.Reason = Missing, "no record of this cell at this profile"
	case got.Status() == Partial:
		d.State, d.Reason = Missing, "its run was interrupted; run it again to continue it"
	case base.Header.Digest != got.Header.Digest:
		d.State = SettingsDiffer
		d.Reason = "settings differ"
		if keys := differences(base.Header, got.Header); len(keys) > 0 {
			d.Reason += " in " + strings.Join(keys, ", ")
		}
	case got.Status() == Skipped && base.Status() != Skipped:
		d.State, d.Reason = Missing, "it was "+got.Ending()
	case base.Header.Provenance.Exempt != "":
		d.State, d.Reason = NotReproducible, base.Header.Provenance.Exempt
	case base.Status() != got.Status():
		d.State, d.Reason = Drifted, fmt.Sprintf("ended as %s, the baseline as %s", got.Ending(), base.Ending())
	default:
		d.values(base, got, tol)
	}
}

// values compares the values of two records point by point, and keeps the largest difference.
func (d *Drift) values(base, got *Record, tol float64) {
	if a, b := len(base.Points), len(got.Points); a != b {
		d.State, d.Reason = Drifted, fmt.Sprintf("has %d evaluations, the baseline %d", b, a)
		return
	}
	worst := 0.0
	for i, p := range base.Points {
		q := got.Points[i]
		if p.Step != q.Step {
			d.State, d.Reason = Drifted, fmt.Sprintf("evaluates at step %d, the baseline at %d", q.Step, p.Step)
			return
		}
		for _, m := range p.Metrics() {
			v, ok := q.Values[m]
			if !ok {
				d.State, d.Reason = Drifted, fmt.Sprintf("does not measure %s at step %d", m, p.Step)
				return
			}
			if diff := relative(p.Values[m], v); diff > worst {
				worst = diff
				d.Metric, d.Step, d.Base, d.Got, d.Difference = m, p.Step, p.Values[m], v, Value(diff)
			}
		}
	}
	switch {
	case worst == 0:
		d.State, d.Reason = Same, "identical values"
	case worst <= tol:
		d.State = Close
		d.Reason = fmt.Sprintf("differs by at most %s, tolerance %s", printed.Number(worst), printed.Number(tol))
	default:
		d.State = Drifted
		d.Reason = fmt.Sprintf("%s at step %d is %s, the baseline %s: differs by %s, tolerance %s",
			d.Metric, d.Step, text(d.Got), text(d.Base), printed.Number(worst), printed.Number(tol))
	}
}

// relative returns |a − b| over the larger magnitude; +Inf if only one is finite.
func relative(a, b *float64) float64 {
	switch {
	case a == nil && b == nil:
		return 0
	case a == nil || b == nil:
		return math.Inf(1)
	case *a == *b:
		return 0
	}
	return math.Abs(*a-*b) / math.Max(math.Abs(*a), math.Abs(*b))
}

// text writes a recorded value in full.
func text(v *float64) string {
	if v == nil {
		return "not finite"
	}
	return strconv.FormatFloat(*v, 'g', -1, 64)
}
