// Package memorytest measures for tests how much memory a reader of files of others takes.
package memorytest

import (
	"runtime"
	"runtime/metrics"
	"testing"
)

// Bytes returns how many bytes f allocates, garbage included, in all goroutines. It stops the program twice.
func Bytes(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// Within runs f and ends the test if f allocates more than bound bytes. It returns how many there were, without the latest
// small objects, which it leaves out in order not to stop the program. If there seem to be too many, f runs again and
// all are counted. Under the race detector nothing is bounded.
func Within(t testing.TB, bound uint64, f func()) uint64 {
	t.Helper()
	before := counted()
	f()
	took := counted() - before
	if took <= bound || Race {
		return took
	}
	if took = Bytes(f); took > bound {
		t.Fatalf("%d bytes were allocated: %d are allowed", took, bound)
	}
	return took
}

func counted() uint64 {
	s := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(s)
	return s[0].Value.Uint64()
}
