package cli

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/cmd/repro/exits"
	"repro/results/claims"
)

// program commits a program whose check finds a state and a number of the claim own/tiny#rate.
func program(t *testing.T, state string, now float64) string {
	t.Helper()
	found := fmt.Sprintf(`{"changes": [{"claim": "other", "state": "identical"}, {"claim": "rate", "state": %q, "accepted": -0.43, "now": %v}]}`, state, now)
	write(t, "program.sh", "#!/bin/sh\necho '"+found+"'\n")
	require.NoError(t, os.Chmod("program.sh", 0o755))
	return commit(t, fmt.Sprint(state, " ", now))
}

// building is the flag of bisect that builds what program commits.
const building = "--build=cp -p program.sh {program}"

// unbuildable commits nothing that can be built.
func unbuildable(t *testing.T) string {
	t.Helper()
	require.NoError(t, os.Remove("program.sh"))
	return commit(t, "broken")
}

func TestBisect(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the programs are scripts of a POSIX shell")
	}
	repository(t)
	accept(t, claims.Reproduced, "s", "a", -0.45, -0.41)
	good := program(t, "identical", -0.43)
	unbuildable(t)
	program(t, "equivalent", -0.430001)
	before := program(t, "identical", -0.43)
	first := program(t, "regressed", -0.33)
	program(t, "regressed", -0.34)
	bad := program(t, "regressed", -0.331)
	write(t, "mine", "an edit that is not committed")

	o := ok(t, "bisect", "own/tiny#rate", "--good", good, building)
	assert.Equal(t, "first bad commit: "+first+" 2026-01-02 regressed -0.33\n", o.out)
	assert.Contains(t, o.errors, before[:9]+" good: rate is same: -0.43\n")
	assert.Contains(t, o.errors, first[:9]+" bad: rate is worse: -0.33\n")
	assert.Equal(t, bad, git(t, "rev-parse", "HEAD"), "the checkout is where it was")
	assert.Equal(t, "?? mine", git(t, "status", "--porcelain"))
	assert.Empty(t, git(t, "for-each-ref", "refs/bisect"))

	// A commit that does not build may be the first bad one.
	git(t, "checkout", "--quiet", before)
	hidden := unbuildable(t)
	bad = program(t, "regressed", -0.33)
	o = repro(t, "bisect", "own/tiny#rate", "--good", before, building)
	assert.Equal(t, int(exits.Undecided), o.status, o.errors)
	for _, commit := range []string{hidden, bad} {
		assert.Contains(t, o.out, "first bad commit: "+commit)
	}
	assert.Contains(t, o.errors, hidden[:9]+" skip: it does not build: exit status 1: cp: ")

	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"own/tiny#rate", "--good", bad}, "the good commit " + bad[:9] + " is not good: rate is worse"},
		{[]string{"own/tiny#rate", "--good", "nowhere"}, "nowhere: no such commit"},
		{[]string{"own/tiny#rate"}, "and --good with a commit"},
		{[]string{"rate", "--good", good}, "rate: want a claim"},
		{[]string{"own/tiny#none", "--good", good}, "is not good: check says nothing of none"},
		{[]string{"own/tiny#rate", "--good", good, "--baseline", "elsewhere"}, "no accepted baseline at the good commit"},
	} {
		o := repro(t, append([]string{"bisect", building}, c.args...)...)
		assert.Equal(t, int(exits.Mistake), o.status)
		assert.Contains(t, o.errors, c.want)
	}
	git(t, "checkout", "--quiet", hidden)
	assert.Contains(t, repro(t, "bisect", "own/tiny#rate", "--good", good, building).errors, "the bad commit "+hidden[:9]+" is not bad: it does not build")
	assert.Empty(t, git(t, "for-each-ref", "refs/bisect"))
	git(t, "bisect", "start")
	assert.Contains(t, repro(t, "bisect", "own/tiny#rate", "--good", good, building).errors, "end it with git bisect reset")
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

	found := ok(t, "bisect", "mine.toml#end", "--good", good, "--baseline", "accepted", "--build", "cp method.sh built.sh", "--", "--allow-external").out
	assert.Equal(t, "first bad commit: "+first+" 2026-01-02 a factor\n", found)
}
