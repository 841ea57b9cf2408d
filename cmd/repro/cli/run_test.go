package cli

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/cmd/repro/exits"
	"repro/results/records"
)

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
	spec := []string{"tiny.toml", "--seeds", "1", "--set", "budget.epochs=4000", "--set", "evaluate.points=60"}
	args := append([]string{"run", "--method", "r-pegasos"}, spec...)
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
	ok(t, append([]string{"report"}, spec...)...)

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

func TestAFolderThatCannotBeWritten(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root may write anywhere")
	}
	workplace(t)
	require.NoError(t, os.Mkdir("locked", 0o555))
	o := repro(t, "run", "tiny.toml", "--out", "locked/out")
	assert.Equal(t, int(exits.Mistake), o.status)
	assert.Contains(t, o.errors, "cannot write to the output folder locked/out")
	assert.Equal(t, 1, strings.Count(o.errors, "\n"), o.errors)
}

// A run says once that it keeps cells of another build.
func TestCellsOfAnotherBuild(t *testing.T) {
	workplace(t)
	ok(t, "run", "tiny.toml")
	assert.NotContains(t, ok(t, "run", "tiny.toml").errors, "another build")
	for _, cell := range []string{"dsg-seed1", "dsg-seed2"} {
		path := records.Path("out", "own/tiny", cell)
		r, err := records.Read(path)
		require.NoError(t, err)
		r.Header.Provenance.Commit = strings.Repeat("0123456789", 4)
		rewrite(t, path, r)
	}
	o := ok(t, "run", "tiny.toml")
	assert.Contains(t, o.errors, "2 complete cells of another build (")
	assert.Contains(t, o.errors, " 012345678901) kept; --fresh runs them again with this one\n")
	assert.NotContains(t, ok(t, "run", "tiny.toml", "--fresh").errors, "another build")
}
