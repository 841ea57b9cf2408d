package methods

import (
	"fmt"
	"math"

	"repro/algos"
	"repro/algos/compute"
	"repro/algos/losses"
	"repro/algos/parts"
)

var _ = algos.Register[*monteCarlo]("random-features", "estimates the kernel by the mean of products of random features, does not learn [dai2014 Thm 1]", func() algos.Algorithm {
	return &RandomFeatures{Block: 64, Estimates: 1}
}, kernelErrors[*monteCarlo]()...)

// RandomFeatures estimates the kernel by the mean of products of random features [dai2014 Theorem 1,
// Table 1]: after t iterations of F features, m = tF,
//
//	k̂(x, z) = (1/m) Σ_{l≤m} φ_l(x) φ_l(z)
//
// whose root mean square error is √(Var[φ(x) φ(z)]/m) if features are independent. It makes R
// independent estimates and compares them with k at all pairs of training inputs; it does not learn. As a
// predictor it is f(x) = (1/n) Σ_i y_i k̂(x_i, x), k̂ the mean of the estimates.
type RandomFeatures struct {
	Block     int `toml:"block" want:"> 0" doc:"random features F per iteration and estimate"`
	Estimates int `toml:"estimates" want:"> 0" doc:"number R of independent estimates of the kernel; their mean squared error is measured"`
}

type monteCarlo struct {
	monteCarloState
	settings *RandomFeatures
	p        *algos.Problem
	x, y     compute.Matrix
	exact    compute.Matrix // K(x, x)
	features compute.FeatureMap
}

type monteCarloState struct {
	T      int       // iterations made
	Sum    []float64 // m·k̂ at all pairs of training inputs, one estimate after another
	Weight []float64 // (1/n) Σ_i y_i φ_l(x_i), one row of outputs per feature
}

// mostPairs is the largest number of training rows whose pairs are compared. k and each estimate then take 128 MiB.
const mostPairs = 4096

// Start implements Algorithm. It needs a kernel with random features and the square loss.
func (a *RandomFeatures) Start(p *algos.Problem) (algos.Fit, error) {
	k, err := parts.Featured("random-features", p)
	if err != nil {
		return nil, err
	}
	if p.Loss != (losses.Square{}) {
		return nil, fmt.Errorf("%w: random-features needs the square loss, not %s", algos.ErrUnsupported, p.Loss.Name())
	}
	n := p.Train.Len()
	if n > mostPairs {
		return nil, fmt.Errorf("random-features compares all pairs of at most %d training rows, and there are %d; lower data.train", mostPairs, n)
	}
	f := &monteCarlo{settings: a, p: p}
	f.x, f.y = p.Dense()
	f.exact = p.Engine.KernelMatrix(k, f.x, f.x)
	f.features = k.Features(p.Seed, f.x.Cols, a.Block)
	f.Sum = make([]float64, a.Estimates*n*n)
	return f, nil
}

func (f *monteCarlo) Step() (algos.Progress, error) {
	e, n, F := f.p.Engine, f.x.Rows, f.settings.Block
	phi := e.FeatureMatrix(f.features, f.x, f.blocks(f.T, f.T+1))
	for r := range f.settings.Estimates {
		e.Syrk(f.sum(r), 1, phi.ColRange(r*F, (r+1)*F), false, 1)
	}
	w := e.Mul(phi, f.y, true)
	e.Reuse(phi)
	w.Scale(1 / float64(n))
	copy(parts.Grown(&f.Weight, len(w.Data)), w.Data)
	e.Reuse(w)
	f.T++
	return algos.Progress{Seen: n}, nil
}

// blocks returns the feature blocks of iterations k < i ≤ t: one block per iteration and estimate.
func (f *monteCarlo) blocks(k, t int) compute.Range {
	return compute.Range{Lo: k * f.settings.Estimates, Hi: t * f.settings.Estimates}
}

// sum views m times estimate r.
func (f *monteCarlo) sum(r int) compute.Matrix {
	n := f.x.Rows
	return compute.Matrix{Rows: n, Cols: n, Stride: n, Data: f.Sum[r*n*n : (r+1)*n*n]}
}

