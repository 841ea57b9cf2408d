package cli

import (
	"bytes"
	"compress/gzip"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/cmd/repro/exits"
	"repro/results/records"
	"repro/results/records/recordstest"
)

func TestRunWritesEverything(t *testing.T) {
	workplace(t)
	withFigure(t)
	o := ok(t, "run", "tiny.toml", "-v")
	for _, path := range []string{
		"records/own/tiny/dsg-seed1.jsonl", "figures/own/tiny/convergence.svg", "figures/own/tiny/convergence.csv",
		"tables/own/tiny/final.md", "tables/own/tiny/final.csv",
		"tables/own/tiny/final.tex", "verdicts.json", "report.html",
	} {
		assert.FileExists(t, filepath.Join("out", path))
	}
	assert.Contains(t, o.out, "report: "+filepath.Join("out", "report.html"))
	assert.Contains(t, o.out, "at profile paper", "a spec without a profile quick runs as it is")
	assert.Regexp(t, `own/tiny dsg-seed1: done, 32 steps, .+ s \(\d of 4\)`, o.errors)
	assert.Contains(t, o.errors, "4 cells done")
}

func TestRunAgainKeepsWhatIsComplete(t *testing.T) {
	workplace(t)
	ok(t, "run", "tiny.toml")
	record := records.Path("out", "own/tiny", "dsg-seed1")
	before := read(t, record)

	o := ok(t, "run", "tiny.toml")
	assert.Contains(t, o.errors, "4 of 4 were complete from an earlier run")
	assert.Equal(t, before, read(t, record))

	o = ok(t, "run", "tiny.toml", "--fresh")
	assert.NotContains(t, o.errors, "kept")
	canonical, err := recordstest.Canonical(record)
	require.NoError(t, err)
	write(t, "before.jsonl", before)
	want, err := recordstest.Canonical("before.jsonl")
	require.NoError(t, err)
	assert.Equal(t, string(want), string(canonical), "the same bits but for the clock")
}

// What two profiles ask for alike runs once and counts for both.
func TestRunSharesCellsBetweenProfiles(t *testing.T) {
	workplace(t)
	ok(t, "run", "tiny.toml")
	o := ok(t, "run", "tiny.toml", "--set", "method.dsg.batch=8", "--json")
	for _, c := range array(t, o.out) {
		assert.Equal(t, c["method"] == "r-pegasos", c["kept"], c["cell"])
	}
	assert.Contains(t, o.errors, "replacing its records of other settings at profile paper")
	for _, v := range array(t, ok(t, "verify", "tiny.toml", "--set", "method.dsg.batch=8", "--json").out) {
		assert.Equal(t, "not comparable", v["verdict"])
		assert.NotNil(t, v["measured"], "%s needs the records of both", v["claim"])
	}
}

func TestReportNeedsTheRecordsAlone(t *testing.T) {
	workplace(t)
	withFigure(t)
	ok(t, "run", "tiny.toml")
	want := map[string]string{}
	for _, path := range []string{"out/report.html", "out/verdicts.json", "out/figures/own/tiny/convergence.svg", "out/tables/own/tiny/final.csv"} {
		want[path] = read(t, path)
	}
	for _, path := range []string{"out/report.html", "out/verdicts.json", "out/figures", "out/tables"} {
		require.NoError(t, os.RemoveAll(path))
	}
	ok(t, "report", "tiny.toml")
	for path, text := range want {
		assert.Equal(t, text, read(t, path), path)
	}
}

func TestReportTakesTheLatestProfile(t *testing.T) {
	workplace(t)
	ok(t, "run", "tiny.toml", "--seeds", "2")
	for _, cell := range []string{"dsg-seed2", "r-pegasos-seed2"} {
		path := records.Path("out", "own/tiny", cell)
		r, err := records.Read(path)
		require.NoError(t, err)
		r.Header.Timing.Started = "1" + r.Header.Timing.Started[1:]
		rewrite(t, path, r)
	}
	ok(t, "run", "tiny.toml", "--profile", "smoke", "--seeds", "1")

	o := ok(t, "report", "tiny.toml")
	assert.Contains(t, o.errors, "has records at profiles smoke, paper; taking smoke, the latest")
	assert.Contains(t, o.out, "1 experiment at profile smoke; ")
	o = ok(t, "report", "tiny.toml", "--profile", "paper")
	assert.Contains(t, o.out, "1 experiment at profile paper; ")
}

