package changes

import (
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strings"

	"repro/results/claims"
	"repro/results/records"
)

// Keys of an accepted definition that are not the claim's own: what else of the spec decides its number.
const (
	seedsKey  = "repeat.seeds" // of the plan; further seeds may have been accepted
	betterKey = "metric.better"
	signedKey = "metric.signed"
	exactKey  = "method.deterministic" // of all methods of the claim
	failsKey  = "gate.fail_on"         // layers that the gate fails on, where a test says it; those of FailsOn if it does not
)

// definitionOf returns what is accepted together with a claim's number: the claim, and what it stands on.
func definitionOf(exp claims.Experiment, c claims.Claim) claims.Definition {
	d, metric := c.Definition(), exp.Metric(c.Metric)
	delete(d, "id")
	planned := map[string]int{}
	for _, p := range exp.Expected {
		planned[p.Method]++
	}
	seeds := math.MaxInt
	for _, m := range c.Methods() {
		seeds = min(seeds, planned[m])
	}
	if seeds > 0 {
		d[seedsKey] = float64(seeds)
	}
	if metric.Better != "" {
		d[betterKey] = metric.Better
	}
	if metric.Signed {
		d[signedKey] = true
	}
	if !slices.ContainsFunc(c.Methods(), func(id string) bool { return !declared(exp, id) }) {
		d[exactKey] = true
	}
	if exp.FailOn != nil {
		d[failsKey] = []any{}
		for _, layer := range slices.Sorted(slices.Values(exp.FailOn)) {
			d[failsKey] = append(d[failsKey].([]any), layer)
		}
	}
	return d
}

// definitionsOf returns the definitions of all claims, by claim.
func definitionsOf(exp claims.Experiment) map[string]claims.Definition {
	all := map[string]claims.Definition{}
	for _, c := range exp.Claims {
		all[c.ID] = definitionOf(exp, c)
	}
	return all
}

// claimOf returns the claim that a definition of this package is of.
func claimOf(id string, d claims.Definition) (claims.Claim, error) {
	own := maps.Clone(d)
	for _, key := range []string{seedsKey, betterKey, signedKey, exactKey, failsKey} {
		delete(own, key)
	}
	own["id"] = id
	return own.Claim()
}

// A Term is a key of a claim's definition whose value is not the accepted one: nil where it is not given.
type Term struct {
	Key      string `json:"key"`
	Accepted any    `json:"accepted"`
	Now      any    `json:"now"`
	Loosened bool   `json:"loosened"` // the claim, or the gate, accepts what it did not accept
	File     string `json:"file,omitempty"`
	Line     int    `json:"line,omitempty"`
}

func (t Term) String() string {
	s := fmt.Sprintf("%s %s → %s", t.Key, claims.TextOf(t.Accepted), claims.TextOf(t.Now))
	if t.Line > 0 {
		s += fmt.Sprintf(" (%s:%d)", t.File, t.Line)
	}
	return s
}

// redefined lists the keys of a claim whose values are not the accepted ones, the loosened ones first. log says whether changes of
// its number are ratios.
func redefined(id string, was, is claims.Definition, log bool) []Term {
	was = was.Now()
	keys := maps.Clone(was)
	maps.Copy(keys, is)
	var all []Term
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		a, b := was[key], is[key]
		switch {
		case reflect.DeepEqual(a, b):
		case key == seedsKey && !fewer(a, b) || key == exactKey && b == true || key == failsKey && failsOnAll(a, b): // which tells more
		default:
			next := maps.Clone(was)
			if next[key] = b; b == nil {
				delete(next, key)
			}
			all = append(all, Term{Key: key, Accepted: a, Now: b, Loosened: key == seedsKey || key == exactKey || key == failsKey || claims.Loosens(key, a, b) || wider(id, was, next, log)})
		}
	}
	if !loosened(all) && wider(id, was, is, log) { // by several keys together
		for i := range all {
			all[i].Loosened = true
		}
	}
	slices.SortStableFunc(all, func(a, b Term) int { return one(b.Loosened) - one(a.Loosened) })
	return all
}

// fewer reports whether the plan has fewer seeds than the accepted one: more of them tell more.
func fewer(accepted, now any) bool {
	n, known := now.(float64)
	was, ok := accepted.(float64)
	return known && (!ok && accepted != nil || n < was)
}

// failsOnAll reports whether the gate fails on all layers that the accepted one fails on.
func failsOnAll(accepted, now any) bool {
	on := func(v any) []any {
		if all, ok := v.([]any); ok {
			return all
		}
		var all []any
		for _, layer := range FailsOn() {
			all = append(all, layer)
		}
		return all
	}
	return !slices.ContainsFunc(on(accepted), func(layer any) bool { return !slices.Contains(on(now), layer) })
}

// loosened reports whether one of the keys is.
func loosened(all []Term) bool {
	return slices.ContainsFunc(all, func(t Term) bool { return t.Loosened })
}

