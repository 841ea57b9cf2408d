package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"repro/cmd/repro/engines"
	"repro/cmd/repro/exits"
	"repro/cmd/repro/terminal"
	"repro/cmd/repro/training"
	"repro/experiments"
	"repro/results/printed"
	"repro/results/records"
	"repro/runner/shards"
)

// stoppable returns a context that also ends on SIGUSR1, and shortly before the time of --stop-before or of the Slurm job is
// over. It is for runs with --shard or --stop-before; other runs have their context back.
func (a *app) stoppable(ctx context.Context) (context.Context, context.CancelCauseFunc, error) {
	if !a.resumable() {
		return ctx, func(error) {}, nil
	}
	end, err := endOfTime(a.stopBefore, os.Getenv("SLURM_JOB_END_TIME"), time.Now())
	if err != nil {
		return ctx, nil, err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	forget := onStopSignal(func() { cancel(training.Stopped("stopped by SIGUSR1")) })
	context.AfterFunc(ctx, forget)
	if !end.IsZero() {
		early := lead(time.Until(end))
		t := time.AfterFunc(time.Until(end)-early, func() {
			cancel(training.Stopped(fmt.Sprintf("stopped %v before the end of its time", early.Round(time.Second))))
		})
		context.AfterFunc(ctx, func() { t.Stop() })
	}
	return ctx, cancel, nil
}

// resumable reports whether the run is part of a larger one that starts it again if it stops.
func (a *app) resumable() bool { return a.shard != "" || a.stopBefore != "" }

// lead returns how long before its end a run stops: an eighth of the time it has, at most 150 s. A run saves its cells within
// 2 s; Slurm's own warning comes 120 s before the end.
func lead(left time.Duration) time.Duration { return max(0, min(150*time.Second, left/8)) }

// endOfTime returns the earlier of the time of --stop-before, a duration from now, a number of seconds since 1970 or an RFC
// 3339 time, and of the end of the Slurm job, in seconds since 1970. It is zero if there is neither.
func endOfTime(stopBefore, slurm string, now time.Time) (time.Time, error) {
	var end time.Time
	if s, err := strconv.ParseInt(slurm, 10, 64); err == nil && s > 0 {
		end = time.Unix(s, 0)
	}
	if stopBefore == "" {
		return end, nil
	}
	asked, err := time.Parse(time.RFC3339, stopBefore)
	if d, wrong := time.ParseDuration(stopBefore); wrong == nil && d > 0 {
		asked, err = now.Add(d), nil
	}
	if s, wrong := strconv.ParseInt(stopBefore, 10, 64); wrong == nil && s > 0 {
		asked, err = time.Unix(s, 0), nil
	}
	if err != nil {
		return end, fmt.Errorf("--stop-before: want a time such as 50m, 2026-01-31T18:00:00Z or seconds since 1970, got %q", stopBefore)
	}
	if end.IsZero() || asked.Before(end) {
		end = asked
	}
	return end, nil
}

// runShard runs the cells of one shard and writes their records, but no report.
func (a *app) runShard(ctx context.Context, cancel context.CancelCauseFunc, specs []*experiments.Spec, args []string) error {
	index, of, want, err := shards.Parse(a.shard)
	if err != nil {
		return err
	}
	if a.fresh {
		return errors.New("--fresh: a shard that stops and starts again would never end; remove the records instead, or name another folder with --out")
	}
	cells := training.Expand(specs)
	plan, parts, err := a.order(args).Shards(ctx, cells, of)
	if err != nil {
		return err
	}
	if want != "" && want != plan.ID {
		return fmt.Errorf("--shard %s: here the same arguments make plan %s: the build, the specs or the sizes of your data files have changed since; submit again", a.shard, plan.ID)
	}
	mine := make([]experiments.Cell, len(parts[index-1]))
	for k, i := range parts[index-1] {
		mine[k] = cells[i]
	}
	if len(mine) == 0 {
		a.Note("shard %d/%d has no cells: the plan has fewer parts that can run apart", index, of)
		return nil
	}
	if err := plan.Save(a.out); err != nil {
		return err
	}
	lease, err := shards.Take(a.out, plan.Dir(a.out), strconv.Itoa(index), holder(), shards.Every)
	if held := (shards.Held{}); errors.As(err, &held) {
		a.Note("shard %d/%d: %v is running it, so this process stops", index, of, held.Holder)
		return exits.Stopped
	}
	if err != nil {
		return err
	}
	watching, watched := context.WithCancel(ctx)
	defer watched()
	go func() {
		select {
		case <-lease.Gone():
			cancel(training.Stopped(shards.ErrLost.Error()))
		case <-watching.Done():
		}
	}()
	return a.releasing(ctx, lease, func() error { return a.trainShard(ctx, specs, mine) })
}

// releasing calls do and writes into the lease how it ended.
func (a *app) releasing(ctx context.Context, lease *shards.Lease, do func() error) error {
	err := do()
	ended := "complete"
	switch e := exits.Status(0); {
	case ctx.Err() != nil:
		ended = cmp.Or(training.Cause(ctx), "interrupted")
	case errors.As(err, &e) && e == exits.ForGood:
		ended = "a cell failed"
	case err != nil:
		ended = "error: " + err.Error()
	}
	if gone := lease.Release(ended); gone != nil && err == nil {
		return gone
	}
	return err
}

// trainShard runs the cells of a shard. The exit status is 42 if one failed.
func (a *app) trainShard(ctx context.Context, specs []*experiments.Spec, mine []experiments.Cell) error {
	of := slices.DeleteFunc(slices.Clone(specs), func(s *experiments.Spec) bool {
		return !slices.ContainsFunc(mine, func(c experiments.Cell) bool { return c.Spec == s })
	})
	all, err := a.order(nil).Train(ctx, a.Terminal, of, mine)
	if err != nil {
		return err
	}
	training.TellCells(a.Terminal, all)
	if a.json {
		if err := terminal.PrintJSON(a.Stdout, all); err != nil {
			return err
		}
	}
	failed := false
	for _, r := range all {
		if r.Status != records.Failed && r.Status != records.Timeout {
			continue
		}
		failed = true
		i := slices.IndexFunc(mine, func(c experiments.Cell) bool { return c.Experiment == r.Experiment && c.Name == r.Cell })
		a.Note("%s %s failed; to reproduce it: %s", r.Experiment, r.Cell, a.order(nil).Again(&mine[i]))
	}
	if failed {
		return exits.ForGood
	}
	return nil
}

// holder returns who this process is to those that look at its lease.
func holder() shards.Holder {
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
		return terminal.PrintJSON(a.Stdout, struct {
			Cells []cellStatus `json:"cells"`
			Notes []string     `json:"notes"`
		}{all, notes})
	}
	a.showStatus(all)
	for _, n := range notes {
		a.Note("%s", n)
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
		a.Tell(a.json, "%s %s", printed.Count(counts[state], "cell"), state)
		if state == cellFailed {
			continue
		}
		for _, reason := range slices.Sorted(maps.Keys(why[state])) {
			a.Tell(a.json, "  %d: %s", why[state][reason], reason)
		}
	}
	for _, s := range all {
		if s.State == cellFailed {
			a.Tell(a.json, "  %s %s %s\n    %s", s.Experiment, s.Cell.Cell, s.Reason, s.Command)
		}
	}
	if counts[cellUnknown]+counts[cellToDo] > 0 {
		a.Note("%s sends what is missing", printed.Command("submit"))
	}
}

