package changes

import (
	"fmt"
	"slices"

	"repro/results/claims"
	"repro/results/printed"
	"repro/results/records"
)

// An acceptance is what becomes the accepted state of an experiment: the numbers of claims, and the cells of methods.
type acceptance struct {
	exp     claims.Experiment
	claims  map[string]bool
	methods map[string]bool // whose cells are replaced
}

// Accept returns the accepted snapshot with the numbers of the chosen claims, and the cells of their changed methods, as they are
// now. all are the changes of the experiment. A claim that was not chosen but needs the same changed methods is accepted too if
// it is the same; if it is not, the error says so, because its cells would no longer show that it changed. Methods that no claim
// needs are accepted too. Entries of methods that the experiment does not have are dropped, and of claims that it does not have
// if they are chosen.
func Accept(exp claims.Experiment, base, now Snapshot, all []Change, chosen func(claim string) bool) (Snapshot, error) {
	a := acceptance{exp: exp, claims: map[string]bool{}, methods: map[string]bool{}}
	for _, c := range all {
		if chosen(c.Claim) && !c.Identical() && c.LeftOut != NotRun {
			a.take(c)
		}
	}
	for _, s := range verdictShifts(exp, base, now) {
		if chosen(s.Claim) {
			a.claims[s.Claim] = true
		}
	}
	if refused := a.follow(all); len(refused) > 0 {
		return base, fmt.Errorf("%s: %s changed by the same runs; add --claim for each, or accept none of them", exp.ID, printed.List(refused))
	}
	next := Snapshot{Schema: Schema, Experiment: exp.ID, Profile: now.Profile, Commit: now.Commit, ComparableSince: base.ComparableSince}
	if base.ComparableSince == "" || !a.sameTerms(base, now) {
		next.ComparableSince = now.Commit
	}
	next.Cells = a.cells(base, now)
	next.Series = next.series(base, now)
	for _, c := range exp.Claims {
		from := base.Numbers
		if a.claims[c.ID] {
			from = now.Numbers
		}
		next.Numbers = append(next.Numbers, ofClaim(from, c.ID)...)
	}
	for _, n := range base.Numbers {
		if len(a.needed(n.Claim)) == 0 && !chosen(n.Claim) {
			next.Numbers = append(next.Numbers, n)
		}
	}
	next.plans(exp, now)
	next.Claims = map[string]claims.Definition{}
	for _, n := range next.Numbers {
		from := base.Claims
		if a.claims[n.Claim] {
			from = now.Claims
		}
		d, ok := from[n.Claim]
		if !ok {
			return base, fmt.Errorf("%s: the reference results do not say what claim %s was; accept the claim, too", exp.ID, n.Claim)
		}
		next.Claims[n.Claim] = d
	}
	return next, nil
}

// needed lists the methods that a claim needs, none if the experiment has no such claim.
func (a acceptance) needed(claim string) []string {
	for _, c := range a.exp.Claims {
		if c.ID == claim {
			return c.Methods()
		}
	}
	return nil
}

// take accepts a change with the methods that caused it.
func (a acceptance) take(c Change) {
	a.claims[c.Claim] = true
	for _, m := range a.needed(c.Claim) {
		if c.State == records.NotComparable && c.LeftOut != NotRun && !c.aside && (len(c.Terms) == 0 || c.ByNumber == records.NotComparable) || slices.Contains(c.Cause, m) {
			a.methods[m] = true
		}
	}
}

// follow accepts the other claims that need an accepted method and are the same, and lists those that are not.
func (a acceptance) follow(all []Change) (refused []string) {
	for _, c := range all {
		shares := slices.ContainsFunc(a.needed(c.Claim), func(m string) bool { return a.methods[m] })
		switch {
		case a.claims[c.Claim] || !shares || c.LeftOut == NotRun:
		case c.State == records.Same || c.LeftOut == records.ByTime:
			a.claims[c.Claim] = true
		case !slices.Contains(refused, c.Claim):
			refused = append(refused, c.Claim)
		}
	}
	return refused
}

// cells returns the cells of every method: those of now if it is accepted, new, or no claim needs it.
func (a acceptance) cells(base, now Snapshot) (cells Cells) {
	for _, m := range a.exp.Methods {
		from := base.Cells
		idle := hasMethod(now.Cells, m.ID) && !slices.ContainsFunc(a.exp.Claims, func(c claims.Claim) bool { return slices.Contains(c.Methods(), m.ID) })
		if a.methods[m.ID] || idle || !hasMethod(base.Cells, m.ID) {
			from = now.Cells
		}
		for _, c := range from {
			if c.Method == m.ID {
				cells = append(cells, c)
			}
		}
	}
	return cells
}

func ofClaim(all []Number, claim string) []Number {
	return slices.DeleteFunc(slices.Clone(all), func(n Number) bool { return n.Claim != claim })
}

func hasMethod(cells []Cell, method string) bool {
	return slices.ContainsFunc(cells, func(c Cell) bool { return c.Method == method })
}

// sameTerms reports whether the replaced methods have the accepted settings and the snapshots the same claims.
func (a acceptance) sameTerms(base, now Snapshot) bool {
	settings := map[string]string{}
	for _, c := range base.Cells {
		settings[c.Method] = c.Settings
	}
	for _, c := range now.Cells {
		if a.methods[c.Method] && settings[c.Method] != c.Settings {
			return false
		}
	}
	for id, d := range base.Claims {
		if a.claims[id] && len(redefined(id, d, now.Claims[id], false)) > 0 {
			return false
		}
	}
	has := func(s Snapshot, n Number) bool {
		return slices.ContainsFunc(s.Numbers, func(m Number) bool { return m.Claim == n.Claim && m.Rival == n.Rival })
	}
	for _, n := range base.Numbers {
		if !has(now, n) {
			return false
		}
	}
	return !slices.ContainsFunc(now.Numbers, func(n Number) bool { return !has(base, n) })
}
