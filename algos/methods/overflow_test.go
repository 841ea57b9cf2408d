package methods

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/algos"
	"repro/algos/algostest"
	"repro/algos/compute"
	"repro/algos/kernels"
	"repro/algos/losses"
	"repro/algos/parts"
)

// overflowing returns a problem whose kernel is infinite at its first row, in float64.
func overflowing(l losses.Loss) *algos.Problem {
	p := algostest.Problem(60, l)
	p.Kernel = kernels.Polynomial{Sigma: 1, Offset: 1, Degree: 4}
	x, _ := p.Dense()
	x.Row(0)[0] = 1e77
	return p
}

// Whatever the method, a kernel that overflows is the cause that the error names.
func TestOverflowIsNamed(t *testing.T) {
	for _, name := range algos.Names() {
		for _, l := range []losses.Loss{losses.Square{}, losses.Hinge{}} {
			_, err := algos.Train(overflowing(l), configured(t, name, nil), 3)
			assert.EqualError(t, err, "kernel polynomial: k(x, x) is +Inf in float64 at a training input with ‖x‖ = 1e+77; scale the inputs (data.scale), or choose a larger bandwidth", name)
		}
	}
	p := algostest.Problem(60, losses.Square{})
	x, _ := p.Dense()
	x.Row(7)[1] = 1e12
	p.Kernel = kernels.Polynomial{Sigma: 1, Degree: 2}
	assert.NoError(t, algos.Check(p))
	p.Engine = compute.NewEngine(compute.Options{Threads: 1, Precision: compute.Float32})
	assert.ErrorContains(t, algos.Check(p), "+Inf in float32")
	p.Train = algostest.Draw("train", 0, losses.Regression)
	assert.NoError(t, algos.Check(p), "no rows")
}

// Without the check every method ends all the same: no loop waits for a matrix that is not finite, or zero, to become positive definite.
func TestOverflowEnds(t *testing.T) {
	for _, name := range algos.Names() {
		for _, l := range []losses.Loss{losses.Square{}, losses.Hinge{}} {
			for _, bias := range []bool{false, true} {
				f, err := configured(t, name, map[string]any{"landmarks": 16, "features": 16, "centres": 16, "selection": parts.RPCholesky, "bias": bias}).Start(overflowing(l))
				for range 3 {
					if err == nil {
						_, err = f.Step()
					}
				}
			}
		}
	}
	e := compute.NewEngine(compute.Options{Threads: 1})
	for _, v := range []float64{0, math.Inf(1), math.NaN()} {
		a := compute.NewMatrix(2, 2)
		a.AddToDiagonal(v)
		_, ok := parts.Shifted(e, a, v*1e-16, v)
		assert.False(t, ok, "%v", v)
		_, ok = (&decomposition{e: e}).solveSemidefinite(a, compute.NewMatrix(2, 1))
		assert.False(t, ok, "%v", v)
	}
}

// Phases of 2²⁴ turns are noise in float32: such features are refused, and float64 named. Half a million bandwidths are not too many.
func TestPhasesFitSinglePrecision(t *testing.T) {
	start := func(name string, sigma float64, precision compute.Precision) error {
		p := algostest.Problem(60, losses.Square{})
		p.Engine, p.Kernel = compute.NewEngine(compute.Options{Threads: 1, Precision: precision}), kernels.Gaussian{Sigma: sigma}
		_, _, err := algostest.StartAny(configured(t, name, map[string]any{"features": 16, "directions": 5}), p)
		return err
	}
	for _, name := range []string{"random-features", "dsg", "cdsg", "udsg", "gp-operator", "r-pegasos", "sgd-rf", "eigenpro-rf", "svrg-rf"} {
		require.NoError(t, start(name, 1e-10, compute.Float64), name)
		require.NoError(t, start(name, 5e-6, compute.Float32), name)
		require.ErrorContains(t, start(name, 1e-10, compute.Float32), "random features in float32 have phases of", name)
		require.ErrorContains(t, start(name, 1e-7, compute.Float32), `and at most 1.1e+06 can be; set precision = "float64", or choose a larger bandwidth`, name)
	}
}
