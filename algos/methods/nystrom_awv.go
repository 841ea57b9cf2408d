package methods

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"

	"repro/algos"
	"repro/algos/compute"
	"repro/algos/parts"
)

var _ = algos.Register[*nystromAWV]("nystrom-awv", "Nyström-AWV: the Vovk forecaster on the span of a dictionary, online [jezequel2019, NeurIPS version]",
	func() algos.Algorithm {
		return &NystromAWV{KORSSettings: parts.KORSSettings{Beta: 1, Epsilon: 0.5, Points: 1000}}
	})

// NystromAWV is the forecaster of Azoury, Warmuth and Vovk on the span of a dictionary of M points that KORS chooses
// [jezequel2019, NeurIPS version]. In round t KORS decides whether x_t enters the dictionary (parts.KORS), and then
//
//	ŷ_t = f_t(x_t),  f_t = argmin_f Σ_{s<t} (y_s - f(x_s))² + f(x_t)² + λ‖f‖²
//
// over the span of the functions k(x_j, ·) of the dictionary: f_t = Σ_j c_j k(x_j, ·) with c = (K_nMᵀK_nM + λK_MM)⁻¹ K_nMᵀ(y_1, …, y_{t-1},
// 0). With all points in the dictionary it is KernelAWV. λ is ν·n as in PhiAWV, and the γ of KORS is λ.
//
// Departures. The authors' code keeps the Cholesky factor of K_nMᵀK_nM + λK_MM, by an update a round and an up- and a downdate for a new
// point. Its condition number is that of the kernel matrix squared. This fit has the coordinates φ̃ = L⁻¹k of the span, with L the Cholesky
// factor of K_MM, and the factor R of A = Σ_s φ̃(x_s)φ̃(x_s)ᵀ + λI, which is updated a round and gets a new last row with a new point: f_t
// is the same. The dictionary is bounded. Several outputs share the dictionary and A.
type NystromAWV struct {
	online
	parts.KORSSettings
}

type nystromAWV struct {
	nystromAWVState
	onlineRidge
	kors parts.KORS
}

type nystromAWVState struct {
	T          int64
	X, Y       []float64   // of all rounds, row by row
	Points     []float64   // inputs of the dictionary, row by row
	Phi        [][]float64 // every coordinate of φ̃ at all rounds
	Dictionary parts.KORSState
	Span       parts.Basis
	R          []float64 // RRᵀ = A: rows of the lower triangle, one after another
	Z          []float64 // R⁻¹ Σ_s φ̃(x_s) y_sᵀ, row by row
}

func (a *NystromAWV) Start(p *algos.Problem) (algos.Fit, error) {
	r, err := newOnlineRidge("nystrom-awv", p)
	f := &nystromAWV{onlineRidge: r, kors: a.Choice(p.Seed, r.lambda)}
	f.t, f.state, f.forecast = &f.T, &f.nystromAWVState, f.next
	return f, err
}

// A nystromGrowth is what a new coordinate of φ̃ adds to the fit.
type nystromGrowth struct {
	phi  []float64 // the coordinate at all rounds so far
	r, z []float64 // last row of R and of Z
}

// next predicts with φ̃(x). If x enters the dictionary and adds a coordinate, the last of φ̃, grown is what belongs to that.
func (f *nystromAWV) next(x []float64) (u []float64, learn func(y []float64)) {
	k := dictionaryValues(f.p, f.Points, x)
	enter := f.kors.Choose(&f.Dictionary, f.T, k)
	phi := f.Span.Coordinates(k)
	c := append([]float64(nil), phi...)
	parts.SolvePacked(f.R, c)
	u = make([]float64, f.out)
	z := parts.View(f.Z, f.out)
	for j, v := range c {
		compute.AddScaled(u, v, z.Row(j))
	}
	var grown *nystromGrowth
	if enter != nil {
		if beyond := f.Span.Beyond(phi, k[len(k)-1]); beyond > 0 {
			grown = f.grow(x, phi, beyond)
			m := len(phi)
			last := (beyond - compute.Dot(grown.r[:m], c)) / grown.r[m]
			phi, c = append(phi, beyond), append(c, last)
			compute.AddScaled(u, last, grown.z)
		}
	}
	floats.Scale(1/(1+compute.Dot(c, c)), u)
	return u, func(y []float64) {
		if enter != nil {
			member := len(f.Dictionary.S)
			enter()
			f.Points = append(f.Points, x...)
			if grown != nil {
				f.Span.Add(member, phi[:len(phi)-1], phi[len(phi)-1])
				f.Phi, f.R, f.Z = append(f.Phi, grown.phi), append(f.R, grown.r...), append(f.Z, grown.z...)
			}
		}
		for j, v := range phi {
			f.Phi[j] = append(f.Phi[j], v)
		}
		f.X, f.Y = append(f.X, x...), append(f.Y, y...)
		f.update(phi, y)
	}
}

