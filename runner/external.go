package runner

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"repro/algos"
	"repro/algos/compute"
	"repro/algos/losses"
	"repro/algos/metrics"
	"repro/experiments"
	"repro/results/printed"
	"repro/results/records"
	"repro/runner/programs"
)

// A program is the external method of a cell: its fit, and what makes its iterations. Package programs has the fits.
type program struct {
	record *records.External
	served *programs.Served // nil unless it can be asked
}

// program starts or prepares an external method, if the run may run programs.
func (x *cellRun) program(ctx context.Context, e *experiments.External) error {
	if !x.AllowExternal {
		return programs.NotRun(fmt.Sprintf("runs the program %s on this machine, which needs --allow-external; %s shows its command", e.Command.All()[0][0], printed.Command("plan "+printed.ShellWord(x.cell.Spec.Argument()))))
	}
	meshes := x.cell.Meshes()
	x.eval.metrics = slices.DeleteFunc(x.eval.metrics, func(m *metrics.Metric) bool { return !e.Measures(m) && !x.cell.Spec.Meshed(m.Name) })
	train := x.instance.problem.Train
	p, err := programs.New(ctx, e, x.cell.Method.ID, x.cell.Spec.Dir(), x.threads, x.placeholders(),
		programs.Rows{Train: train, Test: x.instance.data.TestX, Classes: x.instance.classes(), Fitted: x.cell.MeasuresTraining(),
			Folder: &x.run.programs, Key: fmt.Sprint(rowsOf(x.cell), x.instance.data.Files)})
	if err != nil {
		return err
	}
	x.prog, p.Note = &program{record: &p.Record}, func(text string) { x.warn("%s", text) }
	p.Log = &programs.Log{Dir: x.Out, Path: x.programLog()}
	switch {
	case len(e.Command.Serve) > 0:
		s, seconds, broken, err := p.Serve(ctx, x.startOf())
		if broken != nil && ctx.Err() == nil {
			x.warn("%v", broken)
		}
		if err != nil {
			return err
		}
		x.Setup, x.prog.served = seconds, s
		x.fit, x.stepper = takeIn(s), served{s}
		x.noteVersion(p.Record.Version)
	case len(meshes) > 0 && len(e.Command.Run) > 0:
		t := &refining{Program: p, meshes: meshes, timed: x.cell.Spec.Repeat.Timed}
		x.fit, x.stepper, x.marks, x.total = takeIn(t), t, nil, len(meshes)
	case len(e.Command.Run) > 0:
		s, err := p.Print(ctx, iterations(x.total), x.cell.Spec.Printed())
		if err != nil {
			return err
		}
		p.Record.Clock = "the program's"
		t := &telling{Points: s, timed: x.cell.Spec.Repeat.Timed}
		x.fit, x.stepper, x.marks = takeIn(t), t, nil
	default:
		t := &trained{Program: p, rows: train.Len(), again: e.Stepped() || len(meshes) > 0, meshes: meshes, touched: x.cell.Touched}
		if x.fit, x.stepper = takeIn(t), t; len(meshes) > 0 {
			x.marks, x.total = nil, len(meshes)
		}
	}
	return nil
}

// iterations returns the value of their placeholder.
func iterations(n int) map[string]string { return map[string]string{"iterations": strconv.Itoa(n)} }

// placeholdersOf returns the values of placeholders for discretisation parameters: whole numbers without an exponent, which programs
// would refuse.
func placeholdersOf(mesh map[string]float64) map[string]string {
	values := map[string]string{}
	for name, v := range mesh {
		if values[name] = exact(v); v == math.Trunc(v) && v < 1<<53 {
			values[name] = strconv.FormatInt(int64(v), 10)
		}
	}
	return values
}

// noteVersion warns if the first seed of the method ran with another version of the program: versions are no settings.
func (x *cellRun) noteVersion(now string) {
	name, seed := strings.CutSuffix(x.cell.Name, strconv.FormatUint(x.cell.Seed, 10))
	if first := name + strconv.FormatUint(x.cell.Spec.Repeat.First, 10); seed && first != x.cell.Name && !x.Fresh {
		r := records.Find(x.Out, x.cell.Experiment, first, nil)
		if r.Complete() && r.Header.Provenance.External != nil && r.Header.Provenance.External.Version != now {
			x.warn("the program is %s, and was %s in the complete record of %s; --fresh runs all again",
				printed.Quote(now), printed.Quote(r.Header.Provenance.External.Version), first)
		}
	}
}

