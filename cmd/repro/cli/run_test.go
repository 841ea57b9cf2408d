package cli

import (
	"bytes"
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

// A signal reaches the command as it does from a terminal, and the same command continues.
func TestInterruptedRunContinues(t *testing.T) {
	workplace(t)
	args := []string{"tiny.toml", "--method", "r-pegasos", "--seeds", "1", "--set", "budget.epochs=4000", "--set", "evaluate.points=60"}
	self, err := os.Executable()
	require.NoError(t, err)
	cmd := exec.Command(self, append([]string{"run"}, args...)...)
	cmd.Env = append(os.Environ(), asCommand+"=1")
	var stdout, stderr watched
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	require.NoError(t, cmd.Start())
	record := records.Path("out", "own/tiny", "r-pegasos-seed1")
	require.Eventually(t, func() bool {
		r, err := records.Read(record)
		return err == nil && len(r.Points) > 3
	}, time.Minute, time.Millisecond, "the run never got anywhere")
	require.NoError(t, cmd.Process.Signal(os.Interrupt))
	assert.ErrorContains(t, cmd.Wait(), "exit status 130")
	assert.Contains(t, stderr.String(), "interrupted; the results so far are in out; run the same command again to continue")
	assert.Empty(t, stdout.String())

	r, err := records.Read(record)
	require.NoError(t, err)
	require.Equal(t, records.Partial, r.Status())
	assert.NotEmpty(t, r.Points, "a partial record is usable")
	planned := array(t, ok(t, append([]string{"plan", "--json"}, args...)...).out)[0]
	assert.Equal(t, []any{"to do", "partial"}, []any{planned["state"], planned["reason"]})
	assert.Contains(t, ok(t, append([]string{"run"}, args...)...).errors, "continuing after step")
	r, err = records.Read(record)
	require.NoError(t, err)
	assert.Equal(t, records.Budget, r.Status())
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
