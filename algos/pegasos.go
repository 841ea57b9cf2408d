package algos

import (
	"fmt"
	"math"

	"repro/algos/compute"
	"repro/algos/schedules"
)

var (
	_ = register("r-pegasos", func() Algorithm {
		return &RPegasos{PegasosSettings{Batch: 1, Features: 256}}
	})
	_ = register("n-pegasos", func() Algorithm {
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
// Departures. Any loss, not the hinge alone, but one with a threshold to learn. Examples are taken
// without replacement within an epoch.
type PegasosSettings struct {
	Batch      int                `toml:"batch" want:"> 0" doc:"examples per iteration B"`
	Features   int                `toml:"features" want:"> 0" doc:"number of features r, fixed beforehand"`
	Step       schedules.Schedule `toml:"step" doc:"step sizes γ_t; Pegasos' 1/(νt) if left out"`
	Projection bool               `toml:"projection" doc:"project w on the ball of radius 1/√ν after every step, the optional line of the algorithm"`
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
	Jitter float64 `toml:"jitter" want:">= 0" doc:"relative eigenvalue below which a direction of k(S, S) is dropped"`
}

// pegasosState is the weight vector of f(x) = ⟨w, z(x)⟩, one column an output.
type pegasosState struct {
	T    int
	Seen int64
	W    []float64 // r × outputs, row-major
	Mean []float64 // of the averaged iterate; empty if it is not kept
}

type pegasos struct {
	pegasosState
	settings *PegasosSettings
	p        *Problem
	order    order
	z        featurizer
	out      int
}

// Fits implements Declarer.
func (*RPegasos) Fits() Fit { return (*pegasos)(nil) }

// Start implements Algorithm. It needs a kernel with random features.
func (a *RPegasos) Start(p *Problem) (Fit, error) {
	z, err := newRandomFeatures("r-pegasos", p, a.Features)
	if err != nil {
		return nil, err
	}
	return startPegasos(&a.PegasosSettings, p, z)
}

// Fits implements Declarer.
func (*NPegasos) Fits() Fit { return (*pegasos)(nil) }

// Start implements Algorithm. It needs at least as many training rows as landmarks.
func (a *NPegasos) Start(p *Problem) (Fit, error) {
	z, err := newNystromFeatures("n-pegasos", p, a.Features, a.Jitter)
	if err != nil {
		return nil, err
	}
	return startPegasos(&a.PegasosSettings, p, z)
}

func startPegasos(a *PegasosSettings, p *Problem, z featurizer) (Fit, error) {
	if p.Nu <= 0 && (a.Step == nil || a.Projection) {
		return nil, fmt.Errorf("%w: pegasos needs ν > 0 for its own step 1/(νt) and for its projection", ErrUnsupported)
	}
	if p.learnsThreshold() {
		return nil, fmt.Errorf("%w: pegasos learns no threshold, which the loss %s needs", ErrUnsupported, p.Loss.Name())
	}
	_, out := p.Train.Dims()
	f := &pegasos{settings: a, p: p, order: order{p: p}, z: z, out: out}
	f.W = make([]float64, z.width()*out)
	if a.Average {
		f.Mean = make([]float64, len(f.W))
	}
	return f, nil
}

func (f *pegasos) gamma(t int) float64 {
	if f.settings.Step == nil {
		return 1 / (f.p.Nu * float64(t))
	}
	return f.settings.Step.Gamma(t)
}

func (f *pegasos) weights(w []float64) compute.Matrix {
	return compute.Matrix{Rows: f.z.width(), Cols: f.out, Stride: f.out, Data: w}
}

// Step implements Fit.
func (f *pegasos) Step() (Progress, error) {
	rows, x, y := f.order.batch(f.Seen, f.settings.Batch)
	gamma := f.gamma(f.T + 1)

	w := f.weights(f.W)
	base := f.z.at(x)
	r := f.z.apply(base, w)
	if !f.p.residual(r, y) {
		return Progress{}, diverged(f.T + 1)
	}
	w.Scale(1 - gamma*f.p.Nu)
	w.AddScaled(-gamma/float64(len(rows)), f.z.transpose(base, r))
	if f.settings.Projection {
		f.project()
	}

	f.T++
	f.Seen += int64(len(rows))
	if f.settings.Average {
		for i, v := range f.W {
			f.Mean[i] += (v - f.Mean[i]) / float64(f.T)
		}
	}
	return Progress{Seen: len(rows)}, nil
}

// project scales w to norm at most 1/√ν.
func (f *pegasos) project() {
	norm := 0.0
	for _, v := range f.W {
		norm += v * v
	}
	if s := 1 / math.Sqrt(f.p.Nu*norm); s < 1 {
		f.weights(f.W).Scale(s)
	}
}

func (f *pegasos) Model() Model { return pegasosModel{f, f.W} }
func (f *pegasos) State() any   { return &f.pegasosState }

// SquaredNorms implements Normed.
func (f *pegasos) SquaredNorms() []float64 { return squares(f.weights(f.W)) }

// Footprint implements Sizer.
func (f *pegasos) Footprint() int64 { return 8 * int64(len(f.W)+f.z.memory()) }

// Average implements Averager.
func (f *pegasos) Average() Model {
	if !f.settings.Average {
		return nil
	}
	return pegasosModel{f, f.Mean}
}

type pegasosModel struct {
	f *pegasos
	w []float64
}

func (m pegasosModel) Predict(x compute.Matrix) compute.Matrix {
	return m.f.z.apply(m.f.z.at(x), m.f.weights(m.w))
}

// BatchSize implements Batcher.
func (a *PegasosSettings) BatchSize() int { return a.Batch }

// Cost implements Coster: r features at every example [dai2014 Table 3].
func (a *RPegasos) Cost(s Size) Cost {
	r := float64(a.Features)
	return Cost{
		FeatureEvals: r * float64(a.Batch*s.Steps),
		EvalCost:     r * float64(s.Evals),
		Bytes:        8 * r * float64(s.Out),
	}
}

// Cost implements Coster: r kernel values at every example, and one eigendecomposition.
func (a *NPegasos) Cost(s Size) Cost {
	r := float64(a.Features)
	return Cost{
		KernelEvals: r*float64(a.Batch*s.Steps) + r*r,
		Flops:       9*r*r*r + 4*r*r*float64(s.Steps*s.Out),
		EvalCost:    r * float64(s.Evals),
		Bytes:       8 * r * (r + float64(s.In+s.Out)),
	}
}