// grow returns the coordinate that x adds, at all rounds so far, and the last rows of R and Z. With a the coordinate at the
// rounds, A gets the column (Φᵀa, aᵀa + λ).
func (f *nystromAWV) grow(x, phi []float64, beyond float64) *nystromGrowth {
	m := len(phi)
	g := &nystromGrowth{r: make([]float64, m+1), z: make([]float64, f.out)}
	if f.T > 0 {
		f.p.Engine.InDouble(func() {
			g.phi = f.p.Engine.KernelMatrix(f.p.Kernel, parts.View(x, f.in), parts.View(f.X, f.in)).Row(0)
		})
	}
	for j, v := range phi {
		compute.AddScaled(g.phi, -v, f.Phi[j])
	}
	floats.Scale(1/beyond, g.phi)
	for j := range m {
		g.r[j] = compute.Dot(f.Phi[j], g.phi)
	}
	parts.SolvePacked(f.R, g.r[:m])
	// The Schur complement of A ≥ λI is at least λ; rounding may make it less.
	g.r[m] = math.Sqrt(max(f.lambda, f.lambda+compute.Dot(g.phi, g.phi)-compute.Dot(g.r[:m], g.r[:m])))
	y, z := parts.View(f.Y, f.out), parts.View(f.Z, f.out)
	for s, v := range g.phi {
		compute.AddScaled(g.z, v, y.Row(s))
	}
	for j, v := range g.r[:m] {
		compute.AddScaled(g.z, -v, z.Row(j))
	}
	floats.Scale(1/g.r[m], g.z)
	return g
}

// update adds φ̃φ̃ᵀ to A and φ̃yᵀ to Σ_s φ̃(x_s)y_sᵀ, by rotations of the columns of R and φ̃ [Golub and Van Loan 2013, Sec.
// 6.5.4]. Rotation j makes entry j of φ̃ zero.
func (f *nystromAWV) update(phi, y []float64) {
	m := len(phi)
	cosines, sines := make([]float64, m), make([]float64, m)
	for i, at := 0, 0; i < m; i++ {
		row, v := f.R[at:at+i+1], phi[i]
		for j, r := range row[:i] {
			row[j], v = cosines[j]*r+sines[j]*v, cosines[j]*v-sines[j]*r
		}
		length := math.Hypot(row[i], v)
		cosines[i], sines[i], row[i] = row[i]/length, v/length, length
		at += i + 1
	}
	z := parts.View(f.Z, f.out)
	for o, v := range y {
		for j := range m {
			r := z.At(j, o)
			z.Set(j, o, cosines[j]*r+sines[j]*v)
			v = cosines[j]*v - sines[j]*r
		}
	}
}

// Footprint implements Sizer: the examples, their φ̃, the dictionary and the Cholesky factors. A point that would enter the
// dictionary needs the examples.
func (f *nystromAWV) Footprint() int64 {
	return 8 * int64(len(f.X)+len(f.Y)+len(f.Points)+len(f.Phi)*int(f.T)+f.Dictionary.Numbers()+f.Span.Numbers()+len(f.R)+len(f.Z))
}

