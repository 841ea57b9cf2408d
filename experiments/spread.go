package experiments

import (
	"cmp"
	"slices"
	"strings"

	"repro/experiments/spectree"
	"repro/plots/figures"
	"repro/results/claims"
)

// listSeries makes a series of each method that a figure of a tree names under the key methods.
func listSeries(tree *spectree.Node, found *spectree.Mistakes) {
	for i, f := range tree.Find("figure").Items() {
		methods, path := f.Find("methods"), spectree.Join(spectree.Entry("figure", f, i), "methods")
		switch {
		case methods == nil || methods.Items() == nil: // the binder says what is wrong
			continue
		case f.Find("series") != nil:
			found.Add(methods.Place, path, "contradicts %s; keep one", spectree.Beside("series", f.Find("series")))
			continue
		}
		var list []*spectree.Node
		for _, m := range methods.Items() {
			t := spectree.NewTable()
			t.Set("method", m)
			list = append(list, &spectree.Node{Place: m.Place, Value: t})
		}
		f.Table().Remove("methods")
		f.Table().Set("series", &spectree.Node{Place: methods.Place, Value: list})
	}
}

// spread replaces the name of a grid by the ids of its methods in claims, figures and tables. Figures and tables
// drop methods that are left out; claims keep them and are not judged.
func (s *Spec) spread() {
	made := s.spreadClaims()
	var figures []claims.Figure
	for _, f := range s.Figures {
		series := s.spreadSeries(f.Series)
		if f.Across != "" {
			series = s.gridSeries(f.Series)
		}
		if len(f.Series) > 0 && len(series) == 0 {
			continue
		}
		var marked []string
		for _, id := range f.Claims {
			marked = append(marked, made[id]...)
		}
		f.Series, f.Claims = series, marked
		figures = append(figures, f)
	}
	s.Figures = figures

	var tables []claims.Table
	for _, t := range s.Tables {
		var rows []string
		for _, name := range t.Methods {
			rows = append(rows, s.members(name)...)
		}
		if len(t.Methods) == 0 || len(rows) > 0 {
			t.Methods = rows
			tables = append(tables, t)
		}
	}
	s.Tables = tables
}

// spreadClaims makes one claim for each combination of a grid and for each claim that its kind splits it into. It
// returns the ids of the claims made, by the id of the original.
func (s *Spec) spreadClaims() map[string][]string {
	made := map[string][]string{}
	var list []claims.Claim
	for _, c := range s.Claims {
		if c.Across != "" {
			c.Members = s.members(c.Method)
			list = append(list, c)
			made[c.ID] = append(made[c.ID], c.ID)
			continue
		}
		var against []string
		for _, name := range c.Against {
			ids := s.members(name)
			if len(ids) == 0 {
				ids = []string{name}
			}
			against = append(against, ids...)
		}
		c.Against = against
		ids := s.members(c.Method)
		if len(ids) == 0 {
			ids = []string{c.Method}
		}
		group, claim := c.Method, c.ID
		for _, id := range ids {
			c.Method, c.ID = id, claim+strings.TrimPrefix(id, group)
			parts := []claims.Claim{c}
			if split := claims.KindOf(c.Kind).Split; split != nil {
				parts = split(c)
			}
			for _, k := range parts {
				s.claims[k.ID] = s.claims[claim]
				list = append(list, k)
				made[claim] = append(made[claim], k.ID)
			}
		}
	}
	s.Claims = list
	return made
}

// spreadSeries makes one series per combination of a grid.
func (s *Spec) spreadSeries(series []claims.Series) (spread []claims.Series) {
	for _, x := range series {
		ids := s.members(x.Method)
		if x.Method == figures.Truth {
			ids = []string{figures.Truth}
		}
		for _, id := range ids {
			y := x
			if y.Method = id; id != x.Method {
				y.Label = ""
			}
			spread = append(spread, y)
		}
	}
	return spread
}

// gridLabel returns the label of a grid: that of its methods without their settings, which expandGrid adds.
func (s *Spec) gridLabel(group string) string {
	for _, m := range s.Methods {
		if i := strings.LastIndex(m.Label, " ("); m.Group == group && i > 0 {
			return m.Label[:i]
		}
	}
	return ""
}

// gridSeries keeps the series of grids, each with the combinations that are laid out and the label of the grid, and the levels of
// methods without a grid.
func (s *Spec) gridSeries(series []claims.Series) (kept []claims.Series) {
	for _, x := range series {
		members := s.members(x.Method)
		if slices.Contains(members, x.Method) { // a level: it has no grid
			kept = append(kept, x)
		} else if x.Members = members; len(members) > 0 {
			if x.Label == "" {
				x.Label = s.gridLabel(x.Method)
			}
			kept = append(kept, x)
		}
	}
	return kept
}

// OwnCasts returns the methods, and the grids, that each figure of the spec draws, without the generating function.
func (s *Spec) OwnCasts() []claims.Cast {
	labels := map[string]string{}
	var every claims.Cast
	for _, m := range s.Methods {
		labels[m.ID] = m.Label
		every = append(every, claims.Method{ID: m.ID, Label: m.Label})
	}
	var casts []claims.Cast
	for _, f := range s.Figures {
		var cast claims.Cast
		for _, x := range f.Series {
			if x.Method != figures.Truth {
				cast = append(cast, claims.Method{ID: x.Method, Label: cmp.Or(labels[x.Method], x.Label)}) // the latter of a grid
			}
		}
		if len(f.Series) == 0 && figures.KindOf(f.Kind).Takes("series") {
			cast = every
		}
		casts = append(casts, cast)
	}
	return casts
}
