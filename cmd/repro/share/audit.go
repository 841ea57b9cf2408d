package share

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"repro/algos/compute"
	"repro/cmd/repro/exits"
	"repro/cmd/repro/flags"
	"repro/cmd/repro/studies"
	"repro/cmd/repro/terminal"
	"repro/cmd/repro/training"
	"repro/datasets/regular"
	"repro/experiments"
	"repro/results/audits"
	"repro/results/builds"
	"repro/results/bundles"
	"repro/results/claims"
	"repro/results/printed"
	"repro/results/records"
	"repro/runner"
)

// An auditOrder is what the flags of audit say.
type auditOrder struct {
	runner.Options
	json, verbose bool
	sample        int
	budget        time.Duration
	seed          uint64
	seeded        bool // --seed was given
	tolerance     float64
	log           string // empty for the one beside the bundle
	dir           string
}

func newAudit(t *terminal.Terminal) *cobra.Command {
	var o auditOrder
	cmd := &cobra.Command{
		Use:   "audit FILE.zip",
		Short: "Run a random sample of a bundle's cells again and compare bit for bit",
		Long: `Audit draws a random sample of the cells of a bundle, runs them again from the bundled specs, and compares
every recorded number bit for bit. It prints how likely such a sample is to find wrong cells, had there been
some, and appends the outcome, this machine and this build to a log beside the bundle. Each line of the log has the
SHA-256 of the line before; audit names a line that was removed, changed or moved.

Every sample whose predicted time is within the budget is equally likely. So cells that take long are drawn
more rarely, and those that take longer than the budget never; they are counted. Cells with a budget in
seconds cannot be repeated and are counted too, as are cells whose data is not here (repro fetch).

Where the processor decides the last bits (another architecture, or portable code on one side only), numbers
may differ by --tolerance, and such cells are counted apart.

Exit status: 0 all cells are the same; 1 a cell differs, or a record or an entry of the bundle is damaged, or the log was edited; 2 a mistake in the arguments or the bundle; 4
nothing could be audited; 5 a run failed.`,
		Example: `  repro audit results.zip
  repro audit results.zip --sample 100 --budget 1h
  repro audit results.zip --seed 17              draw the sample of an earlier audit again`,
		Args: cobra.ExactArgs(1),
		PreRunE: func(cmd *cobra.Command, _ []string) error {
			o.seeded = cmd.Flags().Changed("seed")
			switch {
			case o.sample < 1:
				return fmt.Errorf("--sample must be 1 or more, got %d", o.sample)
			case o.budget < 0:
				return fmt.Errorf("--budget must be a time such as 10m, or 0 for no limit, got %v", o.budget)
			case !(o.tolerance >= 0):
				return fmt.Errorf("--tolerance must be 0 or more, got %v", o.tolerance)
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return audit(cmd.Context(), t, args[0], o) },
	}
	f := cmd.Flags()
	f.IntVar(&o.sample, "sample", 30, "largest number of cells to run again")
	f.DurationVar(&o.budget, "budget", 10*time.Minute, "predicted time of the sample; 0 for no limit")
	f.Uint64Var(&o.seed, "seed", 0, "seed of the draw; a random one if left out")
	f.Float64Var(&o.tolerance, "tolerance", 1e-6, "largest relative difference where the processor decides the last bits")
	f.StringVar(&o.log, "log", "", "file that the outcome is appended to; FILE.audit.jsonl if left out")
	f.StringVar(&o.dir, "dir", ".", "folder that the files of your own specs are relative to")
	flags.External(cmd, &o.AllowExternal, "the bundle has, or its specs name, as external methods")
	f.BoolVarP(&o.verbose, "verbose", "v", false, "print the outcome of every cell")
	flags.Machine(t, cmd, &o.Options)
	flags.JSON(cmd, &o.json)
	return cmd
}

// audit runs a sample of a bundle again, compares it and logs the outcome.
func audit(ctx context.Context, t *terminal.Terminal, file string, o auditOrder) error {
	b, study, err := studies.Unpack(file, o.dir)
	if err != nil {
		return err
	}
	for i, fault := range b.Faults {
		if i == mostFaults {
			t.Note("and %s more; %s lists them", printed.Count(len(b.Faults)-i, "fault"), printed.Command("verify "+printed.ShellWord(file)))
			break
		}
		t.Note("%v", fault)
	}
	log := audits.Audit{
		Time: time.Now().UTC().Format(time.RFC3339), Bundle: file, SHA256: b.SHA256, Made: b.Program.Commit, MadeIn: b.Program.Module, Program: builds.This(),
		Host: runtime.GOOS + "/" + runtime.GOARCH, CPU: compute.Processor(), ISA: compute.ISA(),
		Budget: o.budget.Seconds(), Records: len(b.Records), Faults: len(b.Faults), Outcomes: []audits.Outcome{}, Chances: []audits.Chance{}, LeftOut: []audits.LeftOut{},
	}
	if other := b.Program.Other(); other != "" {
		t.Note("warning: %s: %s", file, other)
	} else if !log.Program.Same(b.Program) {
		t.Note("the bundle was made by commit %s, and this is %v: a difference may be one of the code", b.Program.Commit, log.Program)
	}
	if o.AllowExternal {
		dir, err := unpackPrograms(b, study.Specs, o.dir)
		if dir != "" {
			defer os.RemoveAll(dir)
		}
		if err != nil {
			return err
		}
	}
	var all []candidate
	if err := training.OrLeave(ctx, func() (err error) {
		all, err = o.candidates(ctx, b, study.Specs, &log)
		return err
	}); err != nil {
		return err
	}
	if len(all) > 0 {
		if err := o.auditSample(ctx, t, all, &log); err != nil {
			return err
		}
	}
	log.Count()
	return o.finish(ctx, t, &log)
}

// finish logs and prints the outcome of an audit, and names what is wrong with the log.
func (o auditOrder) finish(ctx context.Context, t *terminal.Terminal, log *audits.Audit) error {
	path := cmp.Or(o.log, audits.LogOf(log.Bundle))
	last, err := log.Append(ctx, path)
	if err != nil {
		return err
	}
	if err := t.Show(o.json, log, func() { printAudit(t, log, o.verbose) }); err != nil {
		return err
	}
	t.Note("logged in %s; SHA-256 of the line: %s", path, last)
	logged, err := audits.ReadLog(path)
	if err != nil {
		return err
	}
	status := log.Status()
	for i, fault := range logged.Faults {
		if i == 0 {
			status = claims.WorseStatus(status, 1)
		}
		if i < mostFaults {
			t.Note("%v", fault)
		}
	}
	return exits.With(status)
}

// unpackPrograms writes the programs of a bundle into a new folder, with links to the data files that are in dir, and lays out
// their specs again in that folder. Without programs there is none.
func unpackPrograms(b *bundles.Bundle, specs []*experiments.Spec, dir string) (folder string, err error) {
	for i, e := range b.Experiments {
		if len(e.Programs) == 0 {
			continue
		}
		if folder == "" {
			if folder, err = regular.MkdirTemp("repro-programs-*"); err != nil {
				return "", err
			}
		}
		place := func(name string, put func(path string) error) error {
			if err != nil || !filepath.IsLocal(filepath.FromSlash(name)) {
				return err
			}
			path := filepath.Join(folder, strconv.Itoa(i), filepath.FromSlash(name))
			return errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), put(path))
		}
		for name, text := range e.Programs {
			err = place(name, func(path string) error { return os.WriteFile(path, text, 0o700) })
		}
		for _, c := range specs[i].Expand() {
			for name, from := range c.Data().OwnFiles(dir) {
				if from, err = filepath.Abs(from); err == nil {
					err = place(name, func(path string) error {
						if _, err := os.Lstat(path); err == nil {
							return nil
						}
						return os.Symlink(from, path)
					})
				}
			}
		}
		if err == nil {
			specs[i], err = studies.Layout(e, filepath.Join(folder, strconv.Itoa(i)))
		}
		if err != nil {
			return folder, err
		}
	}
	return folder, nil
}

