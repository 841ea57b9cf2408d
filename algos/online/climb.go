package online

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"repro/algos/compute"
)

const (
	climbIterations = 40
	climbShortest   = 0x1p-30 // length of a step, as a share of the full one, that is not tried
	climbFirst      = 0.5     // length of the first step
	climbEnough     = 1e-4    // part of the rise that the gradient promises, with which a step is taken
	climbEnd        = 1e-9    // relative rise that ends the search
	climbDifference = 1e-7    // of the forward differences; their error is about as large
	climbCurvature  = 1e-10   // smallest sᵀy/(|s||y|) of a step that says something of the curvature
)

// A climber searches a large value of a function in the box [lo, hi]^d by a projected quasi-Newton method. The gradient is of forward
// differences. The inverse Hessian of BFGS is restricted to the coordinates that are free to move [Bertsekas, Projected Newton methods,
// SIAM J. Control and Optimization 20, 1982], and a step is halved until it climbs enough. Values never fall.
//
// The methods of gonum's package optimize have no bounds, and they call the function on goroutines of their own, where a
// panic would end the process.
type climber struct {
	lo, hi   float64
	x        []float64
	value    float64
	gradient []float64
	inverse  compute.Matrix // of the negative Hessian

	step      []float64 // the last one
	direction []float64
	length    float64   // as a share of direction, of the step that is tried
	next      []float64 // where it leads; nil while the gradient at x is asked for
	promised  float64   // its rise, by the gradient
	steps     int
	done      bool
}

// climb returns a climber from each start, with the best point that it has seen. f returns the values at the rows of a matrix, each
// for the climber of that number: a call has what all climbers ask for that have not ended.
func climb(starts [][]float64, lo, hi float64, f func(points compute.Matrix, of []int) []float64) []*climber {
	all := make([]*climber, len(starts))
	for i, start := range starts {
		all[i] = &climber{lo: lo, hi: hi, next: slices.Clone(start)}
	}
	for {
		var points, values []float64
		var of []int
		for i, c := range all {
			asked := c.asks()
			points = append(points, asked...)
			of = append(of, slices.Repeat([]int{i}, len(asked)/len(starts[i]))...)
		}
		if len(of) == 0 {
			return all
		}
		values = f(compute.Matrix{Rows: len(of), Cols: len(starts[0]), Stride: len(starts[0]), Data: points}, of)
		for first := 0; first < len(of); {
			last := first
			for last < len(of) && of[last] == of[first] {
				last++
			}
			all[of[first]].told(values[first:last])
			first = last
		}
	}
}

// asks returns the points whose values the climber waits for, one after another: the next one, or those of the gradient.
func (c *climber) asks() (points []float64) {
	switch {
	case c.done:
		return nil
	case c.next != nil:
		return c.next
	}
	for j := range c.x {
		points = append(points, c.x...)
		points[len(points)-len(c.x)+j] += climbDifference
	}
	return points
}

// told goes on with the values that the climber asked for.
func (c *climber) told(values []float64) {
	switch {
	case c.next == nil:
		c.turn(values)
	case c.x == nil:
		c.x, c.value, c.next = c.next, values[0], nil
	default:
		rise := values[0] - c.value
		if !(rise > 0 && rise >= climbEnough*c.promised) {
			c.length /= 2
			c.try()
			return
		}
		c.step = make([]float64, len(c.x))
		floats.SubTo(c.step, c.next, c.x)
		c.x, c.value, c.next, c.steps = c.next, values[0], nil, c.steps+1
		c.done = c.steps == climbIterations || !(rise > climbEnd*(1+math.Abs(c.value)))
	}
}

// turn takes the values beside x for a new gradient and goes on in a new direction.
func (c *climber) turn(values []float64) {
	before := c.gradient
	c.gradient = make([]float64, len(values))
	for j, v := range values {
		c.gradient[j] = (v - c.value) / climbDifference
	}
	if before == nil {
		c.inverse = compute.NewMatrix(len(values), len(values))
		for j := range values {
			c.inverse.Set(j, j, climbFirst/floats.Norm(c.gradient, 2))
		}
	} else {
		c.update(before)
	}
	c.direction, c.length = c.ascent(), 1
	c.try()
}

// try asks for the value at the end of the step of the length, or ends if it is too short.
func (c *climber) try() {
	if c.length <= climbShortest {
		c.done = true
		return
	}
	c.next, c.promised = make([]float64, len(c.x)), 0
	for j := range c.next {
		c.next[j] = min(c.hi, max(c.lo, c.x[j]+c.length*c.direction[j]))
		c.promised += c.gradient[j] * (c.next[j] - c.x[j])
	}
}

// ascent returns the inverse Hessian times the gradient over the coordinates that are free to move. At a bound, a
// coordinate is not free if the gradient points out of the box.
func (c *climber) ascent() []float64 {
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

// update updates the inverse Hessian: with s the last step and y the fall of the gradient since before,
// H ← (I - syᵀ/sᵀy) H (I - ysᵀ/sᵀy) + ssᵀ/sᵀy.
func (c *climber) update(before []float64) {
	s, y := c.step, make([]float64, len(before))
	floats.SubTo(y, before, c.gradient)
	sy := compute.Dot(s, y)
	if !(sy > climbCurvature*floats.Norm(s, 2)*floats.Norm(y, 2)) {
		return
	}
	hy := make([]float64, len(y))
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
