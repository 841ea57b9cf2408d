// Package run has the verbs that run experiments and follow a run: run, status and serve.
package run

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"repro/cmd/repro/engines"
	"repro/cmd/repro/exits"
	"repro/cmd/repro/findings"
	"repro/cmd/repro/flags"
	"repro/cmd/repro/terminal"
	"repro/cmd/repro/training"
	"repro/experiments"
	"repro/plots"
	"repro/plots/figures"
	"repro/results/baseline"
	"repro/results/claims"
	"repro/results/files"
	"repro/results/printed"
	"repro/results/records"
	"repro/runner/shards"
)

// Commands are the verbs of the package.
func Commands(t *terminal.Terminal) []*cobra.Command {
	return []*cobra.Command{newRun(t), newStatus(t), newServe(t)}
}

func newRun(t *terminal.Terminal) *cobra.Command {
	var r runRequest
	cmd := &cobra.Command{
		Use:   "run [ID...]",
		Short: "Run experiments, judge their claims and write the report",
		Long: `Run executes experiments: each of their runs is one method with one seed. It writes their records,
figures, tables, verdicts.json and report.html into the output folder. Arguments are ids, patterns such
as 'dai2014/*', and paths of your own specs. Without arguments it runs every experiment whose data needs
no download, except auxiliary ones (see repro list).

Run does not repeat what has a complete record. It replaces records of other settings, but refuses
to replace one that took more than a minute of training unless --fresh is given. Ctrl-C saves what runs
and ends the command; the same command continues it. A second Ctrl-C stops at once.

Several processes may run into one folder at the same time. What another process runs comes last,
and is kept if that process completes it.

Experiments whose data is not on this machine are skipped and listed.

With --shard i/n it runs the i-th of n parts of the plan, which have about the same expected cost, and writes
records but no report. The parts are the same on every machine. If processes on several machines write to a
folder that they share, each part is run by one of them; docs/clusters.md has the details. With --shard or
--stop-before, the signals USR1 and TERM and the end of a job's time save what runs and end the command
with exit status 75.

It ends with what was found: how many claims are reproduced, and whether they are in the runs at the published
size that come with the program; how many need the published size or more seeds; which deviates, with both numbers
and the reason; and the command that says most next. With --verbose a line for each experiment comes before that, with its number of claims by
verdict and one number: of the first claim that deviates; if none does, of the first that is reproduced or
inconclusive.

Exit status: 0 done; 2 a mistake in the arguments, a spec or data, or all data is missing; 4 a run took more time or
memory than it may ([limits] of its spec, or the timeout of a program); 5 a run failed or its record was removed, or
all runs of an experiment diverged; 75 stopped, and can continue; 130 interrupted.`,
		Example: `  repro run                                   all experiments whose data needs no download
  repro run dai2014/ridge --profile smoke     a small run that takes seconds
  repro run dai2014/ridge --profile paper --out paper
  repro run dai2014/ridge --method dsg --seeds 1 --set method.dsg.batch=128
  repro run mine.toml`,
		ValidArgsFunction: flags.IDs,
		RunE: func(cmd *cobra.Command, args []string) error {
			r.Args, r.Part = args, r.shard != ""
			return run(cmd.Context(), t, r)
		},
	}
	r.Choice.Flags(cmd, flags.Usual)
	flags.Out(cmd, &r.Out)
	flags.Machine(t, cmd, &r.Options)
	flags.JSON(cmd, &r.json)
	cmd.Flags().BoolVarP(&r.Verbose, "verbose", "v", false, "print every claim and every run")
	cmd.Flags().BoolVar(&r.Fresh, "fresh", false, "run again what is complete, and replace any record in the output folder")
	cmd.Flags().StringVar(&r.shard, "shard", "", "run the i-th of n parts of the plan, i/n; i/n@PLAN also checks that it is a part of the plan with this id")
	cmd.Flags().DurationVar(&r.stopBefore, "stop-before", 0, "save what runs and stop shortly before this time is over, such as 50m")
	cmd.Flags().BoolVar(&r.Fetch, "fetch", false, "download the data that is not on this machine first, as repro fetch does")
	flags.External(cmd, &r.AllowExternal, "specs name as external methods; "+printed.Command("plan")+" shows their commands")
	return cmd
}

