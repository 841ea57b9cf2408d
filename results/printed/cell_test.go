package printed

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
		{"0.5", 0.5, 0.5, IsNumber, ByPoint},
		{"0,5", 0.5, 0.5, IsNumber, ByComma},
		{"-1.", -1, -1, IsNumber, ByPoint},
		{",25", 0.25, 0.25, IsNumber, ByComma},
		{"1.5e3", 1500, 1500, IsNumber, ByPoint},
		{"1,5e3", 1500, 1500, IsNumber, ByComma},
		{"50,000", 50000, 50, IsNumber, CommaIsAny},
		{"1.234", 1.234, 1234, IsNumber, PointIsAny},
		{"-12.345", -12.345, -12345, IsNumber, PointIsAny},
		{"123.456", 123.456, 123456, IsNumber, PointIsAny},
		{"1.2345", 1.2345, 1.2345, IsNumber, ByPoint},
		{"0.125", 0.125, 0.125, IsNumber, ByPoint},
		{"1234.567", 1234.567, 1234.567, IsNumber, ByPoint},
		{"1,234,567", 1234567, 1234567, IsNumber, ByPoint},
		{"1.234.567", 1234567, 1234567, IsNumber, ByComma},
		{"100,251.46", 100251.46, 100251.46, IsNumber, ByPoint},
		{"100.251,46", 100251.46, 100251.46, IsNumber, ByComma},
		{"12,34", 12.34, 12.34, IsNumber, ByComma},
		{"7", 7, 7, IsNumber, Unmarked},
		{"1e306", 1e306, 1e306, IsNumber, Unmarked},
		{"2^10", 1024, 1024, IsNumber, Unmarked},
		{"10^-3", 1e-3, 1e-3, IsNumber, Unmarked},
		{"1.5e308", 1.5e308, 1.5e308, IsNumber, ByPoint},
		{"1.797e308", inf, inf, IsNotFinite, ByPoint},
		{"1.7976931348623157e+308", inf, inf, IsNotFinite, ByPoint},
		{"-1.79769e+308", -inf, -inf, IsNotFinite, ByPoint},
		{"1e999", inf, inf, IsNotFinite, Unmarked},
		{"nan", nan, nan, IsNotFinite, Unmarked},
		{"-nan", nan, nan, IsNotFinite, Unmarked},
		{"-nan(ind)", nan, nan, IsNotFinite, Unmarked},
		{"NaN(0x8000)", nan, nan, IsNotFinite, Unmarked},
		{"1.#QNAN", nan, nan, IsNotFinite, Unmarked},
		{"-1.#IND00", nan, nan, IsNotFinite, Unmarked},
		{"1.#INF", inf, inf, IsNotFinite, Unmarked},
		{"-1.#INF000", -inf, -inf, IsNotFinite, Unmarked},
		{"-Infinity", -inf, -inf, IsNotFinite, Unmarked},
		{"", 0, 0, IsMissing, Unmarked},
		{"#N/A", 0, 0, IsMissing, Unmarked},
		{"<NA>", 0, 0, IsMissing, Unmarked},
		{"missing", 0, 0, IsMissing, Unmarked},
		{"NaT", 0, 0, IsMissing, Unmarked},
		{"00:18", 0, 0, IsText, Unmarked},
		{"12.5%", 0, 0, IsText, Unmarked},
		{"1.5D+00", 0, 0, IsText, Unmarked},
		{"0x1p3", 0, 0, IsText, Unmarked},
		{"1_000", 0, 0, IsText, Unmarked},
		{"1,2,3", 0, 0, IsText, Unmarked},
		{"1,23.5", 0, 0, IsText, Unmarked},
		{"0,123,456", 0, 0, IsText, Unmarked},
		{"3^2", 0, 0, IsText, Unmarked},
		{"nan?", 0, 0, IsText, Unmarked},
		{".", 0, 0, IsText, Unmarked},
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
