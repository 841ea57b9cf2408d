package experiments

import (
	"embed"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync"

	"repro/results"
)

// Specs are embedded as experiments/<paper>/<name>.toml.
//
//go:embed papers.toml */*.toml
var embedded embed.FS

// An Entry is one experiment of the catalog.
type Entry struct {
	ID       string // paper/name
	Paper    results.Paper
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

// LoadFS reads a spec from a file system as Load reads a user's own file.
func LoadFS(fsys fs.FS, name string, opts LoadOptions) (*Spec, error) {
	text, err := fs.ReadFile(fsys, name)
	if err != nil {
		return nil, err
	}
	return load(source{file: name, text: string(text), own: true}, opts)
}
