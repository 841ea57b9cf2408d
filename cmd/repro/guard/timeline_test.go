package guard_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/cmd/repro/cli"
	"repro/results/baseline"
	"repro/results/changes"
	"repro/results/claims"
)

// repro runs the command and returns its status, standard output and messages.
func repro(t *testing.T, args ...string) (status int, out, errors string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	status = cli.Run(t.Context(), &stdout, &stderr, args)
	return status, stdout.String(), stderr.String()
}

// ok runs the command, requires that it succeeds, and returns its standard output.
func ok(t *testing.T, args ...string) string {
	t.Helper()
	status, out, errors := repro(t, args...)
	require.Zero(t, status, errors)
	return out
}

// repository moves the test into an empty git repository.
func repository(t *testing.T) {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	dir := t.TempDir()
	t.Chdir(dir)
	for name, value := range map[string]string{
		"GIT_CONFIG_GLOBAL": filepath.Join(dir, ".git", "none"), "GIT_CONFIG_NOSYSTEM": "1", "GIT_CEILING_DIRECTORIES": filepath.Dir(dir),
		"GIT_AUTHOR_NAME": "Test", "GIT_AUTHOR_EMAIL": "test@example.org", "GIT_COMMITTER_NAME": "Test", "GIT_COMMITTER_EMAIL": "test@example.org",
		"REPRO_CACHE": filepath.Join(dir, ".git", "cache"), "REPRO_DATA": "", "CI": "", "GITHUB_ACTIONS": "",
	} {
		t.Setenv(name, value)
	}
	git(t, "init", "--quiet")
}

func git(t *testing.T, args ...string) string {
	t.Helper()
	out, err := exec.Command("git", args...).CombinedOutput()
	require.NoError(t, err, "git %v: %s", args, out)
	return strings.TrimSpace(string(out))
}

// commit commits all files on a day of January and returns the hash.
func commit(t *testing.T, day int, subject string) string {
	t.Helper()
	for _, who := range []string{"AUTHOR", "COMMITTER"} {
		t.Setenv("GIT_"+who+"_DATE", fmt.Sprintf("2026-01-%02dT12:00:00Z", day))
	}
	git(t, "add", "--all")
	git(t, "commit", "--quiet", "--allow-empty", "-m", subject)
	return git(t, "rev-parse", "HEAD")
}

// snapshot is that of own/tiny, whose claims "rate" and "value" have the given numbers on two seeds.
func snapshot(rate, value float64, flops int64) changes.Snapshot {
	s := changes.Snapshot{Schema: changes.Schema, Experiment: "own/tiny", Profile: "ci"}
	for i := range uint64(2) {
		s.Cells = append(s.Cells, changes.Cell{
			Cell: fmt.Sprintf("dsg-seed%d", i+1), Method: "dsg", Seed: i + 1, Status: "budget", Settings: "0123456789abcdef",
			Values: fmt.Sprintf("%016x", math.Float64bits(rate)), Counts: "0123456789abcdef", Work: changes.Work{Flops: flops},
		})
	}
	number := func(id, kind string, v float64) changes.Number {
		return changes.Number{Claim: id, Kind: kind, Word: claims.Reproduced, Margin: 0.1, Mean: &v, Seeds: []uint64{1, 2}, Values: []float64{v - 0.01, v + 0.01}}
	}
	r, v := number("rate", "rate", rate), number("value", "value", value)
	r.Curve = &changes.Curve{X: []float64{1, 10, 100}, Y: []float64{1, math.Pow(10, rate), math.Pow(100, rate)}}
	v.Log = true
	s.Numbers = []changes.Number{r, v}
	return s
}

// accepted is the folder of the baseline.
const accepted = "results/baseline/ci"

// accept commits a snapshot as the accepted one.
func accept(t *testing.T, day int, s changes.Snapshot) string {
	t.Helper()
	require.NoError(t, os.MkdirAll(accepted, 0o755))
	a, err := baseline.OpenAccepted(accepted)
	require.NoError(t, err)
	require.NoError(t, a.Write(s))
	return commit(t, day, "accepted on day "+fmt.Sprint(day))
}

