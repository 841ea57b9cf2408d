package parts

import (
	"gonum.org/v1/gonum/floats"

	"repro/algos"
	"repro/algos/compute"
)

// A LinearModel is f(x) = ⟨w, z(x)⟩, with one column of w per output.
type LinearModel struct {
	Features Features
	Weights  compute.Matrix
}

func (m LinearModel) Predict(x compute.Matrix) compute.Matrix {
	return m.Features.Predict(x, m.Weights)
}

// Both returns the predictions of w and of mean at the rows of x, from base features that are evaluated once.
func Both(z Features, w, mean, x compute.Matrix) algos.Predictions {
	out := w.Cols
	if 2*out > compute.FewColumns { // another product, in the precision of the engine
		return algos.Predictions{Last: z.Predict(x, w), Average: z.Predict(x, mean)}
	}
	pair := compute.NewMatrix(w.Rows, 2*out)
	pair.ColRange(0, out).CopyFrom(w)
	pair.ColRange(out, 2*out).CopyFrom(mean)
	u := z.Predict(x, pair)
	return algos.Predictions{Last: u.ColRange(0, out).Clone(), Average: u.ColRange(out, 2*out).Clone()}
}

// LinearState is the state of a Linear.
type LinearState struct {
	Count
	W    []float64 // r × outputs, row-major
	Mean []float64 // of the averaged iterate; empty if it is not kept
}

// Linear is a fit of f(x) = ⟨w, z(x)⟩, except for its Step. A method embeds it and writes Step.
type Linear struct {
	*LinearState
	Z   Features
	out int
}

// NewLinear returns w = 0 for a problem. average says whether to keep the averaged iterate.
func NewLinear(p *algos.Problem, z Features, average bool) Linear {
	_, out := p.Train.Dims()
	f := Linear{LinearState: new(LinearState), Z: z, out: out}
	f.W = make([]float64, z.Width()*out)
	if average {
		f.Mean = make([]float64, len(f.W))
	}
	return f
}

// Weights views w, or its mean, as a matrix with one column per output.
func (f *Linear) Weights(w []float64) compute.Matrix { return View(w, f.out) }

// Stepped ends a step that used seen examples and updates the averaged iterate.
func (f *Linear) Stepped(seen int) algos.Progress {
	p := f.Count.Stepped(seen)
	if len(f.Mean) > 0 {
		MoveMean(f.Mean, f.W, 1, f.T)
	}
	return p
}

func (f *Linear) Model() algos.Model { return LinearModel{f.Z, f.Weights(f.W)} }
func (f *Linear) State() any         { return f.LinearState }

func (f *Linear) Average() algos.Model {
	if len(f.Mean) == 0 {
		return nil
	}
	return LinearModel{f.Z, f.Weights(f.Mean)}
}

func (f *Linear) Both(x compute.Matrix) algos.Predictions {
	return Both(f.Z, f.Weights(f.W), f.Weights(f.Mean), x)
}

// Anticipate implements algos.Anticipator: it keeps features.
func (f *Linear) Anticipate(x compute.Matrix) { f.Z.Anticipate(x) }

func (f *Linear) SquaredNorms() []float64 { return ScaledSquares(1, f.Weights(f.W)) }

// Footprint implements algos.Sizer: w and the memory of the features.
func (f *Linear) Footprint() int64 { return 8 * int64(len(f.W)+f.Z.Memory()) }

// Grown adds n numbers with arbitrary values to s and returns them. If there is no room, s moves to memory that is twice as large:
// append adds a quarter, so that numbers that become more and more are copied three times as often.
func Grown(s *[]float64, n int) []float64 {
	have := len(*s)
	if have+n > cap(*s) {
		*s = append(make([]float64, 0, max(have+n, 2*cap(*s))), *s...)
	}
	*s = (*s)[:have+n]
	return (*s)[have:]
}

// A Scratch is memory for one matrix at a time.
type Scratch []float64

// Matrix returns a matrix with arbitrary entries, until the next call.
func (s *Scratch) Matrix(rows, cols int) compute.Matrix {
	*s = (*s)[:0]
	return compute.Matrix{Rows: rows, Cols: cols, Stride: cols, Data: Grown((*[]float64)(s), rows*cols)}
}

// View views numbers, stored row by row, as a matrix with the given number of columns.
func View(data []float64, cols int) compute.Matrix {
	return compute.Matrix{Rows: len(data) / cols, Cols: cols, Stride: cols, Data: data}
}

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

// RelativeGradient returns ‖l'(Kα, y)/n + να‖ over its value for f = 0: of gradient steps, before a preconditioner. For the square loss it
// is the relative residual ‖(K + nνI)α - y‖/‖y‖.
func (f Expansion) RelativeGradient() float64 {
	g, zero := f.Fitted(), compute.NewMatrix(f.Gram.Y.Rows, f.Gram.Y.Cols)
	Residual(f.Gram.p, zero, f.Gram.Y)
	Residual(f.Gram.p, g, f.Gram.Y)
	g.AddScaled(float64(g.Rows)*f.Gram.p.Nu, f.alpha())
	return floats.Norm(g.Data, 2) / floats.Norm(zero.Data, 2)
}

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

// KernelSum returns Σ_i α_i k(z_i, ·) at the rows of x.
func KernelSum(p *algos.Problem, x, z, alpha compute.Matrix) compute.Matrix {
	u := compute.NewMatrix(x.Rows, alpha.Cols)
	p.Engine.Kernel(p.Kernel, x, z).MulTo(u, alpha)
	return u
}

// ExpansionNorms returns ‖f‖² = αᵀKα of every output of f = Σ_i α_i k(z_i, ·), K = k(Z, Z).
func ExpansionNorms(p *algos.Problem, z, alpha compute.Matrix) []float64 {
	return ColumnProducts(alpha, KernelSum(p, z, z, alpha))
}

// ColumnProducts returns Σ_i a_ij b_ij for every column.
func ColumnProducts(a, b compute.Matrix) []float64 {
	s := make([]float64, a.Cols)
	for i := range a.Rows {
		for j, v := range a.Row(i) {
			s[j] += v * b.At(i, j)
		}
	}
	return s
}

// ScaledSquares returns c Σ_i m_ij² for every column.
func ScaledSquares(c float64, m compute.Matrix) []float64 {
	s := ColumnProducts(m, m)
	for j := range s {
		s[j] *= c
	}
	return s
}
