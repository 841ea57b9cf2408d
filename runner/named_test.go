package runner

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// namedFile is the path of a file in a comment: not a pattern, nor a part of an address.
var namedFile = regexp.MustCompile(`(?:^|[\s("'\x60,;:])((?:[\w.-]+/)*[\w.-]*\w\.(?:go|toml|md))\b`)

// placeholders stand for files of users in comments.
var placeholders = []string{"NN-name.md", "name.toml", "user.toml"}

// Every file that a comment of a Go file names exists: by its path from the root or from the folder of the comment, or by the end of its path.
func TestFilesNamedInCommentsExist(t *testing.T) {
	var paths []string
	require.NoError(t, filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && (d.Name() == ".git" || d.Name() == "out") {
			return fs.SkipDir
		}
		paths = append(paths, "/"+filepath.ToSlash(strings.TrimPrefix(path, "..")))
		return err
	}))
	exists := func(name string) bool {
		return slices.ContainsFunc(paths, func(path string) bool { return strings.HasSuffix(path, "/"+name) })
	}
	seen := 0
	for _, path := range paths {
		if !strings.HasSuffix(path, ".go") {
			continue
		}
		set := token.NewFileSet()
		f, err := parser.ParseFile(set, filepath.Join("..", path), nil, parser.ParseComments)
		require.NoError(t, err)
		for _, group := range f.Comments {
			for _, c := range group.List {
				if strings.HasPrefix(c.Text, "//go:") || strings.HasPrefix(c.Text, "// Code generated") {
					continue
				}
				for _, m := range namedFile.FindAllStringSubmatch(c.Text, -1) {
					name := strings.TrimPrefix(m[1], "./")
					for strings.HasPrefix(name, "../") {
						name = strings.TrimPrefix(name, "../")
					}
					seen++
					assert.True(t, exists(name) || slices.Contains(placeholders, name), "%s: there is no %s", set.Position(c.Pos()), name)
				}
			}
		}
	}
	assert.Greater(t, seen, 100)
}
