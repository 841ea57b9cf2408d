package experiments

import (
	"fmt"
	"maps"
	"path"
	"reflect"
	"slices"
	"strings"

	"repro/results/claims"
)

// LoadOptions say how to lay out a spec.
type LoadOptions struct {
	Profile string   // "paper" if empty
	Set     []string // edits "path=value", applied after the profile
	Methods []string // ids of the methods to keep, with those whose time they take; all if empty
	Seeds   int      // number of seeds in place of the spec's, if positive
}

// A source is the text of a spec and where it comes from.
type source struct {
	file string // as errors name it
	text string
	own  bool // a user's file, whose paper need not be in papers.toml
}

// load parses a source, checks it under every profile it has, and lays it out for one.
func load(src source, opts LoadOptions) (*Spec, error) {
	root, err := parse(src.file, src.text)
	if err != nil {
		return nil, err
	}
	p := &problems{file: src.file}
	if n := root.find("profile"); n != nil && n.table() == nil {
		p.add(n.place, "profile", "want a table of profiles, got %s; write [profile.quick]", describe(n))
		return nil, p.err()
	}
	profile := opts.Profile
	if profile == "" {
		profile = "paper"
	}
	all := profileNames(root)
	if !slices.Contains(all, profile) {
		return nil, fmt.Errorf("%s: unknown profile %s; choose one of %s", src.file, quote(profile), strings.Join(all, ", "))
	}
	_, paper := build(src, root, "paper", nil, names{}, p)
	for _, name := range all {
		if len(p.list) == 0 && name != "paper" {
			build(src, root, name, nil, paper, p)
		}
	}
	if len(p.list) > 0 {
		return nil, p.err()
	}
	s, known := build(src, root, profile, opts.Set, paper, p)
	if len(p.list) > 0 {
		return nil, p.err()
	}
	s.Profile, s.Profiles = profile, all
	if root.find("profile", profile) == nil {
		s.Profile = "paper"
	}
	if len(opts.Set) > 0 {
		s.Profile += EditedMark
	}
	if err := s.narrow(opts, known); err != nil {
		return nil, err
	}
	return s, nil
}

// names are those that claims and figures may refer to: what the profile laid out has, and what the
// paper's has, though the profile may remove it.
type names struct {
	methods map[string]bool // and grids
	claims  map[string]bool
}

// with returns the names with those of a spec added.
func (n names) with(s *Spec) names {
	all := names{methods: map[string]bool{}, claims: map[string]bool{}}
	maps.Copy(all.methods, n.methods)
	maps.Copy(all.claims, n.claims)
	for _, m := range s.Methods {
		all.methods[m.ID] = true
		if m.Group != "" {
			all.methods[m.Group] = true
		}
	}
	for _, c := range s.Claims {
		all.claims[c.ID] = true
	}
	return all
}

// build binds and checks the spec under one profile with edits. It returns with it the names that
// options may use, the paper's included.
func build(src source, root *node, profile string, edits []string, paper names, p *problems) (*Spec, names) {
	tree := withProfile(root, profile, p)
	for _, e := range edits {
		override(tree, e, p)
	}
	expandGrid(tree, p)
	s := defaults()
	if len(p.list) == 0 {
		binder{p}.value(tree, reflect.ValueOf(s).Elem(), "", constraint{})
	}
	if len(p.list) > 0 {
		return nil, paper
	}
	known := paper.with(s)
	s.File = src.file
	s.ID = s.Paper + "/" + strings.TrimSuffix(path.Base(strings.ReplaceAll(src.file, `\`, "/")), ".toml")
	c := checker{problems: p, spec: s, tree: tree, known: known}
	c.check(src.own)
	s.settle()
	return s, known
}

// narrow applies the options that choose among what the spec has, and brings its references to
// methods in line with what is left.
func (s *Spec) narrow(opts LoadOptions, known names) error {
	if opts.Seeds < 0 {
		return fmt.Errorf("%s: --seeds must be > 0, got %d", s.File, opts.Seeds)
	}
	if opts.Seeds > 0 {
		s.Repeat.Seeds = opts.Seeds
	}
	if len(opts.Methods) > 0 {
		if err := s.keep(opts.Methods, known); err != nil {
			return err
		}
	}
	s.spread()
	return nil
}

// keep drops the methods not named by id or group, except those whose time a kept one takes.
func (s *Spec) keep(names []string, known names) error {
	kept := map[string]bool{}
	for _, name := range names {
		if !known.methods[name] {
			return fmt.Errorf("%s: unknown method %s; %s", s.File, quote(name), suggest(name, sortedKeys(known.methods)))
		}
		for _, m := range s.Methods {
			if m.ID == name || m.Group == name {
				kept[m.ID] = true
			}
		}
	}
	for range s.Methods {
		for _, m := range s.Methods {
			if kept[m.ID] && m.Budget != nil && m.Budget.TimeOf != "" {
				kept[m.Budget.TimeOf] = true
			}
		}
	}
	s.Methods = slices.DeleteFunc(s.Methods, func(m Method) bool { return !kept[m.ID] })
	if len(s.Methods) == 0 {
		return fmt.Errorf("%s: profile %s removes %s; choose another profile or method", s.File, s.Profile, strings.Join(names, ", "))
	}
	return nil
}

// members lists the methods a name stands for: itself, or the combinations of a grid. It is empty
// for a method that is not laid out.
func (s *Spec) members(name string) (ids []string) {
	for _, m := range s.Methods {
		if m.ID == name || m.Group == name {
			ids = append(ids, m.ID)
		}
	}
	return ids
}

// spread replaces the name of a grid by those of its methods in claims, figures and tables. Figures
// and tables leave out methods that are not laid out; claims keep them, and so are not judged.
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

// spreadClaims makes one claim per combination of a claim on a grid, and one per number of a claim of
// several, and returns the claims made of each.
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
			for _, k := range column(c) {
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
		if x.Method == truth {
			ids = []string{truth}
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

// gridSeries keeps the series of grids, each with the combinations that are laid out.
func (s *Spec) gridSeries(series []claims.Series) (kept []claims.Series) {
	for _, x := range series {
		if x.Members = s.members(x.Method); len(x.Members) > 0 {
			kept = append(kept, x)
		}
	}
	return kept
}

func sortedKeys(m map[string]bool) []string {
	return slices.Sorted(maps.Keys(m))
}
