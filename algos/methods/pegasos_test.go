package methods

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"repro/algos/algostest"
)

// Pegasos with batches of all rows is GD; two steps of three rows by hand.
func TestPegasosByHand(t *testing.T) {
	a, b := algostest.SmallSquare(), algostest.SmallSquare()
	all, whole := algostest.Start(t, &GD{Subsample: 7}, a), algostest.Start(t, &Pegasos{Batch: 7, Subsample: 7}, b)
	algostest.Steps(t, all, 5)
	algostest.Steps(t, whole, 5)
	assert.InDeltaSlice(t, all.(*gd).Alpha, whole.(*pegasos).Alpha, 1e-13)

	p := algostest.SmallSquare()
	p.Nu = 0.1
	g := algostest.NewExactGram(t, p)
	f := algostest.Start(t, &Pegasos{Batch: 3, Step: constant(0.9)}, p)
	algostest.Steps(t, f, 2)
	want := make([]float64, 7)
	for i := range 3 {
		want[i] = 0.9 * algostest.Targets[i] / 3
	}
	r := make([]float64, 3)
	for b, i := range []int{3, 4, 5} {
		r[b] = algostest.Targets[i]
		for j := range 3 {
			r[b] -= g.K.At(i, j) * want[j]
		}
	}
	for i := range 3 {
		want[i] *= 1 - 0.9*0.1
		want[3+i] = 0.9 * r[i] / 3
	}
	assert.InDeltaSlice(t, want, f.(*pegasos).Alpha, 1e-14)
}
