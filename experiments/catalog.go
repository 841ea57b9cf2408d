package experiments

import (
	"embed"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"

	"repro/results/claims"
)

// Specs are embedded as experiments/<paper>/<name>.toml.
//
//go:embed papers.toml */*.toml
var embedded embed.FS

// An Entry is one experiment of the catalog.
type Entry struct {
	ID       string // paper/name
	Paper    claims.Paper
	Title    string
	Source   string   // where in the paper
	Data     string   // the data set
	Profiles []string // those it has
	Claims   int      // number of claims

	Auxiliary bool // left out of a run that names no experiment
}

// Catalog lists the experiments that come with the program, in alphabetical order of their ids.
func Catalog() ([]Entry, error) {
	var entries []Entry
	for _, id := range catalogIDs() {
		src, err := embeddedSource(id)
		if err != nil {
			return nil, err
		}
		s, err := load(src, LoadOptions{})
		if err != nil {
			return nil, err
		}
		entries = append(entries, Entry{
			ID: s.ID, Paper: s.PaperInfo(), Title: s.Title, Source: s.Source,
			Data: s.Data.Name, Profiles: s.Profiles, Claims: len(s.Claims),
			Auxiliary: s.Auxiliary,
		})
	}
	return entries, nil
}

// catalogIDs lists the ids of the embedded specs.
var catalogIDs = sync.OnceValue(func() []string {
	files, err := fs.Glob(embedded, "*/*.toml")
	if err != nil {
		panic("experiments: " + err.Error())
	}
	ids := make([]string, len(files))
	for i, f := range files {
		ids[i] = strings.TrimSuffix(f, ".toml")
	}
	slices.Sort(ids)
	return ids
})

func embeddedSource(id string) (source, error) {
	file := id + ".toml"
	text, err := embedded.ReadFile(file)
	return source{file: file, text: string(text)}, err
}

// Text returns the TOML text of a spec of the catalog.
func Text(id string) ([]byte, error) {
	src, err := embeddedSource(id)
	if err != nil {
		return nil, unknownID(id)
	}
	return []byte(src.text), nil
}

func unknownID(id string) error {
	return fmt.Errorf("unknown experiment %s; %s", quote(id), suggestID(id, catalogIDs()))
}

// papers are the entries of papers.toml by key.
var papers = sync.OnceValue(func() map[string]claims.Paper {
	text, err := embedded.ReadFile("papers.toml")
	if err != nil {
		panic("experiments: " + err.Error())
	}
	root, err := parse("papers.toml", string(text))
	if err != nil {
		panic("experiments: " + err.Error())
	}
	p := &problems{file: "papers.toml"}
	all := map[string]claims.Paper{}
	for _, key := range root.table().keys {
		paper := claims.Paper{Key: key}
		binder{p}.value(root.find(key), reflect.ValueOf(&paper).Elem(), key, constraint{})
		all[key] = paper
	}
	if err := p.err(); err != nil {
		panic("experiments: " + err.Error())
	}
	return all
})

func paperKeys() []string { return slices.Sorted(maps.Keys(papers())) }

// Papers lists the papers of papers.toml in alphabetical order of their keys.
func Papers() []claims.Paper {
	var all []claims.Paper
	for _, key := range paperKeys() {
		all = append(all, papers()[key])
	}
	return all
}

// PaperInfo returns the spec's paper, with nothing but its key if it is not in papers.toml.
func (s *Spec) PaperInfo() claims.Paper {
	if p, ok := papers()[s.Paper]; ok {
		return p
	}
	return claims.Paper{Key: s.Paper}
}

// A Ref names a spec: one of the catalog by ID, or a file on disk by Path.
type Ref struct {
	ID   string // of the catalog; empty for a file on disk, whose id is in the file
	Path string // of a file on disk
}

func (r Ref) String() string { return r.ID + r.Path }

// Resolve finds the specs that arguments name: ids, globs of ids such as "dai2014/*", and paths of
// .toml files on disk. Without arguments it returns the whole catalog. What is named twice comes once.
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
			return nil, fmt.Errorf("%s: not a pattern; use * and ? as in dai2014/*", quote(pattern))
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
	return nil, fmt.Errorf("unknown experiment %s; %s", quote(pattern), suggestID(pattern, choices))
}

// suggestID also knows a name without its paper, and a paper without a name.
func suggestID(got string, choices []string) string {
	for _, id := range choices {
		if path.Base(id) == got || path.Dir(id) == strings.TrimSuffix(got, "/") && path.Base(id) == "*" {
			return fmt.Sprintf("did you mean %q?", id)
		}
	}
	hint := suggest(got, choices)
	if strings.HasPrefix(hint, "choose") {
		hint += ", or give the path of a .toml file"
	}
	return hint
}

// Load reads the spec a reference names, checks it under all its profiles, and lays it out as the
// options say. Errors name the file, the line and the key, and what to do.
func Load(ref Ref, opts LoadOptions) (*Spec, error) {
	if ref.Path == "" {
		src, err := embeddedSource(ref.ID)
		if err != nil {
			return nil, unknownID(ref.ID)
		}
		return load(src, opts)
	}
	text, err := os.ReadFile(ref.Path)
	if err != nil {
		return nil, err
	}
	return load(source{file: ref.Path, text: string(text), own: true}, opts)
}

// LoadFS reads a spec from a file system as Load reads a user's own file.
func LoadFS(fsys fs.FS, name string, opts LoadOptions) (*Spec, error) {
	text, err := fs.ReadFile(fsys, name)
	if err != nil {
		return nil, err
	}
	return load(source{file: name, text: string(text), own: true}, opts)
}

// Dir returns the folder that data.file is relative to.
func (s *Spec) Dir() string { return filepath.Dir(s.File) }
