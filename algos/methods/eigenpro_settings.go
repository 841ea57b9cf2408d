package methods

import (
	"fmt"
	"math"

	"repro/algos"
	"repro/algos/parts"
	"repro/algos/schedules"
)

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
	if err := parts.NoThreshold(method, p); err != nil {
		return err
	}
	switch {
	case math.IsInf(p.Loss.Smoothness(), 1):
		return fmt.Errorf("%w: %s needs a smooth loss, not %s", algos.ErrUnsupported, method, p.Loss.Name())
	case p.Nu != 0:
		return fmt.Errorf("%w: %s has no regulariser, set nu = 0 instead of %g", algos.ErrUnsupported, method, p.Nu)
	}
	return nil
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
		c[i] = a.Tau * math.Pow(lambda[a.Directions]/lambda[i], power)
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
		m, l := float64(a.Batch), math.Log(dimension(kappa)/delta)
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

func (a *EigenProSettings) BatchSize() int { return a.Batch }
