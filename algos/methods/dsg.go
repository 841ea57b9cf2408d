package methods

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"repro/algos"
	"repro/algos/compute"
	"repro/algos/compute/exact"
	"repro/algos/parts"
	"repro/algos/schedules"
)

var _ = algos.Register[*dsg]("dsg", "doubly stochastic functional gradient descent [dai2014 Algorithms 1 and 2]",
	func() algos.Algorithm { return &DSG{DSGSettings: defaultDSG()} })

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
// Departures. The printed algorithm has B = F = 1; averaging over a block of features needs the factor 1/F for the block to estimate k,
// which the paper's text leaves out. Examples are taken without replacement within an epoch. Algorithm 1 evaluates f_t(x_b) from all
// features in every iteration, T²BF/2 evaluations in all; with Keep the second and later visits of an example add only the terms since the
// one before to f_k(x_b), times the shrinkage since, nTF evaluations in all.
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
	*parts.Additive
	settings     DSGSettings
	precondition float64
	kept         *parts.Kept // nil if predictions are not kept
	features     compute.FeatureMap

	all []blockRun // memory of runs
	row []int
	sum parts.Scratch

	// next returns the block of features of the next step and its step size, given γ_t and l' of the batch.
	next func(gamma float64, r compute.Matrix) (block int, step float64)
}

