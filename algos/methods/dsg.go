package methods

import (
	"fmt"

	"gonum.org/v1/gonum/mat"

	"repro/algos"
	"repro/algos/compute"
	"repro/algos/parts"
	"repro/algos/schedules"
)

var _ = algos.Register("dsg", "doubly stochastic functional gradient descent [dai2014 Algorithms 1 and 2]", func() algos.Algorithm {
	return &DSG{Batch: 1, Block: 1, Step: &schedules.Inverse{Gamma0: 1, T0: 1}}
})

// DSG is doubly stochastic functional gradient descent [dai2014 Algorithms 1 and 2]. Iteration t
// draws examples (x_b, y_b), b ≤ B, and F fresh random features φ_{ω_i}, and sets
//
//	α_i = -γ_t (1/(BF)) Σ_b l'(f_t(x_b), y_b) φ_{ω_i}(x_b)   for the F new features
//	α_j = (1 - γ_t ν) α_j                                    for all older ones
//	f_t(x) = Σ_j α_j φ_{ω_j}(x)
//
// Features are redrawn from (seed, t) instead of being stored.
//
// With a preconditioner ρ > 0, the empirical covariance that dai2014 §4 suggests after eq. (7) and that
// the authors' released code uses, the new coefficients are instead, φ_t(x) ∈ R^F the block's features,
//
//	α = -γ_t ((1/B) Σ_b φ_t(x_b) φ_t(x_b)ᵀ + ρI)⁻¹ (1/B) Σ_b l'(f_t(x_b), y_b) φ_t(x_b)
//
// For large ρ that is the plain update with step γ_tF/ρ.
//
// The loss novelty has a threshold τ, which every iteration moves by its own gradient step, τ_t =
// τ_{t-1} + γ_t(ν + (1/B) Σ_b l'(f_t(x_b) - τ_{t-1})) [dai2014 §4]; the predictor is then f - τ.
//
// Departures. The printed algorithm has B = F = 1; averaging over a block of features needs the
// factor 1/F for the block to estimate k, which the paper's text leaves out. Examples are taken
// without replacement within an epoch.
type DSG struct {
	Batch   int                `toml:"batch" want:"> 0" doc:"examples B per iteration"`
	Block   int                `toml:"block" want:"> 0" doc:"new random features F per iteration"`
	Step    schedules.Schedule `toml:"step" doc:"step sizes γ_t"`
	Average bool               `toml:"average" doc:"also keep the averaged iterate (1/t) Σ f_i"`

	Precondition float64 `toml:"precondition" want:">= 0" doc:"ridge ρ of the preconditioner, the empirical covariance of the block's features plus ρI [dai2014 §4]; 0 for no preconditioner"`
}

type dsg struct {
	parts.Additive
	settings *DSG
	p        *algos.Problem
	order    parts.Order
	features compute.FeatureMap
}

// Fits implements Declarer.
func (*DSG) Fits() algos.Fit { return (*dsg)(nil) }

// Start implements Algorithm. It needs a kernel with random features.
func (a *DSG) Start(p *algos.Problem) (algos.Fit, error) {
	k, err := parts.Featured("dsg", p)
	if err != nil {
		return nil, err
	}
	in, _ := p.Train.Dims()
	f := &dsg{settings: a, p: p, order: parts.NewOrder(p), features: k.Features(p.Seed, in, a.Block)}
	f.Additive = parts.NewAdditive(p, a.Average, f.apply)
	return f, nil
}

// Step implements Fit.
func (f *dsg) Step() (algos.Progress, error) {
	rows, x, y := f.order.Batch(f.Seen, f.settings.Batch)
	gamma := f.settings.Step.Gamma(f.T + 1)

	r := f.Predict(x)
	if !parts.Residual(f.p, r, y) {
		return algos.Progress{}, parts.Diverged(f.T + 1)
	}
	alpha, err := f.gradient(x, r)
	if err != nil {
		return algos.Progress{}, err
	}
	alpha.Scale(-gamma)

	f.LearnThreshold(gamma, f.p.Nu, r)
	f.Grow(1-gamma*f.p.Nu, alpha, len(rows))
	return algos.Progress{Seen: len(rows)}, nil
}

