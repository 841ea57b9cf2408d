// Package exact computes functions to the same bits on every platform: with additions, multiplications, divisions and math.FMA,
// which are exactly rounded, and explicit conversions that keep compilers from fusing others. Functions of package math may differ
// in the last bit from one processor to another: Go has code of its own for the exponential on amd64, on arm64 and elsewhere.
// Everything that a record or a row of data depends on uses this package, so that both are the same everywhere.
package exact

import "math"

// Taylor coefficients, by Horner's rule: the first omitted terms are below 2⁻⁵⁷ of the sum
// for |z| ≤ π/4 (sine, cosine) and |z| ≤ ln(2)/2 (exponential).
var (
	cosTaylor = [...]float64{1, -1. / 2, 1. / 24, -1. / 720, 1. / 40320, -1. / 3628800, 1. / 479001600, -1. / 87178291200, 1. / 20922789888000}
	sinTaylor = [...]float64{1, -1. / 6, 1. / 120, -1. / 5040, 1. / 362880, -1. / 39916800, 1. / 6227020800, -1. / 1307674368000, 1. / 355687428096000}
	expTaylor = [...]float64{1, 1, 1. / 2, 1. / 6, 1. / 24, 1. / 120, 1. / 720, 1. / 5040, 1. / 40320, 1. / 362880, 1. / 3628800, 1. / 39916800, 1. / 479001600, 1. / 6227020800}
)

// The series of atanh(z)/z in z², by Horner's rule: the first omitted term is below 2⁻⁶⁰ of the sum for |z| ≤ 3 - √8.
var atanhSeries = [...]float64{1, 1. / 3, 1. / 5, 1. / 7, 1. / 9, 1. / 11, 1. / 13, 1. / 15, 1. / 17, 1. / 19, 1. / 21}

// horner evaluates Σ c[k] uᵏ without fused operations.
func horner(c []float64, u float64) float64 {
	v := c[len(c)-1]
	for k := len(c) - 2; k >= 0; k-- {
		v = float64(v*u) + c[k]
	}
	return v
}

// CosQuarters returns the cosine of r quarter turns, r ≥ 0. The reduction r = q + t is exact.
func CosQuarters(r float64) float64 {
	q := math.RoundToEven(r)
	z := float64((r - q) * (math.Pi / 2))
	u := float64(z * z)
	switch math.Mod(q, 4) {
	case 0:
		return horner(cosTaylor[:], u)
	case 1:
		return -float64(z * horner(sinTaylor[:], u))
	case 2:
		return -horner(cosTaylor[:], u)
	default: // 3, or not a number
		return float64(z * horner(sinTaylor[:], u))
	}
}

// ExpNegative returns exp(-a) for a ≥ 0.
func ExpNegative(a float64) float64 {
	if a > 745 { // below half the smallest float64
		return 0
	}
	// ln 2 in two parts, so that k·ln2High is exact for k below 2²¹.
	const ln2High, ln2Low = 6.93147180369123816490e-01, 1.90821492927058770002e-10
	k := math.RoundToEven(float64(a * (1 / math.Ln2)))
	z := float64(a-float64(k*ln2High)) - float64(k*ln2Low)
	return math.Ldexp(horner(expTaylor[:], -z), -int(k))
}

// Power returns x^(-a) for x ≥ 1 and a ≥ 0. Its relative error is below 2⁻⁵¹·(1 + a·ln x).
func Power(x, a float64) float64 { return ExpNegative(float64(a * log(x))) }

// log returns ln x for a normal x > 0: with x = m·2ᵏ, √½ ≤ m < √2, it is k·ln 2 + 2·atanh((m - 1)/(m + 1)).
func log(x float64) float64 {
	m, k := math.Frexp(x)
	if m < math.Sqrt2/2 {
		m, k = 2*m, k-1
	}
	z := (m - 1) / (m + 1)
	return float64(float64(k)*math.Ln2) + float64(2*float64(z*horner(atanhSeries[:], float64(z*z))))
}