// A run is a line of a log.
func run(day int, s changes.Snapshot, seconds ...float64) baseline.Entry {
	return baseline.Entry{
		Schema: baseline.LogSchema, Commit: fmt.Sprintf("%02dab%036d", day, day), Time: fmt.Sprintf("2026-01-%02dT12:00:00Z", day), Subject: fmt.Sprint("run <of> day ", day),
		CPU: "a processor", Seconds: map[string][]float64{"dsg": seconds}, Snapshot: s,
	}
}

// runs writes a log of 24 days. The rate has another level from day 13 on, the work from day 7 and the time from day 19; the value
// has none.
func runs(t *testing.T) {
	t.Helper()
	var all []baseline.Entry
	r := rand.New(rand.NewPCG(1, 2))
	for day := 1; day <= 24; day++ {
		wobble, rate, flops, seconds := 0.002*r.NormFloat64(), -0.5, int64(1000), 1.0
		if day >= 13 {
			rate = -0.4
		}
		if day >= 7 {
			flops = 1330
		}
		if day >= 19 {
			seconds = 1.5
		}
		all = append(all, run(day, snapshot(rate+wobble, 1+wobble, flops), seconds*(1+wobble), seconds*(1-wobble)))
	}
	for i, k := range []int{5, 23, 0, 11} { // in any order
		all[i], all[k] = all[k], all[i]
	}
	all = append([]baseline.Entry{run(3, snapshot(-0.1, 9, 1), 7)}, all...) // of a commit that ran again
	for i := range 90 {
		e := run(i%30+1, snapshot(float64(i), 1, 1), 1)
		e.Snapshot.Experiment = fmt.Sprint("own/other", i/30)
		all = append(all, e)
	}
	require.NoError(t, baseline.Append(t.Context(), "runs.jsonl", all, func(string) {}))
}

// A history is what history --json prints of a claim.
type history struct {
	Claim, Source string
	Versions      []struct {
		Commit string
		Value  *float64
	}
	ChangePoints []struct {
		Commit           string
		Before, After, P float64
	} `json:"change_points"`
}

func TestHistoryOfRuns(t *testing.T) {
	repository(t)
	runs(t)
	var all []history
	require.NoError(t, json.Unmarshal([]byte(ok(t, "history", "--baseline", accepted, "own/tiny", "--json", "--runs", "runs.jsonl")), &all))
	require.Len(t, all, 2)
	rate, value := all[0], all[1]
	assert.Equal(t, "own/tiny#rate", rate.Claim)
	assert.Equal(t, "runs", rate.Source)
	require.Len(t, rate.Versions, 24)
	for i, v := range rate.Versions {
		assert.Equal(t, fmt.Sprintf("%02dab%036d", i+1, i+1), v.Commit, "in the order of the commits")
	}
	assert.InDelta(t, -0.5, *rate.Versions[2].Value, 0.004, "the last run of a commit counts")
	require.Len(t, rate.ChangePoints, 1)
	assert.Equal(t, fmt.Sprintf("13ab%036d", 13), rate.ChangePoints[0].Commit)
	assert.InDelta(t, -0.5, rate.ChangePoints[0].Before, 0.003)
	assert.InDelta(t, -0.4, rate.ChangePoints[0].After, 0.003)
	assert.Empty(t, value.ChangePoints)
	assert.Regexp(t, `change point of own/tiny#rate \(runs\): 13ab00000 run <of> day 13: from -0\.\d+ to -0\.\d+, p ≤ 0\.002`,
		strings.Join(strings.Fields(ok(t, "history", "--baseline", accepted, "--runs", "runs.jsonl")), " "))

	accept(t, 14, snapshot(-0.4, 1, 1330))
	all = nil
	require.NoError(t, json.Unmarshal([]byte(ok(t, "history", "--baseline", accepted, "own/tiny#rate", "--json", "--runs", "runs.jsonl")), &all))
	require.Len(t, all, 2)
	assert.Empty(t, all[0].Source)
	assert.Len(t, all[0].Versions, 1)

	for args, want := range map[string]string{
		"--runs none.jsonl":          "none.jsonl is not there; repro check --append none.jsonl --baseline results/baseline/ci writes it",
		"--runs runs.jsonl --paper":  "leave --paper out",
		"--runs runs.jsonl --p 1e-9": "--p between 0.002 and 1",
	} {
		status, _, errors := repro(t, append([]string{"history", "--baseline", accepted}, strings.Fields(args)...)...)
		assert.Equal(t, 2, status, args)
		assert.Contains(t, errors, want)
	}
}

