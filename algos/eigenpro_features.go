package algos

import (
	"errors"
	"fmt"
	"math"

	"repro/algos/compute"
	"repro/algos/kernels"
	"repro/algos/schedules"
)

var (
	_ = register("eigenpro-rf", func() Algorithm {
		return &EigenProRF{
			EigenProSettings: EigenProSettings{Batch: 256, Directions: 160, Subsample: 4800, Decomposition: "rsvd", Tau: 0.25, Flatten: "sqrt", Rule: "code"},
			Features:         4096,
		}
	})
	_ = register("sgd-rf", func() Algorithm { return &SGDRF{Batch: 256, Features: 4096, Subsample: 4800} })
)

// EigenProRF is EigenPro iteration on r random features z(x) = r^(-1/2) (φ_{ω_1}(x), …, φ_{ω_r}(x)), ma2017
// Table 1. With E, Λ the top k eigenvectors and eigenvalues of the covariance Z_MᵀZ_M/M, by RSVD, or by NSVD,
// which is exact here,
//
//	P = I - E(I - C)Eᵀ,  C = diag(c_1, …, c_k)
//	g ← (1/m)(Z_mᵀ(Z_m α) - Z_mᵀ y_m),  α ← α - η P g
//
// Departures. As in EigenPro.
type EigenProRF struct {
	EigenProSettings
	Features int `toml:"features" want:"> 0" doc:"number of random features r, fixed beforehand"`
}

// SGDRF is stochastic gradient descent on r random features with a constant step, the SGD-RF of ma2017
// Sec. 6: EigenProRF with P = I, and the step of GD unless the spec gives one.
type SGDRF struct {
	Batch     int                `toml:"batch" want:"> 0" doc:"examples per iteration m"`
	Features  int                `toml:"features" want:"> 0" doc:"number of random features r, fixed beforehand"`
	Step      schedules.Schedule `toml:"step" doc:"step sizes η; 0.75/λ_1 if left out"`
	Subsample int                `toml:"subsample" want:"> 0" doc:"rows M from which λ_1 is estimated"`
}

// featuresState is the weights of f(x) = ⟨α, z(x)⟩.
type featuresState struct {
	T     int
	Seen  int64
	Alpha []float64 // r × outputs, row-major
}

type featuresFit struct {
	featuresState
	p     *Problem
	order order
	f     compute.FeatureMap
	r     int
	out   int
	batch int
	e     compute.Matrix // E, r×k; none without a preconditioner
	d     []float64      // 1 - c_i
	gamma func(t int) float64
}

// Fits implements Declarer.
func (*EigenProRF) Fits() Fit { return (*featuresFit)(nil) }

// Start implements Algorithm. It needs a kernel with random features.
func (a *EigenProRF) Start(p *Problem) (Fit, error) {
	if err := errors.Join(preconditionable("eigenpro-rf", p), a.check("eigenpro-rf")); err != nil {
		return nil, err
	}
	f, err := newFeaturesFit("eigenpro-rf", p, a.Features, a.Batch)
	if err != nil {
		return nil, err
	}
	s, err := f.decompose(a.Decomposition, a.Directions, a.Subsample)
	if err != nil {
		return nil, fmt.Errorf("eigenpro-rf: %w", err)
	}
	f.e = s.vectors
	for _, c := range a.scales(s.values) {
		f.d = append(f.d, 1-c)
	}
	f.gamma = a.steps(p, s.values, f.kappa, func(float64) float64 { return 2 * float64(a.Features) })
	return f, nil
}

// Fits implements Declarer.
func (*SGDRF) Fits() Fit { return (*featuresFit)(nil) }

// Start implements Algorithm. It needs a kernel with random features.
func (a *SGDRF) Start(p *Problem) (Fit, error) {
	f, err := newFeaturesFit("sgd-rf", p, a.Features, a.Batch)
	if err != nil {
		return nil, err
	}
	if a.Step != nil {
		f.gamma = a.Step.Gamma
		return f, nil
	}
	f.gamma, err = ownStep("sgd-rf", p, func() (float64, error) {
		s, err := f.eigensystem(0, sketchOfOne, a.Subsample)
		return s.first(), err
	})
	if err != nil {
		return nil, err
	}
	return f, nil
}

func newFeaturesFit(method string, p *Problem, r, batch int) (*featuresFit, error) {
	if p.learnsThreshold() {
		return nil, fmt.Errorf("%w: %s learns no threshold, which the loss %s needs", ErrUnsupported, method, p.Loss.Name())
	}
	k, ok := p.Kernel.(kernels.Featured)
	if !ok {
		return nil, fmt.Errorf("%w: %s needs a kernel with random features, not %s", ErrUnsupported, method, p.Kernel.Name())
	}
	in, out := p.Train.Dims()
	f := &featuresFit{p: p, order: order{p: p}, f: k.Features(p.Seed, in, r), r: r, out: out, batch: batch}
	f.Alpha = make([]float64, r*out)
	return f, nil
}

// features returns √r Z at the rows of x, evaluated once if there is memory for them.
func (f *featuresFit) features(x compute.Matrix) compute.Operator {
	return f.p.Engine.Store(f.p.Engine.Features(f.f, x, compute.Range{Lo: 0, Hi: 1}))
}

// subsample returns the inputs of m training rows.
func (f *featuresFit) subsample(m int) compute.Matrix {
	in, out := f.p.Train.Dims()
	rows := compute.NewStream(f.p.Seed, "subsample", 0).Perm(f.p.Train.Len())[:m]
	x, y := compute.NewMatrix(m, in), compute.NewMatrix(m, out)
	f.p.Train.Gather(rows, x, y)
	return x
}

