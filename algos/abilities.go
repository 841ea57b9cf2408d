package algos

import "repro/algos/compute"

// An Averager also maintains the uniform average of its iterates.
type Averager interface {
	// Average returns the predictor (1/t) Σ_{i≤t} f_i, or nil if the fit was not asked to keep it.
	Average() Model
}

// A Fitter knows its current predictions at all training rows (n×out) for less than Model's Predict
// takes, such as a product with a stored kernel matrix.
type Fitter interface{ Fitted() compute.Matrix }

// Incremental is implemented by fits whose predictor grows by addition: f_t is a multiple of f_k
// plus terms born after step k. It lets the runner keep running predictions, so that a curve with
// many points costs time linear in t.
type Incremental interface {
	// Advance turns predictions at the rows of x made after step k into those of the current
	// step, in place. After step 0 every prediction is zero. It does not change the fit.
	Advance(k int, x compute.Matrix, p Predictions)
}

// Predictions are running predictions at fixed points, one row a point.
type Predictions struct {
	Last    compute.Matrix // of the last iterate f_t
	Average compute.Matrix // of the averaged iterate; the zero Matrix if it is not kept
}

// A Leaper can make many iterations for less than they cost one by one.
type Leaper interface {
	// Leap makes n iterations or, where one by one they are cheaper, the first of them; made says how many. Their
	// Progress is that of all. If it fails, the last of them is the one that failed.
	Leap(n int) (made int, p Progress, err error)
}

// An Anticipator stores now, if there is memory, what predictions at the rows of x will need every time. Models
// of the fit find it again if they are given the same matrix, not a copy. It does not change the fit.
type Anticipator interface{ Anticipate(x compute.Matrix) }

// An Expansion is a fit of f = Σ_i α_i k(x_i, ·) over the training rows x_i. Its coefficients are α, a row each
// (n×out), a copy or to be read only.
type Expansion interface{ Coefficients() compute.Matrix }

// A Sizer says how many bytes its current predictor needs, an averaged iterate apart.
type Sizer interface{ Footprint() int64 }

// An Exact algorithm computes a closed form. Its engine computes in float64 whatever a spec says.
type Exact interface{ Exact() }

// A Batcher consumes the same number of examples at every step, so that epochs translate into steps.
type Batcher interface{ BatchSize() int }

// A SizedBatcher is a Batcher whose number may follow from the size of the problem, before anything of the data is
// known. BatchSize is 0 where it does.
type SizedBatcher interface {
	Batcher
	BatchOf(s Size) int
}

// BatchOf returns the number of examples that b consumes at every step on a problem of the given size.
func BatchOf(b Batcher, s Size) int {
	if sized, ok := b.(SizedBatcher); ok {
		return sized.BatchOf(s)
	}
	return b.BatchSize()
}

// A Normed fit knows the norm of its current predictor.
type Normed interface {
	// SquaredNorms returns ‖f‖² of every output of the last iterate: in the RKHS of the kernel, or, where f = ⟨w, z(x)⟩
	// is linear in random features z, in the RKHS of their kernel ⟨z(x), z(x')⟩, in which it is ‖w‖². A threshold that
	// is learnt beside f has no part in it.
	SquaredNorms() []float64
}

// A KernelEstimator estimates the kernel of its problem.
type KernelEstimator interface {
	// KernelErrors returns the root mean square and the largest magnitude of k̂(x, z) - k(x, z) over all
	// pairs of training inputs, those of an input with itself included; of several estimates, the root
	// mean square of both.
	KernelErrors() (rms, largest float64)
}

// A SpectrumFit has come to an eigenvalue of its kernel matrix.
type SpectrumFit interface {
	// Eigenvalue returns λ_t and λ_1 of K/n.
	Eigenvalue() (now, first float64)
	// Residual returns ‖(K/n)e_t - λ_t e_t‖/λ_t, which is 0 for an eigenvector with its eigenvalue.
	Residual() float64
}

// A Certifier bounds how far its predictor is from the optimum.
type Certifier interface {
	// RelativeGap returns the duality gap (P - D)/|P|, the largest over all outputs: P is the regularised objective over
	// the training rows, and the dual objective D is a lower bound of its minimum. It is +Inf before it is known.
	RelativeGap() float64
}

// A Declarer is an algorithm that says before it starts what its fits can do, so that a spec which asks for more is
// refused when it is loaded. All registered algorithms are Declarers.
type Declarer interface {
	// Fits returns a zero value of the type of Fit that Start returns, such as (*krr)(nil). The caller asks it for its
	// interfaces only and must not call its methods. Fits returns nil if Start never returns a fit.
	Fits() Fit
}
