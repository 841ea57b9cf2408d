package plots

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"

	"repro/results/claims"
)

// TestColoursOfAFigureDiffer: a method's colour is its own in every figure, unless it would come back
// in a figure that has colours enough for all its curves.
func TestColoursOfAFigureDiffer(t *testing.T) {
	var exp claims.Experiment
	for i := range len(curveColours) + 3 {
		exp.Methods = append(exp.Methods, claims.Method{ID: fmt.Sprint("m", i)})
	}
	styles := func(methods ...int) []int {
		b := &builder{exp: exp}
		for _, i := range methods {
			b.fig.Series = append(b.fig.Series, claims.Series{Method: exp.Methods[i].ID})
		}
		return b.styles()
	}
	n := len(curveColours)
	assert.Equal(t, []int{2, 0, 1}, styles(2, 0, 1))
	assert.Equal(t, []int{0, 1, 2}, styles(0, n, n+1), "late methods take free colours")
	assert.Equal(t, []int{1, 0}, styles(1, n+1), "also where theirs is taken")
	assert.Len(t, styles(), n+3, "every method")
	assert.Equal(t, n+2, styles()[n+2], "too many curves: colours come back with other dashes")
}
