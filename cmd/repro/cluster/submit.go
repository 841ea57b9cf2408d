// Package cluster has the verbs to run on several machines: submit and merge.
package cluster

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"repro/cmd/repro/engines"
	"repro/cmd/repro/flags"
	"repro/cmd/repro/terminal"
	"repro/cmd/repro/training"
	"repro/experiments"
	"repro/results/files"
	"repro/results/printed"
	"repro/results/records"
	"repro/runner"
	"repro/runner/shards"
)

type submission struct {
	training.Order
	shards  int
	cpus    int
	atOnce  int
	longest time.Duration
	options []string
	program string
	again   bool // send cells that failed or were skipped, too
	dry     bool
	json    bool
}

// target is the wall time that a shard is made for: between 20 and 60 minutes, long enough for a job of a scheduler, short enough
// to lose little.
const target = 40 * time.Minute

// What a shard asks for over what is predicted. Memory is counted, not measured; time is predicted from the speed of the machine
// that submits. A shard that takes longer stops in time and continues.
const (
	timeMargin   = 2.0
	memoryMargin = 1.25
)

// restarts is how often a shard may start again after it stopped or was killed.
const restarts = 20

func newSubmit(t *terminal.Terminal) *cobra.Command {
	var s submission
	s.Library = flags.Library(t)
	cmd := &cobra.Command{
		Use:   "submit [ID...]",
		Short: "Run experiments on a cluster",
		Long: `Submit splits the runs of experiments into shards of about 40 minutes and gives them to Slurm. The
arguments and flags that choose the runs are those of repro run. The output folder must be one that all machines
share. When all shards have ended, whatever the outcome, another job judges the claims and writes the report.

Submit again to send what is missing: runs without a complete record, except those that failed or were
skipped (--retry sends them, too). Shards that wait or run are not sent a second time. docs/clusters.md says what
happens when.

Exit status: 0 submitted, or nothing is missing; 2 refused, or a mistake in the arguments or a spec.`,
		Example: `  repro submit --profile paper --out /shared/me/paper
  repro submit 'dai2014/*' --option=--partition=long --at-once 16
  repro submit dai2014/ridge --dry-run
  repro status --out /shared/me/paper`,
		ValidArgsFunction: flags.IDs,
		RunE: func(cmd *cobra.Command, args []string) error {
			s.Args = args
			return submit(cmd.Context(), t, s)
		},
	}
	s.Choice.Flags(cmd, flags.Usual)
	flags.Out(cmd, &s.Out)
	flags.Memory(cmd, s.Library)
	f := cmd.Flags()
	f.IntVar(&s.shards, "shards", 0, "number of shards, instead of one for each 40 minutes")
	f.IntVar(&s.cpus, "cpus", 1, "processors for each shard; timed experiments have all of a machine, and their time is predicted for this number")
	f.IntVar(&s.atOnce, "at-once", 0, "shards that may run at the same time; 0 means any number")
	f.DurationVar(&s.longest, "longest", 0, "the most time that a job may ask for, such as 4h; a shard that takes longer continues in the next job")
	f.StringArrayVar(&s.options, "option", nil, "option for Slurm, such as --option=--partition=long; may be repeated")
	f.StringVar(&s.program, "program", "", "path of the program on the machines that run shards, if it is not the one of this process")
	flags.External(cmd, &s.AllowExternal, "specs name as external methods; "+printed.Command("plan")+" shows their commands")
	f.BoolVar(&s.Fetch, "fetch", false, "every machine downloads the data that it does not have: see REPRO_CACHE in docs/datasets.md")
	f.BoolVar(&s.again, "retry", false, "also send runs that failed or were skipped")
	f.BoolVar(&s.dry, "dry-run", false, "print the scripts and submit nothing")
	flags.JSON(cmd, &s.json)
	cmd.MarkFlagsMutuallyExclusive("dry-run", "json")
	return cmd
}

