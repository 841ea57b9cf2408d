package methods

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"repro/algos"
	"repro/algos/parts"
)

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
type KernelAWV struct{ online }

// OnlineKRR predicts by kernel ridge regression on the examples before [jezequel2019 §5]:
//
//	ŷ_t = k_{t-1}(x_t)ᵀ (K_{t-1,t-1} + λI)⁻¹ (y_1, …, y_{t-1}).
//
// It is KernelAWV without the current point.
type OnlineKRR struct{ online }

func (*KernelAWV) Exact() {}

func (*OnlineKRR) Exact() {}

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
	p       *algos.Problem
	stream  algos.Stream
	lambda  float64
	shrink  func(lambda, d2 float64) float64 // factor of the prediction of kernel ridge regression
	in, out int
}

type onlineKernelState struct {
	T int64
	X []float64 // inputs so far, row by row
	L []float64 // rows of the lower triangle, one after another
	Z []float64 // L⁻¹y, row by row
}

func newOnlineKernel(method string, p *algos.Problem, shrink func(lambda, d2 float64) float64) (algos.Fit, error) {
	lambda, err := onlineRidge(method, p)
	if err != nil {
		return nil, err
	}
	in, out := p.Train.Dims()
	return &onlineKernel{p: p, stream: parts.StreamOf(p), lambda: lambda, shrink: shrink, in: in, out: out}, nil
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
		floats.AddScaled(u, v, f.Z[i*f.out:(i+1)*f.out])
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
