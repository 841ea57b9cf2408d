package runner

import (
	"runtime/debug"
	"sync"

	"repro/algos/compute"
)

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

// giveBack returns memory to the system that the engines of a run left to each other: what comes next, such as a report, needs little.
func giveBack() {
	compute.Forget()
	debug.FreeOSMemory()
}
