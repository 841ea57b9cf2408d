package algos

// Capabilities of fits that metrics measure. A metric asks a fit for the interface, never for the name of its
// algorithm.

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

// A Declarer is an algorithm that says before it starts what its fits can do, so that a spec which asks for more is
// refused when it is loaded. All registered algorithms are Declarers.
type Declarer interface {
	// Fits returns a zero value of the type of Fit that Start returns, such as (*krr)(nil), to be asked for its
	// interfaces only: its methods must not be called. It returns nil if Start never returns a fit.
	Fits() Fit
}
