package methods

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/algos/algostest"
	"repro/algos/compute"
	"repro/algos/losses"
)

// TestKSVMBiasIsThatOfLIBSVM compares coefficients and bias with what svm-train 3.24 wrote for the same seven points,
// -t 2 -g 0.78125 -c 1/(7ν) -e 1e-12: the first C leaves all support vectors between their bounds, the others some.
func TestKSVMBiasIsThatOfLIBSVM(t *testing.T) {
	for _, c := range []struct {
		nu, rho float64
		alpha   []float64 // by training row
	}{
		{0.02, 0.63113115365365846, []float64{3.8382898319447922, -1.7460357013870285, 1.450703895903281, 0, -1.2912718982691069, 0, -2.2516861281919378}},
		{0.2, -0.11089806693379067, []float64{0.71428573131561279, -0.71428573131561279, 0.56858815136998286, 0.14569757994562993, -0.71428573131561279, 0.71428573131561279, -0.71428573131561279}},
		{2, -0.91108980483856794, []float64{0.071428574621677399, -0.071428574621677399, 0.056858816323165404, 0.014569758298511995, -0.071428574621677399, 0.071428574621677399, -0.071428574621677399}},
	} {
		p := algostest.Single(algostest.Inputs, handLabels, losses.Hinge{}, c.nu)
		f := algostest.Start(t, &KSVM{Gap: 1e-13, Bias: true}, p).(*ksvm)
		algostest.Steps(t, f, 1)
		got := make([]float64, 7)
		for i, row := range f.state.Rows {
			got[row] = f.Alpha[i]
		}
		// LIBSVM keeps its kernel matrix in float32: 6e-8 relative, times a condition number of some ten.
		for i, want := range c.alpha {
			assert.InDelta(t, want, got[i], 2e-6*(1+math.Abs(want)), "ν = %v, row %d", c.nu, i)
		}
		assert.InDelta(t, -c.rho, f.state.Bias[0], 2e-6, "ν = %v", c.nu)
		mustEqualAt(t, func(z []float64) float64 {
			sum := -c.rho
			for j, x := range algostest.Inputs {
				sum += c.alpha[j] * algostest.Gaussian(x, z)
			}
			return sum
		}, f.Model(), 1e-5)
	}
}

// TestKSVMBiasIsOptimal checks the conditions of optimality on more points, with a naive kernel: the coefficients of
// each output sum to zero, and the margin is 1 between the bounds, at most 1 at the upper and at least 1 at the lower.
func TestKSVMBiasIsOptimal(t *testing.T) {
	for _, c := range []struct {
		nu float64
		n  int
	}{{1e-4, 60}, {0.01, 60}, {0.2, 60}, {0.01, 600}} {
		nu, n := c.nu, c.n
		p := algostest.Problem(n, losses.Hinge{})
		p.Nu = nu
		f := algostest.Start(t, &KSVM{Gap: 1e-12, Bias: true}, p).(*ksvm)
		algostest.Steps(t, f, 1)
		x, y := p.Dense()
		u := f.Model().Predict(x)
		beta := compute.NewMatrix(n, 2)
		for i, row := range f.state.Rows {
			for o := range 2 {
				beta.Set(row, o, nu*float64(n)*f.Alpha[2*i+o]*y.At(row, o))
			}
		}
		for o := range 2 {
			sum := 0.0
			for i := range n {
				margin, b := y.At(i, o)*u.At(i, o), beta.At(i, o)
				sum += y.At(i, o) * b
				// P is flat at its minimum: a gap of 1e-12 leaves margins the square root of it, over ν.
				tolerance := 1e-6 / math.Sqrt(nu)
				if b > 1e-6 {
					assert.LessOrEqual(t, margin, 1+tolerance)
				}
				if b < 1-1e-6 {
					assert.GreaterOrEqual(t, margin, 1-tolerance)
				}
			}
			assert.InDelta(t, 0, sum, 1e-12)
		}
		assert.LessOrEqual(t, f.dualityGap(), 1e-12)
	}
}

// If all labels are equal, f is the bias.
func TestKSVMBiasOfOneClass(t *testing.T) {
	f := algostest.Start(t, &KSVM{Gap: 1e-8, Bias: true}, algostest.Single(algostest.Inputs[:2], []float64{-1, -1}, losses.Hinge{}, 0.1)).(*ksvm)
	algostest.Steps(t, f, 1)
	assert.Empty(t, f.state.Rows)
	require.Equal(t, []float64{-1}, f.state.Bias)
	assert.Equal(t, -1.0, f.Model().Predict(algostest.Queries(2)).At(3, 0))
}

// If all β_i are at their bounds, b is the middle of the interval that they leave: with f antisymmetric, 0.
func TestKSVMBiasBetweenBounds(t *testing.T) {
	f := algostest.Start(t, &KSVM{Gap: 1e-8, Bias: true}, algostest.Single([][]float64{{0}, {1}}, []float64{1, -1}, losses.Hinge{}, 100)).(*ksvm)
	algostest.Steps(t, f, 1)
	require.Len(t, f.state.Rows, 2)
	assert.InDelta(t, 0, f.state.Bias[0], 1e-12)
}
