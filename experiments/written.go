package experiments

import (
	"path/filepath"
	"strings"

	"repro/experiments/spectree"
)

// Written returns the text of a spec in full: that of its file or, if it has a base, all of it laid out, without comments. It can
// be loaded without any other spec. files are the texts that it was made of, by their paths from the spec's folder; those of
// specs of the catalog by their ids.
func Written(src Source) (text []byte, files map[string][]byte, err error) {
	spec, err := whole(src, &spectree.Mistakes{File: src.File})
	if err != nil {
		return nil, nil, err
	}
	files = map[string][]byte{}
	var names []string
	for _, s := range spec.files {
		name := filepath.Base(s.File)
		if rel, err := filepath.Rel(filepath.Dir(src.File), s.File); s.Catalog {
			name = s.File
		} else if err == nil {
			name = filepath.ToSlash(rel)
		}
		files[name] = []byte(s.Text)
		names = append(names, name)
	}
	if len(spec.files) == 1 && !spec.read {
		return []byte(src.Text), files, nil
	}
	return append([]byte("# "+strings.Join(names, " over ")+", laid out\n"), spec.root.TOML()...), files, nil
}
