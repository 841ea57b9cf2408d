package simd

import (
	"fmt"
	"math/bits"
)

// burst is the largest number of elements passed to one assembly call, at most 50 µs of work: the scheduler cannot preempt
// assembly.
const burst = 1 << 14

// cut splits z after burst elements.
func cut[T Float](z []T) (first, rest []T) {
	n := min(burst, len(z))
	return z[:n], z[n:]
}

// Cos replaces every z by s·cos(2πz). The argument is in turns, so that its reduction modulo 1 is exact. The error is below 2.6e-7·|s| for float32 and 4.5e-16·|s| for float64, beyond the rounding of z itself.
// Infinities and NaN give NaN.
//
// With r = z - rint(z) and y = 1/4 - |r|, cos(2πz) = sin(2πy), a polynomial odd in y.
func Cos[T Float](z []T, s T) { cosOverLead(z, s*sinLead[T]()) }

// cosOverLead replaces every z by s·cos(2πz)/sinLead.
func cosOverLead[T Float](z []T, s T) {
	for z, rest := cut(z); len(z) > 0; z, rest = cut(rest) {
		if f := kernelsOf[T]().cos; f != nil {
			f(first(z), len(z), s)
		} else {
			cosGeneric(z, s)
		}
	}
}

// Exp2 replaces every z by 2^(sz), by +Inf where it overflows, and by 0 below 2^(m+1/2), 2^m the smallest normal number: on
// some processors arithmetic with subnormal numbers takes a hundred times as long. The relative error, beyond the rounding of
// sz, is below 1.2e-7 for float32 and 2.3e-16 for float64. Other integer sz give exact powers; NaN stays NaN.
//
// With n = rint(sz) and f = sz - n, 2^(sz) = 2^n·2^f, 2^f by a polynomial.
func Exp2[T Float](z []T, s T) {
	for z, rest := cut(z); len(z) > 0; z, rest = cut(rest) {
		if f := kernelsOf[T]().exp2; f != nil {
			f(first(z), len(z), s)
		} else {
			exp2Generic(z, s)
		}
	}
}

// Log replaces every z by its natural logarithm, with a relative error below 1.1e-7 for float32 and
// 2e-16 for float64, subnormal z included. The logarithm of 1 is 0, that of ±0 -Inf, that of
// negative numbers and NaN NaN.
//
// With z = 2^e(1+f), 3/4 ≤ 1+f < 3/2, ln z = e·ln 2 + ln(1+f), the latter by a polynomial in f/(2+f).
func Log[T Float](z []T) {
	for z, rest := cut(z); len(z) > 0; z, rest = cut(rest) {
		if f := kernelsOf[T]().log; f != nil {
			f(first(z), len(z))
		} else {
			logGeneric(z)
		}
	}
}

// Sqrt replaces every z by its correctly rounded square root, the same bits everywhere.
func Sqrt[T Float](z []T) {
	for z, rest := cut(z); len(z) > 0; z, rest = cut(rest) {
		if f := kernelsOf[T]().sqrt; f != nil {
			f(first(z), len(z))
		} else {
			sqrtGeneric(z)
		}
	}
}

// ClampBelow replaces every z below lo by lo; NaN stays NaN. The same bits everywhere.
func ClampBelow[T Float](z []T, lo T) {
	for z, rest := cut(z); len(z) > 0; z, rest = cut(rest) {
		if f := kernelsOf[T]().clampBelow; f != nil {
			f(first(z), len(z), lo)
		} else {
			for i, v := range z {
				if v < lo {
					z[i] = lo
				}
			}
		}
	}
}

// Scale replaces every z by s·z, correctly rounded: the same bits everywhere.
func Scale[T Float](z []T, s T) {
	for z, rest := cut(z); len(z) > 0; z, rest = cut(rest) {
		if f := kernelsOf[T]().scale; f != nil {
			f(first(z), len(z), s)
		} else {
			for i := range z {
				z[i] *= s
			}
		}
	}
}

// Reciprocal replaces every z by 1/z, correctly rounded: the same bits everywhere.
func Reciprocal[T Float](z []T) {
	for z, rest := cut(z); len(z) > 0; z, rest = cut(rest) {
		if f := kernelsOf[T]().reciprocal; f != nil {
			f(first(z), len(z))
		} else {
			for i, v := range z {
				z[i] = 1 / v
			}
		}
	}
}

// Affine replaces every z by az + b. Vector code rounds once; portable code rounds the product and the sum. The error is
// below 2u(|az| + |b|), u = 2⁻²⁴ for float32 and 2⁻⁵³ for float64.
func Affine[T Float](z []T, a, b T) {
	for z, rest := cut(z); len(z) > 0; z, rest = cut(rest) {
		if f := kernelsOf[T]().affine; f != nil {
			f(first(z), len(z), a, b)
		} else {
			for i, v := range z {
				z[i] = T(a*v) + b
			}
		}
	}
}

// MulPoly replaces every z_i by z_i(c0 + t_i(c1 + c2·t_i)), and by 0 where z_i is 0, even if the
// polynomial is infinite or NaN. The error is below 5u|z|(|c0| + |c1·t| + |c2·t²|), u = 2⁻²⁴ for
// float32 and 2⁻⁵³ for float64, if these are normal numbers. It panics if t is shorter than z; t may be z.
func MulPoly[T Float](z, t []T, c0, c1, c2 T) {
	t = t[:len(z)]
	for z, rest := cut(z); len(z) > 0; z, rest = cut(rest) {
		if f := kernelsOf[T]().mulPoly; f != nil {
			f(first(z), len(z), first(t), c0, c1, c2)
		} else {
			mulPolyGeneric(z, t, c0, c1, c2)
		}
		t = t[len(z):]
	}
}

// Power replaces every z by z^n, n ≥ 0, by repeated squaring from the highest bit of n on, with the same bits everywhere.
// The relative error is below n·2⁻²⁴ for float32 and n·2⁻⁵³ for float64 if the power is a normal number and n < 2¹⁰. z⁰
// is 1, even for NaN. It panics if n is negative.
func Power[T Float](z []T, n int) {
	switch {
	case n < 0:
		panic(fmt.Sprintf("simd: Power: negative exponent %d", n))
	case n == 0:
		for i := range z {
			z[i] = 1
		}
		return
	case n == 1:
		return
	}
	steps := bits.Len(uint(n)) - 1
	exponent := uint64(n) << (64 - steps) // without its highest bit
	for z, rest := cut(z); len(z) > 0; z, rest = cut(rest) {
		if f := kernelsOf[T]().power; f != nil {
			f(first(z), len(z), exponent, steps)
		} else {
			powerGeneric(z, exponent, steps)
		}
	}
}
