package runner

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/floats"

	"repro/algos/compute"
	"repro/datasets"
	"repro/experiments"
	"repro/results/records"
	"repro/runner/programs"
)

// command writes a command that runs this binary as a program.
func command(t *testing.T, args ...string) string {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	text, err := json.Marshal(append([]string{self, asProgram}, args...)) // a TOML array too
	require.NoError(t, err)
	return string(text)
}

// external is head with a method that is a program, and more keys of it.
func external(t *testing.T, train, predict string, more ...string) string {
	t.Helper()
	text := strings.Replace(head, "seeds = 2", "seeds = 1", 1) + "[[method]]\nid = \"program\"\nalgorithm = \"external\"\nformat = \"csv\"\ncommand.train = " + train + "\n"
	if predict != "" {
		text += "command.predict = " + predict + "\n"
	}
	return text + strings.Join(more, "\n") + "\n"
}

// learner is a program that learns the mean.
func learner(t *testing.T, more ...string) string {
	return external(t, command(t, "learn", "{train}", "{model}"), command(t, "predict", "{test}", "{model}", "{predictions}"), more...)
}

// tempDir moves temporary files of the test into a folder of its own, whose name has a blank.
func tempDir(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "a folder")
	require.NoError(t, os.Mkdir(dir, 0o700))
	for _, name := range []string{"TMPDIR", "TEMP", "TMP"} {
		t.Setenv(name, dir)
	}
	return dir
}

// assertEmpty asserts that there is neither file nor folder in a folder, such as that of temporary files.
func assertEmpty(t *testing.T, dir string) {
	t.Helper()
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	assert.Empty(t, left)
}

func TestExternalProgram(t *testing.T) {
	temp, out := tempDir(t), t.TempDir()
	s := spec(t, strings.Replace(learner(t, "version = "+command(t, "say", "mean 1.0")), `"test-loss"`, `"train-mse"`, 1))
	sum := execute(t, s, Options{Out: out, AllowExternal: true})
	assert.Equal(t, map[records.Status]int{records.Done: 1}, sum.Status)

	r := record(t, out, s, "program-seed1")
	require.Len(t, r.Points, 1)
	p := r.Points[0]
	assert.Equal(t, 1, p.Step)
	assert.Equal(t, 1.0, p.Epoch)
	assert.Positive(t, p.Timing.Train)
	assert.Equal(t, "mean 1.0", r.Header.Provenance.External.Version)
	assert.Equal(t, []string{"learn", "train.csv", "model"}, r.Header.Provenance.External.Train[2:])
	assert.Equal(t, []string{"predict", "test.csv", "model", "predictions.txt"}, r.Header.Provenance.External.Predict[2:])

	inst := instanceOf(t, s)
	_, y := gather(inst)
	mean := floats.Sum(y.Data) / float64(len(y.Data))
	for metric, targets := range map[string][]float64{"test-mse": inst.data.TestY.Data, "train-mse": y.Data} {
		want := 0.0
		for _, v := range targets {
			want += (v - mean) * (v - mean) / float64(len(targets))
		}
		assert.InEpsilon(t, want, *p.Values[metric], 1e-9, "%s: sums in another order agree to rounding; the program predicts the training rows, too", metric)
	}
	assert.Contains(t, p.Values, "exact-distance")

	lines := readLines(t, filepath.Join(out, "predictions", filepath.FromSlash(s.ID), "program-seed1.csv"))
	assert.Len(t, lines, 101, "predictions are written as any method's are")
	assertEmpty(t, temp)

	before := canonical(t, out, s)
	assert.Equal(t, 1, execute(t, s, Options{Out: out}).Kept, "keeping a record runs nothing, and needs no leave")
	execute(t, s, Options{Out: out, AllowExternal: true, Fresh: true, Threads: 3})
	assert.Equal(t, before, canonical(t, out, s), "the same bytes but for the times")
}

// instanceOf returns the data of a spec's first cell.
func instanceOf(t *testing.T, s *experiments.Spec) *instance {
	t.Helper()
	inst, err := newInstances(datasets.NewLibrary()).of(t.Context(), &s.Expand()[0])
	require.NoError(t, err)
	return inst
}

func gather(s *instance) (x, y compute.Matrix) { return s.problem.Dense() }

func TestExternalNeedsLeave(t *testing.T) {
	out := t.TempDir()
	saw := filepath.Join(t.TempDir(), "saw.json")
	s := spec(t, external(t, command(t, "spy", saw, "{train}{test}{predictions}"), "", "version = "+command(t, "spy", saw)))
	sum := execute(t, s, Options{Out: out})
	assert.Equal(t, map[records.Status]int{records.Skipped: 1}, sum.Status)
	r := record(t, out, s, "program-seed1")
	assert.Contains(t, r.End.Reason, "which needs --allow-external")
	assert.Empty(t, r.Points)
	assert.NoFileExists(t, saw, "nothing ran, the version command neither")
}

