package changes

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"repro/results/claims"
	"repro/results/printed"
	"repro/results/records"
	"repro/results/stats"
)

// OnMoved is what a gate may also fail on: values that moved by more than rounding, whatever their mean did.
const OnMoved = "moved"

// FailsOn returns the layers that fail a gate unless it is told otherwise, besides the claims.
func FailsOn() []string { return []string{string(OfCurves), string(OfWork)} }

// CheckFailsOn says what is wrong with a list of what a gate fails on.
func CheckFailsOn(all []string) error {
	for _, name := range all {
		if name != OnMoved && !slices.Contains(FailsOn(), name) {
			return fmt.Errorf("--fail-on has %q; want some of %s and %s", name, strings.Join(FailsOn(), ", "), OnMoved)
		}
	}
	return nil
}

// layerAlpha bounds the probability that a look at the layers gives an alarm where nothing moved beyond its margin. It is smaller
// than Alpha because nobody chose these curves to say something.
const layerAlpha = 0.01

// DecideShifts sets the states of shifts that statistics decide. P is adjusted for the shifts of all experiments as Holm does. A shift
// is Worse or Better if it is certainly beyond its margin, and Moved if it is certain and not certainly beyond. Those are the Same,
// as the others. Fresh seeds must show a change to the worse by themselves too, at the level Alpha.
func DecideShifts(all []Shift) {
	var tested []int
	var p, zero []float64
	for i, s := range all {
		if s.P != nil {
			tested, p, zero = append(tested, i), append(p, *s.P), append(zero, s.zero)
		}
	}
	zero = stats.Holm(zero)
	for k, adjusted := range stats.Holm(p) {
		s := &all[tested[k]]
		s.Holm = &adjusted
		s.decide(zero[k])
	}
}

// decide sets the state, given the adjusted p-value of no change at all.
func (s *Shift) decide(zero float64) {
	s.Reason = s.what
	if text := s.SizeText(); text != "" {
		s.Reason += fmt.Sprintf(": %s over %s, margin %s", text, printed.Count(s.Seeds, "seed"), s.MarginText())
	}
	s.State, s.Moved = records.Same, false
	confirmed := s.fresh == nil || *s.fresh.P <= Alpha && (s.fresh.mean > 0) == (s.mean > 0)
	switch {
	case *s.Holm <= layerAlpha && s.worse && confirmed:
		s.State = records.Worse
	case *s.Holm <= layerAlpha && s.worse:
		s.Moved, s.Reason = true, s.Reason+", which the fresh seeds alone do not show"
	case *s.Holm <= layerAlpha:
		s.State, s.Reason = records.Better, s.Reason+"; accept it, so that it is not lost again"
	case zero <= layerAlpha:
		s.Moved, s.Reason = true, s.Reason+": certain, and not certainly beyond the margin"
	case s.Seeds == 1 && math.Abs(s.mean) > rounding:
		s.Moved, s.Reason = true, s.Reason+"; one seed has no interval"
	}
}

// Fails reports whether a gate that fails on the given layers fails on the shift.
func (s Shift) Fails(on []string) bool {
	return s.State == records.Worse && (s.Layer == OfClaims || slices.Contains(on, string(s.Layer))) || s.Moved && slices.Contains(on, OnMoved)
}

// saysMore reports whether another part of the same curve is in a worse state, or surer.
func (s Shift) saysMore(than Shift) bool {
	if s.Layer != OfCurves || s.Part == OfBits || than.Part == OfBits || than.Layer != OfCurves ||
		s.Experiment != than.Experiment || s.Method != than.Method || s.Metric != than.Metric || s.Part == than.Part {
		return false
	}
	rank := func(s Shift) int { return 2*slices.Index(records.Matches, s.State) + one(!s.Moved) }
	p := func(s Shift) float64 {
		if s.P == nil {
			return -1 // certain
		}
		return *s.P
	}
	return cmp.Or(cmp.Compare(rank(s), rank(than)), cmp.Compare(p(s), p(than)), cmp.Compare(s.Part, than.Part)) < 0
}

