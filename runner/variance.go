package runner

import (
	"bytes"
	"fmt"
	"sync/atomic"

	"repro/algos"
	"repro/algos/compute"
	"repro/algos/kernels"
	"repro/algos/metrics"
	"repro/datasets"
	"repro/experiments"
)

// gaussianProcess returns the data whose fit gives the posterior variance at the test inputs. Its targets are k(x*_i, x)
// for every test input x*_i. With mean, the data's own targets come before them.
func gaussianProcess(d *datasets.Set, k kernels.Kernel, mean bool, stop *atomic.Bool) *datasets.Set {
	v := *d
	v.Train = algos.KernelTargets{Samples: d.Train, Kernel: k, At: d.TestX, Mean: mean}
	at := compute.NewEngine(compute.Options{Stop: stop}).KernelMatrix(k, d.TestX, d.TestX)
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

// outputs returns the number of functions that a spec fits to data with the given number of test inputs and of outputs.
func outputs(s *experiments.Spec, test, own int) int {
	switch s.Problem.Targets {
	case experiments.TestKernels:
		return test
	case experiments.MeanVariance:
		return max(own, 1) + test
	}
	return max(own, 1)
}

// writeVariances writes <cell>.csv. A line holds the number of a test row, from 1, and the posterior variance. If the data's
// own targets are fitted too, the target and the posterior mean come between them.
func (x *cellRun) writeVariances(t algos.KernelTargets, f compute.Matrix) error {
	var b bytes.Buffer
	own, y := t.DataOutputs(), x.instance.data.TestY
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
	return x.write(x.cell.Name+".csv", b.Bytes())
}
