// Package look has the verbs that look at experiments and their scores: list, show, new, plan and score.
package look

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"repro/cmd/repro/findings"
	"repro/cmd/repro/flags"
	"repro/cmd/repro/terminal"
	"repro/cmd/repro/training"
	"repro/experiments"
	"repro/experiments/catalog"
	"repro/results/baseline"
	"repro/results/claims"
	"repro/results/files"
	"repro/results/printed"
	"repro/results/records"
	"repro/runner"
)

// Commands are the verbs of the package.
func Commands(t *terminal.Terminal) []*cobra.Command {
	return []*cobra.Command{newList(t), newShow(t), newNew(t), newPlan(t), newScore(t)}
}

func newNew(t *terminal.Terminal) *cobra.Command {
	base := ""
	cmd := &cobra.Command{
		Use:   "new NAME",
		Short: "Write a small spec to start from",
		Long: `New writes NAME.toml, a commented spec that compares two methods on generated data and runs in seconds.
With --base it writes five lines over an experiment of the catalog instead: they say what differs.
Extension writes a whole Go module instead, with an algorithm of your own.
It does not overwrite a file. docs/spec.md explains every key of a spec.`,
		Example: `  repro new my
  repro new mine --base dai2014/ridge
  repro new extension mine
  repro run my.toml
  repro list algorithms               other methods that the spec can use`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return fmt.Errorf("%s: give one name, as in %s; got %d", cmd.Name(), printed.Command("new my"), len(args))
			}
			return nil
		},
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE:              func(_ *cobra.Command, args []string) error { return writeStarter(t, args[0], base) },
	}
	cmd.Flags().StringVar(&base, "base", "", "`id` of the experiment that the spec is laid over")
	cmd.AddCommand(newExtension(t))
	return cmd
}

// writeStarter writes the starter spec to a new file, over the experiment base if it is not empty.
func writeStarter(t *terminal.Terminal, name, base string) error {
	name = strings.TrimSuffix(name, ".toml")
	file, text := name+".toml", experiments.Starter()
	if err := experiments.CheckFile(file); err != nil {
		return err
	}
	if base != "" {
		spec, err := catalog.Load(catalog.Ref{ID: base}, experiments.LoadOptions{})
		if err != nil {
			return fmt.Errorf("--base: %w", err)
		}
		text = experiments.StarterOver(spec, filepath.Base(name))
	}
	if err := files.New(file, text, 0o666); err != nil {
		return err
	}
	t.Note("wrote %s; run it with: %s", file, printed.Again("run", file))
	return nil
}

func newPlan(t *terminal.Terminal) *cobra.Command {
	var r planRequest
	var settle bool
	cmd := &cobra.Command{
		Use:   "plan [ID...]",
		Short: "Show what would run, how long it would take and how much memory",
		Long: `Plan shows the runs of experiments, one per method and seed, exactly as repro run would make them, with an
estimate of time and memory from this machine's speed, which is measured once a day and kept in the cache
folder. It runs nothing, and reads no data but your own files. Runs that are complete in the output
folder are marked and kept. What repro run would refuse, such as runs that need more memory than
there is, plan refuses after the list, with exit status 2.

Without arguments it plans what run would run: every experiment whose data needs no download. Of several experiments it
prints a line each; --json has every run.

With --settle it lists the claims that are inconclusive at the papers' size, with the number of seeds that
would decide each, if mean and spread stay as measured, and the time that these runs would take here.`,
		Example: `  repro plan dai2014/ridge
  repro plan dai2014/ridge --profile paper
  repro plan dai2014/ridge --method dsg --set method.dsg.batch=128
  repro plan --json
  repro plan --settle 'ma2017/*'`,
		ValidArgsFunction: flags.IDs,
		RunE: func(cmd *cobra.Command, args []string) error {
			r.Args = args
			if settle {
				found, err := settling(cmd.Context(), r.Order)
				if err != nil {
					return err
				}
				return t.Show(r.json, found.debts, func() { found.print(t.Stdout) })
			}
			return showPlan(cmd.Context(), t, r)
		},
	}
	r.Choice.Flags(cmd, flags.Usual)
	flags.Out(cmd, &r.Out)
	flags.Machine(t, cmd, &r.Options)
	flags.JSON(cmd, &r.json)
	cmd.Flags().BoolVar(&settle, "settle", false, "list what would decide the inconclusive claims instead")
	return cmd
}

