package methods

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"

	"repro/algos"
	"repro/algos/compute"
	"repro/algos/compute/exact"
	"repro/algos/parts"
	"repro/algos/schedules"
)

var _ = algos.Register[*eigenPro]("eigenpro", "EigenPro: preconditioned stochastic gradient descent with the full kernel [ma2017 Table 2]", func() algos.Algorithm {
	return &EigenPro{EigenProSettings{Batch: 256, Directions: 160, Subsample: 4800, Tau: 1, Decomposition: "rsvd", Flatten: "sqrt", Rule: "code"}}
}, algos.Known("relative-gradient", (*eigenPro).RelativeGradient),
	algos.Computed("contraction", (*eigenPro).contraction))

// EigenPro is EigenPro iteration in the RKHS, ma2017 Table 2. With E, Λ the top k eigenvectors and eigenvalues of K,
//
//	D = E Λ⁻¹ (I - C) Eᵀ,  C = diag(c_1, …, c_k)
//	g_m ← (1/m)(K_m α - y_m),  α_m ← α_m - η g_m,  α ← α + η D K_mᵀ g_m
//
// for the m rows of K drawn. E and Λ are those of RSVD or NSVD, App. A, with M rows.
//
// With K stored, KE is computed once and α is kept as β + EΓ. An iteration changes m rows of β and the k×out numbers of Γ. It is the same
// iteration because (KE)_mᵀ g_m = Eᵀ K_mᵀ g_m, and the cost of its preconditioner does not grow with n.
//
// Departures. Rows are drawn without replacement within an epoch. Any smooth loss without a threshold may
// take the place of the square loss, with l' for K_m α - y_m and η divided by the bound of its second
// derivative. It needs ν = 0: a preconditioned iteration with a regulariser would not end where others do.
type EigenPro struct{ EigenProSettings }

// eigenProState is α = Alpha + E·Gamma.
type eigenProState struct {
	parts.SpanState
	Gamma []float64 // k × outputs; zero if K is not stored
}

type eigenPro struct {
	parts.Iterate
	*eigenProState
	settings *EigenProSettings
	e        compute.Matrix      // E, n×k
	ke       compute.Matrix      // KE, n×k, if K is stored
	h        compute.Matrix      // K_mᵀ g_m, n×out, if it is not: memory of an iteration
	d        []float64           // (1 - c_i)/λ_i
	gamma    func(t int) float64 // η of step t
	bound    parts.Contraction
}

func (a *EigenPro) Start(p *algos.Problem) (algos.Fit, error) {
	if err := errors.Join(preconditionable("eigenpro", p), a.check("eigenpro")); err != nil {
		return nil, err
	}
	f := &eigenPro{Iterate: parts.NewIterate(p), eigenProState: new(eigenProState), settings: &a.EigenProSettings}
	f.Keep(&f.eigenProState.SpanState, f.eigenProState)
	f.Form = f.whole
	n := f.Gram.Y.Rows
	f.Gamma = make([]float64, a.Directions*f.Out)
	s, err := f.Gram.Decompose(a.Decomposition, a.Directions, a.Subsample)
	if err != nil {
		return nil, fmt.Errorf("eigenpro: %w", err)
	}
	f.e = s.Vectors
	for i, c := range a.scales(s.Values) {
		f.d = append(f.d, (1-c)/s.Values[i])
	}
	f.factor()
	for i := range s.Values { // from now on of K/n
		s.Values[i] /= float64(n)
	}
	f.gamma = a.steps(p, s.Values, f.Gram.Kappa, func(kappa float64) float64 { return 8 * intrinsic(s.Values, kappa) })
	return f, nil
}

func (f *eigenPro) Step() (algos.Progress, error) {
	eta, b := f.gamma(f.T+1), f.draw()
	defer f.P.Engine.Release(b.k)
	g := f.product(b) // K_m α
	if !parts.Residual(f.P, g, f.Gram.Targets(b.rows)) {
		return algos.Progress{}, parts.Diverged(f.T + 1)
	}
	g.Scale(1 / float64(len(b.rows)))
	parts.AddRows(f.View(f.Alpha), b.rows, -eta, g)
	f.addPreconditioned(eta, b, g)
	return f.Stepped(len(b.rows)), nil
}

