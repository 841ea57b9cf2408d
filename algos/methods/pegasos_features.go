package methods

import (
	"fmt"
	"math"

	"repro/algos"
	"repro/algos/parts"
	"repro/algos/schedules"
)

var (
	_ = algos.Register[*linearPegasos]("r-pegasos", "Pegasos on random features [Shalev-Shwartz et al. 2011; dai2014 §6]", func() algos.Algorithm {
		return &RPegasos{PegasosSettings{Batch: 1, Features: 256}}
	})
	_ = algos.Register[*linearPegasos]("n-pegasos", "Pegasos on Nyström features [Shalev-Shwartz et al. 2011; Williamson & Seeger 2000; dai2014 §6]", func() algos.Algorithm {
		return &NPegasos{PegasosSettings: PegasosSettings{Batch: 1, Features: 256}, Jitter: 1e-10}
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

// NPegasos is Pegasos on Nyström features of r landmarks S drawn uniformly from the training rows,
// z(x) = Λ^(-1/2) Uᵀ k(S, x) with k(S, S) = UΛUᵀ [Williamson & Seeger 2000; n-Pegasos of dai2014 §6].
// Directions with Λ_i ≤ Jitter·Λ_1 are dropped.
type NPegasos struct {
	PegasosSettings
	Jitter float64 `toml:"jitter" want:">= 0" doc:"eigenvectors of k(S, S) are dropped if their eigenvalue is at most this times the largest; S are the landmarks"`
}

type linearPegasos struct {
	parts.Linear
	settings *PegasosSettings
	p        *algos.Problem
	order    parts.Order
}

// Start implements Algorithm. It needs a kernel with random features.
func (a *RPegasos) Start(p *algos.Problem) (algos.Fit, error) {
	return a.start("r-pegasos", p, parts.DrawFeatures)
}

// Start implements Algorithm. It needs at least as many training rows as landmarks.
func (a *NPegasos) Start(p *algos.Problem) (algos.Fit, error) {
	return a.start("n-pegasos", p, parts.Landmarks(a.Jitter))
}

// start starts a fit of the named method, if that solves the problem.
func (a *PegasosSettings) start(method string, p *algos.Problem, draw parts.Draw) (algos.Fit, error) {
	if p.Nu <= 0 && (a.Step == nil || a.Projection) {
		return nil, fmt.Errorf("%w: %s needs ν > 0 for its own step 1/(νt) and for its projection", algos.ErrUnsupported, method)
	}
	if err := parts.NoThreshold(method, p); err != nil {
		return nil, err
	}
	z, err := draw(method, p, a.Features)
	if err != nil {
		return nil, err
	}
	return &linearPegasos{Linear: parts.NewLinear(p, z, a.Average), settings: a, p: p, order: parts.NewOrder(p)}, nil
}

func (f *linearPegasos) gamma(t int) float64 {
	if f.settings.Step == nil {
		return 1 / (f.p.Nu * float64(t))
	}
	return f.settings.Step.Gamma(t)
}

func (f *linearPegasos) Step() (algos.Progress, error) {
	rows, x, y := f.order.Batch(f.Seen, f.settings.Batch)
	gamma := f.gamma(f.T + 1)

	w := f.Weights(f.W)
	base := f.Z.At(x)
	defer f.p.Engine.Reuse(base)
	r := f.Z.Apply(base, w)
	if !parts.Residual(f.p, r, y) {
		return algos.Progress{}, parts.Diverged(f.T + 1)
	}
	w.Scale(1 - gamma*f.p.Nu)
	w.AddScaled(-gamma/float64(len(rows)), f.Z.Transpose(base, r))
	if f.settings.Projection {
		f.project()
	}

	return f.Stepped(len(rows)), nil
}

// project scales w to a norm of at most 1/√ν.
func (f *linearPegasos) project() {
	norm := 0.0
	for _, v := range f.W {
		norm += v * v
	}
	if s := 1 / math.Sqrt(f.p.Nu*norm); s < 1 {
		f.Weights(f.W).Scale(s)
	}
}

func (a *PegasosSettings) BatchSize() int { return a.Batch }

// Cost implements Coster: r features at every example [dai2014 Table 3].
func (a *RPegasos) Cost(s algos.Size) algos.Cost {
	r, examples := float64(a.Features), float64(a.Batch)*float64(s.Steps)
	return parts.DrawnCost(s, r, examples, a.Batch)
}

// Cost implements Coster: r kernel values at every example, and one eigendecomposition.
func (a *NPegasos) Cost(s algos.Size) algos.Cost {
	r := float64(a.Features)
	c := parts.LandmarksCost(s, r, float64(a.Batch)*float64(s.Steps), a.Batch)
	c.Flops = 4 * r * r * float64(s.Steps) * float64(s.Out)
	return c
}
