package algos_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"repro/algos/algostest"
	"repro/algos/compute"
	"repro/algos/losses"
)

func TestKernelTargets(t *testing.T) {
	p := algostest.Problem(9, losses.Square{})
	at := algostest.Queries(3)
	q := algostest.KernelTargets(p, at)
	in, out := q.Train.Dims()
	assert.Equal(t, []int{9, 3, 11}, []int{q.Train.Len(), in, out})

	rows := []int{4, 0, 4, 8}
	x, y := compute.NewMatrix(len(rows), in), compute.NewMatrix(len(rows), out)
	q.Train.Gather(rows, x, y)
	all, _ := p.Dense()
	for i, r := range rows {
		assert.Equal(t, all.Row(r), x.Row(i))
		for j := range at.Rows {
			assert.InDelta(t, algostest.Gaussian(at.Row(j), all.Row(r)), y.At(i, j), 1e-15) // two roundings of an exponential
		}
	}
	assert.Zero(t, p.Engine.Counters(), "targets are data")
}
