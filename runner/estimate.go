package runner

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"sort"
	"time"

	"repro/algos"
	"repro/algos/compute"
	"repro/algos/losses"
	"repro/datasets"
	"repro/datasets/transforms"
	"repro/experiments"
)

// An Estimate is what a cell is expected to take. Negative numbers are unknown, such as the time of a program.
type Estimate struct {
	Steps   int
	Seconds float64 // of training, evaluation and the reference solution, from this machine's speed
	Bytes   float64 // of the fit and the test predictions, training data included where it is held in memory
	Common  float64 // of Bytes, what the cells of a team have once: rows, their order, and what the reference solution needs
	Disk    float64 // bytes of the files of rows for a program, at most; 0 for other methods
	Skipped error   // why the cell will be skipped, if its method says so before it reads a row
}

// An Estimator predicts costs from counts of operations and this machine's measured speed. It is
// asked for the cells of a plan in their order.
type Estimator struct {
	threads  int
	nominal  bool // takes speeds from a table instead of measuring the machine
	library  *datasets.Library
	took     func(threads int, do func()) float64 // perCall, except in a test
	engines  map[engineKey]*compute.Engine        // that measure
	random   []float64                            // that they measure with
	gauges   map[gauge]float64
	recalled time.Time           // when the oldest of them was measured; zero before the kept ones are read
	fresh    bool                // some of them were measured by this process
	training map[cellKey]float64 // seconds inside Start and Step of the cells so far, where known
	used     float64             // largest memory of a cell so far
	answers  map[asked]error     // why methods do not solve their problems
	charged  map[[2]any]bool     // what is charged once, of a problem or a team, and which, of the cells so far
}

// resident is the memory of a process that runs cells and does nothing else, before its first one: the runtime, and pages of the program.
const resident = 25e6

// peak returns the largest memory of a process whose cells need the given bytes at a time: its own, theirs, and the garbage that
// gathers beside them.
func peak(bytes float64) float64 { return resident + (1+percent/100.0)*bytes }

// first reports whether no cell so far was charged with what the first cell of a problem or of a team is charged with, for all of them: the
// bandwidth, the rows or the reference solution of a shared, the features of a teamKey. It charges this one.
func (e *Estimator) first(what string, of any) bool {
	c := [2]any{what, of}
	before := e.charged[c]
	e.charged[c] = true
	return !before
}

type cellKey struct {
	spec *experiments.Spec
	name string
}

// A shared names what all cells of one problem share: the bandwidth and the reference solution.
type shared struct {
	spec   *experiments.Spec
	seed   uint64
	kernel string
	data   experiments.MethodData
}

// NewEstimator returns an estimator for runs on that many threads, 0 for all, with data of the library.
func NewEstimator(threads int, l *datasets.Library) *Estimator {
	if threads <= 0 {
		threads = runtime.GOMAXPROCS(0)
	}
	e := &Estimator{
		threads: threads, library: l, engines: map[engineKey]*compute.Engine{}, gauges: map[gauge]float64{},
		training: map[cellKey]float64{}, answers: map[asked]error{}, charged: map[[2]any]bool{},
	}
	e.took = e.perCall
	return e
}

// NewNominalEstimator returns an estimator for one thread whose predictions are the same on every machine.
func NewNominalEstimator(l *datasets.Library) *Estimator {
	e := NewEstimator(1, l)
	e.nominal = true
	return e
}

// Cell predicts one cell, the first of a seed with the reference solution that all cells of the seed
// share, and the first of a team with the features that the team shares. A cell that is to take the time of another is expected to train as long as that one, which
// must have been asked for before. Cell measures the machine for some milliseconds on the first cell
// of each kernel, input dimension and batch size, unless that was kept. It reads no data, but counts the rows and columns of the user's own
// files, and returns an error if it cannot. A cell that will be skipped takes nothing.
func (e *Estimator) Cell(ctx context.Context, c *experiments.Cell) (Estimate, error) {
	unknown := Estimate{Steps: -1, Seconds: -1, Bytes: -1}
	if steps := c.Budget().Iterations(algos.Size{}, c.Method.Configured); c.Spec.Own() && steps > 0 {
		unknown.Steps = steps
	}
	data, err := e.size(ctx, c)
	if err != nil {
		return unknown, err
	}
	if p, program := c.Method.Configured.(*experiments.External); program {
		if unknown.Steps = -1; p.Stepped() {
			unknown.Steps = max(-1, c.Budget().Steps)
		} else if n := len(c.Meshes()); n > 0 || !p.Curved() {
			unknown.Steps = max(1, n)
		}
		unknown.Disk = diskOf(p, data, c.MeasuresTraining())
		return unknown, nil
	}
	if data.N <= 0 && !c.Spec.Own() {
		return unknown, nil
	}
	if err := tooLong(c, data.N); err != nil {
		return unknown, err
	}
	if why := e.unsupported(c, data); why != nil {
		return Estimate{Skipped: why}, nil
	}
	coster, ok := c.Method.Configured.(algos.Coster)
	if !ok {
		return unknown, nil
	}
	preparing := e.bandwidth(c, data)
	solving, solution := e.reference(c, data)
	solving += preparing
	steps := c.Budget().Iterations(data, c.Method.Configured)
	if algos.TraitsOf(c.Method.Configured).Batches() && steps == 0 {
		limit := e.limit(c)
		if limit < 0 {
			return unknown, nil
		}
		e.training[cellKey{c.Spec, c.Name}] = limit
		return Estimate{Steps: -1, Seconds: limit + solving, Bytes: -1}, nil
	}
	data.Stored, data.Number = stored(c), numberBytes(c.Precision())
	data.Steps = e.within(c.Budget().Seconds, max(1, steps), func(steps int) float64 {
		s := data
		s.Steps = steps
		train, _ := e.seconds(c, coster.Cost(s), s)
		return train
	})
	got := e.fit(c, coster, data, solving+e.drawing(c, data), solution)
	got.Seconds, got.Bytes = bounded(got.Seconds), bounded(got.Bytes)
	return got, nil
}

