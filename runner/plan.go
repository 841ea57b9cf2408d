package runner

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"runtime"
	"slices"

	"repro/experiments"
	"repro/results/printed"
	"repro/results/records"
	"repro/runner/programs"
)

// Found says what the output folder has of a cell: nothing if all runs afresh.
func (o Options) Found(c *experiments.Cell) records.Found {
	if o.Fresh {
		return records.Found{State: records.ToDo}
	}
	return o.find(c)
}

// processors is the number of processors that runs use.
func (o Options) processors() int {
	if o.Threads > 0 {
		return o.Threads
	}
	return runtime.GOMAXPROCS(0)
}

// SideBySide is the number of cells of a spec that run at once.
func (o Options) SideBySide(s *experiments.Spec) int {
	if s.Alone() {
		return 1
	}
	return o.processors()
}

// A Planned is one cell of a plan. What cannot be told before it runs is nil.
type Planned struct {
	Experiment string         `json:"experiment"`
	Cell       string         `json:"cell"`
	Method     string         `json:"method"`
	Seed       uint64         `json:"seed"`
	Profile    string         `json:"profile"`
	Settings   map[string]any `json:"settings"`
	Steps      *int           `json:"steps"`
	Seconds    *float64       `json:"seconds"` // of processor time
	Bytes      *float64       `json:"bytes"`
	Disk       float64        `json:"disk,omitempty"` // bytes of rows for a program, at most
	Digest     string         `json:"digest"`
	State      records.State  `json:"state"`            // in the output folder
	Reason     string         `json:"reason,omitempty"` // why it will be skipped, or runs although there is a record

	Of     *experiments.Cell `json:"-"`
	common float64           // of Bytes
}

// Time returns the predicted seconds of processor time, -1 if they are unknown.
func (p Planned) Time() float64 { return known(p.Seconds) }

// Memory returns the predicted bytes, -1 if they are unknown.
func (p Planned) Memory() float64 { return known(p.Bytes) }

func known(v *float64) float64 {
	if v == nil {
		return -1
	}
	return *v
}

// A Plan lists cells in the order they run, with what each takes, and what the output folder has of it.
type Plan struct {
	Cells   []Planned
	options Options
}

// NewPlan estimates what every cell takes and looks for its record. Its errors are about the user's own files, which it counts.
func NewPlan(ctx context.Context, cells []experiments.Cell, o Options) (*Plan, error) {
	e := NewEstimator(o.Threads, o.Library)
	defer e.Retire()
	p := &Plan{options: o}
	found := make([]records.Found, len(cells))
	records.Parallel(len(cells), func(i int) { found[i] = o.Found(&cells[i]) })
	for i := range cells {
		if s := cells[i].Spec; i == 0 || s != cells[i-1].Spec {
			if err := s.CheckPrograms(); err != nil {
				return nil, err
			}
		}
		expected, err := e.Cell(ctx, &cells[i])
		if err != nil {
			return nil, fmt.Errorf("%s: %w", cells[i].Spec.File, err)
		}
		p.Add(&cells[i], found[i].State, expected)
		if c := &p.Cells[i]; c.State == records.ToDo {
			c.Reason = found[i].Reason()
		} else if c.State == records.Other {
			if changed := found[i].Header.OtherContent(c.Settings); len(changed) > 0 {
				c.Reason = printed.List(changed) + " changed"
			}
		}
	}
	return p, nil
}

// EmptyPlan returns a plan without cells.
func EmptyPlan(o Options) *Plan { return &Plan{options: o} }

// Add adds a cell with an estimate; what is unknown there stays nil.
func (p *Plan) Add(c *experiments.Cell, state records.State, e Estimate) {
	one := Planned{
		Experiment: c.Experiment, Cell: c.Name, Method: c.Method.ID, Seed: c.Seed, Profile: c.Spec.Profile,
		Settings: c.Settings, Digest: c.Digest, State: state, Disk: e.Disk, Of: c, common: e.Common,
	}
	if e.Steps >= 0 {
		one.Steps = &e.Steps
	}
	if e.Seconds >= 0 {
		one.Seconds = &e.Seconds
	}
	if e.Bytes >= 0 {
		one.Bytes = &e.Bytes
	}
	if e.Skipped != nil && !state.Settled() {
		one.State, one.Reason = records.ToSkip, e.Skipped.Error()
	}
	p.Cells = append(p.Cells, one)
}

// String says how many cells there are and what those that are not complete take together.
func (p *Plan) String() string {
	left := &Plan{slices.DeleteFunc(slices.Clone(p.Cells), func(c Planned) bool { return c.State == records.ToSkip }), p.options}
	n, todo := len(left.Cells), left.Cost()
	cells := printed.Count(n, "run")
	if i := slices.IndexFunc(left.Cells, func(c Planned) bool { return c.State == records.Limited }); i >= 0 {
		cells += fmt.Sprintf(" (a limit ended %s, which counts as complete here)", left.Cells[i].Cell)
	}
	switch {
	case n == 0:
		return "nothing would run"
	case todo.Cells == 0:
		return fmt.Sprintf("%s, all complete in %s", cells, p.options.Out)
	case todo.Cells < n:
		return fmt.Sprintf("%s, %d of them complete in %s; the others take %v", cells, n-todo.Cells, p.options.Out, todo)
	}
	return fmt.Sprintf("%s; to run them takes %v", cells, todo)
}

// A Cost is what cells take together.
type Cost struct {
	Cells, Unknown int
	Seconds, Bytes float64 // of those whose cost is known, on the processors they will have
	Disk           float64 // bytes of the rows for programs that are on disk at a time, at most
	Processors     int
}

