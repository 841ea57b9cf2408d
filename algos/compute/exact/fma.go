package exact

import (
	"math"
	"runtime"
)

// fma returns ab + c, rounded once. Programs for WebAssembly have no instruction for it, and math.FMA computes it there from integers, which
// takes twice as long as arithmetic.
func fma(a, b, c float64) float64 {
	if runtime.GOARCH == "wasm" {
		return fmaByParts(a, b, c)
	}
	return math.FMA(a, b, c)
}

// fmaByParts is math.FMA by sums of numbers and their errors [Boldo & Melquiond, Emulation of FMA and correctly rounded sums, 2008]: the
// part that ab and c lack of their sum is rounded to odd, so that the last sum rounds as if it were exact. It leaves very large and very
// small products to math.FMA.
func fmaByParts(a, b, c float64) float64 {
	const small, large = 0x1p-900, 0x1p900
	u := float64(a * b)
	if size := math.Abs(u); !(size > small && size < large && math.Abs(a) < large && math.Abs(b) < large && math.Abs(c) < large) {
		return math.FMA(a, b, c)
	}
	a1, a2 := halves(a)
	b1, b2 := halves(b)
	rest := float64(a2*b2) - (((u - float64(a1*b1)) - float64(a2*b1)) - float64(a1*b2)) // ab - u
	t, t2 := sumOf(c, rest)
	v, v2 := sumOf(u, t)
	odd, lost := sumOf(t2, v2)
	if bits := math.Float64bits(odd); lost != 0 && bits&1 == 0 {
		if (lost > 0) == (odd > 0) {
			bits++
		} else {
			bits--
		}
		odd = math.Float64frombits(bits)
	}
	return v + odd
}

// halves returns the upper 26 bits of x and the rest.
func halves(x float64) (high, low float64) {
	const shift = 1<<27 + 1
	high = float64(shift*x) - (float64(shift*x) - x)
	return high, x - high
}

// sumOf returns a + b, rounded, and its error.
func sumOf(a, b float64) (sum, lost float64) {
	sum = a + b
	of := sum - a
	return sum, (a - (sum - of)) + (b - of)
}
