package parts

import (
	"gonum.org/v1/gonum/floats"

	"repro/algos"
	"repro/algos/compute"
)

// Functions are φ_1, φ_2, …, of which a Span sums up multiples: Points, Features, a Gram, a FeatureOperator, or the terms of an Additive.
type Functions interface {
	// Predict returns Σ_j w_j φ_j at the rows of x, for every column of w.
	Predict(x, w compute.Matrix) compute.Matrix
	// SquaredNorms returns ‖Σ_j w_j φ_j‖² for every column of w, as algos.Normed defines it.
	SquaredNorms(w compute.Matrix) []float64
	// Memory returns how many numbers the functions take.
	Memory() int
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

// SpanState is the state of a Span.
type SpanState struct {
	Count
	Alpha []float64 // w, one row of outputs per function
	Mean  []float64 // of the averaged iterate; empty if it is not kept
}

// A Span is a fit of f = Σ_j w_j φ_j, except for its Step. A method embeds it, or one of the types that embed it, and writes Step. A state
// with more vectors embeds SpanState: see Keep.
type Span struct {
	*SpanState
	P     *algos.Problem
	Order Order
	Out   int // outputs

	// Form, if set, returns w of a method whose Alpha is another form of it, such as one without a factor.
	Form func() compute.Matrix
	// Offset, if set, returns a number per output that is added to predictions of the last or the averaged iterate; nil for none.
	Offset func(average bool) []float64

	functions Functions
	average   bool
	state     any
}

// NewSpan returns w = 0 on n functions for a problem. average says whether to keep the averaged iterate.
func NewSpan(p *algos.Problem, functions Functions, n int, average bool) Span {
	_, out := p.Train.Dims()
	s := new(SpanState)
	f := Span{SpanState: s, P: p, Order: NewOrder(p), Out: out, functions: functions, average: average, state: s}
	f.Alpha = make([]float64, n*out)
	if average {
		f.Mean = make([]float64, n*out)
	}
	return f
}

// Keep makes s, a part of state, that of the fit.
func (f *Span) Keep(s *SpanState, state any) {
	*s = *f.SpanState
	f.SpanState, f.state = s, state
}

// A besideState is a SpanState with one more vector.
type besideState struct {
	SpanState
	Beside []float64
}

// Beside makes a vector as long as Alpha, 0 at first, part of the state, such as for the last iterate. It is nil for a fit that was not made.
func (f *Span) Beside() *[]float64 {
	if f.SpanState == nil {
		return nil
	}
	s := &besideState{Beside: make([]float64, len(f.Alpha))}
	f.Keep(&s.SpanState, s)
	return &s.Beside
}

// View views numbers as a matrix with one column per output.
func (f *Span) View(data []float64) compute.Matrix { return View(data, f.Out) }

// coefficients returns w.
func (f *Span) coefficients() compute.Matrix {
	if f.Form != nil {
		return f.Form()
	}
	return f.View(f.Alpha)
}

// Stepped ends a step that used seen examples and updates the averaged iterate.
func (f *Span) Stepped(seen int) algos.Progress {
	p := f.Count.Stepped(seen)
	if f.average {
		MoveMean(f.Mean, f.Alpha, 1, f.T)
	}
	return p
}

// Finished is Stepped of a fit that has nothing more to do.
func (f *Span) Finished(seen int) algos.Progress {
	p := f.Stepped(seen)
	p.Done = true
	return p
}

func (f *Span) State() any              { return f.state }
func (f *Span) Model() algos.Model      { return f.model(f.coefficients(), false) }
func (f *Span) SquaredNorms() []float64 { return f.functions.SquaredNorms(f.coefficients()) }
func (f *Span) Footprint() int64        { return 8 * int64(len(f.Alpha)+f.functions.Memory()) }

func (f *Span) Average() algos.Model {
	if !f.average {
		return nil
	}
	return f.model(f.View(f.Mean), true)
}

// model returns the predictor with coefficients w.
func (f *Span) model(w compute.Matrix, average bool) algos.Model {
	return algos.Predictor(func(x compute.Matrix) compute.Matrix {
		u := f.functions.Predict(x, w)
		if f.Offset != nil {
			addRow(u, 1, f.Offset(average))
		}
		return u
	})
}

// addRow adds s·v to the rows of u.
func addRow(u compute.Matrix, s float64, v []float64) {
	for i := range u.Rows {
		for j, a := range v {
			u.Row(i)[j] += s * a
		}
	}
}

// Linear is a Span of Features: f(x) = ⟨w, z(x)⟩, with one column of w per output.
type Linear struct {
	Span
	Z Features
}

// NewLinear returns w = 0 for a problem. average says whether to keep the averaged iterate.
func NewLinear(p *algos.Problem, z Features, average bool) Linear {
	return Linear{NewSpan(p, z, z.Width(), average), z}
}

// Anticipate implements algos.Anticipator: it keeps features.
func (f *Linear) Anticipate(x compute.Matrix) { f.Z.Anticipate(x) }

// Both implements algos.Both: base features are evaluated once.
func (f *Linear) Both(x compute.Matrix) algos.Predictions {
	if 2*f.Out > compute.FewColumns { // another product, in the precision of the engine
		return algos.Predictions{Last: f.Model().Predict(x), Average: f.Average().Predict(x)}
	}
	return f.BothAtOnce(x)
}

// BothAtOnce is what algos.Both asks for, from one product with w and its mean.
func (f *Span) BothAtOnce(x compute.Matrix) algos.Predictions {
	out, w := f.Out, f.coefficients()
	pair := compute.NewMatrix(w.Rows, 2*out)
	pair.ColRange(0, out).CopyFrom(w)
	pair.ColRange(out, 2*out).CopyFrom(f.View(f.Mean))
	u := f.functions.Predict(x, pair)
	return algos.Predictions{Last: u.ColRange(0, out).Clone(), Average: u.ColRange(out, 2*out).Clone()}
}

// An Iterate is a Span of the kernel functions of all training rows: f = Σ_i α_i k(x_i, ·).
type Iterate struct {
	Span
	Gram *Gram
}

// NewIterate returns α = 0 for a problem, and gathers its training rows and their kernel matrix.
func NewIterate(p *algos.Problem) Iterate {
	g := NewGram(p)
	return Iterate{NewSpan(p, g, g.X.Rows, false), g}
}

func (f *Iterate) Fitted() compute.Matrix       { return f.Gram.Fitted(f.coefficients()) }
func (f *Iterate) Anticipate(x compute.Matrix)  { f.Gram.Anticipate(x) }
func (f *Iterate) Coefficients() compute.Matrix { return f.coefficients() }

// RelativeGradient returns ‖l'(Kα, y)/n + να‖ over its value for f = 0: of gradient steps, before a preconditioner. For the square loss it
// is the relative residual ‖(K + nνI)α - y‖/‖y‖.
func (f *Iterate) RelativeGradient() float64 {
	y := f.Gram.Y
	g, zero := f.Fitted(), compute.NewMatrix(y.Rows, y.Cols)
	Residual(f.P, zero, y)
	Residual(f.P, g, y)
	g.AddScaled(float64(g.Rows)*f.P.Nu, f.coefficients())
	return floats.Norm(g.Data, 2) / floats.Norm(zero.Data, 2)
}

// Points are the kernel functions k(z_i, ·) of the rows of a matrix Z, which may grow.
type Points struct {
	P *algos.Problem
	Z func() compute.Matrix
}

// PointsAt returns the kernel functions of the rows of z.
func PointsAt(p *algos.Problem, z compute.Matrix) Points {
	return Points{p, func() compute.Matrix { return z }}
}

func (s Points) Predict(x, w compute.Matrix) compute.Matrix { return KernelSum(s.P, x, s.Z(), w) }

// SquaredNorms returns αᵀKα of every output, K = k(Z, Z).
func (s Points) SquaredNorms(alpha compute.Matrix) []float64 {
	return ColumnProducts(alpha, s.Predict(s.Z(), alpha))
}

func (s Points) Memory() int {
	z := s.Z()
	return z.Rows * z.Cols
}

// KernelSum returns Σ_i α_i k(z_i, ·) at the rows of x.
func KernelSum(p *algos.Problem, x, z, alpha compute.Matrix) compute.Matrix {
	u := compute.NewMatrix(x.Rows, alpha.Cols)
	p.Engine.Kernel(p.Kernel, x, z).MulTo(u, alpha)
	return u
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
