package methods

import (
	"fmt"
	"math"

	"repro/algos"
	"repro/algos/compute"
	"repro/algos/parts"
	"repro/algos/schedules"
)

var (
	_ = algos.Register[*linearSGD]("r-pegasos", "Pegasos on random features [Shalev-Shwartz et al. 2011; dai2014 §6]", func() algos.Algorithm {
		return &RPegasos{PegasosSettings{Batch: 1, Features: 256}}
	})
	_ = algos.Register[*linearSGD]("n-pegasos", "Pegasos on Nyström features [Shalev-Shwartz et al. 2011; Williamson & Seeger 2000; dai2014 §6]", func() algos.Algorithm {
		return &NPegasos{PegasosSettings: PegasosSettings{Batch: 1, Features: 256}, NystromSettings: parts.UsualNystrom()}
	})
)

// PegasosSettings are common to Pegasos on random and on Nyström features. Iteration t draws
// examples (x_b, y_b), b ≤ B, and sets
//
//	w_{t+1} = (1 - γ_t ν) w_t - γ_t (1/B) Σ_b l'(⟨w_t, z(x_b)⟩, y_b) z(x_b)
//
// with z: X → R^r fixed [Shalev-Shwartz, Singer, Srebro, Cotter 2011, Fig. 2; on approximate
// features dai2014 §6]. The step is Pegasos' own γ_t = 1/(νt) unless the spec gives another: with
// the square loss 1/(νt) diverges for the ν of dai2014.
//
// Departures. Any loss without a threshold to learn may replace the hinge. Examples are taken
// without replacement within an epoch.
type PegasosSettings struct {
	Batch      int                `toml:"batch" want:"> 0" doc:"examples B per iteration"`
	Features   int                `toml:"features" want:"> 0" doc:"number of features r"`
	Step       schedules.Schedule `toml:"step" doc:"step sizes γ_t; if left out Pegasos' 1/(νt)"`
	Projection bool               `toml:"projection" doc:"project w onto the ball of radius 1/√ν after every step, the algorithm's optional line [Shalev-Shwartz et al. 2011, Fig. 2]"`
	Average    bool               `toml:"average" doc:"also keep the averaged iterate (1/t) Σ w_i"`
}

// RPegasos is Pegasos on r random features, z(x) = r^(-1/2) (φ_{ω_1}(x), …, φ_{ω_r}(x)), the
// r-Pegasos of dai2014 §6.
type RPegasos struct{ PegasosSettings }

// NPegasos is Pegasos on Nyström features of r landmarks S from the training rows, drawn as Selection says,
// z(x) = Λ^(-1/2) Uᵀ k(S, x) with k(S, S) = UΛUᵀ [Williamson & Seeger 2000; n-Pegasos of dai2014 §6].
// Directions with Λ_i ≤ Jitter·Λ_1 are dropped.
type NPegasos struct {
	PegasosSettings
	parts.NystromSettings
}

// Start implements Algorithm. It needs a kernel with random features.
func (a *RPegasos) Start(p *algos.Problem) (algos.Fit, error) {
	return a.start("r-pegasos", p, parts.DrawFeatures)
}

// Start implements Algorithm. It needs at least as many training rows as landmarks.
func (a *NPegasos) Start(p *algos.Problem) (algos.Fit, error) {
	return a.start("n-pegasos", p, a.Draw)
}

// start starts a fit of the named method, if that solves the problem.
func (a *PegasosSettings) start(method string, p *algos.Problem, draw parts.Draw) (algos.Fit, error) {
	if p.Nu <= 0 && (a.Step == nil || a.Projection) {
		return nil, fmt.Errorf("%w: %s needs ν > 0 for its own step 1/(νt) and for its projection", algos.ErrUnsupported, method)
	}
	if err := parts.NoThreshold(method, p); err != nil {
		return nil, err
	}
	f, err := newLinearSGD(method, p, a.Batch, a.Features, a.Average, draw)
	if err != nil {
		return nil, err
	}
	f.block = func(int) (lo, hi int) { return 0, f.Z.Width() }
	f.project = a.Projection
	f.gamma = func(t int) float64 {
		if a.Step == nil {
			return 1 / (f.p.Nu * float64(t))
		}
		return a.Step.Gamma(t)
	}
	return f, nil
}

func (a *PegasosSettings) Traits() algos.Traits { return algos.Traits{Batch: a.Batch} }

// Cost implements Coster: r features at every example [dai2014 Table 3].
func (a *RPegasos) Cost(s algos.Size) algos.Cost {
	r, examples := float64(a.Features), float64(a.Batch)*float64(s.Steps)
	return parts.DrawnCost(s, r, examples, a.Batch)
}

// Cost implements Coster: r kernel values at every example, and one eigendecomposition.
func (a *NPegasos) Cost(s algos.Size) algos.Cost {
	r := float64(a.Features)
	c := a.FeaturesCost(s, r, float64(a.Batch)*float64(s.Steps), a.Batch)
	c.Flops += 4 * r * r * float64(s.Steps) * float64(s.Out)
	return c
}

// linearSGD is a fit of Pegasos or SBMD on features: stochastic gradient descent in all coordinates of w or in a block of them.
type linearSGD struct {
	parts.Linear
	p       *algos.Problem
	order   parts.Order
	batch   int
	gamma   func(t int) float64      // step size of iteration t
	block   func(t int) (lo, hi int) // coordinates lo ≤ i < hi that the iteration after t moves
	project bool                     // onto the ball of radius 1/√ν
}

