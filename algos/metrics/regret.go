package metrics

import (
	"math"

	"repro/algos"
	"repro/algos/compute/exact"
)

// Regret and its bounds [jezequel2019]. After t rounds the regret against a function f is (eq. (1))
//
//	R_t(f) = Σ_{s≤t} (y_s - ŷ_s)² - Σ_{s≤t} (y_s - f(x_s))².
//
// The bounds are of the shape R_t(f) ≤ λ‖f‖² + …, for all f of the RKHS at once. They hold if and only if the largest value
// of R_t(f) - λ‖f‖² obeys them, and that is the metric regret: the minimum in it is that of kernel ridge regression on all t
// examples. The authors' code compares with the same regression f_t, but without the λ‖f‖²: R_t(f_t), the metric
// regret-refit. With B the largest |y_s|, λ_k the eigenvalues of the kernel matrix K_tt and κ² the largest k(x_s, x_s), all of
// the very sequence, the bounds are
//
//	regret ≤ B² Σ_k log(1 + λ_k/λ)                    Prop. 2.1, of Kernel-AWV: regret-bound
//	       ≤ B² log(e + etκ²/λ) d_eff(λ)              eq. (5), by Prop. 2.2: regret-dimension-bound
//	R_t(f) ≤ λ‖f‖² + B² Σ_k log(1 + λ_k/λ)            Thm 3.1, of φ̃-AWV, for every f
//	         + 2t‖f‖(‖f‖κ + B) max_s √(k(x_s, x_s) - ‖φ̃(x_s)‖²)
//
// and Thm 4.1 bounds R_t(f) of φ̃-AWV by twice that of Prop. 2.1. The metrics named *-share are regret over a bound, which
// must be at most 1. Regrets of several outputs are summed, and B² is the largest ‖y_s‖².
var (
	_ = Register(Metric{
		Name: "regret", Words: "regret beyond λ‖f‖²", Symbol: "max_f R_t(f) - λ‖f‖²", Better: Smaller, Signed: true, Progressive: true, Hindsight: true,
		Doc:   "max_f R_t(f) - λ‖f‖² over the RKHS, with the regret R_t(f) = Σ_{s≤t} ‖y_s - ŷ_s‖² - ‖y_s - f(x_s)‖² of predictions before their target was known, and λ = ν·n",
		Value: func(e *Evaluation) (float64, error) { return e.regret(e.Hindsight()), nil },
	})
	_ = Register(Metric{
		Name: "regret-refit", Words: "regret against the ridge regression", Symbol: "R_t(f_t)", Better: Smaller, Signed: true, Progressive: true, Hindsight: true,
		Doc:   "R_t(f_t), the regret against kernel ridge regression f_t with λ = ν·n on all t examples so far, without its λ‖f‖²",
		Value: func(e *Evaluation) (float64, error) { return e.refit(e.Hindsight()), nil },
	})
	_ = Register(Metric{
		Name: "regret-bound", Words: "bound of the regret beyond λ‖f‖²", Symbol: "B² log det(I + K/λ)", Better: Neither, Progressive: true, Hindsight: true,
		Doc:   "B² Σ_k log(1 + λ_k/λ) with λ_k the eigenvalues of the kernel matrix of all examples so far and B the largest ‖y_s‖: what regret is at most for Kernel-AWV [jezequel2019 Prop. 2.1]",
		Value: func(e *Evaluation) (float64, error) { return bound(e.Hindsight()), nil },
	})
	_ = Register(Metric{
		Name: "regret-dimension-bound", Words: "bound of the regret by the effective dimension", Symbol: "B² log(e + etκ²/λ) d_eff", Better: Neither, Progressive: true, Hindsight: true,
		Doc:   "B² log(e + etκ²/λ) Σ_k λ_k/(λ_k + λ), which is at least regret-bound [jezequel2019 Prop. 2.2, eq. (5)]",
		Value: func(e *Evaluation) (float64, error) { return e.dimensionBound(e.Hindsight()), nil },
	})
	_ = Register(Metric{
		Name: "effective-dimension", Words: "effective dimension", Symbol: "d_eff", Better: Neither, Progressive: true, Hindsight: true,
		Doc:   "Σ_k λ_k/(λ_k + λ) with λ_k the eigenvalues of the kernel matrix of all examples so far and λ = ν·n",
		Value: func(e *Evaluation) (float64, error) { return e.Hindsight().Dimension, nil },
	})
	_ = Register(Metric{
		Name: "regret-share", Words: "regret over its bound", Symbol: "regret/bound", Better: Smaller, Signed: true, Progressive: true, Hindsight: true,
		Doc: "regret divided by regret-bound: at most 1 for Kernel-AWV [jezequel2019 Prop. 2.1]",
		Value: func(e *Evaluation) (float64, error) {
			h := e.Hindsight()
			return e.regret(h) / bound(h), nil
		},
	})
	_ = Register(Metric{
		Name: "regret-dimension-share", Words: "regret over its bound by the effective dimension", Symbol: "regret/bound", Better: Smaller, Signed: true, Progressive: true, Hindsight: true,
		Doc: "regret divided by regret-dimension-bound: at most 1 for Kernel-AWV [jezequel2019 eq. (5)]",
		Value: func(e *Evaluation) (float64, error) {
			h := e.Hindsight()
			return e.regret(h) / e.dimensionBound(h), nil
		},
	})
	_ = Register(Metric{
		Name: "regret-embedding-share", Words: "regret over its bound for fixed features", Symbol: "R_t(f_t)/bound", Better: Smaller, Signed: true, Progressive: true, Hindsight: true,
		Needs: says(beyond, "predicts with fixed features of the RKHS"),
		Doc:   "R_t(f_t) of regret-refit divided by λ‖f_t‖² + regret-bound + 2t‖f_t‖(‖f_t‖κ + B) max_s √(k(x_s, x_s) - ‖φ̃(x_s)‖²): at most 1 for φ̃-AWV [jezequel2019 Thm 3.1]",
		Value: func(e *Evaluation) (float64, error) {
			h := e.Hindsight()
			most, err := e.embeddingBound(h)
			return e.refit(h) / most, err
		},
	})
)