// bounded is 1e100 for a cost that float64 cannot hold, so that plans can add such costs.
func bounded(cost float64) float64 {
	if math.IsNaN(cost) || cost > 1e100 {
		return 1e100
	}
	return cost
}

// diskOf returns the most bytes that the files of rows for a program have.
func diskOf(p *experiments.External, s algos.Size, training bool) float64 {
	number := 25. // -1.2345678901234567e-300 and a comma
	if p.Format == "npy" {
		number = 8
	}
	rows := float64(s.Test)*float64(s.In) + float64(s.N)*float64(s.In+s.Out)
	if training {
		rows += float64(s.N) * float64(s.In)
	}
	return number * max(0, rows)
}

// size returns the size of a cell's problem, with the outputs that its targets have.
func (e *Estimator) size(ctx context.Context, c *experiments.Cell) (algos.Size, error) {
	if c.Spec.Own() {
		return algos.Size{}, nil
	}
	options := c.Data()
	if options.Task == "" {
		options.Task = losses.Task(c.Loss().Name)
	}
	n, test, in, out, err := e.library.Measure(ctx, options, c.Spec.Dir())
	return algos.Size{N: n, In: in, Out: outputs(c.Spec, test, out), Test: test, Support: support(c)}, err
}

// fit predicts a cell of so many steps, beside the seconds and the bytes of the solution that its problem needs.
func (e *Estimator) fit(c *experiments.Cell, coster algos.Coster, s algos.Size, solving, solution float64) Estimate {
	s.Evals = min(c.Spec.Evaluate.Points, s.Steps)
	if at := len(c.Spec.Evaluate.At); at > 0 {
		s.Evals = min(at, s.Steps)
	}
	if c.MeasuresLimit() {
		s.Limits = s.Evals
	}
	cost := coster.Cost(s)
	if key, ok := teamOf(c); ok && !e.first("features", key) {
		cost.FeatureEvals = 0
	}
	train, evaluate := e.seconds(c, cost, s)
	evaluate += float64(s.Evals) * e.perPoint()
	if c.MeasuresTraining() {
		evaluate += e.onTraining(c, coster, s)
	}
	f, _ := algos.Declared(c.Method.Configured)
	if _, fitter := f.(algos.Fitter); fitter && c.MeasuresFitted() {
		evaluate += e.onTraining(c, coster, s)
	}
	looking, past := e.hindsight(c, coster, s)
	evaluate += looking
	predicted, drawn := s.Test, 0.0
	if grid := surface(c, s.In); grid > 0 { // drawn once, at the end
		drawn = pointBytes * float64(grid)
		evaluate += e.once(c, coster, s, grid)
		predicted += grid
	}
	e.training[cellKey{c.Spec, c.Name}] = train
	testRows, once := 8*float64(predicted)*float64(s.In), e.held(c.Data(), s)+order(c, s.N)+solution
	bytes := cost.Bytes + testRows + 8*float64(predicted)*float64(2+3*s.Out) + max(once+drawn+past, distances(c, s.N))
	return Estimate{Steps: s.Steps, Seconds: train + evaluate + solving + e.firstUse(bytes), Bytes: bytes, Common: testRows + once}
}

// firstUse returns the seconds that the system takes to give a cell memory beyond what the cells before have used.
func (e *Estimator) firstUse(bytes float64) float64 {
	more := bytes - max(e.used, smallMemory)
	if more <= 0 {
		return 0
	}
	e.used = bytes
	return more * e.perByte()
}

