package runner

import (
	"fmt"
	"os"
	"sync/atomic"
	"time"

	"repro/datasets/locks"
	"repro/experiments"
	"repro/results/files"
	"repro/results/records"
)

// A log is what a cell leaves in the output folder, and what it tells.
type log struct {
	*run
	clock
	cell         *experiments.Cell
	lock         locks.Lock // nil before the cell has it
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
func (x *log) isComplete(locked bool) bool {
	if x.Fresh {
		return false
	}
	f := x.find(x.cell)
	if f.State == records.Again && f.Err != nil && locked {
		x.warn("%v; the cell runs again", f.Err)
	}
	if f.State >= records.Limited {
		x.tell(Event{Cell: x.cell, Kind: Kept, Status: f.Status(), Reason: f.End.Reason, Work: 1})
	}
	return f.State >= records.Limited
}

// find returns what the output folder has of a cell. If a limit ended it that has grown since, it is to run again.
func (o *Options) find(c *experiments.Cell) records.Found {
	f := records.Find(o.Out, c.Experiment, c.Name, c.Ran)
	if f.State == records.Limited && !within(c, f.End) {
		f.State = records.Again
	}
	return f
}

func (r *run) recordPath(c *experiments.Cell) string {
	return records.Path(r.Out, c.Experiment, c.Name)
}

func (r *run) checkpointPath(c *experiments.Cell) string {
	return files.Path(r.Out, "checkpoints", c.Experiment, c.Name+".gob")
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
	if err := x.clear(path); err != nil {
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
	if err == nil && e.limit == 0 {
		err = removeIfThere(x.checkpointPath(x.cell))
	}
	if gone := x.record.InPlace(); gone != nil && err == nil {
		e = ending{records.Failed, gone.Error(), 0}
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
	return "the next run starts the cell again"
}

func removeIfThere(path string) error {
	if err := os.Remove(path); err != nil && !os.IsNotExist(err) {
		return err
	}
	return nil
}
