package parts

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"repro/algos/algostest"
	"repro/algos/kernels"
	"repro/algos/losses"
)

// κ is the largest diagonal entry of K, which differs from row to row where a kernel is not one of distances.
func TestKappa(t *testing.T) {
	p := algostest.Problem(40, losses.Square{})
	p.Kernel = kernels.Polynomial{Sigma: 0.7, Offset: 0.5, Degree: 2}
	g := NewUnstoredGram(p)
	want := 0.0
	for i := range g.X.Rows {
		square := 0.0
		for _, v := range g.X.Row(i) {
			square += v * v
		}
		want = max(want, (square/0.49+0.5)*(square/0.49+0.5))
	}
	assert.InEpsilon(t, want, g.Kappa(), 1e-12) // three roundings of numbers near it
	assert.NotEqual(t, 1.0, want)
}
