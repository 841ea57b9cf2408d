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
	"repro/algos/schedules"
)

// TestPreconditionedDSGByHand makes one preconditioned iteration from its formula, with naive
// features and gonum's LU solver.
func TestPreconditionedDSGByHand(t *testing.T) {
	testPreconditionedDSG(t, 5, algostest.Inputs, algostest.Targets)
	// More examples than have their features in memory at a time.
	n := gradientRows + 100
	x, y := make([][]float64, n), make([]float64, n)
	s := compute.NewStream(1, "many", 0)
	for i := range x {
		x[i], y[i] = []float64{s.Normal(), s.Normal()}, s.Normal()
	}
	testPreconditionedDSG(t, n-10, x, y)
}

func testPreconditionedDSG(t *testing.T, B int, inputs [][]float64, targets []float64) {
	const F, gamma, rho = 3, 0.7, 0.2
	p := algostest.Single(inputs, targets, losses.Square{}, 0.3)
	maps := kernels.Gaussian{Sigma: 0.8}.Features(p.Seed, 2, F)
	phi := mat.NewDense(B, F, nil)
	r := mat.NewVecDense(B, nil)
	for b := range B {
		for i := range F {
			phi.Set(b, i, naiveFeature(maps, 0, i, inputs[b]))
		}
		r.SetVec(b, 0-targets[b]) // l'(f_1(x_b), y_b) with f_1 = 0
	}
	var c, alpha mat.Dense
	c.Mul(phi.T(), phi)
	c.Scale(1/float64(B), &c)
	for i := range F {
		c.Set(i, i, c.At(i, i)+rho)
	}
	var g mat.VecDense
	g.MulVec(phi.T(), r)
	g.ScaleVec(-gamma/float64(B), &g)
	require.NoError(t, alpha.Solve(&c, &g))

	f := algostest.Start(t, &DSG{DSGSettings: DSGSettings{Batch: B, Block: F, Step: &schedules.Constant{Gamma0: gamma}}, Precondition: rho}, p)
	algostest.Steps(t, f, 1)
	mustEqualAt(t, func(x []float64) (u float64) {
		for i := range F {
			u += alpha.At(i, 0) * naiveFeature(maps, 0, i, x)
		}
		return u
	}, f.Model())
}

// TestLargeRidgeIsPlainDSG: for ρ far above the covariance the preconditioned update is the plain one
// with step γF/ρ.
func TestLargeRidgeIsPlainDSG(t *testing.T) {
	const F, rho = 4, 1e9
	p := algostest.Problem(50, losses.Square{})
	plain := algostest.Start(t, &DSG{DSGSettings: DSGSettings{Batch: 7, Block: F, Step: &schedules.Constant{Gamma0: 0.5}}}, p)
	conditioned := algostest.Start(t, &DSG{DSGSettings: DSGSettings{Batch: 7, Block: F, Step: &schedules.Constant{Gamma0: 0.5 * rho / F}}, Precondition: rho}, p)
	p.Nu = 0 // shrinking goes with γ itself, which differs
	algostest.Steps(t, plain, 10)
	algostest.Steps(t, conditioned, 10)
	in, _ := p.Train.Dims()
	x := algostest.Queries(in)
	// The covariance is at most 2F, so the updates differ by 2F/ρ = 8e-9 of their size at most.
	assert.InDeltaSlice(t, column(plain.Model().Predict(x)), column(conditioned.Model().Predict(x)), 1e-7)
}
