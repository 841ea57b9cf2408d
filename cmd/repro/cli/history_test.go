package cli

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/cmd/repro/exits"
	"repro/results/baseline"
	"repro/results/changes"
	"repro/results/claims"
)

// repository moves the test into an empty git repository.
func repository(t *testing.T) {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	dir := t.TempDir()
	t.Chdir(dir)
	t.Setenv("GIT_CONFIG_GLOBAL", filepath.Join(dir, ".git", "none"))
	t.Setenv("GIT_CONFIG_NOSYSTEM", "1")
	t.Setenv("GIT_CEILING_DIRECTORIES", filepath.Dir(dir))
	for _, who := range []string{"AUTHOR", "COMMITTER"} {
		t.Setenv("GIT_"+who+"_NAME", "Test")
		t.Setenv("GIT_"+who+"_EMAIL", "test@example.org")
		t.Setenv("GIT_"+who+"_DATE", "2026-01-02T12:00:00Z")
	}
	git(t, "init", "--quiet")
}

// git runs git and returns what it prints.
func git(t *testing.T, args ...string) string {
	t.Helper()
	out, err := exec.Command("git", args...).CombinedOutput()
	require.NoError(t, err, "git %v: %s", args, out)
	return strings.TrimSpace(string(out))
}

// commit commits all files and returns the hash.
func commit(t *testing.T, subject string) string {
	t.Helper()
	git(t, "add", "--all")
	git(t, "commit", "--quiet", "--allow-empty", "-m", subject)
	return git(t, "rev-parse", "HEAD")
}

// accept writes the snapshot of own/tiny with one claim and its two cells.
func accept(t *testing.T, word claims.Word, settings, values string, seeds ...float64) {
	t.Helper()
	s := changes.Snapshot{Schema: changes.Schema, Experiment: "own/tiny", Profile: "ci"}
	n := changes.Number{Claim: "rate", Kind: "rate", Word: word, Margin: 0.1, Values: seeds}
	mean := 0.0
	for i, v := range seeds {
		mean += v / float64(len(seeds))
		n.Seeds = append(n.Seeds, uint64(i+1))
		s.Cells = append(s.Cells, changes.Cell{
			Cell: fmt.Sprintf("dsg-seed%d", i+1), Method: "dsg", Seed: uint64(i + 1), Status: "epochs", Settings: settings, Values: values, Counts: "c",
			Work: changes.Work{Flops: 1000},
		})
	}
	n.Mean = &mean
	s.Numbers = []changes.Number{n}
	require.NoError(t, os.MkdirAll(accepted, 0o755))
	a, err := baseline.OpenAccepted(accepted)
	require.NoError(t, err)
	s.Claims = map[string]claims.Definition{"rate": {"kind": "rate"}}
	require.NoError(t, a.Write(s))
}

// accepted is the folder of the accepted baseline in the repositories of the tests.
const accepted = "baseline/ci"

// A past is what history --json prints of a claim.
type past struct {
	Claim    string
	Versions []struct {
		Commit, Subject string
		Verdict         claims.Word
		Value           *float64
	}
	Gone *struct{ Subject string }
}

// historyOf decodes history --json.
func historyOf(t *testing.T, args ...string) []past {
	t.Helper()
	var all []past
	require.NoError(t, json.Unmarshal([]byte(ok(t, append([]string{"history", "--json"}, args...)...).out), &all))
	return all
}

func TestHistory(t *testing.T) {
	repository(t)
	accept(t, claims.Reproduced, "s", "a", -0.5, -0.4)
	first := commit(t, "first")
	write(t, "README", "no change of the baseline")
	commit(t, "readme")
	accept(t, claims.Deviates, "s", "b", -0.4, -0.3)
	second := commit(t, "step: another schedule")
	accept(t, claims.Deviates, "s", "b", -0.4, -0.3, -0.35)
	third := commit(t, "more seeds")
	accept(t, claims.Deviates, "u", "c", -0.4, -0.3, -0.35)
	commit(t, "other settings, same numbers")

	all := historyOf(t, "own/tiny", "--figure", "rate.svg")
	require.Len(t, all, 1)
	assert.Equal(t, "rate", all[0].Claim)
	require.Len(t, all[0].Versions, 3)
	for i, want := range []string{first, second, third} {
		assert.Equal(t, want, all[0].Versions[i].Commit)
	}
	assert.Equal(t, "step: another schedule", all[0].Versions[1].Subject)
	assert.InDelta(t, -0.45, *all[0].Versions[0].Value, 1e-15)
	assert.Nil(t, all[0].Gone)
	assert.Contains(t, read(t, "rate.svg"), "<svg")

	text := ok(t, "history", "own/tiny").out
	assert.Regexp(t, second[:9]+` +2026-01-02 +deviates +-0.35 +\[.*\] +2 +verdict, number +step: another schedule\n`, text)
	assert.Regexp(t, third[:9]+` .* 3 +seeds, number +more seeds\n`, text)
	assert.Equal(t, 2, repro(t, "history", "own/other").status)

	require.NoError(t, os.Remove(filepath.Join(accepted, "own", "tiny.json")))
	commit(t, "gone")
	assert.Equal(t, "gone", historyOf(t, "own/tiny")[0].Gone.Subject)
	assert.Contains(t, ok(t, "history", "own/tiny").out, "removed")
}

func TestHistoryOutsideOfACheckout(t *testing.T) {
	repository(t)
	assert.Contains(t, repro(t, "history", "own/tiny").errors, "there is no folder baseline/ci; run at the top of a module")
	dir := t.TempDir()
	t.Chdir(dir)
	t.Setenv("GIT_CEILING_DIRECTORIES", filepath.Dir(dir))
	require.NoError(t, os.MkdirAll(accepted, 0o755))
	o := repro(t, "history", "own/tiny")
	assert.Equal(t, int(exits.Mistake), o.status)
	assert.Contains(t, o.errors, "baseline/ci is not in a git repository")
}
