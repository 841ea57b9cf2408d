package printed

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestParseGivesTheRoundingInterval(t *testing.T) {
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
			value, low, high, err := Parse(test.text)
			require.NoError(t, err)
			assert.Equal(t, [3]float64{test.value, test.low, test.high}, [3]float64{value, low, high})
		})
	}
}

func TestParseRefusesWhatIsNoDecimal(t *testing.T) {
	for _, text := range []string{"", ".", "-", "e5", "1/2", "3.1 %", "0x10", "Inf", "NaN", "1_000", "1e999", "1e9999", "999999999999999999", "-999999999999999999", "99999999999999999999"} {
		_, _, _, err := Parse(text)
		assert.ErrorContains(t, err, "published", "%q", text)
	}
}

func TestInPercentKeepsTheDigits(t *testing.T) {
	for fraction, want := range map[string]string{"0.153": "15.3", "0.10": "10", "0.2": "2e1", "1": "1e2", "0": "0e2", "0.0": "0e1", "-0.005": "-0.5", ".25": "25", "1.6e-3": "1.6e-1", "few": "few", "": ""} {
		assert.Equal(t, want, InPercent(fraction))
		_, low, high, err := Parse(fraction)
		if _, lowPercent, highPercent, _ := Parse(want); err == nil {
			assert.Equal(t, [2]float64{lowPercent, highPercent}, [2]float64{Scaled(low, 100), Scaled(high, 100)}, fraction)
		}
	}
}