// A planRequest is what the flags of plan say.
type planRequest struct {
	training.Order
	json bool
}

// showPlan prints what would run, and returns what run would refuse.
func showPlan(ctx context.Context, t *terminal.Terminal, r planRequest) error {
	specs, err := r.ToRun(t)
	if err != nil {
		return err
	}
	cells := training.Expand(specs)
	plan, err := runner.NewPlan(ctx, cells, r.Options)
	if err != nil {
		return err
	}
	if err := t.Show(r.json, terminal.OrEmpty(plan.Cells), func() { printPlan(t.Stdout, plan) }); err != nil {
		return err
	}
	own := slices.DeleteFunc(specs, func(s *experiments.Spec) bool { return s.Data.File == "" })
	notes, err := runner.Guard(cells, r.Options)
	t.Notes(notes)
	_, wrong := r.CheckData(ctx, t, own, cells)
	return errors.Join(err, plan.Fits(flags.MemoryBound(r.Library)), wrong)
}

// printPlan prints a line for each run or, of several experiments, for each experiment.
func printPlan(o *terminal.Output, plan *runner.Plan) {
	g := planned(plan.Cells)
	if n := len(plan.Cells); n > 0 && plan.Cells[0].Experiment != plan.Cells[n-1].Experiment {
		g = plannedExperiments(plan.Cells)
	}
	o.Table(g)
	o.Message("\n%v", plan)
	told := map[string]bool{}
	for _, p := range plan.Cells {
		what := "runs again"
		if p.State == records.ToSkip {
			what = "will be skipped"
		}
		if line := fmt.Sprintf("%s: method %s %s: %s", p.Experiment, p.Method, what, p.Reason); p.Reason != "" && !told[line] {
			told[line] = true
			o.Message("%s", line)
		}
	}
}

// planned is a table of runs.
func planned(cells []runner.Planned) terminal.Table {
	g := terminal.Table{Head: []string{"experiment", "run", "profile", "steps", "time", "memory", "state", "settings"}, Right: []int{4, 5, 6}}
	g.Wrap = len(g.Head)
	for _, p := range cells {
		steps := "unknown"
		if p.Steps != nil {
			steps = strconv.Itoa(*p.Steps)
		}
		shown, _ := p.Settings["method"].(map[string]any) // its own; the rest is the same for all of an experiment, and in the JSON
		g.Rows = append(g.Rows, []string{p.Experiment, p.Cell, p.Profile, steps, printed.Duration(p.Time()), printed.Bytes(p.Memory()), string(p.State), pairs(shown)})
	}
	return g
}

// plannedExperiments is a table of experiments: their runs by state, the time of those to do, one after the other, and the memory of the
// largest.
func plannedExperiments(cells []runner.Planned) terminal.Table {
	g := terminal.Table{Head: []string{"experiment", "profile", "runs", "time", "memory", "states"}, Right: []int{3, 4, 5}, Wrap: 6}
	for len(cells) > 0 {
		id, n, seconds, bytes := cells[0].Experiment, 0, 0.0, 0.0
		counts := map[records.State]int{}
		var states []records.State
		for n < len(cells) && cells[n].Experiment == id {
			p := cells[n]
			if n++; counts[p.State] == 0 {
				states = append(states, p.State)
			}
			if counts[p.State]++; !p.State.Settled() && p.State != records.ToSkip {
				seconds, bytes = seconds+max(0, p.Time()), max(bytes, p.Memory())
			}
		}
		words := printed.Each(states, func(s records.State) string { return fmt.Sprintf("%d %s", counts[s], s) })
		g.Rows = append(g.Rows, []string{id, cells[0].Profile, strconv.Itoa(n), printed.Duration(seconds), printed.Bytes(bytes), strings.Join(words, ", ")})
		cells = cells[n:]
	}
	return g
}

// A settlement is what would settle the claims that are inconclusive at the papers' size.
type settlement struct {
	debts []debt
	sums  []string // of each experiment, in words
}

