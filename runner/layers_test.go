package runner

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// layers says which of our packages each may import; docs/architecture.md explains why.
var layers = map[string][]string{
	"cmd/repro":       {"cmd/repro/cli"},
	"cmd/repro/cli":   {"runner", "plots", "results", "experiments", "datasets", "algos", "algos/compute", "algos/compute/benchmark", "algos/kernels", "algos/losses"},
	"runner":          {"algos", "algos/compute", "algos/kernels", "algos/losses", "algos/metrics", "datasets", "experiments", "results"},
	"plots":           {"results"},
	"experiments":     {"algos", "algos/compute", "algos/kernels", "algos/losses", "algos/metrics", "algos/schedules", "datasets", "results"},
	"datasets":        {"algos/compute"},
	"results":         {},
	"algos":           {"algos/kernels", "algos/losses", "algos/schedules", "algos/compute"},
	"algos/kernels":   {"algos/compute"},
	"algos/losses":    {},
	"algos/schedules": {},
	"algos/compute":   {"algos/compute/internal/simd"},
	"algos/metrics":   {"algos", "algos/compute", "algos/losses"},

	"algos/compute/computetest":   {"algos/compute"},
	"algos/compute/benchmark":     {"algos/compute", "algos/compute/internal/simd", "algos/kernels"},
	"algos/compute/internal/simd": {},
}

// TestLayers holds every package to the imports its layer allows.
func TestLayers(t *testing.T) {
	seen := map[string]bool{}
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == "gen" || d.Name() == "out" || d.Name() == "testdata") {
			return fs.SkipDir
		}
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		pkg := filepath.ToSlash(filepath.Dir(strings.TrimPrefix(path, ".."+string(filepath.Separator))))
		allowed, ok := layers[pkg]
		require.True(t, ok, "package %s has no layer", pkg)
		seen[pkg] = true
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		for _, im := range f.Imports {
			name, err := strconv.Unquote(im.Path.Value)
			if err != nil {
				return err
			}
			if ours, ok := strings.CutPrefix(name, "repro/"); ok {
				require.True(t, slices.Contains(allowed, ours), "%s imports %s, which %s may not", path, name, pkg)
			}
		}
		return nil
	})
	require.NoError(t, err)
	require.Len(t, seen, len(layers), "a layer has no package")
}
