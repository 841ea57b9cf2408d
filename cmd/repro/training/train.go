// Package training runs cells after all checks that need no training, and shows how far they are.
package training

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
	"repro/cmd/repro/flags"
	"repro/cmd/repro/terminal"
	"repro/datasets"
	"repro/experiments"
	"repro/results/printed"
	"repro/results/records"
	"repro/runner"
	"repro/runner/shards"
)

// Expand lists the cells of specs in the order they run.
func Expand(specs []*experiments.Spec) []experiments.Cell {
	cells := make([][]experiments.Cell, len(specs))
	records.Parallel(len(specs), func(i int) { cells[i] = specs[i].Expand() })
	return slices.Concat(cells...)
}

// execute runs cells and shows their progress.
func (o Order) execute(ctx context.Context, t *terminal.Terminal, cells []experiments.Cell, plan *runner.Plan) ([]Ran, error) {
	if !o.Quiet {
		o.announce(t, plan)
	}
	w := NewWatch(t, plan, o.Verbose, o.Out)
	arrivals := newArrivals(t, o.Out, cells, w.Show)
	told := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(told)
		t.Note("%s", cmp.Or(Cause(ctx), "interrupted")+": saving what runs (press Ctrl-C again to stop at once)")
	})
	ended := map[*experiments.Cell]Ran{}
	o.Command = o.Again
	o.Observe = func(e runner.Event) {
		w.Observe(e)
		arrivals.observe(e, w.work)
		switch e.Kind {
		case runner.Ended, runner.Kept, runner.Lost:
			ended[e.Cell] = o.ran(e)
		case runner.Waiting:
			t.Note("waiting for %s %s, which %s is running", e.Cell.Experiment, e.Cell.Name, e.Reason)
		case runner.Warned:
			t.Note("warning: %s %s: %s", e.Cell.Experiment, e.Cell.Name, e.Reason)
		}
	}
	_, err := runner.Run(ctx, cells, o.Options)
	if !stop() {
		<-told
	}
	arrivals.close()
	w.Close()
	all := []Ran{} // in the order of the plan
	for i := range cells {
		if r, ok := ended[&cells[i]]; ok {
			if _, err := os.Lstat(r.Record); err != nil {
				r.Record = records.Find(o.Out, r.Experiment, r.Cell, nil).File // in a pack
			}
			all = append(all, r)
		}
	}
	return all, err
}

// announce prints how many cells will run and what they need.
func (o Order) announce(t *terminal.Terminal, plan *runner.Plan) {
	todo := plan.Cost()
	if todo.Cells == 0 {
		return
	}
	t.Note("starting %s, %v; records go to %s", printed.Count(todo.Cells, "run"), todo, o.Out)
	if t.Interactive() {
		t.Note("%s shows it in a browser meanwhile", printed.Command("serve "+printed.ShellWord(o.Out)))
	}
	if free := datasets.FreeMemory(); free > 0 && todo.Bytes > free {
		t.Note("warning: that is more than the %s of memory that are free here; see %s", printed.Bytes(free), printed.Again("plan", o.Args...))
	}
	replaced := map[string]bool{}
	for _, p := range plan.Cells {
		if p.State != records.Other || p.Reason != "" { // a changed file, which has a note of its own
			continue
		}
		f := records.Find(o.Out, p.Experiment, p.Cell, nil)
		if f.Record != nil && !replaced[p.Experiment+f.Header.Profile] {
			replaced[p.Experiment+f.Header.Profile] = true
			t.Note("%s: replacing its records of other settings at profile %s", p.Experiment, f.Header.Profile)
		}
	}
}

