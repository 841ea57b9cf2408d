package catalog

import (
	"errors"
	"fmt"
	"os"
	"path"
	"slices"
	"strings"

	"repro/experiments"
	"repro/results/claims"
	"repro/results/printed"
	"repro/results/records"
)

// Resolve finds the specs that arguments name: ids, globs of ids such as "dai2014/*", and paths of
// .toml files on disk. Without arguments it returns the whole catalog. Each spec is listed once.
func Resolve(args []string) ([]Ref, error) {
	var refs []Ref
	add := func(r Ref) {
		if !slices.Contains(refs, r) {
			refs = append(refs, r)
		}
	}
	if len(args) == 0 {
		args = []string{"*/*"}
	}
	for _, arg := range args {
		if strings.HasSuffix(arg, ".toml") {
			if info, err := os.Stat(arg); err != nil {
				return nil, fmt.Errorf("%s: no such file; give a path, or an id without .toml", arg)
			} else if info.IsDir() {
				return nil, fmt.Errorf("%s: is a folder; give the path of a file", arg)
			}
			add(Ref{Path: arg})
			continue
		}
		named, err := match(arg)
		if err != nil {
			return nil, err
		}
		for _, id := range named {
			add(Ref{ID: id})
		}
	}
	return refs, nil
}

// match returns the ids of the catalog that a pattern matches.
func match(pattern string) ([]string, error) {
	var named []string
	for _, id := range ids() {
		ok, err := path.Match(pattern, id)
		if err != nil {
			return nil, fmt.Errorf("%s: not a pattern; use * and ? as in dai2014/*", printed.Quote(pattern))
		}
		if ok {
			named = append(named, id)
		}
	}
	if len(named) > 0 {
		return named, nil
	}
	choices := ids()
	for _, id := range ids() {
		if all := path.Dir(id) + "/*"; !slices.Contains(choices, all) {
			choices = append(choices, all)
		}
	}
	return nil, fmt.Errorf("unknown experiment %s; %s", printed.Quote(pattern), suggestID(pattern, choices))
}

// An Entry is one experiment of the catalog.
type Entry struct {
	ID       string // paper/name
	Paper    claims.Paper
	Title    string
	Source   string            // where in the paper
	Data     string            // the data set
	Profiles []string          // those it has
	Claims   []claims.Claim    // at profile paper
	Spec     *experiments.Spec // at profile paper

	Auxiliary bool // left out of a run that names no experiment
}

// Complete returns a verdict on every claim of the entry, as claims.Complete does.
func (e Entry) Complete(verdicts []claims.Verdict) []claims.Verdict {
	return claims.Complete(claims.Experiment{ID: e.ID, Paper: e.Paper, Data: e.Data, Claims: e.Claims}, verdicts)
}

// Entries lists the registered experiments in alphabetical order of their ids. It does not look for contradictions in specs that
// tests load.
func Entries() ([]Entry, error) {
	var entries []Entry
	refs, err := Resolve(nil)
	if err != nil {
		return nil, err
	}
	loaded, errs := make([]*experiments.Spec, len(refs)), make([]error, len(refs))
	records.Parallel(len(refs), func(i int) {
		src, err := refs[i].source()
		if errs[i] = err; err == nil {
			src.Passed = src.Checked
			loaded[i], errs[i] = load(src, experiments.LoadOptions{})
		}
	})
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	for _, s := range loaded {
		e := Entry{ID: s.ID, Paper: s.PaperInfo, Title: s.Title, Source: s.Source, Data: s.Data.Name, Profiles: s.Profiles, Claims: s.Claims, Auxiliary: s.Auxiliary, Spec: s}
		entries = append(entries, e)
	}
	return entries, nil
}
