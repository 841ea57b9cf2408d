package methods

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"repro/algos"
	"repro/algos/compute"
	"repro/algos/losses"
	"repro/algos/parts"
)

// spectralState is the number of steps of a spectral method. Everything else follows from the data.
type spectralState struct{ T int }

type spectral struct {
	spectralState
	g       *parts.Gram
	values  []float64  // descending; zero if below rounding errors of the first
	vectors *mat.Dense // n columns, or those of the leading eigenvalues, in that order
	targets *mat.Dense // ⟨e_i, y⟩
	factor  func(lambda float64, i, t int) float64
	last    int // step after which it is done; 0 for no end
}

// startSpectral finds the k leading eigenvectors of K at least, for the named method, which sets factor.
func startSpectral(method string, p *algos.Problem, k int) (*spectral, error) {
	if err := squareAlone(method, p); err != nil {
		return nil, err
	}
	f, vectors, err := decompose(p, k)
	if err != nil {
		return nil, fmt.Errorf("%s: K: %w", method, err)
	}
	n := f.g.X.Rows
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
		f = &spectral{g: parts.NewGram(p)}
		found := false
		if f.values, vectors, found = f.g.Leading(k); found {
			return f, vectors, nil
		}
	}
	f = &spectral{g: parts.NewUnstoredGram(p)}
	f.values, vectors, err = parts.Symmetric(p.Engine, p.Engine.KernelMatrix(p.Kernel, f.g.X, f.g.X), f.g.X.Rows)
	return f, vectors, err
}

// project sets the eigenvectors and the projections of the targets on them.
func (f *spectral) project(vectors compute.Matrix) {
	n, k := vectors.Rows, vectors.Cols
	f.vectors = mat.NewDense(n, k, vectors.Data)
	f.targets = mat.NewDense(k, f.g.Y.Cols, nil)
	f.targets.Mul(f.vectors.T(), mat.NewDense(n, f.g.Y.Cols, f.g.Y.Data))
}

func (f *spectral) Step() (algos.Progress, error) {
	if f.last > 0 && f.T >= f.last {
		return algos.Progress{Done: true}, nil
	}
	f.T++
	if c := f.factor(f.values[0], 0, f.T); math.IsInf(c, 0) || math.IsNaN(c) { // the first factor to overflow
		return algos.Progress{}, parts.Diverged(f.T)
	}
	return algos.Progress{Seen: f.g.X.Rows, Done: f.T == f.last}, nil
}

// alpha returns the coefficients.
func (f *spectral) alpha() compute.Matrix {
	k, out := f.targets.Dims()
	n := f.g.X.Rows
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
func (f *spectral) Anticipate(x compute.Matrix) { f.g.Ahead(x) }
func (f *spectral) Model() algos.Model          { return algos.Predictor(f.predict) }
func (f *spectral) State() any                  { return &f.spectralState }
func (f *spectral) SquaredNorms() []float64     { return parts.ExpansionNorms(f.g.K, f.alpha()) }

// Footprint implements Sizer: the coefficients and the points they belong to.
func (f *spectral) Footprint() int64 { return 8 * int64(len(f.g.X.Data)+len(f.g.Y.Data)) }

func (f *spectral) predict(x compute.Matrix) compute.Matrix { return f.g.Predict(x, f.alpha()) }

// squareAlone returns an error unless p has the square loss and no regulariser, as the named method needs.
func squareAlone(method string, p *algos.Problem) error {
	if p.Loss != (losses.Square{}) {
		return fmt.Errorf("%w: %s needs the square loss, not %s", algos.ErrUnsupported, method, p.Loss.Name())
	}
	if p.Nu != 0 {
		return fmt.Errorf("%w: %s has no regulariser, set nu = 0 instead of %g", algos.ErrUnsupported, method, p.Nu)
	}
	return nil
}

// spectralCost returns the cost of a method that decomposes the whole of K.
func spectralCost(s algos.Size) algos.Cost {
	n := float64(s.N)
	return algos.Cost{
		KernelEvals: n * n, Eigen: n * n * n, Bytes: 8*n*(3*n+float64(s.In+s.Out)) + s.StoredBytes(n*float64(s.Test)),
		EvalCost: n * float64(s.Evals), EvalFlops: 2 * n * n * float64(s.Out) * float64(s.Evals),
	}
}
