package changes

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"

	"repro/results/claims"
	"repro/results/printed"
	"repro/results/records"
	"repro/results/stats"
)

// A Layer is what a gate compares.
type Layer string

const (
	OfClaims Layer = "claims" // what is made of equal bits: the numbers of claims and their verdicts
	OfCurves Layer = "curves" // every metric of a method, also those that no claim is about
	OfWork   Layer = "work"   // counts of operations
)

// A CurvePart is what a curve is tested for.
type CurvePart string

const (
	OfLevel  CurvePart = "level"  // a constant factor between the accepted curve and the one now
	OfShape  CurvePart = "shape"  // what is left between them after the best constant
	OfEnds   CurvePart = "ends"   // how many seeds diverge
	OfSeeds  CurvePart = "seeds"  // seeds with the same bits
	OfMeshes CurvePart = "meshes" // of a deterministic method: its values, one by one
	OfSteps  CurvePart = "steps"  // where a curve is evaluated, and of which metric
	OfBits   CurvePart = "bits"   // values that moved by more than rounding, whatever their mean did
)

// Margins of the layers, as shares: a level, or a shape at a step, that moves by less is no alarm, but a warning if it is certain.
const (
	curveMargin = 0.02
	workMargin  = 0.05
)

// rounding is the largest relative difference of values that another order of additions can make. It is above what Packed keeps.
const rounding = 1e-5

// A Shift is what a layer says of a method whose bits changed, where it has something to say. A size is a factor, or a share of the
// larger mean of the two sides if the metric has values of both signs, or zeros.
type Shift struct {
	Experiment string        `json:"experiment"`
	Method     string        `json:"method"`
	Metric     string        `json:"metric,omitempty"` // or the count, of the layer work
	Layer      Layer         `json:"layer"`
	Part       CurvePart     `json:"part,omitempty"`  // of a curve
	Claim      string        `json:"claim,omitempty"` // the first that needs the method
	State      records.Match `json:"state"`
	Moved      bool          `json:"moved,omitempty"` // it is the same, but certainly moved
	Reason     string        `json:"reason"`
	Share      bool          `json:"share,omitempty"` // Size is a share of the larger mean, and no factor
	Size       *float64      `json:"size"`
	Low        *float64      `json:"low"` // 95 % interval; of a shape for all steps together
	High       *float64      `json:"high"`
	Step       int           `json:"step,omitempty"` // of a shape: where it is farthest beyond its margin; -1 for the end
	Margin     float64       `json:"margin,omitempty"`
	P          *float64      `json:"p"`      // that it moved no more than the margin
	Holm       *float64      `json:"p_holm"` // P adjusted for all layers of all changed methods
	Seeds      int           `json:"seeds"`

	zero  float64 // p-value of no change at all
	mean  float64 // on the scale of the comparison
	fresh *Shift  // the same of the seeds beyond the first look alone
	worse bool
	what  string // the change in words
}

// Shifts compares the curves and the work of the methods of an experiment with the accepted ones. A method whose cells
// have the accepted bits has no shift of its own, nor has one with other settings, which its claims tell. Runs whose budget is in seconds are
// left out. DecideShifts decides the states.
func Shifts(exp claims.Experiment, base, now Snapshot, o Options) []Shift {
	all := verdictShifts(exp, base, now)
	for _, m := range exp.Methods {
		was, is := matched(base.Cells, now.Cells, m.ID, o.anySettings)
		if len(was) == 0 {
			continue
		}
		claim, first := "", len(all)
		for _, c := range slices.Backward(exp.Claims) {
			if slices.Contains(c.Methods(), m.ID) {
				claim = c.ID
			}
		}
		all = append(all, workShifts(was, is, base.Cells)...)
		if !slices.EqualFunc(was, is, func(a, b Cell) bool { return a.Values == b.Values }) {
			all = append(all, sameSeeds(was, is)...)
			x, exact := meshOf(exp, m.ID, base.Series), deterministic(exp, []string{m.ID}, base.Cells, now.Cells, o.anySettings)
			for _, s := range base.Series {
				switch {
				case s.Method != m.ID || exact && s.Metric == x:
				case exact:
					all = append(all, s.meshShifts(exp.Metric(s.Metric), base.Series, now.Series, x)...)
				default:
					all = append(all, s.shifts(exp.Metric(s.Metric).Better, now.Series, o.Known)...)
				}
			}
		}
		for i := range all[first:] {
			s := &all[first+i]
			s.Experiment, s.Method, s.Claim = exp.ID, m.ID, claim
		}
	}
	return all
}

