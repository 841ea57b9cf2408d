package methods

import (
	"fmt"
	"math"

	"repro/algos"
	"repro/algos/compute"
	"repro/algos/parts"
	"repro/algos/schedules"
)

var _ = algos.Register[*linearSGD]("r-pegasos", "Pegasos on random features [Shalev-Shwartz et al. 2011; dai2014 §6]",
	func() algos.Algorithm { return &RPegasos{PegasosSettings{Batch: 1, Features: 256}} })
var _ = algos.Register[*linearSGD]("n-pegasos", "Pegasos on Nyström features [Shalev-Shwartz et al. 2011; Williamson & Seeger 2000; dai2014 §6]",
	func() algos.Algorithm {
		return &NPegasos{PegasosSettings: PegasosSettings{Batch: 1, Features: 256}, NystromSettings: parts.UsualNystrom()}
	})

// PegasosSettings are common to Pegasos on random and on Nyström features. Iteration t draws examples (x_b, y_b), b ≤ B, and sets
//
//	w_{t+1} = (1 - γ_t ν) w_t - γ_t (1/B) Σ_b l'(⟨w_t, z(x_b)⟩, y_b) z(x_b)
//
// with z: X → R^r fixed [Shalev-Shwartz, Singer, Srebro, Cotter 2011, Fig. 2; on approximate features dai2014 §6]. The step is Pegasos' own
// γ_t = 1/(νt) unless the spec gives another: with the square loss 1/(νt) diverges for the ν of dai2014.
//
// Departures. Any loss without a threshold to learn may replace the hinge. Examples are taken without replacement within an epoch.
type PegasosSettings struct {
	Batch      int                `toml:"batch" want:"> 0" doc:"examples B per iteration"`
	Features   int                `toml:"features" want:"> 0" doc:"number of features r"`
	Step       schedules.Schedule `toml:"step" doc:"step sizes γ_t; if left out Pegasos' 1/(νt)"`
	Projection bool               `toml:"projection" doc:"project w onto the ball of radius 1/√ν after every step, the algorithm's optional line [Shalev-Shwartz et al. 2011, Fig. 2]"`
	Average    bool               `toml:"average" doc:"also keep the averaged iterate (1/t) Σ w_i"`
}

// RPegasos is Pegasos on r random features, z(x) = r^(-1/2) (φ_{ω_1}(x), …, φ_{ω_r}(x)), the r-Pegasos of dai2014 §6.
type RPegasos struct{ PegasosSettings }

// NPegasos is Pegasos on Nyström features of r landmarks S from the training rows, drawn as Selection says, z(x) = Λ^(-1/2) Uᵀ k(S, x) with
// k(S, S) = UΛUᵀ [Williamson & Seeger 2000; n-Pegasos of dai2014 §6]. Directions with Λ_i ≤ Jitter·Λ_1 are dropped.
type NPegasos struct {
	PegasosSettings
	parts.NystromSettings
}

func (a *RPegasos) Start(p *algos.Problem) (algos.Fit, error) {
	return a.start("r-pegasos", p, parts.RandomFeatures{})
}

func (a *NPegasos) Start(p *algos.Problem) (algos.Fit, error) {
	return a.start("n-pegasos", p, a.NystromSettings)
}

func (a *RPegasos) Cost(s algos.Size) algos.Cost { return a.cost(s, parts.RandomFeatures{}) }
func (a *NPegasos) Cost(s algos.Size) algos.Cost { return a.cost(s, a.NystromSettings) }

// cost returns that of r features at every example [dai2014 Table 3].
func (a *PegasosSettings) cost(s algos.Size, z parts.Drawing) algos.Cost {
	r := float64(a.Features)
	c := z.FeaturesCost(s, r, float64(a.Batch)*float64(s.Steps), a.Batch)
	c.Flops += 4 * r * z.Mixed(r) * float64(s.Steps) * float64(s.Out)
	return c
}

