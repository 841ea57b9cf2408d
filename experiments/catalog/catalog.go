// Package catalog holds the registered experiments and papers by name: it finds the specs that arguments name, loads them beside
// their sisters, and lists them.
package catalog

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"repro/experiments"
	"repro/experiments/spectree"
	"repro/experiments/strict"
	"repro/results/builds"
	"repro/results/claims"
	"repro/results/printed"
)

// specs holds the registered specs by id.
var specs = map[string]registered{}

// A registered spec is a file of a file system.
type registered struct {
	fs.FS
	module, folder string // of the file system in a checkout
}

// Own reports whether this program's own module registered the spec with an id, and not another that the program imports.
func Own(id string) bool { return specs[id].module == builds.Main() }

// Place returns the path of the file that a spec of the catalog was registered from, if it is in the checkout that has the
// working directory, and the given path if it is not.
func Place(file string) string {
	r := specs[strings.TrimSuffix(file, ".toml")]
	root, here := builds.Checkout()
	if found := filepath.Join(root, filepath.FromSlash(r.folder), filepath.FromSlash(file)); here != "" && here == r.module {
		if _, err := os.Stat(found); err == nil {
			return found
		}
	}
	return file
}

// Register adds specs to the catalog: the files <paper>/<name>.toml in the folder dir of a file system, whose ids are
// <paper>/<name>. If the folder has a papers.toml, Register adds its papers too. A package that
// embeds a folder specs calls Register from an init function:
//
//	//go:embed specs
//	var files embed.FS
//
//	func init() { catalog.Register(files, "specs") }
//
// The specs are read when they are first needed, so what they name (algorithms, data sets, kernels, losses)
// may be registered later. Commands without arguments are about those of the program's own module, see Own. dir is also the
// folder beside the file that makes this call. Register panics if an id or a paper is registered already, if papers.toml is
// wrong, or if there is nothing to register. It must not run beside other functions of this package.
func Register(fsys fs.FS, dir string) { register(fsys, dir, builds.Caller()) }

func register(fsys fs.FS, dir, by string) {
	module, folder := builds.ModuleOf(by)
	fsys, err := fs.Sub(fsys, dir)
	if err != nil {
		panic("catalog: " + err.Error())
	}
	files, err := fs.Glob(fsys, "*/*.toml")
	if err != nil {
		panic("catalog: " + err.Error())
	}
	found, err := papersOf(fsys, files)
	if err != nil {
		panic("catalog: " + err.Error())
	}
	if len(files)+len(found) == 0 {
		panic(fmt.Sprintf("catalog: nothing to register; a spec is a file <paper>/<name>.toml in the folder %s of the file system", dir))
	}
	for _, key := range slices.Sorted(maps.Keys(found)) {
		if _, taken := papers[key]; taken {
			panic(fmt.Sprintf("catalog: paper %s is registered twice", printed.Quote(key)))
		}
	}
	for _, file := range files {
		id := strings.TrimSuffix(file, ".toml")
		if _, taken := specs[id]; taken {
			panic(fmt.Sprintf("catalog: experiment %s is registered twice", printed.Quote(id)))
		}
		for _, part := range strings.Split(id, "/") {
			if !spectree.ValidID(part) {
				panic(fmt.Sprintf("catalog: %s cannot be part of an id; %s", printed.Quote(part), spectree.IDRule))
			}
		}
	}
	maps.Copy(papers, found)
	for _, file := range files {
		specs[strings.TrimSuffix(file, ".toml")] = registered{fsys, module, path.Join(folder, dir)}
	}
}

// ids lists the ids of the registered specs in alphabetical order.
func ids() []string { return slices.Sorted(maps.Keys(specs)) }

// find returns the spec of the catalog with an id.
func find(id string) (experiments.Source, error) {
	spec, known := specs[id]
	if !known {
		return experiments.Source{}, fmt.Errorf("unknown experiment %s; %s", printed.Quote(id), suggestID(id, ids()))
	}
	text, err := fs.ReadFile(spec, id+".toml")
	return experiments.Source{File: id + ".toml", Text: string(text), Catalog: true, Files: spec.FS, Checked: spec.module == builds.Repro(), Find: find}, err
}

