package results

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestPrintedGivesTheRoundingInterval(t *testing.T) {
	tests := []struct {
		text             string
		value, low, high float64
	}{
		{"3.1", 3.1, 3.05, 3.15},
		{"15", 15, 14.5, 15.5},
		{"100", 100, 99.5, 100.5},
		{"2.97e-1", 0.297, 0.2965, 0.2975},
		{"2.17E-5", 2.17e-5, 2.165e-5, 2.175e-5},
		{"1.4e+5", 1.4e5, 1.35e5, 1.45e5},
		{".386", 0.386, 0.3855, 0.3865},
		{"0.70", 0.70, 0.695, 0.705},
		{"0", 0, -0.5, 0.5},
		{"-1", -1, -1.5, -0.5},
		{"−0.5", -0.5, -0.55, -0.45},
		{" +8. ", 8, 7.5, 8.5},
	}
	for _, test := range tests {
		t.Run(test.text, func(t *testing.T) {
			value, low, high, err := Printed(test.text)
			require.NoError(t, err)
			assert.Equal(t, [3]float64{test.value, test.low, test.high}, [3]float64{value, low, high})
		})
	}
}

func TestPrintedRefusesWhatIsNoDecimal(t *testing.T) {
	for _, text := range []string{"", ".", "-", "e5", "1/2", "3.1 %", "0x10", "Inf", "NaN", "1_000", "1e999", "1e9999", "99999999999999999999"} {
		_, _, _, err := Printed(text)
		assert.ErrorContains(t, err, "published", "%q", text)
	}
}

func TestRegionPlacesIntervals(t *testing.T) {
	closed := region{low: 1, high: 2}
	rounding := region{low: 1, high: 2, openHigh: true}
	below := region{low: math.Inf(-1), high: 1, openHigh: true}
	tests := []struct {
		name      string
		a         region
		low, high float64
		want      Word
	}{
		{"inside", closed, 1.2, 1.8, Reproduced},
		{"on the ends", closed, 1, 2, Reproduced},
		{"the upper end is outside", rounding, 1, 2, Inconclusive},
		{"the lower end is inside", rounding, 1, 1.999, Reproduced},
		{"touching from above", closed, 2, 3, Inconclusive},
		{"touching an outside end", rounding, 2, 3, Deviates},
		{"touching from below", rounding, 0, 1, Inconclusive},
		{"below", closed, 0, 0.9, Deviates},
		{"above", closed, 2.1, 3, Deviates},
		{"straddling both", closed, 0, 3, Inconclusive},
		{"better", below, 0.5, 0.9, Reproduced},
		{"worse", below, 1.1, 1.2, Deviates},
		{"either", below, 0.9, 1.1, Inconclusive},
		{"a tie is not better", below, 1, 1, Deviates},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			assert.Equal(t, test.want, test.a.place(Estimate{Low: test.low, High: test.high, N: 2}))
			assert.Equal(t, Inconclusive, test.a.place(Estimate{Low: test.low, High: test.high, N: 1}), "one seed decides nothing")
		})
	}
}
