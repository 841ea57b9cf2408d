package compute_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"repro/algos/compute"
)

// TestLargeProductsInParts compares products whose result, or one of whose operands, is written past the caches
// with the same products in parts that are not. Entries are the same to the bit: how one is summed depends on the
// inner dimension alone.
func TestLargeProductsInParts(t *testing.T) {
	for _, test := range []struct {
		name    string
		m, n, k int
		parts   int // of the columns
	}{
		{"result", 1100, 480, 9, 4},
		{"operand", 20, 480, 2200, 3},
	} {
		t.Run(test.name, func(t *testing.T) {
			onEach(t, func(t *testing.T) {
				a, b := normalMatrix(1, test.m, test.k), normalMatrix(2, test.k, test.n)
				for _, precision := range precisions {
					e := compute.NewEngine(compute.Options{Threads: 3, Precision: precision})
					whole, parts := e.Mul(a, b, false), compute.NewMatrix(test.m, test.n)
					for lo, step := 0, test.n/test.parts; lo < test.n; lo += step {
						e.Gemm(parts.ColRange(lo, lo+step), 1, a, false, b.ColRange(lo, lo+step), false, 0)
					}
					require.Equal(t, whole, parts, precision)
				}
			})
		})
	}
}