// gradient returns the coefficients of the doubly stochastic gradient on the new block, (1/(BF)) Σ_b l' φ_t(x_b).
func (f *dsg) gradient(x, r compute.Matrix) (compute.Matrix, error) {
	if f.settings.Precondition > 0 {
		return f.preconditioned(x, r)
	}
	g := compute.NewMatrix(f.settings.Block, f.Out)
	f.p.Engine.Features(f.features, x, compute.Range{Lo: f.T, Hi: f.T + 1}).MulTransTo(g, r)
	g.Scale(1 / (float64(x.Rows) * float64(f.settings.Block)))
	return g, nil
}

// apply sets dst to the terms of the steps after step k at the rows of x, times v.
func (f *dsg) apply(dst, x compute.Matrix, k int, v compute.Matrix) {
	f.p.Engine.Features(f.features, x, compute.Range{Lo: k, Hi: f.T}).MulTo(dst, v)
}

// gradientRows bounds the examples whose features are in memory at a time.
const gradientRows = 4096

// preconditioned returns ((1/B) Σ_b φ_t(x_b) φ_t(x_b)ᵀ + ρI)⁻¹ (1/B) Σ_b l' φ_t(x_b).
func (f *dsg) preconditioned(x, r compute.Matrix) (compute.Matrix, error) {
	e, width, block, b := f.p.Engine, f.settings.Block, compute.Range{Lo: f.T, Hi: f.T + 1}, float64(x.Rows)
	g, c := compute.NewMatrix(width, f.Out), compute.NewMatrix(width, width)
	for lo := 0; lo < x.Rows; lo += gradientRows {
		hi := min(lo+gradientRows, x.Rows)
		phi := e.FeatureMatrix(f.features, x.RowRange(lo, hi), block)
		e.Gemm(g, 1, phi, true, r.RowRange(lo, hi), false, 1)
		e.Syrk(c, 1, phi, true, 1)
	}
	g.Scale(1 / b)
	c.Scale(1 / b)
	for i := range c.Rows {
		c.Data[i*c.Stride+i] += f.settings.Precondition
	}
	var chol mat.Cholesky
	if !chol.Factorize(mat.NewSymDense(c.Rows, c.Data)) {
		return g, fmt.Errorf("dsg: the preconditioner of step %d is singular in float64; raise precondition from %g", f.T+1, f.settings.Precondition)
	}
	dense := mat.NewDense(g.Rows, g.Cols, g.Data)
	if err := chol.SolveTo(dense, dense); err != nil {
		return g, fmt.Errorf("dsg: the preconditioner of step %d is too ill-conditioned (%w); raise precondition from %g", f.T+1, err, f.settings.Precondition)
	}
	return g, nil
}

// SquaredNorms implements Normed. With all m features drawn so far, f = Σ_j α_j φ_j = ⟨√m·α, z(x)⟩.
func (f *dsg) SquaredNorms() []float64 {
	alpha := f.Coefs()
	return parts.ScaledSquares(float64(alpha.Rows), alpha)
}

// Footprint implements Sizer: the coefficients. Features are redrawn, not stored.
func (f *dsg) Footprint() int64 { return 8 * int64(len(f.Alpha)) }

// BatchSize implements Batcher.
func (a *DSG) BatchSize() int { return a.Batch }

// Cost implements Coster: iteration t evaluates tF features at B examples and keeps only the coefficients
// [dai2014 Table 3]. Memory also holds a batch and, with a preconditioner, some of its features.
func (a *DSG) Cost(s algos.Size) algos.Cost {
	train, eval := parts.AdditiveCost(s, a.Batch, a.Block)
	train += float64(a.Batch) * float64(a.Block) * float64(s.Steps)
	kept := 1.0
	if a.Average {
		kept = 2
	}
	work := float64(a.Batch) * float64(s.In+3*s.Out)
	if a.Precondition > 0 {
		work += float64(a.Block) * float64(min(a.Batch, gradientRows)+3*a.Block)
	}
	return algos.Cost{FeatureEvals: train, Together: a.Batch, EvalCost: eval, Bytes: 8 * (kept*float64(s.Out)*float64(a.Block)*float64(s.Steps) + work)}
}
