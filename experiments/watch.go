package experiments

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"repro/experiments/spectree"
	"repro/results/files"
	"repro/results/printed"
)

// mostFiles and mostBytes bound what an entry of files matches, so that a folder with an environment or with data is not read in
// silence. A command may name larger files, which are not watched.
const mostFiles, mostBytes = 1000, 1 << 30

// watched are the files of an external method. A change of one runs its cells again.
type watched struct {
	root  string            // the spec's folder
	paths map[string]string // by the names under which the settings have their SHA-256; of some there is no file
	wrong map[int]string    // what is wrong with entries of files
	not   []string          // what is not watched, in words
}

// watch finds the files that commands and files name, and the modules that Python scripts among them import from beside themselves.
func (x *External) watch(dir string) *watched {
	w := &watched{paths: map[string]string{}, wrong: map[int]string{}}
	var err error
	if w.root, err = filepath.Abs(dir); err != nil {
		return w
	}
	for _, command := range x.Command.All() {
		for i, arg := range command {
			w.argument(arg, i == 0)
		}
		if interpreter.MatchString(filepath.Base(command[0])) {
			options := command[1:]
			for len(options) > 1 && strings.HasPrefix(options[0], "-") && options[0] != "-m" {
				options = options[1:]
			}
			if len(options) > 1 && options[0] == "-m" {
				w.not = append(w.not, "the module "+options[1])
			}
		}
	}
	for i, name := range x.Files {
		if why := w.entry(name); why != "" {
			w.wrong[i] = why
			w.paths[name] = w.of(name)
		}
	}
	w.modules()
	if len(x.Files) > 0 {
		w.not = nil // the user has said what else there is
	}
	return w
}

// interpreter matches programs that run others. They are installed, as is a program that is named without a folder.
var interpreter = regexp.MustCompile(`^(python|pypy|Rscript|R|julia|node|deno|bun|java|ruby|perl|lua|octave|matlab|bash|sh|zsh|env)[\d.]*(\.exe)?$`)

// of returns the path of a name in files, which is relative to the spec's folder unless it is absolute. The path is not cleaned: behind
// a link to a folder .. is the parent of that folder.
func (w *watched) of(name string) string {
	name = Fill([]string{name}, map[string]string{"dir": w.root})[0]
	if filepath.IsAbs(name) {
		return name
	}
	return w.root + string(filepath.Separator) + name
}

// add takes in a file under its path from a folder, or under its own path if it is absolute and elsewhere.
func (w *watched) add(from, path string, absolute bool) {
	name, err := filepath.Rel(from, path)
	if err != nil || absolute && !filepath.IsLocal(name) {
		name = path
	}
	w.paths[filepath.ToSlash(name)] = path
}

// argument takes in the file that an argument of a command names, also behind an option, as in --script={dir}/fit.py. Folders are left
// out: they may be those that the program writes to.
func (w *watched) argument(arg string, program bool) {
	path := arg
	i := strings.Index(arg, "{dir}")
	if _, value, ok := strings.Cut(arg, "="); ok && i < 0 && filepath.IsAbs(value) {
		path = value
	}
	if i >= 0 {
		path = w.of(arg[i:])
	}
	if !filepath.IsAbs(path) || i < 0 && program && interpreter.MatchString(filepath.Base(path)) {
		return
	}
	switch info, err := os.Stat(path); {
	case err != nil:
		if i >= 0 {
			w.not = append(w.not, fmt.Sprintf("what %s stands for", printed.Quote(arg)))
		}
		w.add(w.root, path, i < 0)
	case info.IsDir() && i >= 0:
		w.not = append(w.not, "the folder "+printed.Quote(arg))
	case !info.Mode().IsRegular():
	case info.Size() > mostBytes:
		w.not = append(w.not, fmt.Sprintf("%s, which has more than %s", printed.Quote(arg), printed.Bytes(mostBytes)))
	default:
		w.add(w.root, path, i < 0)
	}
}

