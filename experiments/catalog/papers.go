package catalog

import (
	"cmp"
	"errors"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"repro/experiments/spectree"
	"repro/experiments/strict"
	"repro/results/claims"
	"repro/results/printed"
)

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
