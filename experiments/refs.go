package experiments

import (
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"repro/datasets/regular"
	"repro/results/printed"
	"repro/results/records"
)

// A Ref names a spec: one of the catalog by ID, or a file on disk by Path.
type Ref struct {
	ID   string // of the catalog; empty for a file on disk, whose id is in the file
	Path string // of a file on disk
}

func (r Ref) String() string { return r.ID + r.Path }

// Resolve finds the specs that arguments name: ids, globs of ids such as "dai2014/*", and paths of
// .toml files on disk. Without arguments it returns the whole catalog. Each spec is listed once.
func Resolve(args []string) ([]Ref, error) {
	var refs []Ref
	add := func(r Ref) {
		if !slices.Contains(refs, r) {
			refs = append(refs, r)
		}
	}
	if len(args) == 0 {
		args = []string{"*/*"}
	}
	for _, arg := range args {
		if strings.HasSuffix(arg, ".toml") {
			if info, err := os.Stat(arg); err != nil {
				return nil, fmt.Errorf("%s: no such file; give a path, or an id without .toml", arg)
			} else if info.IsDir() {
				return nil, fmt.Errorf("%s: is a folder; give the path of a file", arg)
			}
			add(Ref{Path: arg})
			continue
		}
		ids, err := match(arg)
		if err != nil {
			return nil, err
		}
		for _, id := range ids {
			add(Ref{ID: id})
		}
	}
	return refs, nil
}

// match returns the ids of the catalog that a pattern matches.
func match(pattern string) ([]string, error) {
	var ids []string
	for _, id := range catalogIDs() {
		ok, err := path.Match(pattern, id)
		if err != nil {
			return nil, fmt.Errorf("%s: not a pattern; use * and ? as in dai2014/*", quote(pattern))
		}
		if ok {
			ids = append(ids, id)
		}
	}
	if len(ids) > 0 {
		return ids, nil
	}
	choices := catalogIDs()
	for _, id := range catalogIDs() {
		if all := path.Dir(id) + "/*"; !slices.Contains(choices, all) {
			choices = append(slices.Clone(choices), all)
		}
	}
	return nil, fmt.Errorf("unknown experiment %s; %s", quote(pattern), suggestID(pattern, choices))
}

// nearby is the number of ids that an error about an unknown one names.
const nearby = 5

// suggestID names the id that the user may have meant, or the nearest ones. It recognises a name without its paper and a paper
// without a name.
func suggestID(got string, choices []string) string {
	for _, id := range choices {
		if path.Base(id) == got || path.Dir(id) == strings.TrimSuffix(got, "/") && path.Base(id) == "*" {
			return fmt.Sprintf("did you mean %q?", id)
		}
	}
	hint := Suggest(got, choices)
	if !strings.HasPrefix(hint, "choose") {
		return hint
	}
	if len(got) > maxSuggest {
		return printed.Command("list") + " shows all"
	}
	ids := slices.DeleteFunc(slices.Clone(choices), func(id string) bool { return path.Base(id) == "*" })
	distance := func(id string) int {
		name := editDistance(path.Base(got), path.Base(id))
		if path.Dir(got) != "." && path.Dir(got) != path.Dir(id) {
			name++ // of equal names, those of the same paper come first
		}
		return min(editDistance(got, id), name)
	}
	slices.SortStableFunc(ids, func(a, b string) int { return distance(a) - distance(b) })
	return fmt.Sprintf("the nearest are %s; %s shows all, or give the path of a .toml file", strings.Join(ids[:min(nearby, len(ids))], ", "), printed.Command("list"))
}

// Load reads the spec a reference names, checks it under all its profiles, and lays it out as the
// options say. Errors name the file, the line and the key, and say what to do.
func Load(ref Ref, opts LoadOptions) (*Spec, error) {
	src, err := ref.source()
	if err != nil {
		return nil, err
	}
	s, err := load(src, opts)
	if err == nil && src.catalog {
		catalogCasts.Store(s.ID, s.original.ownCasts())
	}
	return s, err
}

// source reads the file that a reference names.
func (r Ref) source() (source, error) {
	if r.Path == "" {
		text, err := Text(r.ID)
		return source{file: r.ID + ".toml", text: string(text), catalog: true}, err
	}
	text, err := ReadFile(r.Path)
	return source{file: r.Path, text: string(text)}, err
}

// LoadAll loads specs as Load does, side by side. The error of refs[i], nil if it has none, is errs[i].
func LoadAll(refs []Ref, opts LoadOptions) (specs []*Spec, errs []error) {
	specs, errs = make([]*Spec, len(refs)), make([]error, len(refs))
	records.Parallel(len(refs), func(i int) { specs[i], errs[i] = Load(refs[i], opts) })
	return specs, errs
}

// LoadText lays out a spec whose text is not on disk, such as that of a bundle. Errors name the file; its name is that of the
// experiment, and its folder is the one that files of the spec are relative to.
func LoadText(file string, text []byte, opts LoadOptions) (*Spec, error) {
	return load(source{file: file, text: string(text)}, opts)
}

// ReadFile returns the text of a user's spec. It refuses a file that is too long for a spec or no regular file.
func ReadFile(path string) ([]byte, error) {
	text, err := regular.Read(path, maxSpecBytes)
	if errors.Is(err, regular.ErrLarge) {
		err = fmt.Errorf("%w, more than a spec may have; is it a data file?", err)
	}
	return text, err
}

// Dir returns the folder that data.file is relative to.
func (s *Spec) Dir() string { return filepath.Dir(s.File) }
