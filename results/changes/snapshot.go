// Package changes compares what the claims of an experiment measured with an accepted state of the program with what they
// measure now. It compares bits first: a claim whose cells have equal bits is identical, and no statistics are made.
// docs/regression-testing.md has the rule and its error rates.
package changes

import (
	"slices"

	"repro/results/claims"
	"repro/results/records"
	"repro/results/stats"
)

// Schema is the version of the format of snapshots.
const Schema = 1

// A Snapshot is what the records of an experiment at one profile say, without the records: the digest and the counted work
// of every cell, and the number of every claim on every seed.
type Snapshot struct {
	Schema          int      `json:"schema"`
	Experiment      string   `json:"experiment"`
	Profile         string   `json:"profile"`
	Commit          string   `json:"commit"`           // of the program that ran the cells; of several, the last by seed
	ComparableSince string   `json:"comparable_since"` // the commit since which settings and claims are the same
	Cells           Cells    `json:"cells"`            // by method and seed
	Numbers         []Number `json:"numbers"`          // in the order of the claims
}

// A Number is the number of a claim: a Measurement, or what is known where there is none.
type Number struct {
	Claim  string      `json:"claim"`
	Rival  string      `json:"rival,omitempty"` // the method that the claim's method is compared with
	Kind   string      `json:"kind"`
	What   string      `json:"what,omitempty"` // the number in words
	Word   claims.Word `json:"verdict"`        // by the numbers alone, if the runs are not the paper's
	Margin float64     `json:"margin"`         // a difference of slopes, or else a share or, of numbers that are not positive, a difference

	Mean   *float64  `json:"mean,omitempty"`
	Log    bool      `json:"log,omitempty"`   // changes are ratios
	Joint  bool      `json:"joint,omitempty"` // values are pseudo-values of the jackknife over exactly these seeds
	Seeds  []uint64  `json:"seeds,omitempty"`
	Values []float64 `json:"values,omitempty"`
	Bounds []uint64  `json:"bounds,omitempty"` // seeds whose value is the end of the curve
	Curve  *Curve    `json:"curve,omitempty"`
	Why    string    `json:"why,omitempty"` // there is no number
}

// A Curve is the mean of the claim's metric over seeds, at curvePoints points at most.
type Curve struct {
	X []float64 `json:"x"`
	Y []float64 `json:"y"`
}

// Take returns the snapshot of an experiment's records, without claims about methods that its profile does not run. A number
// whose values depend on all seeds is also measured on the first seeds of every look that has fewer, and on those of the plan.
func Take(exp claims.Experiment, recs []*records.Record) Snapshot {
	s := Snapshot{Schema: Schema, Experiment: exp.ID, Profile: exp.Profile}
	own := exp.Records(recs)
	slices.SortStableFunc(own, records.ByMethodAndSeed)
	var latest uint64
	for _, r := range own {
		s.Cells = append(s.Cells, cellOf(r))
		if r.Header.Seed >= latest {
			latest, s.Commit = r.Header.Seed, r.Header.Provenance.Commit
		}
	}
	s.ComparableSince = s.Commit
	for _, f := range claims.Find(exp, recs) {
		if !runs(exp, f.Claim) {
			continue
		}
		all := numbersOf(exp, f)
		s.Numbers = append(s.Numbers, all...)
		if len(all) > 0 && all[0].Joint {
			s.Numbers = append(s.Numbers, first(exp, f, all[0].Seeds)...)
		}
	}
	return s
}

// runs reports whether the experiment's profile runs all methods that a claim needs.
func runs(exp claims.Experiment, c claims.Claim) bool {
	return !slices.ContainsFunc(c.Methods(), func(id string) bool {
		return !slices.ContainsFunc(exp.Methods, func(m claims.Method) bool { return m.ID == id })
	})
}

// first measures the claim of a finding on the first seeds of the plan, and of every look with fewer seeds than there are.
func first(exp claims.Experiment, f claims.Finding, seeds []uint64) []Number {
	seeds = slices.Sorted(slices.Values(seeds))
	planned := 0
	for _, p := range exp.Expected {
		if p.Method == f.Claim.Methods()[0] {
			planned++
		}
	}
	sizes := []int{planned}
	for _, look := range Looks {
		sizes = append(sizes, look.Seeds)
	}
	slices.Sort(sizes)
	exp.Expected = nil // the cells of the other seeds are not missing
	i := slices.IndexFunc(exp.Claims, func(c claims.Claim) bool { return c.ID == f.Claim.ID })
	exp.Claims = exp.Claims[i : i+1]
	var all []Number
	for _, size := range slices.Compact(sizes) {
		if size == 0 || size >= len(seeds) {
			continue
		}
		var recs []*records.Record
		for _, r := range f.Records {
			if r.Header.Seed <= seeds[size-1] {
				recs = append(recs, r)
			}
		}
		for _, n := range numbersOf(exp, claims.Find(exp, recs)[0]) {
			if n.Why == "" {
				all = append(all, n)
			}
		}
	}
	return all
}

// numbersOf returns the numbers of a finding, or one that says why there are none.
func numbersOf(exp claims.Experiment, f claims.Finding) []Number {
	word := f.Verdict.Verdict
	if f.Verdict.AtSize != "" {
		word = f.Verdict.AtSize
	}
	n := Number{Claim: f.Claim.ID, Kind: f.Claim.Kind, Word: word, Curve: curveOf(f)}
	if len(f.Numbers) == 0 {
		n.Why = f.Verdict.Reason
		return []Number{n}
	}
	var all []Number
	for _, m := range f.Numbers {
		k := n
		k.Rival, k.What, k.Joint, k.Seeds, k.Values, k.Bounds = m.Rival, m.What, m.Joint, m.Seeds, m.Values, m.Bounds
		if k.Mean = records.Value(m.Mean); k.Mean == nil || len(m.Values) == 0 {
			k.Why, k.Mean, k.Seeds, k.Values = f.Verdict.Reason, nil, nil, nil
		}
		k.Log = m.Log || f.Claim.Quantity() == claims.OfMetric && !f.Claim.Signed && positive(m.Values)
		k.Margin = margin(f.Claim, k)
		all = append(all, k)
	}
	return all
}

func positive(values []float64) bool {
	return !slices.ContainsFunc(values, func(v float64) bool { return v <= 0 })
}

// curvePoints is the largest number of points of a Curve.
const curvePoints = 12

// curveOf returns the mean curve of the method that a claim is about, nil if there is none.
func curveOf(f claims.Finding) *Curve {
	c, x := f.Claim, f.Claim.X
	if x == "" || records.Timed(x) {
		x = "step"
	}
	of := stats.CurveOf(records.Select(f.Records, c.Method), c.Metric, x, "mean")
	if c.Across != "" {
		of = stats.AcrossCurve(f.Records, c.Metric, c.Across)
	}
	var all Curve
	for i, v := range of.Median {
		if y := records.Value(v); y != nil && of.X[i] > 0 {
			all.X, all.Y = append(all.X, rounded(of.X[i])), append(all.Y, rounded(*y))
		}
	}
	n := len(all.X)
	if n < 2 {
		return nil
	}
	if n <= curvePoints {
		return &all
	}
	var thin Curve
	for i := range curvePoints {
		k := i * (n - 1) / (curvePoints - 1)
		thin.X, thin.Y = append(thin.X, all.X[k]), append(thin.Y, all.Y[k])
	}
	return &thin
}
