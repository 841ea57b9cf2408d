package cli

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strconv"

	"github.com/spf13/cobra"

	"repro/experiments"
	"repro/results/records"
	"repro/runner"
)

// A planned is one cell in `plan --json`. What cannot be told before it runs is null.
type planned struct {
	Experiment string         `json:"experiment"`
	Cell       string         `json:"cell"`
	Method     string         `json:"method"`
	Seed       uint64         `json:"seed"`
	Profile    string         `json:"profile"`
	Settings   map[string]any `json:"settings"`
	Steps      *int           `json:"steps"`
	Seconds    *float64       `json:"seconds"` // of processor time
	Bytes      *float64       `json:"bytes"`
	Digest     string         `json:"digest"`
	State      string         `json:"state"`            // in the output folder
	Reason     string         `json:"reason,omitempty"` // why it will be skipped

	cell *experiments.Cell
}

// States of a planned cell.
const (
	stateToDo     = "to do"
	stateComplete = "complete"
	statePartial  = "partial"
	stateOther    = "other settings"
	stateChanged  = "other data"  // a file of it changed
	stateSkipped  = "skipped"     // the method says that it does not solve the problem
	stateAgain    = "to do again" // failed or skipped the last time, or a file of it is missing or damaged
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
	all, err := a.planAll(ctx, cells)
	if err != nil {
		return err
	}
	if !a.json {
		a.printPlan(all, settings)
	} else if err := printJSON(a.stdout, all); err != nil {
		return err
	}
	own := slices.DeleteFunc(specs, func(s *experiments.Spec) bool { return s.Data.File == "" })
	notes, err := runner.Guard(cells, a.runnerOptions())
	a.noteAll(notes)
	return errors.Join(err, a.refuse(all), a.checkData(ctx, own))
}

// planAll estimates what every cell takes and looks for its record. Its errors are about the user's own files, which it
// counts.
func (a *app) planAll(ctx context.Context, cells []experiments.Cell) ([]planned, error) {
	e := runner.NewEstimator(a.threads, a.library())
	defer e.Retire()
	all, states := make([]planned, len(cells)), a.states(cells)
	for i := range cells {
		c := &cells[i]
		all[i] = plannedOf(c)
		all[i].State = states[i]
		expected, err := e.Cell(ctx, c)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", c.Spec.File, err)
		}
		all[i].expect(expected)
	}
	return all, nil
}

// plannedOf returns a cell whose costs and state are not known yet.
func plannedOf(c *experiments.Cell) planned {
	return planned{
		Experiment: c.Experiment, Cell: c.Name, Method: c.Method.ID, Seed: c.Seed, Profile: c.Spec.Profile,
		Settings: c.Settings, Digest: c.Digest, cell: c,
	}
}

// expect takes over an estimate; what is unknown there stays nil.
func (p *planned) expect(e runner.Estimate) {
	if e.Steps >= 0 {
		p.Steps = &e.Steps
	}
	if e.Seconds >= 0 {
		p.Seconds = &e.Seconds
	}
	if e.Bytes >= 0 {
		p.Bytes = &e.Bytes
	}
	if e.Skipped != nil && p.State != stateComplete {
		p.State, p.Reason = stateSkipped, e.Skipped.Error()
	}
}

// states says what the output folder has of cells.
func (a *app) states(cells []experiments.Cell) []string {
	all := make([]string, len(cells))
	records.Parallel(len(cells), func(i int) { all[i] = a.state(&cells[i]) })
	return all
}

// state says what the output folder has of a cell.
func (a *app) state(c *experiments.Cell) string {
	if a.fresh {
		return stateToDo
	}
	f := records.Find(a.out, c.Experiment, c.Name, c.Ran)
	if f.State == records.Other && len(f.Header.OtherContent(c.Settings)) > 0 {
		return stateChanged
	}
	return map[records.State]string{
		records.Absent: stateToDo, records.Unread: stateToDo, records.Other: stateOther,
		records.Begun: statePartial, records.Again: stateAgain, records.Settled: stateComplete,
	}[f.State]
}

