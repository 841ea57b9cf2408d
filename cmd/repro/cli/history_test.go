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
		changes.Version
	}
	ChangePoints []struct {
		Commit           string
		Before, After, P float64
	} `json:"change_points"`
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
	fourth := commit(t, "other settings, same numbers")

	all := historyOf(t)
	require.Len(t, all, 1)
	assert.Equal(t, "own/tiny#rate", all[0].Claim)
	require.Len(t, all[0].Versions, 4)
	for i, want := range []struct {
		commit  string
		changed []changes.Part
	}{
		{first, []changes.Part{}},
		{second, []changes.Part{changes.PartBits, changes.PartValue, changes.PartVerdict}},
		{third, []changes.Part{changes.PartSeeds, changes.PartInterval}},
		{fourth, []changes.Part{changes.PartSettings}},
	} {
		assert.Equal(t, want.commit, all[0].Versions[i].Commit)
		assert.Equal(t, want.changed, all[0].Versions[i].Changed, want.commit)
	}
	assert.Equal(t, "step: another schedule", all[0].Versions[1].Subject)
	assert.InDelta(t, -0.45, *all[0].Versions[0].Value, 1e-15)
	assert.EqualValues(t, 1000, all[0].Versions[0].Work.Flops, "of one seed")
	assert.Empty(t, all[0].ChangePoints)

	text := ok(t, "history", "own/tiny").out
	assert.Contains(t, text, "own/tiny#rate  ▁███\n")
	assert.Regexp(t, second[:9]+` +2026-01-02 +deviates +-0.35 +\[.*\] +2 +1000 +bits, value, verdict +step: another schedule\n`, text)
	assert.Regexp(t, `own/tiny#rate +deviates +-0.35 +▁███ +settings +`+fourth[:9]+` other settings`, ok(t, "history").out)
	assert.Equal(t, 2, repro(t, "history", "own/other").status)

	require.NoError(t, os.Remove(filepath.Join(accepted, "own", "tiny.json")))
	commit(t, "gone")
	assert.Equal(t, "gone", historyOf(t)[0].Gone.Subject)
	assert.Contains(t, ok(t, "history").out, "removed")
}

// The numbers of six versions around one level and then around another have a change point, which the figure shows.
func TestHistoryFindsChangePoints(t *testing.T) {
	repository(t)
	var at string
	for i, v := range []float64{1, 1.01, 0.99, 2, 2.01, 1.99} {
		accept(t, claims.Reproduced, "s", fmt.Sprint(i), v, v+0.001)
		if c := commit(t, fmt.Sprint("version ", i)); i == 3 {
			at = c
		}
	}
	all := historyOf(t, "own/tiny#rate", "--figures", "drawn")
	require.Len(t, all[0].ChangePoints, 1)
	assert.Equal(t, at, all[0].ChangePoints[0].Commit)
	assert.InDelta(t, 1, all[0].ChangePoints[0].Before, 0.001)
	assert.InDelta(t, 2, all[0].ChangePoints[0].After, 0.001)
	svg := read(t, filepath.Join("drawn", "own-tiny-rate.svg"))
	assert.Contains(t, svg, "<svg")
	assert.Empty(t, historyOf(t, "--segment", "4")[0].ChangePoints, "there are only three on each side")
}

func TestHistoryOfVerdicts(t *testing.T) {
	repository(t)
	file := filepath.Join("baseline", "paper", "own.json")
	line := `[{"experiment": "own/tiny", "claim": "rate", "published": "-1", "verdict": "%s", "measured": %v, "low": -1, "high": 0, "seeds": 3, "a_key_of_later": 1}]`
	write(t, file, fmt.Sprintf(line, "reproduced", -0.9))
	commit(t, "first")
	write(t, file, fmt.Sprintf(line, "inconclusive", -0.8))
	commit(t, "second")
	all := historyOf(t, "--paper")
	require.Len(t, all[0].Versions, 2)
	assert.Equal(t, []changes.Part{changes.PartValue, changes.PartVerdict}, all[0].Versions[1].Changed)
}

func TestHistoryOutsideOfACheckout(t *testing.T) {
	repository(t)
	assert.Contains(t, repro(t, "history").errors, "there is no folder baseline/ci; run at the top of a module")
	dir := t.TempDir()
	t.Chdir(dir)
	t.Setenv("GIT_CEILING_DIRECTORIES", filepath.Dir(dir))
	require.NoError(t, os.MkdirAll(accepted, 0o755))
	o := repro(t, "history")
	assert.Equal(t, int(exits.Mistake), o.status)
	assert.Contains(t, o.errors, "baseline/ci is not in a git repository")
}
