package methods

import (
	"fmt"
	"math"

	"repro/algos"
	"repro/algos/compute"
	"repro/algos/losses"
	"repro/algos/parts"
)

var _ = algos.Register[*eigenPro3]("eigenpro3", "EigenPro 3.0: EigenPro on centres apart from the data, by projections [Abedsoltan, Belkin & Pandit, ICML 2023]", func() algos.Algorithm {
	return &EigenPro3{Centres: 1024, EigenPro2: EigenPro2{Device: 1, Exponent: 1}, ProjectionSettings: usualProjection()}
})

var _ = algos.Register[*eigenPro3]("eigenpro4", "EigenPro 4: EigenPro 3.0 with a projection every T steps [Abedsoltan, Ma, Pandit & Belkin 2024]", func() algos.Algorithm {
	return &EigenPro4{EigenPro3: EigenPro3{Centres: 1024, EigenPro2: EigenPro2{Device: 1, Exponent: 1}, ProjectionSettings: usualProjection()}, Period: 10}
})

// EigenPro3 is EigenPro 3.0, which learns f = Σ_j α_j k(z_j, ·) on p centres Z, fewer than the training rows or as many [Abedsoltan,
// Belkin & Pandit, Toward large kernel models, ICML 2023, and the authors' code]: stochastic gradients of EigenPro in the RKHS, each
// projected on the span of the centres. With λ_j, V, D and η of EigenPro2, for a batch of m rows,
//
//	g = K(X_m, Z) α - y_m,  h = K(Z, X_m) g - K(Z, X_s) V D Vᵀ K(X_s, X_m) g,  α ← α - (η/m) θ,  K(Z, Z) θ = h
//
// where h are the values at Z of Σ_i g_i k_P(x_i, ·). The projection θ is exact, by a Cholesky factorisation, or inexact: Epochs passes
// of EigenPro2 on the rows Z with the targets h, from θ = 0. If the centres are the training rows, this is EigenPro2.
//
// η of the rules is half that of EigenPro2, m/(2β) for small batches, as the code has it: projections and the preconditioner do not
// commute, and with twice the step the iteration may diverge.
//
// Departures. Centres are drawn as falkon's landmarks, and are all rows in their order with Centres = 0. q and the batch follow
// EigenPro2; the batch from a device's memory counts the centres, (d + outputs + m) p numbers. The code takes q = 501 of 5,000 rows, and
// β/λ_q as the batch. An exact projection has Jitter·p on the diagonal of K(Z, Z), as falkon. An inexact one has batches of p/10, where
// the code takes the critical one, half of EigenPro2's step, as the code, and ends after whole passes, where the code looks at the
// error. Losses as in EigenPro.
type EigenPro3 struct {
	Centres int `toml:"centres" want:">= 0" doc:"number p of centres, drawn from the training rows; 0 for all of them"`
	ProjectionSettings
	EigenPro2
}

// EigenPro4 is EigenPro 4, which projects after T steps [Abedsoltan, Ma, Pandit & Belkin, Fast training of large kernel models with
// delayed projections, 2024, and the authors' code]. Between projections the batches are temporary centres, and f is
//
//	f = Σ_j α_j k(z_j, ·) + Σ_i a_i k(x_i, ·) + Σ_l b_l k(x_sl, ·)
//	g = f(X_m) - y_m,  a_m = -(η/m) g,  b ← b + (η/m) V D Vᵀ K(X_s, X_m) g,  h ← h - (η/m)(K(Z, X_m) g - K(Z, X_s) V D Vᵀ K(X_s, X_m) g)
//
// and after T steps α ← α + θ, K(Z, Z) θ = h, without the other two sums. With T = 1 it is EigenPro3.
//
// Departures as in EigenPro3, whose η it has; its own code has that of EigenPro2. Predictions are those of f projected at that moment, as the authors' code projects at the end of training;
// the code has as many temporary centres as centres by default, T = p/m.
type EigenPro4 struct {
	EigenPro3
	Period int `toml:"period" want:"> 0" doc:"steps T from one projection to the next"`
}

// ProjectionSettings say how a function is projected on the span of the centres.
type ProjectionSettings struct {
	Projection string  `toml:"projection" want:"exact|iterative" doc:"exact: by a Cholesky factorisation of K(Z, Z), p³/3 operations once; iterative: by passes of EigenPro 2.0 over the centres"`
	Epochs     int     `toml:"projection_epochs" want:"> 0" doc:"passes of an iterative projection"`
	Jitter     float64 `toml:"jitter" want:">= 0" doc:"of an exact projection, jitter·p is added to the diagonal of K(Z, Z)"`
}

// usualProjection are the defaults: the passes of the code of EigenPro 4, the jitter of falkon.
func usualProjection() ProjectionSettings {
	return ProjectionSettings{Projection: "exact", Epochs: 1, Jitter: 1e-10}
}

