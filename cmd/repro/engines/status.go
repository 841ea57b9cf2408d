package engines

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"repro/results/records"
	"repro/runner/shards"
)

// States of a cell of a plan. Truth is its record; a lease, and then the scheduler, say more of a cell without one.
const (
	Done    = "done"
	Failed  = "failed"
	Skipped = "skipped"
	Running = "running" // a process holds the lease of its shard
	Queued  = "queued"  // the scheduler has its shard
	Unknown = "unknown" // it was submitted, and nobody says that it is queued or runs
	ToDo    = "to do"   // it was not submitted
)

// A Status is one cell in `status --json`.
type Status struct {
	shards.Cell
	Plan    string         `json:"plan"`
	State   string         `json:"state"`
	Partial bool           `json:"partial"`          // there is a record without an end line
	Reason  string         `json:"reason"`           // why it failed, who runs it, or what is known of it
	Holder  *shards.Holder `json:"holder,omitempty"` // who runs it
}

// RecordOf returns what the record of a cell says. The state is empty if there is none that decides.
func RecordOf(out string, p *shards.Plan, c shards.Cell) Status {
	s := Status{Cell: c, Plan: p.ID}
	r := records.Find(out, c.Experiment, c.Cell, func(h records.Header) bool { return h.Digest == c.Digest })
	switch {
	case r.State == records.Other:
		s.Reason = "there is a record of other settings"
	case r.State == records.Begun:
		s.Partial = true
	case r.State == records.Settled:
		s.State = Done
	case r.Err != nil && !errors.Is(r.Err, fs.ErrNotExist):
		s.Reason = r.Err.Error()
	case r.State == records.Again && r.Status() == records.Skipped:
		s.State, s.Reason = Skipped, r.Ending()
	case r.State == records.Again:
		s.State, s.Reason = Failed, r.Ending()
	}
	return s
}

// resolve sets the state of a cell without a record from the lease of its shard and what the scheduler says.
func (s *Status) resolve(lease shards.State, sent Sent, queue map[int]string) {
	_, listed := queue[s.Shard]
	switch {
	case lease.Alive:
		s.State, s.Holder = Running, &lease.Holder
		s.Reason = fmt.Sprintf("%v since %s", lease.Holder, lease.Started.Format(time.DateTime))
	case listed:
		s.State, s.Reason = Queued, "Slurm says "+strings.ToLower(queue[s.Shard])
	case sent.Times(s.Shard) > 0:
		s.State = Unknown
		if lease.Ended != "" {
			s.Reason = "its shard ended: " + lease.Ended
		} else if lease.Started.IsZero() {
			s.Reason = "its shard has not started"
		} else {
			s.Reason = fmt.Sprintf("no heartbeat of %v", lease.Holder)
		}
	default:
		s.State = ToDo
		if lease.Ended != "" && s.Reason == "" {
			s.Reason = "its shard ended: " + lease.Ended
		}
	}
}

// StatusOf returns the states of cells of a plan, and what to say of the scheduler.
func StatusOf(ctx context.Context, out string, p *shards.Plan, cells []shards.Cell) ([]Status, string, error) {
	states, err := p.States(out)
	if err != nil {
		return nil, "", err
	}
	sent, err := Read(p.Dir(out))
	if err != nil {
		return nil, "", err
	}
	all := make([]Status, len(cells))
	open := false
	for i, c := range cells {
		all[i] = RecordOf(out, p, c)
		open = open || all[i].State == ""
	}
	if !open {
		return all, "", nil
	}
	note := ""
	queue, err := sent.Queue(ctx)
	if err != nil {
		note = fmt.Sprintf("plan %s: Slurm gives no answer (%v); the records and the leases are what counts", p.ID, err)
	}
	for i := range all {
		if all[i].State == "" {
			all[i].resolve(states[all[i].Shard], sent, queue)
		}
	}
	return all, note, nil
}

// Holder returns who this process is to those that look at its lease.
func Holder() shards.Holder {
	h := shards.Holder{}
	switch job := os.Getenv("SLURM_ARRAY_JOB_ID"); {
	case job != "":
		h.Job = job + "_" + os.Getenv("SLURM_ARRAY_TASK_ID")
	case os.Getenv("SLURM_JOB_ID") != "":
		h.Job = os.Getenv("SLURM_JOB_ID")
	case os.Getenv("JOB_COMPLETION_INDEX") != "": // an Indexed Job of Kubernetes
		h.Job = filepath.Join(os.Getenv("HOSTNAME"), os.Getenv("JOB_COMPLETION_INDEX"))
	}
	h.Restart, _ = strconv.Atoi(os.Getenv("SLURM_RESTART_COUNT")) // absent before the first restart
	return h
}
