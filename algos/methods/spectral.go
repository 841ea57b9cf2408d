package methods

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"repro/algos"
	"repro/algos/compute"
	"repro/algos/compute/exact"
	"repro/algos/parts"
)

// A spectral is a fit whose coefficients follow from the number of steps alone.
type spectral struct {
	parts.Span
	Gram    *parts.Gram
	values  []float64  // descending; zero if below rounding errors of the first
	vectors *mat.Dense // n columns, or those of the leading eigenvalues, in that order
	targets *mat.Dense // ⟨e_i, y⟩
	factor  func(lambda float64, i, t int) float64
	last    int // step after which it is done; 0 for no end
}

// newSpectral returns a fit without eigenvectors.
func newSpectral(p *algos.Problem, g *parts.Gram) *spectral {
	f := &spectral{Span: parts.NewSpan(p, g, 0, false), Gram: g}
	f.Form = f.alpha
	return f
}

// startSpectral finds the k leading eigenvectors of K at least, for the named method, which sets factor.
func startSpectral(method string, p *algos.Problem, k int) (*spectral, error) {
	if err := parts.Solves(method, p, parts.SquareLoss, parts.ZeroNu); err != nil {
		return nil, err
	}
	f, vectors, err := decompose(p, k)
	if err != nil {
		return nil, fmt.Errorf("%s: K: %w", method, err)
	}
	n := f.Gram.X.Rows
	for i, l := range f.values {
		if l < float64(n)*0x1p-53*f.values[0] {
			f.values[i] = 0
		}
	}
	f.project(vectors)
	return f, nil
}

// decompose returns a fit with the k leading eigenvalues of K at least, to rounding errors, and their eigenvectors. It
// stores K if few eigenvectors of many rows are enough.
func decompose(p *algos.Problem, k int) (f *spectral, vectors compute.Matrix, err error) {
	if n := p.Train.Len(); parts.FewOf(n, k) {
		f = newSpectral(p, parts.NewGram(p))
		found := false
		if f.values, vectors, found = f.Gram.Leading(k); found {
			return f, vectors, nil
		}
	}
	f = newSpectral(p, parts.NewUnstoredGram(p))
	f.values, vectors, err = parts.Symmetric(p.Engine, p.Engine.KernelMatrix(p.Kernel, f.Gram.X, f.Gram.X), f.Gram.X.Rows)
	return f, vectors, err
}

// project sets the eigenvectors and the projections of the targets on them.
func (f *spectral) project(vectors compute.Matrix) {
	n, k := vectors.Rows, vectors.Cols
	f.vectors = mat.NewDense(n, k, vectors.Data)
	f.targets = mat.NewDense(k, f.Gram.Y.Cols, nil)
	f.targets.Mul(f.vectors.T(), mat.NewDense(n, f.Gram.Y.Cols, f.Gram.Y.Data))
}

func (f *spectral) Step() (algos.Progress, error) {
	if f.last > 0 && f.T >= f.last {
		return algos.Progress{Done: true}, nil
	}
	made := f.Stepped(f.Gram.X.Rows)
	if c := f.factor(f.values[0], 0, f.T); math.IsInf(c, 0) || math.IsNaN(c) { // the first factor to overflow
		return algos.Progress{}, parts.Diverged(f.T)
	}
	made.Done = f.T == f.last
	return made, nil
}