func (a *app) printPlan(all []planned, settings bool) {
	g := grid{head: []string{"experiment", "cell", "profile", "steps", "time", "memory", "state", "settings"}, right: []int{4, 5, 6}}
	g.wrap = len(g.head)
	for _, p := range all {
		steps := "unknown"
		if p.Steps != nil {
			steps = strconv.Itoa(*p.Steps)
		}
		shown := p.Settings
		if !settings { // the method's own; the rest is the same for all of an experiment
			shown, _ = p.Settings["method"].(map[string]any)
		}
		row := []string{p.Experiment, p.Cell, p.Profile, steps, duration(orUnknown(p.Seconds)), byteSize(orUnknown(p.Bytes)), p.State, pairs(shown)}
		g.rows = append(g.rows, row)
	}
	a.print(g)
	a.stdout.message("\n%s", a.totals(all))
	told := map[string]bool{}
	for _, p := range all {
		if line := fmt.Sprintf("%s: method %s will be skipped: %s", p.Experiment, p.Method, p.Reason); p.Reason != "" && !told[line] {
			told[line] = true
			a.stdout.message("%s", line)
		}
	}
}

func orUnknown(v *float64) float64 {
	if v == nil {
		return -1
	}
	return *v
}

// totals says how many cells there are and what those that are not complete take together.
func (a *app) totals(all []planned) string {
	all = slices.DeleteFunc(slices.Clone(all), func(p planned) bool { return p.State == stateSkipped })
	n, todo := len(all), a.cost(all)
	switch {
	case n == 0:
		return "no cell would run"
	case todo.cells == 0:
		return fmt.Sprintf("%s, all complete in %s", count(n, "cell"), a.out)
	case todo.cells < n:
		return fmt.Sprintf("%s, %d of them complete in %s; the others take %v", count(n, "cell"), n-todo.cells, a.out, todo)
	}
	return fmt.Sprintf("%s; to run them takes %v", count(n, "cell"), todo)
}

// A cost is what cells take together.
type cost struct {
	cells, unknown int
	seconds, bytes float64 // of those whose cost is known, on the processors they will have
	processors     int
}

func (c cost) String() string {
	if c.unknown == c.cells {
		return "an unknown time"
	}
	took := "about " + duration(c.seconds)
	if c.seconds < 1 {
		took = "less than a second"
	}
	s := fmt.Sprintf("%s and %s of memory on %s", took, byteSize(c.bytes), count(c.processors, "processor"))
	if c.unknown > 0 {
		s += fmt.Sprintf(", without %s whose cost is unknown", count(c.unknown, "cell"))
	}
	return s
}

// cost adds up the cells that are not complete. Those of one pass run side by side.
func (a *app) cost(all []planned) cost {
	total := cost{processors: a.processors()}
	for _, cells := range passes(all) {
		work, known := 0.0, 0
		for _, p := range cells {
			if p.State == stateComplete {
				continue
			}
			total.cells++
			if p.Seconds == nil {
				total.unknown++
				continue
			}
			work += *p.Seconds
			known++
		}
		total.seconds += work / float64(min(a.sideBySide(cells[0].cell.Spec), len(cells)))
		if known > 0 {
			total.bytes = max(total.bytes, a.bytesTogether(cells))
		}
	}
	return total
}

// passes splits the cells of a plan into those that the runner runs side by side.
func passes(all []planned) [][]planned {
	var groups [][]planned
	for len(all) > 0 {
		n := 1
		for n < len(all) && runner.Together(all[0].cell.Spec, all[n].cell.Spec) {
			n++
		}
		groups, all = append(groups, all[:n]), all[n:]
	}
	return groups
}

// bytesTogether is the memory of a process in which the largest cells of a pass that are not complete run side by side.
func (a *app) bytesTogether(cells []planned) float64 {
	var sizes []float64
	for _, p := range cells {
		if p.State != stateComplete && p.Bytes != nil {
			sizes = append(sizes, *p.Bytes)
		}
	}
	slices.Sort(sizes)
	together := 0.0
	for _, b := range sizes[max(0, len(sizes)-a.sideBySide(cells[0].cell.Spec)):] {
		together += b
	}
	return runner.Peak(together)
}

// sideBySide is the number of cells of a spec that run at once.
func (a *app) sideBySide(s *experiments.Spec) int {
	if s.Alone() {
		return 1
	}
	return a.processors()
}

// processors is the number of processors that runs use.
func (a *app) processors() int {
	if a.threads > 0 {
		return a.threads
	}
	return runtime.GOMAXPROCS(0)
}