// Cost implements Coster: kernel values with the M points of the dictionary a round, and with all examples so far for a new
// point. The size of the dictionary is not known beforehand: the work is that of an expected one, the memory that of the largest. A
// point that enters late needs values with more examples.
func (a *NystromAWV) Cost(s algos.Size) algos.Cost {
	t, in, out := float64(s.Steps), float64(s.In), float64(s.Out)
	evals, m, most := a.Expected(t)
	c := algos.Cost{
		KernelEvals: evals + m*(m-1)/2, Together: 1, EvalCost: (m + 1) * float64(s.Evals),
		Flops: 10 * t * m * m, Reads: 2.5 * t * m * m, // triangles of m² / 2 for two solves, the choice and, at twice the cost, the rotations
		// Slices grow by a quarter: for a moment the examples are there twice, but of the coordinates of φ̃ one grows at a time.
		Bytes: 8 * (2.25*t*(in+out) + 1.25*t*most + most*(in+out+2) + 2*most*(most+1)),
	}
	if t < float64(a.Points) {
		c.EvalCost += t * float64(s.Evals)
	}
	return c
}

var _ = algos.Register[*prosNKons]("pros-n-kons", "Pros-N-Kons: second-order learning with a dictionary and restarts, online [Calandriello et al., 2017]",
	func() algos.Algorithm {
		return &ProsNKons{KORSSettings: parts.KORSSettings{Beta: 1, Epsilon: 0.5, Points: 1000}, C: 1, Variant: "correct"}
	})

// ProsNKons is PROS-N-KONS, the online Newton step on the span of a dictionary [Calandriello, Lazaric and Valko, Efficient
// second-order online kernel learning with adaptive embedding, NeurIPS 2017]. In round t KORS decides whether x_t
// enters the dictionary (parts.KORS). If so, the fit restarts on the coordinates φ̃ of the new dictionary, with A = λI and
// w_t = 0. Otherwise, with g the gradient of the round before and φ̃ = φ̃(x_t),
//
//	u = w_{t-1} - A⁻¹g,  w_t = u - h(φ̃ᵀu)/(φ̃ᵀA⁻¹φ̃) A⁻¹φ̃,  h(z) = sign(z) max(|z| - C, 0).
//
// It predicts ŷ_t = φ̃ᵀw_t and, once y_t is known, sets g = 2(ŷ_t - y_t) φ̃ and A ← A + (σ/2) g gᵀ with σ = 1/(8C²). The projection makes
// ŷ_t the nearest number to φ̃ᵀu in [-C, C]. The α of the paper and the γ of KORS are λ = ν·n, as in the experiments of jezequel2019.
//
// Variant "released" has three slips of the authors' code of jezequel2019: a weight 1/p instead of 1/√p in the dictionary;
// a prediction from w_{t-1}, before the Newton step and the projection, on the dictionary without x_t and clipped to
// [-C, C]; and g = 0 in the round of a restart.
//
// Departures. φ̃ = L⁻¹k with the Cholesky factor L of K instead of Σ^(-1/2)Uᵀk with K = UΣUᵀ: the same coordinates but for a rotation,
// under which the method does not change. The dictionary is bounded. Several outputs share the dictionary, and each has a w and an A.
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
	Span       parts.Basis
	U, W       []float64                 // u and w of every output, one after another; u has the Newton step of the last gradient
	Inverse    []parts.RidgeInverseState // A⁻¹ of every output
}

func (a *ProsNKons) Start(p *algos.Problem) (algos.Fit, error) {
	r, err := newOnlineRidge("pros-n-kons", p)
	if err != nil {
		return nil, err
	}
	f := &prosNKons{onlineRidge: r, kors: a.Choice(p.Seed, r.lambda), c: a.C}
	f.t, f.state, f.forecast = &f.T, &f.prosNKonsState, f.next
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

// next predicts with φ̃ of the dictionary so far. A point that enters the dictionary restarts the fit, so its prediction is 0.
func (f *prosNKons) next(x []float64) (u []float64, learn func(y []float64)) {
	k := dictionaryValues(f.p, f.X, x)
	enter := f.kors.Choose(&f.Dictionary, f.T, k)
	phi := f.Span.Coordinates(k)
	u = make([]float64, f.out)
	w := f.U
	if f.released {
		w = f.W
	}
	if enter == nil || f.released {
		for o := range u {
			u[o] = f.clip(compute.Dot(f.of(w, o), phi))
		}
	}
	return u, func(y []float64) {
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
	}
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
func enterSpan(s *parts.Basis, member int, phi, k []float64) []float64 {
	beyond := s.Beyond(phi, k[member])
	if beyond == 0 {
		return phi
	}
	s.Add(member, phi, beyond)
	return append(phi, beyond)
}

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