// The report shows the runs of another folder beside these.
func TestReportComparesTwoFolders(t *testing.T) {
	workplace(t)
	ok(t, "run", "tiny.toml")
	ok(t, "run", "tiny.toml", "--out", "other", "--set", "method.dsg.step.gamma0=0.01")
	o := ok(t, "report", "tiny.toml", "--compare", "other")
	assert.Contains(t, o.out, "report: "+filepath.FromSlash("out/report.html"))
	report := read(t, "out/report.html")
	assert.Contains(t, report, `<a href="#beside">the two runs beside each other</a>`)
	assert.Contains(t, report, "Beside the runs in <code>other</code>")

	o = repro(t, "report", "tiny.toml", "--compare", "none")
	assert.Equal(t, int(exits.Error), o.status)
	assert.Contains(t, o.errors, "--compare: there are no records in none; name the output folder of a run")
}

func TestReportOfAUsersSpecNeedsItsPath(t *testing.T) {
	workplace(t)
	ok(t, "run", "tiny.toml")
	o := repro(t, "report")
	assert.Equal(t, int(exits.Error), o.status)
	assert.Contains(t, o.errors, "own/tiny: left out, because its spec does not come with repro; give the path")
}

// watched is a buffer that may be written and read at once.
type watched struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (w *watched) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.b.Write(p)
}

func (w *watched) String() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.b.String()
}

func TestInterruptedRunContinues(t *testing.T) {
	workplace(t)
	args := []string{"run", "tiny.toml", "--method", "r-pegasos", "--seeds", "1",
		"--set", "budget.epochs=4000", "--set", "evaluate.points=60"}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var stdout, stderr watched
	status := make(chan int)
	go func() { status <- Run(ctx, &stdout, &stderr, args) }()
	record := records.Path("out", "own/tiny", "r-pegasos-seed1")
	require.Eventually(t, func() bool {
		r, err := records.Read(record)
		return err == nil && len(r.Points) > 3
	}, 20*time.Second, time.Millisecond, "the run never got anywhere")
	assert.Equal(t, 1, goingOn())
	cancel()
	require.Equal(t, int(exits.Interrupted), <-status, stderr.String())
	assert.Contains(t, stderr.String(), "interrupted; the results so far are in out; run the same command again to continue")
	assert.Empty(t, stdout.String())

	r, err := records.Read(record)
	require.NoError(t, err)
	require.Equal(t, records.Partial, r.Status())
	assert.NotEmpty(t, r.Points, "a partial record is usable")
	p := array(t, ok(t, append([]string{"plan", "--json"}, args[1:]...)...).out)
	assert.Equal(t, "partial", p[0]["state"])
	ok(t, append([]string{"report"}, args[1:]...)...)

	o := ok(t, args...)
	assert.Contains(t, o.errors, "continuing after step")
	r, err = records.Read(record)
	require.NoError(t, err)
	assert.Equal(t, records.Budget, r.Status())
}

// A signal reaches the command as it does from a terminal.
func TestInterruptSignal(t *testing.T) {
	workplace(t)
	self, err := os.Executable()
	require.NoError(t, err)
	cmd := exec.Command(self, "run", "tiny.toml", "-v", "--method", "r-pegasos", "--set", "budget.epochs=4e6")
	cmd.Env = append(os.Environ(), asCommand+"=1")
	var stderr watched
	cmd.Stderr = &stderr
	require.NoError(t, cmd.Start())
	require.Eventually(t, func() bool { return strings.Contains(stderr.String(), "started") }, 20*time.Second, 5*time.Millisecond)
	require.NoError(t, cmd.Process.Signal(os.Interrupt))
	assert.ErrorContains(t, cmd.Wait(), "exit status 130")
	assert.Contains(t, stderr.String(), "interrupted; the results so far are in out")
}

