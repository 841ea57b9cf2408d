package methods

import (
	"math"

	"gonum.org/v1/gonum/floats"

	"repro/algos"
	"repro/algos/compute"
	"repro/algos/parts"
)

var _ = algos.Register[*nystromAWV]("nystrom-awv", "Nyström-AWV: the Vovk forecaster on the span of a dictionary, online [jezequel2019, NeurIPS version]", func() algos.Algorithm {
	return &NystromAWV{KORSSettings: parts.KORSSettings{Beta: 1, Epsilon: 0.5, Points: 1000}}
})

// NystromAWV is the forecaster of Azoury, Warmuth and Vovk on the span of a dictionary of M points that KORS chooses
// [jezequel2019, NeurIPS version]. In round t KORS decides whether x_t enters the dictionary (parts.KORS), and then
//
//	ŷ_t = f_t(x_t),  f_t = argmin_f Σ_{s<t} (y_s - f(x_s))² + f(x_t)² + λ‖f‖²
//
// over the span of the functions k(x_j, ·) of the dictionary: f_t = Σ_j c_j k(x_j, ·) with
// c = (K_nMᵀK_nM + λK_MM)⁻¹ K_nMᵀ(y_1, …, y_{t-1}, 0). With all points in the dictionary it is KernelAWV. λ is ν·n as in
// PhiAWV, and the γ of KORS is λ.
//
// Departures. The authors' code keeps the Cholesky factor of K_nMᵀK_nM + λK_MM, by an update a round and an up- and a
// downdate for a new point. Its condition number is that of the kernel matrix squared. This fit has the coordinates
// φ̃ = L⁻¹k of the span, with L the Cholesky factor of K_MM, and the factor R of A = Σ_s φ̃(x_s)φ̃(x_s)ᵀ + λI, which is
// updated a round and gets a new last row with a new point: f_t is the same. The dictionary is bounded. Several outputs
// share the dictionary and A.
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
	Span       parts.Span
	R          []float64 // RRᵀ = A: rows of the lower triangle, one after another
	Z          []float64 // R⁻¹ Σ_s φ̃(x_s) y_sᵀ, row by row
}

// Start implements Algorithm. It needs the square loss and ν > 0.
func (a *NystromAWV) Start(p *algos.Problem) (algos.Fit, error) {
	r, err := newOnlineRidge("nystrom-awv", p)
	if err != nil {
		return nil, err
	}
	return &nystromAWV{onlineRidge: r, kors: a.Choice(p.Seed, r.lambda)}, nil
}

func (f *nystromAWV) Step() (algos.Progress, error) {
	x := f.stream.Inputs(f.T)
	k := dictionaryValues(f.p, f.Points, x)
	u, phi, grown, enter := f.forecast(k, x)
	if !parts.View(u, f.out).Finite() {
		return algos.Progress{}, parts.Diverged(int(f.T) + 1)
	}
	y := f.stream.Reveal(f.T, u)
	if enter != nil {
		member := len(f.Dictionary.S)
		enter()
		f.Points = append(f.Points, x...)
		if grown != nil {
			f.Span.Add(member, phi[:len(phi)-1], phi[len(phi)-1])
			f.Phi = append(f.Phi, grown.phi)
			f.R = append(f.R, grown.r...)
			f.Z = append(f.Z, grown.z...)
		}
	}
	for j, v := range phi {
		f.Phi[j] = append(f.Phi[j], v)
	}
	f.X, f.Y = append(f.X, x...), append(f.Y, y...)
	f.update(phi, y)
	f.T++
	return algos.Progress{Seen: 1}, nil
}

// A nystromGrowth is what a new coordinate of φ̃ adds to the fit.
type nystromGrowth struct {
	phi  []float64 // the coordinate at all rounds so far
	r, z []float64 // last row of R and of Z
}

// forecast returns the predictions for a point x with the kernel values k, and its φ̃. If x enters the dictionary, enter adds
// it; if it adds a coordinate, the last of φ̃, grown is what belongs to that. It does not change the fit.
func (f *nystromAWV) forecast(k, x []float64) (u, phi []float64, grown *nystromGrowth, enter func()) {
	enter = f.kors.Choose(&f.Dictionary, f.T, k)
	phi = f.Span.Coordinates(k)
	c := append([]float64(nil), phi...)
	parts.SolvePacked(f.R, c)
	u = make([]float64, f.out)
	z := parts.View(f.Z, f.out)
	for j, v := range c {
		compute.AddScaled(u, v, z.Row(j))
	}
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
	return u, phi, grown, enter
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

// Model implements Fit: it predicts at every row of x as if that were the next example.
func (f *nystromAWV) Model() algos.Model {
	return forecaster{f.out, func(u, x []float64) {
		k := dictionaryValues(f.p, f.Points, x)
		v, _, _, _ := f.forecast(k, x)
		copy(u, v)
		f.p.Engine.Reuse(parts.View(k, len(k)))
	}}
}

func (f *nystromAWV) State() any { return &f.nystromAWVState }

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
