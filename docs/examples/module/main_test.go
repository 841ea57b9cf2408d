package main

import (
	"strings"
	"testing"

	"repro/cmd/repro/clitest"
	"repro/docs/lessons/lessonstest"
)

// The claims of the experiment hold.
func TestProgram(t *testing.T) {
	t.Chdir(t.TempDir())
	if out := clitest.Run(t, 0, "run", "descent/quadratic"); !strings.Contains(out, "reproduced: 1 of 1 claim of the papers\nour own checks: 3 (3 reproduced)\n") {
		t.Error(out)
	}
}

// The right answers to the lesson pass, and every wrong one is told its own sentence.
func TestLesson(t *testing.T) { lessonstest.Walk(t, "01-steps", t.TempDir()) }
