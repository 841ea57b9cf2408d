package metrics

import "repro/algos"

// estimator is the capability of fits that estimate the kernel.
var estimator = Can[algos.KernelEstimator]("estimates the kernel")

var (
	_ = Register(Metric{
		Name: "kernel-error", Words: "RMS error of the kernel estimate", Symbol: "k̂ - k", Better: Smaller, Needs: estimator,
		Doc: "root mean square over all pairs of training inputs of k̂(x, z) - k(x, z), k̂ the mean of products of random features",
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
)
