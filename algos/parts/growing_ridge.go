package parts

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"repro/algos"
	"repro/algos/compute"
	"repro/algos/compute/exact"
)

// A GrowingRidge is kernel ridge regression on the first t examples of a stream, for t that grows by one:
//
//	f_t = argmin_f Σ_{s≤t} ‖y_s - f(x_s)‖² + λ‖f‖² = Σ_s α_s k(x_s, ·),  α = (K_tt + λI)⁻¹ y.
//
// It keeps the Cholesky factor L of K_tt + λI, which takes 4t² bytes. An example costs two substitutions, O(t²).
type GrowingRidge struct {
	kernel  compute.KernelFunc
	engine  *compute.Engine
	lambda  float64
	in, out int

	t       int
	x       []float64      // row by row
	l       []float64      // rows of the lower triangle, one after another
	z       []float64      // L⁻¹y, row by row
	logDet  float64        // of (K_tt + λI)/λ
	trace   float64        // of (K_tt + λI)⁻¹
	largest float64        // ‖y_s‖²
	kappa2  float64        // largest k(x_s, x_s)
	alpha   []float64      // of one output; nil until Next needs it
	inverse compute.Matrix // (K_ss + λI)⁻¹ of the first s examples and room for more, for Next
	s       int
	w       []float64 // memory of Add
}

// NewGrowingRidge returns the regression on no examples with the kernel and λ = ν·n of the problem, whose engine computes kernel values.
func NewGrowingRidge(p *algos.Problem) *GrowingRidge {
	in, out := p.Train.Dims()
	n := p.Train.Len()
	return &GrowingRidge{kernel: p.Kernel, engine: p.Engine, lambda: p.Nu * float64(n), in: in, out: out, l: TriangleOf(n)}
}

// TriangleOf returns no numbers, with room for the triangle of n rows if that is less than 16 MiB.
func TriangleOf(n int) []float64 {
	if n > 2047 {
		return nil
	}
	return make([]float64, 0, n*(n+1)/2)
}

// Len returns t.
func (r *GrowingRidge) Len() int { return r.t }

// Add adds an example.
func (r *GrowingRidge) Add(x, y []float64) {
	k := r.kernelWith(View(x, r.in))
	defer r.engine.Reuse(k)
	c, self := k.Row(0)[:r.t], k.At(0, r.t)
	d2 := r.solve(c, self)
	w := append(r.w[:0], c...)
	r.w = w
	SolvePackedTransposed(r.l, w)
	d := math.Sqrt(d2)
	r.x = append(r.x, x...)
	z := Grown(&r.z, len(y))
	copy(z, y)
	for s, v := range c {
		compute.AddScaled(z, -v, r.z[s*r.out:(s+1)*r.out])
	}
	floats.Scale(1/d, z)
	l := Grown(&r.l, r.t+1)
	l[copy(l, c)] = d
	r.logDet += exact.Log(d2 / r.lambda)
	r.trace += (compute.Dot(w, w) + 1) / d2
	r.largest = max(r.largest, compute.Dot(y, y))
	r.kappa2 = max(r.kappa2, self)
	r.alpha = nil
	r.t++
}

// kernelWith returns the kernel values of points with the examples and, behind them, with each other.
func (r *GrowingRidge) kernelWith(points compute.Matrix) (k compute.Matrix) {
	n := len(r.x)
	Grown(&r.x, points.Rows*r.in) // the points stand behind the examples for now
	all := View(r.x, r.in)
	r.x = r.x[:n]
	all.RowRange(r.t, all.Rows).CopyFrom(points)
	r.engine.InDouble(func() { k = r.engine.KernelMatrix(r.kernel, points, all) })
	return k
}

// solve replaces the kernel values k of a point x with the examples by c = L⁻¹k, and returns the Schur complement
// d² = k(x, x) + λ - |c|² of the factor with x.
func (r *GrowingRidge) solve(k []float64, self float64) (d2 float64) {
	SolvePacked(r.l, k)
	return r.complement(self, compute.Dot(k, k))
}

// complement returns d², given k(x, x) and |c|².
func (r *GrowingRidge) complement(self, c2 float64) float64 {
	return max(r.lambda, self+r.lambda-c2) // rounding may make it less than λ
}

