package run

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"time"

	"repro/cmd/repro/engines"
	"repro/cmd/repro/exits"
	"repro/cmd/repro/terminal"
	"repro/cmd/repro/training"
	"repro/experiments"
	"repro/results/records"
	"repro/runner/shards"
)

// A runRequest is what the flags of run say.
type runRequest struct {
	training.Order
	json              bool
	shard, stopBefore string
}

// stoppable returns a context that also ends on SIGUSR1, and shortly before the time of --stop-before or of the Slurm job is
// over. It is for runs with --shard or --stop-before; other runs have their context back.
func (r runRequest) stoppable(ctx context.Context) (context.Context, context.CancelCauseFunc, error) {
	if !r.resumable() {
		return ctx, func(error) {}, nil
	}
	end, err := endOfTime(r.stopBefore, os.Getenv("SLURM_JOB_END_TIME"), time.Now())
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
func (r runRequest) resumable() bool { return r.shard != "" || r.stopBefore != "" }

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
func runShard(ctx context.Context, t *terminal.Terminal, r runRequest, cancel context.CancelCauseFunc, specs []*experiments.Spec) error {
	index, of, want, err := shards.Parse(r.shard)
	if err != nil {
		return err
	}
	if r.Fresh {
		return errors.New("--fresh: a shard that stops and starts again would never end; remove the records instead, or name another folder with --out")
	}
	cells := training.Expand(specs)
	plan, parts, err := r.Shards(ctx, cells, of)
	if err != nil {
		return err
	}
	if want != "" && want != plan.ID {
		return fmt.Errorf("--shard %s: here the same arguments make plan %s: the build, the specs or the sizes of your data files have changed since; submit again", r.shard, plan.ID)
	}
	mine := make([]experiments.Cell, len(parts[index-1]))
	for k, i := range parts[index-1] {
		mine[k] = cells[i]
	}
	if len(mine) == 0 {
		t.Note("shard %d/%d has no cells: the plan has fewer parts that can run apart", index, of)
		return nil
	}
	if err := plan.Save(r.Out); err != nil {
		return err
	}
	lease, err := shards.Take(r.Out, plan.Dir(r.Out), strconv.Itoa(index), engines.Holder(), shards.Every)
	if held := (shards.Held{}); errors.As(err, &held) {
		t.Note("shard %d/%d: %v is running it, so this process stops", index, of, held.Holder)
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
	return training.Releasing(ctx, lease, func() error { return trainShard(ctx, t, r, specs, mine) })
}

// trainShard runs the cells of a shard. The exit status is 42 if one failed.
func trainShard(ctx context.Context, t *terminal.Terminal, r runRequest, specs []*experiments.Spec, mine []experiments.Cell) error {
	of := slices.DeleteFunc(slices.Clone(specs), func(s *experiments.Spec) bool {
		return !slices.ContainsFunc(mine, func(c experiments.Cell) bool { return c.Spec == s })
	})
	all, err := r.Train(ctx, t, of, mine)
	if err != nil {
		return err
	}
	training.TellCells(t, all)
	if r.json {
		if err := terminal.PrintJSON(t.Stdout, all); err != nil {
			return err
		}
	}
	failed := false
	for _, one := range all {
		if one.Status != records.Failed && one.Status != records.Timeout {
			continue
		}
		failed = true
		i := slices.IndexFunc(mine, func(c experiments.Cell) bool { return c.Experiment == one.Experiment && c.Name == one.Cell })
		t.Note("%s %s failed; to reproduce it: %s", one.Experiment, one.Cell, r.Again(&mine[i]))
	}
	if failed {
		return exits.ForGood
	}
	return nil
}