func TestExternalSeesNothingElse(t *testing.T) {
	temp := tempDir(t)
	t.Setenv("SECRET_TOKEN", "do not tell")
	for _, name := range programs.Passed[1:] {
		t.Setenv(name, "") // restored at the end
		require.NoError(t, os.Unsetenv(name))
	}
	saw := filepath.Join(t.TempDir(), "saw.json")
	args := []string{"spy", saw, "{train}", "{test}", "{model}", "{predictions}", "{n}", "{nu}", "{c}", "{sigma}", "{gamma}", "{seed}", "{threads}", "{dir}/x y", "$HOME *"}
	s := spec(t, external(t, command(t, args...), command(t, "write", "{predictions}", "0\n", "100")), "problem.kernel.bandwidth=0.5", "problem.nu=0.0078125")
	execute(t, s, Options{Out: t.TempDir(), AllowExternal: true, Threads: 2})

	b, err := os.ReadFile(saw)
	require.NoError(t, err)
	var r report
	require.NoError(t, json.Unmarshal(b, &r))
	// 1/(νn) = 128/600, 1/(2σ²) = 1/(2·0.25).
	assert.Equal(t, []string{"train.csv", "test.csv", "model", "predictions.txt", "600", "0.0078125", "0.21333333333333335", "0.5", "2",
		"1", "1", s.Dir() + "/x y", "$HOME *"}, r.Args)
	assert.Equal(t, []string{"test.csv", "train.csv"}, r.Files)
	var names []string
	for _, e := range r.Env {
		name, value, _ := strings.Cut(e, "=")
		names = append(names, name)
		if name == "HOME" || name == "TMPDIR" {
			run, cell := filepath.Split(value)
			assert.Equal(t, []string{temp, r.Dir}, []string{filepath.Dir(filepath.Clean(run)), cell})
		}
	}
	slices.Sort(names)
	if runtime.GOOS != "windows" {
		assert.Equal(t, []string{"HOME", "LC_ALL", "MKL_NUM_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "PATH",
			"TEMP", "TMP", "TMPDIR", "USERPROFILE", "VECLIB_MAXIMUM_THREADS"}, names)
	}
	assert.NotContains(t, string(b), "do not tell")
}

func TestExternalThatEndsBadly(t *testing.T) {
	if testing.Short() {
		t.Skip("starts many processes")
	}
	write := func(line string, n int) string {
		return command(t, "write", "{predictions}", line, fmt.Sprint(n))
	}
	ignoring := func(command string) string { // the files it must mention and does not look at
		return strings.TrimSuffix(command, "]") + `, "{train}", "{test}", "{predictions}"]`
	}
	cases := []struct {
		name, train, predict string
		status               records.Status
		want                 []string
	}{
		{"exit status", ignoring(command(t, "fail", "1")), "", records.Failed, []string{"exit status 3: line 1 [31mred[0m | the last words"}},
		{"stdout if stderr is empty", ignoring(command(t, "grumble")), "", records.Failed, []string{"exit status 4: only on stdout"}},
		{"much output", ignoring(command(t, "fail", "200000")), "", records.Failed, []string{"exit status 3: … ", "line 200000 [31mred[0m | the last words"}},
		{"not installed", `["no-such-program-anywhere", "{train}", "{test}", "{predictions}"]`, "", records.Skipped,
			[]string{"program no-such-program-anywhere: not found in PATH; install it, or give its path in the command of method program"}},
		{"how to install it", `["no-such-program-anywhere", "{train}", "{test}", "{predictions}"]` + "\ninstall = \"apt-get install it\"", "", records.Skipped,
			[]string{"program no-such-program-anywhere: not found in PATH; apt-get install it"}},
		{"not beside the spec", `["{dir}/fit.sh", "{train}", "{test}", "{predictions}"]`, "", records.Skipped, []string{"fit.sh: no such file"}},
		{"no predictions", ignoring(command(t, "say", "")), "", records.Failed, []string{"predictions.txt: the program ended without an error but did not write this file"}},
		{"predictions are a folder", ignoring(command(t, "folder", "{predictions}")), "", records.Failed, []string{"predictions.txt: is not a regular file"}},
		{"too few", ignoring(write("0\n", 99)), "", records.Failed, []string{"predictions.txt:100: the file ends here, after 99 predictions for 100 test rows"}},
		{"bytes", ignoring(write("\xff\xfe", 100)), "", records.Failed, []string{`predictions.txt:1: the line has more than 128 bytes; write one prediction a line`}},
		{"not a number", ignoring(write("nan\n", 100)), "", records.Diverged, []string{"is not a finite number"}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			out := t.TempDir()
			s := spec(t, external(t, c.train, c.predict))
			execute(t, s, Options{Out: out, AllowExternal: true})
			r := record(t, out, s, "program-seed1")
			assert.Equal(t, c.status, r.Status())
			for _, want := range c.want {
				assert.Contains(t, r.End.Reason, want)
			}
			assert.Less(t, len(r.End.Reason), 1500, "what a program writes is bounded")
			assert.NotContains(t, r.End.Reason, "\x1b", "a terminal obeys nothing that a program writes")
			if c.status == records.Diverged {
				require.Len(t, r.Points, 1)
				assert.Nil(t, r.Points[0].Values["test-mse"])
			} else {
				assert.Empty(t, r.Points)
			}
		})
	}
}

