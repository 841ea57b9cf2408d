//go:build faults && unix

package siege

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"repro/datasets"
	"repro/results/files"
	"repro/results/records"
	"repro/runner"
)

var update = flag.Bool("update", false, "write the rows of the faults that ran to docs/robustness.md")

// asRunner makes the test binary a process that runs the spec of that name with a short time between checkpoints.
const asRunner, asRunnerOut = "REPRO_SIEGE_SPEC", "REPRO_SIEGE_OUT"

func TestMain(m *testing.M) {
	if path := os.Getenv(asRunner); path != "" {
		_, _, err := run(path, os.Getenv(asRunnerOut))
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// A bench runs a study by processes.
type bench struct {
	study
	repro string        // path of the program
	took  time.Duration // of the undisturbed run
	rand  *rand.Rand
}

const anyCheckpoint, anyLock = "checkpoints/*/*/*.gob", "locks/*/*/*.lock"

// frequent is the name, in place of a program's, of this test binary as a process with frequent checkpoints.
const frequent = "frequent"

// newBench returns the bench of a spec that is made from small.
func newBench(t *testing.T, repro string, change ...string) *bench {
	t.Helper()
	path := filepath.Join(t.TempDir(), "small.toml")
	require.NoError(t, os.WriteFile(path, []byte(strings.NewReplacer(change...).Replace(small)), 0o600))
	b := &bench{study: study{t: t, spec: path}, repro: repro, rand: rand.New(rand.NewPCG(1, 14))}
	b.cells = expand(t, path)
	return b
}

// prepare runs the spec undisturbed, once.
func (b *bench) prepare() {
	if b.whole != nil || b.spec == "" {
		return
	}
	out := b.t.TempDir()
	start := time.Now()
	require.NoError(b.t, b.ends(b.start(out), 0))
	b.took = time.Since(start)
	whole, err := b.state(out)
	require.NoError(b.t, err)
	b.whole = whole
}

// run runs a spec in this process and returns what the run warned of.
func run(path, out string) (runner.Summary, []string, error) {
	cells, err := load(path)
	if err != nil {
		return runner.Summary{}, nil, err
	}
	var warnings []string
	sum, err := runner.Run(context.Background(), cells, runner.Options{Out: out, Threads: 2, Library: datasets.NewLibrary(),
		Checkpoint: 10 * time.Millisecond, Observe: func(e runner.Event) {
			if e.Kind == runner.Warned {
				warnings = append(warnings, e.Reason)
			}
		}})
	return sum, warnings, err
}

// A process is a run of the program.
type process struct {
	*exec.Cmd
	output *bytes.Buffer
	done   chan error
}

// start starts the program on the spec.
func (b *bench) start(out string, flags ...string) *process {
	return b.startWith(nil, out, flags...)
}

func (b *bench) startWith(env []string, out string, flags ...string) *process {
	if b.repro == frequent {
		return startCommand([]string{asRunner + "=" + b.spec, asRunnerOut + "=" + out}, self)
	}
	return startCommand(env, b.repro, append([]string{"run", b.spec, "--out", out}, flags...)...)
}

func startCommand(env []string, name string, args ...string) *process {
	p := &process{Cmd: exec.Command(name, args...), output: &bytes.Buffer{}, done: make(chan error, 1)}
	p.Env = append(os.Environ(), env...)
	p.Stdout, p.Stderr = p.output, p.output
	if err := p.Start(); err != nil {
		p.done <- err
		return p
	}
	go func() { p.done <- p.Wait() }()
	return p
}

// limit is the time after which a process counts as hanging.
const limit = 2 * time.Minute

// wait returns the exit status of a process, negative if a signal ended it, and an error if it hangs or panics.
func (p *process) wait() (int, error) {
	select {
	case err := <-p.done:
		var exit *exec.ExitError
		if err != nil && !errors.As(err, &exit) {
			return 0, err
		}
	case <-time.After(limit):
		_ = p.Process.Kill()
		return 0, fmt.Errorf("hangs: %s", p.output)
	}
	if text := p.output.String(); strings.Contains(text, "goroutine ") || strings.Contains(text, "panic:") {
		return 0, fmt.Errorf("panics: %s", text)
	}
	return p.ProcessState.ExitCode(), nil
}

// ends waits for a process and returns an error unless it ends with one of the given statuses.
func (b *bench) ends(p *process, want ...int) error {
	status, err := p.wait()
	if err != nil {
		return err
	}
	for _, s := range want {
		if status == s {
			return nil
		}
	}
	return fmt.Errorf("exit status %d, want %v: %s", status, want, p.output)
}

// continues runs the spec again in a folder, and returns an error unless that brings it to the state of the undisturbed run.
func (b *bench) continues(out string, flags ...string) error {
	if err := b.ends(b.start(out, flags...), 0); err != nil {
		return err
	}
	return b.same(out)
}

// moment sleeps for a random part of the time that an undisturbed run takes.
func (b *bench) moment() { time.Sleep(time.Duration(b.rand.Float64() * float64(b.took))) }

// appears waits until a file matches the pattern below out, or the process ends.
func appears(p *process, out, pattern string) bool {
	for range 20000 {
		if found, _ := filepath.Glob(filepath.Join(out, pattern)); len(found) > 0 {
			return true
		}
		select {
		case err := <-p.done:
			p.done <- err
			return false
		case <-time.After(time.Millisecond):
		}
	}
	return false
}

// A campaign runs faults and collects their rows.
type campaign struct {
	t    *testing.T
	page string
}

// fault does a fault on a bench as often as the list says; do returns an error if the program fails. note returns what else
// to say.
func (c *campaign) fault(id string, b *bench, do func(t *testing.T, i int) error, note func() string) {
	for _, f := range All() {
		if f.ID != id {
			continue
		}
		c.t.Run(id, func(t *testing.T) {
			b.prepare()
			failures := 0
			for i := range f.Tries {
				if err := do(t, i); err != nil {
					failures++
					t.Errorf("try %d: %v", i, err)
				}
			}
			words := ""
			if note != nil {
				words = note()
			}
			row := f.Row(f.Tries, failures, words)
			t.Log(row)
			c.page = Replace(c.page, f, row)
		})
		return
	}
	c.t.Fatalf("no fault %s", id)
}

// build builds the program with further flags.
func build(t *testing.T, flags ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "repro")
	cmd := exec.Command("go", append(append([]string{"build", "-o", path}, flags...), "../../cmd/repro")...)
	cmd.Dir = here
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, string(out))
	return path
}

