package bundles

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"

	"repro/results/claims"
	"repro/results/records"
)

// Differ writes into claims how the bundled verdicts differ, and returns which claims only one side has.
func Differ(now []Checked, bundled []claims.Verdict) (missing []string) {
	key := func(v claims.Verdict) string { return v.Experiment + "#" + v.Claim }
	old := map[string]claims.Verdict{}
	for _, v := range bundled {
		if _, twice := old[key(v)]; twice {
			missing = append(missing, key(v)+": the bundle has two verdicts on it")
		}
		old[key(v)] = v
	}
	for i := range now {
		v := now[i].Verdict
		before, ok := old[key(v)]
		if !ok {
			missing = append(missing, key(v)+": the bundle has no verdict on it")
			continue
		}
		delete(old, key(v))
		now[i].Differences = append(now[i].Differences, differences(before, v)...)
	}
	for _, k := range slices.Sorted(maps.Keys(old)) {
		missing = append(missing, k+": the bundle has a verdict on it, and its specs have no such claim")
	}
	return missing
}

// agreement is the relative difference up to which a number that is computed again is the same: logarithms and sums may
// round differently on another processor.
const agreement = 1e-9

// ofRule are the keys that the rule of judgement decides beside the word. Verdicts of a program from before the rule of looks are compared
// without them.
var ofRule = []string{"reason", "low", "high", "visible", "must_see", "planned_seeds", "looks", "seeds_needed", "parts"}

// differences lists the keys in which two verdicts differ, with both values.
func differences(bundled, now claims.Verdict) []string {
	x, y := fields(bundled), fields(now)
	if bundled.Planned == 0 && now.Planned > 0 || bundled.MustSee == nil && now.MustSee != nil {
		for _, k := range ofRule {
			delete(x, k)
			delete(y, k)
		}
	}
	keys := maps.Clone(x)
	maps.Copy(keys, y)
	var all []string
	for _, k := range slices.Sorted(maps.Keys(keys)) {
		if !agree(x[k], y[k]) {
			all = append(all, fmt.Sprintf("%s: bundled %s, the records give %s", k, claims.TextOf(x[k]), claims.TextOf(y[k])))
		}
	}
	return all
}

func fields(v claims.Verdict) (m map[string]any) {
	text, err := json.Marshal(v)
	if err == nil {
		err = json.Unmarshal(text, &m)
	}
	if err != nil {
		panic("bundles: a verdict cannot be written as JSON: " + err.Error())
	}
	return m
}

// agree reports whether two values of JSON are the same, numbers up to agreement.
func agree(x, y any) bool {
	switch x := x.(type) {
	case float64:
		y, ok := y.(float64)
		return ok && math.Abs(x-y) <= agreement*max(math.Abs(x), math.Abs(y))
	case []any:
		y, ok := y.([]any)
		return ok && slices.EqualFunc(x, y, agree)
	case map[string]any:
		y, ok := y.(map[string]any)
		return ok && maps.EqualFunc(x, y, agree)
	}
	return x == y
}

// A SeedValue is the number that the records of one seed give for a claim.
type SeedValue struct {
	Seed    uint64       `json:"seed"`
	Against string       `json:"against,omitempty"` // the rival, if the claim has several
	Value   *float64     `json:"value"`
	Records []RecordName `json:"records"`
}

// A RecordName names a record of a bundle.
type RecordName struct {
	Path   string `json:"path"`
	SHA256 string `json:"sha256"`
}

// SeedValues returns the number of every seed of a claim with its records: the claim is judged on the records of the seed
// alone, against each rival alone.
func SeedValues(j claims.Case, c claims.Claim, sums map[string]string) []SeedValue {
	rivals := [][]string{c.Against}
	if len(c.Against) > 1 {
		rivals = nil
		for _, r := range c.Against {
			rivals = append(rivals, []string{r})
		}
	}
	all := []SeedValue{}
	for _, against := range rivals {
		one := c
		one.Against = against
		bySeed := map[uint64][]*records.Record{}
		for _, r := range j.Records {
			if slices.Contains(one.Methods(), r.Header.Method) {
				bySeed[r.Header.Seed] = append(bySeed[r.Header.Seed], r)
			}
		}
		for _, seed := range slices.Sorted(maps.Keys(bySeed)) {
			v := SeedValue{Seed: seed, Value: judgeSeed(j.Experiment, one, bySeed[seed])}
			if len(rivals) > 1 {
				v.Against = against[0]
			}
			for _, r := range bySeed[seed] {
				p := RecordPath(r.Header)
				v.Records = append(v.Records, RecordName{p, sums[p]})
			}
			all = append(all, v)
		}
	}
	return all
}

// judgeSeed returns the number that the records of one seed give for a claim, nil if they give none.
func judgeSeed(exp claims.Experiment, c claims.Claim, recs []*records.Record) *float64 {
	exp.Claims = []claims.Claim{c}
	exp.Expected = slices.DeleteFunc(slices.Clone(exp.Expected), func(p claims.Planned) bool {
		return !slices.ContainsFunc(recs, func(r *records.Record) bool { return r.Header.Cell == p.Cell })
	})
	return claims.Judge(exp, recs).Verdicts[0].Measured
}

// A Checked is a claim of a bundle: its verdict as judged now, how the bundled one differs, and its records.
type Checked struct {
	Verdict     claims.Verdict `json:"verdict"`
	Differences []string       `json:"differences"` // key: bundled → judged now
	Seeds       []SeedValue    `json:"seeds"`
}
