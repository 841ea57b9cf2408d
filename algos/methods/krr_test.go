package methods

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/algos"
	"repro/algos/algostest"
	"repro/algos/kernels"
	"repro/algos/losses"
)

// TestKRRResidual checks (K + nνI) α = y with a naive K, and that predictions are k(x, X) α.
func TestKRRResidual(t *testing.T) {
	for _, n := range []int{1, 2, 40, 130} {
		p := algostest.Problem(n, losses.Square{})
		f := algostest.Start(t, &KRR{}, p).(*krr)
		progress, err := f.Step()
		require.NoError(t, err)
		require.Equal(t, algos.Progress{Seen: n, Done: true}, progress)
		x, y := p.Dense()
		for o := range 2 {
			for i := range n {
				left := float64(n) * p.Nu * f.Alpha[2*i+o]
				for j := range n {
					left += algostest.Gaussian(x.Row(i), x.Row(j)) * f.Alpha[2*j+o]
				}
				// The condition number is at most (n + nν)/(nν) = 9; rounding of 130 terms.
				require.InDelta(t, y.At(i, o), left, 1e-12)
			}
		}
		z := algostest.Queries(3)
		u := f.Model().Predict(z)
		for i := range z.Rows {
			for o := range 2 {
				want := 0.0
				for j := range n {
					want += f.Alpha[2*j+o] * algostest.Gaussian(x.Row(j), z.Row(i))
				}
				require.InDelta(t, want, u.At(i, o), 1e-12)
			}
		}
	}
}

// TestKRRInterpolates: without regularisation predictions at the training points are the targets.
func TestKRRInterpolates(t *testing.T) {
	p := algostest.Single(algostest.Inputs, algostest.Targets, losses.Square{}, 0)
	f := algostest.Start(t, &KRR{}, p)
	algostest.Steps(t, f, 1)
	x, y := p.Dense()
	assert.InDeltaSlice(t, y.Data, f.Model().Predict(x).Data, 1e-10) // condition number about 1e3
}

func TestKRRBeforeItsStepPredictsZero(t *testing.T) {
	f := algostest.Start(t, &KRR{}, algostest.Problem(10, losses.Square{}))
	for _, v := range f.Model().Predict(algostest.Queries(3)).Data {
		assert.Zero(t, v)
	}
}

func TestKRRErrors(t *testing.T) {
	_, err := (&KRR{}).Start(algostest.Problem(10, losses.Hinge{}))
	require.ErrorIs(t, err, algos.ErrUnsupported)
	assert.EqualError(t, err, "method does not apply: krr needs the square loss, not hinge")

	twins := [][]float64{{1, 2}, {1, 2}, {0, 0}}
	f := algostest.Start(t, &KRR{}, algostest.Single(twins, []float64{1, 2, 3}, losses.Square{}, 0))
	_, err = f.Step()
	assert.EqualError(t, err, "krr: K + nνI is not positive definite in float64 (n = 3, nν = 0); raise nu")
}

// A condition number of 10¹⁶ and more is refused.
func TestKRRRefusesByTheConditionNumber(t *testing.T) {
	for smallest, says := range map[float64]string{1e-15: "", 1e-17: "krr: K + nνI is too ill-conditioned to solve"} {
		p := algostest.Single([][]float64{{1, 0}, {0, math.Sqrt(smallest)}}, []float64{1, 2}, losses.Square{}, 0)
		p.Kernel = kernels.Linear{Sigma: 1}
		_, err := algostest.Start(t, &KRR{}, p).Step()
		if says == "" {
			assert.NoError(t, err)
		} else {
			assert.ErrorContains(t, err, says)
		}
	}
}
