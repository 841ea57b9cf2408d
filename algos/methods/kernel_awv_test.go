package methods

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"repro/algos"
	"repro/algos/algostest"
)

// Every one of 200 predictions is that of a direct solve, of Kernel-AWV with the current point and a target of 0 for it.
func TestOnlineKernelMethodsAreDirectSolves(t *testing.T) {
	const n, lambda = 200, 0.3
	for _, c := range []struct {
		algorithm algos.Algorithm
		current   int
	}{{&KernelAWV{}, 1}, {&OnlineKRR{}, 0}} {
		u, x, y := record(t, c.algorithm, squares(n, lambda/n), n)
		k, targets := kernelOf(algostest.Gaussian).matrix(x, x), dense(y)
		for i := range n {
			want, m := make([]float64, 2), i+c.current
			if m > 0 {
				alpha := ridge(t, k.Slice(0, m, 0, m), lambda, identity(m), past(targets, i).Slice(0, m, 0, 2))
				want = product(k.Slice(i, i+1, 0, m), alpha)
			}
			assert.InDeltaSlice(t, want, u[i], 1e-8, "%T, round %d", c.algorithm, i)
		}
	}
}