func TestADivergedCellIsAResult(t *testing.T) {
	workplace(t)
	o := ok(t, "run", "tiny.toml", "--set", "method.dsg.step.gamma0=1e100")
	assert.Contains(t, o.errors, "own/tiny dsg-seed1, own/tiny dsg-seed2 diverged: ")
	assert.Contains(t, o.errors, "2 cells done, 2 diverged")

	o = repro(t, "run", "tiny.toml", "--method", "dsg", "--set", "method.dsg.step.gamma0=1e100")
	assert.Equal(t, int(exits.Failed), o.status, "but not if there is no other")
	assert.Contains(t, o.errors, "own/tiny: none of its 2 cells is done\n")
}

func TestAFailedCellFailsTheRun(t *testing.T) {
	workplace(t)
	o := repro(t, "run", "tiny.toml", "--seeds", "1", "--method", "dsg", "--set", "data.train=30000",
		"--set", "evaluate.reference=krr", "--set", `evaluate.metrics=["l2-error", "test-mse", "exact-distance"]`)
	assert.Equal(t, int(exits.Failed), o.status)
	assert.Contains(t, o.errors, "krr on 30000 rows needs")
	assert.FileExists(t, "out/report.html", "what ran is reported")
}

func TestMissingDataIsSkippedBesideOthers(t *testing.T) {
	workplace(t)
	o := repro(t, "run", "dai2014/svm-adult", "--profile", "smoke")
	assert.Equal(t, int(exits.Error), o.status)
	assert.Contains(t, o.errors, "run repro fetch a9a")
	assert.Equal(t, 1, strings.Count(o.errors, "\n"), o.errors)

	o = ok(t, "run", "dai2014/svm-adult", "tiny.toml", "--profile", "smoke")
	assert.Contains(t, o.errors, "skipping dai2014/svm-adult: a9a")
	assert.Contains(t, o.errors, "skipped: a9a")
	assert.Contains(t, o.out, "2 experiments at profile smoke, ")
}

