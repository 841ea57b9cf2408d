package algos

import "repro/algos/compute"

// Traits say what a method is, beside its mathematics. The zero Traits are those of an iterative method of rows that has no batches.
type Traits struct {
	Exact  bool // it computes a closed form: the runner gives it an engine in float64 whatever precision the spec sets
	Direct bool // its fits are done after their first step
	Online bool // its fits are online: Step is one round with the Stream of the problem, and Problem.Train tells numbers of rows, inputs and outputs only

	// Own methods have a problem of their own. Of the Problem that Start gets, only Seed and Engine are set. Their fits are Reporters
	// and predict nothing: their Model is nil.
	Own bool

	// Foreign methods are programs outside this process, where nobody sees what they compute and hold.
	Foreign bool

	// Batch is the number of examples that every step uses, 0 if the method has no batches. The runner needs it to convert epochs to
	// steps. Where the number depends on the size of the problem, Batch is 0 and BatchOf returns it.
	Batch   int
	BatchOf func(s Size) int

	// Replacement says that examples are drawn with replacement: every batch has its full size, and T steps with batches of b examples
	// are bT/n epochs. Other methods visit every training row once per epoch.
	Replacement bool

	// Shared is a comparable value that is the same for algorithms whose fits of one problem can be the others of Leaper.Leap, nil
	// if their fits share nothing.
	Shared any

	// Version says which version of the method's code runs: a word that changes whenever the numbers do. It is one of the settings of
	// a cell: where it changed, a run repeats complete cells, and records of two versions are not compared. Built-in algorithms have
	// none: they are known by the commit.
	Version string
}

// A Described algorithm has Traits other than the zero ones.
type Described interface{ Traits() Traits }

// TraitsOf returns what an algorithm is.
func TraitsOf(a Algorithm) Traits {
	if d, ok := a.(Described); ok {
		return d.Traits()
	}
	return Traits{}
}

// Batches says whether the method uses the same number of examples in every step.
func (t Traits) Batches() bool { return t.Batch > 0 || t.BatchOf != nil }

// BatchAt returns the number of examples that every step uses on a problem of a size.
func (t Traits) BatchAt(s Size) int {
	if t.BatchOf != nil {
		return t.BatchOf(s)
	}
	return t.Batch
}

// An Averager also keeps the uniform average of its iterates.
type Averager interface {
	// Average returns the predictor (1/t) Σ_{i≤t} f_i. It returns nil if the settings do not ask for it.
	Average() Model
}

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
	// Leap makes iterations together, at least one and n at most, and returns them. What it makes in one call takes no longer
	// than a fraction of a second, unless it takes less than the single steps do.
	//
	// There are others only for an algorithm that has Traits.Shared: fits that differ from this one in their step sizes alone. What they
	// compute from the examples, and not from their iterates, is then computed once. Others have its type, its problem but
	// for the engine, and made as many iterations. Leap makes of each what it would make of it alone, with the same results and
	// costs, and returns the iterations of this fit first.
	Leap(n int, others ...Fit) []Iterations
}

// Iterations are some iterations of a fit together.
type Iterations struct {
	Made     int
	Progress Progress
	Err      error // of the last of them
}

// Step makes one iteration of a fit.
func Step(f Fit) Iterations {
	p, err := f.Step()
	return Iterations{1, p, err}
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

// An Expansion is a fit of f = Σ_i α_i k(x_i, ·) over the training rows x_i. Coefficients returns α, n×out. The caller must not change it.
type Expansion interface{ Coefficients() compute.Matrix }

// A Sizer says how many bytes its current predictor needs, without the averaged iterate.
type Sizer interface{ Footprint() int64 }

// A Normed fit knows the norm of its current predictor.
type Normed interface {
	// SquaredNorms returns ‖f‖² of every output of the last iterate, in the RKHS of the kernel. If f = ⟨w, z(x)⟩ is linear in random features
	// z, the norm is in the RKHS of their kernel ⟨z(x), z(x')⟩, where it is ‖w‖. A threshold that is learnt beside f does not count.
	SquaredNorms() []float64
}

// A Reporter says numbers of itself, such as its objective or a residual. A spec declares by [[metric]] which of them it measures.
// Numbers that a spec does not measure are ignored. A number that is measured and not finite means that the iterate diverged.
type Reporter interface {
	// Report returns the numbers of the current iterate by name. It does not change the fit.
	Report() map[string]float64
}

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
