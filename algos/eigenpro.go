package algos

import (
	"errors"
	"fmt"
	"math"

	"repro/algos/compute"
	"repro/algos/schedules"
)

var _ = register("eigenpro", func() Algorithm {
	return &EigenPro{EigenProSettings{Batch: 256, Directions: 160, Subsample: 4800, Tau: 1, Decomposition: "rsvd", Flatten: "sqrt", Rule: "code"}}
})

// EigenProSettings are common to EigenPro for kernels and for random features. The preconditioner scales
// the eigendirection of eigenvalue λ_i, i ≤ k, by
//
//	c_i = τ (λ_{k+1}/λ_i)^a
//
// with a = 1 as printed (flatten = "full"; ma2017 eq. (19), (20)) or a = 1/2 as in the authors' released
// code, with which the paper's tables were made (flatten = "sqrt").
//
// The step size of rule "code" is, as in that code, η = 0.75/λ_1 · √(λ_1/λ_{k+1}), with eigenvalues of
// K/n; eta, if set, stands for 0.75/λ_1, the step size of the iteration without a preconditioner. That of
// rule "bound" is the inverse of the bound of ma2017 Theorem 4, eq. (22), with probability 0.95,
//
//	1/η = λ_{k+1} + 2(λ_{k+1} + κ)/(3m) ln(8d/δ) + √(2λ_{k+1}κ/m ln(8d/δ))
//
// κ = max_i k(x_i, x_i), d the intrinsic dimension of E[(K_m - K)²]; Theorem 3, eq. (21), has 2d for 8d, d
// the number of features. Rule "full" is for iterations with all rows and flatten = "full", which leaves K/n
// the largest eigenvalue λ_{k+1}: η = 0.75/λ_{k+1}, larger than GD's by the factor λ_1/λ_{k+1} of ma2017
// Sec. 3.3.
//
// The eigensystem is that of RSVD or NSVD, ma2017 App. A: decomposition = "rsvd", with which the paper's tables
// were made, or "nystrom", which has larger errors from as many rows.
type EigenProSettings struct {
	Batch         int                `toml:"batch" want:"> 0" doc:"examples per iteration m"`
	Directions    int                `toml:"directions" want:"> 0" doc:"number of eigenvectors k"`
	Subsample     int                `toml:"subsample" want:"> 0" doc:"rows M from which they are computed"`
	Decomposition string             `toml:"decomposition,young" want:"|rsvd|nystrom" doc:"how they are computed: from a random sketch of the M rows of the matrix, or from its M×M block as Nyström's method does"`
	Tau           float64            `toml:"tau" want:"> 0" doc:"damping factor τ"`
	Flatten       string             `toml:"flatten" want:"|sqrt|full" doc:"what becomes of the top eigenvalues: sqrt(λ_i λ_{k+1}) as in the authors' code, or λ_{k+1} as printed"`
	Rule          string             `toml:"rule" want:"|code|bound|full" doc:"step size if step is left out: that of the authors' code, of the paper's Theorem 3 or 4, or 0.75/λ_{k+1} for iterations with all rows"`
	Eta           float64            `toml:"eta,young" want:">= 0" doc:"step size of the iteration without a preconditioner, which rule code multiplies by sqrt(λ_1/λ_{k+1}); 0.75/λ_1 if left out"`
	Step          schedules.Schedule `toml:"step" doc:"step sizes η; by rule if left out"`
}

// EigenPro is EigenPro iteration in the RKHS, ma2017 Table 2. With E, Λ the top k eigenvectors and
// eigenvalues of K,
//
//	D = E Λ⁻¹ (I - C) Eᵀ,  C = diag(c_1, …, c_k)
//	g_m ← (1/m)(K_m α - y_m),  α_m ← α_m - η g_m,  α ← α + η D K_mᵀ g_m
//
// for the m rows of K drawn. E and Λ are those of RSVD or NSVD, App. A, with M rows.
//
// With K stored, KE is computed once and α kept as β + EΓ, of which an iteration changes m rows of β and
// the k×out numbers of Γ: the same iteration, as (KE)_mᵀ g_m = Eᵀ K_mᵀ g_m, and what the
// preconditioner adds to it does not grow with n.
//
// Departures. Rows are drawn without replacement within an epoch. Any smooth loss without a threshold may
// take the place of the square loss, with l' for K_m α - y_m and η divided by the bound of its second
// derivative. It needs ν = 0: a preconditioned iteration with a regulariser would not end where others do.
type EigenPro struct{ EigenProSettings }

