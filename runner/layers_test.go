package runner

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// layers returns which of our packages each may import: the list in docs/layers.txt.
func layers(t *testing.T) map[string][]string {
	text, err := os.ReadFile("../docs/layers.txt")
	require.NoError(t, err)
	allowed := map[string][]string{}
	for line := range strings.Lines(string(text)) {
		pkg, imports, ok := strings.Cut(line, "→")
		require.True(t, ok, "%s: want a package, →, and what it may import", line)
		pkg = strings.TrimSpace(pkg)
		require.NotContains(t, allowed, pkg, "%s has two lines", pkg)
		allowed[pkg] = strings.FieldsFunc(imports, func(r rune) bool { return strings.ContainsRune(", \n—", r) })
	}
	return allowed
}

// TestLayers holds every package to the imports its layer allows, and the list to the imports there are.
func TestLayers(t *testing.T) {
	mod, err := os.ReadFile("../go.mod")
	require.NoError(t, err)
	module, _, _ := strings.Cut(strings.TrimPrefix(string(mod), "module "), "\n")
	module += "/"
	allowed, used := layers(t), map[string][]string{}
	err = filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && path != ".." {
			_, err := os.Stat(filepath.Join(path, "go.mod"))
			if err == nil || slices.Contains([]string{"examples", "out", "testdata"}, d.Name()) { // another module, or no package
				return fs.SkipDir
			}
		}
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		pkg := filepath.ToSlash(filepath.Dir(strings.TrimPrefix(path, ".."+string(filepath.Separator))))
		require.Contains(t, allowed, pkg, "package %s has no line in docs/layers.txt", pkg)
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		used[pkg] = append(used[pkg], "")
		for _, im := range f.Imports {
			name, err := strconv.Unquote(im.Path.Value)
			if err != nil {
				return err
			}
			if ours, ok := strings.CutPrefix(name, module); ok {
				require.Contains(t, allowed[pkg], ours, "%s imports %s, which docs/layers.txt does not allow %s", path, name, pkg)
				used[pkg] = append(used[pkg], ours)
			}
		}
		return nil
	})
	require.NoError(t, err)
	for pkg, imports := range allowed {
		require.Contains(t, used, pkg, "docs/layers.txt has a line for package %s, which does not exist", pkg)
		for _, name := range imports {
			require.Contains(t, used[pkg], name, "docs/layers.txt allows %s to import %s, which it does not; take it out", pkg, name)
		}
	}
}

// The picture of the packages in docs/architecture.md names every package.
func TestHouse(t *testing.T) {
	picture, err := os.ReadFile("../docs/img/house.svg")
	require.NoError(t, err)
	for pkg := range layers(t) {
		name := regexp.MustCompile(`\b` + regexp.QuoteMeta(filepath.Base(pkg)) + `\b`)
		assert.True(t, name.Match(picture), "docs/img/house.svg lacks %s; draw it", pkg)
	}
}
