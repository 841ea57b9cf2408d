package algos

import (
	"errors"
	"fmt"
	"math"

	"repro/algos/compute"
	"repro/algos/kernels"
	"repro/algos/losses"
)

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

	// Stream gives online fits their examples. If it is nil, parts.StreamOf makes one of Train.
	Stream Stream

	// Keep, if set, caches stored operators across problems with the same rows, kernel and precision. It returns the operator cached under
	// name, or calls store and caches its result. KeepTraining is k(X, X) of all rows in order, KeepTest is k(Z, X) of other rows Z.
	Keep func(name string, store func() compute.Operator) compute.Operator
}

// whole is implemented by samples whose rows are in memory, in order.
type whole interface {
	Whole() (x, y compute.Matrix, ok bool)
}

// Dense returns all training rows in memory, for methods that need all of them at once. Others use the same memory: nobody may change it.
func (p *Problem) Dense() (x, y compute.Matrix) {
	if w, ok := p.Train.(whole); ok {
		if x, y, ok := w.Whole(); ok {
			return x, y
		}
	}
	return Between(p.Train, 0, p.Train.Len())
}

// Between returns the inputs and the targets of the rows lo ≤ i < hi.
func Between(s Samples, lo, hi int) (x, y compute.Matrix) {
	rows := make([]int, hi-lo)
	for i := range rows {
		rows[i] = lo + i
	}
	in, out := s.Dims()
	x, y = compute.NewMatrix(len(rows), in), compute.NewMatrix(len(rows), out)
	s.Gather(rows, x, y)
	return x, y
}

// Names of kernel matrices that Problem.Keep keeps.
const (
	KeepTraining = "training"
	KeepTest     = "test"
)

// Rows returns samples in memory: row i has the inputs x[i] and the targets y[i], which are copied. It returns an
// error if there are no rows, if x and y differ in length, or if rows differ in length.
func Rows(x, y [][]float64) (Samples, error) {
	if len(x) == 0 {
		return nil, errors.New("algos: Rows: there are no rows")
	}
	if len(x) != len(y) {
		return nil, fmt.Errorf("algos: Rows: %d rows of inputs, but %d of targets", len(x), len(y))
	}
	for i := range x {
		if len(x[i]) != len(x[0]) || len(y[i]) != len(y[0]) {
			return nil, fmt.Errorf("algos: Rows: row %d has %d inputs and %d targets, row 0 has %d and %d", i, len(x[i]), len(y[i]), len(x[0]), len(y[0]))
		}
	}
	return rows{compute.FromRows(x), compute.FromRows(y)}, nil
}

// rows are samples in memory.
type rows struct{ x, y compute.Matrix }

func (r rows) Len() int            { return r.x.Rows }
func (r rows) Dims() (in, out int) { return r.x.Cols, r.y.Cols }

func (r rows) Gather(which []int, x, y compute.Matrix) {
	for i, at := range which {
		copy(x.Row(i), r.x.Row(at))
		copy(y.Row(i), r.y.Row(at))
	}
}

// KernelTargets are training rows whose targets are kernel functions: output i of a row with inputs x is
// k(x*_i, x), with x*_i row i of At. A problem on them with the square loss and ν = σ²/n gives the posterior variance of
// a Gaussian process at m points known beforehand [dai2014 §4, formulation 2]. Its solution by eq. (1) is the m functions
//
//	f_i*(x) = k(x, X) (K + σ²I)⁻¹ k(X, x*_i)
//
// and the predictive variance at x*_i is k(x*_i, x*_i) - f_i*(x*_i), eq. (9). All m outputs share the examples and features of a method.
//
// With Mean the targets of the rows come first, as further outputs. Their solution is the posterior mean
// k(x, X) (K + σ²I)⁻¹ y. Without Mean the targets of the rows are ignored.
//
// Departure: the paper sets ν = 2σ². The minimiser of eq. (1) with l = (u-y)²/2 has the inverse of K + nνI, so ν = σ²/n
// gives eq. (9), as in the paper's own eq. (10).
type KernelTargets struct {
	Samples
	Kernel kernels.Kernel
	At     compute.Matrix // X*, m×in
	Mean   bool           // fit the rows' own targets too, as the first outputs
}

// Dims implements Samples: the outputs are the rows' own targets, if any, and then one output per point of At.
func (t KernelTargets) Dims() (in, out int) {
	in, _ = t.Samples.Dims()
	return in, t.DataOutputs() + t.At.Rows
}

// DataOutputs returns the number of outputs that are the rows' own targets: none without Mean.
func (t KernelTargets) DataOutputs() int {
	if !t.Mean {
		return 0
	}
	_, out := t.Samples.Dims()
	return out
}

// Gather implements Samples. The targets are computed in float64. Their kernel evaluations count as data, not as the cost of a method.
func (t KernelTargets) Gather(rows []int, x, y compute.Matrix) {
	_, out := t.Samples.Dims()
	own := compute.NewMatrix(len(rows), out)
	t.Samples.Gather(rows, x, own)
	if t.Mean {
		y.ColRange(0, out).CopyFrom(own)
		y = y.ColRange(out, y.Cols)
	}
	e := compute.NewEngine(compute.Options{Threads: 1})
	defer e.Retire()
	k := e.KernelMatrix(t.Kernel, x, t.At)
	y.CopyFrom(k)
	e.Reuse(k)
}

// A Stream gives an online fit its examples in turn and keeps the protocol of online learning: the fit sees the inputs of an
// example, predicts, and only then sees the targets. Whoever owns the stream counts the losses of these predictions.
type Stream interface {
	// Inputs returns the inputs of example t, counted from 0. They are valid until the next call.
	Inputs(t int64) []float64
	// Reveal takes the outputs that the fit predicts for example t, whose inputs it asked for last, and returns the targets.
	Reveal(t int64, u []float64) (y []float64)
}

// A Tally sums up the predictions that were made before their targets were known.
type Tally struct {
	Rounds  int64
	Squares float64 // Σ_t ‖u_t - y_t‖²
	Wrong   int64   // outputs without the sign of their target; those of 0 are counted by Ties
	Ties    int64
	Outputs int64 // of all rounds
}

// Add counts a prediction.
func (t *Tally) Add(u, y []float64) {
	t.Rounds++
	for c, v := range u {
		d := v - y[c]
		t.Squares += d * d
		switch s := v * y[c]; {
		case v == 0:
			t.Ties++
		case !(s > 0):
			t.Wrong++
		}
		t.Outputs++
	}
}

// MeanSquare returns the average square loss (1/t) Σ_s ‖u_s - y_s‖², NaN before the first round.
func (t Tally) MeanSquare() float64 {
	if t.Rounds == 0 {
		return math.NaN()
	}
	return t.Squares / float64(t.Rounds)
}

// A Hindsight is what kernel ridge regression on the examples of a stream so far says of them. With K the kernel matrix of
// their inputs and λ_k its eigenvalues, the regression is f = argmin Σ_s ‖y_s - f(x_s)‖² + λ‖f‖².
type Hindsight struct {
	Lambda      float64 // λ
	Penalised   float64 // min_f Σ_s ‖y_s - f(x_s)‖² + λ‖f‖²
	Squares     float64 // Σ_s ‖y_s - f(x_s)‖² of the regression
	SquaredNorm float64 // ‖f‖² of the regression
	LogDet      float64 // log det(I + K/λ) = Σ_k log(1 + λ_k/λ)
	Dimension   float64 // effective dimension Σ_k λ_k/(λ_k + λ)
	SquaredY    float64 // B², the largest ‖y_s‖²
	SquaredK    float64 // κ², the largest k(x_s, x_s)
}
