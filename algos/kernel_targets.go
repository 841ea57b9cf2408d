package algos

import (
	"repro/algos/compute"
	"repro/algos/kernels"
)

// KernelTargets are training rows whose targets are kernel functions: output i of a row with inputs x is
// k(x*_i, x), with x*_i row i of At. A problem on them with the square loss and ν = σ²/n gives the posterior variance of
// a Gaussian process at m points known beforehand [dai2014 §4, formulation 2]. Its solution by eq. (1) is the m functions
//
//	f_i*(x) = k(x, X) (K + σ²I)⁻¹ k(X, x*_i)
//
// and the predictive variance at x*_i is k(x*_i, x*_i) - f_i*(x*_i), eq. (9). All m outputs share the examples and
// features of a method.
//
// With Mean the targets of the rows come first, as further outputs. Their solution is the posterior mean
// k(x, X) (K + σ²I)⁻¹ y. Without Mean the targets of the rows are ignored.
//
// Departure: the paper sets ν = 2σ². The minimiser of eq. (1) with l = (u-y)²/2 has the inverse of K + nνI, so ν = σ²/n
// gives eq. (9), as in the paper's own eq. (10).
type KernelTargets struct {
	Samples
	Kernel kernels.Kernel
	At     compute.Matrix // X*, m×in
	Mean   bool           // fit the rows' own targets too, as the first outputs
}

// Dims implements Samples: the outputs are the rows' own targets, if any, and then one output per point of At.
func (t KernelTargets) Dims() (in, out int) {
	in, _ = t.Samples.Dims()
	return in, t.DataOutputs() + t.At.Rows
}

// DataOutputs returns the number of outputs that are the rows' own targets: none without Mean.
func (t KernelTargets) DataOutputs() int {
	if !t.Mean {
		return 0
	}
	_, out := t.Samples.Dims()
	return out
}

// Gather implements Samples. The targets are computed in float64. Their kernel evaluations count as data, not as the
// cost of a method.
func (t KernelTargets) Gather(rows []int, x, y compute.Matrix) {
	_, out := t.Samples.Dims()
	own := compute.NewMatrix(len(rows), out)
	t.Samples.Gather(rows, x, own)
	if t.Mean {
		y.ColRange(0, out).CopyFrom(own)
		y = y.ColRange(out, y.Cols)
	}
	e := compute.NewEngine(compute.Options{Threads: 1})
	defer e.Retire()
	k := e.KernelMatrix(t.Kernel, x, t.At)
	y.CopyFrom(k)
	e.Reuse(k)
}