// eigenProState is α = Alpha + E·Gamma.
type eigenProState struct {
	T     int
	Seen  int64
	Alpha []float64 // n × outputs, row-major
	Gamma []float64 // k × outputs; zero if K is not stored
}

type eigenPro struct {
	eigenProState
	centred
	settings *EigenProSettings
	p        *Problem
	order    order
	e        compute.Matrix // E, n×k
	ke       compute.Matrix // KE, n×k, if K is stored
	d        []float64      // (1 - c_i)/λ_i
	gamma    func(t int) float64
}

// Fits implements Declarer.
func (*EigenPro) Fits() Fit { return (*eigenPro)(nil) }

// Start implements Algorithm.
func (a *EigenPro) Start(p *Problem) (Fit, error) {
	if err := errors.Join(preconditionable("eigenpro", p), a.check("eigenpro")); err != nil {
		return nil, err
	}
	f := &eigenPro{settings: &a.EigenProSettings, p: p, order: order{p: p}}
	f.centred = newCentred(p, f.whole)
	n, out := f.g.y.Rows, f.g.y.Cols
	f.Alpha, f.Gamma = make([]float64, n*out), make([]float64, a.Directions*out)
	s, err := f.g.decompose(a.Decomposition, a.Directions, a.Subsample)
	if err != nil {
		return nil, fmt.Errorf("eigenpro: %w", err)
	}
	f.e = s.vectors
	for i, c := range a.scales(s.values) {
		f.d = append(f.d, (1-c)/s.values[i])
	}
	if compute.IsStored(f.g.k) {
		f.ke = compute.NewMatrix(n, a.Directions)
		f.g.k.MulTo(f.ke, f.e)
	}
	for i := range s.values { // of K/n from here on
		s.values[i] /= float64(n)
	}
	f.gamma = a.steps(p, s.values, f.g.kappa, func(kappa float64) float64 { return 8 * intrinsic(s.values, kappa) })
	return f, nil
}

// preconditionable says whether the named method, EigenPro of some kind, solves p.
func preconditionable(method string, p *Problem) error {
	switch {
	case p.learnsThreshold():
		return fmt.Errorf("%w: %s learns no threshold, which the loss %s needs", ErrUnsupported, method, p.Loss.Name())
	case math.IsInf(p.Loss.Smoothness(), 1):
		return fmt.Errorf("%w: %s needs a smooth loss, not %s", ErrUnsupported, method, p.Loss.Name())
	case p.Nu != 0:
		return fmt.Errorf("%w: %s has no regulariser, set nu = 0 instead of %g", ErrUnsupported, method, p.Nu)
	}
	return nil
}

// check says whether the settings agree with each other.
func (a *EigenProSettings) check(method string) error {
	if a.Eta > 0 && (a.Step != nil || a.Rule != "code") {
		return fmt.Errorf("%s: eta is of rule \"code\" alone: remove eta, or step and rule = %q", method, a.Rule)
	}
	return nil
}

// scales returns c_1, …, c_k.
func (a *EigenProSettings) scales(lambda []float64) []float64 {
	power := 1.0
	if a.Flatten == "sqrt" {
		power = 0.5
	}
	c := make([]float64, a.Directions)
	for i := range c {
		c[i] = a.Tau * math.Pow(lambda[a.Directions]/lambda[i], power)
	}
	return c
}

// steps returns the step sizes for eigenvalues of the covariance, the bound κ of ‖x‖² and the multiple of the
// dimension d that the theorem has.
func (a *EigenProSettings) steps(p *Problem, lambda []float64, bound func() float64, dimension func(kappa float64) float64) func(t int) float64 {
	if a.Step != nil {
		return a.Step.Gamma
	}
	first, next := lambda[0], lambda[a.Directions]
	eta := a.Eta
	if eta == 0 {
		eta = 0.75 / first / p.Loss.Smoothness()
	}
	eta *= math.Sqrt(first / next)
	switch a.Rule {
	case "full":
		eta = 0.75 / next / p.Loss.Smoothness()
	case "bound":
		const delta = 0.05
		kappa := bound()
		m, l := float64(a.Batch), math.Log(dimension(kappa)/delta)
		eta = 1 / (next + 2*(next+kappa)/(3*m)*l + math.Sqrt(2*next*kappa/m*l)) / p.Loss.Smoothness()
	}
	return func(int) float64 { return eta }
}

