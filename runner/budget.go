package runner

import (
	"fmt"
	"math"

	"repro/algos"
	"repro/experiments"
	"repro/results/records"
)

// stepsOf returns the iterations that a budget allows: the smaller of the limits that its epochs and its steps set, 0 if
// it sets neither.
func stepsOf(b experiments.Budget, s algos.Size, a algos.Algorithm) int {
	total := math.MaxInt
	if b.Steps > 0 {
		total = b.Steps
	}
	if batcher, ok := a.(algos.Batcher); ok && b.Epochs > 0 {
		n, size := s.N, algos.BatchOf(batcher, s)
		whole := math.Floor(b.Epochs)
		rest := int(math.Ceil(math.Round((b.Epochs-whole)*float64(n)*1e6) / 1e6))
		steps := int(whole)*ceilDiv(n, size) + ceilDiv(rest, size)
		if withReplacement(a) { // every batch is full
			steps = ceilDiv(int(whole)*n+rest, size)
		}
		total = min(total, max(steps, 1))
	}
	if total == math.MaxInt {
		return 0
	}
	return total
}

// withReplacement reports whether a draws examples with replacement.
func withReplacement(a algos.Algorithm) bool {
	s, ok := a.(algos.Sampler)
	return ok && s.WithReplacement()
}

// stepAt turns a number of evaluate.at into a step. It counts epochs if the budget has epochs and the method has batches,
// otherwise steps.
func (x *cellRun) stepAt(at float64) int {
	if _, ok := x.cell.Method.Configured.(algos.Batcher); ok && x.budget.Epochs > 0 {
		return stepsOf(experiments.Budget{Epochs: at}, x.instance.size(), x.cell.Method.Configured)
	}
	return int(math.Round(at))
}

// timeOf returns the seconds that the cell named by budget.time_of spent inside Step.
func (x *cellRun) timeOf() (float64, error) {
	if len(x.cell.Needs) == 0 {
		return 0, fmt.Errorf("budget.time_of: the plan has no cell of method %s with seed %d; run it too", x.budget.TimeOf, x.cell.Seed)
	}
	path := records.Path(x.Out, x.cell.Experiment, x.cell.Needs[0])
	rec, err := records.Read(path)
	if err != nil || !rec.Status().Complete() || len(rec.Points) == 0 {
		return 0, fmt.Errorf("budget.time_of: %s is not complete, so its time is unknown; run method %s too", path, x.budget.TimeOf)
	}
	return rec.Points[len(rec.Points)-1].Timing.Train, nil
}

func ceilDiv(a, b int) int { return (a + b - 1) / b }