// startOf returns what a served program learns from, but for its rows.
func (x *cellRun) startOf() programs.Start {
	s := programs.Start{Seed: x.cell.Seed, Threads: x.threads, Steps: x.total, Seconds: x.seconds}
	if x.instance.problem.Train != nil {
		problem := x.cell.Settings["problem"].(map[string]any)
		s.Loss, s.Kernel, s.Nu, s.Sigma = problem["loss"], problem["kernel"], x.instance.problem.Nu, x.instance.resolved["sigma"]
	}
	return s
}

// placeholders returns the values of the placeholders that are the same on every machine.
func (x *cellRun) placeholders() map[string]string {
	problem := &x.instance.problem
	seed := map[string]string{"seed": strconv.FormatUint(x.cell.Seed, 10)}
	if problem.Train == nil {
		return seed
	}
	sigma := x.instance.resolved["sigma"]
	c := 1 / (problem.Nu * float64(problem.Train.Len()))
	if nuN := x.cell.Spec.Problem.NuN; nuN > 0 && x.cell.Method.Nu == nil {
		c = 1 / nuN // without the rounding of ν
	}
	maps.Copy(seed, map[string]string{
		"n":  strconv.Itoa(problem.Train.Len()),
		"nu": exact(problem.Nu), "c": exact(c),
		"sigma": exact(sigma), "gamma": exact(1 / (2 * sigma * sigma)),
	})
	return seed
}

// classes returns the number of classes of a multi-class problem, and 0 for any other.
func (i *instance) classes() int {
	if i.data.Task != losses.Multiclass {
		return 0
	}
	_, out := i.problem.Train.Dims()
	return out
}

// A trained fit has the predictions of a program that trains in one piece: one iteration or, if it can be told how many to make, all
// of them again for each point.
type trained struct {
	*programs.Program
	rows    int // of training
	again   bool
	meshes  []map[string]float64             // values of placeholders for each point, in place of iterations; nil without
	mesh    map[string]float64               // of the last point
	touched func() (changed, added []string) // files, since the cell was planned
}

// advance implements stepper. The seconds of a point are those of its own run, and no less than those of the points before it.
func (t *trained) advance(ctx context.Context, so *progress, n int) (m made) {
	values := iterations(so.Step + n)
	if t.meshes != nil {
		n, t.mesh = 1, t.meshes[so.Step]
		values = placeholdersOf(t.mesh)
	}
	took, err := t.Train(ctx, values)
	if ctx.Err() != nil {
		return made{}
	}
	if touched, _ := t.touched(); err == nil && t.again && len(touched) > 0 {
		err = changed(touched)
	}
	m.Iterations = algos.Iterations{Made: n, Progress: algos.Progress{Done: true, Seen: t.rows}, Err: err}
	if m.seconds = took; t.again {
		m.Progress, m.seconds = algos.Progress{Done: so.Step+1 == len(t.meshes)}, max(0, took-so.Train)
	}
	if err != nil {
		m.Made = 1
	}
	return m
}

// Step implements algos.Fit, Fitter and Model with the predictions of the program, and no steps: advance makes them.
func (t *trained) Step() (algos.Progress, error) { return algos.Progress{Done: true}, nil }

func (t *trained) State() any                            { return nil }
func (t *trained) Report() map[string]float64            { return t.mesh }
func (t *trained) Model() algos.Model                    { return t }
func (t *trained) Predict(compute.Matrix) compute.Matrix { return t.Test }
func (t *trained) Fitted() compute.Matrix                { return t.Program.Fitted }

// served asks a program for its steps.
type served struct{ *programs.Served }

func (s served) advance(ctx context.Context, _ *progress, n int) (m made) {
	m.Iterations, m.seconds = s.Advance(n)
	if m.Err != nil && ctx.Err() != nil {
		return made{}
	}
	return m
}

// A telling fit has the numbers that a program printed at its last point.
type telling struct {
	*programs.Points
	timed  bool // its seconds are compared
	values map[string]float64
}