// closeShifts drops the shifts that say nothing and, of a curve, all but the one that says most. It sets the status if the gate fails on one.
func (o *Outcome) closeShifts() {
	o.Shifts = slices.DeleteFunc(o.Shifts, func(s Shift) bool { return s.State == records.Same && !s.Moved })
	all := slices.Clone(o.Shifts)
	o.Shifts = slices.DeleteFunc(o.Shifts, func(s Shift) bool {
		return slices.ContainsFunc(all, func(t Shift) bool { return t.saysMore(s) })
	})
	if slices.ContainsFunc(o.Shifts, func(s Shift) bool { return s.Fails(o.FailOn) }) {
		o.Status = claims.WorseStatus(o.Status, statusWorse)
	}
}

// BareText names the experiments whose curves were not compared, empty if there are none.
func (o Outcome) BareText() string {
	if len(o.Bare) == 0 {
		return ""
	}
	return fmt.Sprintf("the reference results lack curves of %s, which are not compared; accept the experiment, which adds them", printed.List(o.Bare))
}

// level returns the level of an annotation of a shift, empty for none: methods whose values moved with their mean in place are listed
// in the output only.
func (o Outcome) level(s Shift) string {
	switch {
	case s.Fails(o.FailOn):
		return "error"
	case s.Part == OfBits:
		return ""
	case s.State == records.Better:
		return "notice"
	}
	return "warning"
}

// shiftsSummary counts the shifts by state, the worst first.
func (o Outcome) shiftsSummary() string {
	var parts []string
	n := map[records.Match]int{}
	for _, s := range o.Shifts {
		n[s.State] += one(s.Part != OfBits)
	}
	for _, state := range records.Matches {
		if n[state] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n[state], state)+movedWord(state == records.Same))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return "; curves and work: " + strings.Join(parts, ", ")
}