// here is the folder of this package, self the path of the test binary.
var here, self string

func TestProcesses(t *testing.T) {
	text, err := os.ReadFile(page)
	require.NoError(t, err)
	if here, err = os.Getwd(); err != nil {
		t.Fatal(err)
	}
	self, err = os.Executable()
	require.NoError(t, err)
	t.Chdir(t.TempDir()) // outside the checkout, whose state of git would get into the records of the test binary
	c := &campaign{t, string(text)}
	repro := build(t)
	c.together(newBench(t, repro))
	c.signals(newBench(t, repro, "train = 600", "train = 3000"), newBench(t, frequent, "train = 600", "train = 3000"))
	c.interrupts(repro)
	c.disks(newBench(t, repro))
	c.files(newBench(t, repro))
	c.flips(newBench(t, frequent), newBench(t, repro))
	c.builds(newBench(t, repro, "train = 600", "train = 5000"))
	if *update {
		require.NoError(t, os.WriteFile(filepath.Join(here, page), []byte(c.page), 0o644))
	}
}

// together runs two processes in one folder.
func (c *campaign) together(b *bench) {
	waited := 0
	c.fault("same-cells", b, func(t *testing.T, _ int) error {
		out := t.TempDir()
		p, q := b.start(out), b.start(out)
		err := errors.Join(b.ends(p, 0), b.ends(q, 0), b.same(out))
		if strings.Contains(p.output.String()+q.output.String(), "waiting for siege/small") {
			waited++
		}
		return errors.Join(err, b.continues(out))
	}, func() string { return fmt.Sprintf("one waited for the other in %d tries", waited) })
	c.fault("different-cells", b, func(t *testing.T, _ int) error {
		out := t.TempDir()
		p, q := b.start(out, "--method", "dsg"), b.start(out, "--method", "norma", "--method", "r-pegasos")
		if err := errors.Join(b.ends(p, 0), b.ends(q, 0)); err != nil {
			return err
		}
		if strings.Contains(p.output.String()+q.output.String(), "waiting for") {
			return errors.New("one waited for the other")
		}
		return errors.Join(b.same(out), b.continues(out))
	}, nil)
}

