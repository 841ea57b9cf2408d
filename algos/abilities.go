package algos

import "repro/algos/compute"

// An Averager also keeps the uniform average of its iterates.
type Averager interface {
	// Average returns the predictor (1/t) Σ_{i≤t} f_i. It returns nil if the settings do not ask for it.
	Average() Model
}

// A Foreign fit is a program outside this process, where nobody sees what it computes and holds.
type Foreign interface{ IsForeign() }

// A Fitter returns its current predictions at all training rows (n×out) at a lower cost than Predict of its Model, for
// example by a product with a stored kernel matrix.
type Fitter interface{ Fitted() compute.Matrix }

// An Incremental fit updates predictions of an earlier step: its f_t is a multiple of f_k plus terms added after step k.
// The runner keeps running predictions of such a fit, so that a curve with many points costs time linear in t.
type Incremental interface {
	// Advance updates predictions at the rows of x, in place, from step k to the current step. After step 0 every
	// prediction is zero. It does not change the fit.
	Advance(k int, x compute.Matrix, p Predictions)
}

// Predictions are running predictions at fixed points, one row per point.
type Predictions struct {
	Last    compute.Matrix // of the last iterate f_t
	Average compute.Matrix // of the averaged iterate; the zero Matrix if it is not kept
}

// A Leaper can make n iterations at a lower cost than n times Step.
type Leaper interface {
	// Leap makes iterations together, at least one and n at most. It returns the number of iterations made and their Progress
	// together. If it fails, the last of these iterations failed. What it makes in one call takes no longer than a fraction
	// of a second, unless it takes less than the single steps do.
	Leap(n int) (made int, p Progress, err error)
}

// A Sharer makes its iterations at a lower cost together with fits that differ from it in their step sizes only: what they
// compute from the examples, and not from their iterates, is computed once.
type Sharer interface {
	Leaper
	// LeapWith makes iterations of this fit and of the others: those that Leap(n) would make of each. The others have its
	// type, its problem but for the engine, and made as many iterations. Results and the costs that each engine counts
	// are those of fits alone. It returns what Leap returns, of this fit first.
	LeapWith(others []Fit, n int) []Iterations
}

// Iterations are what Leap returns.
type Iterations struct {
	Made     int
	Progress Progress
	Err      error
}

// A SharingAlgorithm starts Sharers.
type SharingAlgorithm interface {
	// Shared returns a comparable value, which is the same for algorithms whose fits of one problem can be the others of
	// LeapWith, or nil if its fits share nothing.
	Shared() any
}

// Both is an Averager that predicts by its last and its averaged iterate at once, at a lower cost than by one after the other. The
// bits are the same.
type Both interface {
	// Both returns the predictions at the rows of x. It is called only if Average is not nil.
	Both(x compute.Matrix) Predictions
}

// An Anticipator precomputes the kernel rows or features needed to predict at x, if there is memory for them. Models of the fit use
// them when Predict is given the same matrix x, not a copy. It does not change the fit.
type Anticipator interface{ Anticipate(x compute.Matrix) }

// An Expansion is a fit of f = Σ_i α_i k(x_i, ·) over the training rows x_i. Coefficients returns α, n×out. The caller
// must not change it.
type Expansion interface{ Coefficients() compute.Matrix }

// A Sizer says how many bytes its current predictor needs, without the averaged iterate.
type Sizer interface{ Footprint() int64 }

// An Exact algorithm computes a closed form. The runner gives it an engine in float64 whatever precision the spec sets.
type Exact interface{ Exact() }

// A Direct algorithm is done after its first step.
type Direct interface{ Direct() }

// A Batcher uses the same number of examples in every step. The runner needs it to convert epochs to steps.
type Batcher interface{ BatchSize() int }

// A SizedBatcher is a Batcher whose batch may depend on the size of the problem. BatchSize then returns 0, and BatchOf
// returns the batch for a size.
type SizedBatcher interface {
	Batcher
	BatchOf(s Size) int
}

// BatchOf returns the number of examples that b uses in every step on a problem of the given size.
func BatchOf(b Batcher, s Size) int {
	if sized, ok := b.(SizedBatcher); ok {
		return sized.BatchOf(s)
	}
	return b.BatchSize()
}

// A Sampler may draw examples with replacement. Other algorithms visit every training row once per epoch. The runner needs
// it to convert epochs to steps, and to predict examples before they are learnt from.
type Sampler interface {
	// WithReplacement reports whether it does. Then every batch has its full size, and T steps with batches of b examples
	// are bT/n epochs.
	WithReplacement() bool
}

// WithReplacement reports whether an algorithm draws examples with replacement.
func WithReplacement(a Algorithm) bool {
	s, ok := a.(Sampler)
	return ok && s.WithReplacement()
}