// advance implements stepper: the next point.
func (t *telling) advance(ctx context.Context, so *progress, _ int) (m made) {
	p, last, err := t.Next(ctx)
	if ctx.Err() != nil {
		return made{}
	}
	if err == nil && t.timed && math.IsNaN(p.Seconds) {
		err = errors.New("the spec compares seconds, and the program prints none; let it print seconds beside step")
	}
	if t.values, m.Made, m.Err = p.Values, 1, err; err != nil {
		return m
	}
	m.Made, m.Progress.Done = p.Step-so.Step, last
	if p.Seconds > so.Train {
		m.seconds = p.Seconds - so.Train
	}
	return m
}

// Report implements algos.Reporter.
func (t *telling) Report() map[string]float64 { return t.values }

func (t *telling) Step() (algos.Progress, error) { return algos.Progress{Done: true}, nil }
func (t *telling) State() any                    { return nil }
func (t *telling) Model() algos.Model            { return nil }

// A refining fit has the numbers that a program printed on the last mesh. It is started once for each.
type refining struct {
	*programs.Program
	meshes []map[string]float64 // values of the placeholders
	timed  bool                 // its seconds are compared
	values map[string]float64
}

// advance implements stepper: the next mesh. Its seconds are what the program says or, if it says nothing, what it took.
func (f *refining) advance(ctx context.Context, so *progress, _ int) (m made) {
	mesh := f.meshes[so.Step]
	m.Made = 1
	began := time.Now()
	p, last, err := f.only(ctx, placeholdersOf(mesh))
	if ctx.Err() != nil {
		return made{}
	}
	if m.seconds = p.Seconds; err == nil && math.IsNaN(p.Seconds) {
		m.seconds = time.Since(began).Seconds()
	}
	if err == nil && !last {
		err = fmt.Errorf("the program printed several points of the mesh %s; print one", strings.Join(placed(mesh), ", "))
	}
	if m.Err = err; err == nil {
		f.values = maps.Clone(p.Values)
		maps.Copy(f.values, mesh)
	}
	m.Progress.Done = so.Step+1 == len(f.meshes)
	return m
}

// only runs the program on a mesh and returns its point.
func (f *refining) only(ctx context.Context, values map[string]string) (p programs.Point, last bool, err error) {
	s, err := f.Print(ctx, values, []records.Abscissa{})
	if err != nil {
		return p, false, err
	}
	defer s.Close()
	return s.Next(ctx)
}

// placed lists placeholders with their values.
func placed(mesh map[string]float64) (all []string) {
	for _, name := range slices.Sorted(maps.Keys(mesh)) {
		all = append(all, name+" = "+exact(mesh[name]))
	}
	return all
}

// Report implements algos.Reporter.
func (f *refining) Report() map[string]float64 { return f.values }

func (f *refining) Step() (algos.Progress, error) { return algos.Progress{Done: true}, nil }
func (f *refining) State() any                    { return nil }
func (f *refining) Model() algos.Model            { return nil }

// replay writes the record of a cell whose curve is in a file.
func (x *cellRun) replay() error {
	curve, table, err := x.cell.Curve()
	if touched, _ := x.cell.Touched(); err == nil && len(touched) > 0 {
		err = fmt.Errorf("%s changed while the run was going on; run the same command again", printed.List(touched))
	}
	absent := errors.Is(err, experiments.ErrAbsent)
	if err != nil && !absent {
		return x.giveUp(err)
	}
	h := x.header()
	h.Provenance.Source = records.Imported
	for _, f := range table.Files {
		h.Provenance.Data = append(h.Provenance.Data, records.DataDigest{Name: f.Name, SHA256: f.SHA256, Rows: f.Rows})
	}
	h.Timing.CPU, h.Timing.ISA, h.Timing.Threads = "", "", 0 // of whoever ran it
	if err := x.create(h); err != nil {
		return err
	}
	if absent {
		return x.finish(ending{records.Skipped, err.Error(), 0})
	}
	x.tell(x.event(Started))
	for i := range curve.Points {
		p := table.Recorded(&curve.Points[i])
		for name, v := range x.cell.Spec.Derived(p.Abscissa) {
			p.Values[name] = records.Value(v)
		}
		x.Step = p.Step
		if err := x.record.Point(p); err != nil {
			return err
		}
	}
	end := ending{records.Done, "the file has no more points", 0}
	if curve.Again > 0 {
		end.reason += fmt.Sprintf("; of %s, the file has a later value at the same x or a smaller one, which is taken", printed.Count(curve.Again, "value"))
	}
	if curve.Broken != "" {
		end = ending{records.Diverged, curve.Broken, 0}
	}
	return x.finish(end)
}