func submit(ctx context.Context, t *terminal.Terminal, s submission) error {
	if s.shards < 0 || s.cpus < 1 || s.atOnce < 0 {
		return errors.New("submit: --cpus must be 1 or more, and no number negative")
	}
	specs, err := s.ToRun(t)
	if err != nil {
		return err
	}
	cells := training.Expand(specs)
	if _, err := runner.Guard(cells, s.Options); err != nil {
		return err
	}
	if err := s.CheckExternal(t, cells); err != nil {
		return err
	}
	if _, err := s.CheckData(ctx, t, specs, cells); err != nil {
		return err
	}
	s.Threads = s.cpus
	planned, err := runner.NewPlan(ctx, cells, s.Options)
	if err != nil {
		return err
	}
	of, err := s.howMany(ctx, cells, planned.Cells)
	if err != nil {
		return err
	}
	plan, parts, err := s.Shards(ctx, cells, of)
	if err != nil {
		return err
	}
	describe := func(queue map[int]string) (engines.Job, error) {
		return s.job(ctx, t, plan, parts, planned.Cells, queue)
	}
	if !s.dry {
		if err := s.sendOnce(ctx, t, describe, plan); err != nil || !s.json {
			return err
		}
		sent, err := engines.Read(plan.Dir(s.Out))
		if sent.Arrays = terminal.OrEmpty(sent.Arrays); err != nil {
			return err
		}
		return terminal.PrintJSON(t.Stdout, sent)
	}
	job, err := describe(nil)
	if err != nil || len(job.Shards) == 0 {
		return err
	}
	return printScripts(t.Stdout, job.Split(engines.ArraySize(ctx)), job)
}

// howMany returns the number of shards: that of --shards, or that of the latest plan of the same cells in the output folder, or
// one for each 40 minutes.
func (s submission) howMany(ctx context.Context, cells []experiments.Cell, all []runner.Planned) (int, error) {
	if s.shards > 0 {
		return s.shards, nil
	}
	plans, err := shards.Plans(s.Out)
	if err != nil {
		return 0, err
	}
	for _, p := range plans {
		if len(p.Cells) != len(cells) {
			continue
		}
		if same, _, err := s.Shards(ctx, cells, p.Of); err != nil || same.ID == p.ID {
			return p.Of, err
		}
	}
	sum, parts := 0.0, 0
	for _, p := range all {
		if !p.State.Settled() {
			sum += math.Max(0, p.Time()) / float64(min(s.cpus, s.Options.SideBySide(p.Of.Spec)))
			parts++
		}
	}
	return max(1, min(parts, int(math.Ceil(sum/target.Seconds())))), nil
}

func jobName(plan *shards.Plan) string { return "repro-" + plan.ID }

// job describes the shards of a plan that have cells to run and are not in the queue of the scheduler.
func (s submission) job(ctx context.Context, t *terminal.Terminal, plan *shards.Plan, parts []runner.Shard, all []runner.Planned,
	queue map[int]string) (engines.Job, error) {
	out, err := filepath.Abs(s.Out)
	if err != nil {
		return engines.Job{}, err
	}
	dir, err := os.Getwd()
	if err != nil {
		return engines.Job{}, err
	}
	program := s.program
	if program == "" {
		if program, err = os.Executable(); err != nil {
			return engines.Job{}, fmt.Errorf("submit: %w; give the path of the program with --program", err)
		}
		if printed.OfGoRun(program) {
			return engines.Job{}, errors.New("submit: go run keeps no program for other machines; build it with go build, and submit with that or give its path with --program")
		}
	}
	for _, path := range []string{out, dir} {
		if strings.ContainsAny(path, "\"%\\\n") {
			return engines.Job{}, fmt.Errorf("submit: %q has a character that a script of the scheduler cannot hold; choose another folder", path)
		}
	}
	words := plan.Words
	if s.AllowExternal {
		words = append(slices.Clone(words), "--allow-external")
	}
	if s.Fetch {
		words = append(slices.Clone(words), "--fetch")
	}
	command := func(verb string, words []string, more ...string) []string {
		return slices.Concat([]string{program, verb}, words, []string{"--out", out}, more)
	}
	j := engines.Job{
		Name: jobName(plan), Dir: dir, Out: out, Files: plan.Dir(out), Plan: plan.ID, Of: plan.Of,
		Run: command("run", words), CPUs: s.cpus, AtOnce: s.atOnce, Restarts: restarts, Longest: s.longest, Options: s.options,
		Finish: [][]string{command("judge", plan.Words), command("judge", plan.Words, "--report")},
	}
	again := []string{"--shards", strconv.Itoa(plan.Of), "--cpus", strconv.Itoa(s.cpus), "--at-once", strconv.Itoa(s.atOnce), "--longest", s.longest.String()}
	for _, o := range s.options {
		again = append(again, "--option="+o)
	}
	j.Again = command("submit", words, again...)
	j.Shards, err = s.missing(ctx, t, plan, parts, all, queue)
	return j, err
}

