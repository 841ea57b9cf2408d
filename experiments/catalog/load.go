package catalog

import (
	"errors"
	"fmt"
	"os"
	"path"
	"slices"
	"strings"
	"sync"

	"repro/experiments"
	"repro/results/claims"
	"repro/results/printed"
	"repro/results/records"
)

// A Ref names a spec: one of the catalog by ID, or a file on disk by Path.
type Ref struct {
	ID   string // of the catalog; empty for a file on disk, whose id is in the file
	Path string // of a file on disk
}

func (r Ref) String() string { return r.ID + r.Path }

// source reads the file that a reference names.
func (r Ref) source() (experiments.Source, error) {
	if r.Path == "" {
		return find(r.ID)
	}
	return experiments.ReadSource(r.Path, find)
}

// Load reads the spec a reference names, checks it under all its profiles, and lays it out as the
// options say. Errors name the file, the line and the key, and say what to do.
func Load(ref Ref, opts experiments.LoadOptions) (*experiments.Spec, error) {
	src, err := ref.source()
	if err != nil {
		return nil, err
	}
	return load(src, opts)
}

// LoadAll loads specs side by side, as Load does but for contradictions: those of specs that tests load at every profile are looked for
// only if the options edit them. The error of refs[i], nil if it has none, is errs[i].
func LoadAll(refs []Ref, opts experiments.LoadOptions) (loaded []*experiments.Spec, errs []error) {
	loaded, errs = make([]*experiments.Spec, len(refs)), make([]error, len(refs))
	records.Parallel(len(refs), func(i int) {
		src, err := refs[i].source()
		if errs[i] = err; err == nil {
			src.Passed = src.Checked && len(opts.Set) == 0
			loaded[i], errs[i] = load(src, opts)
		}
	})
	return loaded, errs
}

// LoadText lays out a spec whose text is not on disk, such as that of a bundle. Errors name the file; its name is that of the
// experiment, and its folder is the one that files of the spec are relative to.
func LoadText(file string, text []byte, opts experiments.LoadOptions) (*experiments.Spec, error) {
	return load(experiments.Source{File: file, Text: string(text), Find: find}, opts)
}

// Written returns the text of a spec in full, and the texts that it was made of, as experiments.Written does.
func Written(ref Ref) (text []byte, files map[string][]byte, err error) {
	src, err := ref.source()
	if err != nil {
		return nil, nil, err
	}
	return experiments.Written(src)
}

// WrittenText is Written for the text of a spec whose file has the given path.
func WrittenText(file string, text []byte) (written []byte, files map[string][]byte, err error) {
	return experiments.Written(experiments.Source{File: file, Text: string(text), Find: find})
}

// casts holds the casts of the specs of the catalog that were loaded, by id.
var casts sync.Map

// load lays out a spec and adds what the catalog knows of its paper.
func load(src experiments.Source, opts experiments.LoadOptions) (*experiments.Spec, error) {
	s, err := experiments.Load(src, opts)
	if err != nil {
		return nil, err
	}
	if src.Catalog {
		casts.Store(s.ID, s.Original.OwnCasts())
	}
	if p, ok := papers[s.Paper]; ok {
		s.PaperInfo = p
	}
	s.Casts = func() []claims.Cast { return castsBeside(s) }
	return s, nil
}

// gathering makes figures that are drawn at the same time load the specs of their paper once.
var gathering sync.Mutex

// castsBeside returns the casts of the figures of the paper's experiments in the catalog, in the order of their ids, and those of
// the spec's own figures if it is not in the catalog. It loads the specs that were not loaded before, side by side.
func castsBeside(s *experiments.Spec) []claims.Cast {
	gathering.Lock()
	defer gathering.Unlock()
	sisters := slices.DeleteFunc(ids(), func(id string) bool { return !strings.HasPrefix(id, s.Paper+"/") })
	var unknown []Ref
	for _, id := range sisters {
		if _, known := casts.Load(id); !known {
			unknown = append(unknown, Ref{ID: id})
		}
	}
	LoadAll(unknown, experiments.LoadOptions{}) // whoever runs a spec sees its mistakes
	var all []claims.Cast
	for _, id := range sisters {
		if known, ok := casts.Load(id); ok {
			all = append(all, known.([]claims.Cast)...)
		}
	}
	if _, registered := specs[s.ID]; !registered {
		all = append(all, s.OwnCasts()...)
	}
	return all
}

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

// Case returns the case of the entry from verdicts on some of its claims, as claims.Complete does.
func (e Entry) Case(verdicts []claims.Verdict) claims.Case {
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
	loaded, errs := LoadAll(refs, experiments.LoadOptions{})
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	for _, s := range loaded {
		e := Entry{ID: s.ID, Paper: s.PaperInfo, Title: s.Title, Source: s.Source, Data: s.Data.Name, Profiles: s.Profiles, Claims: s.Claims, Auxiliary: s.Auxiliary, Spec: s}
		entries = append(entries, e)
	}
	return entries, nil
}
