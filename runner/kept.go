package runner

import (
	"fmt"
	"runtime/debug"
	"sync"

	"repro/algos/compute"
	"repro/datasets"
)

// kept are the latest stored kernel matrices of all training rows and of the test rows, for the next cell with
// the same rows and kernel: those of one kernel at a time, for they may need most of the memory there is.
type kept struct {
	mu  sync.Mutex
	key string
	ops map[string]compute.Operator // by name
}

// drop lets go of the matrices.
func (k *kept) drop() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.key, k.ops = "", nil
}

// garbage is what may gather beside large matrices before it is collected, in GiB.
const garbage = 2

// limitGarbage makes collections of garbage more frequent where so many GiB are stored, which else could
// take the same again. The function it returns puts an end to that.
func limitGarbage(memory float64) (restore func()) {
	usual := debug.SetGCPercent(-1)
	percent := usual
	if own := int(100 * garbage / memory); usual > own {
		percent = own
	}
	debug.SetGCPercent(percent)
	return func() { debug.SetGCPercent(usual) }
}

// keep returns what a cell's problem asks for its kernel matrices: the ones kept, or what store returns.
func (x *cellRun) keep() func(name string, store func() compute.Operator) compute.Operator {
	c := x.cell
	seed := uint64(0) // loaded rows are the same for all
	if s, err := datasets.Describe(c.Spec.Data.Name); err == nil && s.Generated() {
		seed = c.Seed
	}
	key := fmt.Sprintf("%s %#v %v %T%+v %s %d", c.Spec.File, c.Data(), seed, x.set.problem.Kernel, x.set.problem.Kernel, c.Precision(), c.Memory())
	return func(name string, store func() compute.Operator) compute.Operator {
		k := &x.run.kept
		k.mu.Lock()
		defer k.mu.Unlock()
		if k.key != key {
			k.key, k.ops = key, map[string]compute.Operator{} // lets go of the others first
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
