package figures

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The panel of ratios has ours over the published curve where both are, read between our points as the line is drawn, with the errors of
// reading.
func TestRatio(t *testing.T) {
	c := &Curves{X: Axis{Label: "t", Log: true}, Y: Axis{Log: true}, Lines: []Line{
		{Label: "a", X: []float64{1, 100}, Y: []float64{2, 0.02}, Low: []float64{1, 0.01}, High: []float64{4, 0.04}},
		{Label: "beside", X: []float64{1, 100}, Y: []float64{9, 9}, Beside: true},
		{Label: "unpublished", Style: 1, X: []float64{1, 100}, Y: []float64{9, 9}},
	}, Marks: []Mark{
		{X: 0.5, Y: 1, Low: 1, High: 1, Read: true}, // before ours begins
		{X: 10, Y: 0.1, Low: 0.08, High: 0.16, Read: true},
		{X: 100, Y: 0.02, Low: -1, High: 0.04, Read: true},
		{X: 50, Y: 0.02, Low: 0.02, High: 0.02}, // a printed number
		{X: 60, Y: 0, Low: 0, High: 0.1, Read: true},
		{X: 400, Y: 1, Low: 1, High: 1, Read: true},
	}}
	r := c.ratio()
	require.NotNil(t, r)
	require.Len(t, r.Lines, 2, "the method and 1")
	assert.Equal(t, []float64{10, 100}, r.Lines[0].X)
	for i, want := range [][3]float64{{2, 1, 4}, {1, 0.5, 2}} { // on the straight line from 2 to 0.02, at 10 it is 0.2
		assert.InEpsilonSlice(t, want[:], []float64{r.Lines[0].Y[i], r.Lines[0].Low[i], r.Lines[0].High[i]}, 1e-12)
	}
	assert.InEpsilonSlice(t, []float64{0.2 / 0.16, 0.2 / 0.08}, []float64{r.Marks[0].Low, r.Marks[0].High}, 1e-12)
	assert.True(t, math.IsInf(r.Marks[1].High, 1), "the published value may be 0")
	assert.Equal(t, []float64{1, 100}, r.Lines[1].X)
	c.Marks = c.Marks[3:4]
	assert.Nil(t, c.ratio(), "no curve was published")
}
