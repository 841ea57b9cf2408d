package runner

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/datasets"
	"repro/experiments"
	"repro/results/files"
	"repro/results/records"
)

// Of two runs with the same cells, the second runs what the first has not begun, waits for the rest and keeps it.
func TestTwoRunsOfTheSameCells(t *testing.T) {
	s := spec(t, hazardous)
	out := t.TempDir()
	begun, second, goOn := make(chan bool), make(chan bool, 10), make(chan bool)
	during(t, func(name, part string, step int) {
		if name == "a" && part == "step" && step == 3 {
			close(begun)
			<-goOn
		}
	})
	first := make(chan Summary)
	go func() {
		sum, err := Run(context.Background(), s.Expand(), Options{Out: out, Threads: 1, Library: datasets.NewLibrary()})
		assert.NoError(t, err)
		first <- sum
	}()
	<-begun

	ctx, cancel := context.WithCancel(context.Background())
	w := &witness{}
	o := Options{Out: out, Threads: 1, Library: datasets.NewLibrary(), Observe: func(e Event) {
		w.observe(e)
		if e.Kind == Waiting {
			second <- true
		}
	}}
	go func() { <-second; cancel() }()
	_, err := Run(ctx, s.Expand(), o)
	require.ErrorIs(t, err, context.Canceled, "waiting can be interrupted")
	assert.Equal(t, []string{"a-seed1: this process"}, w.reasons(Waiting))
	assert.Len(t, w.reasons(Ended), 1, "b ran before the run waited for a")

	go func() { <-second; close(goOn) }()
	sum, err := Run(context.Background(), s.Expand(), o)
	require.NoError(t, err)
	assert.Equal(t, Summary{Status: map[records.Status]int{records.Budget: 2}, Kept: 2}, sum)
	assert.Equal(t, Summary{Status: map[records.Status]int{records.Budget: 2}, Kept: 1}, <-first)
	for _, c := range s.Expand() {
		assert.Equal(t, records.Budget, record(t, out, s, c.Name).Status())
	}
	assert.NoDirExists(t, filepath.Join(out, locksFolder), "what is empty is removed")
}

// A cell that takes the time of another one waits with it.
func TestACellThatNeedsAHeldOneWaits(t *testing.T) {
	s := spec(t, hazardous+"budget = { time_of = \"a\", steps = 0 }\n")
	cells := s.Expand()
	require.True(t, slices.ContainsFunc(cells, func(c experiments.Cell) bool { return len(c.Needs) > 0 }))
	out := t.TempDir()
	l, err := files.NewLocker().Take(files.Path(out, locksFolder, s.ID, "a-seed1.lock"))
	require.NoError(t, err)
	w := &witness{}
	o := Options{Out: out, Threads: 1, Library: datasets.NewLibrary(), Observe: func(e Event) {
		w.observe(e)
		if e.Kind == Waiting {
			l.Release()
		}
	}}
	sum, err := Run(context.Background(), cells, o)
	require.NoError(t, err)
	assert.Equal(t, 2, sum.Status[records.Budget], "%v", w.reasons(Ended))
	assert.Equal(t, []string{"a-seed1: this process"}, w.reasons(Waiting))
}

// A process that is killed after the end line of a record leaves its lock's file, which the next run removes.
func TestALockFileOfACompleteCellIsRemoved(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows keeps the files of locks")
	}
	s := spec(t, hazardous)
	out := ran(t, s, Options{})
	path := files.Path(out, locksFolder, s.ID, "a-seed1.lock")
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o777))
	require.NoError(t, os.WriteFile(path, []byte("1 elsewhere\n"), 0o600))
	assert.Equal(t, 2, execute(t, s, Options{Out: out}).Kept)
	assert.NoFileExists(t, path)
}

// Folders of locks and checkpoints that are links out of the output folder are refused before anything is written there.
func TestFoldersThatLeadOutAreRefused(t *testing.T) {
	for _, folder := range []string{locksFolder, "checkpoints"} {
		t.Run(folder, func(t *testing.T) {
			s := spec(t, head+compared)
			out, elsewhere := t.TempDir(), t.TempDir()
			if err := os.Symlink(elsewhere, filepath.Join(out, folder)); err != nil {
				t.Skipf("no symbolic links here: %v", err)
			}
			_, err := Run(context.Background(), s.Expand()[:1], Options{Out: out, Checkpoint: time.Nanosecond, Library: datasets.NewLibrary()})
			assert.ErrorContains(t, err, "a symbolic link on the way leads out of the output folder")
			assert.Empty(t, filesBelow(t, elsewhere, "."))
		})
	}
}
