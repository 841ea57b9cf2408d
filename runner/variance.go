package runner

import (
	"bytes"
	"fmt"

	"repro/algos"
	"repro/algos/compute"
	"repro/algos/kernels"
	"repro/algos/metrics"
	"repro/datasets"
	"repro/experiments"
	"repro/results/records"
)

// gaussianProcess returns the data of the posterior variance at the test inputs: the targets, in training and test,
// are k(x*_i, x) for every test input x*_i; with mean, after the data's own.
func gaussianProcess(d *datasets.Set, k kernels.Kernel, mean bool) *datasets.Set {
	v := *d
	v.Train = algos.KernelTargets{Samples: d.Train, Kernel: k, At: d.TestX, Mean: mean}
	at := compute.NewEngine(compute.Options{}).KernelMatrix(k, d.TestX, d.TestX)
	if !mean {
		v.TestY, v.Truth = at, nil
		return &v
	}
	own := d.TestY.Cols
	v.TestY = compute.NewMatrix(at.Rows, own+at.Cols)
	v.TestY.ColRange(0, own).CopyFrom(d.TestY)
	v.TestY.ColRange(own, own+at.Cols).CopyFrom(at)
	return &v
}

// outputs is the number of functions that a spec fits, with that many test inputs and own outputs of the data.
func outputs(s *experiments.Spec, test, own int) int {
	switch s.Problem.Targets {
	case experiments.TestKernels:
		return test
	case experiments.MeanVariance:
		return max(own, 1) + test
	}
	return max(own, 1)
}

// writeVariances writes <cell>.csv: test row from 1, with the data's targets the target there and the posterior mean,
// and the posterior variance.
func (x *cellRun) writeVariances(t algos.KernelTargets, f compute.Matrix) error {
	var b bytes.Buffer
	own, y := t.DataOutputs(), x.set.data.TestY
	head := "row,variance"
	if t.Mean {
		head = "row,y,mean,variance"
	}
	fmt.Fprintln(&b, head)
	for i, v := range metrics.Variances(f.ColRange(own, f.Cols), y.ColRange(own, y.Cols)) {
		fmt.Fprintf(&b, "%d,", i+1)
		if t.Mean {
			fmt.Fprintf(&b, "%s,%s,", exact(shown(y.Row(i)[:own])), exact(shown(f.Row(i)[:own])))
		}
		fmt.Fprintln(&b, exact(v))
	}
	return records.WriteFile(x.predictionsPath(x.cell.Name+".csv"), b.Bytes())
}
