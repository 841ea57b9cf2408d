package changes

import (
	"fmt"
	"math"
	"slices"

	"repro/results/claims"
	"repro/results/printed"
	"repro/results/records"
	"repro/results/stats"
)

// NotRun is why a change is left out that has no runs; records.ByTime is another.
const NotRun = "neither side ran it"

// Exit statuses of a gate.
const (
	statusWorse         = 1 // or redefined
	statusUndecided     = 3
	statusNotComparable = 4
	statusFailed        = 5
)

// Status returns the exit status of one change.
func (c Change) Status() int {
	switch {
	case c.Failed:
		return statusFailed
	case c.State == records.Worse || len(c.Terms) > 0:
		return statusWorse
	case c.State == records.Undecided:
		return statusUndecided
	case c.State == records.NotComparable && c.LeftOut == "":
		return statusNotComparable
	}
	return 0
}

// rank orders changes from the worst on.
func (c Change) rank() int {
	switch {
	case c.Failed:
		return 0
	case len(c.Terms) > 0:
		return 1
	case c.LeftOut != "":
		return 2*len(records.Matches) + 2
	}
	return 2*slices.Index(records.Matches, c.State) + 2 + one(!c.Moved)
}

// Identical reports whether all cells of a change have the accepted bits.
func (c Change) Identical() bool { return c.State == records.Same && len(c.Cause) == 0 }

// A Change is the comparison of a claim's number with the accepted one. A number that does not exist is nil. Difference, Low
// and High are factors if Log is set, and so is Detectable.
type Change struct {
	Experiment string        `json:"experiment"`
	Claim      string        `json:"claim"`
	Rival      string        `json:"rival,omitempty"`
	Kind       string        `json:"kind"`
	What       string        `json:"what,omitempty"`
	State      records.Match `json:"state"`
	Failed     bool          `json:"failed,omitempty"`   // a run failed or diverged, and the accepted one did not
	Moved      bool          `json:"moved,omitempty"`    // it is the same, but certainly moved within its margin
	LeftOut    string        `json:"left_out,omitempty"` // why it does not count, empty if it does
	Reason     string        `json:"reason"`
	Terms      []Term        `json:"redefined,omitempty"`         // keys of the claim that are not the accepted ones, the loosened first
	ByNumber   records.Match `json:"by_accepted_claim,omitempty"` // of a redefined claim: what its number did by the accepted definition
	Accepted   *float64      `json:"accepted"`
	Now        *float64      `json:"now"`
	Log        bool          `json:"log,omitempty"`
	Difference *float64      `json:"difference"` // of now from accepted
	Low        *float64      `json:"low"`        // 95 % interval
	High       *float64      `json:"high"`
	Margin     float64       `json:"margin"`
	P          *float64      `json:"p"`          // that the number moved no more than the margin
	Holm       *float64      `json:"p_holm"`     // P adjusted for all changed numbers
	Detectable *float64      `json:"detectable"` // change that is found with probability stats.Power
	Relative   *float64      `json:"relative"`   // largest relative difference of a seed's value
	Seeds      int           `json:"seeds"`
	Fresh      *float64      `json:"p_fresh"`                    // P of the seeds beyond the first look alone
	WordBefore claims.Word   `json:"verdict_accepted,omitempty"` // on the same seeds and settings; empty if it was on others
	WordNow    claims.Word   `json:"verdict,omitempty"`
	Exact      bool          `json:"deterministic,omitempty"` // the methods are: no interval over seeds decides
	Cause      []string      `json:"cause,omitempty"`         // methods whose bits changed

	estimate  stats.Estimate // of the difference, on the scale of logarithms if Log is set
	margin    float64        // on the same scale
	aside     bool           // it would be left out, were the claim the accepted one
	worse     bool           // the difference is to the worse
	unchanged bool           // no seed's value changed, or all by less than a hundredth of the margin
	unbounded bool           // values of the two sides end at the curve's end on different seeds
	floor     float64        // up to which values are rounding errors
	rounding  bool           // the number is made of rounding errors only, accepted and now
	unproven  claims.Word    // the accepted verdict, if the claim was not reproduced
	curve     string         // of deterministic methods: where it moved
	lost      bool           // then: it got worse
	quiet     bool           // then: only rounding moved it
	rescaled  string         // why ratios are compared no more, or were not; empty if the scale is the accepted one
}

