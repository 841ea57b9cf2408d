package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/spf13/cobra"

	"repro/experiments"
	"repro/results/printed"
	"repro/runner"
)

func newPlan(a *app) *cobra.Command {
	var settings, settle bool
	cmd := &cobra.Command{
		Use:   "plan [ID...]",
		Short: "Show what would run, how long it would take and how much memory",
		Long: `Plan lists the cells of experiments, one per method and seed, exactly as run would run them, with an
estimate of time and memory from this machine's speed. It runs nothing, and reads no data but your own
files. Cells that are complete in the output folder are marked: run keeps them. What run would refuse,
such as cells that need more memory than there is, plan refuses after the list, with exit status 2.

Without arguments it plans what run would run: every experiment whose data needs no download.

With --settle it lists the claims that are inconclusive at the papers' size, with the number of seeds that
would settle each, if mean and spread stay as measured, and the time that these runs would take here.`,
		Example: `  repro plan dai2014/ridge
  repro plan dai2014/ridge --profile paper
  repro plan dai2014/ridge --method dsg --set method.dsg.batch=128 --settings
  repro plan --json
  repro plan --settle 'ma2017/*'`,
		ValidArgsFunction: completeIDs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if settle {
				return a.settle(cmd.Context(), args)
			}
			return a.plan(cmd.Context(), args, settings)
		},
	}
	a.specFlags(cmd, defaultProfile)
	a.outFlag(cmd)
	a.threadsFlag(cmd)
	a.memoryFlag(cmd)
	a.jsonFlag(cmd)
	cmd.Flags().BoolVar(&a.fresh, "fresh", false, "plan cells that are complete in the output folder, too")
	cmd.Flags().BoolVar(&settle, "settle", false, "list what would settle the inconclusive claims instead")
	cmd.Flags().BoolVar(&settings, "settings", false, "show all settings of every cell, not the method's alone")
	return cmd
}

func (a *app) plan(ctx context.Context, args []string, settings bool) error {
	specs, err := a.toRun(args)
	if err != nil {
		return err
	}
	cells := expand(specs)
	plan, err := runner.NewPlan(ctx, cells, a.runnerOptions())
	if err != nil {
		return err
	}
	if !a.json {
		a.printPlan(plan, settings)
	} else if err := printJSON(a.stdout, orEmpty(plan.Cells)); err != nil {
		return err
	}
	own := slices.DeleteFunc(specs, func(s *experiments.Spec) bool { return s.Data.File == "" })
	notes, err := runner.Guard(cells, a.runnerOptions())
	a.noteAll(notes)
	return errors.Join(err, plan.Fits(a.memoryBound()), a.checkData(ctx, own))
}

func (a *app) printPlan(plan *runner.Plan, settings bool) {
	g := grid{head: []string{"experiment", "cell", "profile", "steps", "time", "memory", "state", "settings"}, right: []int{4, 5, 6}}
	g.wrap = len(g.head)
	for _, p := range plan.Cells {
		steps := "unknown"
		if p.Steps != nil {
			steps = strconv.Itoa(*p.Steps)
		}
		shown := p.Settings
		if !settings { // the method's own; the rest is the same for all of an experiment
			shown, _ = p.Settings["method"].(map[string]any)
		}
		row := []string{p.Experiment, p.Cell, p.Profile, steps, printed.Duration(p.Time()), printed.Bytes(p.Memory()), string(p.State), pairs(shown)}
		g.rows = append(g.rows, row)
	}
	a.print(g)
	a.stdout.message("\n%v", plan)
	told := map[string]bool{}
	for _, p := range plan.Cells {
		if line := fmt.Sprintf("%s: method %s will be skipped: %s", p.Experiment, p.Method, p.Reason); p.Reason != "" && !told[line] {
			told[line] = true
			a.stdout.message("%s", line)
		}
	}
}
