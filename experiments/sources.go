package experiments

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"repro/datasets/regular"
	"repro/experiments/spectree"
	"repro/results/printed"
	"strings"
	"unicode"
)

// A Ref names a spec: one of the catalog by ID, or a file on disk by Path.
type Ref struct {
	ID   string // of the catalog; empty for a file on disk, whose id is in the file
	Path string // of a file on disk
}

func (r Ref) String() string { return r.ID + r.Path }

// A source is the text of a spec and where it comes from.
type source struct {
	file string // as errors name it
	text string

	catalog bool // a registered spec: its folder names its paper and is not on disk
	ci      bool // it has [profile.ci]
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

// base returns the spec that the key base names: a sister by its name, a spec of the catalog by its id, or a file below the
// spec's folder by its path.
func (src source) base(n *spectree.Node) (source, error) {
	name := n.Text()
	if name == "" {
		return source{}, fmt.Errorf(`want the name of a spec, got %s; write "ridge" for a sister, "dai2014/ridge" for one of the catalog, or a path`, spectree.Describe(n))
	}
	var ref Ref
	switch {
	case src.catalog && strings.HasSuffix(name, ".toml"):
		return source{}, fmt.Errorf("a spec of the catalog has no folder on disk; name its base without .toml")
	case strings.HasSuffix(name, ".toml") || !src.catalog && !strings.Contains(name, "/"):
		name = filepath.FromSlash(strings.TrimSuffix(name, ".toml") + ".toml")
		if !filepath.IsLocal(name) {
			return source{}, fmt.Errorf("%s is not below the spec's folder; copy it there, or name a spec of the catalog", printed.Quote(n.Text()))
		}
		ref.Path = filepath.Join(filepath.Dir(src.file), name)
	case !strings.Contains(name, "/"):
		ref.ID = path.Dir(src.file) + "/" + name
	default:
		ref.ID = name
	}
	of, err := ref.source()
	switch {
	case errors.Is(err, fs.ErrNotExist):
		err = fmt.Errorf("there is no file %s; name a spec beside this one, or one of the catalog by its id, such as dai2014/ridge", ref.Path)
	case err == nil && of.file == src.file && of.catalog == src.catalog:
		err = fmt.Errorf("is this spec itself; name another, or remove it")
	}
	return of, err
}

// ReadFile returns the text of a user's spec. It refuses a file that is too long for a spec or no regular file.
func ReadFile(path string) ([]byte, error) {
	text, err := regular.Read(path, spectree.MaxSpecBytes)
	if errors.Is(err, regular.ErrLarge) {
		err = fmt.Errorf("%w, more than a spec may have; is it a data file?", err)
	}
	return text, err
}

// nameOf returns the part of a spec's id that its file gives it.
func nameOf(file string) string {
	return strings.TrimSuffix(path.Base(strings.ReplaceAll(file, `\`, "/")), ".toml")
}

// CheckFile returns an error if the name of a spec's file cannot be part of an id, or if its path cannot be printed.
func CheckFile(file string) error {
	if strings.ContainsFunc(file, func(r rune) bool { return !unicode.IsGraphic(r) }) {
		return fmt.Errorf("%s: the path has invisible characters; rename the file or its folder", printed.Quote(file))
	}
	if name := nameOf(file); !spectree.ValidID(name) {
		return fmt.Errorf("%s: %s cannot be part of an id; rename the file: %s", file, printed.Quote(name), spectree.IDRule)
	}
	return nil
}
