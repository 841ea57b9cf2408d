package experiments

import (
	"path/filepath"
	"repro/experiments/spectree"
	"strings"
)

// Written returns the text of a spec in full: that of its file or, if it has a base, all of it laid out, without comments. It can
// be loaded without any other spec. files are the texts that it was made of, by their paths from the spec's folder; those of
// specs of the catalog by their ids.
func Written(ref Ref) (text []byte, files map[string][]byte, err error) {
	src, err := ref.source()
	if err != nil {
		return nil, nil, err
	}
	spec, err := whole(src, &spectree.Mistakes{File: src.file})
	if err != nil {
		return nil, nil, err
	}
	files = map[string][]byte{}
	var names []string
	for _, s := range spec.files {
		name := filepath.Base(s.file)
		if rel, err := filepath.Rel(filepath.Dir(src.file), s.file); s.catalog {
			name = s.file
		} else if err == nil {
			name = filepath.ToSlash(rel)
		}
		files[name] = []byte(s.text)
		names = append(names, name)
	}
	if len(spec.files) == 1 {
		return []byte(src.text), files, nil
	}
	return append([]byte("# "+strings.Join(names, " over ")+", laid out\n"), spec.root.TOML()...), files, nil
}
