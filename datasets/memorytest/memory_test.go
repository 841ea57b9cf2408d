package memorytest

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

var kept []byte

// recorder notes a failure without ending the test.
type recorder struct {
	testing.TB
	failed bool
}

func (r *recorder) Fatalf(string, ...any) { r.failed = true }

func TestWithin(t *testing.T) {
	megabyte := func() { kept = make([]byte, 1<<20) }
	assert.InDelta(t, 1<<20, float64(Bytes(megabyte)), 1<<16)
	for bound, failed := range map[uint64]bool{1 << 19: true, 1 << 21: false} {
		r := &recorder{TB: t}
		took := Within(r, bound, megabyte)
		assert.Equal(t, failed, r.failed, "%d allowed", bound)
		assert.InDelta(t, 1<<20, float64(took), 1<<16)
	}
}
