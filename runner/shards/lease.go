package shards

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"repro/results/files"
)

// A Lease is the right of one process to run a shard. It is a file in the folder of the plan on a file system that all hosts
// share, <name>.<generation>.lease. The holder replaces it at every heartbeat.
//
// Who wants the lease of a holder that is silent makes the file of the next generation with O_EXCL, so that one of several
// succeeds. A generation is never used twice: the file of the last one stays when its holder releases it, and says how the
// shard ended. A holder that was paused finds a later generation at its next heartbeat, and has lost the lease.
//
// A holder is silent if its file does not change while the other process waits for 2.5 heartbeats by a clock of its own. So no
// clock is compared with another host's.
type Lease struct {
	out, dir, name string
	generation     int
	every          time.Duration
	holder         Holder
	stop, done     chan struct{}
	gone           chan struct{} // closed when the lease is lost
}

// A Holder is who has a lease, or had it: the content of its file.
type Holder struct {
	ID      uint64    `json:"id"`      // random
	Job     string    `json:"job"`     // of the scheduler, empty if there is none
	Host    string    `json:"host"`    //
	Place   string    `json:"place"`   // host, boot and namespace in which Process is unique, empty if unknown
	Process int       `json:"process"` //
	Restart int       `json:"restart"` // how often the scheduler has started the job again
	Started time.Time `json:"started"` // by the host's clock, for people
	Beats   int       `json:"beats"`   // heartbeats so far
	Beat    time.Time `json:"beat"`    // the last one, by the host's clock
	Every   float64   `json:"every"`   // seconds between heartbeats
	Ended   string    `json:"ended"`   // how it ended, empty while it runs
}

// String returns who the holder is, in words.
func (h Holder) String() string {
	who := fmt.Sprintf("process %d on %s", h.Process, h.Host)
	if h.Job != "" {
		who = fmt.Sprintf("job %s (%s)", h.Job, who)
	}
	return who
}

// ErrLost means that another process may have the lease by now.
var ErrLost = errors.New("this process was silent for so long that another one took its shard over")

// A Held is the error of Take if another process has the lease and is not silent.
type Held struct{ Holder Holder }

func (e Held) Error() string { return e.Holder.String() + " holds it" }

// Every is the time between heartbeats.
const Every = 10 * time.Second

// silent is the number of heartbeats without a change after which a lease has expired: two that were missed, and half of one
// for the time that a write takes.
const silent = 2.5

