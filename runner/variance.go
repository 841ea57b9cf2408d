package runner

import (
	"bytes"
	"fmt"
	"math"

	"repro/algos"
	"repro/algos/compute"
	"repro/algos/kernels"
	"repro/datasets"
	"repro/experiments"
	"repro/results/records"
)

// kernelTargets returns the data of the posterior variance at the test inputs: the targets, in training
// and test alike, are k(x*_i, x) for every test input x*_i.
func kernelTargets(d *datasets.Set, k kernels.Kernel) *datasets.Set {
	v := *d
	v.Train = algos.KernelTargets{Samples: d.Train, Kernel: k, At: d.TestX}
	v.TestY = compute.NewEngine(compute.Options{}).KernelMatrix(k, d.TestX, d.TestX)
	v.Truth = nil
	return &v
}

// ofVariance says whether the predictions are of kernel targets.
func (s *instance) ofVariance() bool {
	_, ok := s.problem.Train.(algos.KernelTargets)
	return ok
}

// variances returns k(x*_i, x*_i) - f_i(x*_i), the posterior variance at the test inputs, of predictions
// f of their kernel functions there [dai2014 eq. (9)].
func (s *instance) variances(f compute.Matrix) []float64 {
	v := make([]float64, f.Rows)
	for i := range v {
		v[i] = s.data.TestY.At(i, i) - f.At(i, i)
	}
	return v
}

// varianceError is √(Σ_i (v_i - v*_i)² / Σ_i v*_i²), v the posterior variances and v* the reference's.
func varianceError(s *instance, f compute.Matrix) (float64, error) {
	if !s.ofVariance() {
		return 0, fmt.Errorf("metric variance-error: the targets are the data's; write problem.targets = %q", experiments.TestKernels)
	}
	ref, err := s.reference()
	if err != nil {
		return 0, err
	}
	v, exact := s.variances(f), s.variances(ref)
	return math.Sqrt(squaredDistance(v, exact) / squaredDistance(exact, make([]float64, len(exact)))), nil
}

// exactError is √(Σ_i ‖u_i - u*_i‖² / Σ_i ‖u*_i‖²), u the predictions and u* the reference's.
func exactError(s *instance, f compute.Matrix) (float64, error) {
	ref, err := s.reference()
	if err != nil {
		return 0, err
	}
	zero := make([]float64, ref.Cols)
	apart := meanRows(f, func(i int, u []float64) float64 { return squaredDistance(u, ref.Row(i)) })
	size := meanRows(ref, func(_ int, u []float64) float64 { return squaredDistance(u, zero) })
	return math.Sqrt(apart / size), nil
}

// outputs is the number of functions that a spec fits, with that many test inputs.
func outputs(s *experiments.Spec, test, own int) int {
	if s.Problem.Targets == experiments.TestKernels {
		return test
	}
	return max(own, 1)
}

// writeVariances writes <cell>.csv: test row from 1, and the posterior variance there.
func (x *cellRun) writeVariances(f compute.Matrix) error {
	var b bytes.Buffer
	fmt.Fprintln(&b, "row,variance")
	for i, v := range x.set.variances(f) {
		fmt.Fprintf(&b, "%d,%s\n", i+1, exact(v))
	}
	return records.WriteFile(x.predictionsPath(x.cell.Name+".csv"), b.Bytes())
}