// contraction returns the bound of parts.Contraction. A step on all rows turns Kα - y into (I - η(K - KDK)/n)(Kα - y).
func (f *eigenPro) contraction() (float64, error) {
	if n := f.Gram.X.Rows; f.settings.Batch < n {
		return 0, fmt.Errorf("eigenpro has one factor if every step has all %d rows, not %d: raise batch", n, f.settings.Batch)
	}
	return f.bound.OfSteps(f.P, f.gamma, func() compute.Matrix {
		k := f.Gram.Covariance()
		ke := f.P.Engine.Mul(k, f.e, false)
		scaled := ke.Clone()
		for i := range scaled.Rows {
			floats.Mul(scaled.Row(i), f.d)
		}
		f.P.Engine.Gemm(k, -float64(k.Rows), scaled, false, ke, true, 1) // D has the eigenvalues of K, not of K/n
		return k
	})
}

// Footprint implements Sizer: the coefficients, the points they belong to and the eigenvectors.
func (f *eigenPro) Footprint() int64 {
	return 8 * int64(len(f.Alpha)+len(f.Gram.X.Data)+len(f.e.Data)+len(f.ke.Data)+len(f.Gamma))
}

// Cost implements Coster. K is evaluated once if it is stored, else its rows in every step. With K stored there is one product for KE;
// without it every step has a product with K_mᵀ and two with E.
func (a *EigenPro) Cost(s algos.Size) algos.Cost {
	c, n, b := parts.GramCost(s, float64(a.Batch)), float64(s.N), float64(min(a.Batch, s.N))
	k, p, columns := float64(a.Directions), float64(parts.SketchOf(a.Directions)), float64(s.Steps)*float64(s.Out)
	parts.AddDecompositionOfK(&c, s, a.Decomposition, k, p, float64(min(a.Subsample, s.N)))
	c.Bytes += 8 * n * k
	if s.Stores(n * n) {
		c.Flops += 2*n*n*k + 4*b*columns*k
		return c
	}
	c.KernelEvals += float64(s.Steps) * (s.Evaluated(b*n, 2) - b*n) // K_m and K_mᵀ
	c.Flops += 2*b*columns*n + 4*n*k*columns
	return c
}

// How eigenPro keeps α = β + EΓ. If K is stored, KE is computed once, and an iteration changes the rows β_m and all of
// Γ, k×out numbers. If K is not stored, Γ = 0 and every iteration changes all n rows of β.

// factor computes KE if K is stored.
func (f *eigenPro) factor() {
	if compute.IsStored(f.Gram.K) {
		f.ke = compute.NewMatrix(f.e.Rows, f.e.Cols)
		f.Gram.K.MulTo(f.ke, f.e)
	}
}

// factored says whether Γ is in use.
func (f *eigenPro) factored() bool { return f.ke.Data != nil }

// A kernelBatch is the m rows of the kernel matrix that an iteration uses.
type kernelBatch struct {
	rows []int
	k    compute.Operator // K_m
	ke   compute.Matrix   // (KE)_m, if Γ is in use
}

// draw returns the next batch. The caller releases its K_m.
func (f *eigenPro) draw() kernelBatch {
	rows := f.Order.Rows(f.Seen, f.settings.Batch)
	return kernelBatch{rows, f.Gram.Rows(rows), f.ke.Select(rows)}
}

// product returns K_m α = K_m β + (KE)_m Γ.
func (f *eigenPro) product(b kernelBatch) compute.Matrix {
	beta, gamma := f.View(f.Alpha), f.View(f.Gamma)
	if !f.factored() && parts.Nonzero(f.Gamma) { // the state was saved by a fit that had K stored
		f.P.Engine.Gemm(beta, 1, f.e, false, gamma, false, 1)
		clear(f.Gamma)
	}
	u := compute.NewMatrix(len(b.rows), beta.Cols)
	b.k.MulTo(u, beta)
	if f.factored() {
		f.P.Engine.Gemm(u, 1, b.ke, false, gamma, false, 1)
	}
	return u
}

// addPreconditioned sets α ← α + η D K_mᵀ g. With Γ that is Γ ← Γ + η Λ⁻¹(I - C) (KE)_mᵀ g.
func (f *eigenPro) addPreconditioned(eta float64, b kernelBatch, g compute.Matrix) {
	if f.factored() {
		f.View(f.Gamma).AddScaled(1, scaled(eta, f.d, f.P.Engine.Mul(b.ke, g, true)))
		return
	}
	if f.h.Data == nil {
		f.h = compute.NewMatrix(f.e.Rows, g.Cols)
	}
	b.k.MulTransTo(f.h, g)
	f.P.Engine.Gemm(f.View(f.Alpha), 1, f.e, false, scaled(eta, f.d, f.P.Engine.Mul(f.e, f.h, true)), false, 1)
}