// signals sends signals to processes.
func (c *campaign) signals(b, own *bench) {
	present := 0
	c.fault("kill", own, func(t *testing.T, _ int) error {
		out := t.TempDir()
		p := own.start(out)
		appears(p, out, anyCheckpoint)
		time.Sleep(time.Duration(0.6 * own.rand.Float64() * float64(own.took)))
		appears(p, out, anyCheckpoint)
		_ = p.Process.Kill()
		<-p.done
		if found, _ := filepath.Glob(filepath.Join(out, anyCheckpoint)); len(found) > 0 {
			present++
		}
		return own.continues(out)
	}, func() string { return fmt.Sprintf("checkpoints were present in %d tries", present) })
	if present > 0 && present < 80 {
		c.t.Errorf("checkpoints were present in %d tries of 100 only", present)
	}
	c.fault("kill-holder", b, func(t *testing.T, _ int) error {
		out := t.TempDir()
		p := b.start(out)
		appears(p, out, anyLock)
		q := b.start(out)
		b.moment()
		_ = p.Process.Kill()
		<-p.done
		return errors.Join(b.ends(q, 0), b.same(out))
	}, nil)
	c.fault("stop", b, func(t *testing.T, _ int) error {
		out := t.TempDir()
		p := b.start(out)
		b.moment()
		_ = p.Process.Signal(syscall.SIGSTOP)
		time.Sleep(500 * time.Millisecond)
		_ = p.Process.Signal(syscall.SIGCONT)
		return errors.Join(b.ends(p, 0), b.same(out))
	}, nil)
	c.fault("stop-holder", b, func(t *testing.T, _ int) error {
		out := t.TempDir()
		p := b.start(out)
		appears(p, out, anyLock)
		_ = p.Process.Signal(syscall.SIGSTOP)
		q := b.start(out)
		time.Sleep(b.took + time.Second)
		_ = p.Process.Signal(syscall.SIGCONT)
		return errors.Join(b.ends(p, 0), b.ends(q, 0), b.same(out))
	}, nil)
	c.fault("interrupt", b, func(t *testing.T, _ int) error {
		out := t.TempDir()
		p := b.start(out)
		appears(p, out, anyLock)
		b.moment()
		_ = p.Process.Signal(os.Interrupt)
		return errors.Join(b.ends(p, 0, 130), b.continues(out))
	}, nil)
}

// A long is a run with a part that takes seconds.
type long struct {
	name, method string
	change       []string // of the spec
	rows, cols   int      // of rows.csv beside the spec
	early        bool     // the part comes before the first cell
	point        bool     // the part comes after the first point of the record
}

// interrupts sends SIGINT to computations that take long, and times the answer.
func (c *campaign) interrupts(repro string) {
	b := &bench{study: study{t: c.t}, repro: repro, rand: rand.New(rand.NewPCG(1, 15))}
	file := []string{`name = "dai2014-synthetic"`, `file = "rows.csv"`, "test = 60", "test_rows = [1, 60]"}
	parts := []long{
		{name: "krr", method: `algorithm = "krr"`},
		{name: "eigenpro", method: "algorithm = \"eigenpro\"\ndirections = 1000\nsubsample = 7500\ndecomposition = \"nystrom\"", change: []string{"nu = 1e-4", "nu = 0.0"}},
		{name: "ksvm", method: `algorithm = "ksvm"`, rows: 8060, cols: 5, change: append(file, `"square"`, `"hinge"`, `"test-mse"`, `"test-error"`)},
		{name: "median", method: `algorithm = "krr"`, change: []string{"bandwidth = 0.2", `bandwidth = { rule = "median", sample = 50000 }`, "train = 8000", "train = 50000"}},
		{name: "reference", method: "algorithm = \"r-pegasos\"\nbatch = 32\nfeatures = 20\nstep = { schedule = \"constant\", gamma0 = 2.0 }",
			change: []string{`"test-mse"`, `"test-mse", "exact-distance"`, "points = 8\n", "points = 8\nreference = \"krr\"\n"}},
		{name: "surface", method: `algorithm = "krr"`, change: []string{"points = 8\n", "points = 8\nsurface = 1000\n", "train = 8000", "train = 2000"}, point: true},
		{name: "load", method: `algorithm = "krr"`, rows: 100000, cols: 100, early: true, change: file},
	}
	var slowest time.Duration
	where := ""
	c.fault("interrupt-long", b, func(t *testing.T, i int) error {
		l := parts[i%len(parts)]
		took, err := b.answer(t, l)
		t.Logf("%s: %v", l.name, took)
		if took > slowest {
			slowest, where = took, l.name
		}
		if err == nil && took > 2*time.Second {
			err = errors.New("too slow")
		}
		if err != nil {
			return fmt.Errorf("%s: %v, %w", l.name, took, err)
		}
		return nil
	}, func() string { return fmt.Sprintf("slowest answer %.1f s (%s)", slowest.Seconds(), where) })
}

