package cli

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/cmd/repro/exits"
	"repro/results/claims"
)

// program commits a cmd/repro whose check finds a state and a number of the claim own/tiny#rate.
func program(t *testing.T, state string, now float64) string {
	t.Helper()
	write(t, "go.mod", "module tiny\n\ngo 1.24\n")
	found := fmt.Sprintf(`{"changes": [{"claim": "other", "state": "identical"}, {"claim": "rate", "state": %q, "accepted": -0.43, "now": %v}]}`, state, now)
	write(t, filepath.Join("cmd", "repro", "main.go"), "package main\n\nfunc main() { print(`"+found+"`) }\n")
	edit(t, filepath.Join("cmd", "repro", "main.go"), "func main() { print(", "import \"os\"\n\nfunc main() { os.Stdout.WriteString(")
	return commit(t, fmt.Sprint(state, " ", now))
}

// building is the flag of bisect that builds what program commits: it does not import this package.
const building = "--build=go build -o {program} ./cmd/repro"

// unbuildable commits a cmd/repro that does not build.
func unbuildable(t *testing.T) string {
	t.Helper()
	write(t, filepath.Join("cmd", "repro", "main.go"), "package main\n\nfunc main() { undefined() }\n")
	return commit(t, "broken")
}

// A culprit is what bisect --json prints.
type culprit struct {
	First      *struct{ Commit string } `json:"first_bad"`
	Candidates []struct{ Commit string }
}

// culpritOf decodes bisect --json.
func culpritOf(t *testing.T, o outcome) culprit {
	t.Helper()
	var c culprit
	require.NoError(t, json.Unmarshal([]byte(o.out), &c), "%s%s", o.out, o.errors)
	return c
}

func TestBisect(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a program at every step; left out by -short")
	}
	repository(t)
	accept(t, claims.Reproduced, "s", "a", -0.45, -0.41)
	good := program(t, "identical", -0.43)
	unbuildable(t)
	program(t, "equivalent", -0.430001)
	before := program(t, "identical", -0.43)
	first := program(t, "regressed", -0.33)
	program(t, "improved", -0.5)
	program(t, "regressed", -0.34)
	bad := program(t, "regressed", -0.331)
	write(t, "mine", "an edit that is not committed")

	c := culpritOf(t, ok(t, "bisect", "own/tiny#rate", "--good", good, building, "--json"))
	require.NotNil(t, c.First)
	assert.Contains(t, []string{first, git(t, "rev-parse", "HEAD~1")}, c.First.Commit, "an improved commit lies between two bad ones, and a bisection meets one of them")
	o := ok(t, "bisect", "own/tiny#rate", "--good", good, building, "--bad", first)
	assert.Regexp(t, "first bad commit: "+first+` 2026-01-02 regressed\s+-0.33\n`, o.out)
	assert.Regexp(t, `own/tiny#rate: -0.43 before, -0.33 after; accepted -0.43 \(\d commits checked, \d\s+of them skipped\)`, o.out)
	assert.Contains(t, o.errors, before[:9]+" identical: -0.43\n")

	assert.Equal(t, bad, git(t, "rev-parse", "HEAD"), "the checkout is where it was")
	assert.Equal(t, "?? mine", git(t, "status", "--porcelain"))
	assert.Len(t, filepath.SplitList(git(t, "worktree", "list")), 1)
	assert.Empty(t, git(t, "for-each-ref", "refs/bisect"))
	assert.Empty(t, git(t, "stash", "list"))
}