// alpha returns the coefficients.
func (f *spectral) alpha() compute.Matrix {
	k, out := f.targets.Dims()
	n := f.Gram.X.Rows
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

// Anticipate implements Anticipator. Steps use the eigenvectors and not K, which need not be stored.
func (f *spectral) Anticipate(x compute.Matrix) { f.Gram.Ahead(x) }

// Footprint implements Sizer: the coefficients and the points they belong to.
func (f *spectral) Footprint() int64 { return 8 * int64(len(f.Gram.X.Data)+len(f.Gram.Y.Data)) }

// spectralCost returns the cost of a method that predicts by k eigenvectors of K, besides finding them.
func spectralCost(s algos.Size, k int) algos.Cost {
	n, evals := float64(s.N), float64(s.Evals)
	c := algos.Cost{Calls: algos.StepCalls * evals, EvalFlops: 2 * n * float64(k) * float64(s.Out) * evals, Bytes: 8 * n * float64(s.In+s.Out)}
	parts.AddPredictions(&c, s)
	return c
}

var _ = algos.Register[*spectral]("gd-spectral", "gradient descent for the square loss in closed form, from the eigenvectors of K [ma2017 eq. (8)]",
	func() algos.Algorithm { return &GDSpectral{} })

// GDSpectral is gradient descent on the whole training sample, as GD, for the square loss and a constant step,
// in the eigenbasis of K: after t steps
//
//	α = Σ_i e_i (1 - (1 - ηλ_i/n)^t)/λ_i ⟨e_i, y⟩
//
// [ma2017 eq. (8)]. After one eigendecomposition, about 10n³ operations, any number of steps costs the same, so the iterate after 10⁶ steps
// can be computed. The step is η = 0.75n/λ_1 unless the spec gives one; eigenvalues below the rounding errors of λ_1 count as zero.
type GDSpectral struct {
	Eta float64 `toml:"eta" want:">= 0" doc:"step size η; 0.75/λ_1 if left out, λ_1 the largest eigenvalue of K/n"`
}

func (*GDSpectral) Traits() algos.Traits { return algos.Traits{Exact: true} }

func (a *GDSpectral) Start(p *algos.Problem) (algos.Fit, error) {
	f, err := startSpectral("gd-spectral", p, p.Train.Len())
	if err != nil {
		return nil, err
	}
	n := float64(f.Gram.X.Rows)
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
		return (1 - exact.Pow(1-x, float64(t))) / lambda
	}
	return f, nil
}

// Cost implements Coster: that of the decomposition of the whole of K.
func (*GDSpectral) Cost(s algos.Size) algos.Cost {
	c, n := spectralCost(s, s.N), float64(s.N)
	c.KernelEvals, c.Eigen, c.Bytes = n*n, algos.EigenWork(n), c.Bytes+24*n*n
	return c
}

var _ = algos.Register[cutoff]("spectral-cutoff", "projection of the targets on the leading eigenvectors of K, one more at each step [ma2017 Sec. 2.1]",
	func() algos.Algorithm { return &SpectralCutoff{Directions: 200} }, spectrum...)

// SpectralCutoff is the projection of the targets on the leading eigenvectors of K, one more at each step up to k:
//
//	α = Σ_{i≤t} e_i ⟨e_i, y⟩/λ_i
//
// With the heat kernel of any time on a uniform grid of the circle it is the Fourier series up to frequency t/2, with which ma2017 Sec. 2.1
// and Fig. 1 compare gradient descent. With any kernel its steps show the spectrum, ma2017 App. G. If k is at most an eighth of n ≥ 1,000
// rows, block Lanczos finds the k eigenvectors, else a decomposition of the whole of K, about 10n³ operations; both to rounding errors.
type SpectralCutoff struct {
	Directions int `toml:"directions" want:"> 0" doc:"number of eigenvectors k, which is also the number of steps"`
}

func (*SpectralCutoff) Traits() algos.Traits { return algos.Traits{Exact: true} }

func (a *SpectralCutoff) Start(p *algos.Problem) (algos.Fit, error) {
	f, err := startSpectral("spectral-cutoff", p, a.Directions)
	if err != nil {
		return nil, err
	}
	if n := len(f.values); n < a.Directions || f.values[a.Directions-1] == 0 {
		return nil, fmt.Errorf("spectral-cutoff: the kernel matrix of %d rows has fewer than %d eigenvalues above rounding errors; lower directions, or take a rougher kernel", n, a.Directions)
	}
	return f.cutoff(a.Directions), nil
}

func (a *SpectralCutoff) Cost(s algos.Size) algos.Cost {
	if !parts.FewOf(s.N, a.Directions) {
		return (&GDSpectral{}).Cost(s)
	}
	c := spectralCost(s, a.Directions)
	parts.AddLeadingOfK(&c, s, a.Directions)
	return c
}

// cutoff returns the fit that adds one of the first k eigenvectors per step.
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

// cutoff is a spectral fit that adds an eigenvector per step.
type cutoff struct{ *spectral }

// spectrum are the numbers of a cutoff: λ_t and λ_1/λ_t of K/n, t the number of steps, and residual.
var spectrum = []algos.Number{
	algos.Known("eigenvalue", func(f cutoff) float64 { return f.eigenvalue(max(f.T, 1)) }),
	algos.Known("eigenvalue-ratio", func(f cutoff) float64 { return f.eigenvalue(1) / f.eigenvalue(max(f.T, 1)) }),
	algos.Known("eigen-residual", cutoff.residual),
}

