package experiments

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"repro/datasets/regular"
)

// content returns the digests of a method's files. It leaves out those that cannot be read, and reports whether there are any.
func (e effective) content() (sums map[string]any, unread bool) {
	files := e.data().OwnFiles(e.spec.Dir())
	if program, ok := e.method.Configured.(*External); ok {
		maps.Copy(files, program.files(e.spec.Dir()))
	}
	if e.method.imported() {
		maps.Copy(files, e.spec.curveFiles())
	}
	sums = map[string]any{}
	for name, path := range files {
		sum, err := checksums.Of(path, regular.Sum)
		if err != nil {
			unread = true
			continue
		}
		sums[name] = sum
	}
	return sums, unread
}

// files returns the paths in a folder or below that the commands name, by their paths from there, without folders.
func (x *External) files(dir string) map[string]string {
	files := map[string]string{}
	root, err := filepath.Abs(dir)
	if err != nil {
		return files
	}
	for _, arg := range slices.Concat(append(x.Command.All(), x.Files)...) {
		path := arg
		if i := strings.Index(arg, "{dir}"); i >= 0 { // also behind an option, as in --script={dir}/fit.py
			path = Fill([]string{arg[i:]}, map[string]string{"dir": root})[0]
		}
		name, err := filepath.Rel(root, path)
		if err != nil || !filepath.IsAbs(path) || !filepath.IsLocal(name) {
			continue
		}
		if info, err := os.Stat(path); err != nil || !info.IsDir() {
			files[filepath.ToSlash(name)] = path
		}
	}
	return files
}

// checksums holds the SHA-256 of files in hexadecimal.
var checksums regular.Cache[string]
