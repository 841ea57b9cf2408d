// Package changes compares what the claims of an experiment measured with an accepted state of the program with what they
// measure now. It compares bits first: a claim whose cells have equal bits is identical, and no statistics are made.
// docs/guarding.md has the rule and its error rates.
package changes

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash"
	"maps"
	"math"
	"slices"

	"repro/results/claims"
	"repro/results/records"
	"repro/results/stats"
)

// Schema is the version of the format of snapshots. Version 1 had no definitions of claims.
const Schema = 2

// A Snapshot is what the records of an experiment at one profile say, without the records: the digest and the counted work
// of every cell, and the number of every claim on every seed.
type Snapshot struct {
	Schema          int      `json:"schema"`
	Experiment      string   `json:"experiment"`
	Profile         string   `json:"profile"`
	Commit          string   `json:"commit"`           // of the program that ran the cells, if it is known; of several, the last by seed
	ComparableSince string   `json:"comparable_since"` // the commit since which settings and claims are the same
	Cells           Cells    `json:"-"`                // by method and seed; files have Cells.Runs, which are much shorter
	Numbers         []Number `json:"numbers"`          // in the order of the claims
	Series          []Series `json:"series"`           // by method and metric

	Claims map[string]claims.Definition `json:"claims"` // what each claim said, by its id

	by map[string]claims.Definition // by which Retake measured numbers, where that is not Claims
}

// A Number is the number of a claim: a Measurement, or what is known where there is none.
type Number struct {
	Claim  string      `json:"claim"`
	Rival  string      `json:"rival,omitempty"` // the method that the claim's method is compared with
	Kind   string      `json:"kind"`
	What   string      `json:"what,omitempty"` // the number in words
	Word   claims.Word `json:"verdict"`        // by the numbers alone, if the runs are not the paper's
	Plan   PlanWord    `json:"plan,omitzero"`  // the verdict on the planned seeds, if there are more
	Margin float64     `json:"margin"`         // a difference of slopes, or else a share or, of numbers that are not positive, a difference

	Mean   *float64    `json:"mean,omitempty"`
	Log    bool        `json:"log,omitempty"`   // changes are ratios
	Joint  bool        `json:"joint,omitempty"` // values are pseudo-values of the jackknife over exactly these seeds
	Seeds  []uint64    `json:"seeds,omitempty"`
	Values []float64   `json:"values,omitempty"`
	Bounds []uint64    `json:"bounds,omitempty"` // seeds whose value is the end of the curve
	Curve  any         `json:"curve,omitempty"`  // of earlier versions; nothing reads it
	Range  *[2]float64 `json:"range,omitempty"`  // of orders with which a deterministic curve agrees
	Window *[2]float64 `json:"window,omitempty"` // in which its lines were fitted, where the claim leaves that to the curves
	Why    string      `json:"why,omitempty"`    // there is no number
}

// Take returns the snapshot of an experiment's records, without claims about methods that its profile does not run. A number
// whose values depend on all seeds is also measured on the first seeds of every look that has fewer, and on those of the plan.
func Take(exp claims.Experiment, recs []*records.Record) Snapshot {
	s := Snapshot{Schema: Schema, Experiment: exp.ID, Profile: exp.Profile, Claims: definitionsOf(exp)}
	j := claims.Judge(exp, recs)
	own := slices.SortedStableFunc(slices.Values(j.Records), records.ByMethodAndSeed)
	var latest uint64
	for _, r := range own {
		s.Cells = append(s.Cells, cellOf(r))
		if r.Header.Seed >= latest {
			latest, s.Commit = r.Header.Seed, r.Header.Provenance.KnownCommit()
		}
	}
	s.ComparableSince = s.Commit
	s.Series = takeSeries(exp, own, nil)
	for _, v := range j.Verdicts {
		if !runs(exp, v.Of) {
			continue
		}
		all := numbersOf(v)
		s.Numbers = append(s.Numbers, all...)
		if len(all) > 0 && all[0].Joint {
			if all[0].Window != nil {
				v.Of.Window = *all[0].Window
			}
			s.Numbers = append(s.Numbers, first(exp, v, all[0].Seeds)...)
		}
	}
	s.plan(exp, own)
	return s
}

// runs reports whether the experiment's profile runs all methods that a claim needs.
func runs(exp claims.Experiment, c claims.Claim) bool {
	return !slices.ContainsFunc(c.Methods(), func(id string) bool {
		return !slices.ContainsFunc(exp.Methods, func(m claims.Method) bool { return m.ID == id })
	})
}