func TestUsersMistakesAreOneLineEach(t *testing.T) {
	own := "name = \"dai2014-synthetic\"\ntrain = 256\ntest = 64"
	ownFile := func(name, content string) func(*testing.T) {
		return func(t *testing.T) {
			write(t, name, content)
			edit(t, "tiny.toml", own, "file = \""+name+"\"\nholdout = 0.5")
			edit(t, "tiny.toml", "l2-error", "test-loss")
			edit(t, "tiny.toml", "data = { train = 64 }", "repeat = { seeds = 1 }")
		}
	}
	change := func(old, replacement string) func(*testing.T) {
		return func(t *testing.T) { edit(t, "tiny.toml", old, replacement) }
	}
	tests := []struct {
		name    string
		prepare func(*testing.T)
		args    []string
		want    string
	}{
		{"unknown command", nil, []string{"rnu"}, `unknown command "rnu"; did you mean "run"?`},
		{"experiment for a command", nil, []string{"dai2014/ridge"}, `did you mean "repro run dai2014/ridge"?`},
		{"unknown flag", nil, []string{"run", "--seed", "3"}, "unknown flag --seed of repro run; did you mean --seeds?"},
		{"wrong type of a flag", nil, []string{"run", "--seeds", "many"}, `--seeds: must be 1 or more, got many; see repro run --help`},
		{"flag without its value", nil, []string{"run", "--out"}, "--out: its value is missing; see repro run --help"},
		{"no seeds", nil, []string{"run", "--seeds", "0"}, "--seeds: must be 1 or more, got 0"},
		{"negative threads", nil, []string{"run", "--threads", "-1"}, "--threads: must be 1 or more"},
		{"unknown experiment", nil, []string{"run", "dai2014/rigde"}, `unknown experiment "dai2014/rigde"; did you mean "dai2014/ridge"?`},
		{"experiment like no other", nil, []string{"run", "ma2017/support-vectors"}, `unknown experiment "ma2017/support-vectors"; the nearest are ma2017/`},
		{"unknown profile", nil, []string{"run", "tiny.toml", "--profile", "big"}, `tiny.toml: unknown profile "big"; choose one of smoke, quick, paper`},
		{"misspelt method", nil, []string{"run", "tiny.toml", "--method", "dgs"}, `tiny.toml: unknown method "dgs"; did you mean "dsg"?`},
		{"edit of nothing", nil, []string{"run", "tiny.toml", "--set", "problem.un=1"}, `--set problem.un=1: problem.un: unknown key; did you mean "nu"?`},
		{"no spec", nil, []string{"run", "mine.toml"}, "mine.toml: no such file"},
		{"show nothing", nil, []string{"show"}, "show: give the id of an experiment"},
		{"unknown key", change("points = 6", "pionts = 6"), []string{"run", "tiny.toml"}, `tiny.toml:20: evaluate.pionts: unknown key; did you mean "points"?`},
		{"misspelt algorithm", change(`algorithm = "dsg"`, `algorithm = "dgs"`), []string{"run", "tiny.toml"}, `unknown algorithm "dgs"; did you mean "dsg"?`},
		{"negative step", nil, []string{"run", "tiny.toml", "--set", "method.dsg.step.gamma0=-1"}, `--set method.dsg.step.gamma0=-1: method "dsg".step.gamma0: must be > 0, got -1`},
		{"no budget", change("epochs = 2", "epochs = 0"), []string{"run", "tiny.toml"}, "tiny.toml:16: budget"},
		{"two specs of one id", func(t *testing.T) { write(t, "copy/tiny.toml", read(t, "tiny.toml")) },
			[]string{"run", "tiny.toml", "copy/tiny.toml"}, "are both experiment own/tiny; rename one of them"},
		{"missing data file", func(t *testing.T) {
			ownFile("own.csv", "")(t)
			require.NoError(t, os.Remove("own.csv"))
		}, []string{"run", "tiny.toml"}, "own.csv"},
		{"empty file", ownFile("own.csv", ""), []string{"run", "tiny.toml"}, "own.csv"},
		{"truncated gzip", ownFile("own.csv.gz", cut(zipped("1,2,3\n2,3,4\n3,4,5\n4,5,6\n"))), []string{"run", "tiny.toml"}, "own.csv.gz"},
		{"broken pair", ownFile("own.libsvm", "1 1:2\n2 1:3 2:x\n1 1:4\n"), []string{"run", "tiny.toml"}, "own.libsvm:2: "},
		{"wrong checksum", func(t *testing.T) {
			write(t, "data/a9a/a9a", "+1 1:1\n")
			write(t, "data/a9a/a9a.t", "+1 1:1\n")
			t.Setenv("REPRO_DATA", "data")
		}, []string{"run", "dai2014/svm-adult", "--profile", "smoke"}, "remove the file and run repro fetch"},
		{"wrong checksum, fetching", func(t *testing.T) {
			write(t, "data/a9a/a9a", "+1 1:1\n")
			t.Setenv("REPRO_DATA", "data")
		}, []string{"fetch", "a9a"}, "remove the file and run repro fetch"},
		{"unknown data set", nil, []string{"fetch", "emnist"}, `unknown data set "emnist"`},
		{"output below a file", nil, []string{"run", "tiny.toml", "--out", "tiny.toml/out"}, "cannot write to the output folder tiny.toml/out"},
		{"more memory than there is", nil, []string{"run", "tiny.toml", "--memory", "1GB", "--set", "method.r-pegasos.features=1000000000"}, "own/tiny: method r-pegasos needs 490 GB of memory (408 GB of its own, as plan lists it, 20 % for garbage, and 75 MB for the program), and --memory allows 1.0 GB"},
		{"no records", nil, []string{"report", "--out", "nowhere"}, "no records in nowhere"},
		{"no baseline", func(t *testing.T) { ok(t, "run", "tiny.toml", "--profile", "smoke") },
			[]string{"verify", "tiny.toml", "--baseline", "nowhere", "--json"}, "--baseline: there are no records in nowhere; name a folder with records"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			workplace(t)
			if test.prepare != nil {
				test.prepare(t)
			}
			o := repro(t, test.args...)
			assert.Equal(t, int(exits.Error), o.status)
			assert.True(t, strings.HasPrefix(o.errors, "repro: "), o.errors)
			assert.Equal(t, 1, strings.Count(o.errors, "\n"), o.errors)
			assert.Contains(t, o.errors, test.want)
			assert.NotContains(t, o.errors, "goroutine")
		})
	}
}