// wider reports whether a claim of one definition accepts what that of another does not, or has a larger margin.
func wider(id string, was, is claims.Definition, log bool) bool {
	a, err := claimOf(id, was)
	if err != nil {
		return false
	}
	b, err := claimOf(id, is)
	if err != nil {
		return false
	}
	if fromTolerance(b, Number{Log: log}) > fromTolerance(a, Number{Log: log}) {
		return true
	}
	of := a.Quantity()
	before, err := a.Accepts(of)
	if err != nil || b.Quantity() != of {
		return false
	}
	after, err := b.Accepts(of)
	return err == nil && after.Wider(before)
}

// judged returns an experiment whose claims are those that the snapshot accepted, as far as it has them and they can still be read, with
// the windows of its numbers where claims leave these to the curves. by has the definitions of claims that are others now.
func (s Snapshot) judged(exp claims.Experiment) (_ claims.Experiment, by map[string]claims.Definition) {
	by = map[string]claims.Definition{}
	exp.Claims, exp.Metrics = slices.Clone(exp.Claims), slices.Clone(exp.Metrics)
	for i, now := range exp.Claims {
		c := &exp.Claims[i]
		if d, known := s.Claims[now.ID]; known && len(redefined(now.ID, d, definitionOf(exp, now), false)) > 0 {
			if accepted, err := claimOf(now.ID, d); err == nil {
				*c, by[now.ID] = accepted, d
			}
		}
		if k := slices.IndexFunc(s.Numbers, func(n Number) bool { return n.Claim == now.ID && n.Window != nil }); k >= 0 && automatic(*c) {
			c.Window = *s.Numbers[k].Window
		}
	}
	for _, d := range by {
		name, _ := d["metric"].(string)
		if i := slices.IndexFunc(exp.Metrics, func(m claims.Metric) bool { return m.Name == exp.Metric(name).Name }); i >= 0 {
			exp.Metrics[i].Better, _ = d[betterKey].(string)
			exp.Metrics[i].Signed = d[signedKey] == true
		}
	}
	return exp, by
}

// Retake is Take for a comparison with an accepted snapshot: the numbers are measured as the accepted claims say, so that a number of
// one window is never compared with one of another, and curves are taken at the accepted steps.
func (s Snapshot) Retake(exp claims.Experiment, recs []*records.Record) Snapshot {
	judged, by := s.judged(exp)
	now := Take(judged, recs)
	now.Claims, now.by = definitionsOf(exp), by
	own := exp.Own(recs)
	slices.SortStableFunc(own, records.ByMethodAndSeed)
	now.Series = takeSeries(exp, own, s.Series)
	return now
}

// TermsText says in words which keys of a claim's definition changed: the loosened ones first.
func TermsText(all []Term) string {
	var parts []string
	for i, t := range all {
		switch {
		case i == 0 && t.Loosened:
			parts = append(parts, "loosened: "+t.String())
		case i == 0:
			parts = append(parts, "redefined: "+t.String())
		case !t.Loosened && all[i-1].Loosened:
			parts = append(parts, "also redefined: "+t.String())
		default:
			parts[len(parts)-1] += ", " + t.String()
		}
	}
	return strings.Join(parts, "; ")
}

// settle makes a change of a claim with other terms than the accepted ones NotComparable, whatever its number did by the accepted ones.
func (c *Change) settle() {
	if len(c.Terms) == 0 || c.ByNumber != "" {
		return
	}
	c.ByNumber = c.State
	c.Reason = fmt.Sprintf("%s; by the accepted definition it is %s: %s", TermsText(c.Terms), c.State, c.Reason)
	if !c.Failed {
		c.State, c.Moved, c.LeftOut, c.aside = records.NotComparable, false, "", c.LeftOut != ""
	}
}

// Key names the key of the claim at which a message about the change stands, empty for the claim as a whole.
func (c Change) Key() string {
	if len(c.Terms) == 0 {
		return ""
	}
	return c.Terms[0].Key
}

// terms lists the keys of a claim that are not the accepted ones, and says why the numbers of now cannot be compared with the accepted
// ones, if they were not measured as the accepted claim says.
func (s Snapshot) terms(exp claims.Experiment, id string, now Snapshot) (all []Term, foreign string) {
	accepted, defined := s.Claims[id]
	i := slices.IndexFunc(s.Numbers, func(n Number) bool { return n.Claim == id })
	switch {
	case !defined && i >= 0:
		return nil, "the reference results are of an earlier version, which does not say what the claim was; accept it again"
	case !defined:
		return nil, ""
	}
	all = redefined(id, accepted, now.Claims[id], i >= 0 && s.Numbers[i].Log)
	by, retaken := now.by[id]
	if len(all) > 0 && !(retaken && reflect.DeepEqual(by, accepted)) {
		foreign = "its numbers were measured by another definition"
	}
	for k := range all {
		if exp.Where != nil {
			all[k].File, all[k].Line = exp.Where(id, all[k].Key)
		}
	}
	return all, foreign
}