// first measures the claim of a verdict on the first seeds of the plan, and of every look with fewer seeds than there are.
func first(exp claims.Experiment, v claims.Verdict, seeds []uint64) []Number {
	seeds = slices.Sorted(slices.Values(seeds))
	planned := 0
	for _, p := range exp.Expected {
		if p.Method == v.Of.Methods()[0] {
			planned++
		}
	}
	sizes := []int{planned}
	for _, look := range Looks {
		sizes = append(sizes, look.Seeds)
	}
	slices.Sort(sizes)
	exp.Expected = nil // the cells of the other seeds are not missing
	exp.Claims = []claims.Claim{v.Of}
	var all []Number
	for _, size := range slices.Compact(sizes) {
		if size == 0 || size >= len(seeds) {
			continue
		}
		var recs []*records.Record
		for _, r := range v.Records {
			if r.Header.Seed <= seeds[size-1] {
				recs = append(recs, r)
			}
		}
		for _, n := range numbersOf(claims.Judge(exp, recs).Verdicts[0]) {
			if n.Why == "" {
				all = append(all, n)
			}
		}
	}
	return all
}

// numbersOf returns the numbers of a verdict, or one that says why there are none.
func numbersOf(v claims.Verdict) []Number {
	n := Number{Claim: v.Claim, Kind: v.Kind, Word: v.ByNumbers()}
	if len(v.Numbers) == 0 {
		n.Why = v.Reason
		return []Number{n}
	}
	var all []Number
	for _, m := range v.Numbers {
		k := n
		k.Rival, k.What, k.Joint, k.Seeds, k.Values, k.Bounds = m.Rival, m.What, m.Joint, m.Seeds, m.Values, m.Bounds
		if m.Orders != nil {
			k.ofOrders(m, v.Records)
		}
		if k.Mean = records.Value(m.Mean); k.Mean == nil || len(k.Values) == 0 {
			k.Why, k.Mean, k.Seeds, k.Values = v.Reason, nil, nil, nil
		}
		if automatic(v.Of) && m.Orders == nil {
			k.Window = m.Window
		}
		k.Log = m.Log || v.Of.Quantity() == claims.OfMetric && !v.Of.Signed && positive(m.Values)
		k.Margin = margin(v.Of, k)
		all = append(all, k)
	}
	return all
}

// ofOrders sets the values of a number that the orders of a deterministic curve are: the same on every seed, none if they have not settled.
func (n *Number) ofOrders(m claims.Measurement, recs []*records.Record) {
	if m.Orders.Why != "" {
		return
	}
	n.Range = &[2]float64{m.Low, m.High}
	for _, r := range recs {
		n.Seeds, n.Values = append(n.Seeds, r.Header.Seed), append(n.Values, m.Mean)
	}
}

// Lacks reports whether a claim has no number because its runs are not all there.
func (s Snapshot) Lacks(claim string) bool {
	return slices.ContainsFunc(s.Numbers, func(n Number) bool {
		return n.Claim == claim && n.Word == claims.NotRun
	})
}

// automatic reports whether a claim leaves the window of its lines to the curves: with other seeds it can be another.
func automatic(c claims.Claim) bool {
	return claims.KindOf(c.Kind).Takes("window") && c.Window == [2]float64{} && c.Across == ""
}

func positive(values []float64) bool {
	return !slices.ContainsFunc(values, func(v float64) bool { return v <= 0 })
}

// A Cell is what a snapshot keeps of a record.
type Cell struct {
	Cell     string
	Method   string
	Seed     uint64
	Status   records.Status
	Exempt   bool   // two runs may differ, because the budget is in seconds
	Settings string // digest of the settings without the seed
	Values   string // digest of the bits of all values, with their steps
	Counts   string // digest of the counted work at every point
	Work     Work   // at the last point
}

// Work is the counted work of a cell. It does not depend on the machine.
type Work struct {
	KernelEvals  int64 `json:"kernel_evals,omitempty"`
	FeatureEvals int64 `json:"feature_evals,omitempty"`
	Flops        int64 `json:"flops,omitempty"`
	Bytes        int64 `json:"bytes,omitempty"`
	Memory       int64 `json:"memory,omitempty"`
}

// cellOf returns what a snapshot keeps of a record.
func cellOf(r *records.Record) Cell {
	h := r.Header
	c := Cell{Cell: h.Cell, Method: h.Method, Seed: h.Seed, Status: r.Status(), Exempt: h.Provenance.Exempt != "", Settings: SettingsDigest(h.Settings)}
	values, counts := sha256.New(), sha256.New()
	write(values, string(c.Status))
	for _, p := range r.Points {
		write(values, "point")
		number(values, uint64(p.Step), uint64(p.Seen))
		for _, m := range p.Metrics() {
			write(values, m)
			bits := math.Float64bits(math.NaN()) // not finite
			if v := p.Values[m]; v != nil {
				bits = math.Float64bits(*v)
			}
			number(values, bits)
		}
		w := Work(p.Counters)
		number(counts, uint64(p.Step), uint64(w.KernelEvals), uint64(w.FeatureEvals), uint64(w.Flops), uint64(w.Bytes), uint64(w.Memory))
		c.Work = w
	}
	c.Values, c.Counts = short(values), short(counts)
	return c
}

