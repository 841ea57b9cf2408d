package formats

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestCells holds what fields of tables say, with a decimal point and with a decimal comma, and what their marks are.
func TestCells(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for _, c := range []struct {
		text             string
		byPoint, byComma float64
		is               Cell
		marks            Marks
	}{
		{"0.5", 0.5, 0.5, Number, ByPoint},
		{"0,5", 0.5, 0.5, Number, ByComma},
		{"-1.", -1, -1, Number, ByPoint},
		{",25", 0.25, 0.25, Number, ByComma},
		{"1.5e3", 1500, 1500, Number, ByPoint},
		{"1,5e3", 1500, 1500, Number, ByComma},
		{"50,000", 50000, 50, Number, CommaIsAny},
		{"1.234", 1.234, 1234, Number, PointIsAny},
		{"-12.345", -12.345, -12345, Number, PointIsAny},
		{"0.125", 0.125, 0.125, Number, ByPoint},
		{"1234.567", 1234.567, 1234.567, Number, ByPoint},
		{"1,234,567", 1234567, 1234567, Number, ByPoint},
		{"1.234.567", 1234567, 1234567, Number, ByComma},
		{"100,251.46", 100251.46, 100251.46, Number, ByPoint},
		{"100.251,46", 100251.46, 100251.46, Number, ByComma},
		{"12,34", 12.34, 12.34, Number, ByComma},
		{"7", 7, 7, Number, Unmarked},
		{"1e306", 1e306, 1e306, Number, Unmarked},
		{"2^10", 1024, 1024, Number, Unmarked},
		{"10^-3", 1e-3, 1e-3, Number, Unmarked},
		{"1.7976931348623157e+308", inf, inf, NotFinite, ByPoint},
		{"-1.79769e+308", -inf, -inf, NotFinite, ByPoint},
		{"1e999", inf, inf, NotFinite, Unmarked},
		{"nan", nan, nan, NotFinite, Unmarked},
		{"-nan", nan, nan, NotFinite, Unmarked},
		{"-nan(ind)", nan, nan, NotFinite, Unmarked},
		{"NaN(0x8000)", nan, nan, NotFinite, Unmarked},
		{"1.#QNAN", nan, nan, NotFinite, Unmarked},
		{"-1.#IND00", nan, nan, NotFinite, Unmarked},
		{"1.#INF", inf, inf, NotFinite, Unmarked},
		{"-1.#INF000", -inf, -inf, NotFinite, Unmarked},
		{"-Infinity", -inf, -inf, NotFinite, Unmarked},
		{"", 0, 0, Missing, Unmarked},
		{"#N/A", 0, 0, Missing, Unmarked},
		{"<NA>", 0, 0, Missing, Unmarked},
		{"missing", 0, 0, Missing, Unmarked},
		{"NaT", 0, 0, Missing, Unmarked},
		{"00:18", 0, 0, Text, Unmarked},
		{"12.5%", 0, 0, Text, Unmarked},
		{"1.5D+00", 0, 0, Text, Unmarked},
		{"0x1p3", 0, 0, Text, Unmarked},
		{"1_000", 0, 0, Text, Unmarked},
		{"1,2,3", 0, 0, Text, Unmarked},
		{"1,23.5", 0, 0, Text, Unmarked},
		{"0,123,456", 0, 0, Text, Unmarked},
		{"3^2", 0, 0, Text, Unmarked},
		{"nan?", 0, 0, Text, Unmarked},
		{".", 0, 0, Text, Unmarked},
	} {
		for i, want := range []float64{c.byPoint, c.byComma} {
			v, is := ReadCell(c.text, ".,"[i])
			assert.Equal(t, c.is, is, c.text)
			if math.IsNaN(want) {
				assert.True(t, math.IsNaN(v), c.text)
			} else {
				assert.Equal(t, math.Float64bits(want), math.Float64bits(v), c.text)
			}
		}
		assert.Equal(t, c.marks, MarksOf(c.text), c.text)
	}
}