func (c Cost) String() string {
	s := c.taken()
	if c.Disk > 0 {
		s += fmt.Sprintf("; the rows for programs take up to %s in %s", printed.Bytes(c.Disk), os.TempDir())
	}
	return s
}

// taken says how much time and memory the cells take, without the judging and the report that follow.
func (c Cost) taken() string {
	if c.Unknown == c.Cells {
		return "an unknown time"
	}
	took := "about " + printed.Duration(c.Seconds)
	if c.Seconds < 1 {
		took = "less than a second"
	}
	s := fmt.Sprintf("%s of training on %s, and %s of memory", took, printed.Count(c.Processors, "idle processor"), printed.Bytes(c.Bytes))
	if c.Unknown > 0 {
		s += fmt.Sprintf(", without %s whose cost is unknown", printed.Count(c.Unknown, "run"))
	}
	return s
}

// Cost adds up the cells that are not complete. Those of one pass run side by side.
func (p *Plan) Cost() Cost {
	total := Cost{Processors: p.options.processors()}
	for _, cells := range passes(p.Cells) {
		total.Disk = max(total.Disk, p.diskTogether(cells))
		work, known := 0.0, 0
		for _, c := range cells {
			if c.State.Settled() || c.State == records.ToSkip {
				continue
			}
			total.Cells++
			if c.Seconds == nil {
				total.Unknown++
				continue
			}
			work += *c.Seconds
			known++
		}
		total.Seconds += work / float64(min(p.options.SideBySide(cells[0].Of.Spec), len(cells)))
		if known > 0 {
			total.Bytes = max(total.Bytes, p.bytesTogether(cells))
		}
	}
	return total
}

// passes splits the cells of a plan into those that run side by side.
func passes(all []Planned) [][]Planned {
	var groups [][]Planned
	for len(all) > 0 {
		n := 1
		for n < len(all) && together(all[0].Of.Spec, all[n].Of.Spec) {
			n++
		}
		groups, all = append(groups, all[:n]), all[n:]
	}
	return groups
}

// diskTogether is what the rows for programs take of the disk: those of the data sets that are kept, and of the cells that run.
func (p *Plan) diskTogether(cells []Planned) (sum float64) {
	sizes := map[string]float64{}
	for _, c := range cells {
		if !c.State.Settled() && c.Disk > 0 {
			key := rowsOf(c.Of)
			sizes[key] = max(sizes[key], c.Disk)
		}
	}
	largest := slices.Sorted(maps.Values(sizes))
	for _, b := range largest[max(0, len(largest)-programs.KeptRows-p.options.SideBySide(cells[0].Of.Spec)):] {
		sum += b
	}
	return sum
}

// programBytes is what the command takes beside its cells: the pages of the whole program, shipped specs and verdicts, figures and the report.
// cellBytes is what it keeps of each cell: settings, plan and record.
const programBytes, cellBytes = 50e6, 25e3

// whole returns the largest memory of a command that runs the plan, whose cells need the given bytes at a time.
func (p *Plan) whole(bytes float64) float64 {
	return programBytes + cellBytes*float64(len(p.Cells)) + peak(bytes)
}

// bytesTogether is the memory of a process in which the largest cells and teams of a pass that are not complete run side by side.
func (p *Plan) bytesTogether(cells []Planned) float64 {
	of, run := map[*experiments.Cell]Planned{}, []*experiments.Cell(nil)
	for _, c := range cells {
		if !c.State.Settled() && c.Bytes != nil {
			of[c.Of], run = c, append(run, c.Of)
		}
	}
	workers := p.options.SideBySide(cells[0].Of.Spec)
	var sizes []float64
	for _, team := range teams(run, workers) {
		own, common := 0.0, 0.0
		for _, c := range team {
			own, common = own+*of[c].Bytes-of[c].common, max(common, of[c].common)
		}
		sizes = append(sizes, own+common)
	}
	slices.Sort(sizes)
	sum := 0.0
	for _, b := range sizes[max(0, len(sizes)-workers):] {
		sum += b
	}
	return p.whole(sum)
}

// Fits returns an error for cells to run that need more memory than bound, each or side by side. whose says where the bound is
// from, as in "this machine has". Cells whose data is not here are skipped, and need none.
func (p *Plan) Fits(bound float64, whose string) error {
	ready := map[shared]bool{}
	cells := slices.DeleteFunc(slices.Clone(p.Cells), func(c Planned) bool {
		key := shared{spec: c.Of.Spec, data: c.Of.Method.Data}
		here, known := ready[key]
		if !known {
			here, _ = p.options.Library.Ready(c.Of.Data(), c.Of.Spec.Dir())
			ready[key] = here
		}
		return !here
	})
	var errs []error
	told := map[*experiments.Spec]bool{}
	for _, pass := range passes(cells) {
		for _, c := range pass {
			if c.State.Settled() || c.Bytes == nil || p.whole(*c.Bytes) <= bound || told[c.Of.Spec] {
				continue
			}
			told[c.Of.Spec] = true
			errs = append(errs, fmt.Errorf("%s: method %s needs %s of memory (%s of its own, as plan lists it, %d %% for garbage, and %s for the program), and %s %s: lower data.train, or the size of the method (batch, features, order, ...), or leave it out with --method",
				c.Experiment, c.Method, printed.Bytes(p.whole(*c.Bytes)), printed.Bytes(*c.Bytes), percent, printed.Bytes(p.whole(0)), whose, printed.Bytes(bound)))
		}
		if sum := p.bytesTogether(pass); len(errs) == 0 && sum > bound {
			errs = append(errs, fmt.Errorf("%s: what runs side by side need %s of memory, and %s %s: run fewer at a time, with --threads 1 or a part of the methods with --method",
				pass[0].Experiment, printed.Bytes(sum), whose, printed.Bytes(bound)))
		}
	}
	return errors.Join(errs...)
}
