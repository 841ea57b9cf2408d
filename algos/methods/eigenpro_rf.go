package methods

import (
	"errors"
	"fmt"
	"math"

	"repro/algos"
	"repro/algos/compute"
	"repro/algos/parts"
)

var (
	_ = algos.Register("eigenpro-rf", func() algos.Algorithm {
		return &EigenProRF{
			EigenProSettings: EigenProSettings{Batch: 256, Directions: 160, Subsample: 4800, Decomposition: "rsvd", Tau: 0.25, Flatten: "sqrt", Rule: "code"},
			Features:         4096,
		}
	})
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

// featuresState is the weights of f(x) = ⟨α, z(x)⟩.
type featuresState struct {
	T     int
	Seen  int64
	Alpha []float64 // r × outputs, row-major
}

type featuresFit struct {
	featuresState
	p     *algos.Problem
	order parts.Order
	f     compute.FeatureMap
	r     int
	out   int
	batch int
	e     compute.Matrix // E, r×k; none without a preconditioner
	d     []float64      // 1 - c_i
	gamma func(t int) float64
}

// Start implements Algorithm. It needs a kernel with random features.
func (a *EigenProRF) Start(p *algos.Problem) (algos.Fit, error) {
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
	f.e = s.Vectors
	for _, c := range a.scales(s.Values) {
		f.d = append(f.d, 1-c)
	}
	f.gamma = a.steps(p, s.Values, f.kappa, func(float64) float64 { return 2 * float64(a.Features) })
	return f, nil
}

func newFeaturesFit(method string, p *algos.Problem, r, batch int) (*featuresFit, error) {
	if err := parts.NoThreshold(method, p); err != nil {
		return nil, err
	}
	k, err := parts.Featured(method, p)
	if err != nil {
		return nil, err
	}
	in, out := p.Train.Dims()
	f := &featuresFit{p: p, order: parts.NewOrder(p), f: k.Features(p.Seed, in, r), r: r, out: out, batch: batch}
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
func (f *featuresFit) decompose(decomposition string, k, m int) (parts.Eigensystem, error) {
	if decomposition != "nystrom" {
		return f.eigensystem(k, parts.SketchOf(k), m)
	}
	m = min(m, f.p.Train.Len())
	x := f.subsample(m)
	gram := compute.NewMatrix(m, m)
	f.p.Engine.Syrk(gram, 1, f.p.Engine.FeatureMatrix(f.f, x, compute.Range{Lo: 0, Hi: 1}), false, 0)
	s, err := parts.NSVD(f.p.Engine, gram, f.features(x), k, 1e-14) // of squares
	return f.ofCovariance(s, m), err
}

// Eigensystem approximates the leading eigensystem of the covariance Z_MᵀZ_M/M of m training rows, or all,
// from a sketch of p columns.
func (f *featuresFit) eigensystem(k, p, m int) (parts.Eigensystem, error) {
	m = min(m, f.p.Train.Len())
	z := f.features(f.subsample(m))
	defer f.p.Engine.Release(z)
	s, err := parts.RSVD(f.p.Engine, z, k, p, compute.NewStream(f.p.Seed, "sketch", 0))
	return f.ofCovariance(s, m), err
}

// ofCovariance turns the eigenvalues of r Z_MᵀZ_M into those of Z_MᵀZ_M/M.
func (f *featuresFit) ofCovariance(s parts.Eigensystem, m int) parts.Eigensystem {
	for i := range s.Values {
		s.Values[i] /= float64(m) * float64(f.r)
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
func (f *featuresFit) Step() (algos.Progress, error) {
	rows, x, y := f.order.Batch(f.Seen, f.batch)
	alpha, eta, root := f.weights(), f.gamma(f.T+1), 1/math.Sqrt(float64(f.r))
	z := f.features(x)
	defer f.p.Engine.Release(z)
	r := compute.NewMatrix(len(rows), f.out)
	z.MulTo(r, alpha)
	r.Scale(root)
	if !parts.Residual(f.p, r, y) {
		return algos.Progress{}, parts.Diverged(f.T + 1)
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
	return algos.Progress{Seen: len(rows)}, nil
}

// Model implements Fit.
func (f *featuresFit) Model() algos.Model { return featuresModel{f} }

// State implements Fit.
func (f *featuresFit) State() any { return &f.featuresState }

// Footprint implements Sizer: the weights and the eigenvectors.
func (f *featuresFit) Footprint() int64 { return 8 * int64(len(f.Alpha)+len(f.e.Data)) }

type featuresModel struct{ f *featuresFit }

func (m featuresModel) Predict(x compute.Matrix) compute.Matrix {
	u := compute.NewMatrix(x.Rows, m.f.out)
	m.f.p.Engine.Features(m.f.f, x, compute.Range{Lo: 0, Hi: 1}).MulTo(u, m.f.weights())
	u.Scale(1 / math.Sqrt(float64(m.f.r)))
	return u
}

// Cost implements Coster: r features at every example, the preconditioner at every step.
func (a *EigenProRF) Cost(s algos.Size) algos.Cost {
	r, k, m := float64(a.Features), float64(a.Directions), float64(min(a.Subsample, s.N))
	c := (&SGDRF{Batch: a.Batch, Features: a.Features, Subsample: a.Subsample}).Cost(s)
	if a.Decomposition == "nystrom" {
		c.FeatureEvals += r * m
		c.Bytes += 8*m*r + 16*m*m
	}
	c.Flops += parts.DecompositionCost(a.Decomposition, k, m, r) + 4*r*k*float64(s.Steps*s.Out)
	c.Bytes += 8 * r * 3 * k
	return c
}
