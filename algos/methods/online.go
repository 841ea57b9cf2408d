package methods

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"repro/algos"
	"repro/algos/compute"
	"repro/algos/kernels"
	"repro/algos/parts"
	"repro/algos/schedules"
)

// online is what the settings of all online methods have in common: a step is one example.
type online struct{}

func (online) Traits() algos.Traits { return algos.Traits{Online: true, Batch: 1} }

// onlineRidge is what the fits of online methods of ridge regression have in common: rounds and their predictions.
type onlineRidge struct {
	p       *algos.Problem
	stream  algos.Stream
	lambda  float64 // ν·n
	in, out int

	t     *int64 // rounds, in the state
	state any
	// forecast returns the predictions for the next example, if that has the inputs x, and what learns from its targets: only that changes
	// the fit.
	forecast func(x []float64) (u []float64, learn func(y []float64))
}

// newOnlineRidge returns what the fit of the named method begins with. It needs the square loss and ν > 0.
func newOnlineRidge(method string, p *algos.Problem) (onlineRidge, error) {
	if err := parts.Solves(method, p, parts.SquareLoss, parts.PositiveNu); err != nil {
		return onlineRidge{}, err
	}
	in, out := p.Train.Dims()
	return onlineRidge{p: p, stream: parts.StreamOf(p), lambda: p.Nu * float64(p.Train.Len()), in: in, out: out}, nil
}

func (f *onlineRidge) State() any { return f.state }

func (f *onlineRidge) Step() (algos.Progress, error) {
	u, learn := f.forecast(f.stream.Inputs(*f.t))
	if !parts.View(u, f.out).Finite() {
		return algos.Progress{}, parts.Diverged(int(*f.t) + 1)
	}
	learn(f.stream.Reveal(*f.t, u))
	*f.t++
	return algos.Progress{Seen: 1}, nil
}

// Model implements Fit: it predicts at every row of x as if that were the next example.
func (f *onlineRidge) Model() algos.Model {
	return algos.Predictor(func(x compute.Matrix) compute.Matrix {
		all := compute.NewMatrix(x.Rows, f.out)
		for i := range x.Rows {
			u, _ := f.forecast(x.Row(i))
			copy(all.Row(i), u)
		}
		return all
	})
}

var _ = algos.Register[*onlineKernel]("kernel-awv", "Kernel-AWV: the forecaster of Azoury, Warmuth and Vovk in the RKHS, online [jezequel2019 §2]",
	func() algos.Algorithm { return &KernelAWV{} })

var _ = algos.Register[*onlineKernel]("online-krr", "kernel ridge regression on all examples so far, online [jezequel2019 §5]",
	func() algos.Algorithm { return &OnlineKRR{} })

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

func (*KernelAWV) Start(p *algos.Problem) (algos.Fit, error) {
	return newOnlineKernel("kernel-awv", p, func(lambda, d2 float64) float64 { return lambda / d2 })
}

func (*OnlineKRR) Start(p *algos.Problem) (algos.Fit, error) {
	return newOnlineKernel("online-krr", p, func(float64, float64) float64 { return 1 })
}

func (*KernelAWV) Cost(s algos.Size) algos.Cost { return onlineKernelCost(s) }

func (*OnlineKRR) Cost(s algos.Size) algos.Cost { return onlineKernelCost(s) }

