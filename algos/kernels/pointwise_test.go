package kernels

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"

	"repro/algos/compute"
)

// plainGaussian is the Gaussian kernel as somebody else may write it.
type plainGaussian struct{ sigma float64 }

func (plainGaussian) Name() string { return "plain-gaussian" }

func (k plainGaussian) At(x, z []float64) float64 {
	sum := 0.0
	for l, v := range x {
		sum += (v - z[l]) * (v - z[l])
	}
	return math.Exp(-sum / (2 * k.sigma * k.sigma))
}

func TestOfGivesTheNumbersOfABuiltInKernel(t *testing.T) {
	for _, c := range []struct {
		precision compute.Precision
		tolerance float64
	}{
		// The sums of 9 squares, up to about 60 here, and the exponential are rounded differently: a few ulps of
		// the exponent, times a kernel of at most 1.
		{compute.Float64, 1e-14},
		{compute.Float32, 1e-5},
	} {
		e := compute.NewEngine(compute.Options{Precision: c.precision})
		x, z := points(70, 9), points(33, 9)
		k := Of(plainGaussian{2})
		want, got := e.KernelMatrix(Gaussian{2}, x, z), e.KernelMatrix(k, x, z)
		assert.InDeltaSlice(t, want.Data, got.Data, c.tolerance, "%s", c.precision)
		symmetric := e.KernelMatrix(k, x, x)
		assert.InDeltaSlice(t, e.KernelMatrix(Gaussian{2}, x, x).Data, symmetric.Data, c.tolerance)

		v := points(33, 3)
		product, check := compute.NewMatrix(70, 3), compute.NewMatrix(70, 3)
		e.Kernel(k, x, z).MulTo(product, v)
		e.Kernel(Gaussian{2}, x, z).MulTo(check, v)
		assert.InDeltaSlice(t, check.Data, product.Data, 100*c.tolerance) // sums of 33 products
	}
	assert.True(t, Of(plainGaussian{2}) == Of(plainGaussian{2}), "kernels are comparable values")
	assert.False(t, Of(plainGaussian{2}) == Of(plainGaussian{3}))
}
