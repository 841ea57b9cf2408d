package changes

import (
	"fmt"
	"math"
	"slices"

	"repro/results/claims"
	"repro/results/records"
	"repro/results/stats"
)

// A Part names what differs between two versions of a claim's number.
type Part string

const (
	PartBits     Part = "bits"     // a cell with the same settings has other values: the program computes something else
	PartSettings Part = "settings" // a method of the claim, or its settings
	PartSeeds    Part = "seeds"
	PartWork     Part = "work" // counted work of a cell with the same settings
	PartClaim    Part = "claim"
	PartValue    Part = "value"
	PartInterval Part = "interval"
	PartVerdict  Part = "verdict"
)

// A Version is one accepted state of a claim's number. A number that does not exist is nil.
type Version struct {
	Verdict claims.Word `json:"verdict"`
	Value   *float64    `json:"value"`
	Low     *float64    `json:"low"` // 95 % interval over seeds
	High    *float64    `json:"high"`
	Seeds   int         `json:"seeds"`
	Work    *Work       `json:"work,omitempty"` // of the first seed of the claim's methods, summed
	Changed []Part      `json:"changed"`        // from the version before; empty for the first
	What    string      `json:"-"`              // the number in words
	Curve   *Curve      `json:"-"`              // nil if there is none

	terms  [4]string // of the claim
	cells  []Cell    // of the claim's methods
	log    bool      // changes are ratios
	margin float64   // on the scale of changes, 0 if it is unknown
}

// Versions returns the states of the claims of a snapshot, by claim, with the method that a claim is compared with after " against "
// if it has several numbers. Of returns the methods of a claim, nil if they are unknown: then all cells count as the claim's.
func (s Snapshot) Versions(of func(claim string) []string) map[string]Version {
	rivals := map[string]int{}
	for _, n := range s.Numbers {
		if n.whole(s.Numbers) {
			rivals[n.Claim]++
		}
	}
	all := map[string]Version{}
	for _, n := range s.Numbers {
		if !n.whole(s.Numbers) {
			continue
		}
		name := n.Claim
		if rivals[n.Claim] > 1 {
			name += " against " + n.Rival
		}
		methods := of(n.Claim)
		cells := slices.DeleteFunc(slices.Clone(s.Cells), func(c Cell) bool { return methods != nil && !slices.Contains(methods, c.Method) })
		v := n.version(cells)
		if d := s.Claims[n.Claim]; d != nil {
			v.terms[0] = claims.TextOf(d)
		}
		all[name] = v
	}
	return all
}

// whole reports whether a number is of all seeds of its claim, not of those of an early look.
func (n Number) whole(all []Number) bool { return !n.Joint || len(n.Seeds) == mostSeeds(all, n.Claim) }

func (n Number) version(cells []Cell) Version {
	v := Version{Verdict: n.Word, Value: n.Mean, Seeds: len(n.Values), cells: cells, Changed: []Part{}, What: n.What, Curve: n.Curve}
	if len(n.Values) > 0 {
		e := stats.MeanInterval(n.Values)
		if v.log = n.Log && !n.Joint && positive(n.Values); v.log {
			e = stats.GeometricInterval(n.Values)
		}
		if v.log == n.Log {
			v.margin = n.scaled()
		}
		v.Low, v.High = records.Value(e.Low), records.Value(e.High)
	}
	first := map[string]Cell{}
	for _, c := range cells {
		if f, ok := first[c.Method]; !ok || c.Seed < f.Seed {
			first[c.Method] = c
		}
	}
	if len(first) > 0 {
		v.Work = &Work{}
		for _, c := range first {
			v.Work.KernelEvals += c.Work.KernelEvals
			v.Work.FeatureEvals += c.Work.FeatureEvals
			v.Work.Flops += c.Work.Flops
			v.Work.Bytes += c.Work.Bytes
			v.Work.Memory += c.Work.Memory
		}
	}
	return v
}

// Ratio reports whether changes of the number are ratios.
func (v Version) Ratio() bool { return v.log }

// VersionOf returns the state of a claim with a verdict, which knows no cells.
func VersionOf(v claims.Verdict) Version {
	return Version{Verdict: v.ByNumbers(), Value: v.Measured, Low: v.Low, High: v.High, Seeds: v.Seeds, Changed: []Part{},
		terms: [...]string{v.Number(), v.Method, v.Metric, fmt.Sprint(v.Tolerance)}}
}