// A Ran is one cell in `run --json`.
type Ran struct {
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

func (o Order) ran(e runner.Event) Ran {
	c := e.Cell
	return Ran{
		Experiment: c.Experiment, Cell: c.Name, Method: c.Method.ID, Seed: c.Seed, Profile: c.Spec.Profile,
		Status: e.Status, Reason: e.Reason, Kept: e.Kind == runner.Kept, Record: records.Path(o.Out, c.Experiment, c.Name),
	}
}

// TellCells lists the cells that were not done, grouped by cause, and counts all cells. Diverged cells of the experiments that predicted
// has, with the reason, are only counted; nil predicts none.
func TellCells(t *terminal.Terminal, all []Ran, predicted func(experiment string) string) {
	counts := map[records.Status]int{}
	var odd []Ran
	var expected []string
	kept, foreseen := 0, 0
	for _, r := range all {
		counts[r.Status]++
		if r.Kept {
			kept++
		}
		if why := foretold(r, predicted); why != "" {
			foreseen++
			if !slices.Contains(expected, why) {
				expected = append(expected, why)
			}
		} else if r.Status != records.Done && r.Status != records.Budget {
			odd = append(odd, r)
		}
	}
	tellCauses(t, odd)
	text := printed.Count(counts[records.Done]+counts[records.Budget], "run") + " done"
	for _, s := range []records.Status{records.Diverged, records.Skipped, records.Timeout, records.Memory, records.Failed} {
		if counts[s] == 0 {
			continue
		}
		text += fmt.Sprintf(", %d %s", counts[s], s)
		if s == records.Diverged && foreseen > 0 {
			if foreseen < counts[s] {
				text += fmt.Sprintf(", %d of them", foreseen)
			}
			text += " " + strings.Join(expected, ", ")
		}
	}
	if kept > 0 {
		text += fmt.Sprintf("; %d of %d were complete from an earlier run, --fresh runs them again", kept, len(all))
	}
	t.Note("%s", text)
}

// foretold returns why a cell was expected to diverge, and nothing if it was not or did not.
func foretold(r Ran, predicted func(experiment string) string) string {
	if predicted == nil || r.Status != records.Diverged {
		return ""
	}
	return predicted(r.Experiment)
}

// tellCauses lists cells by the cause of their end.
func tellCauses(t *terminal.Terminal, all []Ran) {
	cells := map[string][]string{} // by cause
	var causes []string
	for _, r := range all {
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
		t.Note("%s %s", strings.Join(names, ", "), cause)
	}
}

// fetchMissing downloads a data set that is not here, if --fetch is given.
func (o Order) fetchMissing(ctx context.Context, t *terminal.Terminal, name string) error {
	if !o.Fetch || name == "" {
		return nil
	}
	if here, _ := o.Library.Available(name); here {
		return nil
	}
	return Fetch(ctx, t, o.Library, []string{name})
}

// CheckData opens the data of every spec with cells to run, so that faults are reported once and before anything runs.
// Missing data is an error only if the data of all specs is missing; otherwise those specs are returned, and their cells are
// skipped. A shard skips none, because the folder would lack them.
func (o Order) CheckData(ctx context.Context, t *terminal.Terminal, specs []*experiments.Spec, cells []experiments.Cell) (skipped []*experiments.Spec, _ error) {
	var wrong, missing []error
	for _, s := range specs {
		if s.Curves.File != "" {
			if _, err := s.ReadCurves(); err != nil {
				wrong = append(wrong, fmt.Errorf("%s: %w", s.File, err))
			}
		}
		if s.Own() || !slices.ContainsFunc(cells, func(c experiments.Cell) bool { return c.Spec == s && !o.Found(&c).Settled() }) {
			continue
		}
		loss, err := losses.New(s.Problem.Loss)
		if err != nil {
			return nil, err
		}
		if err = o.fetchMissing(ctx, t, s.Data.Name); err == nil {
			_, err = o.Library.Open(ctx, s.Data, loss.Task(), s.Repeat.First, s.Dir())
		}
		switch {
		case err == nil:
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case errors.Is(err, datasets.ErrMissing) && s.Data.Name != "":
			missing, skipped = append(missing, fmt.Errorf("%s: %w", s.ID, err)), append(skipped, s)
		default:
			wrong = append(wrong, fmt.Errorf("%s: %w", s.File, err))
		}
	}
	if len(missing) > 0 && len(missing) < len(specs) && !o.Part {
		for _, s := range skipped { // its cells end with what to do
			t.Note("skipping %s: its data is not here", s.ID)
		}
		missing = nil
	}
	return skipped, errors.Join(append(wrong, missing...)...)
}

// CheckExternal prints which programs a run starts, or skips because --allow-external is not given. If nothing else would
// run, it returns an error.
func (o Order) CheckExternal(t *terminal.Terminal, cells []experiments.Cell) error {
	var told, unwatched []string
	for i := range cells {
		c := &cells[i]
		e, program := c.Method.Configured.(*experiments.External)
		if !program || o.Found(c).Settled() {
			continue
		}
		text := fmt.Sprintf("%s: method %s runs %s on this machine", c.Experiment, c.Method.ID, strings.Join(programs(e), " and "))
		if slices.Contains(told, text) {
			continue
		}
		told = append(told, text)
		if text := c.Unwatched(); text != "" {
			unwatched = append(unwatched, text)
		}
	}
	fix := printed.Again("plan", o.Args...) + " shows the commands, --allow-external allows them"
	other := func(c experiments.Cell) bool {
		_, program := c.Method.Configured.(*experiments.External)
		return !program && !o.Found(&c).Settled()
	}
	if len(told) > 0 && !o.AllowExternal && !slices.ContainsFunc(cells, other) {
		return fmt.Errorf("%s, and there is nothing else to run; %s", strings.Join(told, ", "), fix)
	}
	if o.AllowExternal {
		t.Notes(unwatched)
	}
	for _, text := range told {
		if !o.AllowExternal {
			text += " and is skipped; " + fix
		}
		t.Note("%s", text)
	}
	return nil
}

// programs lists the programs that a method runs.
func programs(e *experiments.External) []string {
	var names []string
	for _, command := range e.Command.All() {
		if !slices.Contains(names, command[0]) {
			names = append(names, command[0])
		}
	}
	return names
}

// Train runs cells of specs after all checks that need no training.
func (o Order) Train(ctx context.Context, t *terminal.Terminal, specs []*experiments.Spec, cells []experiments.Cell) ([]Ran, error) {
	notes, err := runner.Guard(cells, o.Options)
	if t.Notes(notes); err != nil {
		return nil, err
	}
	if err := o.CheckExternal(t, cells); err != nil {
		return nil, err
	}
	var plan *runner.Plan
	if err := OrLeave(ctx, func() (err error) { plan, err = runner.NewPlan(ctx, cells, o.Options); return err }); err != nil {
		return nil, err
	}
	bound, whose := flags.MemoryBound(o.Library)
	if err := plan.Fits(bound, whose); err != nil {
		return nil, err
	}
	runner.HoldTo(bound)
	var skipped []*experiments.Spec
	if err := OrLeave(ctx, func() (err error) { skipped, err = o.CheckData(ctx, t, specs, cells); return err }); err != nil {
		return nil, err
	}
	for i, p := range plan.Cells {
		_, program := p.Of.Method.Configured.(*experiments.External)
		if !p.State.Settled() && (slices.Contains(skipped, p.Of.Spec) || program && !o.AllowExternal) {
			plan.Cells[i].State = records.ToSkip
		}
	}
	if err := flags.Remember(o.Out, specs); err != nil {
		return nil, err
	}
	all, err := o.execute(ctx, t, cells, plan)
	if ctx.Err() != nil {
		again := "run the same command again to continue"
		if o.Fresh {
			again = "the same command without --fresh continues"
		}
		t.Note("%s; the results so far are in %s; %s", cmp.Or(Cause(ctx), "interrupted"), o.Out, again)
		return all, exits.Interrupted
	}
	return all, err
}

// Fetch downloads the missing files of data sets. If it cannot get one data set, it still fetches the others.
func Fetch(ctx context.Context, t *terminal.Terminal, lib *datasets.Library, names []string) error {
	var errs []error
	for _, name := range names {
		live, file := t.Live(), ""
		err := lib.Fetch(ctx, name, func(now string, done, total int64) {
			if file != now && !t.Interactive() {
				t.Note("%s: downloading %s, %s", name, now, Size(total))
			}
			file = now
			live.Set(fmt.Sprintf("%s: %s: %s of %s", name, file, printed.Bytes(float64(done)), Size(total)))
		})
		live.Close()
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			errs = append(errs, err)
			continue
		}
		t.Note("%s: here", name)
	}
	if len(names) == 0 {
		t.Note("there is nothing to fetch: the data is generated or your own")
	}
	return errors.Join(errs...)
}