// nearby is the number of ids that an error about an unknown one names.
const nearby = 5

// suggestID names the id that the user may have meant, or the nearest ones. It recognises a name without its paper and a paper
// without a name.
func suggestID(got string, choices []string) string {
	if got == experiments.CI || slices.Contains(experiments.Profiles, got) {
		return fmt.Sprintf("did you mean --profile %s?", got)
	}
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
	near := slices.DeleteFunc(slices.Clone(choices), func(id string) bool { return path.Base(id) == "*" })
	distance := func(id string) int {
		name := printed.EditDistance(path.Base(got), path.Base(id))
		if path.Dir(got) != "." && path.Dir(got) != path.Dir(id) {
			name++ // of equal names, those of the same paper come first
		}
		return min(printed.EditDistance(got, id), name)
	}
	slices.SortStableFunc(near, func(a, b string) int { return distance(a) - distance(b) })
	return fmt.Sprintf("the nearest are %s; %s shows all, or give the path of a .toml file", strings.Join(near[:min(nearby, len(near))], ", "), printed.Command("list"))
}

// papers holds the registered papers by key.
var papers = map[string]claims.Paper{}

// papersOf reads the papers of a file system by key: those of its papers.toml, if it has one. The experiments of a paper
// that has rows, which are among the files, belong to one row each.
func papersOf(fsys fs.FS, files []string) (map[string]claims.Paper, error) {
	text, err := fs.ReadFile(fsys, "papers.toml")
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	root, err := spectree.Parse("papers.toml", string(text))
	if err != nil {
		return nil, err
	}
	found := &spectree.Mistakes{File: "papers.toml"}
	all := map[string]claims.Paper{}
	for _, key := range root.Table().Keys {
		paper := claims.Paper{Key: key}
		strict.Decode(root.Find(key), &paper, key, nil, found)
		if len(paper.Rows) > 0 {
			checkRows(found, root.Find(key), paper, files)
		}
		all[key] = paper
	}
	return all, found.Err()
}

// checkRows notes mistakes in the rows of a paper whose specs are among the given files.
func checkRows(found *spectree.Mistakes, n *spectree.Node, paper claims.Paper, files []string) {
	at := n.Find("row").Place
	used := map[string]bool{}
	var experiments []string
	for _, file := range files {
		if name, ok := strings.CutPrefix(file, paper.Key+"/"); ok {
			experiments = append(experiments, strings.TrimSuffix(name, ".toml"))
		}
	}
	for i, r := range paper.Rows {
		at := n.Find("row").Items()[i].Place
		if used[r.ID] {
			found.Add(at, paper.Key+".row.id", "%s is used twice; rename one of the two", printed.Quote(r.ID))
		}
		used[r.ID] = true
		for _, pattern := range slices.Concat(r.Experiments, r.Takes) {
			name, _, _ := strings.Cut(pattern, "#")
			if !slices.ContainsFunc(experiments, func(e string) bool { return claims.Row{Experiments: []string{name}}.Has(e) }) {
				found.Add(at, paper.Key+".row", "there is no experiment %s; %s", printed.Quote(name), printed.Suggest(name, experiments))
			}
		}
	}
	for _, e := range experiments {
		var rows []string
		for _, r := range paper.Rows {
			if r.Has(e) {
				rows = append(rows, printed.Quote(r.ID))
			}
		}
		switch {
		case len(rows) == 0:
			found.Add(at, paper.Key+".row", "experiment %s belongs to no row; add it to the experiments of one", printed.Quote(e))
		case len(rows) > 1:
			found.Add(at, paper.Key+".row", "experiment %s belongs to rows %s; leave it out of all but one", printed.Quote(e), strings.Join(rows, ", "))
		}
	}
}

// Papers lists the registered papers in alphabetical order of their keys.
func Papers() []claims.Paper {
	return slices.SortedFunc(maps.Values(papers), func(a, b claims.Paper) int { return cmp.Compare(a.Key, b.Key) })
}