// answer interrupts a run with a long part and returns how long it then takes to end.
func (b *bench) answer(t *testing.T, l long) (time.Duration, error) {
	dir := t.TempDir()
	text := strings.NewReplacer("train = 600", "train = 8000", `"l2-error", `, "", "surface = 4\n", "").Replace(small[:strings.Index(small, "[[method]]")])
	text = strings.NewReplacer(l.change...).Replace(text) + "[[method]]\nid = \"m\"\n" + l.method + "\n"
	var rows bytes.Buffer
	for range l.rows {
		for range l.cols {
			fmt.Fprintf(&rows, "%.6f,", b.rand.Float64())
		}
		fmt.Fprintln(&rows, 2*b.rand.IntN(2)-1)
	}
	b.spec = filepath.Join(dir, "long.toml")
	if err := errors.Join(os.WriteFile(b.spec, []byte(text), 0o600), os.WriteFile(filepath.Join(dir, "rows.csv"), rows.Bytes(), 0o600)); err != nil {
		return 0, err
	}
	out := filepath.Join(dir, "out")
	p := b.start(out, "--seeds", "1")
	if !l.early && !appears(p, out, anyLock) {
		return 0, fmt.Errorf("did not begin: %v: %s", <-p.done, p.output)
	}
	pause := 0.5 + b.rand.Float64()
	if l.point {
		for range 60000 {
			found, _ := filepath.Glob(filepath.Join(out, "records/*/*/*.jsonl"))
			if len(found) > 0 {
				if text, _ := os.ReadFile(found[0]); bytes.Contains(text, []byte(`"line":"point"`)) {
					break
				}
			}
			time.Sleep(time.Millisecond)
		}
		pause = 0.2
	}
	time.Sleep(time.Duration(pause * float64(time.Second)))
	start := time.Now()
	_ = p.Process.Signal(os.Interrupt)
	err := b.ends(p, 130)
	return time.Since(start), err
}

// inTmpfs calls do with the path of a file system in memory that is mounted with the given options, or skips the fault.
func inTmpfs(t *testing.T, options string, do func(dir string) error) error {
	dir := t.TempDir()
	if out, err := exec.Command("mount", "-t", "tmpfs", "-o", options, "siege", dir).CombinedOutput(); err != nil {
		t.Skipf("cannot mount a tmpfs: %s", out)
	}
	defer func() { _ = exec.Command("umount", dir).Run() }()
	return do(dir)
}

// more mounts the file system again with other options.
func more(dir, options string) error {
	out, err := exec.Command("mount", "-o", "remount,"+options, dir).CombinedOutput()
	if err != nil {
		return fmt.Errorf("%w: %s", err, out)
	}
	return nil
}

// disks runs out of room.
func (c *campaign) disks(b *bench) {
	c.fault("full-disk", b, func(t *testing.T, i int) error {
		return inTmpfs(t, fmt.Sprintf("size=%dk", 4+4*i), func(dir string) error {
			out := filepath.Join(dir, "out")
			return errors.Join(b.ends(b.start(out), 2, 5), more(dir, "size=64m"), b.continues(out))
		})
	}, nil)
	c.fault("inodes", b, func(t *testing.T, i int) error {
		return inTmpfs(t, fmt.Sprintf("nr_inodes=%d", 6+3*i), func(dir string) error {
			out := filepath.Join(dir, "out")
			return errors.Join(b.ends(b.start(out), 2, 5), more(dir, "nr_inodes=10000"), b.continues(out))
		})
	}, nil)
	c.fault("quota", b, func(t *testing.T, i int) error {
		out := t.TempDir()
		shell := fmt.Sprintf(`ulimit -f %d; exec "$0" "$@"`, i/2) // blocks of 1,024 bytes in bash
		p := startCommand(nil, "bash", "-c", shell, b.repro, "run", b.spec, "--out", out)
		return errors.Join(b.ends(p, 2, 5), b.continues(out))
	}, nil)
	c.fault("read-only", b, func(t *testing.T, i int) error {
		return inTmpfs(t, "size=64m", func(dir string) error {
			out := filepath.Join(dir, "out")
			if i > 0 {
				if err := b.ends(b.start(out, "--seeds", "1"), 0); err != nil {
					return err
				}
			}
			err := errors.Join(more(dir, "ro"), b.ends(b.start(out), 2))
			return errors.Join(err, more(dir, "rw"), b.continues(out))
		})
	}, nil)
}

