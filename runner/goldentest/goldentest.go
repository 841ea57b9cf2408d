// Package goldentest compares what a test makes with a file, and rewrites the file with the flag -update.
package goldentest

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pmezard/go-difflib/difflib"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// start is the folder of the package under test, which a test may leave.
var start, _ = os.Getwd()

// maxLines bounds the lines of a difference that are printed.
const maxLines = 20

// Equal compares got with a file and fails with the command that rewrites the file, followed by the first lines of
// the difference. With -update it writes the file.
func Equal(t testing.TB, file, got string) {
	t.Helper()
	if *update {
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("%v\nto write it:\n    %s", err, command(t.Name()))
	}
	if string(want) != got {
		t.Errorf("%s differs from what the test makes. To rewrite it:\n    %s\n%s", file, command(t.Name()), diff(string(want), got))
	}
}

// command is the command that rewrites the files of a test.
func command(test string) string {
	test, _, _ = strings.Cut(test, "/")
	root := start
	for root != filepath.Dir(root) {
		if _, err := os.Stat(filepath.Join(root, "go.mod")); err == nil {
			break
		}
		root = filepath.Dir(root)
	}
	pkg, err := filepath.Rel(root, start)
	if err != nil {
		pkg = start
	}
	return fmt.Sprintf("go test ./%s -run '^%s$' -update", filepath.ToSlash(pkg), test)
}

// diff returns the first lines of a unified difference.
func diff(want, got string) string {
	text, err := difflib.GetUnifiedDiffString(difflib.UnifiedDiff{
		A: difflib.SplitLines(want), FromFile: "file",
		B: difflib.SplitLines(got), ToFile: "test",
		Context: 1,
	})
	if err != nil {
		return err.Error()
	}
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	for i, l := range lines {
		if r := []rune(l); len(r) > 200 {
			lines[i] = string(r[:200]) + "…"
		}
	}
	if more := len(lines) - maxLines; more > 0 {
		lines = append(lines[:maxLines], fmt.Sprintf("… and %d lines more", more))
	}
	return strings.Join(lines, "\n")
}
