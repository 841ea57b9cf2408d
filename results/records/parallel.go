package records

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// Parallel calls do(0) … do(n-1), each once, on all processors. The calls must be independent.
func Parallel(n int, do func(i int)) {
	var next atomic.Int64
	var group sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), n) {
		group.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				do(i)
			}
		})
	}
	group.Wait()
}
