package runner

import "runtime/debug"

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
