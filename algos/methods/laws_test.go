package methods

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/algos"
	"repro/algos/algostest"
)

// TestLaws holds every registered method to laws 1 to 5.
func TestLaws(t *testing.T) {
	for _, name := range algos.Names() {
		t.Run(name, func(t *testing.T) { algostest.Laws(t, configured(t, name, nil)) })
	}
}

// TestLawsOfKeptPredictions holds the predictions that dsg keeps at training rows to the laws, that of states among them.
func TestLawsOfKeptPredictions(t *testing.T) {
	algostest.Laws(t, configured(t, "dsg", map[string]any{"keep": true}))
}

// lawPoints is the number of rows of a small problem, as many as the laws have.
const lawPoints = 60

// configured returns the named method with some hyperparameters other than its defaults.
func configured(t *testing.T, name string, settings map[string]any) algos.Algorithm {
	t.Helper()
	a, err := algos.New(name)
	require.NoError(t, err)
	return algostest.With(a, settings)
}

// Law 6: no clock, file, log, goroutine or global random generator, in the methods or what they build on.
func TestLawNothingFromOutside(t *testing.T) {
	forbidden := []string{"time", "os", "log", "io", "math/rand", "runtime", "sync", "net", "syscall", "unsafe"}
	for _, folder := range []string{".", "../parts", "..", "../kernels", "../losses", "../schedules"} {
		files, err := filepath.Glob(filepath.Join(folder, "*.go"))
		require.NoError(t, err)
		require.NotEmpty(t, files)
		for _, name := range files {
			if strings.HasSuffix(name, "_test.go") || name == "../states.go" { // that writes to what the runner gives it, and no method calls it
				continue
			}
			text, err := os.ReadFile(name)
			require.NoError(t, err)
			file, err := parser.ParseFile(token.NewFileSet(), name, text, 0)
			require.NoError(t, err)
			for _, i := range file.Imports {
				path, err := strconv.Unquote(i.Path.Value)
				require.NoError(t, err)
				for _, f := range forbidden {
					assert.False(t, path == f || strings.HasPrefix(path, f+"/"), "%s imports %s", name, path)
				}
			}
			ast.Inspect(file, func(n ast.Node) bool {
				_, isGo := n.(*ast.GoStmt)
				_, isSend := n.(*ast.SendStmt)
				assert.False(t, isGo || isSend, "%s starts goroutines", name)
				return true
			})
		}
	}
}
