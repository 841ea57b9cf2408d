package experiments

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"sync"

	"repro/experiments/spectree"
	"repro/experiments/strict"
	"repro/results/claims"
	"repro/results/printed"
)

// maxProfiles bounds the profiles of a spec.
const maxProfiles = 32

// Load parses a spec, checks it under all its profiles, and lays it out as the options say. Errors name the file, the line and the
// key, and say what to do.
func Load(src Source, opts LoadOptions) (*Spec, error) {
	if err := CheckFile(src.File); err != nil {
		return nil, err
	}
	found := &spectree.Mistakes{File: src.File}
	spec, err := whole(src, found)
	if err != nil {
		return nil, err
	}
	root := spec.root
	if n := root.Find("profile"); n != nil && n.Table() == nil {
		found.Add(n.Place, "profile", "want a table of profiles, got %s; write [profile.quick]", spectree.Describe(n))
		return nil, found.Err()
	}
	profile := cmp.Or(opts.Profile, "paper")
	all := profileNames(root)
	if len(all) > maxProfiles {
		found.Add(root.Find("profile").Place, "profile", "has %d profiles, and the spec is checked under each of them; give %d or fewer", len(all), maxProfiles)
		return nil, found.Err()
	}
	if !slices.Contains(all, profile) {
		return nil, noProfile(src.File, profile, root, all)
	}
	src.ci = slices.Contains(all, CI)
	l := &loading{Source: src, root: root, found: found}
	s, known := l.layOut(profile, opts, all)
	if len(found.List) > 0 {
		return nil, found.Err()
	}
	s.Profile, s.Profiles = profile, all
	if root.Find("profile", profile) == nil {
		s.Profile = "paper"
	}
	if slices.ContainsFunc(opts.Set, func(edit string) bool { return !strings.HasPrefix(edit, "limits.") }) { // limits change no number
		s.Profile += EditedMark
	}
	var plan *Spec
	if slices.ContainsFunc(opts.Set, func(edit string) bool { return strings.Contains(edit, "seeds") || strings.Contains(edit, "planned") }) {
		plan, _ = l.build(profile, nil)
	}
	if err := s.narrow(opts, known, plan); err != nil {
		return nil, err
	}
	s.cells = sync.OnceValue(s.expand)
	return s, nil
}

// A loading is a spec while it is loaded: its source and its tree, the mistakes found so far and, once it is built, the spec at
// profile paper with the names that options may use.
type loading struct {
	Source
	root     *spectree.Node
	found    *spectree.Mistakes
	original *Spec
	paper    names
}

// layOut returns the spec at a profile with the edits of the options, and the names that options may use. It looks for contradictions
// in what it lays out and, unless tests do, in the spec at all its profiles.
func (l *loading) layOut(profile string, opts LoadOptions, all []string) (s *Spec, known names) {
	asPrinted, passed := profile == "paper" && len(opts.Set) == 0, l.Passed
	l.Passed = passed || l.Checked && !asPrinted
	l.original, l.paper = l.build("paper", nil)
	l.Passed = passed
	for _, name := range all {
		if len(l.found.List) > 0 || name == "paper" || l.Checked {
			continue
		}
		other, names := l.build(name, nil)
		if name == profile && len(opts.Set) == 0 {
			s, known = other, names
		}
	}
	if len(l.found.List) > 0 {
		return nil, l.paper
	}
	if asPrinted && len(opts.Methods) == 0 && opts.Seeds == 0 {
		s, known = new(*l.original), l.paper
	} else if s == nil {
		if s, known = l.build(profile, opts.Set); s == nil {
			return nil, l.paper
		}
	}
	l.original.scope, s.scope = nil, nil
	l.original.spread()
	s.Original = l.original
	return s, known
}

// noProfile returns the error that a spec lacks a profile.
func noProfile(file, profile string, root *spectree.Node, all []string) error {
	if profile != CI {
		return UnknownProfile{file, profile, all}
	}
	if why := root.Find("no_ci").Text(); why != "" {
		return fmt.Errorf("%s: has no profile ci, as its key no_ci says: %s; choose one of %s", file, why, strings.Join(all, ", "))
	}
	return fmt.Errorf("%s: has no profile ci; add a table [profile.ci] with a small problem and %d seeds or more, or choose one of %s",
		file, LeastSeedsCI, strings.Join(all, ", "))
}

// gone are keys that earlier versions had in a table or in the entries of one, with what to write instead.
var gone = []struct{ table, key, instead string }{
	{"figure", "style", "draw all figures with repro judge --style"},
	{"figure", "size", "draw all figures with repro judge --width"},
	{"figure", "font_size", "draw all figures with repro judge --font"},
	{"figure", "legend", "it is where it fits"},
	{"data.scale", "divide", `divide the numbers in the file, or write scale = "minmax"`},
}

