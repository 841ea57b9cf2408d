package runner

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// What a reader can keep in mind of one function.
const (
	mostLines = 60
	mostPaths = 20 // McCabe's cyclomatic number
)

// TestFunctions holds functions outside tests and generators to a length and a number of paths.
func TestFunctions(t *testing.T) {
	var long []string
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() && (d.Name() == "gen" || d.Name() == "out") {
			return errOr(err, fs.SkipDir)
		}
		if d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		set := token.NewFileSet()
		f, err := parser.ParseFile(set, path, nil, 0)
		require.NoError(t, err)
		for _, decl := range f.Decls {
			fn, ok := decl.(*ast.FuncDecl)
			if !ok || fn.Body == nil {
				continue
			}
			lines, paths := set.Position(fn.End()).Line-set.Position(fn.Pos()).Line+1, pathsOf(fn)
			if lines > mostLines || paths > mostPaths {
				long = append(long, fmt.Sprintf("%s: %s has %d lines and %d paths", set.Position(fn.Pos()), fn.Name.Name, lines, paths))
			}
		}
		return nil
	})
	require.NoError(t, err)
	assert.Empty(t, long, "divide them")
}

func errOr(err, other error) error {
	if err != nil {
		return err
	}
	return other
}

// pathsOf returns the cyclomatic number of a function with the functions in it: 1 and one for each branch.
func pathsOf(fn *ast.FuncDecl) int {
	n := 1
	ast.Inspect(fn, func(node ast.Node) bool {
		switch node := node.(type) {
		case *ast.IfStmt, *ast.ForStmt, *ast.RangeStmt:
			n++
		case *ast.CaseClause:
			if node.List != nil {
				n++
			}
		case *ast.CommClause:
			if node.Comm != nil {
				n++
			}
		case *ast.BinaryExpr:
			if node.Op == token.LAND || node.Op == token.LOR {
				n++
			}
		}
		return true
	})
	return n
}