// smallMemory is given in too short a time to count.
const smallMemory = 32 << 20

// Apart says that the cells asked for next run in another process than those so far: its first cell of a problem has to find
// the bandwidth and the reference solution again, and that of a team its features.
func (e *Estimator) Apart() {
	clear(e.charged)
	e.used = 0
}

// within returns the largest number of steps, at most that many, that take no more than a limit of seconds, 0 for no limit.
func (e *Estimator) within(limit float64, steps int, train func(steps int) float64) int {
	if limit <= 0 || train(steps) <= limit {
		return steps
	}
	return max(1, sort.Search(steps, func(s int) bool { return train(s+1) > limit }))
}

// pointBytes is the memory of a point of a grid on which a function is drawn: its line in a file, as text and read again,
// and its place in the figure.
const pointBytes = 900

// order is the memory of the order in which an epoch visits n rows.
func order(c *experiments.Cell, n int) float64 {
	if algos.TraitsOf(c.Method.Configured).Batches() {
		return 8 * float64(n)
	}
	return 0
}

// distances is the memory of the distances whose median is the bandwidth, which are gone when the fit starts: a twelfth of many pairs is
// kept, in memory that may be twice as large as it grows.
func distances(c *experiments.Cell, n int) float64 {
	b := c.Kernel().Bandwidth
	if b.Rule == "" {
		return 0
	}
	rows := float64(min(b.Sample, n))
	pairs := rows * (rows - 1) / 2
	return 8 * min(pairs, 1<<16+pairs/6)
}

// support is the part of the examples that have a gradient at the solution, 0 if it is not known: ν of the loss novelty
// [dai2014 §4], which learns the threshold below which a fraction ν of the examples lies.
func support(c *experiments.Cell) float64 {
	if c.Loss().Name == (losses.Novelty{}).Name() {
		return c.Problem().Nu
	}
	return 0
}

// surface is the number of points of the grid on which the cell draws the function learnt.
func surface(c *experiments.Cell, in int) int {
	side := c.Spec.Evaluate.Surface
	if c.Seed != c.Spec.Repeat.First {
		return 0
	}
	if in > 1 {
		return side * side
	}
	return side
}

// onTraining returns what predictions at all training rows take over the curve: products with the stored kernel matrix
// where the fits know them so, one prediction in all where they are incremental, else the predictions of the last fit, every time.
func (e *Estimator) onTraining(c *experiments.Cell, coster algos.Coster, s algos.Size) float64 {
	n, evals := float64(s.N), float64(s.Evals)
	f, _ := algos.Declared(c.Method.Configured)
	if _, incremental := f.(algos.Incremental); incremental {
		cost := coster.Cost(s)
		s.Test = s.N
		_, all := e.seconds(c, cost, s)
		return all
	}
	if _, fitter := f.(algos.Fitter); fitter && s.Stores(n*n) {
		return evals * n * n * e.perNumber(reading(c.Precision(), e.threadsOf(c), s.Out, 8*n*n))
	}
	return evals * e.once(c, coster, s, s.N)
}

// once returns the seconds of predictions at so many rows for which nothing is kept.
func (e *Estimator) once(c *experiments.Cell, coster algos.Coster, s algos.Size, rows int) float64 {
	s.Evals, s.Test = 1, 0
	cost := coster.Cost(s)
	s.Test = rows
	_, seconds := e.seconds(c, cost, s)
	return seconds
}

// threadsOf is the number of threads that the cell has.
func (e *Estimator) threadsOf(c *experiments.Cell) int {
	if c.Spec.Alone() {
		return e.threads
	}
	return 1
}

// seconds returns how long the training and the evaluations of a cost take, on the threads of its cell.
func (e *Estimator) seconds(c *experiments.Cell, cost algos.Cost, s algos.Size) (train, evaluate float64) {
	threads, test := e.threadsOf(c), float64(s.Test)
	parallel := float64(threads)
	together := many
	if cost.Together > 0 {
		together = min(cost.Together, many)
	}
	each := func(amount float64, seconds func() float64) float64 {
		if amount > 0 { // else nothing need be measured
			return amount * seconds()
		}
		return 0
	}
	kernel := c.Kernel()
	values := func(n float64, rows int, features bool) float64 {
		return each(n/parallel, func() float64 {
			return e.speed(kernel, evaluating(fmt.Sprint(kernel), s.In, s.Out, rows, c.Precision(), features))
		})
	}
	number := func() float64 { return e.perNumber(reading(c.Precision(), threads, s.Out, cost.Bytes)) }
	calls := cost.Calls
	if calls == 0 {
		calls = algos.StepCalls * float64(s.Steps)
	}
	train = calls/algos.StepCalls*e.perStep() + values(cost.FeatureEvals, together, true) + values(cost.KernelEvals, together, false) +
		each(cost.Flops/parallel, e.perFlop) + each(cost.Eigen, e.perEigen) + each(cost.Reads, number)
	evaluate = values(test*cost.EvalCost+cost.EvalFixed, many, cost.KernelEvals == 0) + each(test*cost.EvalReads, number) + each(cost.EvalFlops, e.perFlop)
	return train, evaluate
}

