package methods

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"repro/algos"
	"repro/algos/compute"
	"repro/algos/kernels"
	"repro/algos/losses"
	"repro/algos/parts"
)

// online is what the settings of all online methods have in common: a step is one example.
type online struct{}

func (online) Traits() algos.Traits { return algos.Traits{Online: true, Batch: 1} }

// onlineRidge is what the fits of online methods of ridge regression have in common.
type onlineRidge struct {
	p       *algos.Problem
	stream  algos.Stream
	lambda  float64 // ν·n
	in, out int
}

// newOnlineRidge returns what the fit of the named method begins with. It needs the square loss and ν > 0.
func newOnlineRidge(method string, p *algos.Problem) (onlineRidge, error) {
	switch {
	case p.Loss != (losses.Square{}):
		return onlineRidge{}, fmt.Errorf("%w: %s needs the square loss, not %s", algos.ErrUnsupported, method, p.Loss.Name())
	case p.Nu <= 0:
		return onlineRidge{}, fmt.Errorf("%w: %s needs ν > 0", algos.ErrUnsupported, method)
	}
	in, out := p.Train.Dims()
	return onlineRidge{p, parts.StreamOf(p), p.Nu * float64(p.Train.Len()), in, out}, nil
}

// A forecaster is the Model of an online fit: forecast writes the prediction for a row.
type forecaster struct {
	out      int
	forecast func(u, x []float64)
}

func (f forecaster) Predict(x compute.Matrix) compute.Matrix {
	u := compute.NewMatrix(x.Rows, f.out)
	for i := range x.Rows {
		f.forecast(u.Row(i), x.Row(i))
	}
	return u
}

var _ = algos.Register[*onlineKernel]("kernel-awv", "Kernel-AWV: the forecaster of Azoury, Warmuth and Vovk in the RKHS, online [jezequel2019 §2]", func() algos.Algorithm {
	return &KernelAWV{}
})

var _ = algos.Register[*onlineKernel]("online-krr", "kernel ridge regression on all examples so far, online [jezequel2019 §5]", func() algos.Algorithm {
	return &OnlineKRR{}
})

// KernelAWV is the forecaster of Azoury, Warmuth and Vovk in the RKHS of the kernel [jezequel2019 eq. (4)]: in round t
//
//	ŷ_t = f_t(x_t),  f_t = argmin_f Σ_{s<t} (y_s - f(x_s))² + f(x_t)² + λ‖f‖².
//
// It is ŷ_t = k_t(x_t)ᵀ (K_tt + λI)⁻¹ (y_1, …, y_{t-1}, 0) with k_t and K_tt of all t points. λ is ν·n as in PhiAWV.
//
// With the Cholesky factor L of K_{t-1,t-1} + λI, c = L⁻¹k_{t-1}(x_t), z = L⁻¹y and d² = k(x_t, x_t) + λ - |c|², the
// prediction of kernel ridge regression is cᵀz, and this one is cᵀz·λ/d², because k_t(x_t) = (K_tt + λI)e_t - λe_t. A
// round appends the row (c, d) to L and costs a substitution, O(t²). L takes 4t² bytes.
type KernelAWV struct{}

// OnlineKRR predicts by kernel ridge regression on the examples before [jezequel2019 §5]:
//
//	ŷ_t = k_{t-1}(x_t)ᵀ (K_{t-1,t-1} + λI)⁻¹ (y_1, …, y_{t-1}).
//
// It is KernelAWV without the current point.
type OnlineKRR struct{}

// exactOnline are the traits of online methods that compute a closed form.
var exactOnline = algos.Traits{Online: true, Batch: 1, Exact: true}

func (*KernelAWV) Traits() algos.Traits { return exactOnline }

func (*OnlineKRR) Traits() algos.Traits { return exactOnline }

// Start implements Algorithm. It needs the square loss and ν > 0.
func (*KernelAWV) Start(p *algos.Problem) (algos.Fit, error) {
	return newOnlineKernel("kernel-awv", p, func(lambda, d2 float64) float64 { return lambda / d2 })
}

// Start implements Algorithm. It needs the square loss and ν > 0.
func (*OnlineKRR) Start(p *algos.Problem) (algos.Fit, error) {
	return newOnlineKernel("online-krr", p, func(float64, float64) float64 { return 1 })
}

func (*KernelAWV) Cost(s algos.Size) algos.Cost { return onlineKernelCost(s) }

func (*OnlineKRR) Cost(s algos.Size) algos.Cost { return onlineKernelCost(s) }

