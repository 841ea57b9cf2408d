package algos

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"repro/algos/compute"
	"repro/algos/losses"
)

var (
	_ = register("gd-spectral", func() Algorithm { return &GDSpectral{} })
	_ = register("spectral-cutoff", func() Algorithm { return &SpectralCutoff{Directions: 200} })
)

// GDSpectral is gradient descent on the whole training sample, as GD, for the square loss and a constant step,
// in the eigenbasis of K: after t steps
//
//	α = Σ_i e_i (1 - (1 - ηλ_i/n)^t)/λ_i ⟨e_i, y⟩
//
// [ma2017 eq. (8)]. One eigendecomposition, about 10n³ operations, makes any number of steps free: what is
// within the reach of gradient descent after 10⁶ of them can be seen. The step is η = 0.75n/λ_1 unless the
// spec gives one; eigenvalues below the rounding errors of λ_1 count as zero.
type GDSpectral struct {
	Eta float64 `toml:"eta" want:">= 0" doc:"step size η; 0.75/λ_1 if left out, λ_1 the largest eigenvalue of K/n"`
}

// SpectralCutoff is the projection of the targets on the leading eigenvectors of K, one more at each step up to k:
//
//	α = Σ_{i≤t} e_i ⟨e_i, y⟩/λ_i
//
// With the heat kernel on a uniform grid of the circle, of any time, it is the Fourier series up to frequency
// t/2, which ma2017 Sec. 2.1 and Fig. 1 hold against gradient descent; with any kernel its steps show the
// spectrum, ma2017 App. G.
type SpectralCutoff struct {
	Directions int `toml:"directions" want:"> 0" doc:"number of eigenvectors k, and of steps"`
}

// Exact implements Exact.
func (*GDSpectral) Exact() {}

// Exact implements Exact.
func (*SpectralCutoff) Exact() {}

// spectralState is how far a spectral method has come. Everything else follows from the data.
type spectralState struct{ T int }

type spectral struct {
	spectralState
	g       *gram
	values  []float64  // descending; zero where they are rounding errors
	vectors *mat.Dense // n columns, or those of the leading eigenvalues, in that order
	targets *mat.Dense // ⟨e_i, y⟩
	factor  func(lambda float64, i, t int) float64
	last    int // step after which it is done, 0 for none
}

// cutoff is a spectral fit whose steps are eigenvectors.
type cutoff struct{ *spectral }

// Eigenvalue implements SpectrumFit.
func (f cutoff) Eigenvalue() (now, first float64) {
	n := float64(f.g.x.Rows)
	return f.values[max(f.T, 1)-1] / n, f.values[0] / n
}

// Residual implements SpectrumFit.
func (f cutoff) Residual() float64 {
	n, i := f.g.x.Rows, max(f.T, 1)-1
	e, r := compute.NewMatrix(n, 1), compute.NewMatrix(n, 1)
	for row := range n {
		e.Data[row] = f.vectors.At(row, i)
	}
	f.g.k.MulTo(r, e)
	r.AddScaled(-f.values[i], e)
	return blas64.Nrm2(blas64.Vector{N: n, Inc: 1, Data: r.Data}) / f.values[i]
}

func startSpectral(method string, p *Problem) (*spectral, error) {
	if err := squareAlone(method, p); err != nil {
		return nil, err
	}
	f := &spectral{g: &gram{p: p}}
	f.g.x, f.g.y = p.Dense()
	f.g.k = p.Engine.Kernel(p.Kernel, f.g.x, f.g.x)
	n := f.g.x.Rows
	var e mat.EigenSym
	if !e.Factorize(mat.NewSymDense(n, p.Engine.KernelMatrix(p.Kernel, f.g.x, f.g.x).Data), true) {
		return nil, fmt.Errorf("%s: the eigendecomposition of K, %d×%d, did not converge", method, n, n)
	}
	var v mat.Dense
	e.VectorsTo(&v)
	ascending := e.Values(nil)
	f.values, f.vectors = make([]float64, n), mat.NewDense(n, n, nil)
	for i := range f.values {
		f.values[i] = ascending[n-1-i]
		if f.values[i] < float64(n)*0x1p-53*f.values[0] {
			f.values[i] = 0
		}
		for r := range n {
			f.vectors.Set(r, i, v.At(r, n-1-i))
		}
	}
	f.targets = mat.NewDense(n, f.g.y.Cols, nil)
	f.targets.Mul(f.vectors.T(), mat.NewDense(n, f.g.y.Cols, f.g.y.Data))
	return f, nil
}

