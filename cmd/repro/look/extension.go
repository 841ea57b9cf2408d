package look

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/spf13/cobra"

	"repro/cmd/repro/modules"
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
		Short: "Write a Go module with an algorithm, an experiment, a lesson and a gate of its own",
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
	made, err := modules.Files(ctx, e.module, e.repro)
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
