package runner

import (
	"repro/algos/compute"
	"repro/experiments"
)

// judged returns what a metric is computed from: the predictions f, of test rows that belong together
// their mean in place of each. A comparison with an exact solver is about the rows as they are.
func (s *instance) judged(name string, f compute.Matrix) compute.Matrix {
	groups := s.data.Groups
	if groups == nil || experiments.NeedsReference(name) {
		return f
	}
	means := compute.NewMatrix(f.Rows, f.Cols)
	for lo := 0; lo < f.Rows; {
		hi := lo + 1
		for hi < f.Rows && groups[hi] == groups[lo] {
			hi++
		}
		mean := means.Row(lo)
		for i := lo; i < hi; i++ {
			for c, v := range f.Row(i) {
				mean[c] += v / float64(hi-lo)
			}
		}
		for i := lo + 1; i < hi; i++ {
			copy(means.Row(i), mean)
		}
		lo = hi
	}
	return means
}

// absoluteError is the mean absolute error in the units of the data, summed over outputs.
func absoluteError(s *instance, f compute.Matrix) (float64, error) {
	unit := s.data.TargetUnit
	if unit == 0 {
		unit = 1
	}
	return unit * meanRows(f, func(i int, u []float64) float64 { return distance1(u, s.data.TestY.Row(i)) }), nil
}

func distance1(u, v []float64) (s float64) {
	for i, a := range u {
		s += max(a-v[i], v[i]-a)
	}
	return s
}
