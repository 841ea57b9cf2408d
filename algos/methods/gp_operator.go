package methods

import (
	"fmt"

	"repro/algos"
	"repro/algos/compute"
	"repro/algos/losses"
	"repro/algos/parts"
	"repro/algos/schedules"
)

// The printed algorithm has B = F = 1, which needs a product of tiny matrices for every pair of steps. B = F = 8 needs 64
// times fewer products.
var _ = algos.Register[*gpOperator]("gp-operator", "posterior variance of a Gaussian process by doubly stochastic gradients [dai2014 §4, eq. (10)]",
	func() algos.Algorithm {
		return &GPOperator{Batch: 8, Block: 8, Step: &schedules.Inverse{Gamma0: 1, T0: 1}}
	})

// GPOperator estimates the operator of the posterior variance of a Gaussian process by doubly
// stochastic gradients [dai2014 §4, formulation 1; eq. (10); App. D],
//
//	𝒜 = C (C + (σ²/n) I)⁻¹,  C = (1/n) Σ_i k(x_i, ·) ⊗ k(x_i, ·),
//
// from which the predictive variance at any x* is k(x*, x*) - 𝒜(x*, x*). The estimate after t steps is
// 𝒜_t = Σ_{i≤j} φ_i(·)ᵀ Θ_ij φ'_j(·) with blocks of F random features from two independent streams,
// φ_i(x), φ'_j(x) ∈ R^F. Iteration t draws examples x_b, b ≤ B, and sets with the old Θ
//
//	Θ_it = -γ_t (1/(BF)) Σ_b [Σ_{i≤j<t} Θ_ij φ'_j(x_b)] φ'_t(x_b)ᵀ   for i < t
//	Θ_tt = γ_t (1/(BF²)) Σ_b φ_t(x_b) φ'_t(x_b)ᵀ
//	Θ_ij = (1 - γ_t σ²/n) Θ_ij                                       for i ≤ j < t
//
// σ²/n is the problem's ν. The fit needs the inputs alone: neither targets nor test points take part in
// a step. Its model says what 𝒜_t is at the points x*_i of KernelTargets, f_i*(x) = 𝒜_t(x*_i, x), so
// that both formulations answer the same question; the problem must be of that kind.
//
// Memory is O((tF)²): 4(tF)² bytes, the upper triangle of Θ. 20 steps of 512 features are 0.4 GB.
//
// Departures. The printed algorithm has B = F = 1; averages over blocks bring the factors 1/F and 1/F², because F features of a stream
// estimate k by their mean. The main text leaves the primes out of φ_{ω_j}; App. D has them, but not in Ĉ, and lets the sum over j begin at
// 1. Examples are taken without replacement within an epoch.
type GPOperator struct {
	Batch int                `toml:"batch" want:"> 0" doc:"examples B per iteration"`
	Block int                `toml:"block" want:"> 0" doc:"new random features F per iteration and stream; memory grows with the square of their total number"`
	Step  schedules.Schedule `toml:"step" doc:"step sizes γ_t"`
}

type gpOperator struct {
	gpOperatorState
	settings      *GPOperator
	p             *algos.Problem
	order         parts.Order
	at            compute.Matrix     // X*
	first, second compute.FeatureMap // φ and φ'
}

type gpOperatorState struct {
	parts.Count
	Theta  []float64 // block columns Θ_{·j} one after another, (j+1)F × F each
	Shrink []float64 // factor 1 - γ_tσ²/n by which each step multiplied the older columns
}

func (a *GPOperator) Start(p *algos.Problem) (algos.Fit, error) {
	t, ok := p.Train.(algos.KernelTargets)
	if !ok || p.Loss != (losses.Square{}) {
		return nil, fmt.Errorf("%w: gp-operator estimates a posterior variance, not a function of the data's targets; it needs kernel targets and the square loss", algos.ErrUnsupported)
	}
	if t.Mean {
		return nil, fmt.Errorf("%w: gp-operator estimates a posterior variance without the mean; set problem.targets to test-kernels, or leave it out", algos.ErrUnsupported)
	}
	k, err := parts.Featured("gp-operator", p)
	if err != nil {
		return nil, err
	}
	inputs := *p
	inputs.Train = t.Samples
	in, _ := t.Dims()
	other := compute.NewStream(p.Seed, "second features", 0).Uint64()
	return &gpOperator{
		settings: a, p: p, order: parts.NewOrder(&inputs), at: t.At,
		first: k.Features(p.Seed, in, a.Block), second: k.Features(other, in, a.Block),
	}, nil
}