// Follow sets what a version changed of the one before, and reports whether that is anything.
func (v *Version) Follow(before Version) bool {
	v.Changed = []Part{}
	add := func(p Part, changed bool) {
		if changed {
			v.Changed = append(v.Changed, p)
		}
	}
	bits, settings, seeds, work := differ(before.cells, v.cells)
	add(PartBits, bits)
	add(PartSettings, settings)
	add(PartSeeds, seeds || before.Seeds != v.Seeds)
	add(PartWork, work)
	unknown := [len(v.terms)]string{} // of baselines of version 1
	add(PartClaim, before.terms != v.terms && before.terms != unknown && v.terms != unknown)
	value := !same(before.Value, v.Value)
	add(PartValue, value)
	add(PartInterval, !value && (!same(before.Low, v.Low) || !same(before.High, v.High)))
	add(PartVerdict, before.Verdict != v.Verdict)
	return len(v.Changed) > 0
}

// differ compares the cells of two versions.
func differ(before, now []Cell) (bits, settings, seeds, work bool) {
	was, methods := map[cellKey]Cell{}, map[string]bool{}
	for _, c := range before {
		was[c.key()] = c
		methods[c.Method] = true
	}
	found := 0
	for _, c := range now {
		b, ok := was[c.key()]
		if !ok {
			settings = settings || !methods[c.Method]
			seeds = seeds || methods[c.Method]
			continue
		}
		found++
		if b.Settings != c.Settings {
			settings = true
			continue
		}
		bits = bits || !c.Exempt && b.Values != c.Values
		work = work || !c.Exempt && b.Counts != c.Counts
	}
	if found < len(before) && !settings {
		seeds = true
	}
	return bits, settings, seeds, work
}

// same reports whether two numbers, nil if there are none, are equal.
func same(a, b *float64) bool { return a == b || a != nil && b != nil && *a == *b }

// Levels finds the change points of the values of versions, in the order of versions, with their index among them: on the
// logarithmic scale where changes of all versions are ratios, and weighted by the intervals over seeds. Versions without a value
// are left out, and a value that moved by less than a hundredth of the claim's margin has not
// changed.
func Levels(all []Version, s stats.Segments) []stats.ChangePoint {
	var values, spread []float64
	var at []int
	log := true
	for _, v := range all {
		log = log && (v.Value == nil || v.log && *v.Value > 0)
	}
	scale := func(v float64) float64 {
		if log {
			return math.Log(v)
		}
		return v
	}
	for i, v := range all {
		if v.Value == nil || math.IsInf(*v.Value, 0) || math.IsNaN(*v.Value) {
			continue
		}
		value, wide := scale(*v.Value), math.NaN()
		if v.Low != nil && v.High != nil {
			wide = scale(*v.High) - scale(*v.Low)
		}
		if n := len(values); n > 0 && v.log == log && math.Abs(value-values[n-1]) < v.margin/unchangedShare {
			value = values[n-1]
		}
		values, spread, at = append(values, value), append(spread, wide), append(at, i)
	}
	points := stats.ChangePoints(values, spread, s)
	for i := range points {
		p := &points[i]
		p.At = at[p.At]
		if log {
			p.Before, p.After = math.Exp(p.Before), math.Exp(p.After)
		}
	}
	return points
}

// VersionOfTime returns the state of a training time.
func VersionOfTime(e stats.Estimate) Version {
	return Version{Value: records.Value(e.Mean), Low: records.Value(e.Low), High: records.Value(e.High), Seeds: e.N, log: true}
}

// A Band is a mean curve with its 95 % interval over seeds.
type Band struct{ X, Y, Low, High []float64 }

// Band returns the means of a series at its steps, where all seeds have a finite value: geometric ones if all values are positive.
// One seed has no interval, and its own value in place of one.
func (s Series) Band() (b Band) {
	all := make([][]float64, len(s.Steps))
	log := true
	for k := range s.Steps {
		for i := range s.Seeds {
			v := s.of(i)[k]
			log = log && !(v <= 0)
			all[k] = append(all[k], v)
		}
	}
	for k, values := range all {
		if slices.ContainsFunc(values, func(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) }) {
			continue
		}
		e := stats.MeanInterval(values)
		if log {
			e = stats.GeometricInterval(values)
		}
		low, high := e.Low, e.High
		if !e.Bounded() {
			low, high = e.Mean, e.Mean
		}
		b.X, b.Y = append(b.X, float64(s.Steps[k])), append(b.Y, e.Mean)
		b.Low, b.High = append(b.Low, low), append(b.High, high)
	}
	return b
}
