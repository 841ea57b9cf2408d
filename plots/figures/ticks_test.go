package figures

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// manyLabels is more than any axis has.
const manyLabels = 100

func labels(ticks []Tick) string {
	var out []string
	for _, t := range ticks {
		if t.Label != "" {
			out = append(out, t.Label)
		}
	}
	return strings.Join(out, " ")
}

func TestTicks(t *testing.T) {
	for _, c := range []struct {
		name   string
		axis   Axis
		lo, hi float64 // in the axis's own numbers
		want   string
	}{
		{"unit", Axis{}, 0, 1, "0 0.2 0.4 0.6 0.8 1.0"},
		{"percent", Axis{}, 14, 31, "15 20 25 30"},
		{"negative", Axis{}, -1.02, 1.02, "−1.0 −0.5 0 0.5 1.0"},
		{"narrow", Axis{}, 0.1000, 0.1003, "0.10000 0.10005 0.10010 0.10015 0.10020 0.10025 0.10030"},
		{"large", Axis{}, 0, 3e6, "0 0.5×10^{6} 1.0×10^{6} 1.5×10^{6} 2.0×10^{6} 2.5×10^{6} 3.0×10^{6}"},
		{"small", Axis{}, 0, 4e-5, "0 1×10^{−5} 2×10^{−5} 3×10^{−5} 4×10^{−5}"},
		{"decades", Axis{Log: true}, 1, 1e4, "10^{0} 10^{1} 10^{2} 10^{3} 10^{4}"},
		{"decades between", Axis{Log: true}, 0.5, 300, "10^{0} 10^{1} 10^{2}"},
		{"many decades", Axis{Log: true}, 1e-12, 1e4, "10^{−12} 10^{−10} 10^{−8} 10^{−6} 10^{−4} 10^{−2} 10^{0} 10^{2} 10^{4}"},
		{"decimal decades", Axis{Log: true, Decimal: true}, 0.5, 120, "1 10 100"},
		{"two powers", Axis{Log: true}, 0.8, 60, "1 2 5 10 20 50"},
		{"two powers, too many multiples", Axis{Log: true}, 0.0011, 0.99, "10^{−2} 10^{−1}"},
		{"one decade inside", Axis{Log: true}, 0.3, 5, "0.5 1 2 5"},
		{"under a decade", Axis{Log: true}, 0.015, 0.09, "0.02 0.03 0.05 0.07"},
		{"under a decade, small", Axis{Log: true}, 1.5e-5, 9e-5, "2×10^{−5} 3×10^{−5} 5×10^{−5} 7×10^{−5}"},
		{"under a decade with its power", Axis{Log: true}, 0.9e5, 6e5, "10^{5} 2×10^{5} 5×10^{5}"},
		{"all digits", Axis{Log: true}, 3.9, 9.5, "4 5 6 7 8 9"},
		{"very narrow", Axis{Log: true}, 15.1, 15.9, "15.2 15.4 15.6 15.8"},
		{"very narrow, small", Axis{Log: true}, 2.51e-4, 2.58e-4, "2.52×10^{−4} 2.54×10^{−4} 2.56×10^{−4} 2.58×10^{−4}"},
	} {
		t.Run(c.name, func(t *testing.T) {
			assert.Equal(t, c.want, labels(c.axis.Ticks(c.axis.At(c.lo), c.axis.At(c.hi), manyLabels)))
		})
	}
}

// Every axis has two labels or more, not too many, all inside and in order.
func TestTicksOfAnyRange(t *testing.T) {
	for _, axis := range []Axis{{}, {Log: true}, {Log: true, Decimal: true}} {
		for _, lo := range []float64{-7.3, -2.5, -0.01, 0, 0.02, 0.7, 3, 123} {
			for length := 1e-3; length < 20; length *= 1.1 {
				n := 0
				for _, tick := range axis.Ticks(lo, lo+length, manyLabels) {
					if tick.Label == "" {
						continue
					}
					n++
					assert.True(t, tick.At >= lo-1e-6 && tick.At <= lo+length+1e-6, "tick %v on [%v, %v]", tick, lo, lo+length)
				}
				assert.True(t, n >= 2 && n <= 12, "%d labels on %+v from %g, length %g", n, axis, lo, length)
			}
		}
	}
}

func TestMinorTicksOfADecade(t *testing.T) {
	ticks := Axis{Log: true}.Ticks(0, 1, manyLabels)
	assert.Len(t, ticks, 10)
	assert.InDelta(t, math.Log10(2), ticks[1].At, 1e-15, "second mark of a decade is at 2, but for rounding")
}
