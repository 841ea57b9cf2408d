package look

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"repro/cmd/repro/terminal"
	"repro/docs"
	"repro/results/builds"
	"repro/results/files"
	"repro/results/printed"
)

// template is the folder of docs.Module, in which the module is.
const template = "examples/module"

func newExtension(t *terminal.Terminal) *cobra.Command {
	var e extension
	cmd := &cobra.Command{
		Use:   "extension DIR",
		Short: "Write a Go module with an algorithm, an experiment, a lesson and a regression check of its own",
		Long: `Extension writes a Go module into DIR, which must be new or empty: an optimiser with its tests, an experiment with
claims and their accepted numbers, a lesson, a program that has every command of repro for all of them, and a workflow
that tests and checks every push. It builds and passes as it is. Replace its parts by yours.

The module requires the version of repro that wrote it. Where that was built in a checkout, go.mod names its folder.`,
		Example: `  repro new extension mine
  repro new extension mine --module github.com/me/mine`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			e.dir = args[0]
			return e.write(cmd.Context(), t)
		},
	}
	cmd.Flags().StringVar(&e.module, "module", "", "`path` of the module; example.org/ and the name of DIR if left out")
	cmd.Flags().StringVar(&e.repro, "repro", "", "`folder` of a checkout of repro; found if left out")
	return cmd
}

// An extension is a module to write.
type extension struct{ dir, module, repro string }

// modulePath matches the paths of modules that go accepts and that are no package of the standard library: their first part has a
// dot.
var modulePath = regexp.MustCompile(`^[a-zA-Z0-9-]+(\.[a-zA-Z0-9-]+)+(/[a-zA-Z0-9_][a-zA-Z0-9._~-]*)*$`)

// write writes the module into its folder.
func (e *extension) write(ctx context.Context, t *terminal.Terminal) error {
	if e.module == "" {
		abs, err := filepath.Abs(e.dir)
		if err != nil {
			return err
		}
		e.module = "example.org/" + filepath.Base(abs)
	}
	if !modulePath.MatchString(e.module) || e.module == builds.Repro() {
		return fmt.Errorf("%q cannot be the path of a module; choose one with --module, such as github.com/me/mine", e.module)
	}
	switch there, err := os.ReadDir(e.dir); {
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%w; choose a new folder", err)
	case len(there) > 0:
		return fmt.Errorf("%s is not empty; choose a new folder", e.dir)
	}
	made, err := moduleFiles(ctx, e.module, e.repro)
	if err != nil {
		return err
	}
	err = fs.WalkDir(docs.Module, template, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := docs.Module.ReadFile(name)
		made[strings.TrimPrefix(name, template+"/")] = bytes.ReplaceAll(text, []byte(path.Join(builds.Repro(), "docs", template)), []byte(e.module))
		return err
	})
	if err != nil {
		return err
	}
	for name, text := range made {
		file := filepath.Join(e.dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			return err
		}
		if err := files.New(file, text, 0o666); err != nil {
			return err
		}
	}
	next := ""
	if made["go.sum"] == nil {
		next = "go mod tidy && "
	}
	t.Note("wrote %s into %s; now: cd %s && %sgo test ./... && go run . check", printed.Count(len(made), "file"), e.dir, printed.ShellWord(e.dir), next)
	return nil
}

// sources says from where another module can require repro: from a version that go gets, or from the folder of a checkout: the one that
// has the folder named, or if that is empty the one where this program was built, or that has the working directory.
func sources(named string) (version, dir string, err error) {
	if info, ok := debug.ReadBuildInfo(); ok && named == "" {
		for _, m := range append(slices.Clone(info.Deps), &info.Main) {
			if m.Path == builds.Repro() && m.Replace == nil && m.Sum != "" { // a checksum is that of a module that was got
				return m.Version, "", nil
			}
		}
	}
	if dir = builds.BuiltIn(); named == "" && dir != "" {
		return "", dir, nil
	}
	abs, err := filepath.Abs(cmp.Or(named, "."))
	if err != nil {
		return "", "", err
	}
	if dir = builds.Sources(abs); dir == "" {
		err = errors.New("no checkout of repro is known; name its folder with --repro")
	}
	return "", dir, err
}

// runGo runs the go command in a folder and returns its standard output.
func runGo(ctx context.Context, dir string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = dir
	var out, said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &said
	err := cmd.Run()
	if errors.Is(err, exec.ErrNotFound) {
		return nil, errors.New("go is not installed; it builds the programs of a module")
	}
	if err != nil {
		return nil, fmt.Errorf("go %s: %w: %s", args[0], err, bytes.TrimSpace(said.Bytes()))
	}
	return out.Bytes(), nil
}

// moduleFiles returns the go.mod of a new module that imports repro, and its go.sum if that is known: with a version of repro that go
// gets, go mod tidy must complete both. from is a folder in a checkout of repro, empty to find one.
func moduleFiles(ctx context.Context, module, from string) (map[string][]byte, error) {
	version, dir, err := sources(from)
	if err != nil {
		return nil, err
	}
	if version != "" {
		return map[string][]byte{"go.mod": fmt.Appendf(nil, "module %s\n\ngo %s\n\nrequire %s %s\n", module, strings.TrimPrefix(runtime.Version(), "go"), builds.Repro(), version)}, nil
	}
	text, err := runGo(ctx, dir, "mod", "edit", "-json")
	if err != nil {
		return nil, err
	}
	var mod struct {
		Go      string
		Require []struct{ Path, Version string }
	}
	if err := json.Unmarshal(text, &mod); err != nil {
		return nil, err
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "module %s\n\ngo %s\n\nrequire %s v0.0.0\n\nrequire (\n", module, mod.Go, builds.Repro())
	for _, r := range mod.Require {
		fmt.Fprintf(&b, "\t%s %s // indirect\n", r.Path, r.Version)
	}
	fmt.Fprintf(&b, ")\n\nreplace %s => %q\n", builds.Repro(), filepath.ToSlash(dir))
	sums, err := os.ReadFile(filepath.Join(dir, "go.sum"))
	return map[string][]byte{"go.mod": b.Bytes(), "go.sum": sums}, err
}
