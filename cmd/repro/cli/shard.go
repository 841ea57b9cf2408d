package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"repro/experiments"
	"repro/results/records"
	"repro/runner"
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
	forget := onStopSignal(func() { cancel(stopped("stopped by SIGUSR1")) })
	context.AfterFunc(ctx, forget)
	if !end.IsZero() {
		early := lead(time.Until(end))
		t := time.AfterFunc(time.Until(end)-early, func() {
			cancel(stopped(fmt.Sprintf("stopped %v before the end of its time", early.Round(time.Second))))
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

// shardPlan returns the plan of cells in that many shards, and the places of each shard's cells.
func (a *app) shardPlan(ctx context.Context, args []string, cells []experiments.Cell, of int) (*shards.Plan, []runner.Shard, error) {
	parts, err := runner.Shards(ctx, cells, of, a.library())
	if err != nil {
		return nil, nil, err
	}
	all := make([]shards.Cell, len(cells))
	for i := range cells {
		c := &cells[i]
		all[i] = shards.Cell{Experiment: c.Experiment, Cell: c.Name, Profile: c.Spec.Profile, Digest: c.Digest, Command: a.command(c)}
	}
	for k, part := range parts {
		for _, i := range part {
			all[i].Shard = k + 1
		}
	}
	return shards.New(a.selection(args), of, all), parts, nil
}

// selection returns the arguments and flags that choose the cells, as another process gets them.
func (a *app) selection(args []string) []string {
	words := append(slices.Clone(args), "--profile", a.profile)
	for _, m := range a.methods {
		words = append(words, "--method", m)
	}
	if a.seeds > 0 {
		words = append(words, "--seeds", strconv.Itoa(a.seeds))
	}
	for _, s := range a.set {
		words = append(words, "--set", s)
	}
	return words
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
	cells := expand(specs)
	plan, parts, err := a.shardPlan(ctx, args, cells, of)
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
		a.note("shard %d/%d has no cells: the plan has fewer parts that can run apart", index, of)
		return nil
	}
	if err := plan.Save(a.out); err != nil {
		return err
	}
	lease, err := shards.Take(a.out, plan.Dir(a.out), strconv.Itoa(index), holder(), shards.Every)
	if held := (shards.Held{}); errors.As(err, &held) {
		a.note("shard %d/%d: %v is running it, so this process stops", index, of, held.Holder)
		return exit{statusStopped}
	}
	if err != nil {
		return err
	}
	watching, watched := context.WithCancel(ctx)
	defer watched()
	go func() {
		select {
		case <-lease.Gone():
			cancel(stopped(shards.ErrLost.Error()))
		case <-watching.Done():
		}
	}()
	return a.releasing(ctx, lease, func() error { return a.trainShard(ctx, specs, mine) })
}

// releasing calls do and writes into the lease how it ended.
func (a *app) releasing(ctx context.Context, lease *shards.Lease, do func() error) error {
	err := do()
	ended := "complete"
	switch e := (exit{}); {
	case ctx.Err() != nil:
		ended = cmp.Or(cause(ctx), "interrupted")
	case errors.As(err, &e) && e.status == statusForGood:
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
	all, err := a.train(ctx, of, mine)
	if err != nil {
		return err
	}
	a.tellCells(all)
	if a.json {
		if err := printJSON(a.stdout, all); err != nil {
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
		a.note("%s %s failed; to reproduce it: %s", r.Experiment, r.Cell, a.command(&mine[i]))
	}
	if failed {
		return exit{statusForGood}
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

// A stopped is why a resumable run ended its context, in words.
type stopped string

func (s stopped) Error() string { return string(s) }

// cause returns why a resumable run ended its context, empty if something else did, such as Ctrl-C.
func cause(ctx context.Context) string {
	var why stopped
	errors.As(context.Cause(ctx), &why)
	return string(why)
}
