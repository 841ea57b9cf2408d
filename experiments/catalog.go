package experiments

import (
	"embed"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"sync"

	"repro/experiments/spectree"
	"repro/results/claims"
	"repro/results/printed"
)

//go:embed papers.toml */*.toml
var builtin embed.FS

func init() { Register(builtin) }

// The catalog holds the file systems of the registered specs by id, and the registered papers by key.
var (
	catalog = map[string]fs.FS{}
	papers  = map[string]claims.Paper{}
)

// catalogCasts holds the casts of the specs of the catalog that were loaded, by id.
var catalogCasts sync.Map

// Register adds specs to the catalog: the files <paper>/<name>.toml of a file system, whose ids are
// <paper>/<name>. If the file system has a papers.toml, Register adds its papers too. A package that
// embeds specs calls Register from an init function:
//
//	//go:embed papers.toml */*.toml
//	var specs embed.FS
//
//	func init() { experiments.Register(specs) }
//
// The specs are read when they are first needed, so what they name (algorithms, data sets, kernels, losses)
// may be registered later. Register panics if an id or a paper is registered already, if papers.toml is
// wrong, or if there is nothing to register. It must not run beside other functions of this package.
func Register(fsys fs.FS) {
	found, err := papersOf(fsys)
	if err != nil {
		panic("experiments: " + err.Error())
	}
	files, err := fs.Glob(fsys, "*/*.toml")
	if err != nil {
		panic("experiments: " + err.Error())
	}
	if len(files)+len(found) == 0 {
		panic("experiments: nothing to register; a spec is a file <paper>/<name>.toml of the file system, see fs.Sub")
	}
	for _, key := range slices.Sorted(maps.Keys(found)) {
		if _, taken := papers[key]; taken {
			panic(fmt.Sprintf("experiments: paper %s is registered twice", printed.Quote(key)))
		}
	}
	for _, file := range files {
		id := strings.TrimSuffix(file, ".toml")
		if catalog[id] != nil {
			panic(fmt.Sprintf("experiments: experiment %s is registered twice", printed.Quote(id)))
		}
		for _, part := range strings.Split(id, "/") {
			if !spectree.ValidID(part) {
				panic(fmt.Sprintf("experiments: %s cannot be part of an id; %s", printed.Quote(part), spectree.IDRule))
			}
		}
	}
	maps.Copy(papers, found)
	for _, file := range files {
		catalog[strings.TrimSuffix(file, ".toml")] = fsys
	}
}

// catalogIDs lists the ids of the registered specs in alphabetical order.
func catalogIDs() []string { return slices.Sorted(maps.Keys(catalog)) }

// Text returns the TOML text of a spec of the catalog.
func Text(id string) ([]byte, error) {
	fsys := catalog[id]
	if fsys == nil {
		return nil, fmt.Errorf("unknown experiment %s; %s", printed.Quote(id), suggestID(id, catalogIDs()))
	}
	return fs.ReadFile(fsys, id+".toml")
}