// missing returns the shards that have cells to run, with what these take at most, without those that wait in the queue or run.
func (s submission) missing(ctx context.Context, t *terminal.Terminal, plan *shards.Plan, parts []runner.Shard, all []runner.Planned,
	queue map[int]string) ([]engines.Shard, error) {
	states, err := plan.States(s.Out)
	if err != nil {
		return nil, err
	}
	e := runner.NewEstimator(s.cpus, s.Library)
	var found []engines.Shard
	busy, left := 0, map[string][]string{} // cells that failed or were skipped, by how
	for k, part := range parts {
		if states[k+1].Alive || queue[k+1] != "" {
			busy++
			continue
		}
		e.Apart()
		shard, err := s.shard(ctx, e, plan, part, all, left)
		if err != nil {
			return nil, err
		}
		if shard.Index = k + 1; shard.Cells > 0 {
			shard.Seconds *= timeMargin
			found = append(found, shard)
		}
	}
	if busy > 0 {
		t.Note("%s of the plan %s wait or run and are not sent again", printed.Count(busy, "shard"), plan.ID)
	}
	for _, state := range slices.Sorted(maps.Keys(left)) {
		t.Note("%s %s the last time and not sent; --retry sends them, too: %s says why", printed.Count(len(left[state]), "run"), state, printed.Again("status", "--out", s.Out))
	}
	if len(found) == 0 {
		t.Note("nothing to submit: see %s", printed.Again("status", "--out", s.Out))
	}
	return found, nil
}

// shard returns what the cells of a part take that are to run, without the margin of time. It adds those that failed or were skipped
// to left, by how.
func (s submission) shard(ctx context.Context, e *runner.Estimator, plan *shards.Plan, part runner.Shard, all []runner.Planned, left map[string][]string) (engines.Shard, error) {
	var shard engines.Shard
	longest, sum, alone := 0.0, 0.0, 0.0
	run := runner.EmptyPlan(runner.Options{Threads: s.cpus})
	for _, i := range part {
		p := all[i]
		got, err := e.Cell(ctx, p.Of)
		if err != nil {
			return shard, err
		}
		if p.State.Settled() {
			continue
		}
		if ended := engines.RecordOf(s.Out, plan, plan.Cells[i]); !s.again && (ended.State == string(records.Failed) || ended.State == string(records.Skipped)) {
			left[ended.State] = append(left[ended.State], p.Experiment+" "+p.Cell)
			continue
		}
		shard.Cells++
		seconds := got.Seconds
		if seconds < 0 {
			seconds = target.Seconds() // unknown, such as the time of a program
		}
		if p.Of.Spec.Alone() {
			alone += seconds
		} else {
			sum, longest = sum+seconds, math.Max(longest, seconds)
		}
		run.Add(p.Of, p.State, got)
	}
	shard.Bytes = memoryMargin * run.Cost().Bytes
	side := float64(s.cpus) // the last cells to end may run by themselves [Graham 1969]
	shard.Seconds = alone + sum/side + longest*(1-1/side)
	shard.Alone = part.Alone(cellsOf(all))
	return shard, nil
}

func cellsOf(all []runner.Planned) []experiments.Cell {
	cells := make([]experiments.Cell, len(all))
	for i, p := range all {
		cells[i] = *p.Of
	}
	return cells
}

// printScripts prints the scripts of arrays and of the job that follows them.
func printScripts(o *terminal.Output, parts []engines.Job, job engines.Job) error {
	for _, p := range parts {
		text, err := engines.Write("slurm", p)
		if err != nil {
			return err
		}
		fmt.Fprintf(o, "%s\n", text)
	}
	text, err := engines.Write("slurm-finish", job)
	fmt.Fprintf(o, "%s", text)
	return err
}

// sendOnce submits to Slurm while it holds a lease, so that of two processes that submit the same plan one refuses. Without an
// answer of Slurm it refuses too: jobs that were sent before may wait.
func (s submission) sendOnce(ctx context.Context, t *terminal.Terminal, describe func(queue map[int]string) (engines.Job, error), plan *shards.Plan) error {
	lease, err := shards.Take(s.Out, plan.Dir(s.Out), "submit", engines.Holder(), shards.Every)
	if held := (shards.Held{}); errors.As(err, &held) {
		return fmt.Errorf("%v is submitting the same plan", held.Holder)
	}
	if err != nil {
		return err
	}
	return training.Releasing(ctx, lease, func() error {
		sent, err := engines.Read(plan.Dir(s.Out))
		if err != nil {
			return err
		}
		queue, err := sent.Queue(ctx)
		if err != nil {
			return fmt.Errorf("submit: jobs of the plan %s were sent before, and Slurm does not say which of them wait or run: %w; try again later", plan.ID, err)
		}
		job, err := describe(queue)
		if err != nil || len(job.Shards) == 0 {
			return err
		}
		if err := plan.Save(s.Out); err != nil {
			return err
		}
		if err := sent.Double(s.Out, plan.Dir(s.Out), job.Shards); err != nil {
			return err
		}
		return s.send(ctx, t, job, plan, sent)
	})
}

