package methods

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/algos"
	"repro/algos/algostest"
	"repro/algos/kernels"
	"repro/algos/losses"
	"repro/algos/parts"
	"repro/algos/schedules"
)

// naiveZ returns z(x) = r^(-1/2) (φ_{ω_1}(x), …, φ_{ω_r}(x)) of r-pegasos.
func naiveZ(p *algos.Problem, r int, x []float64) []float64 {
	maps := kernels.Gaussian{Sigma: 0.8}.Features(p.Seed, len(x), r)
	z := make([]float64, r)
	for j := range z {
		z[j] = naiveFeature(maps, 0, j, x) / math.Sqrt(float64(r))
	}
	return z
}

func dot(a, b []float64) (s float64) {
	for i, v := range a {
		s += v * b[i]
	}
	return s
}

// TestRPegasosHingeByHand makes two iterations with Pegasos' own step 1/(νt), batches of two.
func TestRPegasosHingeByHand(t *testing.T) {
	const nu, r, B = 0.4, 6, 2
	p := algostest.Single(algostest.Inputs, handLabels, losses.Hinge{}, nu)
	f := algostest.Start(t, &RPegasos{PegasosSettings{Batch: B, Features: r, Average: true}}, p).(*linearSGD)
	z := func(i int) []float64 { return naiveZ(p, r, algostest.Inputs[i]) }

	// w_1 = 0: both examples are within the margin. w_2 = (1 - 1) w_1 + (1/ν)(1/B) Σ_b y_b z(x_b).
	w2 := make([]float64, r)
	for j := range w2 {
		w2[j] = (handLabels[0]*z(0)[j] + handLabels[1]*z(1)[j]) / (nu * B)
	}
	algostest.Steps(t, f, 1)
	assert.InDeltaSlice(t, w2, f.Alpha, handTolerance)

	// w_3 = (1 - 1/2) w_2 + (1/(2ν))(1/B) Σ_{b: y_b⟨w_2, z_b⟩ < 1} y_b z(x_b).
	w3, inside := make([]float64, r), 0
	for j := range w3 {
		w3[j] = w2[j] / 2
	}
	for b := 2; b < 4; b++ {
		if handLabels[b]*dot(w2, z(b)) < 1 {
			inside++
			for j := range w3 {
				w3[j] += handLabels[b] * z(b)[j] / (2 * nu * B)
			}
		}
	}
	require.NotZero(t, inside)
	algostest.Steps(t, f, 1)
	assert.InDeltaSlice(t, w3, f.Alpha, handTolerance)
	mustEqualAt(t, func(x []float64) float64 { return dot(w3, naiveZ(p, r, x)) }, f.Model())
	mustEqualAt(t, func(x []float64) float64 { return (dot(w2, naiveZ(p, r, x)) + dot(w3, naiveZ(p, r, x))) / 2 }, f.Average())
}

// TestPegasosProjection checks ‖w‖ ≤ 1/√ν after every step, that the line matters, and that it changes
// nothing where it is not needed.
func TestPegasosProjection(t *testing.T) {
	const nu = 0.05
	run := func(projection bool, gamma schedules.Schedule, check func(norm float64)) *linearSGD {
		a := &RPegasos{PegasosSettings{Batch: 1, Features: 12, Projection: projection, Step: gamma}}
		f := algostest.Start(t, a, algostest.Single(algostest.Inputs, handLabels, losses.Hinge{}, nu)).(*linearSGD)
		for range 20 {
			algostest.Steps(t, f, 1)
			check(math.Sqrt(dot(f.Alpha, f.Alpha)))
		}
		return f
	}
	longest := 0.0
	run(false, nil, func(norm float64) { longest = max(longest, norm) })
	require.Greater(t, longest, 1.5/math.Sqrt(nu), "without it w leaves the ball")
	longest = 0
	run(true, nil, func(norm float64) {
		longest = max(longest, norm)
		assert.LessOrEqual(t, norm, (1+1e-14)/math.Sqrt(nu)) // the scaling of w rounds
	})
	assert.InEpsilon(t, 1/math.Sqrt(nu), longest, 1e-14, "the ball is reached")

	small, longest := &schedules.Constant{Gamma0: 1.5}, 0.0
	inside := run(false, small, func(norm float64) { longest = max(longest, norm) })
	require.InDelta(t, 0.75/math.Sqrt(nu), longest, 0.24/math.Sqrt(nu), "close to the ball's surface")
	assert.Equal(t, inside.Alpha, run(true, small, func(float64) {}).Alpha, "nothing to project")
}

// TestNPegasosConvergesToKRR: with all training rows as landmarks the Nyström features span k(x_i, ·).
func TestNPegasosConvergesToKRR(t *testing.T) {
	const n = 30
	for _, jitter := range []float64{1e-10, 1e-12} {
		exact := algostest.Start(t, &KRR{}, algostest.Problem(n, losses.Square{}))
		algostest.Steps(t, exact, 1)
		a := &NPegasos{PegasosSettings: PegasosSettings{Batch: n, Features: n, Step: &schedules.Constant{Gamma0: 1.2}}, NystromSettings: parts.NystromSettings{Jitter: jitter}}
		f := algostest.Start(t, a, algostest.Problem(n, losses.Square{}))
		algostest.Steps(t, f, 120)
		x := algostest.Queries(3)
		want, got := exact.Model().Predict(x), f.Model().Predict(x)
		// Errors contract by max |1 - γ(ν + λ)|, λ ∈ [0, 1): 0.85¹²⁰ = 3e-9. Dropped directions have
		// eigenvalues below 1e-10·n and change f by at most √(1e-10·30)·‖f‖ = 5e-5·‖f‖, in practice far less.
		assert.InDeltaSlice(t, want.Data, got.Data, 1e-6, "jitter %v", jitter)
	}
}

// TestNPegasosLandmarks checks that landmarks are distinct training rows, drawn with the seed.
func TestNPegasosLandmarks(t *testing.T) {
	seen := map[string]bool{}
	for seed := range uint64(3) {
		p := algostest.Problem(20, losses.Hinge{})
		p.Seed = seed
		algostest.Start(t, &NPegasos{PegasosSettings: PegasosSettings{Batch: 1, Features: 8}, NystromSettings: parts.UsualNystrom()}, p)
		rows := p.Train.(*algostest.Samples).Gathered[0]
		assert.Len(t, rows, 8)
		distinct := map[int]bool{}
		for _, r := range rows {
			distinct[r] = true
		}
		assert.Len(t, distinct, 8)
		seen[fmt.Sprint(rows)] = true
	}
	assert.Len(t, seen, 3, "other seeds, other landmarks")
}

func TestPegasosErrors(t *testing.T) {
	p := algostest.Problem(10, losses.Hinge{})
	_, err := (&NPegasos{PegasosSettings: PegasosSettings{Batch: 1, Features: 11}}).Start(p)
	require.ErrorIs(t, err, algos.ErrUnsupported)
	assert.ErrorContains(t, err, "n-pegasos draws 11 landmarks from 10 training rows")

	p.Nu = 0
	for _, s := range []PegasosSettings{
		{Batch: 1, Features: 4},
		{Batch: 1, Features: 4, Step: &schedules.Constant{Gamma0: 1}, Projection: true},
	} {
		_, err := (&RPegasos{s}).Start(p)
		require.ErrorIs(t, err, algos.ErrUnsupported)
		assert.ErrorContains(t, err, "ν > 0")
	}
	algostest.Start(t, &RPegasos{PegasosSettings{Batch: 1, Features: 4, Step: &schedules.Constant{Gamma0: 1}}}, p)
}
