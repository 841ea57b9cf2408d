package methods

import (
	"fmt"
	"math"
	"sort"

	"repro/algos"
	"repro/algos/compute"
	"repro/algos/compute/exact"
	"repro/algos/parts"
	"repro/algos/schedules"
)

var _ = algos.Register[*eigenPro2]("eigenpro2", "EigenPro 2.0: EigenPro with the batch size that device memory allows [Ma & Belkin, MLSys 2019]",
	func() algos.Algorithm { return &EigenPro2{Device: 1, Exponent: 0.95} })

// EigenPro2 is EigenPro 2.0, which makes the kernel fit the batch that a device takes at once [Ma & Belkin, Kernel machines that adapt to
// GPUs for effective large batch training, MLSys 2019]. With λ_j, v_j the eigenvalues and eigenvectors of k(X_s, X_s)/s for s rows drawn
// once, and e_j(x) = k(x, X_s)v_j/√(s λ_j) the eigenfunctions they stand for, the iteration is SGD with the kernel
//
//	k_P(x, z) = k(x, z) - Σ_{j<q} (1 - c_j) e_j(x) e_j(z),  c_j = (λ_q/λ_j)^a
//
// in the coefficients of k: for a batch of m rows,
//
//	g = K_m α - y_m,  α_m ← α_m - (η/m) g,  α_s ← α_s + (η/m) V D Vᵀ K(X_s, X_m) g,  D_j = (1 - c_j)/(s λ_j)
//
// which changes s coefficients beside those of the batch. The largest eigenvalue of k_P is λ' = λ_1 (λ_q/λ_1)^a, and
// with β = max_i k_P(x_i, x_i) the critical batch, beyond which a larger one saves no iterations, is
//
//	m* = β/λ' + 1
//
// If the spec gives no q, it is the largest one whose m* is at most m, as in the paper; it is at most a third of s and at most 1,000, as in
// the authors' PyTorch code, and grows with m. If the spec gives no η, it is, as in the authors' codes,
//
//	m/β if m < m*,  0.99·2m/(β + (m-1)λ') if not,  0.95·2/λ' with all rows
//
// If it gives no batch, m is the largest number for which training inputs, coefficients and m rows of the kernel matrix
// fit the device's memory, (d + outputs + m) n numbers of four bytes, and at most s.
//
// Departures. The e_j have norm 1 in the RKHS, as in EigenPro's paper; eigenfunctions of norm 1 in L² would give each term of the sum a
// factor λ_j. A budget in epochs needs the batch before the eigenvalues, so it is that of the device where the authors' codes take min(m*,
// m); the paper's other bound of the batch, by the parallel capacity of a graphics processor, is left out, and so are the factors of the
// codes' libraries in the memory of a batch. β is the maximum over the subsample and as many other rows, if there are any: at the rows of
// the subsample, from which the eigenvectors are computed, k_P(x, x) falls faster with q than at others. The Keras code leaves the factors
// s λ_j out of β and counts the eigenvalues above 1/m for q; the PyTorch code has the largest k(x, x) for β. A short last batch takes η/m
// of a whole one, as in the PyTorch code. Losses and ν as in EigenPro.
type EigenPro2 struct {
	Batch      int                `toml:"batch" want:">= 0" doc:"examples m per iteration; if left out, as many as fit device"`
	Device     float64            `toml:"device" want:"> 0" most:"1e6 no device has more" doc:"GiB of memory for training inputs, coefficients and a batch, from which batch follows if it is left out"`
	Subsample  int                `toml:"subsample" want:">= 0" doc:"rows s from which the preconditioner is computed; if left out 2,000, or 12,000 from 1e5 training rows on"`
	Directions int                `toml:"directions" want:">= 0" doc:"index q of the eigenvalue towards which the larger ones are lowered; if left out, the largest q whose critical batch is at most m"`
	Exponent   float64            `toml:"exponent" want:"> 0" doc:"exponent a: eigenvalue λ_j, j < q, is multiplied by (λ_q/λ_j)^a, so 1 lowers it to λ_q"`
	Step       schedules.Schedule `toml:"step" doc:"step sizes η; if left out, from the critical batch"`
}

