package parts

import (
	"fmt"
	"math"
	"slices"

	"repro/algos"
	"repro/algos/compute"
	"repro/algos/kernels"
	"repro/algos/losses"
	"repro/algos/schedules"
)

// Diverged returns the error of step t if a prediction is not finite.
func Diverged(t int) error {
	return fmt.Errorf("%w: a prediction at step %d is not a finite number", algos.ErrDiverged, t)
}

// smooth returns an error that wraps algos.ErrUnsupported if the loss has no smoothness by which the named method could find a
// step.
func smooth(method string, p *algos.Problem) error {
	if math.IsInf(p.Loss.Smoothness(), 1) {
		return fmt.Errorf("%w: %s has a step size of its own for smooth losses alone: give one for the loss %s", algos.ErrUnsupported, method, p.Loss.Name())
	}
	return nil
}

// OwnStep returns the constant step size 0.75/(λ_1 L + ν), for the named method. λ_1 is the largest eigenvalue of the
// covariance, which largest computes, and L the bound of the second derivative of l, 1 for the square loss.
func OwnStep(method string, p *algos.Problem, largest func() (float64, error)) (func(t int) float64, error) {
	if err := smooth(method, p); err != nil {
		return nil, err
	}
	first, err := largest()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", method, err)
	}
	eta := 0.75 / (first*p.Loss.Smoothness() + p.Nu)
	return func(int) float64 { return eta }, nil
}

// StartIterate starts gradient descent in the coefficients of an Expansion, for the named method, with the step sizes of step or,
// if step is nil, OwnStep with λ_1 of K/n, estimated by RSVD of a subsample of rows. It needs a loss without a threshold and,
// without a step, a smooth one, which it checks before it reads a row.
func StartIterate(method string, p *algos.Problem, step schedules.Schedule, subsample int) (i *Iterate, gamma func(t int) float64, err error) {
	if err := NoThreshold(method, p); err != nil {
		return nil, nil, err
	}
	if step != nil {
		return NewIterate(p), step.Gamma, nil
	}
	if err := smooth(method, p); err != nil {
		return nil, nil, err
	}
	i = NewIterate(p)
	gamma, err = OwnStep(method, p, func() (float64, error) {
		s, err := i.Gram.Eigensystem(0, SketchOfOne, subsample)
		return s.First() / float64(i.Gram.X.Rows), err
	})
	return i, gamma, err
}

// AddRows adds s times row i of m to row rows[i] of dst.
func AddRows(dst compute.Matrix, rows []int, s float64, m compute.Matrix) {
	for i, r := range rows {
		to := dst.Row(r)
		for j, v := range m.Row(i) {
			to[j] += s * v
		}
	}
}

// Residual replaces predictions u at a batch by l'(u, y) and reports whether all u were finite.
func Residual(p *algos.Problem, u, y compute.Matrix) (finite bool) {
	finite = u.Finite()
	for i := range u.Rows {
		row := u.Row(i)
		p.Loss.Gradient(row, row, y.Row(i))
	}
	return finite
}

// Nonzero says whether any number of a is not zero.
func Nonzero(a []float64) bool { return slices.ContainsFunc(a, func(v float64) bool { return v != 0 }) }

// MoveMean updates the mean of t-1 vectors to the mean of t vectors; the new vector is s·v.
func MoveMean(mean, v []float64, s float64, t int) {
	for i, x := range v {
		mean[i] += (s*x - mean[i]) / float64(t)
	}
}

// LearnsThreshold says whether the loss has a threshold τ, which a method must learn together with f.
func LearnsThreshold(p *algos.Problem) bool { return p.Loss == losses.Novelty{} }

// NoThreshold returns an error that wraps algos.ErrUnsupported if the loss has a threshold. The named method does not
// learn one.
func NoThreshold(method string, p *algos.Problem) error {
	if LearnsThreshold(p) {
		return fmt.Errorf("%w: %s learns no threshold, which the loss %s needs", algos.ErrUnsupported, method, p.Loss.Name())
	}
	return nil
}

// Featured returns the kernel of a problem with its random features, for the named method. If the kernel has none, the
// error wraps algos.ErrUnsupported. It returns an error, too, if float32 does not resolve their phases.
func Featured(method string, p *algos.Problem) (kernels.Featured, error) {
	k, ok := p.Kernel.(kernels.Featured)
	if !ok {
		return nil, fmt.Errorf("%w: %s needs a kernel with random features, not %s", algos.ErrUnsupported, method, p.Kernel.Name())
	}
	return k, phasesFit(method, p, k)
}
