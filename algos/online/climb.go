package online

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"repro/algos/compute"
)

const (
	climbIterations = 40
	climbHalvings   = 30    // of a step
	climbFirst      = 0.5   // length of the first step
	climbEnough     = 1e-4  // part of the rise that the gradient promises, with which a step is taken
	climbEnd        = 1e-9  // relative rise that ends the search
	climbDifference = 1e-7  // of the forward differences; their error is about as large
	climbCurvature  = 1e-10 // smallest sᵀy/(|s||y|) of a step that says something of the curvature
)

// A climber searches a large value of a function in the box [lo, hi]^d by a projected quasi-Newton method. The gradient is of forward
// differences. The inverse Hessian of BFGS is restricted to the coordinates that are free to move [Bertsekas, Projected Newton methods,
// SIAM J. Control and Optimization 20, 1982], and a step is halved until it climbs enough. Values never fall.
//
// The methods of gonum's package optimize have no bounds, and they call the function on goroutines of their own, where a
// panic would end the process.
type climber struct {
	f        func(points compute.Matrix) []float64 // values at the rows of a matrix
	lo, hi   float64
	x        []float64
	value    float64
	gradient []float64
	inverse  compute.Matrix // of the negative Hessian
}

// climb returns the best point that it sees from a start on, and its value.
func climb(start []float64, lo, hi float64, f func(points compute.Matrix) []float64) (x []float64, value float64) {
	c := &climber{f: f, lo: lo, hi: hi, x: slices.Clone(start)}
	c.value = c.at(start)
	c.gradient = c.slope()
	c.inverse = compute.NewMatrix(len(start), len(start))
	for j := range start {
		c.inverse.Set(j, j, climbFirst/floats.Norm(c.gradient, 2))
	}
	for range climbIterations {
		if rise := c.step(); !(rise > climbEnd*(1+math.Abs(c.value))) {
			break
		}
	}
	return c.x, c.value
}

// at returns the value at x.
func (c *climber) at(x []float64) float64 {
	return c.f(compute.Matrix{Rows: 1, Cols: len(x), Stride: len(x), Data: x})[0]
}

// slope returns the gradient at x, where the value is known.
func (c *climber) slope() []float64 {
	points := compute.NewMatrix(len(c.x), len(c.x))
	for j := range c.x {
		copy(points.Row(j), c.x)
		points.Set(j, j, c.x[j]+climbDifference)
	}
	gradient := c.f(points)
	for j, v := range gradient {
		gradient[j] = (v - c.value) / climbDifference
	}
	return gradient
}

// step makes a step and returns by how much the value rises, 0 if no step climbs.
func (c *climber) step() (rise float64) {
	p := c.direction()
	next := make([]float64, len(p))
	for length, halvings := 1.0, 0; halvings < climbHalvings; length, halvings = length/2, halvings+1 {
		promised := 0.0
		for j := range next {
			next[j] = min(c.hi, max(c.lo, c.x[j]+length*p[j]))
			promised += c.gradient[j] * (next[j] - c.x[j])
		}
		value := c.at(next)
		if rise = value - c.value; rise > 0 && rise >= climbEnough*promised {
			c.move(next, value)
			return rise
		}
	}
	return 0
}

// direction returns the inverse Hessian times the gradient over the coordinates that are free to move. At a bound, a
// coordinate is not free if the gradient points out of the box.
func (c *climber) direction() []float64 {
	free := func(j int) bool {
		return !(c.x[j] == c.hi && c.gradient[j] > 0 || c.x[j] == c.lo && c.gradient[j] < 0)
	}
	p := make([]float64, len(c.x))
	for i := range p {
		for j, v := range c.inverse.Row(i) {
			if free(i) && free(j) {
				p[i] += v * c.gradient[j]
			}
		}
	}
	return p
}

// move goes to next, where the value is known, and updates the inverse Hessian: with s the step and y the fall of the gradient,
// H ← (I - syᵀ/sᵀy) H (I - ysᵀ/sᵀy) + ssᵀ/sᵀy.
func (c *climber) move(next []float64, value float64) {
	s, y := make([]float64, len(next)), make([]float64, len(next))
	floats.SubTo(s, next, c.x)
	before := c.gradient
	c.x, c.value = slices.Clone(next), value
	c.gradient = c.slope()
	floats.SubTo(y, before, c.gradient)
	sy := compute.Dot(s, y)
	if !(sy > climbCurvature*floats.Norm(s, 2)*floats.Norm(y, 2)) {
		return
	}
	hy := make([]float64, len(next))
	for i := range hy {
		hy[i] = compute.Dot(c.inverse.Row(i), y)
	}
	scale := (1 + compute.Dot(y, hy)/sy) / sy
	for i := range hy {
		row := c.inverse.Row(i)
		for j := range row {
			row[j] += scale*s[i]*s[j] - (s[i]*hy[j]+hy[i]*s[j])/sy
		}
	}
}
