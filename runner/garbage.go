package runner

import (
	"runtime"
	"runtime/debug"
)

// garbage is how much garbage may gather beside large matrices before it is collected, in GiB.
const garbage = 2

// limitGarbage collects garbage more often while kernel matrices of the given size in GiB are stored, so that garbage
// cannot double memory use. restore sets the usual rate again.
func limitGarbage(memory float64) (restore func()) {
	usual := debug.SetGCPercent(-1)
	percent := usual
	if own := int(100 * garbage / memory); usual > own {
		percent = own
	}
	debug.SetGCPercent(percent)
	return func() { debug.SetGCPercent(usual) }
}

// allowance is how much garbage may gather before it is collected where little memory is in use, in bytes.
const allowance = 64 << 20

// allowGarbage spares runs that need little memory a collection every few megabytes. It keeps an array that counts as memory
// in use and is never touched, so that the system gives it no memory; restore drops it.
func allowGarbage() (restore func()) {
	untouched := make([]byte, allowance)
	return func() { runtime.KeepAlive(untouched) }
}