// size returns the number of features of t iterations, over all estimates.
func (f *monteCarlo) size(t int) int { return t * f.settings.Estimates * f.settings.Block }

// kernelErrors are the numbers of fits that estimate the kernel of their problem.
func kernelErrors[F interface {
	algos.Fit
	errors() (rms, largest float64)
}]() []algos.Number {
	return []algos.Number{
		algos.Known("kernel-error", func(f F) float64 { rms, _ := f.errors(); return rms }),
		algos.Known("kernel-max-error", func(f F) float64 { _, largest := f.errors(); return largest }),
	}
}

// errors returns the root mean square over the estimates of the root mean square and of the largest magnitude of k̂(x, z) - k(x, z)
// over all pairs of training inputs, including x = z. Before the first iteration k̂ is zero.
func (f *monteCarlo) errors() (rms, largest float64) {
	n, m, R := f.x.Rows, max(1, f.T*f.settings.Block), f.settings.Estimates
	square, worst := 0.0, 0.0
	for r := range R {
		sum, most := f.sum(r), 0.0
		for i := range n {
			for j := range i + 1 {
				off := sum.At(i, j)/float64(m) - f.exact.At(i, j)
				square += off * off
				most = max(most, off*off)
			}
		}
		worst += most
	}
	return math.Sqrt(square / float64(R*n*(n+1)/2)), math.Sqrt(worst / float64(R))
}

// weights returns the weights of the features after iteration k, divided by the number of all features.
func (f *monteCarlo) weights(k int) compute.Matrix {
	w := compute.NewMatrix(f.size(f.T-k), f.y.Cols)
	copy(w.Data, f.Weight[len(f.Weight)-len(w.Data):])
	w.Scale(1 / float64(max(1, f.size(f.T))))
	return w
}

// Advance implements Incremental: f_t = (k/t) f_k + (1/(Rm)) Σ_new w_l φ_l.
func (f *monteCarlo) Advance(k int, x compute.Matrix, p algos.Predictions) {
	if k == f.T {
		return
	}
	fresh := compute.NewMatrix(x.Rows, f.y.Cols)
	f.p.Engine.Features(f.features, x, f.blocks(k, f.T)).MulTo(fresh, f.weights(k))
	p.Last.Scale(float64(k) / float64(f.T))
	p.Last.AddScaled(1, fresh)
}

func (f *monteCarlo) Model() algos.Model { return algos.Predictor(f.predict) }
func (f *monteCarlo) State() any         { return &f.monteCarloState }

// SquaredNorms implements Normed, with all m features f = Σ_l w_l φ_l = ⟨√m·w, z(x)⟩.
func (f *monteCarlo) SquaredNorms() []float64 {
	w := f.weights(0)
	return parts.ScaledSquares(float64(w.Rows), w)
}

// Footprint implements Sizer: the weights. Features are redrawn, not stored.
func (f *monteCarlo) Footprint() int64 { return 8 * int64(len(f.Weight)) }

func (f *monteCarlo) predict(x compute.Matrix) compute.Matrix {
	u := compute.NewMatrix(x.Rows, f.y.Cols)
	f.Advance(0, x, algos.Predictions{Last: u})
	return u
}

// oneByOne is how many operations of a product take as long as one of the numbers that a metric computes one by one, such as a comparison
// with k.
const oneByOne = 32

func (a *RandomFeatures) Cost(s algos.Size) algos.Cost {
	n, m, R := float64(s.N), float64(a.Estimates)*float64(a.Block)*float64(s.Steps), float64(a.Estimates)
	return algos.Cost{
		FeatureEvals: n * m, KernelEvals: n * n, Flops: n * n * m, EvalCost: m,
		EvalFlops: oneByOne * R * n * n / 2 * float64(s.Evals),
		Bytes:     8 * ((1+R)*n*n + n*(float64(s.In+s.Out)+R*float64(a.Block)) + m*(float64(s.In+2)+parts.Growth*float64(s.Out))), // predictions draw all features at a time
	}
}