// intrinsic bounds the intrinsic dimension tr(A)/‖A‖ of A = E[(K_m - K)²] from the leading eigenvalues of
// K: where k(x, x) = κ everywhere, A is (κK - K²)/m with the trace (κ² - Σλ_i²)/m.
func intrinsic(lambda []float64, kappa float64) float64 {
	trace, norm := kappa*kappa, 0.0
	for _, l := range lambda {
		trace -= l * l
		norm = max(norm, l*(kappa-l))
	}
	return trace / norm
}

// factored says whether Γ is in use.
func (f *eigenPro) factored() bool { return f.ke.Data != nil }

// Step implements Fit.
func (f *eigenPro) Step() (Progress, error) {
	alpha, eta := f.g.likeTargets(f.Alpha), f.gamma(f.T+1)
	if !f.factored() && nonzero(f.Gamma) { // restored from a fit with K stored
		f.p.Engine.Gemm(alpha, 1, f.e, false, f.g.likeTargets(f.Gamma), false, 1)
		clear(f.Gamma)
	}
	rows := f.order.rows(f.Seen, f.settings.Batch)
	k := f.g.rows(rows)
	defer f.p.Engine.Release(k)
	r := compute.NewMatrix(len(rows), alpha.Cols)
	k.MulTo(r, alpha)
	ke := f.ke.Select(rows)
	if f.factored() {
		f.p.Engine.Gemm(r, 1, ke, false, f.g.likeTargets(f.Gamma), false, 1)
	}
	if !f.p.residual(r, f.g.targets(rows)) {
		return Progress{}, diverged(f.T + 1)
	}
	r.Scale(1 / float64(len(rows))) // g_m
	addRows(alpha, rows, -eta, r)
	if f.factored() {
		f.g.likeTargets(f.Gamma).AddScaled(1, f.scaled(eta, f.p.Engine.Mul(ke, r, true)))
	} else {
		h := compute.NewMatrix(alpha.Rows, alpha.Cols)
		k.MulTransTo(h, r)
		f.p.Engine.Gemm(alpha, 1, f.e, false, f.scaled(eta, f.p.Engine.Mul(f.e, h, true)), false, 1)
	}
	f.T++
	f.Seen += int64(len(rows))
	return Progress{Seen: len(rows)}, nil
}

// scaled multiplies row i of m by s(1 - c_i)/λ_i.
func (f *eigenPro) scaled(s float64, m compute.Matrix) compute.Matrix {
	for i, d := range f.d {
		m.RowRange(i, i+1).Scale(s * d)
	}
	return m
}

// whole returns α.
func (f *eigenPro) whole() compute.Matrix {
	alpha := f.g.likeTargets(f.Alpha)
	if nonzero(f.Gamma) {
		alpha = alpha.Clone()
		f.p.Engine.Gemm(alpha, 1, f.e, false, f.g.likeTargets(f.Gamma), false, 1)
	}
	return alpha
}

// State implements Fit.
func (f *eigenPro) State() any { return &f.eigenProState }

// Footprint implements Sizer: the coefficients, the points they belong to and the eigenvectors.
func (f *eigenPro) Footprint() int64 {
	return 8 * int64(len(f.Alpha)+len(f.g.x.Data)+len(f.e.Data)+len(f.ke.Data)+len(f.Gamma))
}

// BatchSize implements Batcher.
func (a *EigenProSettings) BatchSize() int { return a.Batch }

// Cost implements Coster: K is evaluated once, or its rows in every step, the sketch of RSVD has 2(k+1) columns and
// NSVD evaluates its block again. With K stored KE is a product of its own, else every step has one with K_mᵀ and two
// with E.
func (a *EigenPro) Cost(s Size) Cost {
	c, n, k := gramCost(s, float64(a.Batch)), float64(s.N), float64(a.Directions)
	m, b := min(float64(a.Subsample), n), min(float64(a.Batch), n)
	c.Flops += decompositionCost(a.Decomposition, k, m, n)
	c.Bytes += 8 * n * (float64(sketchOf(a.Directions)) + k) // while the eigenvectors are made of the sketch
	if a.Decomposition == "nystrom" {
		c.KernelEvals += m * m
		c.Bytes += 16 * m * m
	}
	columns := float64(s.Steps) * float64(s.Out)
	if s.stores(n * n) {
		c.Flops += 2*n*n*k + 4*b*columns*k
		return c
	}
	twice := func(rows float64) float64 { // each entry is needed from both sides of so many rows
		if s.stores(rows * n) {
			return 1
		}
		return 2
	}
	c.KernelEvals += m*n*twice(m) + float64(s.Steps)*b*n*(twice(b)-1)
	c.Flops += 2*b*columns*n + 4*n*k*columns
	return c
}
