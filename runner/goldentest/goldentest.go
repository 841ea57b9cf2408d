// Package goldentest compares what a test makes with a file, and rewrites the file with the flag -update.
package goldentest

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// Equal compares got with a file and fails with the first line that differs. With -update it writes the file.
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
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("%v; go test -run '^%s$' -update writes it", err, t.Name())
	}
	if string(text) == got {
		return
	}
	is, want := strings.SplitAfter(got, "\n"), strings.SplitAfter(string(text), "\n")
	n := 0
	for n < min(len(is), len(want)) && is[n] == want[n] {
		n++
	}
	at := func(lines []string) string {
		if n == len(lines) {
			return ""
		}
		return lines[n][:min(len(lines[n]), 300)]
	}
	t.Errorf("%s is not what the test makes; go test -run '^%s$' -update rewrites it. Line %d is\n%q, the test makes\n%q", file, strings.Split(t.Name(), "/")[0], n+1, at(want), at(is))
}