// start starts a fit of the named method, if that solves the problem.
func (a *PegasosSettings) start(method string, p *algos.Problem, draw parts.Drawing) (algos.Fit, error) {
	if p.Nu <= 0 && (a.Step == nil || a.Projection) {
		return nil, fmt.Errorf("%w: %s needs ν > 0 for its own step 1/(νt) and for its projection", algos.ErrUnsupported, method)
	}
	if err := parts.Solves(method, p, parts.NoThreshold); err != nil {
		return nil, err
	}
	own := func(t int) float64 { return 1 / (p.Nu * float64(t)) }
	f, err := newLinearSGD(method, p, a.Batch, a.Features, a.Average, draw, a.Step, own)
	if err != nil {
		return nil, err
	}
	f.block = func(int) (lo, hi int) { return 0, f.Z.Width() }
	f.project = a.Projection
	return f, nil
}

func (a *PegasosSettings) Traits() algos.Traits { return algos.Traits{Batch: a.Batch} }

// linearSGD is a fit of Pegasos or SBMD on features: stochastic gradient descent in all coordinates of w or in a block of them.
type linearSGD struct {
	parts.Linear
	batch   int
	gamma   func(t int) float64      // step size of iteration t
	block   func(t int) (lo, hi int) // coordinates lo ≤ i < hi that the iteration after t moves
	project bool                     // onto the ball of radius 1/√ν
}

// newLinearSGD returns w = 0 on r features for the named method, without block. Its step sizes are those of step, or its own if that is nil.
func newLinearSGD(method string, p *algos.Problem, batch, r int, average bool, draw parts.Drawing, step schedules.Schedule, own func(t int) float64) (*linearSGD, error) {
	z, err := draw.Draw(method, p, r)
	if err != nil {
		return nil, err
	}
	f := &linearSGD{Linear: parts.NewLinear(p, z, average), batch: batch, gamma: own}
	if step != nil {
		f.gamma = step.Gamma
	}
	return f, nil
}

func (f *linearSGD) Step() (algos.Progress, error) {
	rows, x, y := f.Order.Batch(f.Seen, f.batch)
	gamma := f.gamma(f.T + 1)
	w := f.View(f.Alpha)
	base := f.Z.At(x)
	defer f.P.Engine.Reuse(base)
	r := f.Z.Apply(base, w)
	if !parts.Residual(f.P, r, y) {
		return algos.Progress{}, parts.Diverged(f.T + 1)
	}
	lo, hi := f.block(f.T)
	part := w.RowRange(lo, hi)
	part.Scale(1 - gamma*f.P.Nu)
	part.AddScaled(-gamma/float64(len(rows)), f.Z.Block(base, r, lo, hi))
	if f.project {
		f.shorten()
	}
	return f.Stepped(len(rows)), nil
}

// shorten scales w to a norm of at most 1/√ν.
func (f *linearSGD) shorten() {
	norm := 0.0
	for _, v := range f.Alpha {
		norm += v * v
	}
	if s := 1 / math.Sqrt(f.P.Nu*norm); s < 1 {
		f.View(f.Alpha).Scale(s)
	}
}

var _ = algos.Register[*linearSGD]("r-sbmd", "stochastic block mirror descent on random features [Dang & Lan 2015; dai2014 §6]",
	func() algos.Algorithm { return &RSBMD{SBMDSettings{Batch: 1, Features: 256, Blocks: 8}} })
var _ = algos.Register[*linearSGD]("n-sbmd", "stochastic block mirror descent on Nyström features [Dang & Lan 2015; dai2014 §6]",
	func() algos.Algorithm {
		return &NSBMD{SBMDSettings{Batch: 1, Features: 256, Blocks: 8}, parts.UsualNystrom()}
	})