func newMerge(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "merge DIR...",
		Short: "Bring the records of several output folders into one",
		Long: `Merge copies the records of output folders, with the files of predictions that they name, into the folder of
--out. It is for runs on machines without a folder that they share. It writes no report: see repro report.

A cell may be in several of the folders. A complete record then wins over one that failed or was interrupted. Complete
records must have the same bits, except times and the names of processors; otherwise merge writes nothing and names
both. The same holds for a record that is damaged.

Exit status: 0 merged; 2 something does not fit together, or a mistake in the arguments.`,
		Example: `  repro merge node1/out node2/out --out out
  repro report --out out`,
		Args: cobra.MinimumNArgs(1),
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return nil, cobra.ShellCompDirectiveFilterDirs
		},
		RunE: func(_ *cobra.Command, args []string) error { return a.merge(args) },
	}
	a.outFlag(cmd)
	return cmd
}

func (a *app) merge(dirs []string) error {
	m, err := records.Merge(dirs, a.out)
	if err != nil {
		return err
	}
	for _, dir := range dirs { // so that repro status knows what is missing
		plans, err := shards.Plans(dir)
		if err != nil {
			return err
		}
		for _, p := range plans {
			if err := p.Save(a.out); err != nil {
				return err
			}
		}
	}
	if len(m.Exempt) > 0 {
		a.Note("%s in more than one folder ended after a number of seconds, so they may differ; the first of each was taken: %s", printed.Count(len(m.Exempt), "cell"), printed.List(m.Exempt))
	}
	a.Note("%s written to %s; %d were there; %d were found twice, with equal bits", printed.Count(m.Written, "record"), a.out, m.Kept, m.Equal)
	return nil
}
