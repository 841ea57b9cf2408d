package runner

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"repro/experiments"
	"repro/results/files"
	"repro/results/records"
)

// A log is what a cell leaves in the output folder, and what it tells.
type log struct {
	*run
	clock
	cell         *experiments.Cell
	lock         files.Lock // nil before the cell has it
	record       *records.Writer
	ended        bool              // the record has an end line
	files        map[string]string // SHA-256 of the files written besides the record, by name
	checkpointed atomic.Int64      // the step of the last checkpoint
}

// A clock says when a cell writes checkpoints, and when it tells how far it is.
type clock struct {
	began, saved, told time.Time
	saving             time.Duration // how long the last checkpoint took
}

func newClock() clock {
	t := time.Now()
	return clock{began: t, saved: t, told: t}
}

// checkpointDue says whether it is time for a checkpoint: every apart or, if that is 0, so that they take at most a twentieth of
// the time.
func (c *clock) checkpointDue(apart time.Duration) bool {
	if apart == 0 {
		apart = max(5*time.Second, 20*c.saving)
	}
	return time.Since(c.saved) >= apart
}

// tellDue says whether it is time to tell how far the cell is, which then counts as told.
func (c *clock) tellDue() bool {
	due := time.Since(c.told) > 100*time.Millisecond
	if due {
		c.told = time.Now()
	}
	return due
}

// isComplete reports whether the cell has a complete record and all files that the record names. If locked, it warns of a
// file that is not as it should be.
func (x *log) isComplete(locked bool) (bool, error) {
	if x.Fresh {
		return false, nil
	}
	f := x.find(x.cell)
	if f.Record != nil && f.Err != nil && locked {
		x.warn("%v; it runs again", f.Err)
	}
	if !f.State.Settled() {
		return false, nil
	}
	if err := x.settle(f, locked); err != nil {
		return false, err
	}
	x.tell(Event{Cell: x.cell, Kind: Kept, Status: f.Status(), Reason: f.End.Reason, Work: 1})
	return true, nil
}

// settle does what a process did not come to that was killed after the end line of the record, or before a loss of power: it puts the
// files of the cell on the disk, and removes its lock, its checkpoint and the report of an earlier failure.
func (x *log) settle(f records.Found, locked bool) error {
	paths := []string{f.File}
	if f.File != x.recordPath(x.cell) {
		if err := x.packs.settle(x.Out, f.File); err != nil {
			return err
		}
		paths = nil
	}
	for name := range f.End.Files {
		paths = append(paths, files.Path(x.Out, "predictions", x.cell.Experiment, name))
	}
	if err := files.Settle(x.Out, paths...); err != nil {
		return err
	}
	old := []string{x.failurePath()}
	if f.State == records.Settled {
		old = append(old, x.checkpointPath(x.cell))
	}
	if !locked {
		if !slices.ContainsFunc(append(old, x.lockPath()), func(path string) bool { _, err := os.Lstat(path); return err == nil }) {
			return nil
		}
		l, err := x.locks.Take(x.lockPath())
		if err != nil {
			return nil // who has the lock removes them
		}
		defer l.Release()
	}
	for _, path := range old {
		if err := files.Remove(x.Out, path); err != nil {
			return err
		}
	}
	return nil
}

// find returns what the output folder has of a cell. If a limit ended it that has grown since, it is to run again.
func (o *Options) find(c *experiments.Cell) records.Found {
	f := records.Find(o.Out, c.Experiment, c.Name, c.Ran)
	if f.State == records.Limited && !within(c, f.End) {
		f.State = records.ToDo
	}
	return f
}

func (r *run) recordPath(c *experiments.Cell) string {
	return records.Path(r.Out, c.Experiment, c.Name)
}

func (r *run) checkpointPath(c *experiments.Cell) string {
	return files.Path(r.Out, "checkpoints", c.Experiment, c.Name+".gob")
}

// programLog is where what the program of the cell prints besides numbers goes.
func (x *log) programLog() string {
	return files.Path(x.Out, "logs", x.cell.Experiment, x.cell.Name+".txt")
}

func (x *log) lockPath() string {
	return files.Path(x.Out, locksFolder, x.cell.Experiment, x.cell.Name+".lock")
}

// create starts the cell's record.
func (x *log) create(h records.Header) error {
	if err := x.makeWay(); err != nil {
		return err
	}
	w, err := records.Create(x.recordPath(x.cell), h)
	x.record = w
	return err
}

// save writes a checkpoint.
func (x *log) save(c *checkpoint) error {
	begun := time.Now()
	if err := x.lock.Lost(); err != nil {
		return err
	}
	c.Digest, c.Build, c.Offset = x.cell.Digest, thisBuild(), x.record.Offset()
	path := x.checkpointPath(x.cell)
	if err := errors.Join(x.clear(path), x.record.Sync()); err != nil { // the record that it continues is on the disk before it
		return err
	}
	if err := files.Replace(x.Out, path, c.write); err != nil {
		return err
	}
	x.checkpointed.Store(int64(c.Progress.Step))
	x.saved, x.saving = time.Now(), time.Since(begun)
	return nil
}