// run runs the experiments that the arguments name. The exit status is 75 if something has stopped a run that is resumable.
func run(ctx context.Context, t *terminal.Terminal, r runRequest) error {
	ctx, cancel := r.stoppable(ctx)
	defer cancel(nil)
	err := runAll(ctx, t, r, cancel)
	if r.resumable() && ctx.Err() != nil {
		if s := exits.Status(0); !errors.As(err, &s) { // nobody has said so yet
			t.Note("%s; run the same command again to continue", cmp.Or(training.Cause(ctx), "interrupted"))
		}
		return exits.Stopped
	}
	return err
}

func runAll(ctx context.Context, t *terminal.Terminal, r runRequest, cancel context.CancelCauseFunc) error {
	began := time.Now()
	specs, err := r.ToRun(t)
	if err != nil {
		return err
	}
	if err := files.Writable(r.Out); err != nil {
		return fmt.Errorf("cannot write to the output folder %s: %w; choose another with --out", r.Out, err)
	}
	if r.shard != "" {
		return runShard(ctx, t, r, cancel, specs)
	}
	all, err := r.Train(ctx, t, specs, training.Expand(specs))
	if err != nil {
		return err
	}
	err = training.OrLeave(ctx, func() error { return reportRun(t, r, specs, all, began) })
	if ctx.Err() != nil {
		return err
	}
	ended := ending(all)
	if lost(t, r.Out, all)+hopeless(t, all) == 0 && ended != exits.Failed {
		return cmp.Or(err, exits.With(int(ended)))
	}
	if err != nil { // the report may lack records that were removed
		t.Note("%s: %v", printed.Name(), err)
	}
	return exits.Failed
}

// reportRun writes the report of a run that began at a time, and prints what it has found.
func reportRun(t *terminal.Terminal, r runRequest, specs []*experiments.Spec, all []training.Ran, began time.Time) error {
	store, err := flags.Open(t, r.Out)
	if err != nil {
		return err
	}
	exps := make([]claims.Experiment, len(specs))
	for i, s := range specs {
		exps[i] = s.Experiment()
		flags.TellStrays(t, exps[i], store)
	}
	judged, err := baseline.Judge(exps, store.Records)
	if err != nil {
		return err
	}
	paths, err := findings.Write(r.Out, judged, store.Warnings, plots.Output{Elsewhere: flags.Elsewhere(r.Out)})
	if err != nil {
		return err
	}
	training.TellCells(t, all, func(id string) string {
		return figures.Predicted(*claims.Of(judged, id))
	})
	if r.json {
		return terminal.PrintJSON(t.Stdout, all)
	}
	if r.Verbose {
		findings.PrintVerdicts(t.Stdout, judged, false)
		t.Note("%d files written: report, verdicts, figures and tables in %s", len(paths), r.Out)
	}
	findings.EndScreen(t.Stdout, judged, findings.Ending{Out: r.Out, Took: time.Since(began), Lines: r.Verbose})
	return nil
}

// lost notes how many records of a run are no longer there, and returns the number.
func lost(t *terminal.Terminal, out string, all []training.Ran) int {
	n := 0
	for _, r := range all {
		if _, err := os.Lstat(r.Record); err != nil {
			n++
		}
	}
	if n > 0 {
		t.Note("%s of this run: another program removed them from %s; run the same command again", printed.Count(n, "record"), out)
	}
	return n
}