// limit returns the seconds of training that the cell's budget allows, negative if they are unknown.
func (e *Estimator) limit(c *experiments.Cell) float64 {
	if limit := c.Budget().Seconds; c.Budget().TimeOf == "" && limit > 0 {
		return limit
	}
	for _, name := range c.Needs {
		if t, ok := e.training[cellKey{c.Spec, name}]; ok {
			return t
		}
	}
	return -1
}

func sharedBy(c *experiments.Cell) shared {
	return shared{c.Spec, c.Seed, fmt.Sprint(c.Kernel()), c.Method.Data}
}

// drawing returns the time to draw the rows of generated data: for the first cell that has them and, where steps draw the rows of their
// batches, for these steps.
func (e *Estimator) drawing(c *experiments.Cell, s algos.Size) float64 {
	source, err := datasets.Describe(c.Data().Name)
	if err != nil || !source.Generated() || source.Adversarial() {
		return 0
	}
	rows := 0.0
	if e.first("rows", shared{c.Spec, c.Seed, "", c.Method.Data}) {
		rows = float64(s.N + s.Test)
	}
	if t := algos.TraitsOf(c.Method.Configured); t.Batches() && !c.Data().InMemory {
		rows += max(0, float64(s.Steps)*float64(min(t.BatchAt(s), s.N))-float64(s.N))
	}
	if rows == 0 {
		return 0
	}
	return rows * e.perRow(c.Data(), losses.Task(c.Loss().Name))
}

// bandwidth returns the time to find σ from the median distance, for the first cell of its problem.
func (e *Estimator) bandwidth(c *experiments.Cell, data algos.Size) float64 {
	b := c.Kernel().Bandwidth
	if b.Rule == "" || !e.first("bandwidth", sharedBy(c)) {
		return 0
	}
	in := min(data.In, widest)
	n := float64(min(b.Sample, data.N))
	return n * (n - 1) / 2 * e.perPair(in) * float64(data.In) / float64(max(in, 1))
}

// reference returns the time and memory of the reference solution for the first cell of its instance,
// nothing for the others and where none is needed.
func (e *Estimator) reference(c *experiments.Cell, data algos.Size) (seconds, bytes float64) {
	if !c.NeedsReference() || !e.first("reference", sharedBy(c)) {
		return 0, 0
	}
	a, err := algos.New(c.Spec.Evaluate.Reference)
	if err != nil {
		return 0, 0 // the specification's checks refuse such a name
	}
	coster, ok := a.(algos.Coster)
	if !ok {
		return 0, 0
	}
	data.Steps, data.Evals = 1, 1
	cost := coster.Cost(data)
	solve, predict := e.seconds(c, cost, data)
	return solve + predict, cost.Bytes
}

// stored is the number of entries of a kernel matrix that the cell keeps in memory.
func stored(c *experiments.Cell) int {
	return int(c.Memory() / int64(numberBytes(c.Precision())))
}

// numberBytes is the memory of one of them.
func numberBytes(p compute.Precision) int {
	if p == compute.Float32 {
		return 4
	}
	return 8
}

// unitBytes is the memory of a number of the units that copies are made of: a byte as it is read, and two of what makes the copies.
const unitBytes = 3

// held is the memory of training data that is not made on demand, and of what rows are made of. A registered data set is read whole,
// whatever rows are chosen of it. Of text that has more rows than memory, only the targets are kept.
func (e *Estimator) held(o datasets.Options, s algos.Size) float64 {
	source, err := datasets.Describe(o.Name)
	kept, dims := 8*float64(s.N)*float64(s.In+s.Out), float64(source.Dims)
	switch whole := 8 * float64(source.Rows+source.TestRows) * (dims + 1); {
	case err == nil && source.Copies != nil:
		units := source.Rows/source.Copies.Train + source.TestRows/source.Copies.Test
		if home, err := datasets.Describe(source.Home); err == nil {
			units = home.Rows + home.TestRows
		}
		bytes := unitBytes*dims*float64(units) + 8*float64(source.Rows) // in their order
		if o.PCA > 0 {
			bytes += transforms.PCABytes(source.Dims)
		}
		if o.InMemory {
			bytes += kept
		}
		return bytes
	case o.Streamed():
		return 0
	case o.Packed() && !o.InMemory && !e.library.InMemory(s.N, s.In):
		return 24 * float64(s.N)
	case err == nil && !source.Generated():
		return kept + whole
	}
	return kept
}
