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
	Seconds float64 // of training and evaluation, from this machine's speed measured just now
	Bytes   float64 // of the fit and the test predictions, training data included where it is held in memory
}

// An Estimator predicts costs from counts of operations and this machine's measured speed.
type Estimator struct {
	threads int
	rates   map[int]rates // by input dimension
}

// rates are seconds per operation on one thread.
type rates struct{ feature, kernel, flop float64 }

// NewEstimator returns an estimator for runs on that many threads, 0 for all.
func NewEstimator(threads int) *Estimator {
	if threads <= 0 {
		threads = runtime.GOMAXPROCS(0)
	}
	return &Estimator{threads: threads, rates: map[int]rates{}}
}

// Cell predicts one cell. It measures the machine for some milliseconds on the first cell of each
// input dimension and reads no data.
func (e *Estimator) Cell(c *experiments.Cell) Estimate {
	n, test, in := shape(c.Spec.Data)
	budget := c.Budget()
	coster, ok := c.Method.Settings.(algos.Coster)
	if n <= 0 || !ok {
		return Estimate{Steps: -1, Seconds: -1, Bytes: -1}
	}
	steps := stepsOf(budget, n, c.Method.Settings)
	if steps == 0 {
		if _, iterative := c.Method.Settings.(algos.Batcher); iterative {
			return Estimate{Steps: -1, Seconds: orUnknown(budget.Seconds), Bytes: -1}
		}
		steps = 1
	}
	evals := min(c.Spec.Evaluate.Points, steps)
	cost := coster.Cost(algos.Size{N: n, In: in, Out: 1, Steps: steps, Evals: evals})
	if c.Spec.Evaluate.Surface > 0 && c.Seed == c.Spec.Repeat.First {
		test += c.Spec.Evaluate.Surface * c.Spec.Evaluate.Surface
	}

	r := e.speed(in)
	perEval := r.feature
	if cost.KernelEvals > 0 {
		perEval = r.kernel
	}
	parallel := 1.0
	if c.Spec.Repeat.Timed {
		parallel = float64(e.threads)
	}
	seconds := (cost.FeatureEvals*r.feature + cost.KernelEvals*r.kernel + float64(test)*cost.EvalCost*perEval) / parallel
	return Estimate{
		Steps:   steps,
		Seconds: seconds + cost.Flops*r.flop,
		Bytes:   cost.Bytes + 8*float64(test*(in+4)) + held(c.Spec.Data, n, in),
	}
}

func orUnknown(v float64) float64 {
	if v > 0 {
		return v
	}
	return -1
}

// shape returns the training rows, test rows and inputs of a data set; zero rows if unknown.
func shape(o datasets.Options) (n, test, in int) {
	d, err := datasets.Describe(o.Name)
	if err != nil {
		return 0, 0, 0
	}
	n, test, in = d.Rows, d.TestRows, d.Dims
	if o.Train > 0 {
		n = o.Train
	}
	if o.Test > 0 {
		test = o.Test
	}
	if len(o.Rows) == 2 {
		n = min(n, o.Rows[1]-o.Rows[0]+1)
	}
	if o.Holdout > 0 {
		test = int(math.Round(o.Holdout * float64(n)))
		n -= test
	}
	return n, test, in
}

// held is the memory of training data that is not generated on demand.
func held(o datasets.Options, n, in int) float64 {
	if d, err := datasets.Describe(o.Name); err == nil && d.Generated() {
		return 0
	}
	return 8 * float64(n) * float64(in+1)
}

// speed measures operators of the given input dimension on one thread.
func (e *Estimator) speed(in int) rates {
	if r, ok := e.rates[in]; ok {
		return r
	}
	const n, m = 128, 512
	x, z := compute.NewMatrix(n, in), compute.NewMatrix(m, in)
	for i := range z.Rows {
		compute.NewStream(0, "estimate", uint64(i)).Row(0, z.Row(i))
	}
	x.CopyFrom(z.RowRange(0, n))
	g := kernels.Gaussian{Sigma: math.Sqrt(float64(in))}
	engine := compute.NewEngine(compute.Options{Threads: 1})
	v, out := compute.NewMatrix(m, 1), compute.NewMatrix(n, 1)
	k := engine.KernelMatrix(g, z, z)
	r := rates{
		feature: perCall(func() {
			engine.Features(g.Features(0, in, m), x, compute.Range{Lo: 0, Hi: 1}).MulTo(out, v)
		}) / (n * m),
		kernel: perCall(func() { engine.Kernel(g, x, z).MulTo(out, v) }) / (n * m),
		flop:   perCall(func() { engine.Mul(k, k, false) }) / (2 * m * m * m),
	}
	e.rates[in] = r
	return r
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