// matched returns the cells of a method on both sides with the same name and settings. A failed run has no curve, and its claims tell.
func matched(base, now []Cell, method string, anySettings bool) (was, is []Cell) {
	for _, c := range now {
		if c.Method != method || c.Exempt || c.Status == records.Failed {
			continue
		}
		i := slices.IndexFunc(base, func(b Cell) bool {
			return b.Cell == c.Cell && b.Status != records.Failed && (anySettings || b.Settings == c.Settings)
		})
		if i >= 0 {
			was, is = append(was, base[i]), append(is, c)
		}
	}
	return was, is
}

// shifts compares a series with that of now.
func (s Series) shifts(better string, now []Series, known map[uint64]bool) []Shift {
	i := slices.IndexFunc(now, s.same)
	if i < 0 {
		return []Shift{{Metric: s.Metric, Layer: OfCurves, Part: OfSteps, State: records.Worse, Reason: s.Metric + " is not measured any more"}}
	}
	is := now[i]
	var all []Shift
	if k := len(is.passed); k > 0 {
		all = append(all, Shift{Metric: s.Metric, Layer: OfCurves, Part: OfSteps, State: records.Worse, Reason: fmt.Sprintf(
			"%s is not evaluated at %s, as it was: the steps of evaluations are others", s.Metric, printed.Count(k, "step"))})
	}
	whole := compareSeries(s, is, better, func(uint64) bool { return true })
	if len(known) > 0 {
		alone := compareSeries(s, is, better, func(seed uint64) bool { return !known[seed] })
		for i := range whole {
			k := slices.IndexFunc(alone, func(f Shift) bool { return f.Part == whole[i].Part })
			if k >= 0 && alone[k].Seeds > 1 {
				whole[i].fresh = &alone[k]
			}
		}
	}
	return append(all, whole...)
}

// compareSeries compares two series on the chosen seeds.
func compareSeries(was, is Series, better string, chosen func(seed uint64) bool) []Shift {
	p := pair(was, is, chosen)
	all := p.ends()
	if moved := p.largest(); moved > rounding && (len(p.diffs) > 1 || p.seeds == 1) {
		bits := Shift{Layer: OfCurves, Part: OfBits, State: records.Same, Moved: true, Seeds: len(p.diffs), Share: p.share, Size: records.Value(moved), Reason: "values moved by more than rounding"}
		if !p.share {
			bits.Size = records.Value(math.Exp(moved))
		}
		all = append(all, bits, p.level(better))
		if len(p.places) > 1 {
			all = append(all, p.shape())
		}
	}
	for i := range all {
		all[i].Metric = was.Metric
	}
	return all
}

// A pairing has two series of the same seeds at the same places: those that all seeds reach. A seed that diverged on either side is
// counted, and left out of the rest.
type pairing struct {
	steps    []int       // of the series
	places   []int       // indices of steps; len(steps) is the end
	was, is  [][]float64 // by seed and place: logarithms, or shares of the larger mean
	diffs    [][]float64 // is - was
	share    bool        // the scale is linear
	floor    float64     // records.Floor
	seeds    int         // in all
	lost     [2]int      // seeds that diverged: accepted, and now
	resolved []float64   // by place: the step to which the values on the scale are rounded, 0 if they are not
}

