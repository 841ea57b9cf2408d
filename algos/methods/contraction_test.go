package methods

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"repro/algos"
	"repro/algos/algostest"
	"repro/algos/compute"
	"repro/algos/kernels"
	"repro/algos/losses"
	"repro/algos/schedules"
)

// solvable is a problem of 40 rows whose kernel matrix has the condition number 100 or so.
func solvable(nu float64) *algos.Problem {
	p := algostest.Problem(40, losses.Square{})
	p.Kernel, p.Nu = kernels.Laplace{Sigma: 0.5}, nu
	return p
}

// The gradient of every step is at most the contraction times that before it, and exactly that once the slowest direction is left:
// the bound has the step, ν, n and the preconditioner in their places.
func TestContractionIsMet(t *testing.T) {
	for name, c := range map[string]struct {
		nu float64
		a  algos.Algorithm
	}{
		"gd":            {0, &GD{Subsample: 40}},
		"gd with ν":     {0.05, &GD{Step: &schedules.Constant{Gamma0: 2}}},
		"gd, long step": {0.05, &GD{Step: &schedules.Constant{Gamma0: 7}}},
		"eigenpro":      {0, &EigenPro{EigenProSettings{Batch: 40, Directions: 5, Subsample: 40, Tau: 1, Decomposition: "rsvd", Flatten: "full", Rule: "full"}}},
		"sqrt":          {0, &EigenPro{EigenProSettings{Batch: 50, Directions: 3, Subsample: 20, Tau: 1, Decomposition: "rsvd", Flatten: "sqrt", Rule: "code"}}},
	} {
		t.Run(name, func(t *testing.T) {
			f := algostest.Start(t, c.a, solvable(c.nu))
			bound := algostest.Number(t, f, "contraction")
			assert.Equal(t, 1.0, algostest.Number(t, f, "relative-gradient"), "at f = 0")
			before, factor := 1.0, 0.0
			for range 5000 {
				algostest.Steps(t, f, 1)
				now := algostest.Number(t, f, "relative-gradient")
				if now < 1e-11 {
					break
				}
				factor = now / before
				require.LessOrEqual(t, factor, bound+1e-4) // rounding of what is left, 1e-11 of the gradient of 0
				before = now
			}
			assert.InDelta(t, bound, factor, 0.03*(1-bound), "what is left of the other directions, at 1e-11 of the gradient")
		})
	}
}

// The gradient is that of the objective, by dense algebra.
func TestRelativeGradient(t *testing.T) {
	p := solvable(0.05)
	f := algostest.Start(t, &GD{Step: &schedules.Constant{Gamma0: 1}}, p).(*gd)
	algostest.Steps(t, f, 5)
	x, y := p.Dense()
	u := f.Model().Predict(x)
	var g, first float64
	for i, v := range u.Data {
		g += math.Pow((v-y.Data[i])/40+0.05*f.Alpha[i], 2)
		first += math.Pow(y.Data[i]/40, 2)
	}
	assert.InDelta(t, math.Sqrt(g/first), f.RelativeGradient(), 1e-14)

	h := algostest.Start(t, &GD{Subsample: 40}, algostest.Problem(40, losses.Logistic{})).(*gd)
	assert.Equal(t, 1.0, h.RelativeGradient())
	_, err := h.contraction()
	assert.ErrorContains(t, err, "the square loss alone, not for logistic")
	_, err = algostest.Start(t, &GD{Step: &schedules.Inverse{Gamma0: 1, T0: 10}}, p).(*gd).contraction()
	assert.ErrorContains(t, err, "a constant step alone")
	batches := algostest.Start(t, &EigenPro{EigenProSettings{Batch: 39, Directions: 3, Subsample: 40, Tau: 1, Decomposition: "rsvd", Flatten: "sqrt", Rule: "code"}}, solvable(0)).(*eigenPro)
	_, err = batches.contraction()
	assert.ErrorContains(t, err, "all 40 rows, not 39")
}

// The contraction of FALKON follows from the eigenvalues of (K_nMᵀK_nM + nνK_MM) over n(K_MM²/M + νK_MM), which has no factors in
// it; and the error of conjugate gradients keeps the bound 2ρ^t.
func TestContractionOfConjugateGradients(t *testing.T) {
	const n, m = 40, 10
	p := solvable(0.01)
	f := algostest.Start(t, &Falkon{Landmarks: m}, p).(*falkon)
	knm, kmm := mat.NewDense(n, m, compute.Entries(f.k).Data), mat.NewDense(m, m, f.kmm.Data)
	var left, scaled, right mat.Dense
	left.Mul(knm.T(), knm)
	scaled.Scale(n*p.Nu, kmm)
	left.Add(&left, &scaled)
	right.Mul(kmm, kmm)
	right.Scale(n/float64(m), &right)
	ratio := ridge(t, &right, n*p.Nu, kmm, &left)
	var eigen mat.Eigen
	require.True(t, eigen.Factorize(ratio, mat.EigenNone))
	var values []float64
	for _, v := range eigen.Values(nil) {
		values = append(values, real(v))
	}
	root := math.Sqrt(floats.Max(values) / floats.Min(values))
	bound, err := f.contraction()
	require.NoError(t, err)
	assert.InDelta(t, (root-1)/(root+1), bound, 1e-7, "the jitter of 1e-10")

	assert.Equal(t, 1.0, f.relativeGradient())
	for step := 1; step <= 8; step++ {
		algostest.Steps(t, f, 1)
		assert.LessOrEqual(t, f.relativeGradient(), 2*root*math.Pow(bound, float64(step)))
		assert.InDelta(t, f.Scale[0]*floats.Norm(f.Residual, 2)/floats.Norm(f.b.Data, 2), f.relativeGradient(), 1e-12)
	}
	algostest.Steps(t, f, 20)
	assert.Less(t, f.relativeGradient(), 1e-12)
	assert.Positive(t, f.relativeGradient(), "rounding stays")
}

// SVRG knows the gradient at its snapshots: after every pass that computes one.
func TestSVRGGradient(t *testing.T) {
	p := algostest.Problem(40, losses.Square{})
	f := algostest.Start(t, &SVRGRF{Batch: 10, Features: 12, Inner: 2}, p).(*svrg)
	x, y := p.Dense()
	gradient := func(w []float64) float64 {
		u := f.Z.Apply(f.Z.At(x), f.View(w))
		u.AddScaled(-1, y)
		g := f.Z.Block(f.Z.At(x), u, 0, f.Z.Width())
		g.Scale(1. / 40)
		g.AddScaled(p.Nu, f.View(w))
		return floats.Norm(g.Data, 2)
	}
	first := gradient(make([]float64, len(f.Alpha)))
	for pass := range 9 {
		snapshot := append([]float64(nil), f.Alpha...)
		if pass%3 == 0 {
			assert.True(t, math.IsNaN(f.relativeGradient()))
			algostest.Steps(t, f, 1)
			assert.True(t, math.IsNaN(f.relativeGradient()), "a part of the rows")
			algostest.Steps(t, f, 3)
			assert.InDelta(t, gradient(snapshot)/first, f.relativeGradient(), 1e-13, "pass %d", pass)
			continue
		}
		known := f.relativeGradient()
		algostest.Steps(t, f, 3)
		assert.Equal(t, known, f.relativeGradient(), "until the next snapshot")
		algostest.Steps(t, f, 1)
	}
}
