package methods

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"repro/algos/algostest"
	"repro/algos/compute"
	"repro/algos/kernels"
	"repro/algos/losses"
)

// A preconditioned iteration from its formula, with naive features and gonum's solver; of a small batch, and of more examples than have
// their features in memory at a time.
func TestPreconditionedDSGByHand(t *testing.T) {
	const F, gamma, rho = 3, 0.7, 0.2
	n := gradientRows + 100
	inputs, targets, s := compute.NewMatrix(n, 2), make([]float64, n), compute.NewStream(1, "many", 0)
	for i := range n {
		inputs.Set(i, 0, s.Normal())
		inputs.Set(i, 1, s.Normal())
		targets[i] = s.Normal()
	}
	for _, B := range []int{5, n - 10} {
		p := algostest.Problem(n, losses.Square{})
		p.FileOrder = true
		p.Train = &algostest.Samples{X: inputs, Y: compute.Matrix{Rows: n, Cols: 1, Stride: 1, Data: targets}}
		features := featuresOf(p.Kernel.(kernels.Featured).Features(p.Seed, 2, F), 0, 2)
		phi, y := mat.NewDense(B, F, nil), mat.NewVecDense(B, targets[:B]) // l'(f_1(x_b), y_b) = -y with f_1 = 0
		for b := range B {
			phi.SetRow(b, features(inputs.Row(b)))
		}
		var c, g mat.Dense
		c.Mul(phi.T(), phi)
		c.Scale(1/float64(B), &c)
		g.Mul(phi.T(), y)
		g.Scale(gamma/float64(B), &g)
		alpha := ridge(t, &c, rho, identity(F), &g).RawMatrix().Data
		f := after(t, &DSG{DSGSettings: DSGSettings{Batch: B, Block: F, Step: constant(gamma)}, Precondition: rho}, p, 1)
		mustEqualAt(t, func(x []float64) float64 { return floats.Dot(alpha, features(x)) }, f.Model(), handTolerance)
	}
}

// For ρ far above the covariance the preconditioned update is the plain one with step γF/ρ.
func TestLargeRidgeIsPlainDSG(t *testing.T) {
	const F, rho = 4, 1e9
	p, x := squares(50, 0), algostest.Queries(3) // shrinking goes with γ itself, which differs
	plain := after(t, &DSG{DSGSettings: DSGSettings{Batch: 7, Block: F, Step: constant(0.5)}}, p, 10)
	conditioned := after(t, &DSG{DSGSettings: DSGSettings{Batch: 7, Block: F, Step: constant(0.5 * rho / F)}, Precondition: rho}, p, 10)
	// The covariance is at most 2F, so the updates differ by 2F/ρ = 8e-9 of their size at most.
	assert.InDeltaSlice(t, at(plain, x), at(conditioned, x), 1e-7)
}