type eigenPro2 struct {
	parts.Iterate
	rows []int // X_s
	conditioned
	kv compute.Matrix // K(X, X_s)V, n×(q-1), if K is stored
}

// conditioned are the preconditioner and the step sizes of a batch.
type conditioned struct {
	batch  int            // m
	x      compute.Matrix // X_s
	v      compute.Matrix // V, s×(q-1)
	d      []float64      // D_j
	adjust adjusted
	gamma  func(t int) float64
}

func (a *EigenPro2) Start(p *algos.Problem) (algos.Fit, error) {
	if err := a.solves("eigenpro2", p); err != nil {
		return nil, err
	}
	f := &eigenPro2{Iterate: parts.NewIterate(p)}
	x, n := f.Gram.X, f.Gram.X.Rows
	order, s := f.Gram.Subsample(n), a.rows(n)
	f.rows = order[:s]
	var err error
	batch := min(a.Traits().BatchAt(algos.Size{N: n, In: x.Cols, Out: f.Gram.Y.Cols}), n)
	if f.conditioned, err = a.condition("eigenpro2", p, x.Select(f.rows), x.Select(order[s:min(2*s, n)]), batch); err != nil {
		return nil, err
	}
	if compute.IsStored(f.Gram.K) {
		f.kv = compute.NewMatrix(n, f.v.Cols)
		f.Gram.K.Select(f.rows).MulTransTo(f.kv, f.v)
	}
	return f, nil
}

// solves returns an error if the named method does not solve p, or if settings contradict each other.
func (a *EigenPro2) solves(method string, p *algos.Problem) error {
	if a.Exponent > 1 {
		return fmt.Errorf("%s: exponent must be at most 1, got %g: eigenvalues are lowered to that of q, not below", method, a.Exponent)
	}
	return preconditionable(method, p)
}

// condition makes the preconditioner of the rows x, and a step for batches of m with β over x and rows outside.
func (a *EigenPro2) condition(method string, p *algos.Problem, x, outside compute.Matrix, m int) (c conditioned, err error) {
	spectrum, err := a.spectrum(p.Engine, p.Engine.KernelMatrix(p.Kernel, x, x))
	if err != nil {
		return c, fmt.Errorf("%s: %w", method, err)
	}
	spectrum.extend(p, x, outside)
	q := a.Directions
	if q == 0 {
		q = spectrum.choose(m)
	}
	c = conditioned{batch: m, x: x, v: spectrum.vectors.ColRange(0, q-1), adjust: spectrum.adjust(q)}
	for j, scale := range c.adjust.scales {
		c.d = append(c.d, (1-scale)/(float64(x.Rows)*spectrum.values[j]))
	}
	eta := c.adjust.step(m, p.Train.Len()) / p.Loss.Smoothness()
	if c.gamma = func(int) float64 { return eta }; a.Step != nil {
		c.gamma = a.Step.Gamma
	}
	return c, nil
}

// halve halves the steps.
func (f *conditioned) halve() {
	eta := f.gamma
	f.gamma = func(t int) float64 { return eta(t) / 2 }
}

func (f *eigenPro2) Step() (algos.Progress, error) {
	alpha, eta := f.Coefficients(), f.gamma(f.T+1)
	rows := f.Order.Rows(f.Seen, f.batch)
	g := compute.NewMatrix(len(rows), alpha.Cols)
	f.Gram.K.Select(rows).MulTo(g, alpha)
	if !parts.Residual(f.P, g, f.Gram.Targets(rows)) {
		return algos.Progress{}, parts.Diverged(f.T + 1)
	}
	g.Scale(eta / float64(f.batch))
	parts.AddRows(alpha, rows, -1, g)
	parts.AddRows(alpha, f.rows, 1, f.correction(rows, g))
	return f.Stepped(len(rows)), nil
}