// Tested reports whether statistics decide the change.
func (c Change) Tested() bool { return c.P != nil }

// Options say how snapshots are compared.
type Options struct {
	Known  map[uint64]bool // seeds of the first look; the others are fresh
	Shared bool            // leave out the cells that only one side has

	anySettings bool // compare runs of different settings, for seeded faults in tests
}

// Compare compares the numbers of an experiment's claims with the accepted ones: those of every claim that the experiment
// has. It decides all states but those that statistics decide; Decide decides these.
func Compare(exp claims.Experiment, base, now Snapshot, o Options) []Change {
	before := map[string]Cell{}
	for _, c := range base.Cells {
		before[c.Cell] = c
	}
	judged, _ := base.judged(exp)
	var all []Change
	for _, claim := range judged.Claims {
		terms, foreign := base.terms(exp, claim.ID, now)
		var found []Change
		if runs(exp, claim) {
			found = compareClaim(judged, claim, base, now, before, foreign, o)
		} else if len(terms) > 0 {
			found = []Change{{Experiment: exp.ID, Claim: claim.ID, Kind: claim.Kind, State: records.NotComparable, LeftOut: NotRun, Reason: "the profile does not run its methods"}}
		}
		for _, c := range found {
			if c.Terms = terms; !c.Tested() {
				c.settle()
			}
			all = append(all, c)
		}
	}
	return all
}

// compareClaim compares the numbers of one claim. foreign says why they are not of the accepted claim, empty if they are.
func compareClaim(exp claims.Experiment, claim claims.Claim, base, now Snapshot, before map[string]Cell, foreign string, o Options) (all []Change) {
	d := directionOf(exp, claim)
	claim.Signed = exp.Metric(claim.Metric).Signed
	for _, n := range now.Numbers {
		if n.Claim != claim.ID || n.Joint && len(n.Seeds) < mostSeeds(now.Numbers, claim.ID) {
			continue
		}
		c := Change{Experiment: exp.ID, Claim: claim.ID, Rival: n.Rival, Kind: claim.Kind, What: n.What, Now: n.Mean, Margin: n.Margin, Log: n.Log, WordNow: n.Word}
		was := accepted(base.Numbers, n)
		if was != nil {
			if was.Word != claims.Reproduced {
				c.unproven = was.Word
			}
			c.floor, c.rounding = floors(base.Series).ofClaim(claim), rounds(claim, *was, n, base.Series, now.Series)
			if c.Exact = deterministic(exp, claim.Methods(), base.Cells, now.Cells, o.anySettings); c.Exact {
				d, c.quiet = d.ofOrder(claim, *was, base.Series), quiet(exp, claim, base, now)
				c.curve, c.lost = where(exp, claim, base, now)
			}
		}
		if was != nil && foreign != "" {
			c.State, c.Reason = records.NotComparable, foreign
		} else {
			c.compare(claim, d, was, n, cellsOf(claim, now.Cells), before, o)
		}
		if c.State == records.Worse || c.State == records.Undecided {
			c.Reason += c.curve
		}
		if doubts := n.doubts(claim, now); was == nil && c.State == records.NotComparable && doubts != "" {
			c.Reason += "; " + doubts
		}
		all = append(all, c)
	}
	return all
}

// mostSeeds returns the largest number of seeds of a claim's numbers.
func mostSeeds(all []Number, claim string) int {
	most := 0
	for _, n := range all {
		if n.Claim == claim {
			most = max(most, len(n.Seeds))
		}
	}
	return most
}

// accepted returns the accepted number that belongs to n: of a joint number, that of the same seeds. It is nil if there is
// none.
func accepted(all []Number, n Number) *Number {
	var found *Number
	for i := range all {
		a := &all[i]
		switch {
		case a.Claim != n.Claim || a.Rival != n.Rival && n.Why == "" && a.Why == "":
		case !a.Joint || slices.Equal(a.Seeds, n.Seeds):
			return a
		case found == nil || len(a.Seeds) > len(found.Seeds):
			found = a
		}
	}
	return found
}