// mostFaults is how many faults of a bundle an audit prints.
const mostFaults = 3

// A candidate is a cell that an audit can run again, with its record.
type candidate struct {
	cell     experiments.Cell
	recorded *records.Record
	estimate runner.Estimate
	seconds  float64 // predicted, of this machine; 0 if they are unknown and do not matter
}

// candidates returns the cells that can be drawn, and notes in the log how many others there are, by reason.
func (o auditOrder) candidates(ctx context.Context, b *bundles.Bundle, specs []*experiments.Spec, log *audits.Audit) ([]candidate, error) {
	left := func(reason string) {
		i := slices.IndexFunc(log.LeftOut, func(l audits.LeftOut) bool { return l.Reason == reason })
		if i < 0 {
			i = len(log.LeftOut)
			log.LeftOut = append(log.LeftOut, audits.LeftOut{Reason: reason})
		}
		log.LeftOut[i].Cells++
	}
	var all []candidate
	estimator := runner.NewEstimator(o.Threads, o.Library)
	bound, _ := flags.MemoryBound(o.Library)
	planned := 0
	for _, spec := range specs {
		recs := spec.Experiment().Own(b.Store().Records)
		for _, c := range spec.Expand() {
			i := slices.IndexFunc(recs, func(r *records.Record) bool { return r.Header.Cell == c.Name })
			if i < 0 {
				continue
			}
			planned++
			if why := o.unrepeatable(&c, recs[i]); why != "" {
				left(why)
				continue
			}
			e, err := estimator.Single(ctx, &c)
			switch {
			case ctx.Err() != nil:
				return nil, ctx.Err()
			case err != nil:
				left(fmt.Sprintf("%s: %v", c.Experiment, err))
				continue
			case e.Bytes > bound:
				left("they need more memory than there is here")
				continue
			case e.Seconds < 0 && o.budget > 0:
				left("their time cannot be predicted; --budget 0 allows them")
				continue
			}
			all = append(all, candidate{c, recs[i], e, max(e.Seconds, 0) / float64(o.SideBySide(spec))})
		}
	}
	for range len(b.Records) - planned {
		left("their specs do not plan them")
	}
	return all, nil
}