// pair pairs the chosen seeds of two series.
func pair(was, is Series, chosen func(seed uint64) bool) pairing {
	p := pairing{steps: was.Steps, floor: records.FloorOf(was.Single || is.Single)}
	at := make([]int, was.Places()) // the places of is; -1 for none
	for k, step := range was.Steps {
		at[k] = slices.Index(is.Steps, step)
	}
	at[len(was.Steps)] = len(is.Steps)
	var a, b [][]float64
	for i, seed := range was.Seeds {
		j := slices.Index(is.Seeds, seed)
		if j < 0 || !chosen(seed) {
			continue
		}
		p.seeds++
		x, all := was.of(i), is.of(j)
		y := make([]float64, len(at))
		for k, place := range at {
			if y[k] = math.NaN(); place >= 0 {
				y[k] = all[place]
			}
		}
		lost := [2]bool{slices.ContainsFunc(x, infinite), slices.ContainsFunc(y, infinite)}
		for side, l := range lost {
			if l {
				p.lost[side]++
			}
		}
		if lost == [2]bool{} {
			a, b = append(a, x), append(b, y)
		}
	}
	for k := range was.Places() {
		missing := func(row []float64) bool { return math.IsNaN(row[k]) }
		if !slices.ContainsFunc(a, missing) && !slices.ContainsFunc(b, missing) {
			p.places = append(p.places, k)
		}
	}
	if len(p.places) > 0 && len(a) > 0 {
		p.scale(a, b)
	}
	return p
}

func infinite(v float64) bool { return math.IsInf(v, 0) }

// scale sets the values on the scale of the comparison. It is that of logarithms, on which values below the floor of rounding are
// raised to it, unless a value is negative or only some seeds of a place have such small values. Then it is linear, in units
// of the mean magnitude at the place on the side where that is larger: one side may have only zeros.
func (p *pairing) scale(a, b [][]float64) {
	largest := 0.0
	for _, row := range slices.Concat(a, b) {
		for _, k := range p.places {
			largest = max(largest, math.Abs(row[k]))
		}
	}
	if largest == 0 {
		return // zero on both sides
	}
	floor := roundingFloor(p.floor, largest)
	for _, k := range p.places {
		for _, side := range [][][]float64{a, b} {
			small, negative := 0, false
			for _, row := range side {
				if row[k] <= floor {
					small++
				}
				negative = negative || row[k] < -floor
			}
			p.share = p.share || negative || small > 0 && small < len(side)
		}
	}
	for _, k := range p.places {
		unit := p.floor
		for _, side := range [][][]float64{a, b} {
			unit = max(unit, meanOf(of(side, func(row []float64) float64 { return math.Abs(row[k] / largest) })))
		}
		on := func(v float64) float64 {
			if p.share {
				return v / largest / unit
			}
			return math.Log(max(v, floor))
		}
		var x, y []float64
		for i := range a {
			x, y = append(x, on(a[i][k])), append(y, on(b[i][k]))
		}
		p.add(x, y)
	}
}

// add adds a place with the values of all seeds.
func (p *pairing) add(x, y []float64) {
	if len(p.was) == 0 {
		p.was, p.is, p.diffs = make([][]float64, len(x)), make([][]float64, len(x)), make([][]float64, len(x))
	}
	for i := range x {
		p.was[i], p.is[i], p.diffs[i] = append(p.was[i], x[i]), append(p.is[i], y[i]), append(p.diffs[i], y[i]-x[i])
	}
	p.resolved = append(p.resolved, resolution(x))
}

// resolution returns the smallest gap between values of which some are equal, as shares of a few rows are: the step to which they are
// rounded. It is 0 if no two are equal, or all are.
func resolution(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	gap, tied := math.Inf(1), false
	for i := range sorted[1:] {
		d := sorted[i+1] - sorted[i]
		if d == 0 {
			tied = true
		} else {
			gap = min(gap, d)
		}
	}
	if !tied || math.IsInf(gap, 1) {
		return 0
	}
	return gap
}