// correction returns V D Vᵀ K(X_s, X_m) g.
func (f *eigenPro2) correction(rows []int, g compute.Matrix) compute.Matrix {
	return f.P.Engine.Mul(f.v, scaled(1, f.d, f.projected(rows, g)), false)
}

// projected returns Vᵀ K(X_s, X_m) g.
func (f *eigenPro2) projected(rows []int, g compute.Matrix) compute.Matrix {
	if f.kv.Data != nil {
		return f.P.Engine.Mul(f.kv.Select(rows), g, true)
	}
	h := compute.NewMatrix(len(f.rows), g.Cols)
	f.P.Engine.Kernel(f.P.Kernel, f.Gram.X.Select(rows), f.x).MulTransTo(h, g)
	return f.P.Engine.Mul(f.v, h, true)
}

// Footprint implements Sizer: the coefficients, the points they belong to and the eigenvectors.
func (f *eigenPro2) Footprint() int64 {
	return 8 * int64(len(f.Alpha)+len(f.Gram.X.Data)+len(f.v.Data)+len(f.kv.Data))
}

// Traits implements Described. The batch depends on the size of the problem if it is left out.
func (a *EigenPro2) Traits() algos.Traits { return a.traits(func(n int) int { return n }) }

// traits are those of a function on as many points as points returns for n rows.
func (a *EigenPro2) traits(points func(n int) int) algos.Traits {
	if a.Batch > 0 {
		return algos.Traits{Batch: a.Batch}
	}
	return algos.Traits{BatchOf: func(s algos.Size) int { return a.batchOf(s, points(s.N)) }}
}

// batchOf returns m for a function on the given number of points.
func (a *EigenPro2) batchOf(s algos.Size, points int) int {
	fit := math.Floor(a.Device*(1<<30)/(4*float64(points))) - float64(s.In+s.Out)
	return int(max(1, min(fit, float64(a.rows(s.N)))))
}

// rows returns s, the number of rows of the subsample, for n training rows.
func (a *EigenPro2) rows(n int) int {
	switch {
	case a.Subsample > 0:
		return min(a.Subsample, n)
	case n < 100_000:
		return min(2_000, n)
	}
	return 12_000
}

// Cost implements Coster. If q is left out, the cost is that of the largest possible q.
func (a *EigenPro2) Cost(s algos.Size) algos.Cost {
	m, n, w, q := float64(min(a.Traits().BatchAt(s), s.N)), float64(s.N), float64(a.rows(s.N)), float64(a.directions(a.rows(s.N)))
	c := parts.GramCost(s, m)
	seen := m * float64(s.Steps)
	outside := min(w, n-w)
	c.KernelEvals += w*w + outside*(w+1)
	parts.AddLeading(&c, w, q)
	c.Flops += 2*outside*w*q + 2*q*float64(s.Out)*(w*float64(s.Steps))
	c.Bytes += 8 * (6*w*w + 4*w*q)
	if s.Stores(n * n) {
		c.Flops += 2*w*n*q + 2*seen*q*float64(s.Out)
		c.Bytes += 8 * n * q
	} else {
		c.KernelEvals += seen * w
	}
	return c
}

// How EigenPro2 chooses q and η: λ', β and m* of every q follow from the spectrum of the subsample.

// mostDirections bounds q if it is left out.
const mostDirections = 1000

// A subsampled is the spectrum of k(X_s, X_s)/s.
type subsampled struct {
	values   []float64      // λ_1, λ_2, …: q of them or, if q is left out, up to its bound
	vectors  compute.Matrix // V
	exponent float64        // a
	diagonal []float64      // k(x, x) at the rows of the subsample and those of extend
	squares  []float64      // e_j(x)² at these rows, one row of q numbers each
}

// directions returns q or, if it is left out, the largest it can be with a subsample of s rows.
func (a *EigenPro2) directions(s int) int {
	if a.Directions > 0 {
		return a.Directions
	}
	return max(1, min(s/3, mostDirections))
}

