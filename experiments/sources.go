package experiments

import (
	"bytes"
	_ "embed" // for starter.toml
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"strings"
	"unicode"

	_ "repro/algos/methods"
	_ "repro/datasets/generators"
	_ "repro/datasets/sources"
	"repro/experiments/spectree"
	"repro/results/files"
	"repro/results/printed"
)

// A Source is the text of a spec and where it comes from.
type Source struct {
	File string // as errors name it; files of the spec are relative to its folder
	Text string

	Catalog bool                            // a registered spec: its folder names its paper and is not on disk
	Files   fs.FS                           // of a registered spec: it and the files beside it
	Checked bool                            // tests load it at every profile, so Load looks at the one that it is asked for
	Passed  bool                            // Load does not look for contradictions
	Find    func(id string) (Source, error) // finds a spec of the catalog that may be the base of this one

	ci   bool // it has [profile.ci]
	lone bool // what its claims repeat is not looked up
}

// ReadSource reads a user's spec. It refuses a file that is too long for a spec or no regular file.
func ReadSource(path string, find func(id string) (Source, error)) (Source, error) {
	text, err := files.ReadRegular(path, spectree.MaxSpecBytes)
	if errors.Is(err, files.ErrLarge) {
		err = fmt.Errorf("%w, more than a spec may have; is it a data file?", err)
	}
	return Source{File: path, Text: string(text), Find: find}, err
}

// base returns the spec that the key base names: a sister by its name, a spec of the catalog by its id, or a file below the
// spec's folder by its path.
func (src Source) base(n *spectree.Node) (of Source, err error) {
	name := n.Text()
	inFile := strings.HasSuffix(name, ".toml")
	switch {
	case name == "":
		return of, fmt.Errorf(`want the name of a spec, got %s; write "ridge" for a sister, "dai2014/ridge" for one of the catalog, or a path`, spectree.Describe(n))
	case src.Catalog && inFile:
		return of, fmt.Errorf("a spec of the catalog has no folder on disk; name its base without .toml")
	case inFile || !src.Catalog && !strings.Contains(name, "/"):
		file := filepath.FromSlash(strings.TrimSuffix(name, ".toml") + ".toml")
		if !filepath.IsLocal(file) {
			return of, fmt.Errorf("%s is not below the spec's folder; copy it there, or name a spec of the catalog", printed.Quote(name))
		}
		file = filepath.Join(filepath.Dir(src.File), file)
		if of, err = ReadSource(file, src.Find); errors.Is(err, fs.ErrNotExist) {
			err = fmt.Errorf("there is no file %s; name a spec beside this one, or one of the catalog by its id, such as dai2014/ridge", file)
		}
	case !strings.Contains(name, "/"):
		of, err = src.Find(path.Dir(src.File) + "/" + name)
	default:
		of, err = src.Find(name)
	}
	if err == nil && of.File == src.File && of.Catalog == src.Catalog {
		err = fmt.Errorf("is this spec itself; name another, or remove it")
	}
	return of, err
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

//go:embed starter.toml
var starter []byte

// StarterOver returns the text of a small commented spec over a base, with which name.toml begins.
func StarterOver(base *Spec, name string) []byte {
	spec, method := printed.Command("show "+name+".toml --toml"), base.Methods[0].ID
	return fmt.Appendf(nil, `base = %q # all that is not said here is as there; %s prints the whole
paper = "own" # the experiment is own/%s
title = "Mine, over %s"
repeat.seeds = %d # change what you want: data.train, budget.epochs, method.%s.batch; docs/spec.md has all keys
# without = ["method.%s"] # leaves something out
`, base.ID, spec, name, base.ID, base.Repeat.Seeds, spectree.QuoteKey(method), spectree.QuoteKey(method))
}

// Starter returns the text of a small commented spec that runs in seconds on generated data, to copy and change.
func Starter() []byte {
	return bytes.ReplaceAll(starter, []byte("repro "), []byte(printed.Command("")))
}
