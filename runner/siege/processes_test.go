//go:build faults && unix

package siege

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"repro/datasets"
	"repro/runner"
)

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
	if b.repro == frequent {
		return startCommand([]string{asRunner + "=" + b.spec, asRunnerOut + "=" + out}, self)
	}
	return startCommand(nil, b.repro, append([]string{"run", b.spec, "--out", out}, flags...)...)
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

// fault does a fault that many times; do returns an error if the program fails.
func fault(t *testing.T, id string, tries int, b *bench, do func(t *testing.T, i int) error) {
	t.Run(id, func(t *testing.T) {
		b.prepare()
		for i := range tries {
			if err := do(t, i); err != nil {
				t.Errorf("try %d: %v", i, err)
			}
		}
	})
}

// build builds the program.
func build(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "repro")
	cmd := exec.Command("go", "build", "-o", path, "../../cmd/repro")
	cmd.Dir = here
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, string(out))
	return path
}

// here is the folder of this package, self the path of the test binary.
var here, self string

func TestProcesses(t *testing.T) {
	var err error
	here, err = os.Getwd()
	require.NoError(t, err)
	self, err = os.Executable()
	require.NoError(t, err)
	t.Chdir(t.TempDir()) // outside the checkout, whose state of git would get into the records of the test binary
	repro := build(t)
	kills(t, newBench(t, frequent, "train = 600", "train = 3000"))
	disks(t, newBench(t, repro))
	removed(t, newBench(t, repro))
}

// kills kills processes.
func kills(t *testing.T, own *bench) {
	present := 0
	fault(t, "kill", 100, own, func(t *testing.T, _ int) error {
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
	})
	if present > 0 && present < 80 {
		t.Errorf("checkpoints were present in %d tries of 100 only", present)
	}
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
func disks(t *testing.T, b *bench) {
	fault(t, "full-disk", 20, b, func(t *testing.T, i int) error {
		return inTmpfs(t, fmt.Sprintf("size=%dk", 4+4*i), func(dir string) error {
			out := filepath.Join(dir, "out")
			return errors.Join(b.ends(b.start(out), 2, 5), more(dir, "size=64m"), b.continues(out))
		})
	})
}

// removed removes the output folder.
func removed(t *testing.T, b *bench) {
	fault(t, "deleted", 20, b, func(t *testing.T, _ int) error {
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
		return b.continues(out)
	})
}
