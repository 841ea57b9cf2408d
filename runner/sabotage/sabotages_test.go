//go:build sabotage

package sabotage

import (
	"math"
	"math/rand/v2"
	"reflect"
	"slices"

	"repro/algos"
	"repro/algos/compute"
	"repro/algos/kernels"
	"repro/algos/losses"
	"repro/algos/metrics"
	"repro/experiments"
)

// A sabotage is a fault in what a method learns. It leaves what the method counts as it is.
type sabotage struct {
	id      string
	applies func(c *experiments.Cell) bool // nil: to every method
	start   func(c *experiments.Cell, p algos.Problem) (algos.Fit, error)
}

// sabotages are described in docs/sabotage.md.
var sabotages = []sabotage{
	{"zero", nil, func(c *experiments.Cell, p algos.Problem) (algos.Fit, error) {
		return constant(c, p, func(_ *algos.Problem, out int) []float64 { return make([]float64, out) })
	}},
	{"constant", hasRows, func(c *experiments.Cell, p algos.Problem) (algos.Fit, error) {
		return constant(c, p, func(p *algos.Problem, out int) []float64 { return bestConstant(p, out, 0, constantRows) })
	}},
	{"labels", nil, shuffleLabels},
	{"kernel", hasBandwidth, wideKernel},
}

// permutation returns an order of n things that is the same in every run.
func permutation(n int, stream uint64) []int { return rand.New(rand.NewPCG(36, stream)).Perm(n) }

// begin starts the method of a cell.
func begin(c *experiments.Cell, p algos.Problem) (algos.Fit, error) {
	return c.Method.Configured.Start(&p)
}

// aside starts the method once more, with an engine that counts for nobody.
func aside(c *experiments.Cell, p algos.Problem) (algos.Fit, error) {
	p.Engine = compute.NewEngine(compute.Options{Threads: 1, Precision: c.Precision(), MemoryBytes: c.Memory()})
	p.Keep = nil
	return begin(c, p)
}

// A spoken stream passes on other predictions than the fit makes.
type spoken struct {
	algos.Stream
	say func(t int64, x, u []float64) []float64
	x   []float64
}

func (s *spoken) Inputs(t int64) []float64 {
	s.x = s.Stream.Inputs(t)
	return s.x
}

func (s *spoken) Reveal(t int64, u []float64) []float64 { return s.Stream.Reveal(t, s.say(t, s.x, u)) }

func constant(c *experiments.Cell, p algos.Problem, choose func(p *algos.Problem, out int) []float64) (algos.Fit, error) {
	_, out := p.Train.Dims()
	u := choose(&p, out)
	if p.Stream != nil {
		p.Stream = &spoken{Stream: p.Stream, say: func(int64, []float64, []float64) []float64 { return u }}
	}
	live, err := begin(c, p)
	if err != nil {
		return nil, err
	}
	shown := live
	if slices.ContainsFunc(c.Metrics(), func(m *metrics.Metric) bool { return m.Needs.Has != nil }) {
		if shown, err = aside(c, p); err != nil {
			return nil, err
		}
	}
	return &masked{whole: whole{shown}, live: whole{live}, constant: u}, nil
}

// hasRows reports whether there are training rows of which a constant can be the best.
func hasRows(c *experiments.Cell) bool { return c.Data().Name != "adversary" }

// constantRows is the number of training rows of which a constant is the best.
const constantRows = 2000

// bestConstant returns the outputs with the least loss on training rows lo up to hi: their mean for the square loss, else by a
// golden-section search of each output in turn, since losses are convex.
func bestConstant(p *algos.Problem, out, lo, hi int) []float64 {
	_, y := algos.Between(p.Train, lo, min(hi, p.Train.Len()))
	u := make([]float64, out)
	largest := 1.0
	for i := range y.Rows {
		for j, v := range y.Row(i) {
			u[j] += v / float64(y.Rows)
			largest = max(largest, math.Abs(v))
		}
	}
	if p.Loss == (losses.Square{}) {
		return u
	}
	for range 2 {
		for j := range u {
			u[j] = lowest(-10*largest, 10*largest, func(v float64) (sum float64) {
				u[j] = v
				for i := range y.Rows {
					sum += p.Loss.Value(u, y.Row(i))
				}
				return sum
			})
		}
	}
	return u
}

