package methods

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/algos"
	"repro/algos/algostest"
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

// TestKRRByHand solves three points by Cramer's rule.
func TestKRRByHand(t *testing.T) {
	const nu = 0.1
	x, y := algostest.Inputs[:3], algostest.Targets[:3]
	f := algostest.Start(t, &KRR{}, algostest.Single(x, y, losses.Square{}, nu))
	algostest.Steps(t, f, 1)

	a, b, c := algostest.Gaussian(x[0], x[1]), algostest.Gaussian(x[0], x[2]), algostest.Gaussian(x[1], x[2])
	d := 1 + 3*nu
	det := func(m [9]float64) float64 {
		return m[0]*(m[4]*m[8]-m[5]*m[7]) - m[1]*(m[3]*m[8]-m[5]*m[6]) + m[2]*(m[3]*m[7]-m[4]*m[6])
	}
	m := [9]float64{d, a, b, a, d, c, b, c, d}
	alpha := make([]float64, 3)
	for j := range alpha {
		mj := m
		for i := range 3 {
			mj[3*i+j] = y[i]
		}
		alpha[j] = det(mj) / det(m)
	}
	mustEqualAt(t, func(z []float64) float64 {
		return alpha[0]*algostest.Gaussian(x[0], z) + alpha[1]*algostest.Gaussian(x[1], z) + alpha[2]*algostest.Gaussian(x[2], z)
	}, f.Model())
}

// TestKRRStrongRegularisation: as nν grows, f tends to Σ y_i k(x_i, ·)/(nν).
func TestKRRStrongRegularisation(t *testing.T) {
	const nu = 1e8
	n := float64(len(algostest.Inputs))
	f := algostest.Start(t, &KRR{}, algostest.Single(algostest.Inputs, algostest.Targets, losses.Square{}, nu))
	algostest.Steps(t, f, 1)
	x := algostest.Queries(2)
	got := f.Model().Predict(x)
	for i := range x.Rows {
		want := 0.0
		for j, z := range algostest.Inputs {
			want += algostest.Targets[j] * algostest.Gaussian(z, x.Row(i)) / (n * nu)
		}
		// The next term of (K + nνI)^(-1) is ‖K‖/(nν) ≤ 1e-8 times as large, on sums of either sign.
		assert.InDelta(t, want, got.At(i, 0), 1e-7/(n*nu))
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