// scaled multiplies row i of m by s·d_i.
func scaled(s float64, d []float64, m compute.Matrix) compute.Matrix {
	for i, v := range d {
		m.RowRange(i, i+1).Scale(s * v)
	}
	return m
}

// whole returns α.
func (f *eigenPro) whole() compute.Matrix {
	alpha := f.View(f.Alpha)
	if parts.Nonzero(f.Gamma) {
		alpha = alpha.Clone()
		f.P.Engine.Gemm(alpha, 1, f.e, false, f.View(f.Gamma), false, 1)
	}
	return alpha
}

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
// κ = max_i k(x_i, x_i), d the intrinsic dimension of E[(K_m - K)²]; Theorem 3, eq. (21), has 2d for 8d, d the number of features. Rule
// "full" is for iterations with all rows and flatten = "full", which leaves K/n the largest eigenvalue λ_{k+1}: η = 0.75/λ_{k+1}, larger
// than GD's by the factor λ_1/λ_{k+1} of ma2017 Sec. 3.3.
//
// The eigensystem is that of RSVD or NSVD, ma2017 App. A: decomposition = "rsvd", with which the paper's tables
// were made, or "nystrom", which has larger errors from as many rows.
type EigenProSettings struct {
	Batch         int                `toml:"batch" want:"> 0" doc:"examples m per iteration"`
	Directions    int                `toml:"directions" want:"> 0" doc:"number of eigenvectors k"`
	Subsample     int                `toml:"subsample" want:"> 0" doc:"rows M from which the eigenvectors are computed"`
	Decomposition string             `toml:"decomposition" want:"|rsvd|nystrom" doc:"how the eigenvectors are computed: rsvd, from a random sketch of M rows of the matrix; nystrom, from its M×M block [ma2017 App. A]"`
	Tau           float64            `toml:"tau" want:"> 0" doc:"damping factor τ"`
	Flatten       string             `toml:"flatten" want:"|sqrt|full" doc:"what the top eigenvalues λ_i are lowered to: sqrt, sqrt(λ_i λ_{k+1}) as in the authors' code; full, λ_{k+1} as printed"`
	Rule          string             `toml:"rule" want:"|code|bound|full" doc:"step size if step is left out: code, that of the authors' code; bound, that of ma2017 Theorem 3 or 4; full, 0.75/λ_{k+1}, for a batch of all rows"`
	Eta           float64            `toml:"eta" want:">= 0" doc:"step size without the preconditioner, which the rule code multiplies by sqrt(λ_1/λ_{k+1}); 0.75/λ_1 if left out"`
	Step          schedules.Schedule `toml:"step" doc:"step sizes η; if left out, from rule"`
}

// preconditionable returns an error if the named method, a variant of EigenPro, does not solve p.
func preconditionable(method string, p *algos.Problem) error {
	return parts.Solves(method, p, parts.NoThreshold, parts.SmoothLoss, parts.ZeroNu)
}

// check returns an error if settings contradict each other.
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
		c[i] = a.Tau * exact.Pow(lambda[a.Directions]/lambda[i], power)
	}
	return c
}

// steps returns the step sizes. lambda are eigenvalues of the covariance, bound computes the bound κ of k(x, x), and
// dimension the multiple of d that the theorem has in its logarithm.
func (a *EigenProSettings) steps(p *algos.Problem, lambda []float64, bound func() float64, dimension func(kappa float64) float64) func(t int) float64 {
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
		m, l := float64(a.Batch), exact.Log(dimension(kappa)/delta)
		eta = 1 / (next + 2*(next+kappa)/(3*m)*l + math.Sqrt(2*next*kappa/m*l)) / p.Loss.Smoothness()
	}
	return func(int) float64 { return eta }
}

