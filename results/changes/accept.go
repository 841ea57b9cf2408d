package changes

import (
	"fmt"
	"slices"

	"repro/results/claims"
	"repro/results/printed"
)

// Accept returns the accepted snapshot with the numbers of the chosen claims, and the cells of their changed methods, as they are
// now. all are the changes of the experiment. A claim that was not chosen but needs the same changed methods is accepted too if
// it is equivalent; if it is not, the error says so, because its cells would no longer show that it changed. Methods that no claim
// needs are accepted too. Entries of methods
// that the experiment does not have are dropped, and of claims that it does not have if they are chosen.
func Accept(exp claims.Experiment, base, now Snapshot, all []Change, chosen func(claim string) bool) (Snapshot, error) {
	methods := map[string]bool{} // whose cells are replaced
	taken := map[string]bool{}   // claims
	byID := map[string]claims.Claim{}
	for _, c := range exp.Claims {
		byID[c.ID] = c
	}
	for _, c := range all {
		if !chosen(c.Claim) || c.State == Identical || c.State == NotRun {
			continue
		}
		taken[c.Claim] = true
		for _, m := range byID[c.Claim].Methods() {
			if c.State == NotComparable || c.State == NotReproducible || slices.Contains(c.Cause, m) {
				methods[m] = true
			}
		}
	}
	var refused []string
	for _, c := range all {
		shares := slices.ContainsFunc(byID[c.Claim].Methods(), func(m string) bool { return methods[m] })
		switch {
		case taken[c.Claim] || !shares:
		case c.State == NotRun:
		case c.State == Equivalent || c.State == Identical || c.State == NotReproducible:
			taken[c.Claim] = true
		case !slices.Contains(refused, c.Claim):
			refused = append(refused, c.Claim)
		}
	}
	if len(refused) > 0 {
		return base, fmt.Errorf("%s: %s changed too and %s the same runs; accept %s with another --claim, or none of them",
			exp.ID, printed.List(refused), needs(len(refused)), them(len(refused)))
	}
	next := Snapshot{Schema: Schema, Experiment: exp.ID, Profile: now.Profile, Commit: now.Commit, ComparableSince: base.ComparableSince}
	if base.ComparableSince == "" || !sameTerms(base, now, methods) {
		next.ComparableSince = now.Commit
	}
	for _, m := range exp.Methods {
		from := base.Cells
		idle := hasMethod(now.Cells, m.ID) && !slices.ContainsFunc(exp.Claims, func(c claims.Claim) bool { return slices.Contains(c.Methods(), m.ID) })
		if methods[m.ID] || idle || !hasMethod(base.Cells, m.ID) {
			from = now.Cells
		}
		for _, c := range from {
			if c.Method == m.ID {
				next.Cells = append(next.Cells, c)
			}
		}
	}
	for _, c := range exp.Claims {
		from := base.Numbers
		if taken[c.ID] {
			from = now.Numbers
		}
		for _, n := range from {
			if n.Claim == c.ID {
				next.Numbers = append(next.Numbers, n)
			}
		}
	}
	for _, n := range base.Numbers {
		if _, ok := byID[n.Claim]; !ok && !chosen(n.Claim) {
			next.Numbers = append(next.Numbers, n)
		}
	}
	return next, nil
}

func needs(n int) string {
	if n == 1 {
		return "needs"
	}
	return "need"
}

func them(n int) string {
	if n == 1 {
		return "it"
	}
	return "them"
}

func hasMethod(cells []Cell, method string) bool {
	return slices.ContainsFunc(cells, func(c Cell) bool { return c.Method == method })
}

// sameTerms reports whether the replaced methods have the accepted settings and the snapshots the same claims.
func sameTerms(base, now Snapshot, methods map[string]bool) bool {
	settings := map[string]string{}
	for _, c := range base.Cells {
		settings[c.Method] = c.Settings
	}
	for _, c := range now.Cells {
		if methods[c.Method] && settings[c.Method] != c.Settings {
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
