package cli

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/cmd/repro/exits"
	"repro/results/builds"
)

// command runs a command in a folder without network, and returns what it prints on its standard output, and its exit status.
func command(t *testing.T, dir, name string, args ...string) (string, int) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOPROXY=off", "GOWORK=off")
	var said strings.Builder
	cmd.Stderr = &said
	out, err := cmd.Output()
	if exit := (*exec.ExitError)(nil); err != nil {
		require.ErrorAs(t, err, &exit, "%s %v", name, args)
	}
	t.Logf("%s %s: %s%s", name, strings.Join(args, " "), out, said.String())
	return string(out), cmd.ProcessState.ExitCode()
}

// A module that new extension writes builds and passes as it is, without a network. In a folder of a repository, with a replacement
// by a relative path, its program finds the commit that broke a step, and the history of what was accepted.
func TestNewExtension(t *testing.T) {
	if testing.Short() {
		t.Skip("builds programs; left out by -short")
	}
	repository(t)
	require.NoError(t, os.Mkdir("code", 0o777))
	o := ok(t, "new", "extension", filepath.Join("code", "mine"), "--module", "example.org/me/mine", "--repro", testdata)
	assert.Contains(t, o.errors, "now: cd "+filepath.Join("code", "mine")+" && go test ./... && go run . check")
	mine, err := filepath.Abs(filepath.Join("code", "mine"))
	require.NoError(t, err)
	_, status := command(t, mine, "go", "test", "-vet=off", "./...")
	require.Zero(t, status)
	program := filepath.Join(t.TempDir(), "mine.exe")
	_, status = command(t, mine, "go", "build", "-o", program, ".")
	require.Zero(t, status)
	out, status := command(t, mine, program, "check")
	require.Zero(t, status)
	assert.Equal(t, "compared with baseline/ci: 4 same\n", out)

	sources := builds.Sources(testdata)
	back, err := filepath.Rel(mine, sources)
	require.NoError(t, err)
	edit(t, filepath.Join(mine, "go.mod"), "replace "+builds.Repro()+` => "`+filepath.ToSlash(sources)+`"`, "replace "+builds.Repro()+" => "+filepath.ToSlash(back))
	good := commit(t, "as written")
	step := filepath.Join(mine, "descent", "descent.go")
	edit(t, step, "-f.Power)", "-f.Power/2)")
	broken := commit(t, "the square root of the step size")
	write(t, filepath.Join("code", "mine", "notes.md"), "something else")
	commit(t, "notes")

	_, status = command(t, mine, "go", "build", "-o", program, ".")
	require.Zero(t, status)
	out, status = command(t, mine, program, "check")
	assert.Equal(t, 1, status)
	assert.Contains(t, out, "rate: the slope moved from ")
	out, status = command(t, mine, program, "history", "descent/quadratic", "--json")
	require.Zero(t, status)
	var all []past
	require.NoError(t, json.Unmarshal([]byte(out), &all))
	require.Len(t, all, 4)
	assert.Equal(t, good, all[0].Versions[0].Commit)
	out, status = command(t, mine, program, "bisect", "descent/quadratic#rate", "--good", good)
	require.Zero(t, status)
	assert.Contains(t, out, "first bad commit: "+broken)

	for want, args := range map[string][]string{
		"is not empty; choose a new folder":    {mine},
		`"example.org/a b" cannot be the path`: {"a b"},
		`"math" cannot be the path`:            {"other", "--module", "math"},
		"not a directory; choose a new folder": {filepath.Join(mine, "go.mod")},
		`"../x" cannot be the path`:            {"other", "--module", "../x"},
		`"repro" cannot be the path`:           {"other", "--module", builds.Repro()},
		"no checkout of repro is known":        {"other", "--repro", "code"},
	} {
		o := repro(t, append([]string{"new", "extension"}, args...)...)
		assert.Equal(t, int(exits.Mistake), o.status)
		assert.Contains(t, o.errors, want)
	}
	assert.NoDirExists(t, "other")

	code := 0
	for line := range strings.Lines(read(t, step)) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "//") {
			code++
		}
	}
	assert.LessOrEqual(t, code, 40, "an optimiser with a problem of its own is short")
}