// largest returns the largest difference of a seed at a place.
func (p pairing) largest() float64 {
	most := 0.0
	for _, row := range p.diffs {
		for _, d := range row {
			most = max(most, math.Abs(d))
		}
	}
	return most
}

// estimate returns the interval of one number for each seed, given the step to which it is rounded.
func estimate(values []float64, step float64) stats.Estimate {
	e := stats.MeanInterval(values)
	if step > 0 && e.Bounded() {
		e = e.Rounded(step * math.Sqrt2) // of both sides
	}
	return e
}

// of returns a number for each seed.
func of(rows [][]float64, number func(row []float64) float64) []float64 {
	var all []float64
	for _, row := range rows {
		all = append(all, number(row))
	}
	return all
}

func meanOf(row []float64) float64 {
	sum := 0.0
	for _, v := range row {
		sum += v / float64(len(row))
	}
	return sum
}

// margin returns the margin of the curve on its scale: of shares, half the standard deviation of a seed if that is larger.
func (p pairing) margin(values []float64) float64 {
	if !p.share {
		return math.Log1p(curveMargin)
	}
	e := stats.MeanInterval(values)
	if !e.Bounded() {
		return curveMargin
	}
	return max(curveMargin, e.SD/2)
}

// twoSided returns the p-value that the expectation lies within ±margin, 1 if there is no interval.
func twoSided(e stats.Estimate, margin float64) float64 {
	if !e.Bounded() {
		return 1
	}
	return min(1, 2*stats.Beyond(e, margin))
}

// shift returns the shift that an estimate of a number with a margin is, one of several that are tested at once.
func (p pairing) shift(part CurvePart, e stats.Estimate, margin float64, tests int) Shift {
	s := Shift{Layer: OfCurves, Part: part, Share: p.share, Seeds: e.N, Margin: margin, mean: e.Mean}
	back := func(v float64) *float64 { return records.Value(v) }
	if !p.share {
		s.Share, s.Margin = false, math.Expm1(margin)
		back = func(v float64) *float64 { return records.Value(math.Exp(v)) }
	}
	s.Size = back(e.Mean)
	if e.Bounded() && e.N > 1 {
		t := distuv.StudentsT{Sigma: 1, Nu: float64(e.N - 1)}.Quantile(1 - (1-stats.Level)/2/float64(tests))
		half := t * e.SD / math.Sqrt(float64(e.N))
		s.Low, s.High = back(e.Mean-half), back(e.Mean+half)
	}
	s.P = records.Value(min(1, float64(tests)*twoSided(e, margin)))
	s.zero = min(1, float64(tests)*twoSided(e, 0))
	return s
}

// level compares the means of the curves over their places.
func (p pairing) level(better string) Shift {
	e := estimate(of(p.diffs, meanOf), slices.Max(p.resolved)/float64(len(p.places)))
	s := p.shift(OfLevel, e, p.margin(of(p.was, meanOf)), 1)
	s.worse = better != "smaller" && better != "larger" || (e.Mean > 0) == (better == "smaller")
	s.what = fmt.Sprintf("the whole curve moved, its mean over %s", printed.Count(len(p.places), "place"))
	return s
}

// shape compares what is left of the differences after the mean over the places. It tests all places at once, by the inequality
// of Bonferroni: that keeps its level for any dependence of the places and, with normal differences, for any number of seeds from two.
func (p pairing) shape() Shift {
	tests := len(p.places)
	var worst Shift
	for k, place := range p.places {
		e := estimate(of(p.diffs, func(row []float64) float64 { return row[k] - meanOf(row) }), p.resolved[k])
		s := p.shift(OfShape, e, p.margin(of(p.was, func(row []float64) float64 { return row[k] })), tests)
		where := "at the end"
		if s.Step = -1; place < len(p.steps) {
			s.Step, where = p.steps[place], fmt.Sprintf("at step %d", p.steps[place])
		}
		s.worse, s.what = true, "after the best constant, the curve moved "+where
		if k == 0 || cmp.Or(cmp.Compare(*s.P, *worst.P), cmp.Compare(s.zero, worst.zero)) < 0 {
			worst = s
		}
	}
	return worst
}