// SBMDSettings are common to stochastic block mirror descent [Dang & Lan 2015, Algorithm 1] on random
// and on Nyström features. The coordinates of w are cut into b blocks as equal as can be. Iteration t
// draws examples (x_i, y_i), i ≤ B, and a block J, uniformly, and sets
//
//	w_J = w_J - γ_t ((1/B) Σ_i l'(⟨w, z(x_i)⟩, y_i) z_J(x_i) + ν w_J)
//
// which is their prox-mapping for the Euclidean distance; the other coordinates stay as they are. The step is γ_t = b/(ν(t + b - 1)) unless
// the spec gives another: their order b/(νt) for a strongly convex objective, with γ_tν ≤ 1. With one block it is Pegasos.
//
// Departures. dai2014 Table 3 calls b the block size, but n/b coefficients changed per iteration and O(b/ε) iterations
// make b the number of blocks. The paper does not give that number. Examples are taken without replacement within an
// epoch. The average is uniform; Dang & Lan weight iterates by their step sizes.
type SBMDSettings struct {
	Batch    int                `toml:"batch" want:"> 0" doc:"examples B per iteration"`
	Features int                `toml:"features" want:"> 0" doc:"number of features r"`
	Blocks   int                `toml:"blocks" want:"> 0" doc:"number of blocks b that the features are split into"`
	Step     schedules.Schedule `toml:"step" doc:"step sizes γ_t; if left out b/(ν(t + b - 1)) [Dang & Lan 2015]"`
	Average  bool               `toml:"average" doc:"also keep the averaged iterate (1/t) Σ w_i"`
}

// RSBMD is SBMD on the random features of RPegasos, the r-SBMD of dai2014 §6.
type RSBMD struct{ SBMDSettings }

// NSBMD is SBMD on the Nyström features of NPegasos, the n-SBMD of dai2014 §6.
type NSBMD struct {
	SBMDSettings
	parts.NystromSettings
}

func (a *RSBMD) Start(p *algos.Problem) (algos.Fit, error) {
	return a.start("r-sbmd", p, parts.RandomFeatures{})
}

func (a *NSBMD) Start(p *algos.Problem) (algos.Fit, error) {
	return a.start("n-sbmd", p, a.NystromSettings)
}

func (a *RSBMD) Cost(s algos.Size) algos.Cost { return a.cost(s, parts.RandomFeatures{}) }
func (a *NSBMD) Cost(s algos.Size) algos.Cost { return a.cost(s, a.NystromSettings) }

// cost is that of Pegasos, because the gradient of one block needs the whole ⟨w, z(x)⟩ [dai2014 Table 3].
func (a *SBMDSettings) cost(s algos.Size, z parts.Drawing) algos.Cost {
	return (&PegasosSettings{Batch: a.Batch, Features: a.Features}).cost(s, z)
}

// start starts a fit of the named method, if that solves the problem.
func (a *SBMDSettings) start(name string, p *algos.Problem, draw parts.Drawing) (algos.Fit, error) {
	if err := parts.Solves(name, p, parts.NoThreshold); err != nil {
		return nil, err
	}
	if a.Step == nil && !(p.Nu > 0) {
		return nil, fmt.Errorf("%w: %s needs ν > 0 for its own step b/(ν(t + b - 1)), or a step", algos.ErrUnsupported, name)
	}
	if err := parts.CheckBlocks(name, a.Blocks, a.Features); err != nil {
		return nil, err
	}
	b := float64(a.Blocks)
	own := func(t int) float64 { return b / (p.Nu * (float64(t) + b - 1)) }
	f, err := newLinearSGD(name, p, a.Batch, a.Features, a.Average, draw, a.Step, own)
	if err != nil {
		return nil, err
	}
	draws := compute.NewSource(p.Seed, "blocks")
	f.block = func(t int) (lo, hi int) {
		return parts.Cut(f.Z.Width(), a.Blocks, draws.Stream(uint64(t)).IntN(a.Blocks))
	}
	return f, nil
}

func (a *SBMDSettings) Traits() algos.Traits { return algos.Traits{Batch: a.Batch} }

