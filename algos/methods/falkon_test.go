package methods

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"repro/algos/algostest"
	"repro/algos/compute"
	"repro/algos/kernels"
	"repro/algos/losses"
)

// With all rows as landmarks it converges to kernel ridge regression; with fewer, to the solution of
// (K_nMᵀ K_nM + nν K_MM) α = K_nMᵀ y, by dense algebra.
func TestFalkonConverges(t *testing.T) {
	const n = 60
	p := algostest.Problem(n, losses.Square{})
	p.Nu = 1e-3
	x := algostest.Queries(3)
	krr := algostest.Start(t, &KRR{}, p)
	algostest.Steps(t, krr, 1)
	f := algostest.Start(t, &Falkon{Landmarks: n}, p)
	algostest.Steps(t, f, 30)
	assert.InDeltaSlice(t, krr.Model().Predict(x).Data, f.Model().Predict(x).Data, 1e-9) // condition number of K 1e5

	const m = 15
	f = algostest.Start(t, &Falkon{Landmarks: m}, p)
	algostest.Steps(t, f, 30)
	rows, y := p.Dense()
	z := rows.Select(compute.NewStream(p.Seed, "landmarks", 0).Perm(n)[:m])
	kernel := func(a, b compute.Matrix) *mat.Dense {
		k := mat.NewDense(a.Rows, b.Rows, nil)
		for i := range a.Rows {
			for j := range b.Rows {
				k.Set(i, j, algostest.Gaussian(a.Row(i), b.Row(j)))
			}
		}
		return k
	}
	knm, kmm := kernel(rows, z), kernel(z, z)
	var left, right, alpha, want mat.Dense
	left.Mul(knm.T(), knm)
	kmm.Scale(n*p.Nu, kmm)
	left.Add(&left, kmm)
	right.Mul(knm.T(), mat.NewDense(n, 2, y.Data))
	require.NoError(t, alpha.Solve(&left, &right))
	want.Mul(kernel(x, z), &alpha)
	assert.InDeltaSlice(t, want.RawMatrix().Data, f.Model().Predict(x).Data, 1e-9)
}

// The preconditioner makes K_MM's condition number irrelevant: with all rows as landmarks the matrix is the
// identity, up to the jitter, and one iteration solves the problem.
func TestFalkonPreconditioner(t *testing.T) {
	p := algostest.Problem(40, losses.Square{})
	p.Nu = 1e-4
	krr, f := algostest.Start(t, &KRR{}, p), algostest.Start(t, &Falkon{Landmarks: 40}, p)
	algostest.Steps(t, krr, 1)
	algostest.Steps(t, f, 1)
	x := algostest.Queries(3)
	assert.InDeltaSlice(t, krr.Model().Predict(x).Data, f.Model().Predict(x).Data, 1e-8)
}

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

func TestFalkonNeedsARidgeAboveRounding(t *testing.T) {
	p := algostest.Repeated(30)
	p.Engine, p.Nu = compute.NewEngine(compute.Options{Threads: 1, Precision: compute.Float32}), 1e-12
	_, err := (&Falkon{Landmarks: 20, Jitter: 1e-10}).Start(p)
	assert.EqualError(t, err, `falkon: the ridge of nu = 1e-12 is lost in the rounding errors of float32; raise nu to 6e-09, or set precision = "float64"`)
}

// The jitter is M times the setting, in single precision at least M·10⁻⁵ of the mean diagonal of K_MM.
func TestFalkonJitter(t *testing.T) {
	k := compute.FromRows([][]float64{{1, 0, 0}, {0, 2, 0}, {0, 0, 3}})
	for precision, want := range map[compute.Precision][2]float64{compute.Float64: {3e-10, 3e-3}, compute.Float32: {3 * 2e-5, 3e-3}} {
		e := compute.NewEngine(compute.Options{Precision: precision})
		assert.InEpsilonSlice(t, want[:], []float64{jitterOf(e, k, 1e-10), jitterOf(e, k, 1e-3)}, 1e-12)
	}
}
