package runner

import (
	"fmt"
	"sync"

	"repro/algos/compute"
	"repro/datasets"
	"repro/experiments"
)

// A matrixCache holds the latest stored kernel matrices of the training and the test rows for the next cell with the same
// rows and kernel. It holds those of one kernel at a time, because they may need most of the memory.
type matrixCache struct {
	mu  sync.Mutex
	key string
	ops map[string]compute.Operator // by name
}

// drop frees the matrices.
func (k *matrixCache) drop() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.key, k.ops = "", nil
}

// keep returns the function that a cell's problem asks for a kernel matrix by name. That function returns the cached
// matrix, or what store returns, and caches it if it is stored. A cell that waits for another one's matrix lends it its
// processors.
func (x *cellRun) keep() func(name string, store func() compute.Operator) compute.Operator {
	c := x.cell
	key := fmt.Sprintf("%s %T%+v %s %d", rowsOf(c), x.instance.problem.Kernel, x.instance.problem.Kernel, c.Precision(), c.Memory())
	return func(name string, store func() compute.Operator) compute.Operator {
		k := &x.run.matrices
		if !k.mu.TryLock() {
			back := x.engine.Lend()
			k.mu.Lock()
			back()
		}
		defer k.mu.Unlock()
		if k.key != key {
			k.key, k.ops = key, map[string]compute.Operator{} // frees the others first
		}
		if op, ok := k.ops[name]; ok {
			return x.engine.Adopt(op)
		}
		op := store()
		if compute.IsStored(op) {
			k.ops[name] = op
		}
		return op
	}
}

// rowsOf returns a key of the rows of a cell: cells with the same have the same rows.
func rowsOf(c *experiments.Cell) string {
	seed := uint64(0) // loaded rows are the same for all seeds
	if s, err := datasets.Describe(c.Spec.Data.Name); err == nil && s.Generated() {
		seed = c.Seed
	}
	return fmt.Sprintf("%s %#v %d", c.Spec.File, c.Data(), seed)
}
