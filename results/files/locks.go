package files

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// A Lock is the right of one process to write certain files, of several processes on one machine or on several that share a file
// system, such as those of a cell: its record, checkpoint, predictions and
// failure.
type Lock interface {
	Lost() error // an error if another process has taken the lock over, which happens to leases only
	Release()    // must be called once; it removes the file of the lock
}

// A HeldError says that another holder has a lock.
type HeldError struct{ By string }

func (e HeldError) Error() string { return "locked by " + e.By }

// errNoLocks means that a file system cannot lock files.
var errNoLocks = errors.New("the file system has no locks")

// A Locker takes locks. The kernel releases the lock of a process that dies. Where the file system
// has no locks, it takes leases.
type Locker struct {
	leases  leases
	tryLock func(f *os.File) (bool, error) // tryLockFile, or another function in tests
}

// NewLocker returns a locker. Its leases need one that is used again: a lease is stale only if this locker saw no heartbeat of it
// for half a minute.
func NewLocker() *Locker {
	own := leases{beat: 5 * time.Second, stale: 30 * time.Second, mu: new(sync.Mutex), seen: map[string]sighting{}}
	return &Locker{leases: own, tryLock: tryLockFile}
}

// Take takes the lock at path, or returns a HeldError at once.
func (l *Locker) Take(path string) (Lock, error) {
	k, err := l.takeFile(path)
	if errors.Is(err, errNoLocks) {
		return l.leases.take(path)
	}
	if err != nil {
		return nil, err
	}
	return k, nil
}

// Wait takes the lock at path as soon as nobody else holds it. It calls waiting once, with the holder in words, if it has to
// wait, and returns ctx.Err() if ctx is done.
func (l *Locker) Wait(ctx context.Context, path string, waiting func(by string)) (Lock, error) {
	const pause = time.Second / 10
	for told := false; ; {
		k, err := l.Take(path)
		held := HeldError{}
		if !errors.As(err, &held) {
			return k, err
		}
		if !told {
			waiting(held.By)
			told = true
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// anew calls do until it returns another error than one that comes from folders, or files, which another process makes or
// removes at the same time: of two that end, the last one removes the empty folders of locks. It gives up after 1000 calls.
func anew(do func() error) (err error) {
	for range 1000 {
		if err = do(); !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, fs.ErrExist) {
			break
		}
	}
	return err
}

// errRemoved means that the last holder removed the file of the lock after it was opened here.
var errRemoved = fmt.Errorf("other processes keep removing the lock: %w", fs.ErrNotExist)

// takeFile takes a lock of the kernel.
func (l *Locker) takeFile(path string) (k *fileLock, err error) {
	err = anew(func() error {
		k, err = l.takeFileOnce(path)
		return err
	})
	return k, err
}

func (l *Locker) takeFileOnce(path string) (*fileLock, error) {
	if info, err := os.Lstat(path); err == nil && !info.Mode().IsRegular() {
		return nil, fmt.Errorf("the lock %s is not a regular file; remove it", path)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return nil, err
	}
	ok, err := l.tryLock(f)
	if errors.Is(err, errNoLocks) {
		removeLockFile(path)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	if !ok {
		return nil, errors.Join(HeldError{holder(f)}, f.Close())
	}
	if !inPlace(f, path) {
		return nil, errors.Join(errRemoved, f.Close())
	}
	if err := signHolder(f); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return &fileLock{f, path}, nil
}

// A fileLock is a lock of the kernel. Its file holds the number of the process and the name of the machine, for messages.
type fileLock struct {
	f    *os.File
	path string
}

func (l *fileLock) Lost() error { return nil }

// release removes the file while it is locked, so that nobody else can hold it, and then unlocks it.
func (l *fileLock) Release() {
	removeLockFile(l.path)
	l.f.Close()
}

// inPlace reports whether path names the open file.
func inPlace(f *os.File, path string) bool {
	open, err := f.Stat()
	if err != nil {
		return false
	}
	named, err := os.Lstat(path)
	return err == nil && os.SameFile(open, named)
}

// signature returns what a lock's file says of this process.
func signature() string {
	host, _ := os.Hostname() // an unknown name is an empty one
	return fmt.Sprintf("%d %s\n", os.Getpid(), host)
}

// signHolder writes the signature over that of a process that was killed, if there is one. It cuts the file only then: ext4 writes
// a file that was cut to no length to the disk when it is closed.
func signHolder(f *os.File) error {
	text := signature()
	if _, err := f.WriteAt([]byte(text), 0); err != nil {
		return err
	}
	info, err := f.Stat()
	if err == nil && info.Size() > int64(len(text)) {
		err = f.Truncate(int64(len(text)))
	}
	return err
}

// holder returns in words which process holds the lock of a file.
func holder(f *os.File) string {
	b, _ := io.ReadAll(io.NewSectionReader(f, 0, 512)) // a file that cannot be read names nobody
	return processOf(string(b))
}

// processOf returns in words the process with the given signature.
func processOf(text string) string {
	var pid int
	var host string
	if n, _ := fmt.Sscan(text, &pid, &host); n == 0 {
		return "another process"
	}
	switch own, _ := os.Hostname(); {
	case text == signature():
		return "this process"
	case host != own:
		return fmt.Sprintf("process %d on %s", pid, printable(host))
	}
	return fmt.Sprintf("process %d", pid)
}

func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if r <= ' ' || r > '~' {
			return -1
		}
		return r
	}, s)
}