// onlineKernelCost counts the factor once more while it moves; the room that it has then is no memory before it is used.
func onlineKernelCost(s algos.Size) algos.Cost {
	t, in, out := float64(s.Steps), float64(s.In), float64(s.Out)
	return algos.Cost{
		KernelEvals: t * (t + 1) / 2, Together: 1, EvalCost: (t + 1) * float64(s.Evals),
		Flops: t * t * t / 3, Reads: t * t * t / 3, Bytes: 2*4*t*(t+1) + 8*t*(in+out+float64(s.Test)),
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
	f := &onlineKernel{onlineRidge: r, shrink: shrink}
	f.t, f.state, f.forecast = &f.T, &f.onlineKernelState, f.next
	return f, err
}

// next predicts, and appends a row to L.
func (f *onlineKernel) next(x []float64) (forecast []float64, learn func(y []float64)) {
	k := dictionaryValues(f.p, f.X, x)
	last := len(k) - 1
	c, u := slices.Clone(k[:last]), make([]float64, f.out) // L⁻¹k and cᵀz
	parts.SolvePacked(f.L, c)
	d2 := k[last] + f.lambda
	for i, v := range c {
		d2 -= v * v
		compute.AddScaled(u, v, f.Z[i*f.out:(i+1)*f.out])
	}
	if !(d2 > 0) {
		d2 = math.NaN()
	}
	forecast = floats.ScaleTo(make([]float64, f.out), f.shrink(f.lambda, d2), u)
	return forecast, func(y []float64) {
		d := math.Sqrt(d2)
		for o := range u {
			f.Z = append(f.Z, (y[o]-u[o])/d)
		}
		if f.L == nil {
			f.L = parts.TriangleOf(f.p.Train.Len())
		}
		l := parts.Grown(&f.L, len(c)+1)
		l[copy(l, c)] = d
		f.X = append(f.X, x...)
	}
}

// Footprint implements Sizer: the inputs, L and L⁻¹y.
func (f *onlineKernel) Footprint() int64 { return 8 * int64(len(f.X)+len(f.L)+len(f.Z)) }

var _ = algos.Register[*phiAWV]("phi-awv", "φ̃-AWV: Taylor features of the Gaussian kernel and the Vovk forecaster, online [jezequel2019 Alg. 1]",
	func() algos.Algorithm { return &PhiAWV{Order: 2} }, algos.Known("beyond", func(f *phiAWV) float64 { return f.Beyond }))

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
	v, q, u []float64 // φ̃(x), A⁻¹φ̃(x) and the predictions of next

	learning func(y []float64) // learn, made once
}

type phiAWVState struct {
	T       int64
	B       []float64 // outputs × r
	Inverse parts.RidgeInverseState
	Beyond  float64 // the largest k(x, x) - ‖φ̃(x)‖² so far, the squared distance of the kernel function of x from the span of φ̃
}

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
	f.t, f.state, f.forecast, f.learning = &f.T, &f.phiAWVState, f.next, f.learn
	f.B = make([]float64, r*f.out)
	f.inverse = parts.NewRidgeInverse(p.Engine, r, f.lambda, &f.Inverse)
	f.v, f.q, f.u = make([]float64, r), make([]float64, r), make([]float64, f.out)
	return f, nil
}

// next predicts, and adds φ̃(x)φ̃(x)ᵀ to A.
func (f *phiAWV) next(x []float64) (u []float64, learn func(y []float64)) {
	f.taylor.At(f.v, x)
	f.inverse.Apply(f.q, f.v)
	scale := 1 / (1 + compute.Dot(f.v, f.q))
	for c := range f.u {
		f.u[c] = scale * compute.Dot(f.b(c), f.q)
	}
	return f.u, f.learning
}

func (f *phiAWV) learn(y []float64) {
	f.Beyond = max(f.Beyond, 1-compute.Dot(f.v, f.v))
	f.inverse.Add(f.v, f.q)
	for c, target := range y {
		compute.AddScaled(f.b(c), target, f.v)
	}
}

// b returns b_t of output c.
func (f *phiAWV) b(c int) []float64 {
	r := len(f.v)
	return f.B[c*r : (c+1)*r]
}

// Footprint implements Sizer: A⁻¹ and b.
func (f *phiAWV) Footprint() int64 { return 8 * int64(len(f.Inverse.Inverse)+len(f.B)) }

// Cost implements Coster: a product with the triangle of A⁻¹ a round, and the updates of A⁻¹ and A. A test point costs a product, too.
func (a *PhiAWV) Cost(s algos.Size) algos.Cost {
	r, t := parts.TaylorFunctions(s.In, a.Order), float64(s.Steps)
	return algos.Cost{
		Flops:     t * 6 * r * r,
		EvalFlops: 2 * r * r * float64(s.Evals),
		Bytes:     8 * (parts.RidgeInverseNumbers(r) + r*float64(s.Out)),
	}
}

