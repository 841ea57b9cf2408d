package experiments

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"repro/results/files"
)

// modulesOf returns the modules that the Python scripts among some files import from beside themselves, and those that these import.
// It also returns the names of those that look for modules elsewhere, too, which is not followed.
func modulesOf(paths []string) (found, elsewhere []string) {
	var files, folders []string
	for _, path := range paths {
		if real, err := filepath.EvalSymlinks(path); err == nil && scriptOf(real).python { // Python looks beside the file that a link leads to
			files = append(files, real)
			folders = append(folders, filepath.Dir(real), packageFolder(real))
		}
	}
	slices.Sort(folders)
	folders = slices.Compact(folders)
	seen := map[string]bool{}
	for len(files) > 0 {
		file := files[0]
		if files = files[1:]; seen[file] {
			continue
		}
		seen[file] = true
		s := scriptOf(file)
		if s.elsewhere {
			elsewhere = append(elsewhere, filepath.Base(file))
		}
		for _, name := range s.imports {
			beside := besideOf(name, file, folders)
			found, files = append(found, beside...), append(files, beside...)
		}
	}
	return found, elsewhere
}

// packageFolder returns the folder from which the package of a module is imported: the first one above that is no package.
func packageFolder(file string) string {
	dir := filepath.Dir(file)
	for {
		if _, err := os.Stat(filepath.Join(dir, "__init__.py")); err != nil || dir == filepath.Dir(dir) {
			return dir
		}
		dir = filepath.Dir(dir)
	}
}

// besideOf returns the files that an import by a file reads, of those that are in the folders: a.b may be a/__init__.py and a/b.py.
// A name with dots before it is relative to the file.
func besideOf(name, file string, folders []string) (paths []string) {
	rest := strings.TrimLeft(name, ".")
	if up := len(name) - len(rest); up > 0 {
		dir := filepath.Dir(file)
		for range min(up-1, strings.Count(dir, string(filepath.Separator))) {
			dir = filepath.Dir(dir)
		}
		folders = []string{dir}
	}
	for _, dir := range folders {
		for part := range strings.SplitSeq(rest, ".") {
			dir = filepath.Join(dir, part)
			for _, path := range []string{dir + ".py", filepath.Join(dir, "__init__.py")} {
				if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
					paths = append(paths, path)
				}
			}
			if info, err := os.Stat(dir); err != nil || !info.IsDir() {
				break
			}
		}
	}
	return paths
}

// A script is what a file says of the modules that it needs.
type script struct {
	python    bool
	imports   []string // names of modules, and of what is taken from them, as in a.b of "from a import b"
	elsewhere bool     // it changes where modules are found, or imports them by a computed name
}

// scripts holds what was read.
var scripts files.Cache[script]

// mostScript is the longest script in bytes whose imports are followed.
const mostScript = 1 << 20

func scriptOf(path string) script {
	s, _ := scripts.Of(path, func(path string) (s script, err error) {
		text, err := files.ReadRegular(path, mostScript)
		if errors.Is(err, files.ErrLarge) {
			return s, nil
		}
		first, _, _ := bytes.Cut(text, []byte("\n"))
		s.python = filepath.Ext(path) == ".py" || bytes.HasPrefix(first, []byte("#!")) && bytes.Contains(first, []byte("python"))
		if s.python {
			s.imports, s.elsewhere = importsOf(string(text)), elsewhere.Match(text)
		}
		return s, err
	})
	return s
}

var (
	importing = regexp.MustCompile(`(?m)(?:^|[;:])[ \t]*(?:from[ \t]+(\.*[\pL\pN_.]*?)[ \t]*import\b[ \t]*(\([^)]*\)|[^\n;#]*)|import[ \t]+([^\n;#]+))`)
	comment   = regexp.MustCompile(`#[^\n]*`)
	elsewhere = regexp.MustCompile(`\bsys\.path\b|\bimport_module\(|\brunpy\.|\baddsitedir\(`)
)

// importsOf returns the modules that a Python text may import, by a look at its lines: in a text in quotes there may be more.
func importsOf(text string) (names []string) {
	text = strings.NewReplacer("\r", "", "\\\r\n", " ", "\\\n", " ").Replace(strings.TrimPrefix(text, "\ufeff"))
	for _, m := range importing.FindAllStringSubmatch(text, -1) {
		from, list := m[1], m[2]+m[3]
		if from != "" {
			names = append(names, from)
			if !strings.HasSuffix(from, ".") {
				from += "."
			}
		}
		for word := range strings.SplitSeq(comment.ReplaceAllString(strings.Trim(list, "() \t"), ""), ",") {
			if fields := strings.Fields(word); len(fields) > 0 && fields[0] != "*" {
				names = append(names, from+fields[0])
			}
		}
	}
	return names
}