// eigenPro3State is what a step changes: α and, since the last projection, the rows of the temporary centres, a, b and h.
type eigenPro3State struct {
	parts.SpanState
	Rows    []int
	A, B, H []float64
}

type eigenPro3 struct {
	parts.Span
	state   eigenPro3State
	centres parts.Centres // inputs of Rows
	period  int
	z       compute.Matrix
	conditioned
	kv compute.Matrix // K(Z, X_s)V

	factor   compute.Matrix // of K(Z, Z), of exact projections
	inner    *eigenPro2     // of iterative ones, nil for exact ones
	examples int64          // that inner sees in a projection
}

func (a *EigenPro3) Start(p *algos.Problem) (algos.Fit, error) { return a.start("eigenpro3", p, 1) }

func (a *EigenPro4) Start(p *algos.Problem) (algos.Fit, error) {
	return a.start("eigenpro4", p, a.Period)
}

func (a *EigenPro3) start(method string, p *algos.Problem, period int) (*eigenPro3, error) {
	if err := a.solves(method, p); err != nil {
		return nil, err
	}
	n := p.Train.Len()
	in, out := p.Train.Dims()
	if n < a.Centres {
		return nil, fmt.Errorf("%w: %s draws %d centres from %d training rows", algos.ErrUnsupported, method, a.Centres, n)
	}
	f := &eigenPro3{period: period}
	order, s := parts.Subsample(p, n), a.rows(n)
	batch := min(a.Traits().BatchAt(algos.Size{N: n, In: in, Out: out}), n)
	var err error
	if f.conditioned, err = a.condition(method, p, parts.Inputs(p, order[:s]), parts.Inputs(p, order[s:min(2*s, n)]), batch); err != nil {
		return nil, err
	}
	if f.z, err = a.centresOf(method, p); err != nil {
		return nil, err
	}
	if a.Step == nil {
		f.halve()
	}
	f.kv = compute.NewMatrix(f.z.Rows, f.v.Cols)
	p.Engine.Kernel(p.Kernel, f.z, f.x).MulTo(f.kv, f.v)
	f.Span = parts.NewSpan(p, parts.PointsAt(p, f.z), f.z.Rows, false)
	f.Keep(&f.state.SpanState, &f.state)
	f.Form = f.coefficients
	f.state.H, f.state.B = make([]float64, len(f.Alpha)), make([]float64, s*out)
	return f, f.prepare(a, method)
}

// centresOf returns Z.
func (a *EigenPro3) centresOf(method string, p *algos.Problem) (compute.Matrix, error) {
	if a.Centres == 0 {
		x, _ := p.Dense()
		return x, nil
	}
	rows, err := parts.SelectLandmarks(method, p, a.Centres, parts.Uniform)
	return parts.Inputs(p, rows), err
}

// prepare makes ready to solve K(Z, Z) θ = h.
func (f *eigenPro3) prepare(a *EigenPro3, method string) error {
	e := f.P.Engine
	if a.Projection == "iterative" {
		on := *f.P
		on.Keep, on.Loss, on.Train = nil, losses.Square{}, centreSamples{f.z, f.Out}
		inner, err := a.inner(f.z.Rows).Start(&on)
		if err != nil {
			return err
		}
		f.inner, f.examples = inner.(*eigenPro2), int64(a.Epochs)*int64(f.z.Rows)
		f.inner.halve()
		return nil
	}
	f.factor = e.KernelMatrix(f.P.Kernel, f.z, f.z)
	f.factor.AddToDiagonal(jitterOf(e, f.factor, a.Jitter))
	if !e.Cholesky(f.factor) {
		return fmt.Errorf(`%s: K(Z, Z) is not positive definite in float64: raise jitter, or set projection = "iterative"`, method)
	}
	return nil
}

// project returns θ.
func (f *eigenPro3) project(h compute.Matrix) (theta compute.Matrix, err error) {
	if f.inner == nil {
		theta = h.Clone()
		f.P.Engine.Trsm(f.factor, true, theta)
		f.P.Engine.Trsm(f.factor, false, theta)
		return theta, nil
	}
	f.inner.Gram.Y = h
	*f.inner.SpanState = parts.SpanState{Alpha: make([]float64, len(h.Data))}
	for f.inner.Seen < f.examples {
		if _, err := f.inner.Step(); err != nil {
			return theta, err
		}
	}
	return f.inner.Coefficients(), nil
}

// inner returns the EigenPro2 of an iterative projection on p centres.
func (a *EigenPro3) inner(p int) *EigenPro2 {
	return &EigenPro2{Batch: (p + projectionSteps - 1) / projectionSteps, Device: a.Device, Exponent: 0.95}
}

// projectionSteps is the number of iterations in a pass of a projection.
const projectionSteps = 10

// centreSamples are centres without targets.
type centreSamples struct {
	z   compute.Matrix
	out int
}