func one(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

// shiftsMarkdown adds a table of the shifts.
func (o Outcome) shiftsMarkdown(to *strings.Builder) {
	groups := ShiftGroups(o.Shifts)
	if slices.ContainsFunc(groups, func(g ShiftGroup) bool { return len(g.Shifts) > 0 }) {
		fmt.Fprintf(to, "\nCurves and work that changed:\n\n| experiment | %s |\n|---|---|---|---|---|---|---|---|\n", strings.Join(ShiftHead, " | "))
	}
	for _, g := range groups {
		for _, s := range g.Shifts {
			writeRow(to, append([]string{g.Experiment}, s.Row()...))
		}
	}
	for _, g := range groups {
		if text := g.MovedText(); text != "" {
			fmt.Fprintf(to, "\n%s: %s.\n", cell(g.Experiment), cell(text))
		}
	}
}

// shiftsJUnit adds a case for every shift on which the gate fails.
func (o Outcome) shiftsJUnit(all *junitSuites, place func(Change) (file string, line int)) {
	for _, s := range o.Shifts {
		i := slices.IndexFunc(all.Suites, func(suite junitSuite) bool { return suite.Name == s.Experiment })
		if i < 0 || !s.Fails(o.FailOn) {
			continue
		}
		k := junitCase{Name: s.Label(), Class: s.Experiment, Failure: &junitMessage{string(s.State), s.Reason}}
		k.File, k.Line = place(s.change())
		suite := &all.Suites[i]
		suite.Tests++
		suite.Failures++
		suite.Cases = append(suite.Cases, k)
	}
}

// change returns what places a shift in a spec: at the first claim that needs its method.
func (s Shift) change() Change {
	return Change{Experiment: s.Experiment, Claim: s.Claim, State: s.State, Moved: s.Moved, Reason: s.Reason}
}

// Word returns the state, with a warning if it moved.
func (s Shift) Word() string { return string(s.State) + movedWord(s.Moved) }

// movedWord says of what is the same that it moved.
func movedWord(moved bool) string {
	if moved {
		return " (moved)"
	}
	return ""
}

// about names what moved.
func (s Shift) about() string { return cmp.Or(string(s.Part), string(s.Layer)) }

// Label names the method, the metric and the layer of a shift.
func (s Shift) Label() string {
	if s.Metric == "" {
		return s.Method + ", " + s.about()
	}
	return fmt.Sprintf("%s, %s of %s", s.Method, s.about(), s.Metric)
}

// SizeText returns the size with its interval, empty if there is none.
func (s Shift) SizeText() string {
	return Change{Log: !s.Share, Difference: s.Size, Low: s.Low, High: s.High}.DifferenceText()
}

// MarginText returns the margin as sizes are written.
func (s Shift) MarginText() string { return Change{Log: !s.Share, Margin: s.Margin}.MarginText() }

// ShiftHead heads the columns of Shift.Row.
var ShiftHead = []string{"method", "what", "metric", "size [95 %]", "margin", "p (Holm)", "verdict"}

// Row returns the cells of a table of shifts.
func (s Shift) Row() []string {
	margin, p := "-", "-"
	if s.P != nil && s.Part != OfEnds || s.Part == OfMeshes {
		margin = s.MarginText()
	}
	if s.Holm != nil {
		p = printed.Digits(*s.Holm, 2)
	}
	return []string{s.Method, s.about(), printed.OrDash(s.Metric), printed.OrDash(s.SizeText()), margin, p, s.Word()}
}

// A ShiftGroup is the shifts of an experiment that need a reader, by layer, and the methods whose values moved.
type ShiftGroup struct {
	Experiment string
	Shifts     []Shift
	Moved      []string // methods with values that moved by more than rounding
}

// ShiftGroups groups shifts by experiment.
func ShiftGroups(all []Shift) []ShiftGroup {
	var groups []ShiftGroup
	for _, s := range all {
		if s.State == records.Same && !s.Moved {
			continue
		}
		i := slices.IndexFunc(groups, func(g ShiftGroup) bool { return g.Experiment == s.Experiment })
		if i < 0 {
			i, groups = len(groups), append(groups, ShiftGroup{Experiment: s.Experiment})
		}
		g := &groups[i]
		switch {
		case s.Part != OfBits:
			g.Shifts = append(g.Shifts, s)
		case !slices.Contains(g.Moved, s.Method):
			g.Moved = append(g.Moved, s.Method)
		}
	}
	for _, g := range groups {
		slices.SortStableFunc(g.Shifts, func(a, b Shift) int {
			return slices.Index(records.Matches, a.State) - slices.Index(records.Matches, b.State)
		})
	}
	return groups
}

// MovedText says which methods moved, empty if none did.
func (g ShiftGroup) MovedText() string {
	if len(g.Moved) == 0 {
		return ""
	}
	return fmt.Sprintf("values of %s moved by more than rounding: %s", printed.Count(len(g.Moved), "method"), strings.Join(g.Moved, ", "))
}

// A PlanWord is the verdict on the cells that a profile plans: on more seeds it can be another.
type PlanWord struct {
	Word  claims.Word `json:"word"`
	Cells int         `json:"cells"` // of all methods of the claim
}

// plan sets the verdicts on the planned seeds of claims whose methods have more.
func (s *Snapshot) plan(exp claims.Experiment, own []*records.Record) {
	further := exp.Unplanned(own)
	if len(further) == 0 || len(further) == len(own) {
		return
	}
	recs := slices.DeleteFunc(slices.Clone(own), func(r *records.Record) bool { return slices.Contains(further, r) })
	for _, v := range claims.Judge(exp, recs).Verdicts {
		cells := len(v.Records)
		for i := range s.Numbers {
			if n := &s.Numbers[i]; n.Claim == v.Claim && cells < len(cellsOf(v.Of, s.Cells)) {
				n.Plan = PlanWord{v.ByNumbers(), cells}
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
		if why == "" {
			continue
		}
		s := Shift{Experiment: exp.ID, Method: c.Method, Metric: c.Metric, Layer: OfClaims, Claim: c.ID, State: records.Worse,
			Reason: fmt.Sprintf("the bits of claim %s are the accepted ones, and %s: how it is measured or judged changed", c.ID, why)}
		if is == claims.Reproduced && now.Claims[c.ID][exactKey] != nil && base.Claims[c.ID][exactKey] == nil {
			s.State, s.Reason = records.Better, fmt.Sprintf("claim %s is said to be one of deterministic methods, and %s; accept it", c.ID, why)
		}
		all = append(all, s)
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
