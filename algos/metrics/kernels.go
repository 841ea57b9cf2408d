package metrics

import (
	"math"

	"repro/algos"
)

// What methods do whose fits say numbers of kernels.
const (
	estimates = "estimates the kernel"
	expands   = "expands the kernel into orthonormal functions"
	spectral  = "goes through the spectrum of the kernel matrix"
)

var (
	_ = Register(Number(estimates, Metric{
		Name: "kernel-error", Words: "RMS error of the kernel estimate", Symbol: "k̂ - k", Better: Smaller,
		Doc: "root mean square over all pairs of training inputs of k̂(x, z) - k(x, z), k̂ the mean of products of random features or the sum of those of the functions of an expansion",
	}))
	_ = Register(Number(estimates, Metric{
		Name: "kernel-max-error", Words: "largest error of the kernel estimate", Symbol: "max|k̂ - k|", Better: Smaller,
		Doc: "largest magnitude over all pairs of training inputs of k̂(x, z) - k(x, z), as kernel-error",
	}))
	_ = Register(Number(expands, Metric{
		Name: "kernel-error-bound", Words: "bound of the kernel's error", Symbol: "(R/σ)^(2M+2)/(M+1)!", Better: Neither,
		Doc: "bound of kernel-max-error for inputs in a ball of the radius R, the largest norm of a training input",
	}))
	_ = Register(Number(expands, Metric{
		Name: "kernel-bound-share", Words: "largest error over its bound", Better: Neither,
		Doc: "largest kernel-max-error/kernel-error-bound at any iteration so far: at most 1 if the bound holds",
	}))
	_ = Register(Number(expands, Metric{
		Name: "gram-error", Words: "distance to orthonormal functions", Symbol: "max|⟨g_k, g_l⟩ - δ_kl|", Better: Smaller,
		Doc: "largest difference of ⟨g_k, g_l⟩ from 1 for k = l and 0 otherwise, in the RKHS of the kernel, over functions of at most 6 powers; inner products are those of projections on the kernel functions of a lattice, computed from values of k and g_k",
	}))
)

var (
	_ = Register(Number(spectral, Metric{
		Name: "eigenvalue", Words: "eigenvalue of K/n", Symbol: "λ_{t}", Better: Neither,
		Doc: "λ_t of the kernel matrix over n, t the number of steps",
	}))
	_ = Register(Number(spectral, Metric{
		Name: "eigenvalue-ratio", Words: "first eigenvalue over this one", Symbol: "λ_{1}/λ_{t}", Better: Neither,
		Doc: "λ_1/λ_t of the kernel matrix, as eigenvalue",
	}))
	_ = Register(Number("knows the largest stable step size", Metric{
		Name: "step-limit", Words: "largest stable step size", Symbol: "2/λ_{1}", Better: Neither, Limit: true,
		Doc: "2/λ_1 of the covariance of the features: beyond this step size full gradients diverge, for the square loss without regularisation",
	}))
	_ = Register(Number(spectral, Metric{
		Name: "eigen-residual", Words: "residual of the eigenpair over its eigenvalue", Symbol: "‖(K/n)e_{t} - λ_{t}e_{t}‖/λ_{t}",
		Better: Smaller,
		Doc:    "‖(K/n)e_t - λ_t e_t‖/λ_t of the eigenvector and eigenvalue that are used for the t-th, as eigenvalue",
	}))
)

const knowsNorm = "knows the norm of f"

var (
	_ = Register(Metric{
		Name: "rkhs-norm", Words: "RKHS norm of f", Symbol: "‖f‖_H", Better: Neither, Fitted: true, Needs: Can[algos.Normed](knowsNorm),
		Doc:   "‖f‖ in the RKHS of the kernel, over the outputs of the target; of f = ⟨w, z(x)⟩ in random features z, ‖w‖, the norm in the RKHS of their kernel",
		Value: func(e *Evaluation) (float64, error) { return math.Sqrt(e.SquaredNorm()), nil },
	})
	_ = Register(Metric{
		Name: "coefficient-norm", Words: "norm of the coefficients", Symbol: "‖α‖_{2}", Better: Neither,
		Needs: Can[algos.Expansion]("keeps coefficients of training rows"),
		Doc:   "‖α‖₂ of the coefficients of f = Σ α_i k(x_i, ·), over all outputs",
		Value: coefficientNorm,
	})
)

// SquaredNorm is ‖f‖², summed over the outputs that the metric is of.
func (e *Evaluation) SquaredNorm() float64 {
	sum := 0.0
	for _, s := range e.Fit.(algos.Normed).SquaredNorms()[e.outputs[0]:e.outputs[1]] {
		sum += s
	}
	return max(sum, 0) // αᵀKα of a singular K may round to a negative number
}

// coefficientNorm is the square root of the sum of the squares of all coefficients.
func coefficientNorm(e *Evaluation) (float64, error) {
	alpha, sum := e.Columns(e.Fit.(algos.Expansion).Coefficients()), 0.0
	for i := range alpha.Rows {
		for _, v := range alpha.Row(i) {
			sum += v * v
		}
	}
	return math.Sqrt(sum), nil
}

var (
	_ = Register(Number("knows the gradient of its objective", Metric{
		Name: "relative-gradient", Words: "norm of the gradient over that of 0", Symbol: "‖g‖/‖g_{0}‖", Better: Smaller, Fitted: true,
		Doc: "‖g‖/‖g_0‖, g the gradient of the regularised objective over the training rows in the coordinates in which the method steps and g_0 that of f = 0; of svrg-rf, at its snapshot",
	}))
	_ = Register(Number("knows the spectrum of its iteration", Metric{
		Name: "contraction", Words: "bound of the factor per iteration", Symbol: "ρ", Better: Neither,
		Doc: "bound of the factor by which an iteration shrinks the gradient in the long run, from all eigenvalues of the matrix that is solved: max|1 - ηλ| of gradient descent, with its preconditioner; (√κ - 1)/(√κ + 1), κ = λ_1/λ_n, of conjugate gradients",
	}))
)

var _ = Register(Number("knows its duality gap", Metric{
	Name: "duality-gap", Words: "relative duality gap", Symbol: "(P - D)/|P|", Better: Smaller,
	Doc: "(P - D)/|P|, P the regularised objective over the training rows and D the dual objective: a bound of how far P is from its minimum; the largest over all outputs",
}))
