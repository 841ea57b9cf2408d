package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"repro/algos/losses"
	"repro/cmd/repro/exits"
	"repro/cmd/repro/terminal"
	"repro/datasets"
	"repro/experiments"
	"repro/results/claims"
	"repro/results/files"
	"repro/results/printed"
	"repro/results/records"
	"repro/runner"
)

func newRun(a *app) *cobra.Command {
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
		ValidArgsFunction: completeIDs,
		RunE:              func(cmd *cobra.Command, args []string) error { return a.run(cmd.Context(), args) },
	}
	a.specFlags(cmd, defaultProfile)
	a.outFlag(cmd)
	a.threadsFlag(cmd)
	a.memoryFlag(cmd)
	a.jsonFlag(cmd)
	cmd.Flags().BoolVarP(&a.verbose, "verbose", "v", false, "print every claim, and, where there is no terminal, every cell")
	cmd.Flags().BoolVar(&a.fresh, "fresh", false, "run complete cells again, and replace any record in the output folder")
	cmd.Flags().StringVar(&a.shard, "shard", "", "run the i-th of n parts of the plan, i/n; i/n@PLAN also checks that it is a part of the plan with this id")
	cmd.Flags().StringVar(&a.stopBefore, "stop-before", "", "save the running cells and stop shortly before this time: 50m from now, 2026-01-31T18:00:00Z, or seconds since 1970")
	cmd.Flags().BoolVar(&a.download, "fetch", false, "download the data that is not on this machine first, as repro fetch does")
	cmd.Flags().BoolVar(&a.allowExternal, "allow-external", false, "run the programs that specs name as external methods; repro plan shows their commands")
	return cmd
}

// run runs the experiments that the arguments name. The exit status is 75 if something has stopped a run that is resumable.
func (a *app) run(ctx context.Context, args []string) error {
	ctx, cancel, err := a.stoppable(ctx)
	if err != nil {
		return err
	}
	defer cancel(nil)
	err = a.runAll(ctx, cancel, args)
	if a.resumable() && ctx.Err() != nil {
		if s := exits.Status(0); !errors.As(err, &s) { // nobody has said so yet
			a.Note("%s; run the same command again to continue", cmp.Or(cause(ctx), "interrupted"))
		}
		return exits.Stopped
	}
	return err
}

func (a *app) runAll(ctx context.Context, cancel context.CancelCauseFunc, args []string) error {
	specs, err := a.toRun(args)
	if err != nil {
		return err
	}
	if err := files.Writable(a.out); err != nil {
		return fmt.Errorf("cannot write to the output folder %s: %w; choose another with --out", a.out, err)
	}
	if a.shard != "" {
		return a.runShard(ctx, cancel, specs, args)
	}
	all, err := a.train(ctx, specs, expand(specs))
	if err != nil {
		return err
	}
	err = orLeave(ctx, func() error { return a.reportRun(specs, all, len(args) > 0) })
	if ctx.Err() != nil {
		return err
	}
	lost, hopeless := a.lost(all), a.hopeless(all)
	if lost+hopeless == 0 && !slices.ContainsFunc(all, func(r ran) bool { return r.Status == records.Failed }) {
		return err
	}
	if err != nil { // the report may lack records that were removed
		a.Note("repro: %v", err)
	}
	return exits.Failed
}

// train runs cells of specs after all checks that need no training.
func (a *app) train(ctx context.Context, specs []*experiments.Spec, cells []experiments.Cell) ([]ran, error) {
	notes, err := runner.Guard(cells, a.runnerOptions())
	if a.Notes(notes); err != nil {
		return nil, err
	}
	if err := a.checkExternal(cells); err != nil {
		return nil, err
	}
	var plan *runner.Plan
	if err := orLeave(ctx, func() (err error) { plan, err = runner.NewPlan(ctx, cells, a.runnerOptions()); return err }); err != nil {
		return nil, err
	}
	if err := plan.Fits(a.memoryBound()); err != nil {
		return nil, err
	}
	if err := orLeave(ctx, func() error { return a.checkData(ctx, specs) }); err != nil {
		return nil, err
	}
	all, err := a.execute(ctx, cells, plan)
	if ctx.Err() != nil {
		a.Note("%s; the results so far are in %s; run the same command again to continue", cmp.Or(cause(ctx), "interrupted"), a.out)
		return all, exits.Interrupted
	}
	return all, err
}