// ends compares how many seeds diverge: by the exact test of Fisher, which holds for independent sides, and pairs only agree more.
func (p pairing) ends() []Shift {
	a, b := p.lost[0], p.lost[1]
	if a == b {
		return nil
	}
	tail := fisher(max(a, b), min(a, b), p.seeds)
	return []Shift{{Layer: OfCurves, Part: OfEnds, Seeds: p.seeds, P: &tail, zero: tail, worse: b > a,
		what: fmt.Sprintf("%d of %s diverge, and %d did", b, printed.Count(p.seeds, "seed"), a)}}
}

// fisher returns twice the probability that one side has more events or more, and the other as many less, of n on each side.
func fisher(more, less, n int) float64 {
	choose := func(n, k int) float64 {
		a, _ := math.Lgamma(float64(n + 1))
		b, _ := math.Lgamma(float64(k + 1))
		c, _ := math.Lgamma(float64(n - k + 1))
		return a - b - c
	}
	total, p := more+less, 0.0
	for k := more; k <= min(n, total); k++ {
		p += math.Exp(choose(n, k) + choose(n, total-k) - choose(2*n, total))
	}
	return min(1, 2*p)
}

// sameSeeds finds a random stream that is used again: half of the seeds or more have the bits of another seed, and none had.
func sameSeeds(was, is []Cell) []Shift {
	if len(was) < 4 || distinct(was) < len(was) || 2*distinct(is) > len(is) {
		return nil
	}
	return []Shift{{Layer: OfCurves, Part: OfSeeds, State: records.Worse, Seeds: len(is), Reason: fmt.Sprintf(
		"%s have %s of values only, bit for bit, and all were different: the seed does not decide what it did", printed.Count(len(is), "seed"), printed.Count(distinct(is), "set"))}}
}

func distinct(cells []Cell) int {
	values := printed.Each(cells, func(c Cell) string { return c.Values })
	slices.Sort(values)
	return len(slices.Compact(values))
}

// workShifts compares the counts of the last points. A count that is the same in all accepted cells of the method is exact, and one
// seed is enough; the data decide the others, in steps: of one operation, or from one place where a run can end to the next.
func workShifts(was, is, accepted []Cell) []Shift {
	var all []Shift
	for k, name := range Counts {
		var ratios, logs []float64
		exact := !slices.ContainsFunc(accepted, func(c Cell) bool {
			return c.Method == was[0].Method && c.Settings == was[0].Settings && c.Work.list()[k] != was[0].Work.list()[k]
		})
		changed, from := false, false
		for i := range was {
			a, b := was[i].Work.list()[k], is[i].Work.list()[k]
			changed, from = changed || a != b, from || a == 0 && b != 0
			x, y := max(1, float64(a)), max(1, float64(b))
			ratios, logs = append(ratios, math.Log(y/x)), append(logs, math.Log(x), math.Log(y))
		}
		switch {
		case !changed:
		case from:
			all = append(all, Shift{Metric: name, Layer: OfWork, State: records.Worse, Seeds: len(ratios), Reason: name + " are counted, and there were none"})
		default:
			step := 0.0
			if !exact {
				step = max(math.Exp(-slices.Min(logs)), resolution(logs))
			}
			e := estimate(ratios, step)
			if exact && !e.Bounded() {
				e.SD = 0
			}
			s := pairing{}.shift("", e, math.Log1p(workMargin), 1)
			s.Layer, s.Metric, s.worse, s.what = OfWork, name, e.Mean > 0, name+" moved"
			all = append(all, s)
		}
	}
	return all
}