var li = regexp.MustCompile(`(?s)<li><code>(\w+)</code>(.*?)</ul>`)

// The page has every number, curve, count and time, says where each changed, and can load nothing.
func TestHistoryPage(t *testing.T) {
	repository(t)
	accept(t, 2, snapshot(-0.5, 1, 1000))
	accept(t, 14, snapshot(-0.4, 1, 1000))
	runs(t)
	ok(t, "history", "--baseline", accepted, "--runs", "runs.jsonl", "--html", "pages")
	text, err := os.ReadFile("pages/own/tiny/history.html")
	require.NoError(t, err)
	page := string(text)
	turns := map[string]string{}
	for _, m := range li.FindAllStringSubmatch(page, -1) {
		turns[m[1]] = m[2]
	}
	require.Len(t, turns, 3, "no change point of the value")
	assert.Regexp(t, `floating-point operations of dsg</a> ×1\.33<`, turns["07ab00000"])
	assert.Regexp(t, `rate \(runs\)</a> from −0\.\d+ to −0\.\d+`, turns["13ab00000"])
	assert.Regexp(t, `training seconds of dsg</a> from 1(\.\d+)? to 1\.[45]\d* \(×1\.\d+\)`, turns["19ab00000"])
	for _, id := range []string{"0-number-0", "0-curve", "1-number-0", "work-floating-point-operations", "time"} {
		assert.Contains(t, page, `data-figure="own/tiny:`+id+`" data-live`)
	}
	assert.NotContains(t, page, `data-figure="own/tiny:1-curve"`, "the value has no curve")
	assert.NotContains(t, page, "work-kernel-evaluations", "nothing was counted")
	assert.Contains(t, page, "run &lt;of&gt; day 13")
	assert.Contains(t, page, "26 commits from 2026-01-01 to 2026-01-24; 2 versions of the accepted baseline, 24 runs.")
	assert.Contains(t, page, `content="default-src &#39;none&#39;`)
	assert.NotRegexp(t, `(?i)(src|href)="?(https?:)?//`, page)

	ok(t, "history", "--baseline", accepted, "own/tiny#value", "--html", "one.html")
	one, err := os.ReadFile("one.html")
	require.NoError(t, err)
	assert.Contains(t, string(one), "2 versions of the accepted baseline")
	assert.Contains(t, string(one), "<p>No change point.</p>")
	assert.NotContains(t, string(one), `own/tiny:time"`, "only runs have times")
	again, _ := os.ReadFile("pages/own/tiny/history.html")
	ok(t, "history", "--baseline", accepted, "--runs", "runs.jsonl", "--html", "pages")
	assert.Equal(t, text, again, "the same input gives the same bytes")
}

// Numbers at the edge of what a float64 holds, none at all, and single ones have a page.
func TestHistoryPageOfOddNumbers(t *testing.T) {
	repository(t)
	huge, none := snapshot(1e306, 1e-306, math.MaxInt64), snapshot(0, 0, 0)
	huge.Numbers[0].Curve = nil
	huge.Numbers[1].What = "no font has \U000F0000"
	for i := range none.Numbers {
		none.Numbers[i].Mean, none.Numbers[i].Values, none.Numbers[i].Seeds, none.Numbers[i].Curve, none.Numbers[i].Why = nil, nil, nil, nil, "a test"
	}
	none.Cells = nil
	require.NoError(t, baseline.Append(t.Context(), "runs.jsonl", []baseline.Entry{run(1, huge, 1e306, 5e-324), run(2, none), run(3, huge, 0, -1)}, func(string) {}))
	require.NoError(t, baseline.Append(t.Context(), "none.jsonl", []baseline.Entry{run(1, none)}, func(string) {}))
	ok(t, "history", "--baseline", accepted, "--runs", "runs.jsonl", "--html", "odd.html")
	odd, err := os.ReadFile("odd.html")
	require.NoError(t, err)
	assert.Contains(t, string(odd), "was not drawn: the figure font", "the others are")
	ok(t, "history", "--baseline", accepted, "--runs", "none.jsonl", "--html", "none.html")
	text, err := os.ReadFile("none.html")
	require.NoError(t, err)
	assert.Contains(t, string(text), "was not drawn: it has no number")
}

