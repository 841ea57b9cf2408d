package parts

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestBlocksAreCutEvenly(t *testing.T) {
	for _, width := range []int{1, 7, 16, 256} {
		for _, b := range []int{1, 3, 7, 8} {
			at := 0
			for j := range b {
				lo, hi := Cut(width, b, j)
				require.Equal(t, at, lo)
				assert.InDelta(t, float64(width)/float64(b), hi-lo, 1-1e-9)
				at = hi
			}
			assert.Equal(t, width, at)
		}
	}
}
