package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/spf13/cobra"

	"repro/cmd/repro/terminal"
	"repro/cmd/repro/training"
	"repro/experiments"
	"repro/results/baseline"
	"repro/results/claims"
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
	cells := training.Expand(specs)
	plan, err := runner.NewPlan(ctx, cells, a.order(nil).Options)
	if err != nil {
		return err
	}
	if !a.json {
		a.printPlan(plan, settings)
	} else if err := terminal.PrintJSON(a.Stdout, terminal.OrEmpty(plan.Cells)); err != nil {
		return err
	}
	own := slices.DeleteFunc(specs, func(s *experiments.Spec) bool { return s.Data.File == "" })
	notes, err := runner.Guard(cells, a.order(nil).Options)
	a.Notes(notes)
	return errors.Join(err, plan.Fits(a.memoryBound()), a.order(args).CheckData(ctx, a.Terminal, own))
}

func (a *app) printPlan(plan *runner.Plan, settings bool) {
	g := terminal.Table{Head: []string{"experiment", "cell", "profile", "steps", "time", "memory", "state", "settings"}, Right: []int{4, 5, 6}}
	g.Wrap = len(g.Head)
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
		g.Rows = append(g.Rows, row)
	}
	a.Stdout.Table(g)
	a.Stdout.Message("\n%v", plan)
	told := map[string]bool{}
	for _, p := range plan.Cells {
		if line := fmt.Sprintf("%s: method %s will be skipped: %s", p.Experiment, p.Method, p.Reason); p.Reason != "" && !told[line] {
			told[line] = true
			a.Stdout.Message("%s", line)
		}
	}
}

// A debt is an inconclusive claim in `plan --settle --json`. What is not known is null.
type debt struct {
	Experiment string   `json:"experiment"`
	Claim      string   `json:"claim"`
	Seeds      int      `json:"seeds"`
	Needed     *int     `json:"seeds_needed"` // null if no number of seeds would settle it
	Seconds    *float64 `json:"seconds"`      // of all the runs of that many seeds of the claim's methods
	Reason     string   `json:"reason"`
}

// settle lists the claims that are inconclusive at the papers' size, with the seeds and the time that would settle them.
func (a *app) settle(ctx context.Context, args []string) error {
	entries, err := scored(args)
	if err != nil {
		return err
	}
	verdicts, err := baseline.Verdicts()
	if err != nil {
		return err
	}
	estimator := runner.NewEstimator(a.threads, a.library())
	debts := []debt{}
	var sums []string
	for _, e := range entries {
		owed := inconclusive(verdicts, e.ID)
		if len(owed) == 0 {
			continue
		}
		spec, err := experiments.Load(experiments.Ref{ID: e.ID}, experiments.LoadOptions{Seeds: 1})
		if err != nil {
			return err
		}
		exp := spec.Experiment()
		costs, err := methodSeconds(ctx, estimator, spec)
		if err != nil {
			return err
		}
		workers := float64(a.order(nil).Options.SideBySide(spec))
		most := map[string]int{} // seeds needed by method
		settled := 0
		for _, v := range owed {
			d := debt{Experiment: v.Experiment, Claim: v.Claim, Seeds: v.Seeds, Reason: v.Reason}
			i := slices.IndexFunc(exp.Claims, func(c claims.Claim) bool { return c.ID == v.Claim })
			if n := v.SeedsNeeded(); n > 0 && i >= 0 {
				settled++
				seconds := 0.0
				for _, m := range exp.Claims[i].Methods() {
					seconds += costs[m] * float64(n) / workers
					most[m] = max(most[m], n)
				}
				d.Needed, d.Seconds = &n, &seconds
			}
			debts = append(debts, d)
		}
		if settled == 0 {
			sums = append(sums, fmt.Sprintf("%s: %s inconclusive; more seeds would settle none", e.ID, printed.Count(len(owed), "claim")))
			continue
		}
		total := 0.0
		for m, n := range most {
			total += costs[m] * float64(n) / workers
		}
		sums = append(sums, fmt.Sprintf("%s: %s inconclusive; more seeds would settle %d, all of them in %s", e.ID, printed.Count(len(owed), "claim"), settled, printed.Duration(total)))
	}
	if a.json {
		return terminal.PrintJSON(a.Stdout, debts)
	}
	if len(debts) == 0 {
		fmt.Fprintln(a.Stdout, "no claim is inconclusive at the papers' size")
		return nil
	}
	g := terminal.Table{Head: []string{"experiment", "claim", "seeds", "needed", "time", "reason"}, Right: []int{3, 4, 5}, Wrap: 6}
	for _, d := range debts {
		needed, took := "-", "-"
		if d.Needed != nil {
			needed, took = strconv.Itoa(*d.Needed), printed.Duration(*d.Seconds)
		}
		g.Rows = append(g.Rows, []string{d.Experiment, d.Claim, strconv.Itoa(d.Seeds), needed, took, d.Reason})
	}
	a.Stdout.Table(g)
	fmt.Fprintln(a.Stdout)
	for _, s := range sums {
		fmt.Fprintln(a.Stdout, s)
	}
	return nil
}

// inconclusive returns the verdicts on an experiment that are inconclusive.
func inconclusive(verdicts []claims.Verdict, id string) []claims.Verdict {
	var owed []claims.Verdict
	for _, v := range verdicts {
		if v.Experiment == id && v.Verdict == claims.Inconclusive {
			owed = append(owed, v)
		}
	}
	return owed
}

// methodSeconds returns the processor time of one seed of every method, without those whose cost is not known.
func methodSeconds(ctx context.Context, e *runner.Estimator, spec *experiments.Spec) (map[string]float64, error) {
	costs := map[string]float64{}
	cells := training.Expand([]*experiments.Spec{spec})
	for i := range cells {
		expected, err := e.Cell(ctx, &cells[i])
		if err != nil {
			return nil, fmt.Errorf("%s: %w", spec.File, err)
		}
		costs[cells[i].Method.ID] += max(0, expected.Seconds)
	}
	return costs, nil
}
