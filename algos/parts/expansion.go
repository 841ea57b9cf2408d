package parts

import (
	"repro/algos"
	"repro/algos/compute"
)

// Expansion is a fit f = Σ_i α_i k(x_i, ·) over all training rows, except for its Step and State.
type Expansion struct {
	Gram  *Gram
	alpha func() compute.Matrix // α, one row per training row and one column per output
}

// NewExpansion gathers the training rows of a problem and their kernel matrix; alpha returns the current α.
func NewExpansion(p *algos.Problem, alpha func() compute.Matrix) Expansion {
	return Expansion{NewGram(p), alpha}
}

func (f Expansion) Model() algos.Model                      { return f }
func (f Expansion) Predict(x compute.Matrix) compute.Matrix { return f.Gram.Predict(x, f.alpha()) }
func (f Expansion) Fitted() compute.Matrix                  { return f.Gram.Fitted(f.alpha()) }
func (f Expansion) Anticipate(x compute.Matrix)             { f.Gram.Anticipate(x) }
func (f Expansion) SquaredNorms() []float64                 { return ColumnProducts(f.alpha(), f.Fitted()) }
func (f Expansion) Coefficients() compute.Matrix            { return f.alpha() }

// IterateState is the state of an Iterate. Alpha is α, one row per training row and one column per output.
type IterateState struct {
	Count
	Alpha []float64
}

// A Count is what the states of fits have in common.
type Count struct {
	T    int   // steps made
	Seen int64 // examples used
}

// Stepped ends a step that used seen examples.
func (c *Count) Stepped(seen int) algos.Progress {
	c.T++
	c.Seen += int64(seen)
	return algos.Progress{Seen: seen}
}

// An Iterate is an Expansion whose state is α itself. A method embeds it and writes Step.
type Iterate struct {
	IterateState
	Expansion
}

// NewIterate returns α = 0 for a problem.
func NewIterate(p *algos.Problem) *Iterate {
	f := &Iterate{}
	f.Expansion = NewExpansion(p, func() compute.Matrix { return f.Gram.LikeTargets(f.Alpha) })
	f.Alpha = make([]float64, len(f.Gram.Y.Data))
	return f
}

func (f *Iterate) State() any { return &f.IterateState }

// Footprint implements algos.Sizer: the coefficients and the points they belong to.
func (f *Iterate) Footprint() int64 { return 8 * int64(len(f.Alpha)+len(f.Gram.X.Data)) }
