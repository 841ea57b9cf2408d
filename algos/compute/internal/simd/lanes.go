package simd

import "math"

// What package lanes needs to know of portable code.

// Coefficients returns those of Cos and Exp2 for elements of 4 or 8 bytes.
func Coefficients(bytes int) (cos, exp2 []float64) {
	if bytes == 4 {
		return wide(sinTurnsSingle[:]), wide(exp2Single[:])
	}
	return sinTurnsDouble[:], exp2Double[:]
}

// NormalCoefficients returns those of the logarithm and the sine of Normals.
func NormalCoefficients() (log, sin []float64) { return wide(log2Poly[:]), wide(sinTurnPoly[:]) }

// MinusTwoLn2 is the factor of the logarithm in Normals.
const MinusTwoLn2 = -2 * math.Ln2

func wide(c []float32) []float64 {
	w := make([]float64, len(c))
	for i, v := range c {
		w[i] = float64(v)
	}
	return w
}