// intrinsic bounds the intrinsic dimension tr(A)/‖A‖ of A = E[(K_m - K)²] from the leading eigenvalues of K. If
// k(x, x) = κ everywhere, A is (κK - K²)/m and its trace is (κ² - Σλ_i²)/m.
func intrinsic(lambda []float64, kappa float64) float64 {
	trace, norm := kappa*kappa, 0.0
	for _, l := range lambda {
		trace -= l * l
		norm = max(norm, l*(kappa-l))
	}
	return trace / norm
}

func (a *EigenProSettings) Traits() algos.Traits { return algos.Traits{Batch: a.Batch} }

var _ = algos.Register[*eigenProRF]("eigenpro-rf", "EigenPro on random features [ma2017 Table 1]", func() algos.Algorithm {
	return &EigenProRF{
		EigenProSettings: EigenProSettings{Batch: 256, Directions: 160, Subsample: 4800, Decomposition: "rsvd", Tau: 0.25, Flatten: "sqrt", Rule: "code"},
		Features:         4096,
	}
})

// EigenProRF is EigenPro iteration on r random features z(x) = r^(-1/2) (φ_{ω_1}(x), …, φ_{ω_r}(x)), ma2017 Table 1. With E, Λ the top k
// eigenvectors and eigenvalues of the covariance Z_MᵀZ_M/M, by RSVD, or by NSVD, which is exact here,
//
//	P = I - E(I - C)Eᵀ,  C = diag(c_1, …, c_k)
//	g ← (1/m)(Z_mᵀ(Z_m α) - Z_mᵀ y_m),  α ← α - η P g
//
// Departures. As in EigenPro.
type EigenProRF struct {
	EigenProSettings
	Features int `toml:"features" want:"> 0" doc:"number of random features r"`
}

type eigenProRF struct {
	featureIterate
	e compute.Matrix // E, r×k
	d []float64      // 1 - c_i
}

func (a *EigenProRF) Start(p *algos.Problem) (algos.Fit, error) {
	if err := errors.Join(preconditionable("eigenpro-rf", p), a.check("eigenpro-rf")); err != nil {
		return nil, err
	}
	iterate, err := newFeatureIterate("eigenpro-rf", p, a.Features, a.Batch, false)
	if err != nil {
		return nil, err
	}
	f := &eigenProRF{featureIterate: iterate}
	s, err := f.z.Decompose(a.Decomposition, a.Directions, a.Subsample)
	if err != nil {
		return nil, fmt.Errorf("eigenpro-rf: %w", err)
	}
	f.e = s.Vectors
	for _, c := range a.scales(s.Values) {
		f.d = append(f.d, 1-c)
	}
	f.gamma = a.steps(p, s.Values, func() float64 { return f.z.Kappa(a.Batch) }, func(float64) float64 { return 2 * float64(a.Features) })
	return f, nil
}

func (f *eigenProRF) Step() (algos.Progress, error) {
	i := stepTogether([]*featureIterate{&f.featureIterate}, f.addPreconditioned)[0]
	return i.Progress, i.Err
}

// addPreconditioned sets α ← α + η E(I - C)Eᵀg.
func (f *eigenProRF) addPreconditioned(eta float64, alpha, g compute.Matrix) {
	f.P.Engine.Gemm(alpha, 1, f.e, false, scaled(eta, f.d, f.P.Engine.Mul(f.e, g, true)), false, 1)
}

// Footprint implements Sizer: the weights and the eigenvectors.
func (f *eigenProRF) Footprint() int64 { return 8 * int64(len(f.Alpha)+len(f.e.Data)) }

// Cost implements Coster: r features at every example, and a product with the preconditioner in every step.
func (a *EigenProRF) Cost(s algos.Size) algos.Cost {
	r, k, m := float64(a.Features), float64(a.Directions), float64(min(a.Subsample, s.N))
	c := featuresCost(s, a.Features, min(a.Batch, s.N))
	if a.Decomposition == "nystrom" { // Z_M is evaluated as a matrix and as an operator
		c.FeatureEvals += 2 * m * r
		c.Bytes += 8 * m * r
	} else {
		c.FeatureEvals += s.Evaluated(m*r, 2)
		c.Bytes += s.StoredBytes(m * r)
	}
	parts.AddDecomposition(&c, a.Decomposition, k, float64(parts.SketchOf(a.Directions)), m, r)
	c.Flops += 4 * r * k * float64(s.Steps) * float64(s.Out)
	c.Bytes += 8 * r * (3*k + float64(min(a.Batch, s.N))) // the batch for κ
	return c
}