func (s centreSamples) Len() int            { return s.z.Rows }
func (s centreSamples) Dims() (in, out int) { return s.z.Cols, s.out }
func (s centreSamples) Gather(rows []int, x, _ compute.Matrix) {
	for i, r := range rows {
		copy(x.Row(i), s.z.Row(r))
	}
}

func (f *eigenPro3) Step() (algos.Progress, error) {
	e := f.P.Engine
	rows, x, y := f.Order.Batch(f.Seen, f.batch)
	kz, ks := e.KernelMatrix(f.P.Kernel, x, f.z), e.KernelMatrix(f.P.Kernel, x, f.x)
	defer e.Reuse(kz)
	defer e.Reuse(ks)
	g := e.Mul(kz, f.View(f.Alpha), false)
	if len(f.state.Rows) > 0 {
		e.Gemm(g, 1, ks, false, f.View(f.state.B), false, 1)
		g.AddScaled(1, parts.KernelSum(f.P, x, f.centres.Of(f.P, f.state.Rows), f.View(f.state.A)))
	}
	if !parts.Residual(f.P, g, y) {
		return algos.Progress{}, parts.Diverged(f.T + 1)
	}
	g.Scale(-f.gamma(f.T+1) / float64(f.batch))
	h, c := f.View(f.state.H), scaled(1, f.d, e.Mul(f.v, e.Mul(ks, g, true), true))
	e.Gemm(h, 1, kz, true, g, false, 1)
	e.Gemm(h, -1, f.kv, false, c, false, 1)
	e.Gemm(f.View(f.state.B), -1, f.v, false, c, false, 1)
	f.state.Rows, f.state.A = append(f.state.Rows, rows...), append(f.state.A, g.Data...)
	made := f.Stepped(len(rows))
	if f.T%f.period != 0 {
		return made, nil
	}
	theta, err := f.project(h)
	if err != nil {
		return algos.Progress{}, err
	}
	f.View(f.Alpha).AddScaled(1, theta)
	f.state.Rows, f.state.A = f.state.Rows[:0], f.state.A[:0]
	clear(f.state.B)
	clear(f.state.H)
	return made, nil
}

// coefficients returns those of f projected on the span of the centres, which are not numbers where the projection diverges.
func (f *eigenPro3) coefficients() compute.Matrix {
	alpha := f.View(f.Alpha).Clone()
	if len(f.state.Rows) == 0 {
		return alpha
	}
	theta, err := f.project(f.View(f.state.H))
	if err != nil {
		alpha.Scale(math.NaN())
		return alpha
	}
	alpha.AddScaled(1, theta)
	return alpha
}

// points returns p for n training rows.
func (a *EigenPro3) points(n int) int {
	if a.Centres == 0 {
		return n
	}
	return min(a.Centres, n)
}

func (a *EigenPro3) Traits() algos.Traits { return a.traits(a.points) }

func (a *EigenPro3) Cost(s algos.Size) algos.Cost { return a.cost(s, 1) }

func (a *EigenPro4) Cost(s algos.Size) algos.Cost { return a.cost(s, a.Period) }

func (a *EigenPro3) cost(s algos.Size, period int) algos.Cost {
	m, n, p, w, out := float64(min(a.Traits().BatchAt(s), s.N)), float64(s.N), float64(a.points(s.N)), float64(a.rows(s.N)), float64(s.Out)
	q, steps, t := float64(a.directions(a.rows(s.N))), float64(s.Steps), float64(period)
	outside := min(w, n-w)
	whole := math.Floor(steps / t)
	rest := steps - whole*t
	temporary := m * m * (whole*t*(t-1) + rest*(rest-1)) / 2 // values of k at batches and temporary centres
	c := algos.Cost{
		KernelEvals: w*w + outside*(w+1) + p*w + steps*m*(p+w) + temporary,
		Together:    int(m),
		Flops:       2*(outside+p)*w*q + steps*out*(4*m*(p+w)+2*q*(2*w+p)) + 2*temporary*out,
		EvalCost:    p * float64(s.Evals),
		Bytes:       8 * (max(6*w*w+4*w*q, m*(p+w)) + p*(q+float64(s.In)+3*out) + min(t, steps)*m*(float64(s.In)+2*out)),
	}
	parts.AddLeading(&c, w, q)
	if a.Projection != "iterative" {
		c.KernelEvals += p * p
		c.Flops += p*p*p/3 + 2*whole*p*p*out
		c.Bytes += 8 * p * p
		return c
	}
	inner := a.inner(int(p))
	size := algos.Size{N: int(p), In: s.In, Out: s.Out, Stored: s.Stored, Number: s.Number}
	b := float64(inner.Traits().BatchAt(size))
	size.Steps = int(min(1e15, whole*float64(a.Epochs)*math.Ceil(p/b)))
	of := inner.Cost(size)
	c.KernelEvals, c.Reads, c.Flops, c.Eigen, c.Bytes = c.KernelEvals+of.KernelEvals, of.Reads, c.Flops+of.Flops, c.Eigen+of.Eigen, c.Bytes+of.Bytes
	return c
}
