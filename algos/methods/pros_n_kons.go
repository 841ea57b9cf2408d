package methods

import (
	"fmt"

	"gonum.org/v1/gonum/floats"

	"repro/algos"
	"repro/algos/compute"
	"repro/algos/parts"
)

var _ = algos.Register[*prosNKons]("pros-n-kons", "Pros-N-Kons: second-order learning with a dictionary and restarts, online [Calandriello et al., 2017]", func() algos.Algorithm {
	return &ProsNKons{KORSSettings: parts.KORSSettings{Beta: 1, Epsilon: 0.5, Points: 1000}, C: 1, Variant: "correct"}
})

// ProsNKons is PROS-N-KONS, the online Newton step on the span of a dictionary [Calandriello, Lazaric and Valko, Efficient
// second-order online kernel learning with adaptive embedding, NeurIPS 2017]. In round t KORS decides whether x_t
// enters the dictionary (parts.KORS). If so, the fit restarts on the coordinates φ̃ of the new dictionary, with A = λI and
// w_t = 0. Otherwise, with g the gradient of the round before and φ̃ = φ̃(x_t),
//
//	u = w_{t-1} - A⁻¹g,  w_t = u - h(φ̃ᵀu)/(φ̃ᵀA⁻¹φ̃) A⁻¹φ̃,  h(z) = sign(z) max(|z| - C, 0).
//
// It predicts ŷ_t = φ̃ᵀw_t and, once y_t is known, sets g = 2(ŷ_t - y_t) φ̃ and A ← A + (σ/2) g gᵀ with σ = 1/(8C²). The
// projection makes ŷ_t the nearest number to φ̃ᵀu in [-C, C]. The α of the paper and the γ of KORS are λ = ν·n, as in the
// experiments of jezequel2019.
//
// Variant "released" has three slips of the authors' code of jezequel2019: a weight 1/p instead of 1/√p in the dictionary;
// a prediction from w_{t-1}, before the Newton step and the projection, on the dictionary without x_t and clipped to
// [-C, C]; and g = 0 in the round of a restart.
//
// Departures. φ̃ = L⁻¹k with the Cholesky factor L of K instead of Σ^(-1/2)Uᵀk with K = UΣUᵀ: the same coordinates but
// for a rotation, under which the method does not change. The dictionary is bounded. Several outputs share the dictionary,
// and each has a w and an A.
type ProsNKons struct {
	online
	parts.KORSSettings
	C       float64 `toml:"c" want:"> 0" doc:"bound C of the predictions"`
	Variant string  `toml:"variant" want:"correct|released" doc:"correct: the algorithm of the paper; released: with the slips of the code of jezequel2019"`
}

type prosNKons struct {
	prosNKonsState
	onlineRidge
	kors     parts.KORS
	c        float64
	released bool
}

type prosNKonsState struct {
	T          int64
	X          []float64 // inputs of the dictionary, row by row
	Dictionary parts.KORSState
	Span       parts.Span
	U, W       []float64                 // u and w of every output, one after another; u has the Newton step of the last gradient
	Inverse    []parts.RidgeInverseState // A⁻¹ of every output
}

// Start implements Algorithm. It needs the square loss and ν > 0.
func (a *ProsNKons) Start(p *algos.Problem) (algos.Fit, error) {
	r, err := newOnlineRidge("pros-n-kons", p)
	if err != nil {
		return nil, err
	}
	f := &prosNKons{onlineRidge: r, kors: a.Choice(p.Seed, r.lambda), c: a.C}
	switch a.Variant {
	case "correct":
	case "released":
		f.released = true
		f.kors.Weight = func(p float64) float64 { return 1 / p }
	default:
		return nil, fmt.Errorf("pros-n-kons: unknown variant %q: it is correct or released", a.Variant)
	}
	f.restart()
	return f, nil
}

// restart sets w = 0 and A = λI on the current dictionary.
func (f *prosNKons) restart() {
	r := len(f.Span.Members)
	f.U, f.W = make([]float64, r*f.out), make([]float64, r*f.out)
	if f.Inverse == nil {
		f.Inverse = make([]parts.RidgeInverseState, f.out)
	}
	for o := range f.Inverse {
		parts.NewRidgeInverse(f.p.Engine, r, f.lambda, &f.Inverse[o])
	}
}

// of returns the part of a vector of all outputs that belongs to output o.
func (f *prosNKons) of(v []float64, o int) []float64 {
	r := len(f.Span.Members)
	return v[o*r : (o+1)*r]
}