// eigenvalue returns λ_t of K/n.
func (f cutoff) eigenvalue(t int) float64 { return f.values[t-1] / float64(f.Gram.X.Rows) }

// residual returns ‖(K/n)e_t - λ_t e_t‖/λ_t, which is 0 if e_t is an eigenvector of λ_t.
func (f cutoff) residual() float64 {
	n, i := f.Gram.X.Rows, max(f.T, 1)-1
	e, r := compute.NewMatrix(n, 1), compute.NewMatrix(n, 1)
	for row := range n {
		e.Data[row] = f.vectors.At(row, i)
	}
	f.Gram.K.MulTo(r, e)
	r.AddScaled(-f.values[i], e)
	return blas64.Nrm2(blas64.Vector{N: n, Inc: 1, Data: r.Data}) / f.values[i]
}

var _ = algos.Register[cutoff]("spectral-sketch", "spectral-cutoff with eigenvectors from a random sketch of K, for more rows [ma2017 App. A]",
	func() algos.Algorithm { return &SpectralSketch{Directions: 321, Decomposition: "rsvd", Sketch: 1300} }, spectrum...)

// SpectralSketch is SpectralCutoff with the eigenvectors and eigenvalues that RSVD finds from a sketch of all rows of K, ma2017 App. A with
// M = n. It computes in the precision of the spec. The eigenvalues are never above those of K [Halko, Martinsson & Tropp 2011], and the
// later ones are too small: with four times as many columns as eigenvectors the last one of a Gaussian kernel of MNIST by two hundredths
// with 2,500 rows and by five with 20,000, where SpectralCutoff is exact. With a subsample M < n it is what EigenPro uses as the
// eigensystem of K: RSVD of M rows, or with decomposition = "nystrom" NSVD of the M×M block.
type SpectralSketch struct {
	Directions    int    `toml:"directions" want:"> 0" doc:"number of eigenvectors k, which is also the number of steps"`
	Decomposition string `toml:"decomposition" want:"|rsvd|nystrom" doc:"how the eigenvectors are computed: rsvd, from a random sketch of M rows of K; nystrom, from its M×M block [ma2017 App. A]"`
	Sketch        int    `toml:"sketch" want:"> 0" doc:"columns of the sketch, more than k; only with rsvd"`
	Subsample     int    `toml:"subsample" want:">= 0" doc:"rows M from which the eigenvectors are computed; all if left out"`
}

func (a *SpectralSketch) Start(p *algos.Problem) (algos.Fit, error) {
	const method = "spectral-sketch"
	if err := parts.Solves(method, p, parts.SquareLoss, parts.ZeroNu); err != nil {
		return nil, err
	}
	if a.Decomposition != "nystrom" && a.Sketch <= a.Directions {
		return nil, fmt.Errorf("%s: a sketch of %d columns cannot find %d eigenvectors and one eigenvalue more: raise sketch, best to four times directions", method, a.Sketch, a.Directions)
	}
	f := newSpectral(p, parts.NewGram(p))
	s, err := a.eigensystem(f.Gram)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", method, err)
	}
	f.values = s.Values
	f.project(s.Vectors)
	return f.cutoff(a.Directions), nil
}

// eigensystem returns the leading eigensystem of K.
func (a *SpectralSketch) eigensystem(g *parts.Gram) (parts.Eigensystem, error) {
	switch {
	case a.Decomposition == "nystrom":
		return g.NSVD(a.Directions, a.Subsample)
	case a.Subsample > 0:
		return g.Eigensystem(a.Directions, a.Sketch, a.Subsample)
	}
	return g.Sketch(a.Directions, a.Sketch)
}

// Cost implements Coster. K is evaluated once if it is stored.
func (a *SpectralSketch) Cost(s algos.Size) algos.Cost {
	c, n, p := spectralCost(s, a.Directions), float64(s.N), float64(min(a.Sketch, s.N))
	if s.Stores(n * n) {
		c.KernelEvals = n * n
	}
	m := n
	if a.Subsample > 0 {
		m = min(m, float64(a.Subsample))
	}
	parts.AddDecompositionOfK(&c, s, a.Decomposition, float64(a.Directions), p, m)
	c.Bytes += s.StoredBytes(n * n)
	if a.Decomposition == "nystrom" {
		c.Bytes += 16 * n * float64(a.Directions)
	}
	return c
}