func (a *DSG) Start(p *algos.Problem) (algos.Fit, error) {
	f, err := newDSG("dsg", p, a.DSGSettings)
	if err != nil {
		return nil, err
	}
	f.precondition = a.Precondition
	f.next = func(gamma float64, _ compute.Matrix) (int, float64) { return f.T, gamma }
	if a.Keep {
		f.kept = parts.NewKept(f.Additive, p.Train.Len())
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
	f := &dsg{settings: a, features: k.Features(p.Seed, in, a.Block)}
	f.Additive = parts.NewAdditive(p, a.Average, dsgTerms{f})
	return f, nil
}

func (f *dsg) Step() (algos.Progress, error) {
	rows, x, y := f.Order.Batch(f.Seen, f.settings.Batch)
	var r compute.Matrix
	if f.kept != nil {
		r = f.kept.Predict(rows, x)
	} else {
		r = f.Predict(x)
	}
	if !parts.Residual(f.P, r, y) {
		return algos.Progress{}, parts.Diverged(f.T + 1)
	}
	block, gamma := f.next(f.settings.Step.Gamma(f.T+1), r)
	alpha, err := f.gradient(block, x, r)
	if err != nil {
		return algos.Progress{}, err
	}
	alpha.Scale(-gamma)

	f.LearnThreshold(gamma, f.P.Nu, r)
	f.Grow(1-gamma*f.P.Nu, alpha, len(rows))
	f.P.Engine.Reuse(alpha)
	f.P.Engine.Reuse(r)
	return algos.Progress{Seen: len(rows)}, nil
}

// gradient returns the coefficients of the doubly stochastic gradient on a block, (1/(BF)) Σ_b l' φ(x_b).
func (f *dsg) gradient(block int, x, r compute.Matrix) (compute.Matrix, error) {
	blocks := compute.Range{Lo: block, Hi: block + 1}
	if f.precondition > 0 {
		return f.preconditioned(blocks, x, r)
	}
	g := f.P.Engine.Zeroed(f.settings.Block, f.Out)
	f.P.Engine.Features(f.features, x, blocks).MulTransTo(g, r)
	g.Scale(1 / (float64(x.Rows) * float64(f.settings.Block)))
	return g, nil
}

// gradientRows bounds the examples whose features are in memory at a time.
const gradientRows = 4096

// preconditioned returns ((1/B) Σ_b φ_t(x_b) φ_t(x_b)ᵀ + ρI)⁻¹ (1/B) Σ_b l' φ_t(x_b).
func (f *dsg) preconditioned(block compute.Range, x, r compute.Matrix) (compute.Matrix, error) {
	e, width, b := f.P.Engine, f.settings.Block, float64(x.Rows)
	g, c := compute.NewMatrix(width, f.Out), compute.NewMatrix(width, width)
	for lo := 0; lo < x.Rows; lo += gradientRows {
		hi := min(lo+gradientRows, x.Rows)
		phi := e.FeatureMatrix(f.features, x.RowRange(lo, hi), block)
		e.Gemm(g, 1, phi, true, r.RowRange(lo, hi), false, 1)
		e.Syrk(c, 1, phi, true, 1)
	}
	g.Scale(1 / b)
	c.Scale(1 / b)
	c.AddToDiagonal(f.precondition)
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

// dsgTerms are the terms of a dsg: of the features drawn, which are redrawn, not stored, the norm is that of f = ⟨√m·α, z(x)⟩ with all m.
type dsgTerms struct{ *dsg }

func (f dsgTerms) SquaredNorms(w compute.Matrix) []float64 {
	alpha := f.runs(0, w)[0].coefs // the steps use all blocks drawn
	return parts.ScaledSquares(float64(alpha.Rows), alpha)
}

func (dsgTerms) Memory() int { return 0 }

// Footprint implements Sizer: the sums of the coefficients of every feature drawn.
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
	bytes := parts.Growth*parts.Iterates(a.Average)*float64(s.Out)*float64(a.Block)*float64(s.Steps) + float64(a.Batch)*float64(s.In+3*s.Out)
	return algos.Cost{FeatureEvals: train, Together: a.Batch, EvalCost: eval, Bytes: 8 * bytes}
}

// Apply implements parts.Terms.
func (f dsgTerms) Apply(dst, x compute.Matrix, k int, v compute.Matrix) {
	for i, run := range f.runs(k, v) {
		to := dst
		if i > 0 {
			to = f.P.Engine.Zeroed(dst.Rows, dst.Cols)
		}
		f.P.Engine.Features(f.features, x, run.blocks).MulTo(to, run.coefs)
		if i > 0 {
			dst.AddScaled(1, to)
			f.P.Engine.Reuse(to)
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

// G = U = 1 [li2016 §5]
var _ = algos.Register[*dsg]("udsg", "doubly stochastic gradients that use old features again, drawn uniformly [li2016 Algorithm 3]",
	func() algos.Algorithm { return &UDSG{DSGSettings: defaultDSG(), Grow: 1, Reuse: 1} })

// UDSG is doubly stochastic gradient descent with uniform sampling of old features [li2016 Algorithm 3]. G iterations with a new block of F
// features each, as in DSG, alternate with U iterations that draw one of the m old blocks uniformly:
//
//	α_j = (1 - γ_i λ) α_j   for all features j drawn so far
//	α_k = α_k - γ_i (1/(BF)) Σ_b l'(f(x_b), y_b) φ_{ω_k}(x_b)   for the F features k of the drawn block
//
// li2016's λ is the ν of a problem. After t iterations about t·G/(G+U) blocks have been drawn. With U = 0 the method is DSG.
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

// Cost implements Coster: iteration t evaluates the m features drawn so far and those of its block at B examples. An evaluation of the
// curve needs the blocks that were used since the last one. They are counted as if no block had been used twice between two evaluations.
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

var _ = algos.Register[*cdsg]("cdsg", "doubly stochastic gradients that use an old feature again if a check allows a larger step [li2016 Algorithm 4]",
	func() algos.Algorithm { return &CDSG{DSGSettings: defaultDSG(), Noise: 1, NoisePower: 1, Cap: 2} })

// CDSG is doubly stochastic gradient descent with checking [li2016 Algorithm 4]. With the mean g = (1/B) Σ_b l'(f(x_b),
// y_b) of the batch, an old block k may be used with a step -η < -γ_t if [li2016 eq. (9)]
//
//	2|β_k - η g|² + 2η² s² ≤ |β_k|² + γ_t²|g|²,   s² = (Mσ)²/B
//
// which bounds the error of its features by that of a new block and a step γ_t. η_k is the largest such η ≤ c·γ_t. If the block k with the
// largest η_k has η_k > γ_t, the iteration uses block k and η = η_k; else it draws a new block k and uses η = γ_t:
//
//	α_j = (1 - ηλ) α_j,  β_j = (1 - ηλ) β_j               for all older features and blocks
//	α_k = α_k - η (1/(BF)) Σ_b l'(f(x_b), y_b) φ_{ω_k}(x_b)   for the F features k of the block
//	β_k = β_k - η g
//
// where a new block starts at zero. So β_k is the sum of the steps of block k times their slopes g, and a block is used
// again if the new slope partly cancels the old ones: for s = 0 and one output, η_k > γ_t if β_k/g ≥ (2 - √3)γ_t. li2016's λ
// is the ν of a problem. The check takes O(m) operations for m blocks. If it never accepts a block, the method is DSG.
//
// Corrections of the printed algorithm:
//
//   - (a) The last line sets β_k from β_k; Algorithm 4 prints α_k.
//   - (b) Equation (9) looks for a negative step, but Algorithm 4 subtracts η_k l' φ; here η_k > 0, the step's length.
//   - (c) The condition for a new feature is |η_k| ≤ γ_t for the best k; Algorithm 4 prints |η_j|, and γ_i for γ_t.
//   - (d) A new feature is drawn with its own seed; Algorithm 4 leaves out the line.
//   - (e) The variance of a mean over B examples is 1/B of one example's [li2016 §4.2.1]; equation (9) prints B². noise_power
//     = 2 gives the printed one.
//
// Departures. The paper gives neither M, σ nor a cap. M bounds |l'|; unless the spec gives it, it is the largest |l'| of
// the batch. σ² = E_ω Var_y φ_ω(x)φ_ω(y) is at most 3/2 for a Gaussian kernel; the default is 1. The cap is θ'/θ of
// Theorem 14, whose constant grows with it; "setting an upper bound on θ' leads to better performance" [li2016 App. A.2].
// Its default, 2, is the smallest whole number that leaves room for a line search. Where η_k would be larger, c·γ_t must
// satisfy equation (9) too; of several blocks with this η_k the one whose own η_k is the largest is used. For several
// outputs g and β_k are vectors, M is the largest |l'| in the Euclidean norm, and β_k g stands for an inner product. The
// printed algorithm has B = F = 1; blocks are as in DSG. Examples are taken without replacement within an epoch.
type CDSG struct {
	DSGSettings
	Noise      float64 `toml:"noise" want:">= 0" doc:"standard deviation σ of φ_ω(x)φ_ω(y) over y, in the check; a large σ accepts no old block"`
	NoisePower float64 `toml:"noise_power" want:">= 0" doc:"power p of the batch size in s² = (Mσ)²/B^p; li2016 prints 2"`
	Bound      float64 `toml:"bound" want:">= 0" doc:"bound M of |l'|; 0 for the largest |l'| of the batch"`
	Cap        float64 `toml:"cap" want:">= 0" doc:"largest step c of an old block, in units of γ_t; 0 for no cap"`
}

// cdsgState adds the sums β to the coefficients.
type cdsgState struct {
	parts.AdditiveState
	Beta []float64 // one row of outputs per block
}

type cdsg struct {
	*dsg
	settings *CDSG
	state    cdsgState
}

func (a *CDSG) Start(p *algos.Problem) (algos.Fit, error) {
	base, err := newDSG("cdsg", p, a.DSGSettings)
	if err != nil {
		return nil, err
	}
	f := &cdsg{dsg: base, settings: a}
	f.KeepAdditive(&f.state.AdditiveState, &f.state)
	f.next = f.check
	return f, nil
}

// check returns the block of the next step and its step size η, given l' of the batch, and updates β.
func (f *cdsg) check(gamma float64, r compute.Matrix) (block int, eta float64) {
	g, s2 := make([]float64, f.Out), f.noise(r)
	for b := range r.Rows {
		compute.AddScaled(g, 1/float64(r.Rows), r.Row(b))
	}
	block, eta = len(f.state.Beta)/f.Out, gamma
	largest := gamma // of the η_k before the cap
	for k := range block {
		own, capped := f.settings.largestStep(f.beta(k), g, s2, gamma)
		if own > largest {
			block, eta, largest = k, capped, own
		}
	}
	if block*f.Out == len(f.state.Beta) {
		f.state.Beta = append(f.state.Beta, make([]float64, f.Out)...)
	}
	floats.Scale(1-eta*f.P.Nu, f.state.Beta)
	compute.AddScaled(f.beta(block), -eta, g)
	f.Blocks = append(f.Blocks, block)
	return block, eta
}

// beta views β_k.
func (f *cdsg) beta(k int) []float64 { return f.state.Beta[k*f.Out : (k+1)*f.Out] }

// noise returns s² = (Mσ)²/B^p.
func (f *cdsg) noise(r compute.Matrix) float64 {
	m2 := f.settings.Bound * f.settings.Bound
	if f.settings.Bound == 0 {
		for b := range r.Rows {
			m2 = max(m2, compute.Dot(r.Row(b), r.Row(b)))
		}
	}
	return m2 * f.settings.Noise * f.settings.Noise / exact.Pow(float64(r.Rows), f.settings.NoisePower)
}

// largestStep returns the largest η that satisfies equation (9), and the largest η ≤ c·γ that does. Both are NaN or at
// most γ if the block must not be used.
func (a *CDSG) largestStep(beta, g []float64, s2, gamma float64) (own, capped float64) {
	// (|g|² + s²) η² - 2⟨β, g⟩ η + (|β|² - γ²|g|²)/2 ≤ 0
	g2, bg, b2 := compute.Dot(g, g), compute.Dot(beta, g), compute.Dot(beta, beta)
	root := math.Sqrt(bg*bg - (g2+s2)*(b2-gamma*gamma*g2)/2)
	smallest, own := (bg-root)/(g2+s2), (bg+root)/(g2+s2)
	limit := a.Cap * gamma
	if a.Cap == 0 || own <= limit {
		return own, own
	}
	if smallest > limit {
		return math.NaN(), math.NaN()
	}
	return own, limit
}

// Cost implements Coster: that of DSG, which is an upper bound, as if no block were used again, the checks of m blocks in iteration m, and
// the sums over the steps of each block, of which predictions are made.
func (a *CDSG) Cost(s algos.Size) algos.Cost {
	c := a.DSGSettings.Cost(s)
	t, out := float64(s.Steps), float64(s.Out)
	c.Flops = 4 * out * t * (t - 1) / 2
	c.Bytes += 8 * t * (1 + out + 2*out*float64(a.Block))
	return c
}
