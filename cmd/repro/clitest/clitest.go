// Package clitest runs commands in the tests of programs that offer them.
package clitest

import (
	"bytes"
	"testing"

	"repro/cmd/repro/cli"
)

// Run runs a command in the working directory and returns what it prints on both outputs. The test ends if the command does not
// exit with the status. CI is not set for it, so that it may accept a baseline.
func Run(t *testing.T, status int, args ...string) string {
	t.Helper()
	t.Setenv("CI", "")
	var out bytes.Buffer
	if got := cli.Run(t.Context(), &out, &out, args); got != status {
		t.Fatalf("%q: exit status %d, want %d:\n%s", args, got, status, &out)
	}
	return out.String()
}