var _ = algos.Register[*rbcd]("r-rbcd", "randomised block coordinate descent on random features [Richtárik & Takáč 2014; dai2014 §6]",
	func() algos.Algorithm { return &RRBCD{RBCDSettings{256, 8}} })
var _ = algos.Register[*rbcd]("n-rbcd", "randomised block coordinate descent on Nyström features [Richtárik & Takáč 2014; dai2014 §6]",
	func() algos.Algorithm { return &NRBCD{RBCDSettings{256, 8}, parts.UsualNystrom()} })

// RBCDSettings are common to randomised block coordinate descent [Richtárik & Takáč 2014, Algorithm 2 (UCDC) with uniform probabilities] on
// random and on Nyström features. The objective is the sum over all n training rows,
//
//	P(w) = (1/n) Σ_i l(⟨w, z(x_i)⟩, y_i) + ν/2·‖w‖²
//
// and the coordinates of w are cut into b blocks as equal as can be. Iteration t draws a block J, uniformly, and sets
//
//	w_J = w_J - (1/L_J) ((1/n) Σ_i l'(⟨w, z(x_i)⟩, y_i) z_J(x_i) + ν w_J),  L_J = c·λ_max(Z_JᵀZ_J)/n + ν
//
// with c the bound of the second derivative of l, so that no step increases P. This is their
// step with the constant L_J - ν for the smooth part and ν/2·‖w‖² as the separable part Ψ.
//
// An iteration evaluates all features at all n rows, O(drn), and keeps none of them [dai2014 Table 3, where r = n]. The table calls b the
// block size, but n/b coefficients changed per iteration make b the number of blocks. The paper does not give that number.
type RBCDSettings struct {
	Features int `toml:"features" want:"> 0" doc:"number of features r"`
	Blocks   int `toml:"blocks" want:"> 0" doc:"number of blocks b that the features are split into"`
}

// RRBCD is RBCD on the random features of RPegasos, the r-RBCD of dai2014 §6.
type RRBCD struct{ RBCDSettings }

// NRBCD is RBCD on the Nyström features of NPegasos, the n-RBCD of dai2014 §6.
type NRBCD struct {
	RBCDSettings
	parts.NystromSettings
}

type rbcd struct {
	parts.Linear
	settings *RBCDSettings
	x, y     compute.Matrix
	l        []float64      // L_J
	blocks   compute.Source // of the draws of J
}

func (a *RRBCD) Start(p *algos.Problem) (algos.Fit, error) {
	return a.start("r-rbcd", p, parts.RandomFeatures{})
}

func (a *NRBCD) Start(p *algos.Problem) (algos.Fit, error) {
	return a.start("n-rbcd", p, a.NystromSettings)
}

func (a *RRBCD) Cost(s algos.Size) algos.Cost { return a.cost(s, parts.RandomFeatures{}) }
func (a *NRBCD) Cost(s algos.Size) algos.Cost { return a.cost(s, a.NystromSettings) }

// start starts a fit of the named method, if that solves the problem.
func (a *RBCDSettings) start(name string, p *algos.Problem, draw parts.Drawing) (algos.Fit, error) {
	if err := parts.Solves(name, p, parts.SmoothLoss); err != nil {
		return nil, err
	}
	if err := parts.CheckBlocks(name, a.Blocks, a.Features); err != nil {
		return nil, err
	}
	z, err := draw.Draw(name, p, a.Features)
	if err != nil {
		return nil, err
	}
	f := &rbcd{Linear: parts.NewLinear(p, z, false), settings: a, blocks: compute.NewSource(p.Seed, "blocks")}
	f.x, f.y = p.Dense()
	for j, gram := range f.grams() {
		top, err := largestEigenvalue(p.Engine, gram)
		if err != nil {
			return nil, fmt.Errorf("%s: block %d: %w", name, j+1, err)
		}
		f.l = append(f.l, p.Loss.Smoothness()*top/float64(f.y.Rows)+p.Nu)
	}
	return f, nil
}