// Size writes a number of bytes, of which 0 is unknown.
func Size(total int64) string {
	if total <= 0 {
		return "size unknown"
	}
	return printed.Bytes(float64(total))
}

// An Order says what to train and how: what the flags of run say, and of the commands that run cells, too.
type Order struct {
	flags.Choice
	runner.Options
	Fetch   bool // download the data that is not on this machine first
	Verbose bool // a line for every cell
	Quiet   bool // says only how far the run is, and what failed
	Part    bool // of a larger run, which would lack cells whose data is missing
}

// Flags adds the flags of what a run may use of this machine and which programs it may start.
func (o *Order) Flags(t *terminal.Terminal, cmd *cobra.Command) {
	flags.Machine(t, cmd, &o.Options)
	flags.External(cmd, &o.AllowExternal, "specs name as external methods")
}

// Again returns the command that runs a cell again from its start, in another folder.
func (o Order) Again(c *experiments.Cell) string {
	words := []string{c.Spec.Argument(), "--profile", o.Profile, "--method", c.Method.ID,
		"--seeds", strconv.FormatUint(c.Seed-c.Spec.Repeat.First+1, 10), "--threads", strconv.Itoa(o.Threads), "--out", "again"}
	for _, s := range o.Set {
		words = append(words, "--set", s)
	}
	if o.AllowExternal {
		words = append(words, "--allow-external")
	}
	return printed.Line("run", words...)
}

