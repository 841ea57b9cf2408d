package compute_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"repro/algos/compute"
	"repro/algos/kernels"
)

var precisions = []compute.Precision{compute.Float32, compute.Float64}

// TestStripsChangeNothing compares features whose panels are cut into strips with those in the cache, which are not,
// bit by bit.
func TestStripsChangeNothing(t *testing.T) {
	const n, d, width = 70, 150, 41 // panels of more than 24 KiB, the first of them from the middle of a strip
	x, blocks := normalMatrix(1, n, d), compute.Range{Lo: 1, Hi: 6}
	f := kernels.Gaussian{Sigma: 3}.Features(1, d, width)
	v := normalMatrix(2, width*(blocks.Hi-blocks.Lo), 3)
	onEach(t, func(t *testing.T) {
		drawn, kept := compute.NewMatrix(n, 3), compute.NewMatrix(n, 3)
		for memory, dst := range map[int64]compute.Matrix{-1: drawn, 1 << 20: kept} {
			e := compute.NewEngine(compute.Options{Precision: compute.Float32, CacheBytes: memory})
			e.Features(f, x, blocks).MulTo(dst, v)
		}
		require.Equal(t, drawn.Data, kept.Data)
	})
}