// regret is max_f R_t(f) - λ‖f‖².
func (e *Evaluation) regret(h algos.Hindsight) float64 { return e.Tally.Squares - h.Penalised }

// refit is R_t(f_t).
func (e *Evaluation) refit(h algos.Hindsight) float64 { return e.Tally.Squares - h.Squares }

// bound is that of Prop. 2.1 without λ‖f‖².
func bound(h algos.Hindsight) float64 { return h.SquaredY * h.LogDet }

// dimensionBound is that of eq. (5) without λ‖f‖².
func (e *Evaluation) dimensionBound(h algos.Hindsight) float64 {
	t := float64(e.Tally.Rounds)
	return h.SquaredY * exact.Log(math.E+math.E*t*h.SquaredK/h.Lambda) * h.Dimension
}

// beyond is the algos.Number max_s k(x_s, x_s) - ‖φ̃(x_s)‖² over the examples so far: how far the kernel function of an input is at most
// from the span of the features, squared.
const beyond = "beyond"

// embeddingBound is that of Thm 3.1 at f_t.
func (e *Evaluation) embeddingBound(h algos.Hindsight) (float64, error) {
	far2, err := algos.NumberOf(e.Fit, beyond)()
	norm, t := math.Sqrt(h.SquaredNorm), float64(e.Tally.Rounds)
	far := 2 * t * norm * (norm*math.Sqrt(h.SquaredK) + math.Sqrt(h.SquaredY)) * math.Sqrt(far2)
	return h.Lambda*h.SquaredNorm + bound(h) + far, err
}

var (
	_ = Register(Metric{
		Name: "progressive-mse", Words: "average square loss so far", Better: Smaller, Progressive: true,
		Doc:   "(1/t) Σ_{s≤t} ‖u_s - y_s‖² over the examples so far, each predicted before its target was known",
		Value: func(e *Evaluation) (float64, error) { return e.Tally.MeanSquare(), nil },
	})
	_ = Register(Metric{
		Name: "progressive-rmse", Words: "root average square loss so far", Better: Smaller, Progressive: true, Targets: DataTargets,
		Doc:   "√((1/t) Σ_{s≤t} ‖u_s - y_s‖²) over the examples so far, each predicted before its target was known, in the units of the data even where target_scale changed them",
		Value: func(e *Evaluation) (float64, error) { return e.unit() * math.Sqrt(e.Tally.MeanSquare()), nil },
	})
	_ = Register(Metric{
		Name: "cumulative-loss", Words: "cumulative square loss", Better: Smaller, Progressive: true,
		Doc:   "Σ_{s≤t} ‖u_s - y_s‖² over the examples so far, each predicted before its target was known",
		Value: func(e *Evaluation) (float64, error) { return e.Tally.Squares, nil },
	})
	_ = Register(Metric{
		Name: "progressive-error", Words: "error so far", Unit: Fraction, Better: Smaller, Progressive: true, Tasks: classes,
		Doc:   "share of the examples so far whose label was predicted wrongly before it was known, the mean over outputs; an output of zero counts as wrong",
		Value: func(e *Evaluation) (float64, error) { return share64(e.Tally.Wrong+e.Tally.Ties, e.Tally.Outputs), nil },
	})
	_ = Register(Metric{
		Name: "progressive-coin-error", Words: "error so far, a coin for ties", Unit: Fraction, Better: Smaller, Progressive: true, Tasks: classes,
		Doc: "progressive-error with a coin for an output of zero: half of them count as wrong, the expectation over the coin",
		Value: func(e *Evaluation) (float64, error) {
			return share64(2*e.Tally.Wrong+e.Tally.Ties, 2*e.Tally.Outputs), nil
		},
	})
	_ = Register(Metric{
		Name: "progressive-ties", Words: "ties so far", Unit: Fraction, Better: Neither, Progressive: true, Tasks: classes,
		Doc:   "share of the examples so far whose prediction was zero before their label was known",
		Value: func(e *Evaluation) (float64, error) { return share64(e.Tally.Ties, e.Tally.Outputs), nil },
	})
)

// share64 is part of all, NaN if there are none.
func share64(part, all int64) float64 {
	if all == 0 {
		return math.NaN()
	}
	return float64(part) / float64(all)
}
