package algos

import (
	"repro/algos/compute"
	"repro/algos/kernels"
	"repro/algos/losses"
)

// Samples are training rows by index: dense in memory, in a file, or virtual (row i is a pure
// function of i). Gather copies rows into x (len(rows)×in) and y (len(rows)×out).
type Samples interface {
	Len() int
	Dims() (in, out int)
	Gather(rows []int, x, y compute.Matrix)
}

// A Problem is what all methods of a comparison receive, identically. It has no test set.
//
// The objective is R(f) = E[l(f(x), y)] + ν/2·‖f‖²_H, dai2014 eq. (1).
type Problem struct {
	Train     Samples
	FileOrder bool // visit examples in the order given instead of reshuffling every epoch
	Kernel    kernels.Kernel
	Loss      losses.Loss
	Nu        float64
	Seed      uint64
	Engine    *compute.Engine

	// Stream gives online fits their examples. If it is nil, parts.StreamOf makes one of Train.
	Stream Stream

	// Keep, if set, caches stored operators across problems with the same rows, kernel and precision. It returns the
	// operator cached under name, or calls store and caches its result. KeepTraining is k(X, X) of all rows in order,
	// KeepTest is k(Z, X) of other rows Z.
	Keep func(name string, store func() compute.Operator) compute.Operator
}

// whole is implemented by samples whose rows are in memory, in order.
type whole interface {
	Whole() (x, y compute.Matrix, ok bool)
}

// Dense returns all training rows in memory, for methods that need all of them at once. Others use the same memory: nobody
// may change it.
func (p *Problem) Dense() (x, y compute.Matrix) {
	if w, ok := p.Train.(whole); ok {
		if x, y, ok := w.Whole(); ok {
			return x, y
		}
	}
	n := p.Train.Len()
	in, out := p.Train.Dims()
	rows := make([]int, n)
	for i := range rows {
		rows[i] = i
	}
	x, y = compute.NewMatrix(n, in), compute.NewMatrix(n, out)
	p.Train.Gather(rows, x, y)
	return x, y
}

// Names of kernel matrices that Problem.Keep keeps.
const (
	KeepTraining = "training"
	KeepTest     = "test"
)
