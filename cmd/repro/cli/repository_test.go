package cli

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

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
