package main

import (
	"os"
	"strings"
	"testing"

	"repro/cmd/repro/clitest"
)

// The claims of the experiment hold, and the right answers to the lesson are right.
func TestProgram(t *testing.T) {
	t.Chdir(t.TempDir())
	if out := clitest.Run(t, 0, "run", "descent/quadratic"); !strings.Contains(out, "statement: 1 reproduced; own claims: 3 reproduced") {
		t.Error(out)
	}
	answers := `{"slope": {"number": -1, "why": "the variance of a mean"}, "constant": {"choice": 2, "why": "x is the last noise"}}`
	if err := os.WriteFile("answers.json", []byte(answers), 0o666); err != nil {
		t.Fatal(err)
	}
	clitest.Run(t, 0, "lesson", "01-steps", "--answers", "answers.json")
}