// lowest returns where a convex function is smallest.
func lowest(low, high float64, f func(float64) float64) float64 {
	ratio := (math.Sqrt(5) - 1) / 2
	a, b := high-ratio*(high-low), low+ratio*(high-low)
	fa, fb := f(a), f(b)
	for range 50 {
		if fa < fb {
			high, b, fb = b, a, fa
			a = high - ratio*(high-low)
			fa = f(a)
		} else {
			low, a, fa = a, b, fb
			b = low + ratio*(high-low)
			fb = f(b)
		}
	}
	return (low + high) / 2
}

// Mislabelled samples have the targets of other rows.
type mislabelled struct {
	algos.Samples
	from []int
}

func (m mislabelled) Gather(rows []int, x, y compute.Matrix) {
	others := make([]int, len(rows))
	for i, r := range rows {
		others[i] = m.from[r]
	}
	m.Samples.Gather(others, compute.NewMatrix(x.Rows, x.Cols), y)
	m.Samples.Gather(rows, x, compute.NewMatrix(y.Rows, y.Cols))
}

// A liar reveals the target of an earlier example instead of the present one.
type liar struct {
	algos.Stream
	all  [][]float64
	draw *rand.Rand
}

func (l *liar) Reveal(t int64, u []float64) []float64 {
	l.all = append(l.all, slices.Clone(l.Stream.Reveal(t, u)))
	return l.all[l.draw.IntN(len(l.all))]
}

func shuffleLabels(c *experiments.Cell, p algos.Problem) (algos.Fit, error) {
	if p.Stream != nil {
		p.Stream = &liar{Stream: p.Stream, draw: rand.New(rand.NewPCG(36, c.Seed))}
	}
	if t, ok := p.Train.(algos.KernelTargets); ok {
		t.Samples, t.At = mislabel(t.Samples), t.At.Select(permutation(t.At.Rows, 0))
		p.Train = t
	} else if hasRows(c) {
		p.Train = mislabel(p.Train)
	}
	return begin(c, p)
}

func mislabel(s algos.Samples) algos.Samples { return mislabelled{s, permutation(s.Len(), 0)} }

// sigmaOf returns the field Sigma of a pointer to a copy of a kernel; it is not valid if the kernel has none.
func sigmaOf(kernel any) (copied, sigma reflect.Value) {
	copied = reflect.New(reflect.TypeOf(kernel))
	copied.Elem().Set(reflect.ValueOf(kernel))
	if copied.Elem().Kind() == reflect.Struct {
		sigma = copied.Elem().FieldByName("Sigma")
	}
	return copied, sigma
}

func hasBandwidth(c *experiments.Cell) bool {
	k := c.Kernel()
	return k.Bandwidth.Value > 0 || k.Bandwidth.Rule != ""
}

func wideKernel(c *experiments.Cell, p algos.Problem) (algos.Fit, error) {
	copied, sigma := sigmaOf(p.Kernel)
	sigma.SetFloat(10 * sigma.Float())
	p.Kernel = copied.Elem().Interface().(kernels.Kernel)
	p.Keep = nil
	return begin(c, p)
}

// fewRows is the number of training rows of which a constant is the best at the published size. Every seed has other ones:
// where nothing varies between seeds the judge is not certain, and all that a claim could say of a constant is ○.
const fewRows = 100

// learnNothing starts a fit that costs nothing and predicts a constant: at the published size.
func learnNothing(best bool) func(c *experiments.Cell, p *algos.Problem) (algos.Fit, error) {
	return func(c *experiments.Cell, p *algos.Problem) (algos.Fit, error) {
		in, out := p.Train.Dims()
		t, rows := algos.TraitsOf(c.Method.Configured), p.Train.Len()
		s := &still{outputs: make([]float64, out), rows: rows, replace: t.Replacement, batch: t.BatchAt(algos.Size{N: rows, In: in, Out: out})}
		if best {
			lo := int(c.Seed) * fewRows % max(1, s.rows-fewRows)
			s.outputs = bestConstant(p, out, lo, lo+fewRows)
		}
		return s, nil
	}
}