// cellsOf returns the cells that a claim needs.
func cellsOf(c claims.Claim, cells []Cell) []Cell {
	methods := c.Methods()
	return slices.DeleteFunc(slices.Clone(cells), func(cell Cell) bool { return !slices.Contains(methods, cell.Method) })
}

// counted reports whether counted work takes part in the claim's number.
func counted(c claims.Claim) bool {
	return slices.ContainsFunc([]string{c.Metric, c.X, c.At.X}, func(name string) bool {
		a, _ := records.AbscissaOf(name)
		return a.Source == records.Counts
	})
}

// timed reports whether the clock takes part in the claim's number.
func timed(c claims.Claim) bool {
	return records.Timed(c.Metric) || records.Timed(c.X) || records.Timed(c.At.X)
}

// compare compares the number n of a claim with the accepted one, nil if there is none. before are the accepted cells.
func (c *Change) compare(claim claims.Claim, d direction, base *Number, n Number, cells []Cell, before map[string]Cell, o Options) {
	if base != nil {
		c.Accepted = base.Mean
		if slices.Equal(base.Seeds, n.Seeds) {
			c.WordBefore = base.Word
		}
	}
	if timed(claim) || slices.ContainsFunc(cells, func(x Cell) bool { return x.Exempt && (before[x.Cell].Exempt || before[x.Cell].Cell == "") }) {
		c.State, c.LeftOut, c.Reason = records.NotComparable, records.ByTime, "it depends on measured time"
		return
	}
	differ := c.causes(claim, cells, before, o)
	switch {
	case n.Word == claims.Failed && (base == nil || base.Word != claims.Failed):
		c.State, c.Failed, c.Reason = records.Worse, true, n.Why
	case n.Word == claims.NotRun && (base == nil || base.Why != ""):
		c.State, c.LeftOut, c.Reason = records.NotComparable, NotRun, n.Why
	case n.Word == claims.NotRun:
		c.State, c.Reason = records.NotComparable, n.Why
	case base == nil:
		c.State, c.Reason = records.NotComparable, "the claim is new: it has no accepted number"
	case differ != "":
		c.State, c.Reason, c.WordBefore = records.NotComparable, differ, ""
	case len(c.Cause) == 0:
		c.Accepted = c.Now // the accepted ones are of more seeds, if the baseline has more
		c.State, c.Reason = records.Same, fmt.Sprintf("the bits of %s are the accepted ones", printed.Count(len(cells), "run"))
	default:
		c.numbers(claim, d, *base, n, o)
	}
}

// causes sets the methods whose bits changed. It returns why the cells cannot be compared, empty if they can.
func (c *Change) causes(claim claims.Claim, cells []Cell, before map[string]Cell, o Options) string {
	settings, missing := "", ""
	shared := map[string]bool{}
	for _, x := range cells {
		_, ok := before[x.Cell]
		shared[x.Method] = shared[x.Method] || ok
	}
	for _, x := range cells {
		b, ok := before[x.Cell]
		switch {
		case !ok && !(o.Shared && shared[x.Method]):
			missing = x.Cell
		case !ok:
		case b.Settings != x.Settings && !o.anySettings:
			settings = x.Method
		case b.Values != x.Values || b.Settings != x.Settings || counted(claim) && b.Counts != x.Counts:
			if !slices.Contains(c.Cause, x.Method) {
				c.Cause = append(c.Cause, x.Method)
			}
		}
	}
	switch {
	case settings != "":
		return fmt.Sprintf("the settings of %s are not the accepted ones; if the spec changed on purpose, accept them", settings)
	case missing != "":
		return fmt.Sprintf("the reference results have no run %s; accept a check with as many seeds", missing)
	}
	return ""
}