func (f *rbcd) Step() (algos.Progress, error) {
	n := f.x.Rows
	j := f.blocks.Stream(uint64(f.T)).IntN(f.settings.Blocks)
	lo, hi := f.block(j)
	w := f.View(f.Alpha)

	gradient, finite := compute.NewMatrix(hi-lo, w.Cols), true
	f.chunks(func(base, y compute.Matrix) {
		r := f.Z.Apply(base, w)
		finite = parts.Residual(f.P, r, y) && finite
		gradient.AddScaled(1/float64(n), f.Z.Block(base, r, lo, hi))
	})
	if !finite {
		return algos.Progress{}, parts.Diverged(f.T + 1)
	}
	part := w.RowRange(lo, hi)
	part.Scale(1 - f.P.Nu/f.l[j])
	part.AddScaled(-1/f.l[j], gradient)
	return f.Stepped(n), nil
}

// Traits implements Described. A batch is all training rows, whatever their number.
func (a *RBCDSettings) Traits() algos.Traits { return algos.Traits{Batch: math.MaxInt32} }

// chunkRows is the number of training rows whose features are in memory at a time.
const chunkRows = 1024

// chunks calls do with the base features and targets of all training rows, chunkRows at a time.
func (f *rbcd) chunks(do func(base, y compute.Matrix)) {
	for lo := 0; lo < f.x.Rows; lo += chunkRows {
		hi := min(lo+chunkRows, f.x.Rows)
		base := f.Z.At(f.x.RowRange(lo, hi))
		do(base, f.y.RowRange(lo, hi))
		f.P.Engine.Reuse(base)
	}
}

// block returns the coordinates lo ≤ i < hi of block j.
func (f *rbcd) block(j int) (lo, hi int) { return parts.Cut(f.Z.Width(), f.settings.Blocks, j) }

// grams returns Z_JᵀZ_J of every block.
func (f *rbcd) grams() []compute.Matrix {
	grams := make([]compute.Matrix, f.settings.Blocks)
	for j := range grams {
		lo, hi := f.block(j)
		grams[j] = compute.NewMatrix(hi-lo, hi-lo)
	}
	f.chunks(func(base, _ compute.Matrix) {
		z := f.Z.Explicit(base)
		for j, g := range grams {
			lo, hi := f.block(j)
			f.P.Engine.Syrk(g, 1, z.ColRange(lo, hi), true, 1)
		}
		if &z.Data[0] != &base.Data[0] {
			f.P.Engine.Reuse(z)
		}
	})
	return grams
}

// largestEigenvalue returns the largest eigenvalue of a symmetric positive semidefinite matrix, 0 if it has no rows. It overwrites a.
func largestEigenvalue(e *compute.Engine, a compute.Matrix) (float64, error) {
	if a.Rows == 0 {
		return 0, nil
	}
	values, _, err := parts.Symmetric(e, a, 0)
	if err != nil {
		return 0, fmt.Errorf("ZᵀZ: %w", err)
	}
	return values[0], nil
}

// valuesAlone is how many times faster eigenvalues are than an eigendecomposition.
const valuesAlone = 3

// cost returns that of r features at n rows for the L_J and in every step, and of products with them.
func (a *RBCDSettings) cost(s algos.Size, z parts.Drawing) algos.Cost {
	r, n, block, chunk := float64(a.Features), float64(s.N), float64(a.Features)/float64(a.Blocks), min(chunkRows, s.N)
	mixed := z.Mixed(r)
	if mixed > 0 {
		chunk *= 2 // base features, and those made of them
	}
	c := z.FeaturesCost(s, r, n*float64(s.Steps+1), chunk)
	c.Together, c.Flops = 0, c.Flops+n*r*block+2*n*float64(s.Out)*(r+block)*float64(s.Steps)+2*n*r*mixed
	if mixed == 0 {
		c.Eigen = r * block * block / valuesAlone
	}
	c.Bytes += 8 * r * r / float64(a.Blocks)
	return c
}