func TestExternalVersionThatIsNotTold(t *testing.T) {
	s := spec(t, learner(t, "version = "+command(t, "grumble")))
	out := ran(t, s, Options{AllowExternal: true})
	r := record(t, out, s, "program-seed1")
	assert.Equal(t, records.Done, r.Status(), "the program runs")
	assert.Contains(t, r.Header.Provenance.External.Version, "exit status 4: only on stdout")
}

// requireStill requires that nothing adds to the file any more: its writer, which does so every 5 ms, was killed before its
// minute was over.
func requireStill(t *testing.T, file string) {
	t.Helper()
	size := func() int64 {
		info, err := os.Stat(file)
		require.NoError(t, err)
		return info.Size()
	}
	before := size()
	time.Sleep(100 * time.Millisecond)
	require.Equal(t, before, size(), "a process that the program started is still alive")
	beats, err := os.ReadFile(file)
	require.NoError(t, err)
	require.NotContains(t, string(beats), over, "the run waited for the program, which takes a minute")
}

// The seconds of training are those of the train command: what predictions take is none of them.
func TestExternalPredictionsAreNoTraining(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no sh")
	}
	s, out := spec(t, external(t, `["true", "{train}"]`, `["sh", "-c", "sleep 1; : {test}; yes 0 | head -n 100 > {predictions}"]`)), t.TempDir()
	began := time.Now()
	sum := execute(t, s, Options{Out: out, AllowExternal: true})
	all := time.Since(began).Seconds()
	require.Equal(t, map[records.Status]int{records.Done: 1}, sum.Status)
	points := record(t, out, s, "program-seed1").Points
	assert.Less(t, points[len(points)-1].Timing.Train, all-1, "of all, a second is of predictions")
}

func TestExternalTimeout(t *testing.T) {
	temp := tempDir(t)
	beat := filepath.Join(t.TempDir(), "beat")
	started := false
	for limit := 0.5; !started && limit < 60; limit *= 4 { // a busy machine may need more to start the program
		out := t.TempDir()
		s := spec(t, external(t, command(t, "hang", beat, "{train}"), command(t, "write", "{predictions}", "{test}", "1"), fmt.Sprintf("timeout = %v", limit)))
		sum := execute(t, s, Options{Out: out, AllowExternal: true})
		assert.Equal(t, map[records.Status]int{records.Timeout: 1}, sum.Status)
		r := record(t, out, s, "program-seed1")
		assert.Equal(t, fmt.Sprintf("stopped after %v s, the timeout of method program; raise it, or use fewer rows", limit), r.End.Reason)
		_, err := os.Stat(beat)
		started = err == nil
	}
	requireStill(t, beat)
	assertEmpty(t, temp)
}

func TestExternalCancelled(t *testing.T) {
	temp, out := tempDir(t), t.TempDir()
	beat := filepath.Join(t.TempDir(), "beat")
	s := spec(t, external(t, command(t, "hang", beat, "{train}{test}"), command(t, "write", "{predictions}", "0\n", "100")))
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() {
		for ctx.Err() == nil {
			if _, err := os.Stat(beat); err == nil {
				cancel()
			}
			time.Sleep(time.Millisecond)
		}
	}()
	o := Options{Out: out, AllowExternal: true, Library: datasets.NewLibrary()}
	_, err := Run(ctx, s.Expand(), o)
	require.ErrorIs(t, err, context.Canceled)
	assert.Equal(t, records.Partial, record(t, out, s, "program-seed1").Status())
	requireStill(t, beat)
	assertEmpty(t, temp)

	sum := execute(t, s, o)
	assert.Equal(t, map[records.Status]int{records.Done: 1}, sum.Status, "running again starts the cell again")
}

func TestExternalLeavesNothingRunning(t *testing.T) {
	if testing.Short() {
		t.Skip("starts many processes")
	}
	for _, part := range []string{"leave", "hold"} {
		t.Run(part, func(t *testing.T) {
			t.Parallel()
			out, beat := t.TempDir(), filepath.Join(t.TempDir(), "beat")
			s := spec(t, external(t, command(t, part, beat, "{train}{test}"), command(t, "write", "{predictions}", "0\n", "100")))
			_, w, err := watch(t, t.Context(), s, Options{Out: out, AllowExternal: true})
			require.NoError(t, err)
			warnings := strings.Join(w.reasons(Warned), "")
			r := record(t, out, s, "program-seed1")
			assert.Equal(t, records.Done, r.Status(), r.End.Reason)
			assert.Equal(t, part == "hold", strings.Contains(warnings, "processes that it had started still held its output; they were killed"), warnings)
			assert.Contains(t, warnings, "beat changed during the run, so that the next command repeats it")
			requireStill(t, beat)
		})
	}
}
