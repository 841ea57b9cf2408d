package figures

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The hypotenuse of a triangle has the slope, the right angle is one, and no line goes through it.
func TestTriangles(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for trial := range 200 {
		sign := float64(1 - 2*(trial%2))
		c := &Curves{X: Axis{Log: true}, Y: Axis{Log: true}}
		for i := range 1 + trial%3 {
			order, l := sign*(float64(i)+0.5+rng.Float64()), Line{}
			for k := range 4 + rng.IntN(8) {
				x := math.Pow(2, float64(k))
				l.X, l.Y = append(l.X, x), append(l.Y, math.Exp(0.1*rng.NormFloat64()-float64(i))*math.Pow(x, order))
			}
			c.Lines = append(c.Lines, l)
			c.Guides = append(c.Guides, Guide{Slope: order, Triangle: true, Line: i})
		}
		d := Layout{Curves: c}
		var err error
		d.XR, err = d.RangeX()
		require.NoError(t, err)
		d.YR, err = d.RangeY()
		require.NoError(t, err)
		d.PlaceGuides()
		require.Len(t, d.GuideLines, len(c.Guides))
		for i, g := range d.GuideLines {
			a, b, right := g[0], g[1], g[2]
			assert.InDelta(t, c.Guides[i].Slope, (b.Y-a.Y)/(b.X-a.X), 1e-9)
			assert.True(t, right == Vertex{a.X, b.Y} || right == Vertex{b.X, a.Y})
			for k, l := range c.Lines {
				for _, v := range dense(d.Vertices(l)) {
					// barycentric coordinates: all positive inside
					u := (v.X - a.X) / (b.X - a.X)
					s := (v.Y - a.Y) / (b.Y - a.Y)
					inside := u > 0 && u < 1 && s > 0 && s < 1 && (s > u) == (right == Vertex{a.X, b.Y})
					assert.False(t, inside && k == i, fmt.Sprint("a triangle on its own line, trial ", trial))
				}
			}
		}
	}
}

// A triangle has no place beside a single point.
func TestTriangleWithoutALine(t *testing.T) {
	d := Layout{Curves: &Curves{X: Axis{Log: true}, Y: Axis{Log: true}, Lines: []Line{{X: []float64{1, 2}, Y: []float64{1, 2}}, {X: []float64{3}, Y: []float64{3}}}, Guides: []Guide{{Slope: 1, Triangle: true, Line: 1}}}}
	d.XR, d.YR = Interval{0, 1}, Interval{0, 1}
	d.PlaceGuides()
	assert.Equal(t, [][]Vertex{nil}, d.GuideLines)
}