// unrepeatable returns why a cell cannot be run again and compared, empty if it can. It asks the spec, not the record, where
// both know.
func (o auditOrder) unrepeatable(c *experiments.Cell, r *records.Record) string {
	_, program := c.Method.Configured.(*experiments.External)
	_, imported := c.Method.Configured.(*experiments.Imported)
	switch budget := c.Budget(); {
	case imported:
		return "they were imported: the runs behind them are not known here, and only their claims can be judged again"
	case budget.Seconds > 0 || budget.TimeOf != "":
		return "their budget is in seconds, so that two runs differ"
	case !r.Status().Complete():
		return "they did not end: failed, skipped or interrupted"
	case program && !o.AllowExternal:
		return "they run programs; --allow-external allows it"
	}
	for _, path := range c.Programs() {
		if _, err := os.Stat(path); err != nil {
			return "their program is not in the bundle, nor in the folder of --dir: " + filepath.Base(path)
		}
	}
	if here, why := o.Library.Ready(c.Data(), c.Spec.Dir()); !here {
		return "their data is not here: " + why
	}
	if !c.Ran(r.Header) && len(r.Header.OtherContent(c.Settings)) == 0 { // a run on another file says that it differs
		return "their settings are not those of the spec"
	}
	return ""
}

// auditSample draws the sample, runs it in a folder of its own and compares it.
func (o auditOrder) auditSample(ctx context.Context, t *terminal.Terminal, all []candidate, log *audits.Audit) error {
	seconds := make([]float64, len(all))
	for i, c := range all {
		seconds[i] = c.seconds
	}
	design, err := audits.New(seconds, o.budget.Seconds(), o.sample)
	if err != nil {
		log.LeftOut = append(log.LeftOut, audits.LeftOut{Reason: tooLong, Cells: len(all)})
		return nil
	}
	if design.TooLong > 0 {
		log.LeftOut = append(log.LeftOut, audits.LeftOut{Reason: tooLong, Cells: design.TooLong})
	}
	if !o.seeded {
		o.seed = rand.Uint64() >> 11 // what a float64 holds, as readers of JSON want it
	}
	log.Seed, log.Cells, log.Sample, log.Chances = o.seed, design.Cells, design.Size, design.Chances()
	var sample []candidate
	for _, i := range design.Draw(rand.New(rand.NewPCG(o.seed, 0))) {
		sample = append(sample, all[i])
		log.Predicted += all[i].seconds
	}
	t.Note("running %d of %s again, drawn with --seed %d; about %s", len(sample), printed.Count(design.Cells, "cell"), o.seed, printed.Duration(log.Predicted))
	dir, err := regular.MkdirTemp("repro-audit-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if err := o.runSample(ctx, t, sample, dir); err != nil {
		if ctx.Err() != nil {
			t.Note("interrupted; --seed %d draws the same cells again", o.seed)
			return exits.Interrupted
		}
		return err
	}
	for _, c := range sample {
		again := records.Find(dir, c.cell.Experiment, c.cell.Name, nil).Whole()
		log.Outcomes = append(log.Outcomes, audits.Compare(c.recorded, again, audits.SameBits(c.recorded.Header.Timing, log.Host, log.ISA), o.tolerance))
	}
	return nil
}

