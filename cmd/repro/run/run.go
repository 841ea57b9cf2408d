// Package run has the verbs that run experiments and follow a run: run, status and serve.
package run

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"repro/cmd/repro/exits"
	"repro/cmd/repro/findings"
	"repro/cmd/repro/flags"
	"repro/cmd/repro/terminal"
	"repro/cmd/repro/training"
	"repro/experiments"
	"repro/plots"
	"repro/results/claims"
	"repro/results/files"
	"repro/results/printed"
	"repro/results/records"
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
		Long: `Run executes the cells of experiments: a cell is one method with one seed. It writes their records,
figures, tables, verdicts.json and report.html into the output folder. Arguments are ids, patterns such
as 'dai2014/*', and paths of your own specs. Without arguments it runs every experiment whose data needs
no download, except auxiliary ones (see repro list).

Run does not repeat cells whose records are complete. It replaces records of other settings, but refuses
to replace one that took more than a minute of training unless --fresh is given. Ctrl-C saves the running
cells and ends the run; the same command continues it. A second Ctrl-C stops at once.

Several processes may run into one folder at the same time. A cell that another process runs comes last,
and is kept if that process completes it.

Experiments whose data is not on this machine are skipped and listed.

With --shard i/n it runs the i-th of n parts of the plan, which have about the same expected cost, and writes
records but no report. The parts are the same on every machine. If processes on several machines write to a
folder that they share, each part is run by one of them; docs/clusters.md has the details. With --shard or
--stop-before, the signals USR1 and TERM and the end of a job's time save the running cells and end the run
with exit status 75.

It ends with a line for each experiment: how many of its claims are reproduced, deviate, are inconclusive
or are not at the published size, and the number of one of them. The claim is the first that deviates; if
none does, the first that is reproduced or inconclusive, or else the first with a number.

Exit status: 0 done; 2 a mistake in the arguments, a spec or data, or all data is missing; 5 a cell
failed, or all cells of an experiment diverged or ran out of time; 42 a cell of a shard failed, and would fail
again; 75 stopped, and can continue; 130 interrupted.`,
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
	cmd.Flags().BoolVarP(&r.Verbose, "verbose", "v", false, "print every claim and every cell")
	cmd.Flags().BoolVar(&r.Fresh, "fresh", false, "run complete cells again, and replace any record in the output folder")
	cmd.Flags().StringVar(&r.shard, "shard", "", "run the i-th of n parts of the plan, i/n; i/n@PLAN also checks that it is a part of the plan with this id")
	cmd.Flags().StringVar(&r.stopBefore, "stop-before", "", "save the running cells and stop shortly before this time: 50m from now, 2026-01-31T18:00:00Z, or seconds since 1970")
	cmd.Flags().BoolVar(&r.Fetch, "fetch", false, "download the data that is not on this machine first, as repro fetch does")
	flags.External(cmd, &r.AllowExternal, "specs name as external methods; "+printed.Command("plan")+" shows their commands")
	return cmd
}

// run runs the experiments that the arguments name. The exit status is 75 if something has stopped a run that is resumable.
func run(ctx context.Context, t *terminal.Terminal, r runRequest) error {
	ctx, cancel, err := r.stoppable(ctx)
	if err != nil {
		return err
	}
	defer cancel(nil)
	err = runAll(ctx, t, r, cancel)
	if r.resumable() && ctx.Err() != nil {
		if s := exits.Status(0); !errors.As(err, &s) { // nobody has said so yet
			t.Note("%s; run the same command again to continue", cmp.Or(training.Cause(ctx), "interrupted"))
		}
		return exits.Stopped
	}
	return err
}

func runAll(ctx context.Context, t *terminal.Terminal, r runRequest, cancel context.CancelCauseFunc) error {
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
	err = training.OrLeave(ctx, func() error { return reportRun(t, r, specs, all) })
	if ctx.Err() != nil {
		return err
	}
	lost, hopeless := lost(t, r.Out, all), hopeless(t, all)
	if lost+hopeless == 0 && !slices.ContainsFunc(all, func(r training.Ran) bool { return r.Status == records.Failed }) {
		return err
	}
	if err != nil { // the report may lack records that were removed
		t.Note("repro: %v", err)
	}
	return exits.Failed
}

// reportRun writes the report of a run and prints what it has found.
func reportRun(t *terminal.Terminal, r runRequest, specs []*experiments.Spec, all []training.Ran) error {
	store, err := flags.Open(t, r.Out)
	if err != nil {
		return err
	}
	exps, arguments := make([]claims.Experiment, len(specs)), make([]string, len(specs))
	for i, s := range specs {
		exps[i], arguments[i] = s.Experiment(), flags.Argument(s)
	}
	judged := findings.Judge(exps, store.Records)
	paths, err := findings.Write(r.Out, store, judged, plots.Output{})
	if err != nil {
		return err
	}
	training.TellCells(t, all)
	if r.json {
		return terminal.PrintJSON(t.Stdout, all)
	}
	if r.Verbose {
		findings.PrintVerdicts(t.Stdout, judged, false)
	}
	findings.EndScreen(t.Stdout, r.Out, judged, arguments, len(r.Args) > 0)
	if r.Verbose {
		t.Note("%d files written: report, verdicts, figures and tables in %s", len(paths), r.Out)
	}
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
		case records.Failed, records.Diverged, records.Timeout:
			bad[r.Experiment]++
		}
	}
	n := 0
	for _, id := range ids {
		if bad[id] == cells[id] {
			n++
			t.Note("%s: none of its %s is done", id, printed.Count(cells[id], "cell"))
		}
	}
	return n
}
