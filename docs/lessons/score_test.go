package lessons

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/plots/figures"
)

// A paper collects what a lesson shows, and types lines; without any it cannot be asked.
type paper struct {
	strings.Builder
	typed  []string
	charts []Chart
}

func (p *paper) Heading(text string) { fmt.Fprintln(p, "#", text) }
func (p *paper) Line(text string)    { fmt.Fprintln(p, text) }
func (p *paper) Chart(c Chart)       { p.charts = append(p.charts, c) }
func (p *paper) Text(markdown string) {
	for _, b := range Plain(markdown) {
		fmt.Fprintln(p, b.Text)
	}
}

func (p *paper) Ask(prompt string) (string, bool) {
	fmt.Fprintln(p, prompt)
	if len(p.typed) == 0 {
		return "", false
	}
	line := p.typed[0]
	p.typed = p.typed[1:]
	return line, true
}

// A prediction is right inside its interval, and its score falls with the distance.
func TestScoreOfANumber(t *testing.T) {
	p := &Predict{Kind: Number, Factor: 1.5, Wrong: []Wrong{{Near: new(float64)}}}
	*p.Wrong[0].Near = 100
	k := Key{Number: 10, Low: 9, High: 12, Says: []string{"a hundred"}}
	for x, want := range map[float64]bool{10: true, 9: true, 12: true, 17.9: true, 6.1: true, 18.1: false, 5.9: false, -1: false, 0: false} {
		assert.Equal(t, want, p.Score(k, Answer{Number: &x}).Right, x)
	}
	x, far := 20.0, math.Inf(1)
	assert.Greater(t, p.Score(k, Answer{Number: &x}).Part, p.Score(k, Answer{Number: &far}).Part)
	x = 95
	assert.True(t, strings.HasPrefix(p.Score(k, Answer{Number: &x}).Says, "a hundred"))
}

// A wrong curve is taken for a listed one only if it is that line, up to a twentieth of the axis.
func TestScoreOfACurve(t *testing.T) {
	wrong := Wrong{Slope: new(float64)}
	p := &Predict{Kind: Draw, At: []float64{1, 10, 100}, Y: [2]float64{0.001, 1}, Margin: 0.1, Wrong: []Wrong{wrong}, axes: &Chart{Curves: figures.Curves{X: figures.Axis{Log: true}, Y: figures.Axis{Log: true}}}}
	k := Key{Draw: []float64{1, 0.1, 0.01}, Says: []string{"a level line"}}
	says := func(slope float64) string { return p.Score(k, Answer{Draw: p.Straight(slope, 1)}).Says }
	assert.True(t, strings.HasPrefix(says(-0.07), "a level line"))
	assert.True(t, strings.HasPrefix(says(-0.08), "Your curve is"))
	assert.True(t, strings.HasPrefix(says(-0.95), "Right."))
	p.Wrong[0].Within = 0.3
	assert.True(t, strings.HasPrefix(says(-0.3), "a level line"))
	assert.True(t, strings.HasPrefix(says(-0.4), "Your curve is"))
	assert.True(t, strings.HasPrefix(p.Score(k, Answer{Draw: []float64{1, 0.3, 0.25}}).Says, "Your curve is"), "it bends")
}

// Drawings that fit no listed answer are told how far they are, and no reason that is not theirs: those of the lessons that fall and
// end, fall too little or too much, or go up and down.
func TestDrawingsThatNobodyListed(t *testing.T) {
	all, err := Read()
	require.NoError(t, err)
	asked := 0
	for _, l := range all {
		for _, p := range l.Predictions() {
			if p.Kind != Draw {
				continue
			}
			asked++
			k := Key{} // whatever was measured
			for i := range p.At {
				k.Draw = append(k.Draw, p.Y[i%2])
			}
			for range p.Wrong {
				k.Says = append(k.Says, "LISTED")
			}
			n := len(p.At)
			for name, part := range map[string]func(i int) float64{ // where on the axis, from 0 to 1
				"falls, then ends":  func(i int) float64 { return max(0.3, 1-0.7*float64(2*i)/float64(n-1)) },
				"stays, then falls": func(i int) float64 { return min(1, 1.8-1.6*float64(i)/float64(n-1)) },
				"up and down":       func(i int) float64 { return 0.4 + 0.3*float64(i%2) },
				"down and up":       func(i int) float64 { return math.Abs(0.9 - 1.8*float64(i)/float64(n-1)) },
				"a little":          func(i int) float64 { return 0.9 - 0.1*float64(i)/float64(n-1) },
				"rises":             func(i int) float64 { return 0.2 + 0.6*float64(i)/float64(n-1) },
			} {
				var drawn []float64
				for i := range n {
					drawn = append(drawn, p.Y[0]*math.Pow(p.Y[1]/p.Y[0], part(i)))
				}
				assert.NotContains(t, p.Score(k, Answer{Draw: drawn}).Says, "LISTED", "%s: %s: %s", l.Name, p.ID, name)
			}
			for i, w := range p.Wrong {
				assert.True(t, strings.HasPrefix(p.Score(k, Answer{Draw: p.Straight(*w.Slope, p.Y[1])}).Says, "LISTED"), "%s: %s: wrong %d", l.Name, p.ID, i+1)
			}
		}
	}
	assert.GreaterOrEqual(t, asked, 6)

	three := all[2].Predictions()[0]
	k := Key{Draw: []float64{30, 20, 0.3, 0.1, 0.01}, Says: []string{"LISTED", "LISTED"}}
	assert.True(t, strings.HasPrefix(three.Score(k, Answer{Draw: []float64{1, 0.6, 0.3, 0.2, 0.1}}).Says, "Your curve is"), "it makes progress")
}
