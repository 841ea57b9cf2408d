package runner

import (
	"fmt"
	"sync"

	"repro/algos/compute"
	"repro/datasets"
)

// kept is the latest stored kernel matrix of all training rows, for the next cell with the same rows and
// kernel: one at a time, for they may need most of the memory there is.
type kept struct {
	mu  sync.Mutex
	key string
	op  compute.Operator
}

// drop lets go of the matrix.
func (k *kept) drop() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.key, k.op = "", nil
}

// keep returns what a cell's problem asks for its kernel matrix: the one kept, or what store returns.
func (x *cellRun) keep() func(store func() compute.Operator) compute.Operator {
	c := x.cell
	seed := uint64(0) // loaded rows are the same for all
	if s, err := datasets.Describe(c.Spec.Data.Name); err == nil && s.Generated() {
		seed = c.Seed
	}
	key := fmt.Sprintf("%s %#v %v %T%+v %s %d", c.Spec.File, c.Data(), seed, x.set.problem.Kernel, x.set.problem.Kernel, c.Precision(), c.Memory())
	return func(store func() compute.Operator) compute.Operator {
		k := &x.run.kept
		k.mu.Lock()
		defer k.mu.Unlock()
		if k.key == key && k.op != nil {
			return x.engine.Adopt(k.op)
		}
		k.key, k.op = key, nil // lets go of the last one first
		op := store()
		if compute.IsStored(op) {
			k.op = op
		}
		return op
	}
}
