package methods

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"

	"repro/algos"
	"repro/algos/compute"
	"repro/algos/kernels"
	"repro/algos/parts"
)

var _ = algos.Register[*monteCarlo]("random-features", "estimates the kernel by the mean of products of random features, does not learn [dai2014 Thm 1]",
	func() algos.Algorithm { return &RandomFeatures{Block: 64, Estimates: 1} }, kernelErrors[*monteCarlo]()...)

// RandomFeatures estimates the kernel by the mean of products of random features [dai2014 Theorem 1,
// Table 1]: after t iterations of F features, m = tF,
//
//	k̂(x, z) = (1/m) Σ_{l≤m} φ_l(x) φ_l(z)
//
// whose root mean square error is √(Var[φ(x) φ(z)]/m) if features are independent. It makes R independent estimates and compares them with
// k at all pairs of training inputs; it does not learn. As a predictor it is f(x) = (1/n) Σ_i y_i k̂(x_i, x), k̂ the mean of the estimates.
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

func (a *RandomFeatures) Start(p *algos.Problem) (algos.Fit, error) {
	k, err := parts.Featured("random-features", p)
	if err != nil {
		return nil, err
	}
	if err := parts.Solves("random-features", p, parts.SquareLoss); err != nil {
		return nil, err
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

func (f *monteCarlo) errors() (rms, largest float64) {
	sums := make([]compute.Matrix, f.settings.Estimates)
	for r := range sums {
		sums[r] = f.sum(r)
	}
	return pairErrors(f.exact, float64(max(1, f.T*f.settings.Block)), sums...)
}

// pairErrors returns the root mean square over estimates of the root mean square and of the largest magnitude of k̂(x, z) - k(x, z) over all
// pairs of training inputs, including x = z, from k at these and m·k̂ of every estimate. Before the first iteration k̂ is zero.
func pairErrors(exact compute.Matrix, m float64, sums ...compute.Matrix) (rms, largest float64) {
	n, square, worst := exact.Rows, 0.0, 0.0
	for _, sum := range sums {
		most := 0.0
		for i := range n {
			for j := range i + 1 {
				off := sum.At(i, j)/m - exact.At(i, j)
				square += off * off
				most = max(most, off*off)
			}
		}
		worst += most
	}
	return math.Sqrt(square / float64(len(sums)*n*(n+1)/2)), math.Sqrt(worst / float64(len(sums)))
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

var _ = algos.Register[*taylorExpansion]("taylor-expansion", "estimates the Gaussian kernel by its Taylor functions, does not learn [jezequel2019 Lemma 4.4]",
	func() algos.Algorithm { return &TaylorExpansion{Order: 8} }, append(kernelErrors[*taylorExpansion](),
		algos.Known("kernel-error-bound", (*taylorExpansion).bound),
		algos.Known("kernel-bound-share", func(f *taylorExpansion) float64 { return f.Share }),
		algos.Computed("gram-error", (*taylorExpansion).gramError))...)

// TaylorExpansion estimates the Gaussian kernel by its Taylor functions [jezequel2019 Lemmas 4.2 to 4.4]: after t iterations
//
//	k̂(x, z) = Σ_{|k|≤t} g_k(x) g_k(z),
//
// which it compares with k at all pairs of training inputs, and with the bound
//
//	|k(x, z) - k̂(x, z)| ≤ (R/σ)^(2t+2)/(t+1)!  for |x|, |z| ≤ R
//
// at the largest norm R of a training input. It does not learn. As a predictor it is f(x) = (1/n) Σ_i y_i k̂(x_i, x).
type TaylorExpansion struct {
	Order int `toml:"order" want:"> 0" most:"64 higher powers underflow" doc:"order of the last iteration"`
}

type taylorExpansion struct {
	taylorExpansionState
	order     int
	p         *algos.Problem
	kernel    kernels.Gaussian
	functions *parts.Taylor
	x, y      compute.Matrix
	exact     compute.Matrix // K(x, x)
	g         compute.Matrix // of all orders, one row for each training input
	radius    float64        // R/σ
}

type taylorExpansionState struct {
	T     int       // order M
	Sum   []float64 // k̂ at all pairs of training inputs
	Share float64   // largest part of its bound that the error of an order was
}

// Traits implements Described. The error of rounding must be smaller than that of the expansion.
func (*TaylorExpansion) Traits() algos.Traits { return algos.Traits{Exact: true} }

func (a *TaylorExpansion) Start(p *algos.Problem) (algos.Fit, error) {
	k, ok := p.Kernel.(kernels.Gaussian)
	if !ok {
		return nil, fmt.Errorf("%w: taylor-expansion is of the Gaussian kernel, not of %s", algos.ErrUnsupported, p.Kernel.Name())
	}
	if err := parts.Solves("taylor-expansion", p, parts.SquareLoss); err != nil {
		return nil, err
	}
	n := p.Train.Len()
	if n > mostPairs {
		return nil, fmt.Errorf("taylor-expansion compares all pairs of at most %d training rows, and there are %d; lower data.train", mostPairs, n)
	}
	in, _ := p.Train.Dims()
	functions, err := parts.NewTaylor(in, a.Order, k.Sigma)
	if err != nil {
		return nil, err
	}
	f := &taylorExpansion{order: a.Order, p: p, kernel: k, functions: functions}
	f.x, f.y = p.Dense()
	f.exact = p.Engine.KernelMatrix(k, f.x, f.x)
	f.g = f.at(f.x)
	for i := range n {
		f.radius = max(f.radius, floats.Norm(f.x.Row(i), 2)/k.Sigma)
	}
	f.Sum = make([]float64, n*n)
	f.add(0, 1)
	return f, nil
}

// at returns the functions of all orders at the rows of x.
func (f *taylorExpansion) at(x compute.Matrix) compute.Matrix {
	g := f.p.Engine.Zeroed(x.Rows, f.functions.Len())
	for i := range x.Rows {
		f.functions.At(g.Row(i), x.Row(i))
	}
	return g
}

// upTo returns the number of functions of |k| ≤ order.
func (f *taylorExpansion) upTo(order int) int {
	if order < 0 {
		return 0
	}
	return int(parts.TaylorFunctions(f.x.Cols, order))
}

// add adds the functions lo ≤ j < hi to k̂, and compares it with its bound.
func (f *taylorExpansion) add(lo, hi int) {
	f.p.Engine.Syrk(parts.View(f.Sum, f.x.Rows), 1, f.g.ColRange(lo, hi), false, 1)
	_, largest := f.errors()
	f.Share = max(f.Share, largest/f.bound())
}

func (f *taylorExpansion) Step() (algos.Progress, error) {
	if f.T == f.order {
		return algos.Progress{Done: true}, nil
	}
	f.T++
	f.add(f.upTo(f.T-1), f.upTo(f.T))
	return algos.Progress{Seen: f.x.Rows, Done: f.T == f.order}, nil
}

func (f *taylorExpansion) errors() (rms, largest float64) {
	return pairErrors(f.exact, 1, parts.View(f.Sum, f.x.Rows))
}

// bound returns that of the largest error, (R/σ)^(2M+2)/(M+1)!.
func (f *taylorExpansion) bound() float64 {
	bound := 1.0
	for j := 1; j <= f.T+1; j++ {
		bound *= f.radius * f.radius / float64(j)
	}
	return bound
}

// The lattice of gramError has the points ±jh for j ≤ latticeHalf in every coordinate, with h = latticeSpacing·σ. It stands for the whole
// space: a g_k of |k| ≤ gramOrder is below 2·10⁻¹⁰ beyond it, and its transform has 2·10⁻⁷ of its square beyond the frequency π/h in a
// coordinate. A finer lattice has a kernel matrix that is singular to rounding, and so has one of three coordinates.
const (
	latticeSpacing = 0.4
	latticeHalf    = 20
	gramOrder      = 6
	latticeInputs  = 2
)

// gramError returns the largest |⟨g_k, g_l⟩ - 1{k = l}| over the functions of |k| ≤ gramOrder.
//
// Nothing in it knows that the g_k are orthonormal: with the points z_i of a lattice and K = (k(z_i, z_j)), the projections of g
// and g' on the span of the functions k(z_i, ·) have the inner product g(z)ᵀK⁻¹g'(z) in the RKHS, because ⟨k(z, ·), g⟩ = g(z).
// It is that of g and g' as the span fills the RKHS. The Gaussian kernel of a lattice is the product of those of its
// coordinates, so that K⁻¹ = L⁻ᵀL⁻¹ with L the product of the Cholesky factors for one coordinate.
func (f *taylorExpansion) gramError() (float64, error) {
	in := f.x.Cols
	if in > latticeInputs {
		return 0, fmt.Errorf("it is computed for at most %d inputs, and there are %d; remove the metric or lower data.inputs", latticeInputs, in)
	}
	line, factor := f.lattice()
	if factor == nil {
		return math.NaN(), nil
	}
	points := 1
	for range in {
		points *= line.Rows
	}
	r := f.upTo(min(f.T, gramOrder))
	h, v, x := f.p.Engine.Zeroed(r, points), make([]float64, r), make([]float64, in) // L⁻¹g_k(z) for every k
	defer f.p.Engine.Reuse(h)
	for i := range points {
		for l, rest := 0, i; l < in; l, rest = l+1, rest/line.Rows {
			x[l] = line.At(rest%line.Rows, 0)
		}
		f.functions.At(v, x)
		for k, value := range v {
			h.Set(k, i, value)
		}
	}
	for k := range r {
		solveLattice(h.Row(k), factor, line.Rows)
	}
	worst := 0.0
	for k := range r {
		for l := range k + 1 {
			want := 0.0
			if l == k {
				want = 1
			}
			worst = max(worst, math.Abs(compute.Dot(h.Row(k), h.Row(l))-want))
		}
	}
	return worst, nil
}

// lattice returns the coordinates of the lattice, and the Cholesky factor of their kernel matrix: the lower triangle, row after
// row, or nil if it has none.
func (f *taylorExpansion) lattice() (line compute.Matrix, factor []float64) {
	const side = 2*latticeHalf + 1
	line = compute.NewMatrix(side, 1)
	for i := range side {
		line.Row(i)[0] = float64(i-latticeHalf) * latticeSpacing * f.kernel.Sigma
	}
	kernel := f.p.Engine.KernelMatrix(f.kernel, line, line)
	if !f.p.Engine.Cholesky(kernel) {
		return line, nil
	}
	for i := range side {
		for j := range i + 1 {
			factor = append(factor, kernel.At(j, i))
		}
	}
	return line, factor
}

// solveLattice replaces values at the points of a lattice by L⁻¹ of them, one coordinate after another, for the factor of one with
// side points.
func solveLattice(row, factor []float64, side int) {
	along := make([]float64, side)
	for apart := 1; apart < len(row); apart *= side {
		for first := range row {
			if first/apart%side > 0 {
				continue
			}
			for i := range along {
				along[i] = row[first+i*apart]
			}
			parts.SolvePacked(factor, along)
			for i, v := range along {
				row[first+i*apart] = v
			}
		}
	}
}

func (f *taylorExpansion) Model() algos.Model { return algos.Predictor(f.predict) }

func (f *taylorExpansion) predict(x compute.Matrix) compute.Matrix {
	r := f.upTo(f.T)
	w := f.p.Engine.Mul(f.g.ColRange(0, r), f.y, true)
	w.Scale(1 / float64(f.x.Rows))
	g := f.at(x)
	defer f.p.Engine.Reuse(g)
	return f.p.Engine.Mul(g.ColRange(0, r), w, false)
}

func (f *taylorExpansion) State() any { return &f.taylorExpansionState }

// Footprint implements Sizer: a weight for each function and output.
func (f *taylorExpansion) Footprint() int64 { return 8 * int64(f.upTo(f.T)) * int64(f.y.Cols) }

// Cost implements Coster: products of the functions at all pairs of training inputs; comparisons with k one by one, and GramError where it
// is known.
func (a *TaylorExpansion) Cost(s algos.Size) algos.Cost {
	n, steps := float64(s.N), min(float64(s.Steps), float64(a.Order))
	r, all := parts.TaylorFunctions(s.In, int(steps)), parts.TaylorFunctions(s.In, a.Order)
	apart := n * n / 2
	if s.In <= latticeInputs {
		solve := float64(s.In)
		for range s.In + 1 {
			solve *= 2*latticeHalf + 1
		}
		apart += parts.TaylorFunctions(s.In, gramOrder) * solve
	}
	return algos.Cost{
		KernelEvals: n * n, Flops: n * n * r,
		EvalFlops: 2*float64(s.Out)*r + oneByOne*apart*float64(s.Evals),
		Bytes:     8 * (2*n*n + n*(all+float64(s.In+s.Out))),
	}
}
