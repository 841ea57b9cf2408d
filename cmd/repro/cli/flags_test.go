package cli

import (
	"context"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/cmd/repro/terminal"
)

// walk calls visit with every command.
func walk(cmd *cobra.Command, visit func(*cobra.Command)) {
	visit(cmd)
	for _, c := range cmd.Commands() {
		walk(c, visit)
	}
}

// Every flag has its default when all commands have been made: none shares its variable with a flag of another command that has
// another default.
func TestFlagsHaveTheirDefaults(t *testing.T) {
	root := newRoot(&terminal.Terminal{Stdout: &terminal.Output{To: io.Discard}, Stderr: &terminal.Output{To: io.Discard}})
	n := 0
	walk(root, func(cmd *cobra.Command) {
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			n++
			if f.Value.Type() != "stringArray" && f.Value.Type() != "stringSlice" {
				assert.Equal(t, f.DefValue, f.Value.String(), "%s --%s", cmd.CommandPath(), f.Name)
			}
		})
	})
	assert.Greater(t, n, 100)
}

// contents returns the files below a folder with their bytes.
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	require.NoError(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			all[filepath.ToSlash(path)] = read(t, path)
		}
		return err
	}))
	return all
}

// A stopper ends a command that prints the address of a server.
type stopper struct{ cancel func() }

func (s stopper) Write(b []byte) (int, error) {
	if strings.Contains(string(b), "http://127.0.0.1:") {
		s.cancel()
	}
	return len(b), nil
}

// A command without arguments changes nothing in a folder with results but what it is there to write.
func TestCommandsWithoutArguments(t *testing.T) {
	skip := []string{"report", "run", "check", "submit", "fetch", "lesson", "completion", "help"} // these write a report, train, measure, send or ask
	workplace(t)
	ok(t, "run", "tiny.toml")
	before := contents(t, ".")
	root := newRoot(&terminal.Terminal{Stdout: &terminal.Output{To: io.Discard}, Stderr: &terminal.Output{To: io.Discard}})
	for _, cmd := range root.Commands() {
		if slices.Contains(skip, cmd.Name()) {
			continue
		}
		if cmd.Name() == "serve" || cmd.Name() == "docs" { // until they are interrupted
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			Run(ctx, stopper{cancel}, io.Discard, []string{cmd.Name()})
			assert.ErrorIs(t, ctx.Err(), context.Canceled, cmd.Name())
		} else {
			repro(t, cmd.Name())
		}
		after := contents(t, ".")
		for name := range after {
			if before[name] != after[name] && !strings.HasPrefix(name, "cache/") {
				t.Errorf("%s changed %s", cmd.Name(), name)
			}
		}
		for name := range before {
			if _, there := after[name]; !there {
				t.Errorf("%s removed %s", cmd.Name(), name)
			}
		}
		before = after
	}
	_, err := os.Stat("out/index.html")
	assert.ErrorIs(t, err, fs.ErrNotExist)
}