// Take takes the lease of that name in dir, the folder of a plan below the output folder out. If another process has it and
// is not silent, the error is a Held. To learn whether a holder is silent, Take waits for 2.5 of its heartbeats.
func Take(out, dir, name string, who Holder, every time.Duration) (*Lease, error) {
	who.ID, who.Every, who.Place, who.Process = rand.Uint64(), every.Seconds(), place(), os.Getpid()
	who.Host, _ = os.Hostname() // an unknown name is an empty one
	if err := files.MakeFolder(out, filepath.Join(dir, name)); err != nil {
		return nil, err
	}
	for range 1000 {
		last, err := newest(dir, name)
		if err != nil {
			return nil, err
		}
		if last.generation > 0 && last.Ended == "" && !last.dead() {
			now, err := watch(dir, name, last)
			if err != nil {
				return nil, err
			}
			if now.text != last.text {
				if now.Ended != "" {
					continue
				}
				return nil, Held{now.Holder}
			}
		}
		who.Started, who.Beat = time.Now().UTC(), time.Now().UTC()
		l := &Lease{
			out: out, dir: dir, name: name, generation: last.generation + 1, every: every, holder: who,
			stop: make(chan struct{}), done: make(chan struct{}), gone: make(chan struct{}),
		}
		f, err := os.OpenFile(path(dir, name, l.generation), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
		if errors.Is(err, fs.ErrExist) {
			continue // another process was faster
		}
		if err != nil {
			return nil, files.CannotWrite(path(dir, name, l.generation), err)
		}
		if err := errors.Join(f.Close(), l.write()); err != nil {
			return nil, err
		}
		if last.generation > 0 {
			os.Remove(path(dir, name, last.generation))
		}
		go l.keep()
		return l, nil
	}
	return nil, fmt.Errorf("cannot take the lease %s in %s: other processes keep taking it", name, dir)
}

// Gone is closed when the lease is lost.
func (l *Lease) Gone() <-chan struct{} { return l.gone }

// Release ends the lease and writes how the shard ended. It does nothing if the lease is lost.
func (l *Lease) Release(ended string) error {
	close(l.stop)
	<-l.done
	if l.lost() {
		return ErrLost
	}
	l.holder.Ended = ended
	return l.write()
}

// write replaces the lease's file.
func (l *Lease) write() error {
	text, err := json.Marshal(l.holder)
	if err != nil {
		return err
	}
	return files.Write(l.out, path(l.dir, l.name, l.generation), append(text, '\n'))
}

// keep writes heartbeats until the lease is released or lost. A holder that cannot write for as long as others wait has lost it.
func (l *Lease) keep() {
	defer close(l.done)
	t := time.NewTicker(l.every)
	defer t.Stop()
	for last := time.Now(); ; {
		select {
		case <-l.stop:
			return
		case <-t.C:
		}
		if l.lost() {
			close(l.gone)
			return
		}
		l.holder.Beats++
		l.holder.Beat = time.Now().UTC()
		if l.write() == nil {
			last = time.Now()
		} else if time.Since(last) > 2*l.every {
			close(l.gone)
			return
		}
	}
}

// lost reports whether there is a later generation, or the holder's file is gone.
func (l *Lease) lost() bool {
	last, err := newest(l.dir, l.name)
	return err == nil && (last.generation != l.generation || last.text != "" && last.ID != l.holder.ID)
}

// A seen is the file of a lease's last generation.
type seen struct {
	Holder
	generation int // 0 if there is none
	text       string
}

// dead reports whether the holder ran on this machine and its process has ended.
func (s seen) dead() bool { return s.Place != "" && s.Place == place() && !running(s.Process) }

func path(dir, name string, generation int) string {
	return filepath.Join(dir, fmt.Sprintf("%s.%d.lease", name, generation))
}

// newest reads the last generation of a lease.
func newest(dir, name string) (seen, error) {
	all, err := leases(dir)
	return all[name], err
}

// leases reads the last generation of every lease in dir.
func leases(dir string) (map[string]seen, error) {
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	all := map[string]seen{}
	for _, f := range entries {
		rest, ok := strings.CutSuffix(f.Name(), ".lease")
		name, number, dotted := strings.Cut(rest, ".")
		g, err := strconv.Atoi(number)
		if ok && dotted && err == nil && g > all[name].generation && f.Name()[0] != '.' {
			all[name] = seen{generation: g}
		}
	}
	for name, s := range all {
		text, err := files.Read(path(dir, name, s.generation))
		if errors.Is(err, fs.ErrNotExist) {
			return leases(dir) // a later generation has replaced it
		}
		if err != nil {
			return nil, err
		}
		s.text = string(text)
		if err := json.Unmarshal(text, &s.Holder); err != nil {
			s.Holder = Holder{} // its holder has not written it yet
		}
		all[name] = s
	}
	return all, nil
}

// watch waits until a lease changes, or for as long as a holder may be silent, and returns what there is then.
func watch(dir, name string, last seen) (seen, error) {
	every := time.Duration(last.Every * float64(time.Second))
	if every <= 0 || every > time.Minute {
		every = Every
	}
	for began := time.Now(); ; {
		time.Sleep(every / 5)
		now, err := newest(dir, name)
		if err != nil || now.text != last.text || now.generation != last.generation {
			return now, err
		}
		if time.Since(began) > time.Duration(silent*float64(every)) {
			return now, nil
		}
	}
}
