package methods

import (
	"math"

	"repro/algos"
	"repro/algos/parts"
	"repro/algos/schedules"
)

var _ = algos.Register[*sgdRF]("sgd-rf", "stochastic gradient descent on random features with a constant step [ma2017 Sec. 6, carratino2018 eq. (3)]", func() algos.Algorithm {
	return &SGDRF{Batch: 256, Features: 4096, Sampling: "epochs", Subsample: 4800}
})

// SGDRF is stochastic gradient descent on random features with a constant step: the SGD-RF of ma2017 Sec. 6, which is
// EigenProRF with P = I, and carratino2018 eq. (3). In the letters of the latter, with M features φ_M(x), batches of b
// examples and the last iterate as the estimator,
//
//	w_{t+1} = w_t - γ (1/b) Σ_{i=b(t-1)+1}^{bt} (⟨w_t, φ_M(x_{j_i})⟩ - y_{j_i}) φ_M(x_{j_i}),  w_1 = 0,
//
// where the indices j_i are drawn uniformly with replacement, and T steps are bT/n passes. This is the square loss without
// regularisation; with another loss l and ν > 0 the residual is l'(f(x), y), and w shrinks by 1 - γν.
//
// The features are φ_M(x) = M^(-1/2) (√2 cos(ω_j·x + b_j))_j, whose mean product is k. Those of carratino2018 Example 1 lack
// the factor √2, so that their kernel is k/2 (half_kernel). The iteration on them with the step γ has the same functions
// ⟨w_t, φ_M(·)⟩ as the iteration with √2 and the step γ/2, because a step moves ⟨w, φ_M(x)⟩ by γ times inner products of
// features. Their covariance, and so its eigenvalue λ_1, is half as large: full gradients converge for γ < 2/λ_1, which is
// twice as far.
//
// Departures. ma2017 visits every example once per epoch, the default here. Where the spec gives no step, it is that of GD.
type SGDRF struct {
	Batch      int                `toml:"batch" want:"> 0" doc:"examples per iteration: m of ma2017, b of carratino2018"`
	Features   int                `toml:"features" want:"> 0" doc:"number of random features: r of ma2017, M of carratino2018"`
	HalfKernel bool               `toml:"half_kernel" doc:"features cos(ω·x + b) without the factor √2, whose kernel is k/2 [carratino2018 Example 1]: the functions of half the step size"`
	Sampling   string             `toml:"sampling" want:"|epochs|replacement" doc:"epochs: every row once per epoch; replacement: each example is drawn from all rows [carratino2018 eq. (3)]"`
	Step       schedules.Schedule `toml:"step" doc:"step sizes η; 0.75/λ_1 if left out"`
	Subsample  int                `toml:"subsample" want:"> 0" doc:"rows M from which λ_1 is estimated"`
}

// sgdRF is a fit of SGDRF.
type sgdRF struct {
	featureIterate
	largest func() (float64, error) // computes λ_1 of the covariance of the features
	x, y    parts.Scratch           // of upcoming
}

// Start implements Algorithm. It needs a kernel with random features.
func (a *SGDRF) Start(p *algos.Problem) (algos.Fit, error) {
	iterate, err := newFeatureIterate("sgd-rf", p, a.Features, a.Batch)
	if err != nil {
		return nil, err
	}
	f := &sgdRF{featureIterate: iterate}
	if f.order, err = parts.NewSampling("sgd-rf", p, a.WithReplacement()); err != nil {
		return nil, err
	}
	if !a.WithReplacement() {
		f.batch = min(f.batch, p.Train.Len()) // its size decides how steps are made
	}
	share := 1.0 // of the kernel
	if a.HalfKernel {
		share = 0.5
		f.s *= math.Sqrt(share)
	}
	f.largest = func() (float64, error) {
		s, err := f.z.Eigensystem(0, parts.SketchOfOne, a.Subsample)
		return share * s.First(), err
	}
	if a.Step != nil {
		f.gamma = a.Step.Gamma
		return f, nil
	}
	if f.gamma, err = parts.OwnStep("sgd-rf", p, f.largest); err != nil {
		return nil, err
	}
	return f, nil
}

func (f *sgdRF) Step() (algos.Progress, error) {
	_, p, err := f.Leap(1)
	return p, err
}

// StepLimit implements Stepper, with λ_1 of the subsample.
func (f *sgdRF) StepLimit() (float64, error) {
	first, err := f.largest()
	return 2 / first, err
}

func (a *SGDRF) BatchSize() int        { return a.Batch }
func (a *SGDRF) WithReplacement() bool { return a.Sampling == "replacement" }

// Shared implements SharingAlgorithm: all settings but given step sizes.
func (a *SGDRF) Shared() any {
	if a.Step == nil {
		return nil
	}
	own := *a
	own.Step = nil
	return own
}

// Cost implements Coster: the features of every example, and those of the subsample for λ_1.
func (a *SGDRF) Cost(s algos.Size) algos.Cost {
	batch := a.Batch
	if !a.WithReplacement() {
		batch = min(batch, s.N)
	}
	c := featuresCost(s, a.Features, batch)
	if batch <= fewExamples {
		c.FeatureEvals, c.Together = float64(batch)*float64(a.Features)*float64(s.Steps), 0
	}
	if r, m := float64(a.Features), float64(min(a.Subsample, s.N)); a.Step == nil {
		c.FeatureEvals += s.Evaluated(m*r, 2)
		c.Bytes += s.StoredBytes(m*r) + 8*(2*r+m)*min(parts.SketchOfOne, r, m)
		parts.AddSketch(&c, 0, parts.SketchOfOne, m, r)
	}
	return c
}
