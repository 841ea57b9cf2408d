// Package algos says what a fitting method is: an Algorithm starts a Fit of a Problem. It also keeps the registry of
// methods by name, and fits one to rows in memory (Rows, Train).
//
// A Fit is mathematics only. Package runner owns clocks, budgets, evaluation, files and test data; package compute owns
// loops over matrix entries, threads and random streams. A Fit that can do more than the interface requires implements
// further interfaces, such as Averager or Incremental. Package methods has the built-in methods, package parts what
// they are built from, package algostest the laws that all of them obey.
package algos

import (
	"errors"

	"repro/algos/compute"
)

// An Algorithm is a configured method not yet bound to data. Its exported fields are its
// hyperparameters, named in specs by their toml tags; defaults sit in its registration.
type Algorithm interface {
	// Start binds the method to p and does its one-off setup. It returns an error wrapping ErrUnsupported if the method does not solve p.
	Start(p *Problem) (Fit, error)
}

// A Fit is one fit in progress. The runner drives it and owns everything around it.
//
// The laws of a Fit. algostest.Laws tests the first five:
//
//  1. the same Problem and settings give the same bits, at any thread count;
//  2. observing is free: Model and Predict never change what later steps do;
//  3. a state saved after k steps (k = 0 included), restored into a fresh fit, continues with the same bits;
//  4. training data is read-only;
//  5. it beats the zero predictor on a small problem, for each loss that Start accepts;
//  6. no clock, file, log, goroutine or global random generator.
type Fit interface {
	// Step performs one iteration as the paper counts them. It returns an error wrapping ErrDiverged once the iterate is no longer finite.
	Step() (Progress, error)
	// Model returns the current predictor. It is valid until the next Step.
	Model() Model
	// State returns a pointer to a struct with exported fields holding all that Step changes.
	State() any
}

// Progress says what one Step consumed.
type Progress struct {
	Seen int  // training examples used
	Done bool // the method has nothing more to do; it says so with its last step, and in every call after it
}

// A Model predicts: row i of the result holds the outputs at row i of x.
type Model interface {
	Predict(x compute.Matrix) compute.Matrix
}

// A Predictor is a Model that is a function.
type Predictor func(x compute.Matrix) compute.Matrix

func (f Predictor) Predict(x compute.Matrix) compute.Matrix { return f(x) }

// ErrUnsupported is wrapped by Start when the method does not solve the problem.
var ErrUnsupported = errors.New("method does not apply")

// ErrDiverged is wrapped by Step when the iterate is no longer finite.
var ErrDiverged = errors.New("iterate is not finite")

// A Cost predicts what a fit of a problem's size takes. `repro plan` prints it before anything runs.
// KernelEvals and FeatureEvals equal what the engine will count.
type Cost struct {
	FeatureEvals float64 // feature values φ_ω(x) computed in training
	KernelEvals  float64 // kernel values k(x, z) computed in training
	Together     int     // number of rows for which they are computed at a time; 0 for many
	Reads        float64 // entries of a stored matrix, of the kernel or a factor, that products read
	Flops        float64 // other floating-point operations, such as those of a factorisation
	Eigen        float64 // Σ EigenWork(p) over the dense eigendecompositions of p×p matrices
	Calls        float64 // calls of operators, where they are not StepCalls for each iteration: 0 if they are
	Bytes        float64 // largest memory during the fit and its evaluations, without the training data and the test predictions

	EvalCost  float64 // feature or kernel evaluations per test point, over the whole curve
	EvalFixed float64 // the same, independent of the number of test points
	EvalReads float64 // entries of matrices that no cache holds and predictions go through, per test point, over the whole curve
	EvalFlops float64 // other floating-point operations of the whole curve, independent of the number of test points
}

// StepCalls is about how many calls of operators an iteration makes: predictions, new terms, their coefficients, the average.
const StepCalls = 4

// EigenWork is what the time of a dense eigendecomposition of a p×p matrix is proportional to, as measured from 20 to 1,024: p³ where p
// is large, and more than that before.
func EigenWork(p float64) float64 { return p * p * (0.6*p + 550/(1+p/256)) }

// A Size is what a Cost depends on.
type Size struct {
	N, In, Out int // training rows, inputs, outputs
	Test       int // test rows, at which methods that store the kernel matrix store it too if it fits
	Steps      int
	Evals      int // evaluations of the curve
	Limits     int // those at which a Stepper is asked for its largest step
	Stored     int // largest number of entries of a kernel matrix that is kept in memory; 0 for no limit
	Number     int // bytes per entry; 0 for 8

	// Support is the fraction of examples whose gradient is not zero, where it is known beforehand; 0 for all. It
	// changes only costs that depend on it.
	Support float64
}

// A Coster predicts its cost. That of other algorithms is unknown to a plan.
type Coster interface{ Cost(Size) Cost }

// Stores says whether a kernel matrix with the given number of entries is kept in memory.
func (s Size) Stores(entries float64) bool { return s.Stored == 0 || entries <= float64(s.Stored) }

// StoredBytes returns the memory of a kernel matrix with the given number of entries, 0 if it is not kept.
func (s Size) StoredBytes(entries float64) float64 {
	switch {
	case !s.Stores(entries):
		return 0
	case s.Number > 0:
		return float64(s.Number) * entries
	}
	return 8 * entries
}

// Evaluated returns how many entries of a kernel or feature matrix are computed for the given number of products with
// it: each entry once if the matrix is kept in memory, else once per product.
func (s Size) Evaluated(entries, products float64) float64 {
	if s.Stores(entries) {
		return entries
	}
	return entries * products
}