// entry takes in what an entry of files names: a file, the files of a folder and of those in it, or the files that match a pattern.
// It returns what is wrong with the entry.
func (w *watched) entry(name string) string {
	from := w.of(name)
	var found []string
	var err error
	switch info, missing := os.Stat(from); {
	case missing == nil && info.IsDir():
		if rel, err := filepath.Rel(from, w.root); err == nil && filepath.IsLocal(rel) {
			return `holds the spec, and beside it runs may write their results; name what has the code, such as "{dir}/*.py"`
		}
		found, err = filesBelow(from)
	case missing == nil && !info.Mode().IsRegular():
		return "is " + files.Kind(info.Mode()) + ", not a file"
	case missing == nil:
		found = []string{from}
	default:
		found, err = w.matching(name)
	}
	if err != nil {
		return err.Error()
	}
	bytes := int64(0)
	for _, path := range found {
		if info, err := os.Stat(path); err == nil {
			bytes += info.Size()
		}
	}
	switch {
	case len(found) > mostFiles:
		return fmt.Sprintf(`matches more than %d files; name those that have code, such as "{dir}/src/*.py"`, mostFiles)
	case bytes > mostBytes:
		return fmt.Sprintf("matches files of %s, more than %s; name those that have code", printed.Bytes(float64(bytes)), printed.Bytes(mostBytes))
	case len(found) == 0:
		return "matches no file" + hint(name)
	}
	for _, path := range found {
		w.add(w.root, path, filepath.IsAbs(name))
	}
	return ""
}

// hint says what may be the matter with a name that matches nothing.
func hint(name string) string {
	if strings.Contains(name, `\`) && filepath.Separator == '/' {
		return "; write / between folders"
	}
	return "; correct the name, which is relative to the spec's folder"
}

// matching returns the files that match a pattern, without hidden ones.
func (w *watched) matching(name string) (found []string, err error) {
	name = filepath.ToSlash(name)
	meta := strings.IndexAny(name, "*?[")
	switch {
	case meta < 0:
		return nil, nil
	case strings.Contains(name, "**"):
		return nil, errors.New("has **, which is not known; name the folder, which stands for all files below it")
	}
	first := strings.LastIndexByte(name[:meta], '/') + 1
	folder := w.of(name[:first]) // whose own name may have such letters
	all, err := fs.Glob(os.DirFS(folder), name[first:])
	if err != nil {
		return nil, fmt.Errorf("is no pattern: %w", err)
	}
	for _, match := range all {
		if info, err := os.Stat(folder + match); err == nil && info.Mode().IsRegular() && !skipped(path.Base(match)) {
			found = append(found, folder+match)
		}
	}
	return found, nil
}

// skipped reports whether a folder or a pattern leaves a name out: hidden ones, and what Python writes beside its modules.
func skipped(name string) bool {
	return strings.HasPrefix(name, ".") || name == "__pycache__" || strings.HasSuffix(name, ".pyc")
}

// filesBelow returns the files in a folder and in those below, at most one more than mostFiles.
func filesBelow(folder string) (found []string, err error) {
	top, err := filepath.EvalSymlinks(folder)
	if err != nil {
		return nil, err
	}
	err = filepath.WalkDir(top, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := folder + strings.TrimPrefix(path, top)
		if path != top && skipped(d.Name()) {
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		if d.IsDir() {
			return nil
		}
		info, err := os.Stat(path)
		switch {
		case err != nil: // a link to nothing
			return nil
		case info.IsDir():
			return fmt.Errorf("has a link to a folder, %s; name that folder beside it", filepath.ToSlash(d.Name()))
		case info.Mode().IsRegular():
			found = append(found, name)
		}
		if len(found) > mostFiles {
			return fs.SkipAll
		}
		return nil
	})
	return found, err
}

// modules adds the modules that Python scripts import from beside themselves.
func (w *watched) modules() {
	root, err := filepath.EvalSymlinks(w.root)
	if err != nil {
		return
	}
	found, elsewhere := modulesOf(slices.Sorted(maps.Values(w.paths)))
	for _, path := range found {
		w.add(root, path, false)
	}
	for _, name := range elsewhere {
		w.not = append(w.not, "modules that "+name+" finds by a path of its own")
	}
}

// CheckPrograms returns an error that names the entries of files which match nothing, or too much.
func (s *Spec) CheckPrograms() error {
	found := &spectree.Mistakes{File: s.File}
	for i, n := range s.tree.Find("method").Items() {
		k := slices.IndexFunc(s.Methods, func(m Method) bool { return m.ID == spectree.IDOf(n) })
		if k < 0 {
			continue
		}
		program, ok := s.Methods[k].Configured.(*External)
		if !ok || len(program.Files) == 0 {
			continue
		}
		wrong := program.watch(s.Dir()).wrong
		for j, name := range program.Files {
			if why := wrong[j]; why != "" {
				at := spectree.At(n, "files")
				if entries := n.Find("files").Items(); j < len(entries) {
					at = entries[j].Place
				}
				found.Add(at, spectree.Entry("method", n, i)+".files", "%s %s", printed.Quote(name), why)
			}
		}
	}
	return found.Err()
}
