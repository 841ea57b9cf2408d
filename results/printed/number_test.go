package printed

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestNumbersForPeople(t *testing.T) {
	for v, want := range map[float64]string{
		0: "0", 0.123456: "0.1235", -2.5: "-2.5", 999.97: "1000", 4096: "4096", -4096: "-4096", 9999.7: "10,000", -12345.6: "-12,346", 123456: "123,456", -123456: "-123,456",
		1e7: "10,000,000", 1e12: "1e12", 5.2431e13: "5.243e13", 1.23456e-5: "1.235e-5", 1e-10: "1e-10", 1e-100: "1e-100",
		math.Inf(1): "infinity", math.Inf(-1): "-infinity",
	} {
		assert.Equal(t, want, Number(v))
	}
}

func TestLike(t *testing.T) {
	for _, c := range []struct {
		printed string
		v       float64
		want    string
	}{
		{"3.2e-2", 0.02413, "2.41e-2"}, {"1e-4", 2.5e-12, "2.5e-12"}, {"1.0E3", 1234, "1.23e3"}, {"0.0000", 3.4e-6, "0.00000"},
		{"2.03", 2.0651, "2.065"}, {"5", 4.26, "4.3"}, {"-1.5", -2, "-2.00"},
	} {
		assert.Equal(t, c.want, Like(c.printed, c.v), c.printed)
	}
}

func TestScaledDropsRoundingErrors(t *testing.T) {
	assert.Equal(t, 14.0, Scaled(0.14, 100))
	assert.Equal(t, 15.34, Scaled(0.1534, 100))
	assert.Equal(t, 12.3456789012345, Scaled(0.123456789012345, 100))
	assert.Equal(t, 0.1, Scaled(0.1, 1))
	assert.Equal(t, math.Inf(1), Scaled(math.Inf(1), 100))
}

func TestExact(t *testing.T) {
	for v, want := range map[float64]string{
		0: "0", 63: "63", 1000: "1,000", -36864: "-36,864", 0.00390625: "0.00390625", 5e-5: "0.00005", 1e-6: "1e-6", 1 << 20: "1,048,576", 1e6: "1 million",
		8.1e6: "8.1 million", 1.01e6: "1,010,000", 1e12: "1e12", 2e12: "2e12", 1e11: "100,000 million",
	} {
		assert.Equal(t, want, Exact(v))
	}
}

func TestNumeral(t *testing.T) {
	for written, want := range map[string]float64{
		"1000": 1000, "1,000": 1000, "36,864": 36864, "0.5": 0.5, "1e3": 1000, "10^3": 1000, "10^{-3}": 1e-3, "2^20": 1 << 20, "10³": 1000,
		"10⁻³": 1e-3, "5·10^3": 5000, "2.5 × 10^6": 2.5e6, "ten": 10, "Ten thousand": 10000, "7 million": 7e6, "a million": 1e6,
	} {
		v, ok := Numeral(written)
		assert.True(t, ok, written)
		assert.InEpsilon(t, want, v, 1e-12, written) // powers round
	}
	for _, other := range []string{"", "n", "a", "1,00", "features", "1000 rows", "step.gamma0"} {
		_, ok := Numeral(other)
		assert.False(t, ok, other)
	}
}

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

func TestQuantitiesForPeople(t *testing.T) {
	for seconds, want := range map[float64]string{
		-1: "unknown", 0: "< 0.01 s", 0.001: "< 0.01 s", 0.5: "0.50 s", 2.34: "2.3 s", 61: "61 s", 600: "10 min", 4500: "75 min", 9000: "2.5 h", 129600: "36.0 h", 400000: "4.6 days",
	} {
		assert.Equal(t, want, Duration(seconds))
	}
	for n, want := range map[float64]string{-1: "unknown", 5: "5 B", 12: "12 B", 1234: "1.2 kB", 999999: "1.0 MB", 2.5e10: "25 GB", 5e12: "5.0 TB", 2e15: "2000 TB"} {
		assert.Equal(t, want, Bytes(n))
	}
	assert.Equal(t, "a, b, c", List([]string{"a", "b", "c"}))
	assert.Equal(t, "a, b, c and 1 more", List([]string{"a", "b", "c", "d"}))
}