// files removes and replaces what is below the output folder.
func (c *campaign) files(b *bench) {
	said := 0
	c.fault("deleted", b, func(t *testing.T, _ int) error {
		out := filepath.Join(t.TempDir(), "out")
		p := b.start(out)
		appears(p, out, anyLock)
		b.moment()
		for os.RemoveAll(out) != nil { // a file may appear while it goes
		}
		status, err := p.wait()
		if err != nil {
			return err
		}
		if _, err := b.state(out); status == 0 && err != nil {
			// The folder went after the last look of the run, if nothing is left of it.
			if _, gone := os.Stat(out); gone == nil {
				return fmt.Errorf("exit status 0 with fewer records: %w: %s", err, p.output)
			}
		}
		if status != 0 {
			said++
		}
		return b.continues(out)
	}, func() string { return fmt.Sprintf("the run said so in %d tries; in the others it was over", said) })
	places := []func(out string) string{
		func(out string) string { return records.Path(out, b.cells[0].Experiment, b.cells[0].Name) },
		func(out string) string {
			return files.Path(out, "checkpoints", b.cells[0].Experiment, b.cells[0].Name+".gob")
		},
		func(out string) string {
			return files.Path(out, "predictions", b.cells[0].Experiment, b.cells[0].Name+".csv")
		},
		func(out string) string {
			return files.Path(out, "locks", b.cells[0].Experiment, b.cells[0].Name+".lock")
		},
	}
	c.fault("link", b, func(t *testing.T, i int) error {
		out, precious := t.TempDir(), filepath.Join(t.TempDir(), "precious")
		path := places[i%len(places)](out)
		err := errors.Join(os.WriteFile(precious, []byte("text"), 0o600), os.MkdirAll(filepath.Dir(path), 0o777), os.Symlink(precious, path))
		if err != nil {
			return err
		}
		var flags []string
		if i >= len(places) {
			flags = []string{"--fresh"}
		}
		_, err = b.start(out, flags...).wait()
		if text, _ := os.ReadFile(precious); string(text) != "text" {
			err = errors.Join(err, fmt.Errorf("the run wrote through %s", path))
		}
		if strings.HasSuffix(path, ".lock") {
			err = errors.Join(err, os.Remove(path))
		}
		return errors.Join(err, b.continues(out))
	}, nil)
	c.fault("fifo", b, func(t *testing.T, i int) error {
		out := t.TempDir()
		path := places[i%len(places)](out)
		if i >= len(places) { // in place of what a run wrote
			if err := b.ends(b.start(out), 0); err != nil {
				return err
			}
			_ = os.Remove(path)
		}
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o777), syscall.Mkfifo(path, 0o600)); err != nil {
			return err
		}
		_, err := b.start(out).wait()
		if strings.HasSuffix(path, ".lock") || strings.HasSuffix(path, ".gob") { // the user's to remove, or not looked at
			_ = os.Remove(path)
		}
		return errors.Join(err, b.continues(out))
	}, nil)
}

