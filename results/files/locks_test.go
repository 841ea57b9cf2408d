package files

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// withoutLocks stands for a file system without locks.
func withoutLocks(beat, stale time.Duration) *Locker {
	l := NewLocker()
	l.leases.beat, l.leases.stale = beat, stale
	l.tryLock = func(*os.File) (bool, error) { return false, fmt.Errorf("%w: test", errNoLocks) }
	return l
}

// At any time at most one of several goroutines has a lock that all of them take and release, which removes its file. They
// remove its folder too, as a run that ends does.
func TestALockHasOneHolder(t *testing.T) {
	for name, make := range map[string]func() *Locker{
		"kernel": NewLocker,
		"lease":  func() *Locker { return withoutLocks(time.Millisecond, time.Minute) },
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "locks", "test", "cell.lock")
			var inside, taken atomic.Int64
			var wg sync.WaitGroup
			for range 6 {
				wg.Go(func() {
					locks := make()
					for n := 0; n < 60; {
						l, err := locks.Take(path)
						if held := (HeldError{}); errors.As(err, &held) {
							time.Sleep(time.Duration(n) * time.Microsecond)
							continue
						}
						if !assert.NoError(t, err) || !assert.EqualValues(t, 1, inside.Add(1)) {
							return
						}
						runtime.Gosched()
						assert.NoError(t, l.Lost())
						inside.Add(-1)
						l.Release()
						os.Remove(filepath.Dir(path)) // fails if it is not empty
						taken.Add(1)
						n++
					}
				})
			}
			wg.Wait()
			assert.EqualValues(t, 360, taken.Load())
			if runtime.GOOS != "windows" {
				assert.NoDirExists(t, filepath.Dir(path), "the last one removed all")
			}
		})
	}
}

func TestWhoHoldsALock(t *testing.T) {
	path := filepath.Join(t.TempDir(), "cell.lock")
	require.NoError(t, os.WriteFile(path, []byte("12345678901234567890 killed on a machine of a long name, perhaps\n"), 0o600))
	l, err := NewLocker().Take(path)
	require.NoError(t, err)
	_, err = NewLocker().Take(path)
	assert.ErrorIs(t, err, HeldError{"this process"})
	l.Release()
	l, err = NewLocker().Take(path)
	require.NoError(t, err)
	l.Release()
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
	_, err := NewLocker().Take(path)
	assert.ErrorContains(t, err, "is not a regular file; remove it")
	text, err := os.ReadFile(precious)
	require.NoError(t, err)
	assert.Equal(t, "text", string(text))
}

func TestASilentLeaseEnds(t *testing.T) {
	path := filepath.Join(t.TempDir(), "cell.lock")
	require.NoError(t, os.WriteFile(path+".lease-12-34", []byte("7 12 elsewhere\n"), 0o600))
	synctest.Test(t, func(t *testing.T) {
		locks := withoutLocks(NewLocker().leases.beat, NewLocker().leases.stale)
		for range 3 {
			_, err := locks.Take(path)
			require.ErrorIs(t, err, HeldError{"process 12 on elsewhere"})
			time.Sleep(10 * time.Second)
		}
		l, err := locks.Take(path)
		require.NoError(t, err)
		defer l.Release()
		assert.NoFileExists(t, path+".lease-12-34")
	})
}

func TestALeaseWithHeartbeatsStays(t *testing.T) {
	path := filepath.Join(t.TempDir(), "cell.lock")
	synctest.Test(t, func(t *testing.T) {
		l, err := withoutLocks(NewLocker().leases.beat, time.Hour).Take(path)
		require.NoError(t, err)
		defer l.Release()
		other := withoutLocks(NewLocker().leases.beat, NewLocker().leases.stale)
		for range 60 {
			_, err := other.Take(path)
			require.ErrorIs(t, err, HeldError{"this process"})
			time.Sleep(3 * time.Second)
		}
	})
}

func TestALostLeaseIsNoticed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "cell.lock")
	require.NoError(t, os.WriteFile(path+".txt", nil, 0o600)) // no lease
	l, err := withoutLocks(time.Hour, time.Hour).Take(path)
	require.NoError(t, err)
	require.NoError(t, l.Lost())
	names, err := filepath.Glob(path + ".lease-*")
	require.NoError(t, err)
	require.Len(t, names, 1)
	require.NoError(t, os.Remove(names[0]))
	assert.ErrorIs(t, l.Lost(), ErrLost)
	l.Release()
}

func TestWaiting(t *testing.T) {
	path := filepath.Join(t.TempDir(), "cell.lock")
	held, err := NewLocker().Take(path)
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	_, err = NewLocker().Wait(ctx, path, func(by string) {
		assert.Equal(t, "this process", by)
		cancel()
	})
	assert.ErrorIs(t, err, context.Canceled)
	l, err := NewLocker().Wait(context.Background(), path, func(string) { held.Release() })
	require.NoError(t, err)
	l.Release()
}
