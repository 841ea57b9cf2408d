package locks

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

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

func newLeases() leases {
	return leases{beat: 5 * time.Second, stale: 30 * time.Second, mu: new(sync.Mutex), seen: map[string]sighting{}}
}

// ErrLost means that another process may hold the lease by now.
var ErrLost = errors.New("this process was silent for so long that another one took its lease over; run the same command again")

// take takes the lease at path, or returns a HeldError.
func (l *leases) take(path string) (k *lease, err error) {
	err = Anew(func() error {
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