const tiny = `
schema = 1
paper = "own"
title = "A tiny experiment"
source = "nowhere"
[data]
name = "dai2014-synthetic"
train = 64
test = 16
[problem]
loss = "square"
nu = 1e-3
kernel = { name = "gaussian", bandwidth = { rule = "median", scale = 0.1 } }
[budget]
epochs = 1
[evaluate]
points = 4
metrics = ["l2-error"]
[repeat]
seeds = 2
[[method]]
id = "dsg"
algorithm = "dsg"
batch = 8
block = 8
step = { schedule = "inverse", gamma0 = 1.0, t0 = 10.0 }
[[claim]]
id = "error"
kind = "value"
statement = "The error is small"
source = "nowhere"
method = "dsg"
metric = "l2-error"
published = "1"
published_is = "run"
published_says = "nowhere"
tolerance = 1
why = "a test"
[profile.ci]
repeat = { seeds = 2 }
`

// check --append writes a line with what the checked commit measured, whatever the outcome of the check.
func TestCheckAppends(t *testing.T) {
	repository(t)
	require.NoError(t, os.WriteFile("tiny.toml", []byte(tiny), 0o600))
	head := commit(t, 5, "first")
	check := []string{"check", "tiny.toml", "--baseline", "accepted", "--out", ".git/out", "--append", "logs/runs.jsonl"}
	status, _, errors := repro(t, check...)
	require.Equal(t, 4, status, errors)
	assert.Contains(t, errors, "1 experiment of commit "+head[:9]+" appended to logs/runs.jsonl")
	require.NoError(t, os.WriteFile("tiny.toml", []byte(tiny+"# changed\n"), 0o600))
	status, _, errors = repro(t, check...)
	require.Equal(t, 4, status, errors)

	all, warnings, err := baseline.ReadLog("logs/runs.jsonl")
	require.NoError(t, err)
	assert.Empty(t, warnings)
	require.Len(t, all, 2)
	for i, e := range all {
		assert.Equal(t, head, e.Commit)
		assert.Equal(t, i == 1, e.Dirty)
		assert.Equal(t, "first", e.Subject)
		assert.Equal(t, "own/tiny", e.Snapshot.Experiment)
		require.Len(t, e.Snapshot.Numbers, 1)
		assert.Len(t, e.Snapshot.Numbers[0].Values, 2)
		assert.Len(t, e.Seconds["dsg"], 2)
	}
	assert.Equal(t, all[0].Snapshot.Numbers, all[1].Snapshot.Numbers)

	status, _, errors = repro(t, append(check[:len(check)-1:len(check)-1], "tiny.toml/runs.jsonl")...)
	assert.Equal(t, 2, status)
	assert.Contains(t, errors, "tiny.toml")
	assert.NotContains(t, errors, "running", "before anything ran")
}

func TestCheckTimeRefuses(t *testing.T) {
	repository(t)
	require.NoError(t, os.WriteFile("tiny.toml", []byte(tiny), 0o600))
	commit(t, 5, "first")
	for args, want := range map[string]string{
		"--time":                                   "--time and --against go together",
		"--against HEAD":                           "--time and --against go together",
		"--time --against HEAD --junit x":          "--junit is of a check of numbers",
		"--time --against nowhere":                 "--against nowhere: neither a program nor a commit",
		"--time --against HEAD --budget 0s":        "--against HEAD: it has no program with the commands of repro",
		"--time --against tiny.toml --method none": "none",
	} {
		status, _, errors := repro(t, append([]string{"check", "tiny.toml"}, strings.Fields(args)...)...)
		assert.Equal(t, 2, status, args)
		assert.Contains(t, errors, want, args)
		assert.Len(t, strings.Split(git(t, "worktree", "list"), "\n"), 1, "no worktree stays")
	}
}
