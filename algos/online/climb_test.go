package online

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"

	"repro/algos/compute"
)

// climbFrom climbs from one start.
func climbFrom(start []float64, f func(x []float64) float64) (x []float64, value float64) {
	c := climb([][]float64{start}, -1, 1, each(f))[0]
	return c.x, c.value
}

// each turns a function of a point into one of the rows of a matrix.
func each(f func(x []float64) float64) func(compute.Matrix, []int) []float64 {
	return func(points compute.Matrix, _ []int) []float64 {
		v := make([]float64, points.Rows)
		for i := range v {
			v[i] = f(points.Row(i))
		}
		return v
	}
}

func TestClimb(t *testing.T) {
	bowl := func(x []float64) float64 { // a badly scaled bowl; its top has x_0 outside the box
		return 3 - 100*(x[0]-1.5)*(x[0]-1.5) - (x[1]-0.25)*(x[1]-0.25) - 0.5*(x[0]-1.5)*(x[1]-0.25)
	}
	// The top of the bowl at x_0 = 1 has x_1 - 0.25 = 0.125.
	x, value := climbFrom([]float64{-0.9, -0.9}, bowl)
	assert.Equal(t, 1.0, x[0])
	assert.InDelta(t, 0.375, x[1], 1e-3) // the search ends where it rises by less than 1e-9
	assert.Equal(t, bowl(x), value)

	valley := func(x []float64) float64 { // Rosenbrock's function
		return -(100*math.Pow(x[1]-x[0]*x[0], 2) + math.Pow(0.9-x[0], 2))
	}
	x, value = climbFrom([]float64{-0.5, 0.5}, valley)
	assert.Greater(t, value, -1e-4)
	assert.InDelta(t, 0.9, x[0], 1e-2)

	x, value = climbFrom([]float64{0.3}, func([]float64) float64 { return 7 })
	assert.Equal(t, []float64{0.3}, x)
	assert.Equal(t, 7.0, value)
}

// The search never returns less than its start, whatever the function.
func TestClimbNeverFalls(t *testing.T) {
	random := compute.NewStream(1, "climb", 0)
	for range 200 {
		a, b, jump := random.Normal(), random.Normal(), random.Float64()
		f := func(x []float64) float64 {
			v := math.Sin(5*a*x[0]) * math.Cos(5*b*x[1])
			if x[0] > jump {
				v -= 0.5
			}
			if a*b > 2 && x[1] > 0.9 {
				v = math.NaN()
			}
			return v
		}
		start := []float64{2*random.Float64() - 1, 1.9*random.Float64() - 1}
		x, value := climbFrom(start, f)
		assert.GreaterOrEqual(t, value, f(start))
		assert.LessOrEqual(t, max(math.Abs(x[0]), math.Abs(x[1])), 1.0)
		assert.Equal(t, f(x), value)
	}
}
