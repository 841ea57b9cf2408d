package runner

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/datasets"
	"repro/experiments"
	"repro/results/records"
)

// withoutLocks stands for a file system without locks.
func withoutLocks(beat, stale time.Duration) *locker {
	l := newLocker()
	l.leases.beat, l.leases.stale = beat, stale
	l.tryLock = func(*os.File) (bool, error) { return false, fmt.Errorf("%w: test", errNoLocks) }
	return l
}

// At any time at most one of several goroutines has a lock that all of them take and release, which removes its file.
func TestALockHasOneHolder(t *testing.T) {
	for name, make := range map[string]func() *locker{
		"kernel": newLocker,
		"lease":  func() *locker { return withoutLocks(time.Millisecond, time.Minute) },
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "locks", "test", "cell.lock")
			var inside, taken atomic.Int64
			var wg sync.WaitGroup
			for range 6 {
				wg.Go(func() {
					locks := make()
					for n := 0; n < 60; {
						l, err := locks.take(path)
						if held := (heldError{}); errors.As(err, &held) {
							time.Sleep(time.Duration(n) * time.Microsecond)
							continue
						}
						if !assert.NoError(t, err) || !assert.EqualValues(t, 1, inside.Add(1)) {
							return
						}
						runtime.Gosched()
						assert.NoError(t, l.lost())
						inside.Add(-1)
						l.release()
						taken.Add(1)
						n++
					}
				})
			}
			wg.Wait()
			assert.EqualValues(t, 360, taken.Load())
			if runtime.GOOS != "windows" {
				assert.Empty(t, filesBelow(t, filepath.Dir(filepath.Dir(path)), "test"))
			}
		})
	}
}

func TestWhoHoldsALock(t *testing.T) {
	path := filepath.Join(t.TempDir(), "cell.lock")
	l, err := newLocker().take(path)
	require.NoError(t, err)
	_, err = newLocker().take(path)
	assert.ErrorIs(t, err, heldError{"this process"})
	l.release()
	l, err = newLocker().take(path)
	require.NoError(t, err)
	l.release()
	host, _ := os.Hostname()
	assert.Equal(t, "process 12", processOf("12 "+host+"\n"))
	assert.Equal(t, "process 12 on else\\", processOf("12 else\\\x1b\n"))
	assert.Equal(t, "another process", processOf(""))
}

// What is no lock is not written to.
func TestALockFileThatIsALink(t *testing.T) {
	dir := t.TempDir()
	precious := filepath.Join(dir, "precious")
	require.NoError(t, os.WriteFile(precious, []byte("text"), 0o600))
	path := filepath.Join(dir, "cell.lock")
	if os.Symlink(precious, path) != nil {
		t.Skip("no symbolic links here")
	}
	_, err := newLocker().take(path)
	assert.ErrorContains(t, err, "is no regular file; remove it")
	text, err := os.ReadFile(precious)
	require.NoError(t, err)
	assert.Equal(t, "text", string(text))
}

func TestASilentLeaseEnds(t *testing.T) {
	path := filepath.Join(t.TempDir(), "cell.lock")
	require.NoError(t, os.WriteFile(path+".lease-12-34", []byte("7 12 elsewhere\n"), 0o600))
	locks := withoutLocks(time.Millisecond, 50*time.Millisecond)
	_, err := locks.take(path)
	require.ErrorIs(t, err, heldError{"process 12 on elsewhere"})
	var l lock
	require.Eventually(t, func() bool { l, err = locks.take(path); return err == nil }, 10*time.Second, 5*time.Millisecond)
	defer l.release()
	assert.NoFileExists(t, path+".lease-12-34")
}

func TestALeaseWithHeartbeatsStays(t *testing.T) {
	path := filepath.Join(t.TempDir(), "cell.lock")
	l, err := withoutLocks(time.Millisecond, time.Hour).take(path)
	require.NoError(t, err)
	defer l.release()
	other := withoutLocks(time.Millisecond, 2*time.Second)
	for range 60 {
		_, err := other.take(path)
		require.ErrorIs(t, err, heldError{"this process"})
		time.Sleep(50 * time.Millisecond)
	}
}

func TestALostLeaseIsNoticed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "cell.lock")
	l, err := withoutLocks(time.Hour, time.Hour).take(path)
	require.NoError(t, err)
	require.NoError(t, l.lost())
	names, err := filepath.Glob(path + ".lease-*")
	require.NoError(t, err)
	require.Len(t, names, 1)
	require.NoError(t, os.Remove(names[0]))
	assert.ErrorIs(t, l.lost(), errLeaseLost)
	l.release()
}

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
	l, err := newLocker().take(records.File(out, locksFolder, s.ID, "a-seed1.lock"))
	require.NoError(t, err)
	w := &witness{}
	o := Options{Out: out, Threads: 1, Library: datasets.NewLibrary(), Observe: func(e Event) {
		w.observe(e)
		if e.Kind == Waiting {
			l.release()
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
	out := t.TempDir()
	execute(t, s, Options{Out: out})
	path := records.File(out, locksFolder, s.ID, "a-seed1.lock")
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
