// Package algos holds the fitting methods, in the papers' letters: mathematics only. Clocks,
// budgets, evaluation, files and test data belong to package runner; loops over matrix entries,
// threads and random streams to package compute.
package algos

import (
	"errors"
	"fmt"
	"slices"

	"repro/algos/compute"
	"repro/algos/kernels"
	"repro/algos/losses"
)

// An Algorithm is a configured method not yet bound to data. Its exported fields are its
// hyperparameters, named in specs by their toml tags; defaults sit in its registration.
type Algorithm interface {
	// Start binds the method to p and does its one-off setup. It returns an error wrapping
	// ErrUnsupported if the method does not solve p.
	Start(p *Problem) (Fit, error)
}

// A Fit is one fit in progress. The runner drives it and owns everything around it.
//
// The laws of a Fit, which one shared test runs on every registered method:
//
//  1. the same Problem and settings give the same bits, at any thread count;
//  2. observing is free: Model and Predict never change what later steps do;
//  3. a state saved after k steps (k = 0 included), restored into a fresh fit, continues with the same bits;
//  4. training data is read-only;
//  5. it beats the zero predictor on a small problem, for each loss it says it supports;
//  6. no clock, file, log, goroutine or global random generator.
type Fit interface {
	// Step performs one iteration as the paper counts them. It returns an error wrapping
	// ErrDiverged once the iterate is no longer finite.
	Step() (Progress, error)
	// Model returns the current predictor. It is valid until the next Step.
	Model() Model
	// State returns a pointer to a struct with exported fields holding all that Step changes.
	State() any
}

// Progress says what one Step consumed.
type Progress struct {
	Seen int  // training examples used
	Done bool // the method has nothing more to do
}

// A Model predicts: row i of the result holds the outputs at row i of x.
type Model interface {
	Predict(x compute.Matrix) compute.Matrix
}

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

// Samples are training rows by index: dense in memory, in a file, or virtual (row i is a pure
// function of i). Gather copies rows into x (len(rows)×in) and y (len(rows)×out).
type Samples interface {
	Len() int
	Dims() (in, out int)
	Gather(rows []int, x, y compute.Matrix)
}

// A Problem is what all methods of a comparison receive, identically. It has no test set.
//
// The objective is R(f) = E[l(f(x), y)] + ν/2·‖f‖²_H, dai2014 eq. (1).
type Problem struct {
	Train     Samples
	FileOrder bool // visit examples in the order given instead of reshuffling every epoch
	Kernel    kernels.Kernel
	Loss      losses.Loss
	Nu        float64
	Seed      uint64
	Engine    *compute.Engine

	// Keep, if set, returns what store returned under the same name for an earlier problem with the same
	// rows, kernel and precision, as this engine's, or else what store returns: the stored k(X, X) of all
	// rows in order under KeepTraining, that of other rows by them under KeepTest.
	Keep func(name string, store func() compute.Operator) compute.Operator
}

// Names of kernel matrices that Problem.Keep keeps.
const (
	KeepTraining = "training"
	KeepTest     = "test"
)

// An Anticipator stores now, if there is memory, what predictions at the rows of x will need every time. Models
// of the fit find it again if they are given the same matrix, not a copy. It does not change the fit.
type Anticipator interface{ Anticipate(x compute.Matrix) }

// learnsThreshold says whether the loss has a threshold τ, which a method must learn beside f.
func (p *Problem) learnsThreshold() bool { return p.Loss == losses.Novelty{} }

// Dense returns all training rows in memory, for methods that need them at once.
func (p *Problem) Dense() (x, y compute.Matrix) {
	n := p.Train.Len()
	in, out := p.Train.Dims()
	rows := make([]int, n)
	for i := range rows {
		rows[i] = i
	}
	x, y = compute.NewMatrix(n, in), compute.NewMatrix(n, out)
	p.Train.Gather(rows, x, y)
	return x, y
}

// ErrUnsupported is wrapped by Start when the method does not solve the problem.
var ErrUnsupported = errors.New("method does not apply")

// ErrDiverged is wrapped by Step when the iterate is no longer finite.
var ErrDiverged = errors.New("iterate is not finite")

// An Expansion is a fit of f = Σ_i α_i k(x_i, ·) over the training rows x_i. Its coefficients are α, a row each
// (n×out), a copy or to be read only.
type Expansion interface{ Coefficients() compute.Matrix }

// A Sizer says how many bytes its current predictor needs, an averaged iterate apart.
type Sizer interface{ Footprint() int64 }

// A Cost predicts what a fit of a problem's size takes; `repro plan` shows it before anything runs.
type Cost struct {
	FeatureEvals float64 // φ_ω(x) computed in training
	KernelEvals  float64 // k(x, z) computed in training
	Reads        float64 // numbers of a stored kernel matrix that products read
	Flops        float64 // other floating-point operations, such as a factorisation
	Bytes        float64 // memory at the end of the fit, training data apart
	EvalCost     float64 // feature or kernel evaluations per test point, over the whole curve
}

// A Size is what a Cost depends on.
type Size struct {
	N, In, Out int // training rows, inputs, outputs
	Steps      int
	Evals      int // evaluations of the curve
	Stored     int // entries that a kernel matrix may have to be kept in memory, 0 for any number
}

// A Coster predicts its cost. Every registered method is one.
type Coster interface{ Cost(Size) Cost }

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

var registry = map[string]func() Algorithm{}

// register adds a method under its name in specs. The function returns it with its defaults.
func register(name string, defaults func() Algorithm) struct{} {
	if registry[name] != nil {
		panic("algos: " + name + " registered twice")
	}
	registry[name] = defaults
	return struct{}{}
}

// New returns a pointer to the named method with its defaults, for a spec to overwrite.
func New(name string) (Algorithm, error) {
	f, ok := registry[name]
	if !ok {
		return nil, fmt.Errorf("unknown algorithm %q", name)
	}
	return f(), nil
}

// Names lists the registered methods in alphabetical order.
func Names() []string {
	s := make([]string, 0, len(registry))
	for n := range registry {
		s = append(s, n)
	}
	slices.Sort(s)
	return s
}