func (f *gpOperator) Step() (algos.Progress, error) {
	e, t, w := f.p.Engine, f.T, f.settings.Block
	rows, x, _ := f.order.Batch(f.Seen, f.settings.Batch)
	gamma := f.settings.Step.Gamma(t + 1)
	b, width := float64(len(rows)), float64(w)

	phi := e.FeatureMatrix(f.first, x, compute.Range{Lo: t, Hi: t + 1})
	other := e.FeatureMatrix(f.second, x, compute.Range{Hi: t + 1})
	defer func() {
		e.Reuse(phi)
		e.Reuse(other)
	}()
	s := f.sums(other)
	if !s.Finite() {
		return algos.Progress{}, parts.Diverged(t + 1)
	}

	shrink := 1 - gamma*f.p.Nu
	for i := range f.Theta {
		f.Theta[i] *= shrink
	}
	parts.Grown(&f.Theta, (t+1)*w*w)
	theta, fresh := f.column(t), f.block(other, t, 0)
	e.Gemm(theta.RowRange(0, t*w), -gamma/(b*width), s, false, fresh, false, 0)
	e.Gemm(theta.RowRange(t*w, (t+1)*w), gamma/(b*width*width), phi, true, fresh, false, 0)
	f.Shrink = append(f.Shrink, shrink)
	return f.Stepped(len(rows)), nil
}

// sums returns Σ_{i≤j<t} Θ_ij φ'_j(x_b) for every i < t, one column per example, given φ' at the examples.
func (f *gpOperator) sums(other compute.Matrix) compute.Matrix {
	w := f.settings.Block
	s := compute.NewMatrix(f.T*w, other.Rows)
	for j := range f.T {
		f.p.Engine.Gemm(s.RowRange(0, (j+1)*w), 1, f.column(j), false, f.block(other, j, 0), true, 1)
	}
	return s
}

// column views block column j of Θ: the blocks Θ_0j … Θ_jj.
func (f *gpOperator) column(j int) compute.Matrix {
	w := f.settings.Block
	at, rows := w*w*j*(j+1)/2, (j+1)*w
	return compute.Matrix{Rows: rows, Cols: w, Stride: w, Data: f.Theta[at : at+rows*w]}
}

// block views the features of block j in phi, which begins with block lo.
func (f *gpOperator) block(phi compute.Matrix, j, lo int) compute.Matrix {
	w := f.settings.Block
	return phi.ColRange((j-lo)*w, (j-lo+1)*w)
}

// add adds the block columns k ≤ j < t of 𝒜_t(x*_i, x) to dst, which has one row per row of x and one column per x*_i.
func (f *gpOperator) add(dst, x compute.Matrix, k int) {
	e := f.p.Engine
	phi := e.FeatureMatrix(f.first, f.at, compute.Range{Hi: f.T})
	other := e.FeatureMatrix(f.second, x, compute.Range{Lo: k, Hi: f.T})
	defer func() {
		e.Reuse(phi)
		e.Reuse(other)
	}()
	for j := k; j < f.T; j++ {
		c := f.column(j)
		products := e.Mul(phi.ColRange(0, c.Rows), c, false)
		e.Gemm(dst, 1, f.block(other, j, k), false, products, true, 1)
		e.Reuse(products)
	}
}

// Advance implements Incremental: the steps after step k multiplied the older columns by a factor and added columns.
func (f *gpOperator) Advance(k int, x compute.Matrix, p algos.Predictions) {
	for _, s := range f.Shrink[k:] {
		p.Last.Scale(s)
	}
	f.add(p.Last, x, k)
}

func (f *gpOperator) Model() algos.Model { return algos.Predictor(f.predict) }
func (f *gpOperator) State() any         { return &f.gpOperatorState }
func (f *gpOperator) Footprint() int64   { return 8 * int64(len(f.Theta)) }

func (f *gpOperator) predict(x compute.Matrix) compute.Matrix {
	u := compute.NewMatrix(x.Rows, f.at.Rows)
	f.add(u, x, 0)
	return u
}

func (a *GPOperator) Traits() algos.Traits { return algos.Traits{Batch: a.Batch} }

// Cost implements Coster. Evaluation computes φ' at the test points once over the whole curve, and φ at the m points x*_i
// at every point of the curve. Flops includes its m(tF)² multiplications.
func (a *GPOperator) Cost(s algos.Size) algos.Cost {
	t, b, w := float64(s.Steps), float64(a.Batch), float64(a.Block)
	pairs := t * (t + 1) / 2          // blocks of Θ
	sums := (t - 1) * t * (t + 1) / 6 // blocks read, over all steps
	return algos.Cost{
		FeatureEvals: b * w * (pairs + t),
		Flops:        w*w*(2*b*(sums+pairs)+sums) + 2*float64(s.Out)*w*w*pairs,
		Bytes:        parts.Growth * 8 * w * w * pairs,
		Together:     a.Batch,
		EvalCost:     w * t,
		EvalFixed:    w * t * float64(s.Evals) * float64(s.Out),
	}
}