// refuseGone finds the keys of a tree that earlier versions had.
func refuseGone(tree *spectree.Node, found *spectree.Mistakes) {
	for _, g := range gone {
		refuse := func(at *spectree.Node, path string) {
			if e := at.Find(g.key); e != nil {
				found.Add(e.Place, spectree.Join(path, g.key), "is no key of this version; remove it: %s", strings.Replace(g.instead, "repro judge", printed.Command("judge"), 1))
			}
		}
		table := tree.Find(strings.Split(g.table, ".")...)
		refuse(table, g.table)
		for i, entry := range table.Items() {
			refuse(entry, spectree.Entry(g.table, entry, i))
		}
	}
}

// build binds and checks the spec under one profile with edits. It also returns the names that options may use, including those of
// the paper profile.
func (l *loading) build(profile string, edits []string) (*Spec, names) {
	found := l.found
	tree := l.root.Profile(profile, found)
	for _, e := range edits {
		tree.Edit(e, found)
	}
	tree.Grid(found)
	listSeries(tree, found)
	refuseGone(tree, found)
	s := defaults()
	if len(found.List) > 0 {
		return nil, l.paper
	}
	own := printed.Each(tree.Find("metric").Items(), func(n *spectree.Node) string { return n.Find("name").Text() })
	strict.Decode(tree, s, "", map[string][]string{"metric": own, "curve": own, "abscissa": ownAbscissae(tree)}, found)
	s.meshes(tree)
	if tree.Find("evaluate", "metrics") == nil {
		for _, m := range s.Metrics {
			s.Evaluate.Metrics = append(s.Evaluate.Metrics, Measured{Name: m.Name})
		}
	}
	for i, n := range tree.Find("method").Items() {
		if t := n.Table(); t != nil && i < len(s.Methods) {
			s.Methods[i].Group, s.Methods[i].axes = t.Group, t.Axes
		}
	}
	if len(found.List) > 0 {
		return nil, l.paper
	}
	known := l.paper.with(s)
	s.File = l.File
	s.ID = s.Paper + "/" + nameOf(l.File)
	s.PaperInfo = claims.Paper{Key: s.Paper}
	s.tree, s.claims = tree, map[string]*spectree.Node{}
	for _, n := range tree.Find("claim").Items() {
		s.claims[spectree.IDOf(n)] = n
	}
	c := checker{Mistakes: found, source: l.Source, spec: s, tree: tree, known: known, varied: map[[2]string]string{}, settings: map[string]map[string]any{}, others: map[string]*Spec{}, full: profile == "paper" && len(edits) == 0}
	if l.Passed {
		c.publishedCurves()
	} else {
		c.check()
		c.repetitions()
		s.glyphs(tree, found)
	}
	if len(found.List) > 0 {
		return nil, known
	}
	s.settle()
	s.texts = s.textsOf(tree)
	s.fill(cmp.Or(l.original, s), found)
	return s, known
}

// repetitions checks the claims that say that they repeat another.
func (c checker) repetitions() {
	for i, n := range c.tree.Find("claim").Items() {
		e := n.Find("same_as")
		if e == nil || !c.full || c.source.lone || c.source.Checked || i >= len(c.spec.Claims) {
			continue
		}
		if wrong := c.repeats(&c.spec.Claims[i]); wrong != "" {
			c.Add(e.Place, spectree.Join(spectree.Entry("claim", n, i), "same_as"), "%s", wrong)
		}
	}
}

// repeats returns what is wrong with the claim that a claim says it repeats, empty if it is there and has the same number.
func (c checker) repeats(claim *claims.Claim) string {
	id, name, ok := strings.Cut(claim.SameAs, "#")
	if !ok || c.source.Find == nil {
		return fmt.Sprintf("%s is no claim of the catalog; write PAPER/EXPERIMENT#CLAIM", printed.Quote(claim.SameAs))
	}
	other, known := c.others[id]
	if !known {
		src, err := c.source.Find(id)
		if err != nil {
			return err.Error()
		}
		src.lone = true
		if other, err = Load(src, LoadOptions{}); err != nil {
			return err.Error()
		}
		c.others[id] = other
	}
	own := []claims.Claim{*claim}
	if split := claims.KindOf(claim.Kind).Split; split != nil {
		own = split(*claim)
	}
	for _, one := range own {
		_, theirs, _ := strings.Cut(one.SameAs, "#")
		i := slices.IndexFunc(other.Claims, func(k claims.Claim) bool { return k.ID == theirs })
		switch {
		case i < 0 && one.Kind == "column":
		case i < 0:
			return fmt.Sprintf("%s has no claim %s", id, printed.Quote(theirs))
		case other.Claims[i].SameAs != "":
			return fmt.Sprintf("%s repeats %s; name that one", claim.SameAs, other.Claims[i].SameAs)
		case one.Kind != "column" && (one.Number() != other.Claims[i].Number() || one.Metric != other.Claims[i].Metric || one.At != other.Claims[i].At):
			return fmt.Sprintf("%s of %s has the number %s of %s %s, not %s of %s %s", printed.Quote(name), id,
				other.Claims[i].Number(), other.Claims[i].Metric, other.Claims[i].At, one.Number(), one.Metric, one.At)
		}
	}
	return ""
}
