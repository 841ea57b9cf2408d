package parts

import (
	"math"
	"slices"

	"repro/algos/compute"
)

// Conjugates is the state of preconditioned conjugate gradients for Hβ = b, each output by itself: the residual r = b - Hβ, the direction
// d, rᵀP⁻¹r, ‖r‖², and the ‖r‖² at which an output is solved.
type Conjugates struct {
	Residual, Dir      []float64
	Norms, Sizes, Goal []float64
}

// Begin starts at β = 0, given z = P⁻¹b. An output is solved at ‖r‖ ≤ tolerance ‖b‖.
func (c *Conjugates) Begin(b, z compute.Matrix, tolerance float64) {
	c.Residual, c.Dir = b.Clone().Data, z.Clone().Data
	c.Norms, c.Sizes, c.Goal = ColumnProducts(b, z), ScaledSquares(1, b), ScaledSquares(tolerance*tolerance, b)
}

// Move makes an iteration of every output that is not solved, and reports whether all numbers are finite. system returns Hd, precondition
// P⁻¹r.
//
//	s = rᵀP⁻¹r/dᵀHd,  β ← β + s d,  r' = r - s Hd,  d ← P⁻¹r' + (r'ᵀP⁻¹r'/rᵀP⁻¹r) d
func (c *Conjugates) Move(beta compute.Matrix, system, precondition func(compute.Matrix) compute.Matrix) (finite bool) {
	r, d := View(c.Residual, beta.Cols), View(c.Dir, beta.Cols)
	h := system(d)
	curvature := ColumnProducts(d, h)
	moves := func(j int) bool { return !(c.Sizes[j] <= c.Goal[j]) && curvature[j] > 0 }
	for j := range curvature {
		if moves(j) {
			s := c.Norms[j] / curvature[j]
			for i := range d.Rows {
				beta.Set(i, j, beta.At(i, j)+s*d.At(i, j))
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
	c.Norms, c.Sizes = norms, ScaledSquares(1, r)
	return beta.Finite() && !slices.ContainsFunc(c.Sizes, func(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) })
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
