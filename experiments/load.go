package experiments

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// maxProfiles bounds the profiles of a spec.
const maxProfiles = 32

// load parses a source, checks it under every profile it has, and lays it out for one.
func load(src source, opts LoadOptions) (*Spec, error) {
	if err := CheckFile(src.file); err != nil {
		return nil, err
	}
	found := &mistakes{file: src.file}
	spec, err := whole(src, found)
	if err != nil {
		return nil, err
	}
	root := spec.root
	if n := root.find("profile"); n != nil && n.table() == nil {
		found.add(n.place, "profile", "want a table of profiles, got %s; write [profile.quick]", describe(n))
		return nil, found.err()
	}
	profile := opts.Profile
	if profile == "" {
		profile = "paper"
	}
	all := profileNames(root)
	if len(all) > maxProfiles {
		found.add(root.find("profile").place, "profile", "has %d profiles, and the spec is checked under each of them; give %d or fewer", len(all), maxProfiles)
		return nil, found.err()
	}
	if !slices.Contains(all, profile) {
		return nil, noProfile(src.file, profile, root, all)
	}
	src.ci = slices.Contains(all, CI)
	original, paper := build(src, root, "paper", nil, nil, names{}, found)
	for _, name := range all {
		if len(found.list) == 0 && name != "paper" {
			if s, _ := build(src, root, name, nil, original, paper, found); s != nil {
				s.literals(name, original, found)
			}
		}
	}
	if len(found.list) > 0 {
		return nil, found.err()
	}
	s, known := build(src, root, profile, opts.Set, original, paper, found)
	if len(found.list) > 0 {
		return nil, found.err()
	}
	original.scope, s.scope = nil, nil
	original.spread()
	s.original, s.Profile, s.Profiles = original, profile, all
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

// noProfile returns the error that a spec lacks a profile.
func noProfile(file, profile string, root *node, all []string) error {
	if profile != CI {
		return UnknownProfile{file, profile, all}
	}
	if why := root.find("no_ci").text(); why != "" {
		return fmt.Errorf("%s: has no profile ci, as its key no_ci says: %s; choose one of %s", file, why, strings.Join(all, ", "))
	}
	return fmt.Errorf("%s: has no profile ci; add a table [profile.ci] with a small problem and %d seeds or more, or choose one of %s",
		file, LeastSeedsCI, strings.Join(all, ", "))
}

// build binds and checks the spec under one profile with edits; original is the spec at profile paper, nil if it is this
// one. It also returns the names that options may use, including those of the paper profile.
func build(src source, root *node, profile string, edits []string, original *Spec, paper names, found *mistakes) (*Spec, names) {
	tree := withProfile(root, profile, found)
	for _, e := range edits {
		override(tree, e, found)
	}
	expandGrid(tree, found)
	listSeries(tree, found)
	s := defaults()
	if len(found.list) > 0 {
		return nil, paper
	}
	newBinder(found).value(tree, reflect.ValueOf(s).Elem(), "", constraint{})
	if len(found.list) > 0 {
		checker{mistakes: found, source: src, spec: s, tree: tree, known: paper.with(s), varied: map[[2]string]string{}}.checkBound()
		return nil, paper
	}
	known := paper.with(s)
	s.File = src.file
	s.ID = s.Paper + "/" + nameOf(src.file)
	s.claims = map[string]place{}
	for _, n := range tree.find("claim").items() {
		s.claims[idOf(n)] = n.place
	}
	checker{mistakes: found, source: src, spec: s, tree: tree, known: known, varied: map[[2]string]string{}, full: profile == "paper" && len(edits) == 0}.check()
	s.glyphs(tree, found)
	if len(found.list) > 0 {
		return nil, known
	}
	s.settle()
	s.texts = s.textsOf(tree)
	s.fill(cmp.Or(original, s), found)
	return s, known
}
