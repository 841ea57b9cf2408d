package runner

import (
	"repro/algos"
	"repro/datasets"
	"repro/experiments"
)

// searched is the number of points of a climb at which an adversary predicts, beside those of the gradients, and gradients
// the number of these, both on average.
const searched, gradients = 45, 20

// hindsight returns the time and the memory that the regression on all examples so far takes, where a metric or an adversary
// needs it, and the search of an adversary.
func (e *Estimator) hindsight(c *experiments.Cell, coster algos.Coster, s algos.Size) (seconds, bytes float64) {
	climbs, free := 0, s.In
	if source, err := datasets.Describe(c.Spec.Data.Name); err == nil && source.Adversarial() {
		if climbs = 2 * c.Data().Starts; c.Data().Joint() {
			climbs, free = climbs/2, s.In+1
		}
	}
	if climbs == 0 && !c.LooksBack() {
		return 0, 0
	}
	n := float64(s.Steps)
	cost := algos.Cost{KernelEvals: n * (n + 1) / 2, Together: 1, Flops: 2*n*n*n/3 + float64(s.Evals)*n*n}
	if climbs > 0 {
		points := n * float64(climbs*(searched+gradients*free))
		cost.KernelEvals += points * n / 2
		cost.Calls = n * 6 * (searched + gradients) // three for the points of all climbs
		cost.Flops += points * 2 * n * n / 3
		s.Evals, s.Test = 1, 0
		predict := coster.Cost(s)
		cost.Flops += points * predict.EvalFlops
		s.Steps, s.Test = 0, int(points)
		_, predicting := e.seconds(c, algos.Cost{EvalCost: predict.EvalCost, KernelEvals: min(predict.KernelEvals, 1)}, s)
		seconds += predicting
	}
	s.Steps = 0
	looking, _ := e.seconds(c, cost, s)
	return seconds + looking, 4*n*n + 8*n*float64(s.In+2*s.Out)
}