// end writes the end line and returns how the cell ended: if the record is no longer where it was created, the cell failed.
func (x *log) end(e ending, steps int) (ending, error) {
	x.ended = true
	err := x.record.End(records.End{
		Status: e.status, Reason: e.reason, Steps: steps, Limit: e.limit, Files: x.files,
		Timing: records.EndTiming{Finished: now(), Wall: time.Since(x.began).Seconds()},
	})
	if err == nil {
		if gone := x.record.InPlace(); gone != nil {
			e = ending{records.Failed, gone.Error(), 0}
		} else {
			err = x.record.Sync()
		}
	}
	if err == nil && e.limit == 0 {
		err = files.Remove(x.Out, x.checkpointPath(x.cell))
	}
	return e, err
}

// warn tells of something that the user should know about the cell.
func (x *log) warn(format string, args ...any) {
	x.tell(Event{Cell: x.cell, Kind: Warned, Reason: fmt.Sprintf(format, args...), Work: -1})
}

// continues returns in words where the next run of an abandoned cell begins.
func (x *log) continues() string {
	if step := x.checkpointed.Load(); step > 0 {
		return fmt.Sprintf("the next run continues after step %d", step)
	}
	return "the next command starts it again"
}

// write writes one file of the cell's predictions. The end line of the record will hold its checksum.
//
// The cells of an experiment share files like truth.surface.csv, which are the same for all of them. If the method has data
// of its own, it may write others: then the record leaves them out.
func (x *log) write(name string, data []byte) error {
	if strings.HasPrefix(name, x.cell.Name+".") || x.cell.Method.Data == (experiments.MethodData{}) {
		sum := sha256.Sum256(data)
		x.files[name] = hex.EncodeToString(sum[:])
	}
	path := files.Path(x.Out, "predictions", x.cell.Experiment, name)
	if err := x.clear(path); err != nil {
		return err
	}
	return files.Keep(x.Out, path, data)
}

// clear removes what is at the path of a file and no regular file, and warns of it.
func (x *log) clear(path string) error {
	info, err := os.Lstat(path)
	if err != nil || info.Mode().IsRegular() || info.IsDir() {
		return nil
	}
	x.warn("%s was not a regular file; it is replaced", path)
	return files.Remove(x.Out, path) // another cell that writes it may have removed it
}

// clean removes what a killed run of the cell left: its temporary files, and the report of an earlier failure. The cell must
// be locked.
func (x *log) clean() error {
	for _, part := range []string{"checkpoints", "predictions", "failures"} {
		dir := files.Path(x.Out, part, x.cell.Experiment, "")
		left, err := files.Leftovers(dir, func(folder, name string) bool { return folder == dir && strings.HasPrefix(name, x.cell.Name+".") })
		for i := 0; i < len(left) && err == nil; i++ {
			err = files.Remove(x.Out, left[i])
		}
		if err != nil {
			return err
		}
	}
	return errors.Join(files.Remove(x.Out, x.failurePath()), files.Remove(x.Out, x.programLog()))
}

// makeWay moves the record at the cell's path aside if the cell must not replace it: one that cannot be judged because it is
// damaged or no regular file, one of a newer format, and a complete one of these settings that took long. With
// Options.Fresh a damaged one and a complete one are replaced.
func (x *log) makeWay() error {
	path := x.recordPath(x.cell)
	why, err := x.worthKeeping(path)
	if why == "" || err != nil {
		return err
	}
	if err := x.find(x.cell).Unpack(x.Out, x.cell.Experiment, x.cell.Name); err != nil {
		return err
	}
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
		x.warn("%s", why) // packs disagree: nothing is in the way
		return nil
	}
	for n := 1; ; n++ {
		to := fmt.Sprintf("%s.aside-%d", path, n)
		if _, err := os.Lstat(to); err == nil {
			continue
		} else if !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		if err := files.Rename(x.Out, path, to); err != nil {
			return fmt.Errorf("%s is in the way of a new record: %w", path, err)
		}
		x.warn("%s; it is now %s", why, to)
		return nil
	}
}

// worthKeeping returns in words why the file at a record's path must not be replaced, "" if it may be.
func (x *log) worthKeeping(path string) (string, error) {
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist): // but a pack may have it
	case err != nil:
		return "", err
	case !info.Mode().IsRegular():
		return path + " is not a regular file", nil
	}
	switch f := x.find(x.cell); {
	case errors.Is(f.Err, records.ErrNewer), f.Unread() && !x.Fresh:
		return f.Err.Error(), nil
	case f.Ended() && f.Trained() > maxReplaced && !x.Fresh:
		return "the complete record of this run took more than a minute", nil
	}
	return "", nil
}