// leases stand for locks where the file system has none. A lease is a file of its holder beside the place of the lock. The
// holder writes a new number to it at every heartbeat. Who wants the lease looks for files of others first, then makes one
// of its own, and then looks again: of two that do so at the same time at least one sees the other, and a file that sees
// another one is withdrawn.
//
// A file whose number does not change for several heartbeats is stale, and whoever notices that removes it. Its age is
// counted from when it was first seen, so no clock is compared with another. A holder that was paused for longer finds its
// file gone and stops.
type leases struct {
	beat  time.Duration // between heartbeats
	stale time.Duration // after which a silent lease has ended
	mu    *sync.Mutex
	seen  map[string]sighting // by file
}

// A sighting is what a lease's file held, and since when.
type sighting struct {
	text  string
	since time.Time
}

// ErrLost means that another process may hold the lease by now.
var ErrLost = errors.New("this process was silent for so long that another one took its lease over; run the same command again")

// take takes the lease at path, or returns a HeldError.
func (l *leases) take(path string) (k *lease, err error) {
	err = anew(func() error {
		k, err = l.takeOnce(path)
		return err
	})
	return k, err
}

func (l *leases) takeOnce(path string) (*lease, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return nil, err
	}
	if by, err := l.other(path, ""); by != "" || err != nil {
		return nil, errors.Join(heldOrNil(by), err)
	}
	own := fmt.Sprintf("%s.lease-%d-%d", path, os.Getpid(), rand.Uint64())
	k := &lease{path: own, stop: make(chan struct{}), done: make(chan struct{})}
	if err := os.WriteFile(own, k.text(), 0o666); err != nil {
		return nil, err
	}
	if by, err := l.other(path, own); by != "" || err != nil {
		return nil, errors.Join(heldOrNil(by), err, os.Remove(own))
	}
	go k.keep(l.beat)
	return k, nil
}

func heldOrNil(by string) error {
	if by == "" {
		return nil
	}
	return HeldError{by}
}

// other returns in words who else has a lease at path that is not stale, "" for nobody. It removes stale ones.
func (l *leases) other(path, own string) (string, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	files, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		return "", err
	}
	for _, f := range files {
		name := filepath.Join(filepath.Dir(path), f.Name())
		if !strings.HasPrefix(f.Name(), filepath.Base(path)+".lease-") || name == own {
			continue
		}
		text, err := os.ReadFile(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return "", err
		}
		s, ok := l.seen[name]
		if !ok || s.text != string(text) {
			s = sighting{string(text), time.Now()}
			l.seen[name] = s
		}
		if time.Since(s.since) < l.stale {
			_, signature, _ := strings.Cut(s.text, " ")
			return processOf(signature), nil
		}
		delete(l.seen, name)
		if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return "", err
		}
	}
	return "", nil
}

// A lease is one that this process holds.
type lease struct {
	path       string
	beats      int
	stop, done chan struct{}
}

func (k *lease) text() []byte { return fmt.Appendf(nil, "%d %s", k.beats, signature()) }

// keep writes heartbeats until the lease is released or its file is gone.
func (k *lease) keep(every time.Duration) {
	defer close(k.done)
	t := time.NewTicker(every)
	defer t.Stop()
	for {
		select {
		case <-k.stop:
			return
		case <-t.C:
		}
		f, err := os.OpenFile(k.path, os.O_WRONLY, 0)
		if errors.Is(err, fs.ErrNotExist) {
			return
		}
		if err != nil {
			continue // the file system may work again at the next heartbeat
		}
		k.beats++
		f.Write(k.text()) // never shorter than the text before it
		f.Close()
	}
}

func (k *lease) Lost() error {
	if _, err := os.Lstat(k.path); errors.Is(err, fs.ErrNotExist) {
		return ErrLost
	}
	return nil
}

func (k *lease) Release() {
	close(k.stop)
	<-k.done
	os.Remove(k.path)
}