// orLeave returns what do returns, or ctx's error as soon as ctx is cancelled. Then do goes on until the process ends, which
// is safe because files are replaced in one step.
func orLeave(ctx context.Context, do func() error) error {
	done := make(chan error, 1)
	go func() { done <- do() }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// fetchMissing downloads a data set that is not here, if --fetch is given.
func (a *app) fetchMissing(ctx context.Context, name string) error {
	if !a.download || name == "" {
		return nil
	}
	if here, _ := a.library().Available(name); here {
		return nil
	}
	return a.fetch(ctx, []string{name})
}

// checkData opens the data of every spec with cells to run, so that faults are reported once and before anything runs.
// Missing data is an error only if the data of all specs is missing; otherwise its cells are
// skipped. A shard skips none, because the folder would lack them.
func (a *app) checkData(ctx context.Context, specs []*experiments.Spec) error {
	o := a.runnerOptions()
	var wrong, missing []error
	for _, s := range specs {
		if !slices.ContainsFunc(s.Expand(), func(c experiments.Cell) bool { return o.State(&c) != runner.Complete }) {
			continue
		}
		loss, err := losses.New(s.Problem.Loss)
		if err != nil {
			return err
		}
		if err = a.fetchMissing(ctx, s.Data.Name); err == nil {
			_, err = a.library().Open(ctx, s.Data, loss.Task(), s.Repeat.First, s.Dir())
		}
		switch {
		case err == nil:
		case ctx.Err() != nil:
			return ctx.Err()
		case errors.Is(err, datasets.ErrMissing) && s.Data.Name != "":
			missing = append(missing, fmt.Errorf("%s: %w", s.ID, err))
		default:
			wrong = append(wrong, fmt.Errorf("%s: %w", s.File, err))
		}
	}
	if len(missing) > 0 && len(missing) < len(specs) && a.shard == "" {
		for _, err := range missing {
			a.Note("skipping %v", err)
		}
		missing = nil
	}
	return errors.Join(append(wrong, missing...)...)
}

func (a *app) runnerOptions() runner.Options {
	return runner.Options{Out: a.out, Threads: a.threads, Fresh: a.fresh, Library: a.library(), AllowExternal: a.allowExternal, Command: a.command}
}

// command returns the command that runs a cell again from its start, in another folder.
func (a *app) command(c *experiments.Cell) string {
	words := []string{"run", argument(c.Spec), "--profile", a.profile, "--method", c.Method.ID,
		"--seeds", strconv.FormatUint(c.Seed-c.Spec.Repeat.First+1, 10), "--threads", strconv.Itoa(a.threads), "--out", "again"}
	for _, s := range a.set {
		words = append(words, "--set", s)
	}
	if a.allowExternal {
		words = append(words, "--allow-external")
	}
	for i, w := range words {
		words[i] = printed.ShellWord(w)
	}
	return printed.Command(strings.Join(words, " "))
}

// execute runs cells and shows their progress.
func (a *app) execute(ctx context.Context, cells []experiments.Cell, plan *runner.Plan) ([]ran, error) {
	if !a.quiet {
		a.announce(plan)
	}
	t := newWorkload(plan.Cells, plan.Cost().Seconds)
	p := a.newProgress(t)
	a.Say = p.note
	arrivals := a.newArrivals(cells, p.show)
	told := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(told)
		p.note(cmp.Or(cause(ctx), "interrupted") + ": saving the running cells (press Ctrl-C again to stop at once)")
	})
	ended := map[*experiments.Cell]ran{}
	o := a.runnerOptions()
	o.Observe = func(e runner.Event) {
		t.add(e)
		p.observe(e)
		arrivals.observe(e, t)
		switch e.Kind {
		case runner.Ended, runner.Kept, runner.Lost:
			ended[e.Cell] = a.ran(e)
		case runner.Waiting:
			p.note(fmt.Sprintf("waiting for %s %s, which %s is running", e.Cell.Experiment, e.Cell.Name, e.Reason))
		case runner.Warned:
			p.note(fmt.Sprintf("warning: %s %s: %s", e.Cell.Experiment, e.Cell.Name, e.Reason))
		}
	}
	_, err := runner.Run(ctx, cells, o)
	if !stop() {
		<-told
	}
	arrivals.close()
	a.Say = nil
	p.close()
	all := []ran{} // in the order of the plan
	for i := range cells {
		if r, ok := ended[&cells[i]]; ok {
			all = append(all, r)
		}
	}
	return all, err
}

// announce prints how many cells will run and what they need.
func (a *app) announce(plan *runner.Plan) {
	todo := plan.Cost()
	if todo.Cells == 0 {
		return
	}
	a.Note("running %s, %v; records go to %s", printed.Count(todo.Cells, "cell"), todo, a.out)
	if free := datasets.FreeMemory(); free > 0 && todo.Bytes > free {
		a.Note("warning: that is more than the %s of memory that are free here; see %s", printed.Bytes(free), printed.Command("plan"))
	}
	replaced := map[string]bool{}
	for _, p := range plan.Cells {
		if p.State != runner.Other {
			continue
		}
		f := records.Find(a.out, p.Experiment, p.Cell, nil)
		if f.Record != nil && !replaced[p.Experiment+f.Header.Profile] {
			replaced[p.Experiment+f.Header.Profile] = true
			a.Note("%s: replacing its records of other settings at profile %s", p.Experiment, f.Header.Profile)
		}
	}
}

