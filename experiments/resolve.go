package experiments

import (
	"errors"
	"fmt"
	"os"
	"path"
	"repro/results/claims"
	"repro/results/printed"
	"slices"
	"strings"
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
		ids, err := match(arg)
		if err != nil {
			return nil, err
		}
		for _, id := range ids {
			add(Ref{ID: id})
		}
	}
	return refs, nil
}

// match returns the ids of the catalog that a pattern matches.
func match(pattern string) ([]string, error) {
	var ids []string
	for _, id := range catalogIDs() {
		ok, err := path.Match(pattern, id)
		if err != nil {
			return nil, fmt.Errorf("%s: not a pattern; use * and ? as in dai2014/*", printed.Quote(pattern))
		}
		if ok {
			ids = append(ids, id)
		}
	}
	if len(ids) > 0 {
		return ids, nil
	}
	choices := catalogIDs()
	for _, id := range catalogIDs() {
		if all := path.Dir(id) + "/*"; !slices.Contains(choices, all) {
			choices = append(slices.Clone(choices), all)
		}
	}
	return nil, fmt.Errorf("unknown experiment %s; %s", printed.Quote(pattern), suggestID(pattern, choices))
}

// nearby is the number of ids that an error about an unknown one names.
const nearby = 5

// suggestID names the id that the user may have meant, or the nearest ones. It recognises a name without its paper and a paper
// without a name.
func suggestID(got string, choices []string) string {
	for _, id := range choices {
		if path.Base(id) == got || path.Dir(id) == strings.TrimSuffix(got, "/") && path.Base(id) == "*" {
			return fmt.Sprintf("did you mean %q?", id)
		}
	}
	hint := printed.Suggest(got, choices)
	if !strings.HasPrefix(hint, "choose") {
		return hint
	}
	if len(got) > printed.Longest {
		return printed.Command("list") + " shows all"
	}
	ids := slices.DeleteFunc(slices.Clone(choices), func(id string) bool { return path.Base(id) == "*" })
	distance := func(id string) int {
		name := printed.EditDistance(path.Base(got), path.Base(id))
		if path.Dir(got) != "." && path.Dir(got) != path.Dir(id) {
			name++ // of equal names, those of the same paper come first
		}
		return min(printed.EditDistance(got, id), name)
	}
	slices.SortStableFunc(ids, func(a, b string) int { return distance(a) - distance(b) })
	return fmt.Sprintf("the nearest are %s; %s shows all, or give the path of a .toml file", strings.Join(ids[:min(nearby, len(ids))], ", "), printed.Command("list"))
}

// An Entry is one experiment of the catalog.
type Entry struct {
	ID       string // paper/name
	Paper    claims.Paper
	Title    string
	Source   string   // where in the paper
	Data     string   // the data set
	Profiles []string // those it has
	Claims   []string // ids of its claims at profile paper

	Auxiliary bool // left out of a run that names no experiment
}

// Catalog lists the registered experiments in alphabetical order of their ids.
func Catalog() ([]Entry, error) {
	var entries []Entry
	refs, err := Resolve(nil)
	if err != nil {
		return nil, err
	}
	specs, errs := LoadAll(refs, LoadOptions{})
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	for _, s := range specs {
		e := Entry{ID: s.ID, Paper: s.PaperInfo(), Title: s.Title, Source: s.Source, Data: s.Data.Name, Profiles: s.Profiles, Auxiliary: s.Auxiliary}
		for _, c := range s.Claims {
			e.Claims = append(e.Claims, c.ID)
		}
		entries = append(entries, e)
	}
	return entries, nil
}
