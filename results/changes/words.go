package changes

import (
	"fmt"
	"math"
	"slices"

	"repro/results/claims"
	"repro/results/printed"
	"repro/results/records"
)

// OfVerdict is the layer of what is made of equal bits: the numbers of claims and their verdicts.
const OfVerdict Layer = "verdict"

// A PlanWord is the verdict on the cells that a profile plans: on more seeds it can be another.
type PlanWord struct {
	Word  claims.Word `json:"word"`
	Cells int         `json:"cells"` // of all methods of the claim
}

// plan sets the verdicts on the planned seeds of claims whose methods have more.
func (s *Snapshot) plan(exp claims.Experiment, own []*records.Record) {
	planned := map[string]bool{}
	for _, p := range exp.Expected {
		planned[p.Cell] = true
	}
	recs := slices.DeleteFunc(slices.Clone(own), func(r *records.Record) bool { return !planned[r.Header.Cell] })
	if len(recs) == 0 || len(recs) == len(own) {
		return
	}
	for _, f := range claims.Find(exp, recs) {
		cells := len(f.Records)
		for i := range s.Numbers {
			if n := &s.Numbers[i]; n.Claim == f.Claim.ID && cells < len(cellsOf(f.Claim, s.Cells)) {
				n.Plan = PlanWord{f.Verdict.ByNumbers(), cells}
			}
		}
	}
}

// plans adds the verdicts on the planned seeds to numbers without one, from a snapshot with the same bits.
func (s *Snapshot) plans(exp claims.Experiment, from Snapshot) {
	own, bits := s.Cells.bits(), from.Cells.bits()
	for i := range s.Numbers {
		n := &s.Numbers[i]
		c := slices.IndexFunc(exp.Claims, func(c claims.Claim) bool { return c.ID == n.Claim })
		k := slices.IndexFunc(from.Numbers, func(m Number) bool { return m.Claim == n.Claim })
		if c < 0 || k < 0 || n.Plan != (PlanWord{}) {
			continue
		}
		other := func(x Cell) bool { return own[x.key()] != bits[x.key()] }
		if !slices.ContainsFunc(cellsOf(exp.Claims[c], s.Cells), other) {
			n.Plan = from.Numbers[k].Plan
		}
	}
}

// word returns the verdict on a claim on so many cells, empty if it is not known.
func (s Snapshot) word(c claims.Claim, cells int) claims.Word {
	for _, n := range s.Numbers {
		switch {
		case n.Claim != c.ID:
		case len(cellsOf(c, s.Cells)) == cells:
			return n.Word
		case n.Plan.Cells == cells:
			return n.Plan.Word
		}
	}
	return ""
}

// verdictShifts finds claims whose cells have the accepted bits, and whose numbers or verdicts are others all the same: what changed is how
// claims are measured or judged.
func verdictShifts(exp claims.Experiment, base, now Snapshot) []Shift {
	accepted, bits := base.Cells.bits(), now.Cells.bits()
	var all []Shift
	for _, c := range exp.Claims {
		cells := cellsOf(c, now.Cells)
		other := func(x Cell) bool { return x.Exempt || accepted[x.key()] != bits[x.key()] }
		if timed(c) || counted(c) || len(cells) == 0 || slices.ContainsFunc(cells, other) {
			continue
		}
		was, is := base.word(c, len(cells)), now.word(c, len(cells))
		why := base.remeasured(now, c.ID)
		if was != "" && is != "" && was != is {
			why = fmt.Sprintf("its verdict was %s and is %s", was, is)
		}
		if why != "" {
			all = append(all, Shift{Experiment: exp.ID, Method: c.Method, Metric: c.Metric, Layer: OfVerdict, Claim: c.ID, State: Regressed,
				Reason: fmt.Sprintf("the bits of claim %s are the accepted ones, and %s: how it is measured or judged changed", c.ID, why)})
		}
	}
	return all
}

// remeasured says which number of a claim is not the accepted one on a seed, beyond what another order of additions can make.
func (s Snapshot) remeasured(now Snapshot, claim string) string {
	for _, n := range now.Numbers {
		a := accepted(s.Numbers, n)
		if n.Claim != claim || a == nil || n.Joint != a.Joint || !slices.Equal(a.Seeds, n.Seeds) { // the window of a fit depends on all seeds
			continue
		}
		for i, seed := range n.Seeds {
			if was, is := a.Values[i], n.Values[i]; math.Abs(was-is) > rounding*max(math.Abs(was), math.Abs(is)) {
				return fmt.Sprintf("its number on seed %d was %s and is %s", seed, printed.Number(was), printed.Number(is))
			}
		}
	}
	return ""
}