func onlineKernelCost(s algos.Size) algos.Cost {
	t, in, out := float64(s.Steps), float64(s.In), float64(s.Out)
	return algos.Cost{
		KernelEvals: t * (t + 1) / 2, Together: 1, EvalCost: (t + 1) * float64(s.Evals),
		Flops: t * t * t / 3, Reads: t * t * t / 3, Bytes: parts.Growth*4*t*(t+1) + 8*t*(in+out+float64(s.Test)),
	}
}

// onlineKernel is a fit of KernelAWV or OnlineKRR.
type onlineKernel struct {
	onlineKernelState
	onlineRidge
	shrink func(lambda, d2 float64) float64 // factor of the prediction of kernel ridge regression
}

type onlineKernelState struct {
	T int64
	X []float64 // inputs so far, row by row
	L []float64 // rows of the lower triangle, one after another
	Z []float64 // L⁻¹y, row by row
}

func newOnlineKernel(method string, p *algos.Problem, shrink func(lambda, d2 float64) float64) (algos.Fit, error) {
	r, err := newOnlineRidge(method, p)
	if err != nil {
		return nil, err
	}
	return &onlineKernel{onlineRidge: r, shrink: shrink}, nil
}

func (f *onlineKernel) Step() (algos.Progress, error) {
	x := f.stream.Inputs(f.T)
	f.X = append(f.X, x...)
	c, u, d2 := f.solve(f.values(f.X, x))
	if !(d2 > 0) || !parts.View(u, f.out).Finite() {
		return algos.Progress{}, parts.Diverged(int(f.T) + 1)
	}
	forecast := make([]float64, f.out)
	floats.ScaleTo(forecast, f.shrink(f.lambda, d2), u)
	y := f.stream.Reveal(f.T, forecast)
	d := math.Sqrt(d2)
	for o := range u {
		f.Z = append(f.Z, (y[o]-u[o])/d)
	}
	if f.L == nil {
		f.L = parts.TriangleOf(f.p.Train.Len())
	}
	l := parts.Grown(&f.L, len(c)+1)
	l[copy(l, c)] = d
	f.T++
	return algos.Progress{Seen: 1}, nil
}

// values returns the kernel values of x with points that are stored row by row.
func (f *onlineKernel) values(points, x []float64) []float64 {
	return f.p.Engine.KernelMatrix(f.p.Kernel, parts.View(x, f.in), parts.View(points, f.in)).Row(0)
}

// solve returns c = L⁻¹k, cᵀz for every output, and d², for the kernel values k of a point with those so far and, last, with
// itself.
func (f *onlineKernel) solve(k []float64) (c, u []float64, d2 float64) {
	last := len(k) - 1
	c, u = slices.Clone(k[:last]), make([]float64, f.out)
	parts.SolvePacked(f.L, c)
	d2 = k[last] + f.lambda
	for i, v := range c {
		d2 -= v * v
		compute.AddScaled(u, v, f.Z[i*f.out:(i+1)*f.out])
	}
	return c, u, d2
}

// Model implements Fit: it predicts at every row of x as if that were the next example.
func (f *onlineKernel) Model() algos.Model {
	return forecaster{f.out, func(u, x []float64) {
		points := make([]float64, 0, len(f.X)+len(x))
		_, v, d2 := f.solve(f.values(append(append(points, f.X...), x...), x))
		floats.ScaleTo(u, f.shrink(f.lambda, d2), v)
	}}
}

func (f *onlineKernel) State() any { return &f.onlineKernelState }

// Footprint implements Sizer: the inputs, L and L⁻¹y.
func (f *onlineKernel) Footprint() int64 { return 8 * int64(len(f.X)+len(f.L)+len(f.Z)) }

var _ = algos.Register[*phiAWV]("phi-awv", "φ̃-AWV: Taylor features of the Gaussian kernel and the Vovk forecaster, online [jezequel2019 Alg. 1]", func() algos.Algorithm {
	return &PhiAWV{Order: 2}
}, algos.Known("beyond", func(f *phiAWV) float64 { return f.Beyond }))

