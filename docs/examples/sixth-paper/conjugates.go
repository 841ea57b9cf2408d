package diaz2023

import (
	"repro/algos/compute"
	"repro/algos/parts"
)

// Conjugates is the state of preconditioned conjugate gradients for Hβ = b, each output by itself: the residual r = b - Hβ and the
// direction d, and rᵀP⁻¹r, ‖r‖² and the ‖r‖² at which it is solved for every output.
type Conjugates struct {
	Residual, Dir      []float64
	Norms, Sizes, Goal []float64
}

// begin starts at β = 0, given z = P⁻¹b.
func (c *Conjugates) begin(b, z compute.Matrix, tolerance float64) {
	c.Residual, c.Dir = b.Clone().Data, z.Data
	c.Norms, c.Sizes = parts.ColumnProducts(b, z), parts.ScaledSquares(1, b)
	c.Goal = parts.ScaledSquares(tolerance*tolerance, b)
}

// step makes a step of every output that is not solved, and reports whether there was one:
//
//	s = rᵀP⁻¹r/dᵀHd,  β ← β + s d,  r' = r - s Hd,  d ← P⁻¹r' + (r'ᵀP⁻¹r'/rᵀP⁻¹r) d
func (c *Conjugates) step(beta []float64, out int, system, precondition func(compute.Matrix) compute.Matrix) bool {
	if c.solved() {
		return false
	}
	b, r, d := parts.View(beta, out), parts.View(c.Residual, out), parts.View(c.Dir, out)
	h := system(d)
	curvature := parts.ColumnProducts(d, h)
	for j := range curvature {
		if c.Sizes[j] <= c.Goal[j] || !(curvature[j] > 0) {
			continue
		}
		s := c.Norms[j] / curvature[j]
		for i := range r.Rows {
			b.Set(i, j, b.At(i, j)+s*d.At(i, j))
			r.Set(i, j, r.At(i, j)-s*h.At(i, j))
		}
	}
	z := precondition(r)
	norms := parts.ColumnProducts(r, z)
	for j := range curvature {
		if c.Sizes[j] <= c.Goal[j] || !(curvature[j] > 0) {
			continue
		}
		turn := norms[j] / c.Norms[j]
		for i := range d.Rows {
			d.Set(i, j, z.At(i, j)+turn*d.At(i, j))
		}
	}
	c.Norms, c.Sizes = norms, parts.ScaledSquares(1, r)
	return true
}

// solved reports whether every residual is small enough.
func (c *Conjugates) solved() bool {
	for j, v := range c.Sizes {
		if v > c.Goal[j] {
			return false
		}
	}
	return true
}
