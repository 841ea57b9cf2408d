package parts

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"repro/algos"
)

// The test rows of a kernel matrix are stored if they fit beside K, where K is stored.
func TestTestRowsAreStoredBesideK(t *testing.T) {
	for stored, want := range map[int]float64{99: 8 * 50, 49: 0, 100: 0, 149: 0, 150: 8 * 50, 0: 8 * 50} {
		assert.Equal(t, want, aheadBytes(algos.Size{N: 10, Test: 5, Stored: stored}), "memory for %d numbers", stored)
	}
}