func TestEveryProblemOfASpecIsTold(t *testing.T) {
	workplace(t)
	edit(t, "tiny.toml", "points = 6", "points = -6")
	edit(t, "tiny.toml", "features = 32", "featuers = 32")
	o := repro(t, "run", "tiny.toml")
	assert.Equal(t, int(exits.Error), o.status)
	assert.Equal(t, 2, strings.Count(o.errors, "repro: tiny.toml:"), o.errors)
	assert.Empty(t, o.out)
}

func TestAFolderThatCannotBeWritten(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root may write anywhere")
	}
	workplace(t)
	require.NoError(t, os.Mkdir("locked", 0o555))
	o := repro(t, "run", "tiny.toml", "--out", "locked/out")
	assert.Equal(t, int(exits.Error), o.status)
	assert.Contains(t, o.errors, "cannot write to the output folder locked/out")
	assert.Equal(t, 1, strings.Count(o.errors, "\n"), o.errors)
}

func zipped(text string) string {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write([]byte(text)); err != nil {
		panic(err)
	}
	if err := w.Close(); err != nil {
		panic(err)
	}
	return b.String()
}

// cut removes the last bytes, as a broken download would.
func cut(s string) string { return s[:len(s)-6] }

func TestARunSaysWhatItMovesAside(t *testing.T) {
	workplace(t)
	args := []string{"run", "tiny.toml", "--method", "dsg", "--seeds", "1"}
	ok(t, args...)
	path := records.Path("out", "own/tiny", "dsg-seed1")
	good, err := os.ReadFile(path)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(path, bytes.Replace(good, []byte(`"step":1,`), []byte(`"step":2,`), 1), 0o600))
	o := ok(t, args...)
	assert.Contains(t, o.errors, "warning: own/tiny dsg-seed1: "+path+":")
	assert.Contains(t, o.errors, "; it is now "+path+".aside-1\n")
	assert.Contains(t, o.errors, "1 cell done\n")
}

// Limits end cells with a status of their own, and a raised limit lets them go on, whatever profile the limit was given at.
func TestLimits(t *testing.T) {
	workplace(t)
	o := repro(t, "run", "tiny.toml", "--set", "limits.seconds=1e-9")
	assert.Equal(t, int(exits.OverTime), o.status, o.errors)
	assert.Contains(t, o.errors, "timeout: has taken more than limits.seconds = 1e-9, which must grow for it to go on")
	assert.Contains(t, ok(t, "verify", "tiny.toml", "-v").out, "inconclusive")
	assert.Equal(t, int(exits.OverTime), repro(t, "run", "tiny.toml", "--set", "limits.seconds=1e-9").status, "they stay")
	assert.Contains(t, ok(t, "plan", "tiny.toml", "--set", "limits.seconds=1e-9").out, "limited")
	o = repro(t, "run", "tiny.toml", "--shard", "1/1", "--set", "limits.seconds=1e-9")
	assert.Equal(t, int(exits.OverTime), o.status, o.errors)
	assert.Contains(t, ok(t, "status").out, "4 cells limited")
	ok(t, "doctor", "--check", "out", "tiny.toml")
	before := read(t, "out/records/own/tiny/dsg-seed1.jsonl")
	ok(t, "run", "tiny.toml")
	after := read(t, "out/records/own/tiny/dsg-seed1.jsonl")
	assert.Equal(t, strings.SplitAfter(before, "\n")[:2], strings.SplitAfter(after, "\n")[:2], "it goes on from its first point")
	assert.Equal(t, int(exits.OverMemory), repro(t, "run", "tiny.toml", "--fresh", "--set", "limits.memory=1e-6").status)
}
