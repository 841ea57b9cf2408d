package methods

import (
	"fmt"
	"math"
	"slices"

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
// without replacement within an epoch. Algorithm 1 evaluates f_t(x_b) from all features in every
// iteration, T²BF/2 evaluations in all; with Keep the second and later visits of an example add only
// the terms since the one before to f_k(x_b), times the shrinkage since, nTF evaluations in all.
type DSG struct {
	DSGSettings
	Precondition float64 `toml:"precondition" want:">= 0" doc:"ridge ρ of the preconditioner, the empirical covariance of the block's features plus ρI [dai2014 §4]; 0 for no preconditioner"`
	Keep         bool    `toml:"keep" doc:"keep the prediction at each training row and add, when the row comes again, the terms since: memory for n rows, but each feature is evaluated once at a row, not once an epoch"`
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
	settings DSGSettings
	own      *ownDSG // nil if it has neither
	p        *algos.Problem
	order    parts.Order
	features compute.FeatureMap

	all []blockRun // memory of runs
	row []int
	sum parts.Scratch

	// next returns the block of features of the next step and its step size, given γ_t and l' of the batch.
	next func(gamma float64, r compute.Matrix) (block int, step float64)
}

// ownDSG is what a fit of DSG has that one of UDSG and CDSG lacks.
type ownDSG struct {
	precondition float64
	kept         *parts.Kept
}

func (f *dsg) State() any {
	if f.own != nil && f.own.kept != nil {
		return f.own.kept.KeptState
	}
	return f.AdditiveState
}

// Start implements Algorithm. It needs a kernel with random features.
func (a *DSG) Start(p *algos.Problem) (algos.Fit, error) {
	f, err := newDSG("dsg", p, a.DSGSettings)
	if err != nil {
		return nil, err
	}
	if a.Precondition > 0 || a.Keep {
		f.own = &ownDSG{precondition: a.Precondition}
	}
	f.next = func(gamma float64, _ compute.Matrix) (int, float64) { return f.T, gamma }
	if a.Keep {
		f.own.kept = parts.NewKept(&f.Additive, p.Train.Len())
	}
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
	var r compute.Matrix
	if f.own != nil && f.own.kept != nil {
		r = f.own.kept.Predict(rows, x)
	} else {
		r = f.Predict(x)
	}
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
	if f.own != nil && f.own.precondition > 0 {
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
	c.AddToDiagonal(f.own.precondition)
	var chol mat.Cholesky
	if !chol.Factorize(mat.NewSymDense(c.Rows, c.Data)) {
		return g, fmt.Errorf("dsg: the preconditioner of step %d is singular in float64; raise precondition from %g", f.T+1, f.own.precondition)
	}
	dense := mat.NewDense(g.Rows, g.Cols, g.Data)
	if err := chol.SolveTo(dense, dense); err != nil {
		return g, fmt.Errorf("dsg: the preconditioner of step %d is too ill-conditioned (%w); raise precondition from %g", f.T+1, err, f.own.precondition)
	}
	return g, nil
}

// SquaredNorms implements Normed. With all m features drawn so far, f = Σ_j α_j φ_j = ⟨√m·α, z(x)⟩.
func (f *dsg) SquaredNorms() []float64 {
	alpha := f.runs(0, f.Coefs())[0].coefs // the steps use all blocks drawn
	return parts.ScaledSquares(float64(alpha.Rows), alpha)
}

// Footprint implements Sizer: the coefficients of the features drawn. Features are redrawn, not stored.
func (f *dsg) Footprint() int64 { return 8 * int64(f.drawn()) * int64(f.settings.Block) * int64(f.Out) }

func (a *DSGSettings) Traits() algos.Traits { return algos.Traits{Batch: a.Batch} }

// Cost implements Coster: iteration t evaluates tF features at B examples and keeps only the coefficients
// [dai2014 Table 3]. Memory also holds a batch and, with a preconditioner, some of its features.
func (a *DSG) Cost(s algos.Size) algos.Cost {
	c := a.DSGSettings.Cost(s)
	if a.Keep { // a step of a later epoch evaluates the terms of one epoch, in the mean
		b, f, t := float64(a.Batch), float64(a.Block), float64(s.Steps)
		first := min(t, math.Ceil(float64(s.N)/b))
		c.FeatureEvals = b*f*(first*(first-1)/2+t) + (t-first)*float64(s.N)*f
		c.Bytes += 8 * float64(s.N) * float64(s.Out+1)
	}
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

// apply sets dst to the terms of the steps after step k at the rows of x, times v.
func (f *dsg) apply(dst, x compute.Matrix, k int, v compute.Matrix) {
	for i, run := range f.runs(k, v) {
		to := dst
		if i > 0 {
			to = f.p.Engine.Zeroed(dst.Rows, dst.Cols)
		}
		f.p.Engine.Features(f.features, x, run.blocks).MulTo(to, run.coefs)
		if i > 0 {
			dst.AddScaled(1, to)
			f.p.Engine.Reuse(to)
		}
	}
}

// A blockRun is a range of blocks with coefficients of their features.
type blockRun struct {
	blocks compute.Range
	coefs  compute.Matrix
}

// runs returns the blocks used in the steps after step k as ranges, in ascending order. The coefficients of a block are
// the sum of the rows of v over the steps that used it. They are valid until the next call.
func (f *dsg) runs(k int, v compute.Matrix) []blockRun {
	if len(f.Blocks) == 0 { // step t used block t
		f.all = append(f.all[:0], blockRun{compute.Range{Lo: k, Hi: f.T}, v})
		return f.all
	}
	steps, width := f.Blocks[k:], f.settings.Block
	row := slices.Grow(f.row[:0], slices.Max(steps)+1)[:slices.Max(steps)+1] // first row of a block in sum, -1 of one that is not used
	f.row = row
	for b := range row {
		row[b] = -1
	}
	for _, b := range steps {
		row[b] = 0
	}
	runs, rows := f.all[:0], 0
	for b, at := range row {
		if at < 0 {
			continue
		}
		if b == 0 || row[b-1] < 0 {
			runs = append(runs, blockRun{blocks: compute.Range{Lo: b, Hi: b}})
		}
		runs[len(runs)-1].blocks.Hi++
		row[b] = rows
		rows += width
	}
	f.all = runs
	sum := f.sum.Matrix(rows, v.Cols)
	sum.Zero()
	for i, b := range steps {
		for j := range width {
			to := sum.Row(row[b] + j)
			for c, u := range v.Row(i*width + j) {
				to[c] += u
			}
		}
	}
	for i, r := range runs {
		lo := row[r.blocks.Lo]
		runs[i].coefs = sum.RowRange(lo, lo+(r.blocks.Hi-r.blocks.Lo)*width)
	}
	return runs
}

// drawn returns the number of blocks drawn so far.
func (f *dsg) drawn() int {
	if len(f.Blocks) == 0 {
		return f.T
	}
	return slices.Max(f.Blocks) + 1
}

var _ = algos.Register[*dsg]("udsg", "doubly stochastic gradients that use old features again, drawn uniformly [li2016 Algorithm 3]", func() algos.Algorithm {
	return &UDSG{DSGSettings: defaultDSG(), Grow: 1, Reuse: 1} // G = U = 1 [li2016 §5]
})

// UDSG is doubly stochastic gradient descent with uniform sampling of old features [li2016 Algorithm 3]. G
// iterations with a new block of F features each, as in DSG, alternate with U iterations that draw one of the m old
// blocks uniformly:
//
//	α_j = (1 - γ_i λ) α_j   for all features j drawn so far
//	α_k = α_k - γ_i (1/(BF)) Σ_b l'(f(x_b), y_b) φ_{ω_k}(x_b)   for the F features k of the drawn block
//
// li2016's λ is the ν of a problem. After t iterations about t·G/(G+U) blocks have been drawn. With U = 0 the method
// is DSG.
//
// Departures. Algorithm 3 prints mod(i, G+U) < G as the condition for a new feature, which for G = U = 1 asks the first
// iteration for an old one; here it is (i-1) mod (G+U) < G, as in the proof [li2016 §4.1.1]. The printed algorithm has
// B = F = 1; a block needs the factor 1/F, as in DSG. Examples are taken without replacement within an epoch.
//
// The state has the coefficients a_t^i ζ_i of every iteration i, F·t rows, so that running predictions can be updated; a
// prediction sums the coefficients of a block before it evaluates its features. Footprint counts the sums only.
type UDSG struct {
	DSGSettings
	Grow  int `toml:"grow" want:"> 0" doc:"iterations G in turn that draw a new block"`
	Reuse int `toml:"reuse" want:">= 0" doc:"iterations U in turn that draw one of the old blocks"`
}

// Start implements Algorithm. It needs a kernel with random features.
func (a *UDSG) Start(p *algos.Problem) (algos.Fit, error) {
	f, err := newDSG("udsg", p, a.DSGSettings)
	if err != nil {
		return nil, err
	}
	draws := compute.NewSource(p.Seed, "old blocks")
	f.next = func(gamma float64, _ compute.Matrix) (int, float64) {
		block := f.drawn()
		if f.T%(a.Grow+a.Reuse) >= a.Grow {
			block = draws.Stream(uint64(f.T)).IntN(block)
		}
		f.Blocks = append(f.Blocks, block)
		return block, gamma
	}
	return f, nil
}

// Cost implements Coster: iteration t evaluates the m features drawn so far and those of its block at B examples. An
// evaluation of the curve needs the blocks that were used since the last one. They are counted as if no block had been
// used twice between two evaluations.
func (a *UDSG) Cost(s algos.Size) algos.Cost {
	c := a.DSGSettings.Cost(s)
	t, evals := float64(s.Steps), float64(max(1, s.Evals))
	drawn, sum := a.blocksAfter(t)
	c.FeatureEvals = float64(a.Batch) * float64(a.Block) * (sum + t)
	c.EvalCost = float64(a.Block) * (drawn + (t-drawn)*(evals-1)/evals)
	c.Bytes += 8 * t
	return c
}

// blocksAfter returns the number of blocks m_t drawn in t iterations, and Σ_{i<t} m_i.
func (a *UDSG) blocksAfter(t float64) (drawn, sum float64) {
	g, period := float64(a.Grow), float64(a.Grow)+float64(a.Reuse)
	// sumOf returns Σ_{i<r} min(i, G), the blocks of the first r ≤ G+U iterations.
	sumOf := func(r float64) float64 { return min(r, g)*(min(r, g)-1)/2 + max(0, r-g)*g }
	cycles := math.Floor(t / period)
	rest := t - cycles*period
	drawn = cycles*g + min(rest, g)
	sum = period*g*cycles*(cycles-1)/2 + cycles*sumOf(period) + rest*cycles*g + sumOf(rest)
	return drawn, sum
}