// reportRun writes the report of a run and prints what it has found. named reports whether the run named its experiments.
func (a *app) reportRun(specs []*experiments.Spec, all []ran, named bool) error {
	store, err := a.open()
	if err != nil {
		return err
	}
	exps, arguments := make([]claims.Experiment, len(specs)), make([]string, len(specs))
	for i, s := range specs {
		exps[i], arguments[i] = s.Experiment(), argument(s)
	}
	judged := judgeAll(exps, store)
	paths, err := a.writeReport(store, judged)
	if err != nil {
		return err
	}
	a.tellCells(all)
	if a.json {
		return terminal.PrintJSON(a.Stdout, all)
	}
	if a.verbose {
		a.printVerdicts(judged, false)
	}
	a.endScreen(judged, arguments, named)
	if a.verbose {
		a.Note("%d files written: report, verdicts, figures and tables in %s", len(paths), a.out)
	}
	return nil
}

// A ran is one cell in `run --json`.
type ran struct {
	Experiment string         `json:"experiment"`
	Cell       string         `json:"cell"`
	Method     string         `json:"method"`
	Seed       uint64         `json:"seed"`
	Profile    string         `json:"profile"`
	Status     records.Status `json:"status"`
	Reason     string         `json:"reason"`
	Kept       bool           `json:"kept"` // it did not run, because its record was complete
	Record     string         `json:"record"`
}

func (a *app) ran(e runner.Event) ran {
	c := e.Cell
	return ran{
		Experiment: c.Experiment, Cell: c.Name, Method: c.Method.ID, Seed: c.Seed, Profile: c.Spec.Profile,
		Status: e.Status, Reason: e.Reason, Kept: e.Kind == runner.Kept, Record: records.Path(a.out, c.Experiment, c.Name),
	}
}

// lost notes how many records of a run are no longer there, and returns the number.
func (a *app) lost(all []ran) int {
	n := 0
	for _, r := range all {
		if _, err := os.Lstat(r.Record); err != nil {
			n++
		}
	}
	if n > 0 {
		a.Note("%s of this run: another program removed them from %s; run the same command again", printed.Count(n, "record"), a.out)
	}
	return n
}

// hopeless notes the experiments none of whose cells is done although their data is here, and returns their number.
func (a *app) hopeless(all []ran) int {
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
			a.Note("%s: none of its %s is done", id, printed.Count(cells[id], "cell"))
		}
	}
	return n
}

// tellCells lists the cells that were not done, grouped by cause, and counts all cells.
func (a *app) tellCells(all []ran) {
	counts := map[records.Status]int{}
	cells := map[string][]string{} // by cause
	var causes []string
	kept := 0
	for _, r := range all {
		counts[r.Status]++
		if r.Kept {
			kept++
		}
		if r.Status == records.Done || r.Status == records.Budget {
			continue
		}
		cause := fmt.Sprintf("%s: %s", r.Status, r.Reason)
		if cells[cause] == nil {
			causes = append(causes, cause)
		}
		cells[cause] = append(cells[cause], r.Experiment+" "+r.Cell)
	}
	for _, cause := range causes {
		names := cells[cause]
		if n := len(names); n > 3 {
			names = append(names[:3:3], fmt.Sprintf("%d more", n-3))
		}
		a.Note("%s %s", strings.Join(names, ", "), cause)
	}
	var parts []string
	for _, s := range []records.Status{records.Diverged, records.Skipped, records.Timeout, records.Failed} {
		if counts[s] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", counts[s], s))
		}
	}
	done := counts[records.Done] + counts[records.Budget]
	text := printed.Count(done, "cell") + " done"
	if len(parts) > 0 {
		text += ", " + strings.Join(parts, ", ")
	}
	if kept > 0 {
		text += fmt.Sprintf("; %d of %d were complete from an earlier run, --fresh runs them again", kept, len(all))
	}
	a.Note("%s", text)
}

// words returns in a few words how a cell ended.
func words(s records.Status, reason string) string {
	switch s {
	case records.Budget:
		return "done, " + reason
	case records.Done:
		return "done"
	}
	first, _, _ := strings.Cut(reason, "\n")
	return fmt.Sprintf("%s: %s", s, first)
}
