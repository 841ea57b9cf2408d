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

// A Need says what a method misses in a problem: words that follow the name of the method, "" if it misses nothing.
type Need func(p *algos.Problem) string

// Solves returns an error that wraps algos.ErrUnsupported if the named method misses something in a problem.
func Solves(method string, p *algos.Problem, needs ...Need) error {
	for _, need := range needs {
		if misses := need(p); misses != "" {
			return fmt.Errorf("%w: %s %s", algos.ErrUnsupported, method, misses)
		}
	}
	return nil
}

// SquareLoss is the need of methods for the square loss.
func SquareLoss(p *algos.Problem) string {
	return unless(p.Loss == losses.Square{}, "needs the square loss, not %s", p.Loss.Name())
}

// HingeLoss is the need of support vector machines.
func HingeLoss(p *algos.Problem) string {
	return unless(p.Loss == losses.Hinge{}, "needs the hinge loss, not %s", p.Loss.Name())
}

// SmoothLoss is the need of methods whose step depends on the bound of the second derivative of the loss.
func SmoothLoss(p *algos.Problem) string {
	return unless(!math.IsInf(p.Loss.Smoothness(), 1), "needs a smooth loss, not %s", p.Loss.Name())
}

// PositiveNu is the need of methods that divide by ν.
func PositiveNu(p *algos.Problem) string { return unless(p.Nu > 0, "needs ν > 0") }

// ZeroNu is the need of methods without a regulariser.
func ZeroNu(p *algos.Problem) string {
	return unless(p.Nu == 0, "has no regulariser, set nu = 0 instead of %g", p.Nu)
}

// NoThreshold is the need of methods that learn no threshold τ beside f: see LearnsThreshold.
func NoThreshold(p *algos.Problem) string {
	return unless(!LearnsThreshold(p), "learns no threshold, which the loss %s needs", p.Loss.Name())
}

// smoothOrStep is the need of methods that find a step from the smoothness of the loss unless the spec gives one.
func smoothOrStep(p *algos.Problem) string {
	return unless(SmoothLoss(p) == "", "has a step size of its own for smooth losses alone: give one for the loss %s", p.Loss.Name())
}

func unless(ok bool, format string, args ...any) string {
	if ok {
		return ""
	}
	return fmt.Sprintf(format, args...)
}

// OwnStep returns the constant step size 0.75/(λ_1 L + ν), for the named method. λ_1 is the largest eigenvalue of the
// covariance, which largest computes, and L the bound of the second derivative of l, 1 for the square loss.
func OwnStep(method string, p *algos.Problem, largest func() (float64, error)) (func(t int) float64, error) {
	if err := Solves(method, p, smoothOrStep); err != nil {
		return nil, err
	}
	first, err := largest()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", method, err)
	}
	eta := 0.75 / (first*p.Loss.Smoothness() + p.Nu)
	return func(int) float64 { return eta }, nil
}

// StartIterate starts gradient descent in the coefficients of an Iterate, for the named method, with the step sizes of step or,
// if step is nil, OwnStep with λ_1 of K/n, estimated by RSVD of a subsample of rows. It needs a loss without a threshold and,
// without a step, a smooth one, which it checks before it reads a row.
func StartIterate(method string, p *algos.Problem, step schedules.Schedule, subsample int) (i Iterate, gamma func(t int) float64, err error) {
	needs := []Need{NoThreshold, smoothOrStep}
	if step != nil {
		needs = needs[:1]
	}
	if err := Solves(method, p, needs...); err != nil {
		return i, nil, err
	}
	i = NewIterate(p)
	if step != nil {
		return i, step.Gamma, nil
	}
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

// Featured returns the kernel of a problem with its random features, for the named method. If the kernel has none, the
// error wraps algos.ErrUnsupported. It returns an error, too, if float32 does not resolve their phases.
func Featured(method string, p *algos.Problem) (kernels.Featured, error) {
	k, ok := p.Kernel.(kernels.Featured)
	if !ok {
		return nil, fmt.Errorf("%w: %s needs a kernel with random features, not %s", algos.ErrUnsupported, method, p.Kernel.Name())
	}
	return k, phasesFit(method, p, k)
}
