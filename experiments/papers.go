package experiments

import (
	"errors"
	"io/fs"
	"reflect"

	"repro/results/claims"
)

// papersOf reads the papers of a file system by key: those of its papers.toml, if it has one.
func papersOf(fsys fs.FS) (map[string]claims.Paper, error) {
	text, err := fs.ReadFile(fsys, "papers.toml")
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	root, err := parse("papers.toml", string(text))
	if err != nil {
		return nil, err
	}
	found := &mistakes{file: "papers.toml"}
	all := map[string]claims.Paper{}
	for _, key := range root.table().keys {
		paper := claims.Paper{Key: key}
		newBinder(found).value(root.find(key), reflect.ValueOf(&paper).Elem(), key, constraint{})
		all[key] = paper
	}
	return all, found.err()
}

// PaperInfo returns the spec's paper; of a paper that is not registered, its key alone.
func (s *Spec) PaperInfo() claims.Paper {
	if p, ok := papers[s.Paper]; ok {
		return p
	}
	return claims.Paper{Key: s.Paper}
}