func TestBisectOfWhatCannotBeChecked(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a program at every step; left out by -short")
	}
	repository(t)
	accept(t, claims.Reproduced, "s", "a", -0.45, -0.41)
	good := program(t, "identical", -0.43)
	hidden := unbuildable(t)
	bad := program(t, "regressed", -0.33)
	o := repro(t, "bisect", "own/tiny#rate", "--good", good, building, "--json")
	assert.Equal(t, int(exits.Undecided), o.status, o.errors)
	c := culpritOf(t, o)
	assert.Nil(t, c.First)
	require.Len(t, c.Candidates, 2)
	assert.ElementsMatch(t, []string{hidden, bad}, []string{c.Candidates[0].Commit, c.Candidates[1].Commit})
	assert.Contains(t, o.errors, hidden[:9]+" skipped: it does not build: cmd/repro/main.go:3:15: undefined: undefined")

	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"own/tiny#rate", "--good", bad}, "does not come before the bad commit"},
		{[]string{"own/tiny#rate", "--good", "nowhere"}, "nowhere: no such commit"},
		{[]string{"own/tiny#rate"}, "--good is missing"},
		{[]string{"rate", "--good", good}, "rate: not a claim; want experiment#claim"},
		{[]string{"own/tiny#other", "--good", good}, "has no claim other"},
		{[]string{"own/none#rate", "--good", good}, "baseline/ci/own/none.json is not in commit"},
		{[]string{"own/tiny#rate", "--good", good, "--bad", hidden}, "the bad commit " + hidden[:9] + " is not bad: rate is not checked there"},
	} {
		o := repro(t, append([]string{"bisect", building}, c.args...)...)
		assert.Equal(t, int(exits.Mistake), o.status)
		assert.Contains(t, o.errors, c.want)
	}
	assert.Empty(t, git(t, "for-each-ref", "refs/bisect"))
}

// In a repository without Go the program that runs bisect checks every commit, and --build makes what the spec calls.
func TestBisectOfAScript(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the method is a script of a POSIX shell")
	}
	repository(t)
	t.Setenv(asCommand, "1")
	t.Setenv("CI", "")
	require.NoError(t, os.Mkdir("code", 0o777))
	t.Chdir("code")
	write(t, "mine.toml", `schema = 1
paper = "mine"
title = "A script"
problem.kind = "own"
budget.steps = 9
repeat.seeds = 3
metric = [{ name = "gap", words = "gap" }]
method = [{ id = "script", algorithm = "external", command.run = ["sh", "{dir}/built.sh", "{seed}"] }]

[[claim]]
id = "end"
kind = "value"
statement = "The gap ends at 10"
source = "the script"
method = "script"
metric = "gap"
derived = "10"
derivation = "90/9"
tolerance = 1
why = "digits after the point are the seed"

[profile.ci]
budget.steps = 9
`)
	script := "echo step,gap\nfor t in 1 2 3 4 5 6 7 8 9; do echo $t,$((90/t)).$1; done\n"
	write(t, "method.sh", script)
	write(t, "built.sh", script)
	check := []string{"mine.toml", "--allow-external", "--baseline", "accepted"}
	o := repro(t, append([]string{"check"}, check...)...)
	require.Equal(t, int(exits.Incomplete), o.status, o.errors)
	ok(t, "baseline", "accept", "mine.toml", "--baseline", "accepted", "--claim", "*", "--reason", "first", "--log", "log.md")
	ok(t, append([]string{"check"}, check...)...)
	require.NoError(t, os.Remove("built.sh"))
	require.NoError(t, os.RemoveAll("out"))
	good := commit(t, "accepted")
	write(t, "method.sh", "# a comment\n"+script)
	commit(t, "a comment")
	write(t, "method.sh", strings.Replace(script, "90/t", "180/t", 1))
	first := commit(t, "a factor")
	write(t, "notes", "")
	commit(t, "notes")

	found := culpritOf(t, ok(t, "bisect", "mine.toml#end", "--good", good, "--baseline", "accepted", "--build", "cp method.sh built.sh", "--json", "--", "--allow-external"))
	require.NotNil(t, found.First)
	assert.Equal(t, first, found.First.Commit)
	o = repro(t, "bisect", "mine.toml#end", "mine.toml#rate", "--good", good)
	assert.Contains(t, o.errors, "has an argument too many")
}