// spectrum decomposes k(X_s, X_s).
func (a *EigenPro2) spectrum(e *compute.Engine, k compute.Matrix) (*subsampled, error) {
	s := k.Rows
	most := a.directions(s)
	if most > s {
		return nil, fmt.Errorf("a subsample of %d rows has no eigenvalue %d: lower directions, or raise subsample", s, most)
	}
	values, vectors, err := parts.Leading(e, k, most, 1e-7)
	if err != nil {
		return nil, err
	}
	if len(values) == 0 || len(values) < a.Directions {
		return nil, fmt.Errorf("eigenvalue %d is below 1e-7 of the first, where rounding errors begin: set directions to %d or less", len(values)+1, len(values))
	}
	return newSubsampled(k, values, vectors, a.Exponent), nil
}

// newSubsampled returns the spectrum of k/s, k = k(X_s, X_s), from eigenvalues of k, which it divides by s, and their eigenvectors.
func newSubsampled(k compute.Matrix, values []float64, vectors compute.Matrix, exponent float64) *subsampled {
	w := &subsampled{values: values, vectors: vectors, exponent: exponent}
	for i := range k.Rows {
		w.diagonal = append(w.diagonal, k.At(i, i))
		for j, l := range values {
			w.squares = append(w.squares, l*vectors.At(i, j)*vectors.At(i, j))
		}
	}
	for j := range values {
		values[j] /= float64(k.Rows)
	}
	return w
}

// extend makes β a maximum over rows outside the subsample x, too. There e_j(z) = k(z, X_s)v_j/√(s λ_j).
func (w *subsampled) extend(p *algos.Problem, x, outside compute.Matrix) {
	e := compute.NewMatrix(outside.Rows, len(w.values))
	p.Engine.Kernel(p.Kernel, outside, x).MulTo(e, w.vectors)
	for i := range outside.Rows {
		z := outside.RowRange(i, i+1)
		w.diagonal = append(w.diagonal, p.Engine.KernelMatrix(p.Kernel, z, z).Data[0])
		for j, v := range e.Row(i) {
			w.squares = append(w.squares, v*v/(float64(x.Rows)*w.values[j]))
		}
	}
}

// An adjusted kernel is k_P for some q.
type adjusted struct {
	scales []float64 // c_j, j < q
	lambda float64   // λ'
	beta   float64   // β
}

// adjust returns k_P for q.
func (w *subsampled) adjust(q int) adjusted {
	k := adjusted{lambda: w.values[0] * exact.Pow(w.values[q-1]/w.values[0], w.exponent), beta: math.Inf(-1)}
	for _, l := range w.values[:q-1] {
		k.scales = append(k.scales, exact.Pow(w.values[q-1]/l, w.exponent))
	}
	for i, kii := range w.diagonal {
		squares := w.squares[i*len(w.values):]
		for j, c := range k.scales {
			kii -= (1 - c) * squares[j]
		}
		k.beta = max(k.beta, kii)
	}
	return k
}

// choose returns the largest q whose critical batch is at most m, or 1 if there is none. The critical batch grows with q: of the sum over
// eigenvectors that is k_P(x_i, x_i)/λ', q does not change the terms before it, and a smaller λ' divides the others.
func (w *subsampled) choose(m int) int {
	return max(1, sort.Search(len(w.values), func(i int) bool { return w.adjust(i+1).critical() > float64(m) }))
}

// critical returns m*.
func (k adjusted) critical() float64 { return k.beta/k.lambda + 1 }

// step returns η for batches of m of n rows and the square loss.
func (k adjusted) step(m, n int) float64 {
	switch b := float64(m); {
	case b < k.critical():
		return b / k.beta
	case m < n:
		return 0.99 * 2 * b / (k.beta + (b-1)*k.lambda)
	}
	return 0.95 * 2 / k.lambda
}
