package methods

import (
	"fmt"

	"gonum.org/v1/gonum/blas/blas64"

	"repro/algos"
	"repro/algos/compute"
	"repro/algos/parts"
)

var _ = algos.Register[cutoff]("spectral-cutoff", "projection of the targets on the leading eigenvectors of K, one more at each step [ma2017 Sec. 2.1]", func() algos.Algorithm {
	return &SpectralCutoff{Directions: 200}
})

// SpectralCutoff is the projection of the targets on the leading eigenvectors of K, one more at each step up to k:
//
//	α = Σ_{i≤t} e_i ⟨e_i, y⟩/λ_i
//
// With the heat kernel of any time on a uniform grid of the circle it is the Fourier series up to frequency
// t/2, with which ma2017 Sec. 2.1 and Fig. 1 compare gradient descent. With any kernel its steps show the
// spectrum, ma2017 App. G. If k is at most an eighth of n ≥ 1,000 rows, block Lanczos finds the k eigenvectors, else a
// decomposition of the whole of K, about 10n³ operations; both to rounding errors.
type SpectralCutoff struct {
	Directions int `toml:"directions" want:"> 0" doc:"number of eigenvectors k, which is also the number of steps"`
}

func (*SpectralCutoff) Exact() {}

// Start implements Algorithm. It needs the square loss, ν = 0 and a kernel matrix of rank k or more.
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
		return spectralCost(s)
	}
	n := float64(s.N)
	c := algos.Cost{
		Bytes:    8*n*float64(s.In+s.Out) + parts.AheadBytes(s),
		EvalCost: n * float64(s.Evals), EvalFlops: 2 * n * float64(a.Directions) * float64(s.Out) * float64(s.Evals),
	}
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

func (f cutoff) Eigenvalue() (now, first float64) {
	n := float64(f.g.X.Rows)
	return f.values[max(f.T, 1)-1] / n, f.values[0] / n
}

func (f cutoff) Residual() float64 {
	n, i := f.g.X.Rows, max(f.T, 1)-1
	e, r := compute.NewMatrix(n, 1), compute.NewMatrix(n, 1)
	for row := range n {
		e.Data[row] = f.vectors.At(row, i)
	}
	f.g.K.MulTo(r, e)
	r.AddScaled(-f.values[i], e)
	return blas64.Nrm2(blas64.Vector{N: n, Inc: 1, Data: r.Data}) / f.values[i]
}
