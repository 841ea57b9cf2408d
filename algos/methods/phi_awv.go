package methods

import (
	"fmt"

	"gonum.org/v1/gonum/floats"

	"repro/algos"
	"repro/algos/kernels"
	"repro/algos/parts"
)

var _ = algos.Register[*phiAWV]("phi-awv", "φ̃-AWV: Taylor features of the Gaussian kernel and the Vovk forecaster, online [jezequel2019 Alg. 1]", func() algos.Algorithm {
	return &PhiAWV{Order: 2}
})

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
	p       *algos.Problem
	stream  algos.Stream
	taylor  *parts.Taylor
	inverse *parts.RidgeInverse
	out     int
	v, q, u []float64
}

type phiAWVState struct {
	T       int64
	B       []float64 // outputs × r
	Inverse parts.RidgeInverseState
}

// Start implements Algorithm. It needs the square loss, the Gaussian kernel and ν > 0.
func (a *PhiAWV) Start(p *algos.Problem) (algos.Fit, error) {
	lambda, err := onlineRidge("phi-awv", p)
	if err != nil {
		return nil, err
	}
	k, ok := p.Kernel.(kernels.Gaussian)
	if !ok {
		return nil, fmt.Errorf("%w: phi-awv has the Taylor functions of the Gaussian kernel, not of %s", algos.ErrUnsupported, p.Kernel.Name())
	}
	in, out := p.Train.Dims()
	taylor, err := parts.NewTaylor(in, a.Order, k.Sigma)
	if err != nil {
		return nil, err
	}
	r := taylor.Len()
	f := &phiAWV{p: p, stream: parts.StreamOf(p), taylor: taylor, out: out}
	f.B = make([]float64, r*out)
	f.inverse = parts.NewRidgeInverse(p.Engine, r, lambda, &f.Inverse)
	f.v, f.q, f.u = make([]float64, r), make([]float64, r), make([]float64, out)
	return f, nil
}

func (f *phiAWV) Step() (algos.Progress, error) {
	f.forecast(f.u, f.stream.Inputs(f.T), f.v, f.q)
	if !parts.View(f.u, f.out).Finite() {
		return algos.Progress{}, parts.Diverged(int(f.T) + 1)
	}
	y := f.stream.Reveal(f.T, f.u)
	f.inverse.Add(f.v, f.q)
	for c, target := range y {
		floats.AddScaled(f.b(c), target, f.v)
	}
	f.T++
	return algos.Progress{Seen: 1}, nil
}

// forecast writes the prediction at x to u, φ̃(x) to v and A⁻¹φ̃(x) to q. It does not change the fit.
func (f *phiAWV) forecast(u, x, v, q []float64) {
	f.taylor.At(v, x)
	f.inverse.Apply(q, v)
	scale := 1 / (1 + floats.Dot(v, q))
	for c := range u {
		u[c] = scale * floats.Dot(f.b(c), q)
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

func (f *phiAWV) Beyond(x []float64) float64 {
	v := make([]float64, len(f.v))
	f.taylor.At(v, x)
	return max(0, 1-floats.Dot(v, v))
}

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
