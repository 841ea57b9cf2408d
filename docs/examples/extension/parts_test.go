package smoothing

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"

	"repro/algos/losses"
	"repro/cmd/repro/clitest"
)

// At a distance of σ√3 and with α = 1/2 the kernel is (1 + 3)^(-1/2).
func TestRationalQuadratic(t *testing.T) {
	k := RationalQuadratic{Sigma: 2, Alpha: 0.5}
	assert.InDelta(t, 0.5, k.At([]float64{1, 1}, []float64{1, 1 + 2*math.Sqrt(3)}), 1e-15)
	assert.Equal(t, 1.0, k.At([]float64{1, 1}, []float64{1, 1}))
}

// The gradient is the derivative of the value, and the value log cosh where that does not overflow.
func TestLogCosh(t *testing.T) {
	l := LogCosh{Scale: 2}
	const h = 1e-5
	for _, u := range []float64{-3, 0.25, 1, 7} {
		var g [1]float64
		l.Gradient(g[:], []float64{u}, []float64{1})
		slope := (l.Value([]float64{u + h}, []float64{1}) - l.Value([]float64{u - h}, []float64{1})) / (2 * h)
		assert.InDelta(t, slope, g[0], 1e-9, "h² and the rounding of values over h")
		assert.InDelta(t, 4*math.Log(math.Cosh((u-1)/2)), l.Value([]float64{u}, []float64{1}), 1e-14)
	}
	assert.InEpsilon(t, 2e300, l.Value([]float64{1e300}, []float64{1}), 1e-15)
	assert.Equal(t, losses.Regression, losses.Task("log-cosh"))
}

// The program runs them by the names that a spec gives.
func TestKernelAndLossByName(t *testing.T) {
	t.Chdir(t.TempDir())
	out := clitest.Run(t, 0, "run", "smoothing/two-steps", "--profile", "smoke",
		"--set", `problem.kernel={ name = "rational-quadratic", bandwidth = 0.1, params = { alpha = 0.5 } }`)
	assert.NotContains(t, out, "failed")
	assert.Contains(t, clitest.Run(t, 0, "list", "losses"), "log-cosh")
}
