//go:build faults

package faults

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"math"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A span is a range of lines of a file of the module that a program executed.
type span struct {
	file        string
	first, last int
}

// meets reports whether the spans have a line in common.
func (s span) meets(t span) bool { return s.file == t.file && s.first <= t.last && s.last >= t.first }

// executed returns what repro check executes for each experiment of the accepted baseline. The check must find nothing.
func executed(t *testing.T) map[string][]span {
	b := &build{t: t, binaries: overlaid(t, nil)}
	b.tool("build", "-buildvcs=false", "-cover", "-coverpkg=repro/cmd/repro,repro/algos/...,repro/datasets/...,repro/experiments/...,repro/runner/...,repro/results/...", "-o", filepath.Join(b.dir, "repro"), "./cmd/repro")
	files, err := filepath.Glob(filepath.Join(root, "results/baseline/ci/*/*.json"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	all := map[string][]span{}
	for _, f := range files {
		id := path.Join(filepath.Base(filepath.Dir(f)), strings.TrimSuffix(filepath.Base(f), ".json"))
		counts := filepath.Join(b.dir, "counts", filepath.FromSlash(id))
		require.NoError(t, os.MkdirAll(counts, 0o755))
		_, err := b.command([]string{"GOCOVERDIR=" + counts}, ".", filepath.Join(b.dir, "repro"), "check", id, "--out", filepath.Join(b.dir, "check"))
		require.NoError(t, err, "%s: the gate raises an alarm at the sources as they are", id)
		profile := filepath.Join(counts, "profile.txt")
		out, err := b.command(nil, ".", "go", "tool", "covdata", "textfmt", "-i="+counts, "-o="+profile)
		require.NoError(t, err, out)
		text, err := os.ReadFile(profile)
		require.NoError(t, err)
		all[id] = spans(string(text))
		require.NotEmpty(t, all[id])
	}
	return all
}

// spans reads the executed blocks of a coverage profile.
func spans(profile string) []span {
	var all []span
	for line := range strings.Lines(profile) {
		file, rest, found := strings.Cut(line, ":")
		var s span
		var column, statements, count int
		if n, _ := fmt.Sscanf(rest, "%d.%d,%d.%d %d %d", &s.first, &column, &s.last, &column, &statements, &count); !found || n != 6 || count == 0 {
			continue
		}
		s.file = strings.TrimPrefix(file, "repro/")
		all = append(all, s)
	}
	return all
}

// reached returns those experiments, sorted, whose check executes the function that a fault changes: what it measures of the
// others is as it was. Of a fault outside of functions they are those that execute anything in its file.
func reached(f Fault, executed map[string][]span) ([]string, error) {
	text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(f.File)))
	if err != nil {
		return nil, err
	}
	files := token.NewFileSet()
	syntax, err := parser.ParseFile(files, f.File, text, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	line := func(p token.Pos) int { return files.Position(p).Line }
	first := 1 + strings.Count(string(text[:strings.Index(string(text), f.Old)]), "\n")
	last := first + strings.Count(f.Old, "\n")
	inside := span{f.File, 1, math.MaxInt}
	for _, d := range syntax.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok && line(fn.Pos()) <= first && last <= line(fn.End()) {
			inside = span{f.File, line(fn.Pos()), line(fn.End())}
		}
	}
	var ids []string
	for id, all := range executed {
		if slices.ContainsFunc(all, inside.meets) {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids, nil
}

func TestReached(t *testing.T) {
	profile := "mode: set\nrepro/algos/methods/dsg.go:%d.2,%d.3 1 %d\n"
	f := Fault{File: "algos/methods/dsg.go", Old: "f.settings.Step.Gamma(f.T+1)"}
	text, err := os.ReadFile(filepath.Join(root, f.File))
	require.NoError(t, err)
	before, _, found := strings.Cut(string(text), f.Old)
	require.True(t, found)
	at := 1 + strings.Count(before, "\n")
	all := map[string][]span{
		"it":      spans(fmt.Sprintf(profile, at+1, at+2, 1)),
		"not":     spans(fmt.Sprintf(profile, at, at+2, 0)),
		"another": {{file: "algos/methods/krr.go", first: 1, last: 1000}},
		"above":   spans(fmt.Sprintf(profile, 1, 3, 1)),
	}
	ids, err := reached(f, all)
	require.NoError(t, err)
	assert.Equal(t, []string{"it"}, ids)
	ids, err = reached(Fault{File: f.File, Old: "package methods"}, all)
	require.NoError(t, err)
	assert.Equal(t, []string{"above", "it"}, ids)
}
