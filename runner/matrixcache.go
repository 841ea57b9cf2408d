package runner

import (
	"fmt"
	"runtime/debug"
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
	ops map[string]cached // by name
}

// A cached matrix took seconds to evaluate.
type cached struct {
	compute.Operator
	seconds float64
}

// drop frees the matrices.
func (k *matrixCache) drop() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.key, k.ops = "", nil
}

// keep returns the function that a cell's problem asks for a kernel matrix by name. That function returns the cached
// matrix, whose seconds it adds to x.borrowed, or what store returns, and caches it if it is stored. A cell that waits for another one's
// matrix lends it its processors.
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
			k.key, k.ops = key, map[string]cached{} // frees the others first
		}
		if c, ok := k.ops[name]; ok {
			x.borrowed += c.seconds
			return x.engine.Adopt(c.Operator)
		}
		var op compute.Operator
		took := seconds(func() { op = store() })
		if compute.IsStored(op) {
			k.ops[name] = cached{op, took}
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

// garbage is how much garbage may gather beside large matrices before it is collected, in GiB.
const garbage = 2

// limitGarbage collects garbage more often while kernel matrices of the given size in GiB are stored, so that garbage
// cannot double memory use. restore sets the usual rate again.
func limitGarbage(memory float64) (restore func()) {
	usual := debug.SetGCPercent(-1)
	debug.SetGCPercent(min(usual, int(100*garbage/memory)))
	return func() { debug.SetGCPercent(usual) }
}

// percent of the memory in use, and allowance in bytes, is how much garbage may gather before it is collected. Nearly all memory
// is numbers, through which no collection walks, so that many collections cost little; garbage is memory that a machine must have.
const percent, allowance = 20, 32 << 20

// AllowGarbage spares programs that need little memory a collection every few megabytes, from its first call on. What it keeps and
// returns is an array that counts as memory in use and is never touched, so that the system gives it no memory: for that it must be new,
// so there is one.
var AllowGarbage = sync.OnceValue(func() (untouched []byte) {
	debug.SetGCPercent(percent)
	return make([]byte, 100/percent*allowance)
})

// uncounted is the memory of a process that its runtime does not count: pages of the program.
const uncounted = 30e6

// HoldTo makes the process collect garbage as often as it must to stay within bytes of memory, of which a plan says that they suffice.
func HoldTo(bytes float64) {
	limit := bytes - uncounted + float64(len(AllowGarbage()))
	if limit < float64(debug.SetMemoryLimit(-1)) {
		debug.SetMemoryLimit(int64(limit))
	}
}

// giveBack returns memory to the system that the engines of a run left to each other: what comes next, such as a report, needs little.
func giveBack() {
	compute.Forget()
	debug.FreeOSMemory()
}
