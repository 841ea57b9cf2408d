package metrics

import (
	"errors"

	"repro/algos"
	"repro/algos/compute"
)

// An Evaluation is what a metric may see: a fit, its predictions at some rows, and what is known of these rows.
type Evaluation struct {
	Problem *algos.Problem // its Engine is that of the fit; what it computes for a metric is not counted as training
	Fit     algos.Fit      // nil if a program outside predicted
	F       compute.Matrix // predictions at the rows, one row each, of the last or of the averaged iterate
	Y       compute.Matrix // targets of the rows
	X       compute.Matrix // inputs of the rows, if they are test rows

	Data       string    // name of the data set
	Task       string    // what the data's targets are, as losses.Binary
	Truth      []float64 // noise-free values of the data's target at the rows; nil if they are not known
	TargetUnit float64   // what a difference of 1 between the data's targets is in its own units; 0 for 1
	Groups     []int     // which rows are one thing shown in several ways, increasing from 0; nil if every row stands for itself

	Report map[string]float64 // what the fit reports of itself, for metrics that are Reported

	Tally algos.Tally // of the predictions that the fit made before it learnt, for metrics that are Progressive

	// Hindsight returns what the regression on the examples of the Tally says of them. It is nil unless a metric compares with it.
	Hindsight func() algos.Hindsight

	// Reference returns the predictions of the exact solver at the rows. It is nil at training rows.
	Reference func() (compute.Matrix, error)

	outputs [2]int // those that the metric is of, lo ≤ j < hi
}

// narrow restricts an evaluation to what the metric is of: its outputs and, of rows that belong together, the mean
// of their predictions in place of each. A comparison with an exact solver is about the rows as they are.
func (m *Metric) narrow(e *Evaluation) error {
	data, all := e.dataOutputs(), e.F.Cols
	switch {
	case m.Targets == DataTargets && data == 0:
		return errors.New("is of the data's targets, and the problem fits kernel functions of the test inputs instead")
	case m.Targets == KernelTargets && data == all:
		return errors.New("is of kernel functions of the test inputs, and the problem fits the data's targets")
	case m.Targets == BothTargets && (data == 0 || data == all):
		return errors.New("needs a problem that fits both the data's targets and kernel functions of the test inputs")
	}
	e.outputs = [2]int{0, all}
	switch {
	case m.Targets == KernelTargets:
		e.outputs[0] = data
	case m.Targets != BothTargets && data > 0:
		e.outputs[1] = data
	}
	e.F, e.Y = e.Columns(e.F), e.Columns(e.Y)
	if e.Groups != nil && !m.Reference {
		e.F = groupMeans(e.F, e.Groups)
	}
	return nil
}

// dataOutputs returns the number of outputs of the data's targets, which come first; the others are the kernel
// functions of the test inputs.
func (e *Evaluation) dataOutputs() int {
	if t, ok := e.Problem.Train.(algos.KernelTargets); ok {
		return t.DataOutputs()
	}
	return e.F.Cols
}

// Columns returns the columns of m of the outputs that the metric is of.
func (e *Evaluation) Columns(m compute.Matrix) compute.Matrix {
	if m.Cols == e.outputs[1]-e.outputs[0] {
		return m
	}
	return m.ColRange(e.outputs[0], e.outputs[1])
}

// Exact returns the predictions of the exact solver for the outputs that the metric is of.
func (e *Evaluation) Exact() (compute.Matrix, error) {
	if e.Reference == nil {
		return compute.Matrix{}, errors.New("there is no exact solver to compare with; name one as evaluate.reference")
	}
	f, err := e.Reference()
	if err != nil {
		return f, err
	}
	return e.Columns(f), nil
}

// against is the value of a metric that compares with the predictions of the exact solver.
func against(value func(e *Evaluation, exact compute.Matrix) float64) func(*Evaluation) (float64, error) {
	return func(e *Evaluation) (float64, error) {
		f, err := e.Exact()
		if err != nil {
			return 0, err
		}
		return value(e, f), nil
	}
}

// groupMeans returns f with the mean over the rows of a group in place of each of them.
func groupMeans(f compute.Matrix, groups []int) compute.Matrix {
	means := compute.NewMatrix(f.Rows, f.Cols)
	for lo := 0; lo < f.Rows; {
		hi := lo + 1
		for hi < f.Rows && groups[hi] == groups[lo] {
			hi++
		}
		mean := means.Row(lo)
		for i := lo; i < hi; i++ {
			for c, v := range f.Row(i) {
				mean[c] += v / float64(hi-lo)
			}
		}
		for i := lo + 1; i < hi; i++ {
			copy(means.Row(i), mean)
		}
		lo = hi
	}
	return means
}
