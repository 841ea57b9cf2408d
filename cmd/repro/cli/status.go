package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"repro/cmd/repro/engines"
	"repro/results/printed"
	"repro/results/records"
	"repro/runner/shards"
)

// States of a cell of a plan. Truth is its record; a lease, and then the scheduler, say more of a cell without one.
const (
	cellDone    = "done"
	cellFailed  = "failed"
	cellSkipped = "skipped"
	cellRunning = "running" // a process holds the lease of its shard
	cellQueued  = "queued"  // the scheduler has its shard
	cellUnknown = "unknown" // it was submitted, and nobody says that it is queued or runs
	cellToDo    = "to do"   // it was not submitted
)

// A cellStatus is one cell in `status --json`.
type cellStatus struct {
	shards.Cell
	Plan    string         `json:"plan"`
	State   string         `json:"state"`
	Partial bool           `json:"partial"`          // there is a record without an end line
	Reason  string         `json:"reason"`           // why it failed, who runs it, or what is known of it
	Holder  *shards.Holder `json:"holder,omitempty"` // who runs it
}

func newStatus(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "status",
		Short: "Show which cells of a submitted plan are done, running or missing",
		Long: `Status compares the plans that repro submit or repro run --shard left in an output folder with the records
there. A cell is done if its record is complete, and failed or skipped if its record says so. A cell without such a
record is running if a process holds its shard, with a heartbeat that is not too old; else queued if the
scheduler says so; else unknown if it was submitted, and to do if not. A scheduler that does not answer
makes no cell failed.

For a cell that failed it prints the command that reproduces it. The exit status is 0, or 2 for a mistake.`,
		Example: `  repro status
  repro status --out paper --json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return a.printStatus(cmd.Context()) },
	}
	a.outFlag(cmd)
	a.jsonFlag(cmd)
	return cmd
}

func (a *app) printStatus(ctx context.Context) error {
	plans, err := shards.Plans(a.out)
	if err != nil {
		return err
	}
	if len(plans) == 0 {
		return fmt.Errorf("%s has no plan: %s or %s makes one; %s shows what is missing of any other run", a.out, printed.Command("submit"), printed.Command("run --shard"), printed.Command("plan"))
	}
	all, notes := []cellStatus{}, []string{}
	latest := shards.Latest(plans)
	for _, p := range plans {
		cells, note, err := a.statusOf(ctx, p, latest[p])
		if err != nil {
			return err
		}
		all = append(all, cells...)
		if note != "" && len(cells) > 0 {
			notes = append(notes, note)
		}
	}
	if a.json {
		return printJSON(a.stdout, struct {
			Cells []cellStatus `json:"cells"`
			Notes []string     `json:"notes"`
		}{all, notes})
	}
	a.showStatus(all)
	for _, n := range notes {
		a.note("%s", n)
	}
	return nil
}

// statusOf returns the states of cells of a plan, and what to say of the scheduler.
func (a *app) statusOf(ctx context.Context, p *shards.Plan, cells []shards.Cell) ([]cellStatus, string, error) {
	states, err := p.States(a.out)
	if err != nil {
		return nil, "", err
	}
	sent, err := engines.Read(p.Dir(a.out))
	if err != nil {
		return nil, "", err
	}
	all := make([]cellStatus, len(cells))
	open := false
	for i, c := range cells {
		all[i] = a.recordOf(p, c)
		open = open || all[i].State == ""
	}
	if !open {
		return all, "", nil
	}
	var queue map[int]string
	note := ""
	if len(sent.Arrays) > 0 {
		if queue, err = sent.Queue(ctx); err != nil {
			note = fmt.Sprintf("plan %s: Slurm gives no answer (%v); the records and the leases are what counts", p.ID, err)
		}
	}
	for i := range all {
		if all[i].State == "" {
			all[i].resolve(states[all[i].Shard], sent, queue)
		}
	}
	return all, note, nil
}

// recordOf returns what the record of a cell says. The state is empty if there is none that decides.
func (a *app) recordOf(p *shards.Plan, c shards.Cell) cellStatus {
	s := cellStatus{Cell: c, Plan: p.ID}
	r := records.Find(a.out, c.Experiment, c.Cell, func(h records.Header) bool { return h.Digest == c.Digest })
	switch {
	case r.State == records.Other:
		s.Reason = "there is a record of other settings"
	case r.State == records.Begun:
		s.Partial = true
	case r.State == records.Settled:
		s.State = cellDone
	case r.Err != nil && !errors.Is(r.Err, fs.ErrNotExist):
		s.Reason = r.Err.Error()
	case r.State == records.Again && r.Status() == records.Skipped:
		s.State, s.Reason = cellSkipped, r.Ending()
	case r.State == records.Again:
		s.State, s.Reason = cellFailed, r.Ending()
	}
	return s
}

// resolve sets the state of a cell without a record from the lease of its shard and what the scheduler says.
func (s *cellStatus) resolve(lease shards.State, sent engines.Sent, queue map[int]string) {
	_, listed := queue[s.Shard]
	switch {
	case lease.Alive:
		s.State, s.Holder = cellRunning, &lease.Holder
		s.Reason = fmt.Sprintf("%v since %s", lease.Holder, lease.Started.Format(time.DateTime))
	case listed:
		s.State, s.Reason = cellQueued, "Slurm says "+strings.ToLower(queue[s.Shard])
	case sent.Has(s.Shard):
		s.State = cellUnknown
		if lease.Ended != "" {
			s.Reason = "its shard ended: " + lease.Ended
		} else if lease.Started.IsZero() {
			s.Reason = "its shard has not started"
		} else {
			s.Reason = fmt.Sprintf("no heartbeat of %v", lease.Holder)
		}
	default:
		s.State = cellToDo
		if lease.Ended != "" && s.Reason == "" {
			s.Reason = "its shard ended: " + lease.Ended
		}
	}
}

// showStatus prints the number of cells in every state, the processes that run and the cells that failed.
func (a *app) showStatus(all []cellStatus) {
	counts, why := map[string]int{}, map[string]map[string]int{}
	for _, s := range all {
		counts[s.State]++
		if why[s.State] == nil {
			why[s.State] = map[string]int{}
		}
		if s.State != cellDone && s.Reason != "" {
			why[s.State][s.Reason]++
		}
	}
	for _, state := range []string{cellDone, cellRunning, cellQueued, cellUnknown, cellToDo, cellSkipped, cellFailed} {
		if counts[state] == 0 {
			continue
		}
		a.tell("%s %s", printed.Count(counts[state], "cell"), state)
		if state == cellFailed {
			continue
		}
		for _, reason := range slices.Sorted(maps.Keys(why[state])) {
			a.tell("  %d: %s", why[state][reason], reason)
		}
	}
	for _, s := range all {
		if s.State == cellFailed {
			a.tell("  %s %s %s\n    %s", s.Experiment, s.Cell.Cell, s.Reason, s.Command)
		}
	}
	if counts[cellUnknown]+counts[cellToDo] > 0 {
		a.note("%s sends what is missing", printed.Command("submit"))
	}
}