// decompose approximates the leading eigensystem of the covariance Z_MᵀZ_M/M of m training rows, or all, by the
// named decomposition. That of NSVD is the one of Z_M Z_Mᵀ/M, which has the same eigenvalues.
func (f *featuresFit) decompose(decomposition string, k, m int) (eigensystem, error) {
	if decomposition != "nystrom" {
		return f.eigensystem(k, sketchOf(k), m)
	}
	m = min(m, f.p.Train.Len())
	x := f.subsample(m)
	gram := compute.NewMatrix(m, m)
	f.p.Engine.Syrk(gram, 1, f.p.Engine.FeatureMatrix(f.f, x, compute.Range{Lo: 0, Hi: 1}), false, 0)
	s, err := nsvd(f.p.Engine, gram, f.features(x), k, 1e-14) // of squares
	return f.ofCovariance(s, m), err
}

// eigensystem approximates the leading eigensystem of the covariance Z_MᵀZ_M/M of m training rows, or all,
// from a sketch of p columns.
func (f *featuresFit) eigensystem(k, p, m int) (eigensystem, error) {
	m = min(m, f.p.Train.Len())
	z := f.features(f.subsample(m))
	defer f.p.Engine.Release(z)
	s, err := rsvd(f.p.Engine, z, k, p, compute.NewStream(f.p.Seed, "sketch", 0))
	return f.ofCovariance(s, m), err
}

// ofCovariance turns the eigenvalues of r Z_MᵀZ_M into those of Z_MᵀZ_M/M.
func (f *featuresFit) ofCovariance(s eigensystem, m int) eigensystem {
	for i := range s.values {
		s.values[i] /= float64(m) * float64(f.r)
	}
	return s
}

// kappa returns max_i ‖z(x_i)‖² over a batch.
func (f *featuresFit) kappa() float64 {
	x := f.subsample(min(f.batch, f.p.Train.Len()))
	largest := 0.0
	for i, z := 0, f.p.Engine.FeatureMatrix(f.f, x, compute.Range{Lo: 0, Hi: 1}); i < z.Rows; i++ {
		norm := 0.0
		for _, v := range z.Row(i) {
			norm += v * v
		}
		largest = max(largest, norm/float64(f.r))
	}
	return largest
}

func (f *featuresFit) weights() compute.Matrix {
	return compute.Matrix{Rows: f.r, Cols: f.out, Stride: f.out, Data: f.Alpha}
}

// Step implements Fit.
func (f *featuresFit) Step() (Progress, error) {
	rows, x, y := f.order.batch(f.Seen, f.batch)
	alpha, eta, root := f.weights(), f.gamma(f.T+1), 1/math.Sqrt(float64(f.r))
	z := f.features(x)
	defer f.p.Engine.Release(z)
	r := compute.NewMatrix(len(rows), f.out)
	z.MulTo(r, alpha)
	r.Scale(root)
	if !f.p.residual(r, y) {
		return Progress{}, diverged(f.T + 1)
	}
	g := compute.NewMatrix(f.r, f.out)
	z.MulTransTo(g, r)
	g.Scale(root / float64(len(rows)))
	if shrink := 1 - eta*f.p.Nu; shrink != 1 {
		alpha.Scale(shrink)
	}
	alpha.AddScaled(-eta, g)
	if f.d != nil {
		h := f.p.Engine.Mul(f.e, g, true)
		for i, d := range f.d {
			h.RowRange(i, i+1).Scale(eta * d)
		}
		f.p.Engine.Gemm(alpha, 1, f.e, false, h, false, 1)
	}
	f.T++
	f.Seen += int64(len(rows))
	return Progress{Seen: len(rows)}, nil
}

// Model implements Fit.
func (f *featuresFit) Model() Model { return featuresModel{f} }

// State implements Fit.
func (f *featuresFit) State() any { return &f.featuresState }

// SquaredNorms implements Normed.
func (f *featuresFit) SquaredNorms() []float64 { return squares(f.weights()) }

// Footprint implements Sizer: the weights and the eigenvectors.
func (f *featuresFit) Footprint() int64 { return 8 * int64(len(f.Alpha)+len(f.e.Data)) }

type featuresModel struct{ f *featuresFit }

func (m featuresModel) Predict(x compute.Matrix) compute.Matrix {
	u := compute.NewMatrix(x.Rows, m.f.out)
	m.f.p.Engine.Features(m.f.f, x, compute.Range{Lo: 0, Hi: 1}).MulTo(u, m.f.weights())
	u.Scale(1 / math.Sqrt(float64(m.f.r)))
	return u
}

// BatchSize implements Batcher.
func (a *SGDRF) BatchSize() int { return a.Batch }

// Cost implements Coster: r features at every example.
func (a *SGDRF) Cost(s Size) Cost {
	r, m := float64(a.Features), float64(min(a.Subsample, s.N))
	return Cost{
		FeatureEvals: r * (float64(a.Batch*s.Steps) + m),
		Flops:        4 * r * float64(a.Batch*s.Steps*s.Out),
		EvalCost:     r * float64(s.Evals),
		Bytes:        8*r*float64(s.Out) + 4*m*r,
	}
}

// Cost implements Coster: r features at every example, the preconditioner at every step.
func (a *EigenProRF) Cost(s Size) Cost {
	r, k, m := float64(a.Features), float64(a.Directions), float64(min(a.Subsample, s.N))
	c := (&SGDRF{Batch: a.Batch, Features: a.Features, Subsample: a.Subsample}).Cost(s)
	if a.Decomposition == "nystrom" {
		c.FeatureEvals += r * m
		c.Bytes += 8*m*r + 16*m*m
	}
	c.Flops += decompositionCost(a.Decomposition, k, m, r) + 4*r*k*float64(s.Steps*s.Out)
	c.Bytes += 8 * r * 3 * k
	return c
}
