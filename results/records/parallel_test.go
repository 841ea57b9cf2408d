package records

import (
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestParallel(t *testing.T) {
	for _, n := range []int{0, 1, 2, 1000} {
		calls := make([]int32, n)
		Parallel(n, func(i int) { atomic.AddInt32(&calls[i], 1) })
		for i, c := range calls {
			require.Equal(t, int32(1), c, "call %d of %d", i, n)
		}
	}
}