func (f *prosNKons) Step() (algos.Progress, error) {
	x := f.stream.Inputs(f.T)
	k := dictionaryValues(f.p, f.X, x)
	u, phi, enter := f.forecast(k)
	if !parts.View(u, f.out).Finite() {
		return algos.Progress{}, parts.Diverged(int(f.T) + 1)
	}
	y := f.stream.Reveal(f.T, u)
	if enter != nil {
		f.X = append(f.X, x...)
		phi = enterSpan(&f.Span, len(f.Dictionary.S), phi, k)
		enter()
		f.restart()
	}
	if len(phi) > 0 && (enter == nil || !f.released) {
		for o := range u {
			f.learn(o, phi, y[o])
		}
	}
	f.T++
	return algos.Progress{Seen: 1}, nil
}

// forecast returns the predictions for a point with the kernel values k, its φ̃ on the dictionary so far, and what makes it
// enter the dictionary, nil if it does not. It does not change the fit.
func (f *prosNKons) forecast(k []float64) (u, phi []float64, enter func()) {
	enter = f.kors.Choose(&f.Dictionary, f.T, k)
	phi = f.Span.Coordinates(k)
	u = make([]float64, f.out)
	if enter != nil && !f.released {
		return u, phi, enter
	}
	w := f.U
	if f.released {
		w = f.W
	}
	for o := range u {
		u[o] = f.clip(compute.Dot(f.of(w, o), phi))
	}
	return u, phi, enter
}

// clip returns z - h(z).
func (f *prosNKons) clip(z float64) float64 { return max(-f.c, min(z, f.c)) }

// learn projects u of output o to w, and makes the Newton step of the gradient at w.
func (f *prosNKons) learn(o int, phi []float64, y float64) {
	inverse := parts.OpenRidgeInverse(f.p.Engine, len(phi), &f.Inverse[o])
	q := make([]float64, len(phi)) // A⁻¹φ̃
	inverse.Apply(q, phi)
	u, length := f.of(f.U, o), compute.Dot(phi, q)
	z := compute.Dot(u, phi)
	forecast := f.clip(z)
	if z != forecast {
		compute.AddScaled(u, (forecast-z)/length, q)
	}
	copy(f.of(f.W, o), u)

	g := 2 * (forecast - y)      // times φ̃
	root := g / (4 * f.c)        // √(σ/2) g
	more := 1 + root*root*length // A⁻¹φ̃ shrinks by this factor as A grows
	compute.AddScaled(u, -g/more, q)
	v := make([]float64, len(phi))
	floats.ScaleTo(v, root, phi)
	floats.Scale(root, q)
	inverse.Add(v, q)
}

// dictionaryValues returns the kernel values of x with the points of a dictionary and, last, with itself, in float64. It uses the
// room behind the points.
func dictionaryValues(p *algos.Problem, points, x []float64) (k []float64) {
	all := append(points, x...)
	p.Engine.InDouble(func() {
		k = p.Engine.KernelMatrix(p.Kernel, parts.View(x, len(x)), parts.View(all, len(x))).Row(0)
	})
	return k
}

// enterSpan adds point number member, with the coordinates phi on the span so far and the kernel values k. It returns the
// coordinates on the new span.
func enterSpan(s *parts.Span, member int, phi, k []float64) []float64 {
	beyond := s.Beyond(phi, k[member])
	if beyond == 0 {
		return phi
	}
	s.Add(member, phi, beyond)
	return append(phi, beyond)
}

// Model implements Fit: it predicts at every row of x as if that were the next example. A point that would enter the
// dictionary restarts the fit, so its prediction is 0.
func (f *prosNKons) Model() algos.Model {
	return forecaster{f.out, func(u, x []float64) {
		k := dictionaryValues(f.p, f.X, x)
		v, _, _ := f.forecast(k)
		copy(u, v)
		f.p.Engine.Reuse(parts.View(k, len(k)))
	}}
}

func (f *prosNKons) State() any { return &f.prosNKonsState }

// Footprint implements Sizer: the dictionary, its Cholesky factors, u and w.
func (f *prosNKons) Footprint() int64 {
	return 8 * int64(len(f.X)+f.Dictionary.Numbers()+f.Span.Numbers()+len(f.U)+len(f.W))
}

// Cost implements Coster: kernel values with all points of the dictionary a round. Its size is not known beforehand: the work is that
// of an expected one, the memory that of the largest.
func (a *ProsNKons) Cost(s algos.Size) algos.Cost {
	t, in, out := float64(s.Steps), float64(s.In), float64(s.Out)
	evals, m, most := a.Expected(t)
	return algos.Cost{
		KernelEvals: evals, Together: 1, EvalCost: (m + 1) * float64(s.Evals),
		Flops: t * (2 + 6*out) * m * m, Reads: t * m * m, // two triangles of m² / 2
		Bytes: parts.Growth * 8 * (most*(in+2) + most*(most+1) + out*(2*most+parts.RidgeInverseNumbers(most))),
	}
}
