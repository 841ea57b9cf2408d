package parts

import (
	"fmt"
	"math"

	"repro/algos"
	"repro/algos/compute"
	"repro/algos/losses"
)

// Conjugates is the state of preconditioned conjugate gradients for Hβ = b, each output by itself: the residual r = b - Hβ and the direction
// d, both over Scale, a power of two near the largest |b_i|, so that no square overflows or vanishes; rᵀP⁻¹r, ‖r‖², and the ‖r‖² at which
// an output is solved; and d₋ᵀHd/√(d₋ᵀHd₋) with the direction before.
type Conjugates struct {
	Residual, Dir                   []float64
	Scale, Norms, Sizes, Goal, Tilt []float64
}

// Two directions are conjugate but for rounding errors. Where their cosine is more than mostTilt, the direction is one of these: a step
// along it would lead away from the solution.
const mostTilt = 0.25

// Begin starts at β = 0. An output is solved at ‖r‖ ≤ tolerance ‖b‖, with a tolerance of at least a unit of rounding, and where it can
// come no further. precondition returns P⁻¹r.
func (c *Conjugates) Begin(b compute.Matrix, precondition func(compute.Matrix) compute.Matrix, tolerance float64) {
	tolerance = max(tolerance, 0x1p-53)
	r := b.Clone()
	c.Scale = make([]float64, b.Cols)
	for j := range c.Scale {
		largest := 0.0
		for i := range r.Rows {
			largest = max(largest, math.Abs(r.At(i, j)))
		}
		_, e := math.Frexp(largest)
		c.Scale[j] = math.Ldexp(1, e-1)
		for i := range r.Rows {
			r.Set(i, j, r.At(i, j)/c.Scale[j])
		}
	}
	z := precondition(r)
	c.Residual, c.Dir = r.Data, z.Clone().Data
	c.Norms, c.Sizes, c.Goal = ColumnProducts(r, z), ScaledSquares(1, r), ScaledSquares(tolerance*tolerance, r)
	c.Tilt = make([]float64, b.Cols)
}

// Move makes an iteration of every output that is not solved, and reports whether all numbers are finite. system returns Hd.
//
//	s = rᵀP⁻¹r/dᵀHd,  β ← β + s d,  r' = r - s Hd,  d ← P⁻¹r' + (r'ᵀP⁻¹r'/rᵀP⁻¹r) d
//
// An output keeps its β from where rounding errors decide its direction: where dᵀHd is not positive, or d is not conjugate to the one before.
func (c *Conjugates) Move(beta compute.Matrix, system, precondition func(compute.Matrix) compute.Matrix) (finite bool) {
	r, d := View(c.Residual, beta.Cols), View(c.Dir, beta.Cols)
	h := system(d)
	curvature := ColumnProducts(d, h)
	for j, v := range curvature {
		if v <= 0 || math.Abs(c.Tilt[j]) > mostTilt*math.Sqrt(v) {
			c.Goal[j] = math.Inf(1)
		}
	}
	moves := func(j int) bool { return !(c.Sizes[j] <= c.Goal[j]) && curvature[j] > 0 }
	for j := range curvature {
		if moves(j) {
			s := c.Norms[j] / curvature[j]
			for i := range d.Rows {
				beta.Set(i, j, beta.At(i, j)+s*d.At(i, j)*c.Scale[j])
				r.Set(i, j, r.At(i, j)-s*h.At(i, j))
			}
		}
	}
	z := precondition(r)
	norms := ColumnProducts(r, z)
	for j := range curvature {
		if moves(j) {
			turn := norms[j] / c.Norms[j]
			for i := range d.Rows {
				d.Set(i, j, z.At(i, j)+turn*d.At(i, j))
			}
		}
	}
	c.Norms, c.Sizes, c.Tilt = norms, ScaledSquares(1, r), ColumnProducts(d, h)
	for j, v := range curvature {
		c.Tilt[j] /= math.Sqrt(v)
	}
	return beta.Finite() && View(c.Sizes, 1).Finite() && View(curvature, 1).Finite()
}

// Iterate is the Step of a fit whose Alpha is β, on a number of training rows.
func (c *Conjugates) Iterate(f *Span, rows int, system, precondition func(compute.Matrix) compute.Matrix) (algos.Progress, error) {
	if c.Solved() {
		return algos.Progress{Done: true}, nil
	}
	if !c.Move(f.View(f.Alpha), system, precondition) {
		return algos.Progress{}, Diverged(f.T + 1)
	}
	made := f.Stepped(rows)
	made.Done = c.Solved()
	return made, nil
}

// Solved says whether every output is.
func (c *Conjugates) Solved() bool {
	for j, v := range c.Sizes {
		if !(v <= c.Goal[j]) || math.IsInf(v, 1) {
			return false
		}
	}
	return true
}

// A Contraction is the bound of the factor by which one iteration of a method that solves a linear system shrinks the norm of the gradient
// in the long run, from all eigenvalues of the matrix. It is computed once.
type Contraction struct{ rho float64 }

// OfSteps returns the largest |1 - η(λ + ν)| over the eigenvalues λ of a symmetric matrix, for gradient descent on a problem with
// steps η of the gradient. It needs the square loss and a constant η.
func (c *Contraction) OfSteps(p *algos.Problem, gamma func(t int) float64, matrix func() compute.Matrix) (float64, error) {
	eta := gamma(1)
	switch last := gamma(1 << 30); {
	case p.Loss.Name() != losses.Square{}.Name():
		return 0, fmt.Errorf("gradient descent has one factor for the square loss alone, not for %s", p.Loss.Name())
	case eta != last:
		return 0, fmt.Errorf("gradient descent has one factor with a constant step alone, not with steps from %g to %g", eta, last)
	}
	return c.of(p.Engine, matrix, func(largest, smallest float64) float64 {
		return max(math.Abs(1-eta*(largest+p.Nu)), math.Abs(1-eta*(smallest+p.Nu)))
	})
}

// OfConjugates returns (√κ - 1)/(√κ + 1), κ = λ_1/λ_n of a symmetric matrix, for conjugate gradients.
func (c *Contraction) OfConjugates(e *compute.Engine, matrix func() compute.Matrix) (float64, error) {
	return c.of(e, matrix, func(largest, smallest float64) float64 {
		root := math.Sqrt(largest / max(0, smallest)) // rounding may make the smallest negative
		if math.IsInf(root, 1) {
			return 1
		}
		return (root - 1) / (root + 1)
	})
}

func (c *Contraction) of(e *compute.Engine, matrix func() compute.Matrix, bound func(largest, smallest float64) float64) (float64, error) {
	if c.rho == 0 {
		var m compute.Matrix
		e.InDouble(func() { m = matrix() })
		values, _, err := Symmetric(e, m, 0)
		if err != nil {
			return 0, err
		}
		c.rho = bound(values[0], values[len(values)-1])
	}
	return c.rho, nil
}