// coefficients returns α of an output.
func (r *GrowingRidge) coefficients(output int) []float64 {
	alpha := make([]float64, r.t)
	for s := range alpha {
		alpha[s] = r.z[s*r.out+output]
	}
	SolvePackedTransposed(r.l, alpha)
	return alpha
}

// Hindsight returns what the regression says of the examples. The residuals are λα, so their squares sum up to λ²‖α‖², and
// the minimum is λyᵀα = λ‖L⁻¹y‖².
func (r *GrowingRidge) Hindsight() algos.Hindsight {
	h := algos.Hindsight{
		Lambda: r.lambda, Penalised: r.lambda * compute.Dot(r.z, r.z),
		LogDet: r.logDet, Dimension: float64(r.t) - r.lambda*r.trace, SquaredY: r.largest, SquaredK: r.kappa2,
	}
	for o := range r.out {
		alpha := r.coefficients(o)
		h.Squares += r.lambda * r.lambda * compute.Dot(alpha, alpha)
	}
	h.SquaredNorm = max(0, (h.Penalised-h.Squares)/r.lambda)
	return h
}

// Next returns, for every row x of a matrix, Σ_{s≤t+1} (y_s - f_{t+1}(x_s))² as a function of y if (x, y) becomes the next
// example. It changes nothing. It is for problems of one output.
//
// With w = (K_tt + λI)⁻¹k, u = f_t(x) and a = (y - u)/d², the new coefficients are (α - aw, a), and the residuals λ times them.
func (r *GrowingRidge) Next(points compute.Matrix) []func(y float64) float64 {
	if r.alpha == nil {
		r.alpha = r.coefficients(0)
		r.invert()
	}
	k, next := r.kernelWith(points), make([]func(y float64) float64, points.Rows)
	ws := r.engine.Unset(points.Rows, r.t)
	defer func() {
		r.engine.Reuse(k)
		r.engine.Reuse(ws)
	}()
	r.engine.InDouble(func() {
		r.engine.Gemm(ws, 1, k.ColRange(0, r.t), false, r.inverse.RowRange(0, r.t).ColRange(0, r.t), false, 0)
	})
	before := compute.Dot(r.alpha, r.alpha)
	for i := range next {
		values, w := k.Row(i)[:r.t], ws.Row(i)
		d2 := r.complement(k.At(i, r.t+i), compute.Dot(values, w))
		u, across, after := compute.Dot(values, r.alpha), compute.Dot(r.alpha, w), compute.Dot(w, w)+1
		next[i] = func(y float64) float64 {
			a := (y - u) / d2
			return r.lambda * r.lambda * (before - 2*a*across + a*a*after)
		}
	}
	return next
}

// invert brings the inverse to t examples, each by the formula for a matrix with one row and column more: with w and d² as in Next,
//
//	(K + λI)⁻¹ ← [(K + λI)⁻¹ + wwᵀ/d²  -w/d²; -wᵀ/d²  1/d²].
func (r *GrowingRidge) invert() {
	if r.inverse.Rows < r.t {
		larger := compute.NewMatrix(2*r.t, 2*r.t)
		for i := range r.s {
			copy(larger.Row(i), r.inverse.Row(i)[:r.s])
		}
		r.inverse = larger
	}
	for ; r.s < r.t; r.s++ {
		row := r.l[r.s*(r.s+1)/2:][:r.s+1] // (L⁻¹k, d)
		w := append(slices.Clone(row[:r.s]), -1)
		SolvePackedTransposed(r.l, w[:r.s])
		for i, v := range w {
			compute.AddScaled(r.inverse.Row(i)[:r.s+1], v/(row[r.s]*row[r.s]), w)
		}
	}
}

// SolvePacked replaces v by L⁻¹v. l holds the rows of the lower triangle L, one after another.
func SolvePacked(l, v []float64) {
	for i, at := 0, 0; i < len(v); i++ {
		row := l[at : at+i+1]
		v[i] = (v[i] - compute.Dot(row[:i], v[:i])) / row[i]
		at += i + 1
	}
}

// SolvePackedTransposed replaces v by (Lᵀ)⁻¹v.
func SolvePackedTransposed(l, v []float64) {
	for i, at := len(v)-1, len(v)*(len(v)-1)/2; i >= 0; i-- {
		row := l[at : at+i+1]
		v[i] /= row[i]
		compute.AddScaled(v[:i], -v[i], row[:i])
		at -= i
	}
}
