package formats

import (
	"math"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestLeadingNumber compares numbers of all lengths and sizes with strconv, bit for bit.
func TestLeadingNumber(t *testing.T) {
	texts := []string{
		"0", "-0", "+0.0", "1.", ".5", "-.5e3", "9007199254740991", "9007199254740992", "9007199254740993", "1e22", "1e23", "1e-22", "1e-23",
		"00000000000000000000001.5", "0.00000000000000000000000000001", "1E+5", "1.7976931348623157e308", "5e-324", "2e-400", "18446744073709551616", "123456789012345678901234567890",
	}
	r := rand.New(rand.NewPCG(3, 4))
	for range 20000 {
		v := r.NormFloat64() * math.Pow(10, float64(r.IntN(60)-30))
		texts = append(texts, strconv.FormatFloat(v, "gef"[r.IntN(3)], r.IntN(20), 64))
	}
	for _, s := range texts {
		want, err := strconv.ParseFloat(s, 64)
		got, n := leadingNumber([]byte(s + ",7"))
		if assert.NoError(t, err, s) {
			assert.Equal(t, len(s), n, s)
			assert.Equal(t, math.Float64bits(want), math.Float64bits(got), s)
		}
	}
	for _, s := range []string{"", ".", "-", "e5", "1e", "1e+", "x", ",1", " 1", "\"1\"", "nan", "inf", "1e400", "-1e309"} {
		_, n := leadingNumber([]byte(s))
		assert.Equal(t, 0, n, s)
	}
}