// newLinearSGD returns w = 0 on r features for the named method, without gamma and block.
func newLinearSGD(method string, p *algos.Problem, batch, r int, average bool, draw parts.Draw) (*linearSGD, error) {
	z, err := draw(method, p, r)
	if err != nil {
		return nil, err
	}
	return &linearSGD{Linear: parts.NewLinear(p, z, average), p: p, order: parts.NewOrder(p), batch: batch}, nil
}

func (f *linearSGD) Step() (algos.Progress, error) {
	rows, x, y := f.order.Batch(f.Seen, f.batch)
	gamma := f.gamma(f.T + 1)
	w := f.Weights(f.W)
	base := f.Z.At(x)
	defer f.p.Engine.Reuse(base)
	r := f.Z.Apply(base, w)
	if !parts.Residual(f.p, r, y) {
		return algos.Progress{}, parts.Diverged(f.T + 1)
	}
	lo, hi := f.block(f.T)
	part := w.RowRange(lo, hi)
	part.Scale(1 - gamma*f.p.Nu)
	part.AddScaled(-gamma/float64(len(rows)), f.Z.Block(base, r, lo, hi))
	if f.project {
		f.shorten()
	}
	return f.Stepped(len(rows)), nil
}

// shorten scales w to a norm of at most 1/√ν.
func (f *linearSGD) shorten() {
	norm := 0.0
	for _, v := range f.W {
		norm += v * v
	}
	if s := 1 / math.Sqrt(f.p.Nu*norm); s < 1 {
		f.Weights(f.W).Scale(s)
	}
}

var (
	_ = algos.Register[*linearSGD]("r-sbmd", "stochastic block mirror descent on random features [Dang & Lan 2015; dai2014 §6]", func() algos.Algorithm {
		return &RSBMD{SBMDSettings{Batch: 1, Features: 256, Blocks: 8}}
	})
	_ = algos.Register[*linearSGD]("n-sbmd", "stochastic block mirror descent on Nyström features [Dang & Lan 2015; dai2014 §6]", func() algos.Algorithm {
		return &NSBMD{SBMDSettings{Batch: 1, Features: 256, Blocks: 8}, parts.UsualNystrom()}
	})
)

// SBMDSettings are common to stochastic block mirror descent [Dang & Lan 2015, Algorithm 1] on random
// and on Nyström features. The coordinates of w are cut into b blocks as equal as can be. Iteration t
// draws examples (x_i, y_i), i ≤ B, and a block J, uniformly, and sets
//
//	w_J = w_J - γ_t ((1/B) Σ_i l'(⟨w, z(x_i)⟩, y_i) z_J(x_i) + ν w_J)
//
// which is their prox-mapping for the Euclidean distance; the other coordinates stay as they are. The step is
// γ_t = b/(ν(t + b - 1)) unless the spec gives another: their order b/(νt) for a strongly convex
// objective, with γ_tν ≤ 1. With one block it is Pegasos.
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

// Start implements Algorithm. It needs a kernel with random features.
func (a *RSBMD) Start(p *algos.Problem) (algos.Fit, error) {
	return a.start("r-sbmd", p, parts.DrawFeatures)
}

// Start implements Algorithm. It needs at least as many training rows as landmarks.
func (a *NSBMD) Start(p *algos.Problem) (algos.Fit, error) {
	return a.start("n-sbmd", p, a.Draw)
}

// start starts a fit of the named method, if that solves the problem.
func (a *SBMDSettings) start(name string, p *algos.Problem, draw parts.Draw) (algos.Fit, error) {
	if err := parts.NoThreshold(name, p); err != nil {
		return nil, err
	}
	if a.Step == nil && !(p.Nu > 0) {
		return nil, fmt.Errorf("%w: %s needs ν > 0 for its own step b/(ν(t + b - 1)), or a step", algos.ErrUnsupported, name)
	}
	if err := parts.CheckBlocks(name, a.Blocks, a.Features); err != nil {
		return nil, err
	}
	f, err := newLinearSGD(name, p, a.Batch, a.Features, a.Average, draw)
	if err != nil {
		return nil, err
	}
	draws := compute.NewSource(p.Seed, "blocks")
	f.block = func(t int) (lo, hi int) {
		return parts.Cut(f.Z.Width(), a.Blocks, draws.Stream(uint64(t)).IntN(a.Blocks))
	}
	f.gamma = func(t int) float64 {
		if a.Step == nil {
			b := float64(a.Blocks)
			return b / (f.p.Nu * (float64(t) + b - 1))
		}
		return a.Step.Gamma(t)
	}
	return f, nil
}

func (a *SBMDSettings) Traits() algos.Traits { return algos.Traits{Batch: a.Batch} }

// Cost implements Coster: r features at every example, because the gradient of one block needs the whole ⟨w, z(x)⟩
// [dai2014 Table 3].
func (a *RSBMD) Cost(s algos.Size) algos.Cost {
	return (&RPegasos{PegasosSettings{Batch: a.Batch, Features: a.Features}}).Cost(s)
}

// Cost implements Coster: r kernel values at every example, and one eigendecomposition.
func (a *NSBMD) Cost(s algos.Size) algos.Cost {
	return (&NPegasos{PegasosSettings{Batch: a.Batch, Features: a.Features}, a.NystromSettings}).Cost(s)
}