// Shards returns the plan of cells in that many shards, and the places of each shard's cells.
func (o Order) Shards(ctx context.Context, cells []experiments.Cell, of int) (*shards.Plan, []runner.Shard, error) {
	parts, err := runner.Shards(ctx, cells, of, o.Library)
	if err != nil {
		return nil, nil, err
	}
	all := make([]shards.Cell, len(cells))
	for i := range cells {
		c := &cells[i]
		all[i] = shards.Cell{Experiment: c.Experiment, Cell: c.Name, Profile: c.Spec.Profile, Digest: c.Digest, Command: o.Again(c)}
	}
	for k, part := range parts {
		for _, i := range part {
			all[i].Shard = k + 1
		}
	}
	return shards.New(o.Words(), of, all), parts, nil
}

// A Stopped is why a resumable run ended its context, in words.
type Stopped string

func (s Stopped) Error() string { return string(s) }

// Cause returns why a resumable run ended its context, empty if something else did, such as Ctrl-C.
func Cause(ctx context.Context) string {
	var why Stopped
	errors.As(context.Cause(ctx), &why)
	return string(why)
}

// OrLeave returns what do returns, or ctx's error as soon as ctx is cancelled. Then do goes on until the process ends, which
// is safe because files are replaced in one step.
func OrLeave(ctx context.Context, do func() error) error {
	done := make(chan error, 1)
	go func() { done <- do() }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Releasing calls do and writes into the lease how it ended.
func Releasing(ctx context.Context, lease *shards.Lease, do func() error) error {
	err := do()
	ended := "complete"
	switch e := exits.Status(0); {
	case ctx.Err() != nil:
		ended = cmp.Or(Cause(ctx), "interrupted")
	case errors.As(err, &e) && e == exits.Failed:
		ended = "a run failed"
	case errors.As(err, &e) && e == exits.Incomplete:
		ended = "a limit ended a run"
	case err != nil:
		ended = "error: " + err.Error()
	}
	if gone := lease.Release(ended); gone != nil && err == nil {
		return gone
	}
	return err
}