// squareAlone says whether p has the square loss and no regulariser, as the named method needs.
func squareAlone(method string, p *Problem) error {
	if p.Loss != (losses.Square{}) {
		return fmt.Errorf("%w: %s needs the square loss, not %s", ErrUnsupported, method, p.Loss.Name())
	}
	if p.Nu != 0 {
		return fmt.Errorf("%w: %s has no regulariser, set nu = 0 instead of %g", ErrUnsupported, method, p.Nu)
	}
	return nil
}

// Fits implements Declarer.
func (*GDSpectral) Fits() Fit { return (*spectral)(nil) }

// Start implements Algorithm. It needs the square loss and ν = 0.
func (a *GDSpectral) Start(p *Problem) (Fit, error) {
	f, err := startSpectral("gd-spectral", p)
	if err != nil {
		return nil, err
	}
	n := float64(f.g.x.Rows)
	eta := a.Eta
	if eta == 0 {
		eta = 0.75 * n / f.values[0]
	}
	f.factor = func(lambda float64, _, t int) float64 {
		x := eta * lambda / n
		switch {
		case lambda == 0:
			return eta / n * float64(t)
		case x < 1:
			return -math.Expm1(float64(t)*math.Log1p(-x)) / lambda
		}
		return (1 - math.Pow(1-x, float64(t))) / lambda
	}
	return f, nil
}

// Fits implements Declarer.
func (*SpectralCutoff) Fits() Fit { return cutoff{} }

// Start implements Algorithm. It needs the square loss, ν = 0 and a kernel matrix of rank k or more.
func (a *SpectralCutoff) Start(p *Problem) (Fit, error) {
	f, err := startSpectral("spectral-cutoff", p)
	if err != nil {
		return nil, err
	}
	if n := len(f.values); n < a.Directions || f.values[a.Directions-1] == 0 {
		return nil, fmt.Errorf("spectral-cutoff: the kernel matrix of %d rows has fewer than %d eigenvalues above rounding errors; lower directions, or take a rougher kernel", n, a.Directions)
	}
	return f.cutoff(a.Directions), nil
}

// cutoff returns the fit whose steps are the first k eigenvectors.
func (f *spectral) cutoff(k int) cutoff {
	f.last = k
	f.factor = func(lambda float64, i, t int) float64 {
		if i >= t {
			return 0
		}
		return 1 / lambda
	}
	return cutoff{f}
}

// Step implements Fit.
func (f *spectral) Step() (Progress, error) {
	if f.last > 0 && f.T >= f.last {
		return Progress{Done: true}, nil
	}
	f.T++
	if c := f.factor(f.values[0], 0, f.T); math.IsInf(c, 0) || math.IsNaN(c) { // the first to leave the numbers
		return Progress{}, diverged(f.T)
	}
	return Progress{Seen: f.g.x.Rows, Done: f.T == f.last}, nil
}

// alpha returns the coefficients.
func (f *spectral) alpha() compute.Matrix {
	k, out := f.targets.Dims()
	n := f.g.x.Rows
	scaled := mat.NewDense(k, out, nil)
	for i, l := range f.values[:k] {
		c := f.factor(l, i, f.T)
		for j := range out {
			scaled.Set(i, j, c*f.targets.At(i, j))
		}
	}
	alpha := compute.NewMatrix(n, out)
	mat.NewDense(n, out, alpha.Data).Mul(f.vectors, scaled)
	return alpha
}

// Model implements Fit.
func (f *spectral) Model() Model { return spectralModel{f} }

// State implements Fit.
func (f *spectral) State() any { return &f.spectralState }

// SquaredNorms implements Normed.
func (f *spectral) SquaredNorms() []float64 { return expansionNorms(f.g.k, f.alpha()) }

// Footprint implements Sizer: the coefficients and the points they belong to.
func (f *spectral) Footprint() int64 { return 8 * int64(len(f.g.x.Data)+len(f.g.y.Data)) }

type spectralModel struct{ f *spectral }

func (m spectralModel) Predict(x compute.Matrix) compute.Matrix { return m.f.g.predict(x, m.f.alpha()) }

// Cost implements Coster.
func (*GDSpectral) Cost(s Size) Cost { return spectralCost(s) }

// Cost implements Coster.
func (*SpectralCutoff) Cost(s Size) Cost { return spectralCost(s) }

func spectralCost(s Size) Cost {
	n := float64(s.N)
	return Cost{KernelEvals: n * n, Flops: 10 * n * n * n, EvalCost: n * float64(s.Evals), Bytes: 8 * n * (3*n + float64(s.In+s.Out))}
}