var _ = algos.Register[*fogd]("fogd", "FOGD: Fourier online gradient descent, online [Lu, Hoi, Wang, Zhao & Liu, JMLR 2016]",
	func() algos.Algorithm {
		return &FOGD{Features: 100, Normalise: true, Step: &schedules.InverseSqrt{Gamma0: 0.5}}
	})

// FOGD is Fourier online gradient descent [Lu, Hoi, Wang, Zhao and Liu, Large scale online kernel learning, JMLR 2016;
// jezequel2019 §5]. With D random frequencies ω_j of the kernel and
//
//	z(x) = (sin ω_1·x, …, sin ω_D·x, cos ω_1·x, …, cos ω_D·x)
//
// it predicts in round t, for Normalise as in the code of jezequel2019,
//
//	ŷ_t = ⟨w, z(x_t)⟩/D,  w ← w - 2η_t (ŷ_t - y_t) z(x_t),
//
// and otherwise, as in the code of Lu et al.,
//
//	ŷ_t = ⟨w, z(x_t)⟩,  w ← w + η_t (y_t - ŷ_t) z(x_t).
//
// Both are gradient descent on the normalised features z/√D, whose inner products estimate the kernel, with the steps 2η_t
// and Dη_t. The fit stores these weights. The frequencies are those of the kernel's features √2·cos(ω·x + b), drawn for D
// features; sin and cos are such features with the phases b = -1/4 turn and 0.
//
// Departures. Only the square loss. The code of Lu et al. makes no step where |y_t - ŷ_t| ≤ 0.1, this does. ν is not used.
// jezequel2019 prints D = 100 and a constant η = 10⁻³ from a grid search; the default step here is not from a search.
type FOGD struct {
	online
	Features  int                `toml:"features" want:"> 0" doc:"number D of random frequencies; each has a sine and a cosine"`
	Normalise bool               `toml:"normalise" doc:"predict ⟨w, z⟩/D and step by 2η, as the code of jezequel2019 does; else ⟨w, z⟩ and η"`
	Step      schedules.Schedule `toml:"step" doc:"step sizes η_t"`
}

type fogd struct {
	parts.Linear
	settings *FOGD
	stream   algos.Stream
	in       int
}

func (a *FOGD) Start(p *algos.Problem) (algos.Fit, error) {
	if err := parts.Solves("fogd", p, parts.SquareLoss); err != nil {
		return nil, err
	}
	z, err := parts.DrawPairs("fogd", p, a.Features)
	if err != nil {
		return nil, err
	}
	in, _ := p.Train.Dims()
	return &fogd{Linear: parts.NewLinear(p, z, false), settings: a, stream: parts.StreamOf(p), in: in}, nil
}

func (f *fogd) Step() (algos.Progress, error) {
	z := f.Z.At(parts.View(f.stream.Inputs(f.Seen), f.in))
	w := f.View(f.Alpha)
	u := f.Z.Apply(z, w)
	if !u.Finite() {
		return algos.Progress{}, parts.Diverged(f.T + 1)
	}
	r := u.Row(0)
	y := f.stream.Reveal(f.Seen, r)
	floats.Sub(r, y)
	floats.Scale(-f.step(), r)
	for j, v := range z.Row(0) {
		compute.AddScaled(w.Row(j), v, r)
	}
	return f.Stepped(1), nil
}

// step returns the step size on the normalised features.
func (f *fogd) step() float64 {
	eta := f.settings.Step.Gamma(f.T + 1)
	if f.settings.Normalise {
		return 2 * eta
	}
	return float64(f.settings.Features) * eta
}

// Cost implements Coster: 2D features at every example.
func (a *FOGD) Cost(s algos.Size) algos.Cost {
	r, t, out := 2*float64(a.Features), float64(s.Steps), float64(s.Out)
	c := parts.RandomFeatures{}.FeaturesCost(s, r, t, 1)
	c.Flops = 4 * r * t * out
	c.Bytes += 8 * r * float64(s.In+1)
	return c
}
