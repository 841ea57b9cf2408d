package parts

import (
	"fmt"
	"math"

	"repro/algos"
	"repro/algos/compute"
	"repro/algos/losses"
)

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
