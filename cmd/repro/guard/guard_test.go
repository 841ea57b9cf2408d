package guard

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestAffordable(t *testing.T) {
	of := func(seconds ...float64) (all []further) {
		for _, s := range seconds {
			all = append(all, further{seconds: s})
		}
		return all
	}
	for _, test := range []struct {
		name   string
		needs  []float64
		budget float64
		n      int
		left   float64
	}{
		{"nothing to run", nil, 1, 0, 1},
		{"all", []float64{1, 2, 4}, 8, 3, 1},
		{"exactly", []float64{1, 2, 4}, 7, 3, 0},
		{"the cheapest two", []float64{1, 2, 4}, 6.5, 2, 3.5},
		{"the first is too dear", []float64{3, 3}, 2, 0, 2},
		{"no budget", []float64{1}, 0, 0, 0},
		{"no budget is needed", []float64{0, 0, 1}, 0, 2, 0},
		{"unknown cost", []float64{1, math.NaN()}, 8, 1, 7},
		{"endless cost", []float64{1, math.Inf(1)}, math.MaxFloat64, 1, math.MaxFloat64},
	} {
		t.Run(test.name, func(t *testing.T) {
			n, left := affordable(of(test.needs...), test.budget)
			assert.Equal(t, test.n, n)
			assert.Equal(t, test.left, left)
		})
	}
}