// A debt is an inconclusive claim, with what would settle it if mean and spread stay as measured. What is not known is nil.
type debt struct {
	Experiment string   `json:"experiment"`
	Claim      string   `json:"claim"`
	Seeds      int      `json:"seeds"`
	Needed     *int     `json:"seeds_needed"` // nil if no number of seeds would settle it
	Seconds    *float64 `json:"seconds"`      // of all the runs of that many seeds of the claim's methods
	Reason     string   `json:"reason"`
}

// settling finds the claims that are inconclusive at the papers' size, with the seeds and the time that would settle them.
func settling(ctx context.Context, r training.Order) (settlement, error) {
	s := settlement{debts: []debt{}}
	entries, err := findings.Scored(r.Args)
	if err != nil {
		return s, err
	}
	verdicts, err := baseline.Verdicts()
	if err != nil {
		return s, err
	}
	estimator := runner.NewEstimator(r.Threads, r.Library)
	defer estimator.Retire()
	for _, e := range entries {
		open := slices.DeleteFunc(e.Case(verdicts).Verdicts, func(v claims.Verdict) bool { return v.Verdict != claims.Inconclusive })
		if len(open) == 0 {
			continue
		}
		spec, err := catalog.Load(catalog.Ref{ID: e.ID}, experiments.LoadOptions{Seeds: 1})
		if err != nil {
			return s, err
		}
		seconds, err := methodSeconds(ctx, estimator, spec, r.SideBySide(spec))
		if err != nil {
			return s, err
		}
		s.add(spec.Experiment(), open, seconds)
	}
	return s, nil
}

// add adds the inconclusive verdicts on an experiment. seconds is the time of one seed of every method whose cost is known.
func (s *settlement) add(exp claims.Experiment, open []claims.Verdict, seconds map[string]float64) {
	most, settled := map[string]int{}, 0 // seeds needed by method
	for _, v := range open {
		d := debt{Experiment: v.Experiment, Claim: v.Claim, Seeds: v.Seeds, Reason: v.Reason}
		i := slices.IndexFunc(exp.Claims, func(c claims.Claim) bool { return c.ID == v.Claim })
		if n := v.SeedsNeeded(); n > 0 && i >= 0 {
			settled++
			d.Needed, d.Seconds = &n, new(float64)
			for _, m := range exp.Claims[i].Methods() {
				*d.Seconds += seconds[m] * float64(n)
				most[m] = max(most[m], n)
			}
		}
		s.debts = append(s.debts, d)
	}
	line := fmt.Sprintf("%s: %s inconclusive; more seeds would decide ", exp.ID, printed.Count(len(open), "claim"))
	if settled == 0 {
		line += "none"
	} else {
		total := 0.0
		for _, m := range slices.Sorted(maps.Keys(most)) {
			total += seconds[m] * float64(most[m])
		}
		line += fmt.Sprintf("%d, all of them in %s", settled, printed.Duration(total))
	}
	s.sums = append(s.sums, line)
}

// methodSeconds returns the time of one seed of every method if cells run side by side, without those whose cost is not known.
func methodSeconds(ctx context.Context, e *runner.Estimator, spec *experiments.Spec, side int) (map[string]float64, error) {
	seconds := map[string]float64{}
	cells := spec.Expand()
	for i := range cells {
		expected, err := e.Cell(ctx, &cells[i])
		if err != nil {
			return nil, fmt.Errorf("%s: %w", spec.File, err)
		}
		seconds[cells[i].Method.ID] += max(0, expected.Seconds) / float64(side)
	}
	return seconds, nil
}

// print prints the claims, and a line for each experiment.
func (s settlement) print(o *terminal.Output) {
	if len(s.debts) == 0 {
		fmt.Fprintln(o, "no claim is inconclusive at the papers' size")
		return
	}
	g := terminal.Table{Head: []string{"experiment", "claim", "seeds", "needed", "time", "reason"}, Right: []int{3, 4, 5}, Wrap: 6}
	for _, d := range s.debts {
		needed, took := "-", "-"
		if d.Needed != nil {
			needed, took = strconv.Itoa(*d.Needed), printed.Duration(*d.Seconds)
		}
		g.Rows = append(g.Rows, []string{d.Experiment, d.Claim, strconv.Itoa(d.Seeds), needed, took, d.Reason})
	}
	o.Table(g)
	fmt.Fprintln(o)
	for _, sum := range s.sums {
		fmt.Fprintln(o, sum)
	}
}
