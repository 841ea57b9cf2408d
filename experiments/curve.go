package experiments

import (
	"math"
	"slices"

	"repro/algos"
	"repro/algos/compute/exact"
	"repro/results/records"
)

// Iterations returns the iterations of an algorithm that a budget allows on a problem of a size: the smallest of the limits that
// its epochs, its steps and the algorithm itself set, 0 if nothing but seconds limits them.
func (b Budget) Iterations(s algos.Size, a algos.Algorithm) int {
	total := math.MaxInt
	if b.Steps > 0 {
		total = b.Steps
	}
	if p, ok := passesOf(a, s); ok && b.Epochs > 0 {
		total = min(total, p.steps(b.Epochs))
	}
	if algos.TraitsOf(a).Direct {
		total = 1
	}
	if total == math.MaxInt {
		return 0
	}
	return total
}

// StepAt turns a number of evaluate.at into a step. It counts epochs if the budget has epochs and the algorithm has batches,
// otherwise steps.
func (b Budget) StepAt(at float64, s algos.Size, a algos.Algorithm) int {
	if p, ok := passesOf(a, s); ok && b.Epochs > 0 {
		return p.steps(at)
	}
	return int(math.Round(at))
}

// passes say how the steps of an algorithm with batches go through n training rows.
type passes struct {
	n, batch    int
	replacement bool // every batch is full
}

// passesOf returns how an algorithm goes through the rows of a problem; false if it has no batches.
func passesOf(a algos.Algorithm, s algos.Size) (p passes, ok bool) {
	t := algos.TraitsOf(a)
	if !t.Batches() {
		return p, false
	}
	return passes{s.N, t.BatchAt(s), t.Replacement}, true
}

// steps returns the iterations of a number of epochs, at least 1.
func (p passes) steps(epochs float64) int {
	whole := math.Floor(epochs)
	rest := int(math.Ceil(math.Round((epochs-whole)*float64(p.n)*1e6) / 1e6))
	if p.replacement {
		return max(1, ceilDiv(int(whole)*p.n+rest, p.batch))
	}
	return max(1, int(whole)*ceilDiv(p.n, p.batch)+ceilDiv(rest, p.batch))
}

// seen returns how many examples the first iterations use.
func (p passes) seen(steps int) int {
	if p.replacement {
		return steps * p.batch
	}
	epoch := ceilDiv(p.n, p.batch)
	return steps/epoch*p.n + steps%epoch*p.batch
}

func ceilDiv(a, b int) int { return (a + b - 1) / b }

// Marks returns the steps after which to evaluate, in order; the last step is one. They depend on nothing else, so that a
// resumed run evaluates after the same steps. total is 0 for a budget in seconds: steps then grow by a fixed ratio, because the
// last one is unknown. stepAt turns a number of evaluate.at into a step.
func (e Evaluate) Marks(total int, stepAt func(at float64) int) []int {
	var at []int
	switch {
	case len(e.At) > 0:
		at = append(at, total)
		for _, v := range e.At {
			at = append(at, stepAt(v))
		}
	case total == 0:
		ratio := exact.Pow(1e4, 1/float64(max(e.Points-1, 1)))
		for x := 1.0; x < 1e9; x *= ratio {
			at = append(at, int(math.Round(x)))
		}
	default:
		for i := range e.Points {
			u := 1.0
			if e.Points > 1 {
				u = float64(i) / float64(e.Points-1)
			}
			step := math.Round(1 + u*float64(total-1))
			if e.Spacing == "log" {
				step = math.Round(exact.Pow(float64(total), u))
			}
			at = append(at, max(1, int(step)))
		}
		at = append(at, total)
	}
	slices.Sort(at)
	return slices.Compact(at)
}

// places returns the values of an abscissa at the evaluations of a method's curve, 0 for times and counted work, which a run
// shows. ok is false if the spec does not say how often or where a run evaluates.
func (e effective) places(x string) (at []float64, ok bool) {
	a, b := e.method.Configured, e.budget()
	cost, _ := records.AbscissaOf(x)
	if n := len(e.meshes()); n > 0 {
		for k := range n {
			at = append(at, float64(k+1))
		}
		return at, x == "step"
	}
	if p, program := a.(*External); program && !p.Stepped() {
		return []float64{1}, x == "step" && !p.Curved()
	}
	if e.method.imported() {
		return nil, false
	}
	n, _, in := e.data().Shape()
	size := algos.Size{N: n, In: in, Out: 1}
	p, batches := passesOf(a, size)
	total := b.Iterations(size, a)
	switch {
	case b.Seconds > 0 || b.TimeOf != "" || total == 0, algos.TraitsOf(a).BatchOf != nil, batches && n == 0:
		return nil, false
	case !batches && cost.Source == records.Place && x != "step":
		return nil, false
	}
	for _, step := range e.spec.Evaluate.Marks(total, func(v float64) int { return b.StepAt(v, size, a) }) {
		if step < 1 || step > total {
			continue
		}
		at = append(at, 0)
		if cost.Source == records.Place {
			so := records.Point{Step: step}
			if batches {
				so.Seen = int64(p.seen(step))
				so.Epoch = float64(so.Seen) / float64(n)
			}
			at[len(at)-1], _ = so.Abscissa(x)
		}
	}
	return at, true
}
