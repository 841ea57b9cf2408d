package runner

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// mostBack is how many uses run against the order of the files of a folder. The numbers only fall, to 15 or less.
var mostBack = map[string]int{"cmd": 0, "experiments": 5, "plots": 13}

// TestArrows holds the files of a folder to an order in which they can be read: nearly all uses of a file's functions, types,
// variables and methods lie in files above it. Packages cannot use each other in circles, files of a package can. The order is
// the one that a greedy rule finds (Eades, Lin and Smyth 1993), so the least possible number may be smaller.
func TestArrows(t *testing.T) {
	for folder, most := range mostBack {
		total, back := 0, []string{}
		err := filepath.WalkDir(filepath.Join("..", folder), func(path string, d fs.DirEntry, err error) error {
			if err != nil || !d.IsDir() {
				return err
			}
			uses := usesWithin(t, path)
			order := readingOrder(uses)
			for from, files := range uses {
				total += len(files)
				for to := range files {
					if slices.Index(order, from) > slices.Index(order, to) {
						back = append(back, filepath.ToSlash(path)[len("../"):]+": "+from+" uses "+to)
					}
				}
			}
			return nil
		})
		require.NoError(t, err)
		slices.Sort(back)
		t.Logf("%s: %d of %d uses run back", folder, len(back), total)
		assert.LessOrEqual(t, len(back), most, "%s\ndivide a package, or move a function to where it is used", strings.Join(back, "\n"))
	}
}

// usesWithin returns which files of a package use which others. A method counts as used where its name is selected, if the
// package has one method and no field of that name.
func usesWithin(t *testing.T, dir string) map[string]map[string]bool {
	files := map[string]*ast.File{}
	paths, err := filepath.Glob(filepath.Join(dir, "*.go"))
	require.NoError(t, err)
	home, methods, fields := map[string]string{}, map[string][]string{}, map[string]bool{}
	for _, path := range paths {
		name := filepath.Base(path)
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		files[name], err = parser.ParseFile(token.NewFileSet(), path, nil, 0)
		require.NoError(t, err)
		for _, decl := range files[name].Decls {
			for _, id := range declared(decl) {
				home[id] = name
			}
			if d, ok := decl.(*ast.FuncDecl); ok && d.Recv != nil {
				methods[d.Name.Name] = append(methods[d.Name.Name], name)
			}
		}
		ast.Inspect(files[name], func(n ast.Node) bool {
			if f, ok := n.(*ast.Field); ok {
				for _, id := range f.Names {
					fields[id.Name] = true
				}
			}
			return true
		})
	}
	uses := map[string]map[string]bool{}
	for name, f := range files {
		uses[name] = map[string]bool{}
		used := func(file string) {
			if file != "" && file != name {
				uses[name][file] = true
			}
		}
		for _, id := range f.Unresolved {
			used(home[id.Name])
		}
		ast.Inspect(f, func(n ast.Node) bool {
			if s, ok := n.(*ast.SelectorExpr); ok && len(methods[s.Sel.Name]) == 1 && !fields[s.Sel.Name] {
				used(methods[s.Sel.Name][0])
			}
			return true
		})
	}
	return uses
}

// declared lists the names that a declaration adds to its package; methods are not among them.
func declared(decl ast.Decl) []string {
	switch d := decl.(type) {
	case *ast.FuncDecl:
		if d.Recv == nil && d.Name.Name != "init" {
			return []string{d.Name.Name}
		}
	case *ast.GenDecl:
		var names []string
		for _, s := range d.Specs {
			switch s := s.(type) {
			case *ast.TypeSpec:
				names = append(names, s.Name.Name)
			case *ast.ValueSpec:
				for _, id := range s.Names {
					names = append(names, id.Name)
				}
			}
		}
		return names
	}
	return nil
}

// readingOrder puts files that use others before those.
func readingOrder(uses map[string]map[string]bool) []string {
	left := map[string]bool{}
	for f := range uses {
		left[f] = true
	}
	degrees := func(f string) (out, in int) {
		for g := range left {
			if uses[f][g] {
				out++
			}
			if uses[g][f] {
				in++
			}
		}
		return out, in
	}
	var first, last []string
	for len(left) > 0 {
		best, most := "", 0
		for _, f := range slices.Sorted(maps.Keys(left)) {
			out, in := degrees(f)
			if out == 0 {
				best = f
				last = append([]string{f}, last...)
				break
			}
			if in == 0 {
				best = f
				first = append(first, f)
				break
			}
			if best == "" || out-in > most {
				best, most = f, out-in
			}
		}
		if !slices.Contains(last, best) && !slices.Contains(first, best) {
			first = append(first, best)
		}
		delete(left, best)
	}
	return append(first, last...)
}
