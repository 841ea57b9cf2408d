package metrics

import "repro/algos"

// estimator is the capability of fits that estimate the kernel.
var estimator = Can[algos.KernelEstimator]("estimates the kernel")

// expander is the capability of fits that expand the kernel into orthonormal functions.
var expander = Can[algos.KernelExpansion]("expands the kernel into orthonormal functions")

var (
	_ = Register(Metric{
		Name: "kernel-error", Words: "RMS error of the kernel estimate", Symbol: "k̂ - k", Better: Smaller, Needs: estimator,
		Doc: "root mean square over all pairs of training inputs of k̂(x, z) - k(x, z), k̂ the mean of products of random features or the sum of those of the functions of an expansion",
		Value: func(e *Evaluation) (float64, error) {
			rms, _ := e.Fit.(algos.KernelEstimator).KernelErrors()
			return rms, nil
		},
	})
	_ = Register(Metric{
		Name: "kernel-max-error", Words: "largest error of the kernel estimate", Symbol: "max|k̂ - k|", Better: Smaller, Needs: estimator,
		Doc: "largest magnitude over all pairs of training inputs of k̂(x, z) - k(x, z), as kernel-error",
		Value: func(e *Evaluation) (float64, error) {
			_, largest := e.Fit.(algos.KernelEstimator).KernelErrors()
			return largest, nil
		},
	})
	_ = Register(Metric{
		Name: "kernel-error-bound", Words: "bound of the kernel's error", Symbol: "(R/σ)^(2M+2)/(M+1)!", Better: Neither, Needs: expander,
		Doc: "bound of kernel-max-error for inputs in a ball of the radius R, the largest norm of a training input",
		Value: func(e *Evaluation) (float64, error) {
			return e.Fit.(algos.KernelExpansion).KernelErrorBound(), nil
		},
	})
	_ = Register(Metric{
		Name: "kernel-bound-share", Words: "largest error over its bound", Better: Neither, Needs: expander,
		Doc: "largest kernel-max-error/kernel-error-bound at any iteration so far: at most 1 if the bound holds",
		Value: func(e *Evaluation) (float64, error) {
			return e.Fit.(algos.KernelExpansion).BoundShare(), nil
		},
	})
	_ = Register(Metric{
		Name: "gram-error", Words: "distance to orthonormal functions", Symbol: "max|⟨g_k, g_l⟩ - δ_kl|", Better: Smaller, Needs: expander,
		Doc: "largest difference of ⟨g_k, g_l⟩ from 1 for k = l and 0 otherwise, in the RKHS of the kernel, over functions of at most 6 powers; inner products are those of projections on the kernel functions of a lattice, computed from values of k and g_k",
		Value: func(e *Evaluation) (float64, error) {
			return e.Fit.(algos.KernelExpansion).GramError()
		},
	})
)