// hopeless notes the experiments none of whose cells is done although their data is here, and returns their number.
func hopeless(t *terminal.Terminal, all []training.Ran) int {
	cells, bad := map[string]int{}, map[string]int{}
	var ids []string
	for _, r := range all {
		if cells[r.Experiment]++; cells[r.Experiment] == 1 {
			ids = append(ids, r.Experiment)
		}
		switch r.Status {
		case records.Failed, records.Diverged:
			bad[r.Experiment]++
		}
	}
	n := 0
	for _, id := range ids {
		if bad[id] == cells[id] {
			n++
			t.Note("%s: none of its %s is done", id, printed.Count(cells[id], "run"))
		}
	}
	return n
}

// A runRequest is what the flags of run say.
type runRequest struct {
	training.Order
	json       bool
	shard      string
	stopBefore time.Duration
}

// stoppable returns a context that also ends on SIGUSR1, and shortly before the time of --stop-before or of the Slurm job is
// over. It is for runs with --shard or --stop-before; other runs have their context back.
func (r runRequest) stoppable(ctx context.Context) (context.Context, context.CancelCauseFunc) {
	if !r.resumable() {
		return ctx, func(error) {}
	}
	end := endOfTime(r.stopBefore, os.Getenv("SLURM_JOB_END_TIME"), time.Now())
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
	return ctx, cancel
}

// resumable reports whether the run is part of a larger one that starts it again if it stops.
func (r runRequest) resumable() bool { return r.shard != "" || r.stopBefore > 0 }

// lead returns how long before its end a run stops: an eighth of the time it has, at most 150 s. A run saves its cells within
// 2 s; Slurm's own warning comes 120 s before the end.
func lead(left time.Duration) time.Duration { return max(0, min(150*time.Second, left/8)) }

// endOfTime returns the earlier of the time of --stop-before, a duration from now, and of the end of the Slurm job, in seconds since 1970. It
// is zero if there is neither.
func endOfTime(stopBefore time.Duration, slurm string, now time.Time) (end time.Time) {
	if s, err := strconv.ParseInt(slurm, 10, 64); err == nil && s > 0 {
		end = time.Unix(s, 0)
	}
	if asked := now.Add(stopBefore); stopBefore > 0 && (end.IsZero() || asked.Before(end)) {
		end = asked
	}
	return end
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
		t.Note("shard %d/%d has nothing to run: the plan has fewer parts that can run apart", index, of)
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
	r.Planned = len(cells)
	return training.Releasing(ctx, lease, func() error { return trainShard(ctx, t, r, specs, mine) })
}

// trainShard runs the cells of a shard.
func trainShard(ctx context.Context, t *terminal.Terminal, r runRequest, specs []*experiments.Spec, mine []experiments.Cell) error {
	of := slices.DeleteFunc(slices.Clone(specs), func(s *experiments.Spec) bool {
		return !slices.ContainsFunc(mine, func(c experiments.Cell) bool { return c.Spec == s })
	})
	all, err := r.Train(ctx, t, of, mine)
	if err != nil {
		return err
	}
	training.TellCells(t, all, nil)
	if r.json {
		if err := terminal.PrintJSON(t.Stdout, all); err != nil {
			return err
		}
	}
	for _, one := range all {
		if one.Status != records.Failed {
			continue
		}
		i := slices.IndexFunc(mine, func(c experiments.Cell) bool { return c.Experiment == one.Experiment && c.Name == one.Cell })
		t.Note("%s %s failed; to reproduce it: %s", one.Experiment, one.Cell, r.Again(&mine[i]))
	}
	return exits.With(int(ending(all)))
}

// ending returns the exit status of a run: Failed if a cell failed, else Incomplete if a limit ended one, 0 if all ended as they should.
func ending(all []training.Ran) (status exits.Status) {
	for _, r := range all {
		switch r.Status {
		case records.Failed:
			return exits.Failed
		case records.Memory, records.Timeout:
			status = exits.Incomplete
		}
	}
	return status
}
