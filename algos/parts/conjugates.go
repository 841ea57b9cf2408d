package parts

import (
	"math"

	"repro/algos/compute"
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

// Solved says whether every output is.
func (c *Conjugates) Solved() bool {
	for j, v := range c.Sizes {
		if !(v <= c.Goal[j]) || math.IsInf(v, 1) {
			return false
		}
	}
	return true
}
