package lessons

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

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
