package runner

import (
	"math"
	"runtime"
	"time"

	"repro/algos"
	"repro/algos/compute"
	"repro/algos/kernels"
	"repro/datasets"
	"repro/experiments"
)

// An Estimate is what a cell is expected to take. Negative numbers are unknown: the size of a user's
// own file is not known before it is read.
type Estimate struct {
	Steps   int
	Seconds float64 // of training, evaluation and the reference solution, from this machine's speed measured just now
	Bytes   float64 // of the fit and the test predictions, training data included where it is held in memory
}

// An Estimator predicts costs from counts of operations and this machine's measured speed. It is
// asked for the cells of a plan in their order.
type Estimator struct {
	threads  int
	speeds   map[work]speed
	flop     float64             // seconds per floating-point operation on one thread, 0 before it is measured
	training map[cellKey]float64 // seconds inside Start and Step of the cells so far, where known
	reading  map[reading]float64 // seconds per stored number that a product reads
	solved   map[settingKey]bool // whose reference solution a cell so far was charged with
}

type cellKey struct {
	spec *experiments.Spec
	name string
}

type settingKey struct {
	spec *experiments.Spec
	seed uint64
}

// A speed is seconds per evaluation on one thread.
type speed struct{ feature, kernel float64 }

// NewEstimator returns an estimator for runs on that many threads, 0 for all.
func NewEstimator(threads int) *Estimator {
	if threads <= 0 {
		threads = runtime.GOMAXPROCS(0)
	}
	return &Estimator{
		threads: threads, speeds: map[work]speed{}, reading: map[reading]float64{},
		training: map[cellKey]float64{}, solved: map[settingKey]bool{},
	}
}

// Cell predicts one cell, the first of a seed with the reference solution that all cells of the seed
// share. A cell that is to take the time of another is expected to train as long as that one, which
// must have been asked for before. Cell measures the machine for some milliseconds on the first cell
// of each input dimension and reads no data.
func (e *Estimator) Cell(c *experiments.Cell) Estimate {
	if _, program := c.Method.Settings.(*experiments.External); program {
		return Estimate{Steps: 1, Seconds: -1, Bytes: -1}
	}
	n, test, in := c.Data().Shape()
	coster, ok := c.Method.Settings.(algos.Coster)
	if n <= 0 || !ok {
		return Estimate{Steps: -1, Seconds: -1, Bytes: -1}
	}
	out := outputs(c.Spec, test)
	solving, solution := e.reference(c, n, test, in)
	steps := stepsOf(c.Budget(), algos.Size{N: n, In: in, Out: out}, c.Method.Settings)
	if steps == 0 {
		if _, iterative := c.Method.Settings.(algos.Batcher); iterative {
			limit := e.limit(c)
			if limit < 0 {
				return Estimate{Steps: -1, Seconds: -1, Bytes: -1}
			}
			e.training[cellKey{c.Spec, c.Name}] = limit
			return Estimate{Steps: -1, Seconds: limit + solving, Bytes: -1}
		}
		steps = 1
	}
	evals := min(c.Spec.Evaluate.Points, steps)
	if at := len(c.Spec.Evaluate.At); at > 0 {
		evals = min(at, steps)
	}
	cost := coster.Cost(algos.Size{N: n, In: in, Out: out, Steps: steps, Evals: evals, Stored: stored(c)})
	if c.Spec.Evaluate.Surface > 0 && c.Seed == c.Spec.Repeat.First {
		grid := c.Spec.Evaluate.Surface
		if in > 1 {
			grid *= c.Spec.Evaluate.Surface
		}
		test += grid
	}
	train, evaluate := e.seconds(c, cost, test, in, out)
	e.training[cellKey{c.Spec, c.Name}] = train
	return Estimate{
		Steps:   steps,
		Seconds: train + evaluate + solving,
		Bytes:   cost.Bytes + 8*float64(test*(in+1+3*out)) + held(c.Data(), n, in) + solution,
	}
}

// seconds returns what a cost takes, in training and in evaluations at the test points, with the
// threads that the cell has.
func (e *Estimator) seconds(c *experiments.Cell, cost algos.Cost, test, in, out int) (train, evaluate float64) {
	threads := 1
	if c.Spec.Alone() {
		threads = e.threads
	}
	parallel := float64(threads)
	s := e.speed(work{in, c.Precision()})
	perEval := s.feature
	if cost.KernelEvals > 0 {
		perEval = s.kernel
	}
	more := 0.0 // seconds for the outputs beyond the first of an evaluation: a multiplication and an addition each
	if out > 1 {
		more = 2 * float64(out-1) * e.perFlop()
	}
	train = (cost.FeatureEvals*(s.feature+more) + cost.KernelEvals*(s.kernel+more)) / parallel
	if cost.Flops > 0 {
		train += cost.Flops * e.perFlop()
	}
	if cost.Reads > 0 {
		train += cost.Reads * e.perNumber(c.Precision(), threads)
	}
	return train, float64(test) * cost.EvalCost * (perEval + more) / parallel
}