// tooLong is why cells with a predicted time above the budget are left out.
const tooLong = "they take longer than the budget; --budget 0 allows them"

// runSample runs the cells of a sample into a folder and shows their progress.
func (o auditOrder) runSample(ctx context.Context, t *terminal.Terminal, sample []candidate, dir string) error {
	cells := make([]experiments.Cell, len(sample))
	o.Out = dir
	plan := runner.EmptyPlan(o.Options)
	for i, c := range sample {
		cells[i] = c.cell
		plan.Add(&cells[i], runner.ToDo, c.estimate)
	}
	if err := plan.Fits(flags.MemoryBound(o.Library)); err != nil {
		return err
	}
	w := training.NewWatch(t, plan, false, "")
	defer w.Close()
	o.Observe = w.Observe
	_, err := runner.Run(ctx, cells, o.Options)
	return err
}

// printAudit prints the outcome of an audit.
func printAudit(t *terminal.Terminal, log *audits.Audit, verbose bool) {
	for _, o := range log.Outcomes {
		if verbose || o.State != audits.Same && o.State != audits.Close {
			t.Stdout.Message("%s %s: %s: %s", o.Experiment, o.Cell, o.State, o.Reason)
		}
	}
	var words []string
	for _, w := range []struct {
		n    int
		what string
	}{
		{log.Same, "with the same bits"}, {log.Close, "within the tolerance, where the processor decides the last bits"},
		{log.Differs, "not as recorded"}, {log.Failed, "failed"},
	} {
		if w.n > 0 {
			words = append(words, fmt.Sprintf("%d %s", w.n, w.what))
		}
	}
	if len(log.Outcomes) == 0 {
		words = []string{"nothing could be audited"}
	}
	if log.Faults > 0 {
		words = append(words, printed.Count(log.Faults, "fault")+" of the bundle")
	}
	t.Stdout.Message("%s: %d of %s run again: %s", log.Bundle, len(log.Outcomes), printed.Count(log.Cells, "cell"), strings.Join(words, ", "))
	for _, l := range log.LeftOut {
		t.Stdout.Message("  not among them: %s: %s", printed.Count(l.Cells, "cell"), l.Reason)
	}
	if len(log.Chances) > 0 {
		t.Stdout.Message("How likely such a sample is to find wrong cells, had there been some of the %d:", log.Cells)
		g := terminal.Table{Head: []string{"wrong", "cells", "found", "found at least"}, Right: []int{1, 2, 3, 4}, Indent: "  "}
		for _, c := range log.Chances {
			g.Rows = append(g.Rows, []string{fmt.Sprintf("%.0f %%", 100*c.Fraction), fmt.Sprint(c.Wrong), percent(c.Random), percent(c.Least)})
		}
		t.Stdout.Table(g)
		t.Stdout.Message("FOUND is the probability if all cells are equally likely to be wrong. FOUND AT LEAST is the worst case: a forger who " +
			"knew the predicted times picked the cells that are drawn most rarely.")
	}
}

// percent writes a probability; one that is not 1 is never shown as 100 %.
func percent(p float64) string {
	if p < 1 {
		p = min(p, 0.9999)
	}
	return fmt.Sprintf("%.4g %%", 100*p)
}