// numbers compares two numbers of changed cells.
func (c *Change) numbers(claim claims.Claim, d direction, base, n Number, o Options) {
	switch {
	case c.quiet:
		c.State, c.Reason = records.Same, "bits changed by rounding only, at every point of the curve"
	case n.Why != "" && base.Why != "" && c.Exact && !c.lost:
		c.State, c.Moved, c.Reason = records.Same, true, "there is no number before or now, and no value got worse by more than the margin"+c.curve
	case n.Why != "" && base.Why != "":
		c.State, c.Reason = records.Undecided, "bits changed, and there is no number before or now: "+n.Why
	case n.Why != "" && base.Why == "" && c.lost:
		c.State, c.Reason = records.Worse, "there is no number now: "+n.Why
	case n.Why != "":
		c.State, c.Reason = records.Undecided, "there is no number now: "+n.Why
	case base.Why != "":
		c.State, c.Reason = records.NotComparable, "the reference results have no number: "+base.Why
	case n.Joint && !slices.Equal(base.Seeds, n.Seeds):
		c.State, c.Reason = records.NotComparable, fmt.Sprintf("its line is fitted to %s over all seeds, and the accepted one to other seeds; accept a run of the same seeds", c.What)
	case c.rounding:
		c.State, c.Reason = records.Same, "bits changed, and the accepted number and that now are made of rounding errors only"
	default:
		if err := c.align(claim, &base, &n); err != nil {
			c.State, c.Reason = records.Undecided, err.Error()
			return
		}
		c.test(d, base, n, o)
	}
}

// test makes the statistics of two numbers.
func (c *Change) test(d direction, base, n Number, o Options) {
	scale, back := func(v float64) float64 { return v }, func(v float64) float64 { return v }
	if n.Log {
		scale, back = math.Log, math.Exp
	}
	var diffs, fresh, was, is []float64
	relative, largest := 0.0, 0.0
	for i, seed := range n.Seeds {
		k := slices.Index(base.Seeds, seed)
		if k < 0 {
			continue
		}
		a, b := base.Values[k], n.Values[i]
		diff := scale(b) - scale(a)
		diffs, was, is = append(diffs, diff), append(was, scale(a)), append(is, scale(b))
		if largest = max(largest, math.Abs(diff)); a != b {
			relative = max(relative, math.Abs(b-a)/max(math.Abs(a), math.Abs(b)))
		}
		if len(o.Known) > 0 && !o.Known[seed] {
			fresh = append(fresh, diff)
		}
		if slices.Contains(base.Bounds, seed) != slices.Contains(n.Bounds, seed) {
			c.unbounded = true
		}
	}
	if c.Seeds = len(diffs); c.Seeds == 0 {
		c.State, c.Reason = records.NotComparable, "the reference results have none of its seeds"
		return
	}
	c.margin = n.scaled()
	c.estimate = stats.MeanInterval(diffs)
	c.unchanged = largest <= c.margin/unchangedShare
	c.Relative = &relative
	from, to := stats.MeanInterval(was).Mean, stats.MeanInterval(is).Mean
	switch {
	case n.Log && d.exact && d.target > 0:
		d.target = math.Log(d.target)
	case n.Log && d.exact:
		d = direction{worse: 1} // what is positive lies above a number that is not
	}
	c.worse = d.worsened(from, to, func(from, to float64) bool { return math.Abs(to-from) > c.margin })
	shown := func(v float64) *float64 { return records.Value(back(v)) }
	c.Accepted, c.Now, c.Difference = shown(from), shown(to), shown(c.estimate.Mean)
	if c.Exact {
		c.decideExactly(base.Range, n.Range)
		return
	}
	p := 1.0
	if e := c.estimate; e.Bounded() {
		c.Low, c.High = shown(e.Low), shown(e.High)
		p = stats.Beyond(e, c.margin)
	}
	c.P = &p
	if len(fresh) > 1 {
		c.Fresh = c.confirmed(stats.MeanInterval(fresh))
	}
}

// confirmed returns P of the seeds of a second look alone, whose differences e estimates. It is 1 if they point the other way.
func (c *Change) confirmed(e stats.Estimate) *float64 {
	p := 1.0
	if (e.Mean > 0) == (c.estimate.Mean > 0) {
		p = stats.Beyond(e, c.margin)
	}
	return &p
}

// unchangedShare is the share of the margin within which all seeds must lie so that a number is the same whatever its
// interval, which one seed does not have.
const unchangedShare = 100
