package methods

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"repro/algos/algostest"
)

// The eigenbasis changes nothing about gradient descent.
func TestGDSpectralIsGD(t *testing.T) {
	p := algostest.SmallSquare()
	f, g := algostest.Start(t, &GD{Step: constant(1.5)}, p), algostest.Start(t, &GDSpectral{Eta: 1.5}, p)
	x, _ := p.Dense()
	for range 40 {
		algostest.Steps(t, f, 1)
		algostest.Steps(t, g, 1)
		assert.InDeltaSlice(t, f.Model().Predict(x).Data, g.Model().Predict(x).Data, 1e-13)
	}
	own, exact := algostest.Start(t, &GD{Subsample: 7}, p), algostest.Start(t, &GDSpectral{}, p)
	algostest.Steps(t, own, 3)
	algostest.Steps(t, exact, 3)
	assert.InDeltaSlice(t, own.Model().Predict(x).Data, exact.Model().Predict(x).Data, 1e-13)
}