// limit returns the seconds of training that the cell's budget allows, negative if they are unknown.
func (e *Estimator) limit(c *experiments.Cell) float64 {
	if c.Budget().TimeOf == "" {
		return orUnknown(c.Budget().Seconds)
	}
	for _, name := range c.Needs {
		if t, ok := e.training[cellKey{c.Spec, name}]; ok {
			return t
		}
	}
	return -1
}

// reference returns the time and memory of the reference solution for the first cell of its setting,
// nothing for the others and where none is needed.
func (e *Estimator) reference(c *experiments.Cell, n, test, in int) (seconds, bytes float64) {
	key := settingKey{c.Spec, c.Seed}
	if e.solved[key] || !c.Spec.Evaluate.NeedsReference() {
		return 0, 0
	}
	e.solved[key] = true
	a, err := algos.New(c.Spec.Evaluate.Reference)
	if err != nil {
		return 0, 0 // the specification's checks refuse such a name
	}
	coster, ok := a.(algos.Coster)
	if !ok {
		return 0, 0
	}
	out := outputs(c.Spec, test)
	cost := coster.Cost(algos.Size{N: n, In: in, Out: out, Steps: 1, Evals: 1})
	solve, predict := e.seconds(c, cost, test, in, out)
	return solve + predict, cost.Bytes
}

func orUnknown(v float64) float64 {
	if v > 0 {
		return v
	}
	return -1
}

// stored is the number of entries of a kernel matrix that the cell keeps in memory.
func stored(c *experiments.Cell) int {
	size := int64(8)
	if c.Precision() == compute.Float32 {
		size = 4
	}
	return int(c.Memory() / size)
}

// held is the memory of training data that is not generated on demand.
func held(o datasets.Options, n, in int) float64 {
	if o.Streamed() {
		return 0
	}
	return 8 * float64(n) * float64(in+1)
}

// work is what the speed of an operator depends on.
type work struct {
	in        int
	precision compute.Precision
}

// speed measures operators on one thread.
func (e *Estimator) speed(of work) speed {
	if s, ok := e.speeds[of]; ok {
		return s
	}
	const n, m = 192, 960
	in := of.in
	z := noise(m, in)
	x := z.RowRange(0, n)
	g := kernels.Gaussian{Sigma: math.Sqrt(float64(in))}
	engine := compute.NewEngine(compute.Options{Threads: 1, Precision: of.precision})
	v, out := compute.NewMatrix(m, 1), compute.NewMatrix(n, 1)
	s := speed{
		feature: perCall(func() {
			engine.Features(g.Features(0, in, m), x, compute.Range{Lo: 0, Hi: 1}).MulTo(out, v)
		}) / (n * m),
		kernel: perCall(func() { engine.Kernel(g, x, z).MulTo(out, v) }) / (n * m),
	}
	e.speeds[of] = s
	return s
}

// perNumber measures what a product of ten columns takes for each number of a stored matrix that no cache
// holds; reading it from memory takes longest.
func (e *Estimator) perNumber(p compute.Precision, threads int) float64 {
	of := reading{p, threads}
	if t, ok := e.reading[of]; ok {
		return t
	}
	const n, m, out = 2048, 8192, 10
	engine := compute.NewEngine(compute.Options{Threads: threads, Precision: p})
	k := engine.Store(engine.Kernel(kernels.Gaussian{Sigma: 1}, noise(n, 1), noise(m, 1)))
	v, u := compute.NewMatrix(m, out), compute.NewMatrix(n, out)
	e.reading[of] = perCall(func() { k.MulTo(u, v) }) / (n * m)
	return e.reading[of]
}

// reading is what the speed of products with a stored matrix depends on.
type reading struct {
	precision compute.Precision
	threads   int
}

// perFlop measures a matrix product on one thread.
func (e *Estimator) perFlop() float64 {
	if e.flop == 0 {
		const m = 256
		a, engine := noise(m, m), compute.NewEngine(compute.Options{Threads: 1})
		e.flop = perCall(func() { engine.Mul(a, a, false) }) / (2 * m * m * m)
	}
	return e.flop
}

// noise returns a matrix of random numbers.
func noise(rows, cols int) compute.Matrix {
	a := compute.NewMatrix(rows, cols)
	for i := range rows {
		compute.NewStream(0, "estimate", uint64(i)).Row(0, a.Row(i))
	}
	return a
}

// perCall returns the shortest time of a call among several, in seconds: the machine may be busy.
func perCall(do func()) float64 {
	do() // fills caches
	best := math.Inf(1)
	for range 5 {
		t := time.Now()
		do()
		best = min(best, time.Since(t).Seconds())
	}
	return best
}
