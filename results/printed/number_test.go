package printed

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
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