// A Normed fit knows the norm of its current predictor.
type Normed interface {
	// SquaredNorms returns ‖f‖² of every output of the last iterate, in the RKHS of the kernel. If f = ⟨w, z(x)⟩ is
	// linear in random features z, the norm is in the RKHS of their kernel ⟨z(x), z(x')⟩, where it is ‖w‖. A threshold
	// that is learnt beside f does not count.
	SquaredNorms() []float64
}

// A KernelEstimator estimates the kernel of its problem.
type KernelEstimator interface {
	// KernelErrors returns the root mean square and the largest magnitude of k̂(x, z) - k(x, z) over all pairs of
	// training inputs, including x = z. For several estimates it returns the root mean square of each over the
	// estimates.
	KernelErrors() (rms, largest float64)
}

// A KernelExpansion estimates the kernel of its problem by a growing number of functions g_k, k̂(x, z) = Σ_k g_k(x) g_k(z), that
// are orthonormal in its RKHS.
type KernelExpansion interface {
	KernelEstimator
	// KernelErrorBound returns the bound of the largest error of KernelErrors.
	KernelErrorBound() float64
	// BoundShare returns the largest part of its bound that the error has been so far: at most 1 if the bound holds.
	BoundShare() float64
	// GramError returns the largest |⟨g_k, g_l⟩ - 1{k = l}|, with the inner product computed from values of the kernel.
	GramError() (float64, error)
}

// A SpectrumFit goes through the eigenvalues of its kernel matrix, one per step.
type SpectrumFit interface {
	// Eigenvalue returns λ_t and λ_1 of K/n, t the number of steps.
	Eigenvalue() (now, first float64)
	// Residual returns ‖(K/n)e_t - λ_t e_t‖/λ_t, which is 0 if e_t is an eigenvector of λ_t.
	Residual() float64
}

// A Stepper knows the largest step size with which gradient descent with full gradients is stable.
type Stepper interface {
	// StepLimit returns 2/λ_1, λ_1 the largest eigenvalue of the Hessian of the square loss over the training rows. It does
	// not change the fit.
	StepLimit() (float64, error)
}

// A Reporter says numbers of itself, such as its objective or a residual. A spec declares by [[metric]] which of them it measures.
// Numbers that a spec does not measure are ignored. A number that is measured and not finite means that the iterate diverged.
type Reporter interface {
	// Report returns the numbers of the current iterate by name. It does not change the fit.
	Report() map[string]float64
}

// An Own algorithm has a problem of its own. Of the Problem that Start gets, only Seed and Engine are set. Its fits are Reporters
// and predict nothing: their Model is nil.
type Own interface{ Own() }

// A Failer is a fit whose predictions or reports can fail, such as one that asks another process.
type Failer interface {
	// Err returns the first error of a Predict of its models, an Advance or a Report; nil if there was none. What these returned
	// then counts for nothing, but has its shape: the runner asks after each of them, and ends the cell.
	Err() error
}

// Err returns what has failed in a fit that is a Failer, nil for any other.
func Err(f Fit) error {
	if f, ok := f.(Failer); ok {
		return f.Err()
	}
	return nil
}

// Close releases what a fit holds besides memory, such as a process or a file, if the fit has a method Close, as an io.Closer. Whoever started a fit
// closes it, once, after the last use of the fit and its models. The runner does, however a cell ends, unless its process is killed.
func Close(f Fit) error {
	if c, ok := f.(interface{ Close() error }); ok {
		return c.Close()
	}
	return nil
}

// A Certifier bounds how far its predictor is from the optimum.
type Certifier interface {
	// RelativeGap returns the duality gap (P - D)/|P|, the largest over all outputs: P is the regularised objective over
	// the training rows, and the dual objective D is a lower bound of its minimum. It is +Inf before it is known.
	RelativeGap() float64
}

// A Descender knows the gradient of its objective.
type Descender interface {
	// RelativeGradient returns ‖g‖/‖g_0‖, over all outputs: g is the gradient of the regularised objective over the training rows, in
	// the coordinates in which the method steps, and g_0 that of f = 0. It is NaN while the method does not know it.
	RelativeGradient() float64
}

// A Contractor solves a linear system, and knows from the spectrum of its matrix how fast it must.
type Contractor interface {
	Descender
	// Contraction returns the factor by which one iteration shrinks the norm of the gradient in the long run, at most. It computes
	// all eigenvalues the first time.
	Contraction() (float64, error)
}

// A Versioned algorithm says which version of its code runs. The version is one of the settings of a cell: where it changed, a
// run repeats complete cells, and records of two versions are not compared. Built-in algorithms are known by the commit instead.
type Versioned interface {
	// Version returns a word that changes whenever the numbers do.
	Version() string
}