// PhiAWV is the forecaster of Azoury, Warmuth and Vovk on explicit features [jezequel2019 Alg. 1]. In round t, with
// v_t = φ̃(x_t), A_0 = λI and b_0 = 0,
//
//	A_t = A_{t-1} + v_t v_tᵀ,  ŷ_t = v_tᵀ A_t⁻¹ b_{t-1},  b_t = b_{t-1} + y_t v_t.
//
// The current inputs are in A_t before their target is known; this is what makes clipping needless. φ̃ are the
// Taylor functions of the Gaussian kernel up to Order (jezequel2019 §4, parts.Taylor). λ is that of Σ (ŷ-y)² + λ‖f‖²:
// with the objective of dai2014 eq. (1) it is ν·n, so nu_n in a spec is λ.
//
// With p_t = A_{t-1}⁻¹ v_t the prediction is b_{t-1}ᵀp_t/(1 + v_tᵀp_t): one product with the triangle a round.
//
// Departures. Several outputs have one A_t and a b_t each.
type PhiAWV struct {
	online
	Order int `toml:"order" want:"> 0" most:"64 higher powers underflow" doc:"order M of the Taylor expansion: the products of up to M inputs are features"`
}

type phiAWV struct {
	phiAWVState
	onlineRidge
	taylor  *parts.Taylor
	inverse *parts.RidgeInverse
	v, q, u []float64
}

type phiAWVState struct {
	T       int64
	B       []float64 // outputs × r
	Inverse parts.RidgeInverseState
	Beyond  float64 // the largest k(x, x) - ‖φ̃(x)‖² so far, the squared distance of the kernel function of x from the span of φ̃
}

// Start implements Algorithm. It needs the square loss, the Gaussian kernel and ν > 0.
func (a *PhiAWV) Start(p *algos.Problem) (algos.Fit, error) {
	ridge, err := newOnlineRidge("phi-awv", p)
	if err != nil {
		return nil, err
	}
	k, ok := p.Kernel.(kernels.Gaussian)
	if !ok {
		return nil, fmt.Errorf("%w: phi-awv has the Taylor functions of the Gaussian kernel, not of %s", algos.ErrUnsupported, p.Kernel.Name())
	}
	taylor, err := parts.NewTaylor(ridge.in, a.Order, k.Sigma)
	if err != nil {
		return nil, err
	}
	r := taylor.Len()
	f := &phiAWV{onlineRidge: ridge, taylor: taylor}
	f.B = make([]float64, r*f.out)
	f.inverse = parts.NewRidgeInverse(p.Engine, r, f.lambda, &f.Inverse)
	f.v, f.q, f.u = make([]float64, r), make([]float64, r), make([]float64, f.out)
	return f, nil
}

func (f *phiAWV) Step() (algos.Progress, error) {
	f.forecast(f.u, f.stream.Inputs(f.T), f.v, f.q)
	if !parts.View(f.u, f.out).Finite() {
		return algos.Progress{}, parts.Diverged(int(f.T) + 1)
	}
	f.Beyond = max(f.Beyond, 1-compute.Dot(f.v, f.v))
	y := f.stream.Reveal(f.T, f.u)
	f.inverse.Add(f.v, f.q)
	for c, target := range y {
		compute.AddScaled(f.b(c), target, f.v)
	}
	f.T++
	return algos.Progress{Seen: 1}, nil
}

// forecast writes the prediction at x to u, φ̃(x) to v and A⁻¹φ̃(x) to q. It does not change the fit.
func (f *phiAWV) forecast(u, x, v, q []float64) {
	f.taylor.At(v, x)
	f.inverse.Apply(q, v)
	scale := 1 / (1 + compute.Dot(v, q))
	for c := range u {
		u[c] = scale * compute.Dot(f.b(c), q)
	}
}

// b returns b_t of output c.
func (f *phiAWV) b(c int) []float64 {
	r := len(f.v)
	return f.B[c*r : (c+1)*r]
}

// Model implements Fit: it predicts at every row of x as if that were the next example.
func (f *phiAWV) Model() algos.Model {
	v, q := make([]float64, len(f.v)), make([]float64, len(f.v))
	return forecaster{f.out, func(u, x []float64) { f.forecast(u, x, v, q) }}
}

func (f *phiAWV) State() any { return &f.phiAWVState }

// Footprint implements Sizer: A⁻¹ and b.
func (f *phiAWV) Footprint() int64 { return 8 * int64(len(f.Inverse.Inverse)+len(f.B)) }

// Cost implements Coster: a product with the triangle of A⁻¹ a round, and the updates of A⁻¹ and A. A test point costs a
// product, too.
func (a *PhiAWV) Cost(s algos.Size) algos.Cost {
	r, t := parts.TaylorFunctions(s.In, a.Order), float64(s.Steps)
	return algos.Cost{
		Flops:     t * 6 * r * r,
		EvalFlops: 2 * r * r * float64(s.Evals),
		Bytes:     8 * (parts.RidgeInverseNumbers(r) + r*float64(s.Out)),
	}
}