// flips damages files of a folder and runs the spec on it in this process.
func (c *campaign) flips(b, reports *bench) {
	whole, half := c.t.TempDir(), c.t.TempDir()
	b.prepare()
	_, _, err := run(b.spec, whole)
	require.NoError(c.t, err)
	b.interruptedIn(c.t, half)
	damage := func(t *testing.T, from, pattern string, change func([]byte) []byte) error {
		out := t.TempDir()
		defer os.RemoveAll(out)
		if err := os.CopyFS(out, os.DirFS(from)); err != nil {
			return err
		}
		found, err := filepath.Glob(filepath.Join(out, pattern))
		if err != nil || len(found) == 0 {
			return fmt.Errorf("no file %s: %w", pattern, err)
		}
		path := found[b.rand.IntN(len(found))]
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if err := os.WriteFile(path, change(data), 0o600); err != nil {
			return err
		}
		sum, warnings, err := run(b.spec, out)
		if err != nil {
			return err
		}
		if len(warnings) == 0 && sum.Kept == len(b.cells) {
			return fmt.Errorf("%s: nothing was noticed", path)
		}
		return b.same(out)
	}
	flip := func(data []byte) []byte {
		data[b.rand.IntN(len(data))] ^= 1 << b.rand.IntN(8)
		return data
	}
	c.fault("flip-record", b, func(t *testing.T, _ int) error { return damage(t, whole, "records/*/*/*.jsonl", flip) }, nil)
	c.fault("flip-checkpoint", b, func(t *testing.T, _ int) error { return damage(t, half, anyCheckpoint, flip) }, nil)
	c.fault("flip-prediction", b, func(t *testing.T, _ int) error { return damage(t, whole, "predictions/*/*/*.csv", flip) }, nil)
	c.fault("cut", b, func(t *testing.T, i int) error {
		from, pattern := whole, []string{"records/*/*/*.jsonl", anyCheckpoint, "predictions/*/*/*.csv"}[i%3]
		if i%3 == 1 {
			from = half
		}
		return damage(t, from, pattern, func(data []byte) []byte { return data[:b.rand.IntN(len(data))] })
	}, nil)
	out := c.t.TempDir()
	c.fault("flip-verdicts", b, func(t *testing.T, i int) error {
		if i == 0 {
			if err := reports.ends(reports.start(out), 0); err != nil {
				return err
			}
		}
		path := filepath.Join(out, "verdicts.json")
		good, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if err := os.WriteFile(path, flip(bytes.Clone(good)), 0o600); err != nil {
			return err
		}
		if err := reports.ends(startCommand(nil, reports.repro, "report", reports.spec, "--out", out), 0); err != nil {
			return err
		}
		if again, err := os.ReadFile(path); err != nil || !bytes.Equal(good, again) {
			return errors.Join(errors.New("report did not write it again"), err)
		}
		return nil
	}, func() string { return "no command reads it; report writes it again" })
}

// interruptedIn leaves a run in a folder that was interrupted and has checkpoints.
func (b *bench) interruptedIn(t *testing.T, out string) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var once sync.Once
	_, err := runner.Run(ctx, b.cells, runner.Options{Out: out, Threads: 2, Library: datasets.NewLibrary(), Checkpoint: time.Nanosecond,
		Observe: func(e runner.Event) {
			if e.Kind == runner.Started && e.Cell.Seed == 2 {
				once.Do(func() { time.AfterFunc(5*time.Millisecond, cancel) })
			}
		}})
	require.ErrorIs(t, err, context.Canceled)
	found, _ := filepath.Glob(filepath.Join(out, anyCheckpoint))
	require.NotEmpty(t, found)
}

// complete reports whether the record at path is complete.
func complete(path string) bool {
	r, err := records.Read(path)
	return err == nil && r.Status().Complete()
}

// builds continues checkpoints with another program and with another instruction set.
func (c *campaign) builds(b *bench) {
	other := func(t *testing.T, first, second *bench, env []string) error {
		out := t.TempDir()
		p := first.start(out, "--seeds", "1")
		appears(p, out, "records/*/*/*.jsonl")
		time.Sleep(time.Duration(0.2 * b.rand.Float64() * float64(b.took)))
		_ = p.Process.Signal(os.Interrupt)
		if err := first.ends(p, 130); err != nil {
			return err
		}
		for _, cell := range first.cells { // a complete record is kept whatever wrote it; here all cells are to run
			if path := records.Path(out, cell.Experiment, cell.Name); complete(path) {
				_ = os.Remove(path)
			}
		}
		q := second.startWith(env, out)
		if err := second.ends(q, 0); err != nil {
			return err
		}
		found, _ := filepath.Glob(filepath.Join(out, anyCheckpoint))
		if text := q.output.String(); len(found) > 0 || strings.Contains(text, "continuing after") || !strings.Contains(text, "written by another build") {
			return fmt.Errorf("the run said nothing of another build: %s", text)
		}
		return second.same(out)
	}
	next := *b
	next.repro = build(c.t, "-tags", "siege")
	c.fault("build", b, func(t *testing.T, _ int) error {
		next.whole = b.whole
		return other(t, b, &next, nil)
	}, nil)
	env := []string{"REPRO_CPU=generic"}
	generic := *b
	c.fault("instructions", b, func(t *testing.T, i int) error {
		if i == 0 { // the undisturbed run of these instructions
			out := t.TempDir()
			if err := b.ends(b.startWith(env, out), 0); err != nil {
				return err
			}
			whole, err := b.state(out)
			if err != nil {
				return err
			}
			generic.whole = whole
		}
		return other(t, b, &generic, env)
	}, nil)
}
