package methods

import (
	"fmt"

	"gonum.org/v1/gonum/mat"

	"repro/algos"
	"repro/algos/compute"
	"repro/algos/parts"
	"repro/algos/schedules"
)

var _ = algos.Register[*dsg]("dsg", "doubly stochastic functional gradient descent [dai2014 Algorithms 1 and 2]", func() algos.Algorithm {
	return &DSG{DSGSettings: defaultDSG()}
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
	DSGSettings
	Precondition float64 `toml:"precondition" want:">= 0" doc:"ridge ρ of the preconditioner, the empirical covariance of the block's features plus ρI [dai2014 §4]; 0 for no preconditioner"`
}

// DSGSettings are common to DSG, UDSG and CDSG.
type DSGSettings struct {
	Batch   int                `toml:"batch" want:"> 0" doc:"examples B per iteration"`
	Block   int                `toml:"block" want:"> 0" doc:"new random features F per iteration"`
	Step    schedules.Schedule `toml:"step" doc:"step sizes γ_t"`
	Average bool               `toml:"average" doc:"also keep the averaged iterate (1/t) Σ f_i"`
}

// defaultDSG returns the defaults of DSG, UDSG and CDSG.
func defaultDSG() DSGSettings {
	return DSGSettings{Batch: 1, Block: 1, Step: &schedules.Inverse{Gamma0: 1, T0: 1}}
}

// dsg is a fit of DSG, UDSG or CDSG.
type dsg struct {
	parts.Additive
	settings     DSGSettings
	precondition float64
	p            *algos.Problem
	order        parts.Order
	features     compute.FeatureMap

	all []blockRun // memory of runs
	row []int
	sum parts.Scratch

	// next returns the block of features of the next step and its step size, given γ_t and l' of the batch.
	next func(gamma float64, r compute.Matrix) (block int, step float64)
}

// Start implements Algorithm. It needs a kernel with random features.
func (a *DSG) Start(p *algos.Problem) (algos.Fit, error) {
	f, err := newDSG("dsg", p, a.DSGSettings)
	if err != nil {
		return nil, err
	}
	f.precondition = a.Precondition
	f.next = func(gamma float64, _ compute.Matrix) (int, float64) { return f.T, gamma }
	return f, nil
}

// newDSG returns a fit of the named method, without next.
func newDSG(name string, p *algos.Problem, a DSGSettings) (*dsg, error) {
	k, err := parts.Featured(name, p)
	if err != nil {
		return nil, err
	}
	in, _ := p.Train.Dims()
	f := &dsg{settings: a, p: p, order: parts.NewOrder(p), features: k.Features(p.Seed, in, a.Block)}
	f.Additive = parts.NewAdditive(p, a.Average, f.apply)
	return f, nil
}

func (f *dsg) Step() (algos.Progress, error) {
	rows, x, y := f.order.Batch(f.Seen, f.settings.Batch)
	r := f.Predict(x)
	if !parts.Residual(f.p, r, y) {
		return algos.Progress{}, parts.Diverged(f.T + 1)
	}
	block, gamma := f.next(f.settings.Step.Gamma(f.T+1), r)
	alpha, err := f.gradient(block, x, r)
	if err != nil {
		return algos.Progress{}, err
	}
	alpha.Scale(-gamma)

	f.LearnThreshold(gamma, f.p.Nu, r)
	f.Grow(1-gamma*f.p.Nu, alpha, len(rows))
	f.p.Engine.Reuse(alpha)
	f.p.Engine.Reuse(r)
	return algos.Progress{Seen: len(rows)}, nil
}

// gradient returns the coefficients of the doubly stochastic gradient on a block, (1/(BF)) Σ_b l' φ(x_b).
func (f *dsg) gradient(block int, x, r compute.Matrix) (compute.Matrix, error) {
	blocks := compute.Range{Lo: block, Hi: block + 1}
	if f.precondition > 0 {
		return f.preconditioned(blocks, x, r)
	}
	g := f.p.Engine.Zeroed(f.settings.Block, f.Out)
	f.p.Engine.Features(f.features, x, blocks).MulTransTo(g, r)
	g.Scale(1 / (float64(x.Rows) * float64(f.settings.Block)))
	return g, nil
}

// gradientRows bounds the examples whose features are in memory at a time.
const gradientRows = 4096

// preconditioned returns ((1/B) Σ_b φ_t(x_b) φ_t(x_b)ᵀ + ρI)⁻¹ (1/B) Σ_b l' φ_t(x_b).
func (f *dsg) preconditioned(block compute.Range, x, r compute.Matrix) (compute.Matrix, error) {
	e, width, b := f.p.Engine, f.settings.Block, float64(x.Rows)
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
		c.Data[i*c.Stride+i] += f.precondition
	}
	var chol mat.Cholesky
	if !chol.Factorize(mat.NewSymDense(c.Rows, c.Data)) {
		return g, fmt.Errorf("dsg: the preconditioner of step %d is singular in float64; raise precondition from %g", f.T+1, f.precondition)
	}
	dense := mat.NewDense(g.Rows, g.Cols, g.Data)
	if err := chol.SolveTo(dense, dense); err != nil {
		return g, fmt.Errorf("dsg: the preconditioner of step %d is too ill-conditioned (%w); raise precondition from %g", f.T+1, err, f.precondition)
	}
	return g, nil
}

// SquaredNorms implements Normed. With all m features drawn so far, f = Σ_j α_j φ_j = ⟨√m·α, z(x)⟩.
func (f *dsg) SquaredNorms() []float64 {
	alpha := f.runs(0, f.Coefs())[0].coefs // the steps use all blocks drawn
	return parts.ScaledSquares(float64(alpha.Rows), alpha)
}

// Footprint implements Sizer: the coefficients of the features drawn. Features are redrawn, not stored.
func (f *dsg) Footprint() int64 {
	return 8 * int64(f.drawn()) * int64(f.settings.Block) * int64(f.Out)
}

func (a *DSGSettings) BatchSize() int { return a.Batch }

// Cost implements Coster: iteration t evaluates tF features at B examples and keeps only the coefficients
// [dai2014 Table 3]. Memory also holds a batch and, with a preconditioner, some of its features.
func (a *DSG) Cost(s algos.Size) algos.Cost {
	c := a.DSGSettings.Cost(s)
	if a.Precondition > 0 {
		c.Bytes += 8 * float64(a.Block) * float64(min(a.Batch, gradientRows)+3*a.Block)
	}
	return c
}

// Cost implements Coster, for steps that use a new block each.
func (a *DSGSettings) Cost(s algos.Size) algos.Cost {
	train, eval := parts.AdditiveCost(s, a.Batch, a.Block)
	train += float64(a.Batch) * float64(a.Block) * float64(s.Steps)
	kept := 1.0
	if a.Average {
		kept = 2
	}
	bytes := parts.Growth*kept*float64(s.Out)*float64(a.Block)*float64(s.Steps) + float64(a.Batch)*float64(s.In+3*s.Out)
	return algos.Cost{FeatureEvals: train, Together: a.Batch, EvalCost: eval, Bytes: 8 * bytes}
}