// send submits the arrays and the job that follows them. Shards that were never sent come first, so that every shard has its turn if Slurm
// takes no more, also if some fail each time.
func (s submission) send(ctx context.Context, t *terminal.Terminal, job engines.Job, plan *shards.Plan, sent engines.Sent) error {
	slices.SortStableFunc(job.Shards, func(a, b engines.Shard) int {
		return cmp.Compare(sent.Times(a.Index), sent.Times(b.Index))
	})
	sent.Name = job.Name
	var ids []string
	var refused error
	for _, part := range job.Split(engines.ArraySize(ctx)) {
		id, err := s.sbatch(ctx, plan, "slurm", fmt.Sprintf("array-%d.sh", len(sent.Arrays)+1), part)
		if err != nil {
			refused = err
			continue
		}
		ids = append(ids, id)
		one := engines.Array{Job: id}
		for _, shard := range part.Shards {
			one.Shards = append(one.Shards, shard.Index)
		}
		sent.Arrays = append(sent.Arrays, one)
		t.Note("job %s: %s of plan %s", id, printed.Count(len(part.Shards), "shard"), plan.ID)
		if err := sent.Write(s.Out, plan.Dir(s.Out)); err != nil {
			return err
		}
	}
	if len(ids) == 0 {
		return fmt.Errorf("submit: %w; if that is a limit on the number of jobs, submit again when others have ended, or make fewer with --shards", refused)
	}
	if refused != nil {
		t.Note("not all shards were taken: %v; submit again when others have ended", refused)
	}
	id, err := s.sbatch(ctx, plan, "slurm-finish", "finish.sh", job, ids...)
	if err != nil {
		return fmt.Errorf("submit: the job that judges and reports was not taken: run %s when the others have ended: %w", printed.Again("judge", append(s.Args, "--report")...), err)
	}
	sent.Finish = id
	t.Note("job %s: verdicts and report when they have ended; %s shows how far they are", id, printed.Again("status", "--out", s.Out))
	return sent.Write(s.Out, plan.Dir(s.Out))
}

// sbatch writes a script into the plan's folder and submits it.
func (s submission) sbatch(ctx context.Context, plan *shards.Plan, template, name string, job engines.Job, after ...string) (string, error) {
	text, err := engines.Write(template, job)
	if err != nil {
		return "", err
	}
	path := filepath.Join(plan.Dir(s.Out), name)
	if err := files.Write(s.Out, path, text); err != nil {
		return "", err
	}
	return engines.Submit(ctx, path, after...)
}

// Commands are the verbs of the package.
func Commands(t *terminal.Terminal) []*cobra.Command {
	return []*cobra.Command{newSubmit(t), newMerge(t)}
}

func newMerge(t *terminal.Terminal) *cobra.Command {
	var out string
	var json bool
	cmd := &cobra.Command{
		Use:   "merge DIR...",
		Short: "Bring the records of several output folders into one",
		Long: `Merge copies the records of output folders, with the files of predictions that they name, into the folder of
--out. It is for runs on machines without a folder that they share. It writes no report: see repro judge --report.

A cell may be in several of the folders. A complete record then wins over one that failed or was interrupted. Complete
records must have the same bits, except times and the names of processors; otherwise merge writes nothing and names
both. The same holds for a record that is damaged.

Exit status: 0 merged; 2 something does not fit together, or a mistake in the arguments.`,
		Example: `  repro merge node1/out node2/out --out out
  repro judge --report --out out`,
		Args: cobra.MinimumNArgs(1),
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return nil, cobra.ShellCompDirectiveFilterDirs
		},
		RunE: func(_ *cobra.Command, args []string) error { return merge(t, args, out, json) },
	}
	flags.Out(cmd, &out)
	flags.JSON(cmd, &json)
	return cmd
}

// merge copies the records of folders into another one.
func merge(t *terminal.Terminal, dirs []string, out string, json bool) error {
	m, err := records.Merge(dirs, out)
	if err != nil {
		return err
	}
	for _, dir := range dirs { // so that repro status knows what is missing
		plans, err := shards.Plans(dir)
		if err != nil {
			return err
		}
		for _, p := range plans {
			if err := p.Save(out); err != nil {
				return err
			}
		}
	}
	if len(m.Exempt) > 0 {
		t.Note("%s in more than one folder ended after a number of seconds, so they may differ; the first of each was taken: %s", printed.Count(len(m.Exempt), "run"), printed.List(m.Exempt))
	}
	t.Note("%s written to %s; %d were there; %d were found twice, with equal bits", printed.Count(m.Written, "record"), out, m.Kept, m.Equal)
	m.Exempt = terminal.OrEmpty(m.Exempt)
	return t.Show(json, m, func() {})
}
