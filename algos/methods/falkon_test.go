package methods

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"repro/algos/algostest"
	"repro/algos/compute"
	"repro/algos/kernels"
	"repro/algos/losses"
)

// In float32 the rounding errors of K_MM are larger than the jitter of float64. The default works all the same.
func TestFalkonInSinglePrecision(t *testing.T) {
	p := algostest.Problem(400, losses.Square{})
	p.Nu, p.Kernel = 1e-3, kernels.Gaussian{Sigma: 2}
	rows, _ := p.Dense()
	predict := func(precision compute.Precision) []float64 {
		p.Engine = compute.NewEngine(compute.Options{Threads: 1, Precision: precision})
		f := algostest.Start(t, &Falkon{Landmarks: 300, Jitter: 1e-10}, p)
		algostest.Steps(t, f, 20)
		return f.Model().Predict(rows).Data
	}
	assert.InDeltaSlice(t, predict(compute.Float64), predict(compute.Float32), 5e-3)
}

// Where rows repeat and kernels are smooth, falkon is done when rounding errors are all that is left, and its objective then is not above what
// it was after a few steps, but for those of its system: the unit of rounding over the jitter.
func TestFalkonIsDoneWhereRoundingErrorsBegin(t *testing.T) {
	for _, precision := range []compute.Precision{compute.Float64, compute.Float32} {
		for _, sigma := range []float64{0.3, 3, 100} {
			for _, nu := range []float64{1e-2, 1e-7, 1e-10} {
				if precision == compute.Float32 && nu < 1e-8 {
					continue
				}
				p := algostest.Repeated(90)
				p.Engine = compute.NewEngine(compute.Options{Threads: 1, Precision: precision})
				p.Kernel, p.Nu = kernels.Gaussian{Sigma: sigma}, nu
				f := algostest.Start(t, &Falkon{Landmarks: 60, Jitter: 1e-10}, p).(*falkon)
				algostest.Steps(t, f, 10)
				early := algostest.Objective(p, f)
				algostest.Steps(t, f, 1000)
				assert.True(t, f.Solved() || precision == compute.Float32, "%s, σ = %g, ν = %g", precision, sigma, nu)
				rounding := map[compute.Precision]float64{compute.Float64: 0x1p-53 / 1e-10, compute.Float32: 0x1p-24 / singleJitter}[precision]
				assert.LessOrEqual(t, algostest.Objective(p, f), early*(1+rounding), "%s, σ = %g, ν = %g", precision, sigma, nu)
			}
		}
	}
}

// The jitter is M times the setting, in single precision at least M·10⁻⁵ of the mean diagonal of K_MM.
func TestFalkonJitter(t *testing.T) {
	k := compute.FromRows([][]float64{{1, 0, 0}, {0, 2, 0}, {0, 0, 3}})
	for precision, want := range map[compute.Precision][2]float64{compute.Float64: {3e-10, 3e-3}, compute.Float32: {3 * 2e-5, 3e-3}} {
		e := compute.NewEngine(compute.Options{Precision: precision})
		assert.InEpsilonSlice(t, want[:], []float64{jitterOf(e, k, 1e-10), jitterOf(e, k, 1e-3)}, 1e-12)
	}
}
