//go:build faults

package faults

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// variable is the environment variable with the id of the fault that a build with switches has.
const variable = "REPRO_FAULT"

// switches returns sources in which every fault inside of a function is one branch at the function's beginning, so that one build serves
// all of them, by their paths from the root; and which faults these are. The others, in constants and tables, need builds of their own.
func switches(faults []Fault) (files map[string]string, within map[string]bool, err error) {
	files, within = map[string]string{}, map[string]bool{}
	byFile := map[string][]Fault{}
	for _, f := range faults {
		byFile[f.File] = append(byFile[f.File], f)
	}
	for file, faults := range byFile {
		text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(file)))
		if err != nil {
			return nil, nil, err
		}
		set := token.NewFileSet()
		syntax, err := parser.ParseFile(set, file, text, parser.SkipObjectResolution)
		if err != nil {
			return nil, nil, err
		}
		source := string(text)
		var b strings.Builder
		written := 0
		for _, d := range syntax.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || fn.Body == nil {
				continue
			}
			first, last := set.Position(fn.Body.Lbrace).Offset+1, set.Position(fn.Body.Rbrace).Offset
			body := source[first:last]
			b.WriteString(source[written:first])
			written = first
			for _, f := range faults {
				if strings.Count(body, f.Old) != 1 {
					continue
				}
				within[f.ID] = true
				wrong := strings.Replace(body, f.Old, f.New, 1)
				fmt.Fprintf(&b, "\nif reproFault == %q {\n%s\n}\n", f.ID, branch(fn, source, set, wrong))
			}
		}
		b.WriteString(source[written:])
		files[file] = b.String()
		files[path.Join(path.Dir(file), "repro_fault.go")] = fmt.Sprintf("package %s\n\nimport \"os\"\n\nvar reproFault = os.Getenv(%q)\n", syntax.Name.Name, variable)
	}
	return files, within, nil
}

// branch returns statements that do what a function with this body does, and return. Labels are unique in a function, so that a body with
// labels becomes a function of its own.
func branch(fn *ast.FuncDecl, source string, set *token.FileSet, body string) string {
	labels := false
	ast.Inspect(fn.Body, func(n ast.Node) bool {
		_, label := n.(*ast.LabeledStmt)
		labels = labels || label
		return true
	})
	results := fn.Type.Results
	switch {
	case labels && results != nil:
		return fmt.Sprintf("return func() %s {%s\n}()", source[set.Position(results.Pos()).Offset:set.Position(results.End()).Offset], body)
	case labels:
		return fmt.Sprintf("func() {%s\n}()\nreturn", body)
	case results == nil:
		return body + "\nreturn"
	}
	return body
}