// SettingsDigest returns the digest of the settings that the seeds of a method share, without its code.
func SettingsDigest(settings map[string]any) string {
	shared := maps.Clone(records.WithoutCode(settings))
	delete(shared, "seed")
	delete(shared, "time_of") // the digest of a cell of the same seed
	text, err := json.Marshal(shared)
	if err != nil {
		panic("changes: settings are not JSON: " + err.Error())
	}
	h := sha256.New()
	h.Write(text)
	return short(h)
}

// short returns 16 hexadecimal digits of a hash.
func short(h hash.Hash) string { return hex.EncodeToString(h.Sum(nil)[:8]) }

// write adds a text to a hash, after its length.
func write(h hash.Hash, s string) {
	number(h, uint64(len(s)))
	h.Write([]byte(s))
}

func number(h hash.Hash, all ...uint64) {
	for _, v := range all {
		h.Write(binary.LittleEndian.AppendUint64(nil, v))
	}
}

// Cells are the cells of a snapshot.
type Cells []Cell

// Runs are the cells of a method that differ in nothing but their seeds and values.
type Runs struct {
	Method   string         `json:"method"`
	Status   records.Status `json:"status"`
	Exempt   bool           `json:"exempt,omitempty"`
	Settings string         `json:"settings"`
	Counts   string         `json:"counts"`
	Work     Work           `json:"work"`
	Seeds    []uint64       `json:"seeds"`
	Values   []string       `json:"values"`          // digests, in the order of the seeds
	Names    []string       `json:"cells,omitempty"` // of the cells, if they are not those of nameOf
}

// nameOf returns the name of a cell, as experiments give it.
func nameOf(method string, seed uint64) string { return fmt.Sprintf("%s-seed%d", method, seed) }

// Runs groups the cells, in the order of the first of each group.
func (all Cells) Runs() []Runs {
	var groups []Runs
	for _, c := range all {
		i := slices.IndexFunc(groups, func(r Runs) bool {
			return r.Method == c.Method && r.Status == c.Status && r.Exempt == c.Exempt && r.Settings == c.Settings && r.Counts == c.Counts && r.Work == c.Work
		})
		if i < 0 {
			i = len(groups)
			groups = append(groups, Runs{Method: c.Method, Status: c.Status, Exempt: c.Exempt, Settings: c.Settings, Counts: c.Counts, Work: c.Work})
		}
		r := &groups[i]
		r.Seeds, r.Values, r.Names = append(r.Seeds, c.Seed), append(r.Values, c.Values), append(r.Names, c.Cell)
	}
	for i := range groups {
		r := &groups[i]
		usual := true
		for k, name := range r.Names {
			usual = usual && name == nameOf(r.Method, r.Seeds[k])
		}
		if usual {
			r.Names = nil
		}
	}
	return groups
}

// Cells returns the cells of a group. The lists must be of one length.
func (r Runs) Cells() (Cells, error) {
	if len(r.Seeds) != len(r.Values) || r.Names != nil && len(r.Names) != len(r.Seeds) {
		return nil, fmt.Errorf("method %q has %d values and %d names for %d seeds", r.Method, len(r.Values), len(r.Names), len(r.Seeds))
	}
	var all Cells
	for i, seed := range r.Seeds {
		c := Cell{nameOf(r.Method, seed), r.Method, seed, r.Status, r.Exempt, r.Settings, r.Values[i], r.Counts, r.Work}
		if r.Names != nil {
			c.Cell = r.Names[i]
		}
		all = append(all, c)
	}
	return all, nil
}

// Sort orders cells by the first appearance of their method, and by seed.
func (all Cells) Sort() {
	place := map[string]int{}
	for _, c := range all {
		if _, ok := place[c.Method]; !ok {
			place[c.Method] = len(place)
		}
	}
	slices.SortStableFunc(all, func(a, b Cell) int {
		return cmp.Or(cmp.Compare(place[a.Method], place[b.Method]), cmp.Compare(a.Seed, b.Seed))
	})
}

// whole reports whether a number is of all seeds of its claim, not of those of an early look.
func (n Number) whole(all []Number) bool { return !n.Joint || len(n.Seeds) == mostSeeds(all, n.Claim) }

// Whole returns the number of each claim on all its seeds, by the claim, with the method that it is compared with after " against "
// if it has several numbers.
func (s Snapshot) Whole() map[string]Number {
	all, rivals := map[string]Number{}, map[string]int{}
	for _, n := range s.Numbers {
		if n.whole(s.Numbers) {
			rivals[n.Claim]++
			all[n.Claim+" against "+n.Rival] = n
		}
	}
	for name, n := range all {
		if rivals[n.Claim] == 1 {
			delete(all, name)
			all[n.Claim] = n
		}
	}
	return all
}

// Interval returns the 95 % interval over seeds of a number that has values.
func (n Number) Interval() stats.Estimate {
	if n.Log && !n.Joint && positive(n.Values) {
		return stats.GeometricInterval(n.Values)
	}
	return stats.MeanInterval(n.Values)
}
