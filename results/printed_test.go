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

func TestNumbersForPeople(t *testing.T) {
	for v, want := range map[float64]string{
		0: "0", 0.123456: "0.1235", -2.5: "-2.5", 999.97: "1000", 4096: "4096", 9999.7: "10,000", -12345.6: "-12,346", 123456: "123,456",
		1e7: "10,000,000", 1e12: "1e12", 5.2431e13: "5.243e13", 1.23456e-5: "1.235e-5", 1e-10: "1e-10", 1e-100: "1e-100",
		math.Inf(1): "infinity", math.Inf(-1): "-infinity",
	} {
		assert.Equal(t, want, Number(v))
	}
	assert.Equal(t, "[12,345.5, 12,345.75)", region{low: 12345.5, high: 12345.75, openHigh: true}.String(), "bounds have the digits they need")
}

func TestRegionSaysHowAnIntervalLies(t *testing.T) {
	within, below := region{low: 1, high: 2}, region{low: math.Inf(-1), high: 10000, openHigh: true}
	most := region{low: math.Inf(-1), high: 1}
	for want, got := range map[string]string{
		"lies inside [1, 2]": within.relation(Reproduced), "lies outside [1, 2]": within.relation(Deviates), "straddles [1, 2]": within.relation(Inconclusive),
		"is below 10,000": below.relation(Reproduced), "is not below 10,000": below.relation(Deviates), "straddles 10,000": below.relation(Inconclusive),
		"is at most 1": most.relation(Reproduced),
	} {
		assert.Equal(t, want, got)
	}
}
