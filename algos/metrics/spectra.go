package metrics

import "repro/algos"

// spectral is the capability of fits that go through the spectrum of the kernel matrix.
var spectral = Can[algos.SpectrumFit]("goes through the spectrum of the kernel matrix")

var (
	_ = Register(Metric{
		Name: "eigenvalue", Words: "eigenvalue of K/n", Symbol: "λ_{t}", Better: Neither, Needs: spectral,
		Doc: "λ_t of the kernel matrix over n, t the number of steps",
		Value: func(e *Evaluation) (float64, error) {
			now, _ := e.Fit.(algos.SpectrumFit).Eigenvalue()
			return now, nil
		},
	})
	_ = Register(Metric{
		Name: "eigenvalue-ratio", Words: "first eigenvalue over this one", Symbol: "λ_{1}/λ_{t}", Better: Neither, Needs: spectral,
		Doc: "λ_1/λ_t of the kernel matrix, as eigenvalue",
		Value: func(e *Evaluation) (float64, error) {
			now, first := e.Fit.(algos.SpectrumFit).Eigenvalue()
			return first / now, nil
		},
	})
	_ = Register(Metric{
		Name: "step-limit", Words: "largest stable step size", Symbol: "2/λ_{1}", Better: Neither, Needs: Can[algos.Stepper]("knows the largest stable step size"),
		Doc:   "2/λ_1 of the covariance of the features: beyond this step size full gradients diverge, for the square loss without regularisation",
		Value: func(e *Evaluation) (float64, error) { return e.Fit.(algos.Stepper).StepLimit() },
	})
	_ = Register(Metric{
		Name: "eigen-residual", Words: "residual of the eigenpair over its eigenvalue", Symbol: "‖(K/n)e_{t} - λ_{t}e_{t}‖/λ_{t}",
		Better: Smaller, Needs: spectral,
		Doc:   "‖(K/n)e_t - λ_t e_t‖/λ_t of the eigenvector and eigenvalue that are used for the t-th, as eigenvalue",
		Value: func(e *Evaluation) (float64, error) { return e.Fit.(algos.SpectrumFit).Residual(), nil },
	})
)
