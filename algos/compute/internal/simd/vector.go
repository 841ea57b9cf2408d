package simd

import (
	"fmt"
	"math"
	"math/bits"
	"unsafe"
)

// burst is the largest number of elements passed to one assembly call, at most 50 µs of work: the scheduler cannot preempt
// assembly.
const burst = 1 << 14

// inBursts calls vector with bursts of z and t and the parameters, or portable code if there is none. It hides both from escape analysis, as
// first does.
func inBursts[T Float](z, t []T, a, b, c T, vector vectorFunc[T], portable func(z, t []T, a, b, c T)) {
	for len(z) > 0 {
		n := min(burst, len(z))
		if vector != nil {
			vector(first(z), n, a, b, c, first(t))
		} else {
			portable(unsafe.Slice(first(z), n), unsafe.Slice(first(t), n), a, b, c)
		}
		z, t = z[n:], t[n:]
	}
}

// Cos replaces every z by s·cos(2πz). The argument is in turns, so that its reduction modulo 1 is exact. The error is below 2.6e-7·|s| for float32 and 4.5e-16·|s| for float64, beyond the rounding of z itself.
// Infinities and NaN give NaN.
//
// With r = z - rint(z) and y = 1/4 - |r|, cos(2πz) = sin(2πy), a polynomial odd in y.
func Cos[T Float](z []T, s T) { cosOverLead(z, s*sinLead[T]()) }

// cosOverLead replaces every z by s·cos(2πz)/sinLead.
func cosOverLead[T Float](z []T, s T) { inBursts(z, z, s, 0, 0, kernelsOf[T]().cos, cosGeneric) }

// Exp2 replaces every z by 2^(sz), by +Inf where it overflows, and by 0 below 2^(m+1/2), 2^m the smallest normal number: on
// some processors arithmetic with subnormal numbers takes a hundred times as long. The relative error, beyond the rounding of
// sz, is below 1.2e-7 for float32 and 2.3e-16 for float64. Other integer sz give exact powers; NaN stays NaN.
//
// With n = rint(sz) and f = sz - n, 2^(sz) = 2^n·2^f, 2^f by a polynomial.
func Exp2[T Float](z []T, s T) { inBursts(z, z, s, 0, 0, kernelsOf[T]().exp2, exp2Generic) }

// Log replaces every z by its natural logarithm, with a relative error below 1.1e-7 for float32 and
// 2e-16 for float64, subnormal z included. The logarithm of 1 is 0, that of ±0 -Inf, that of
// negative numbers and NaN NaN.
//
// With z = 2^e(1+f), 3/4 ≤ 1+f < 3/2, ln z = e·ln 2 + ln(1+f), the latter by a polynomial in f/(2+f).
func Log[T Float](z []T) { inBursts(z, z, 0, 0, 0, kernelsOf[T]().log, logGeneric) }

// Sqrt replaces every z by its correctly rounded square root, the same bits everywhere.
func Sqrt[T Float](z []T) { inBursts(z, z, 0, 0, 0, kernelsOf[T]().sqrt, sqrtGeneric) }

// ClampBelow replaces every z below lo by lo; NaN stays NaN. The same bits everywhere.
func ClampBelow[T Float](z []T, lo T) {
	inBursts(z, z, lo, 0, 0, kernelsOf[T]().clampBelow, clampGeneric)
}

// Scale replaces every z by s·z, correctly rounded: the same bits everywhere.
func Scale[T Float](z []T, s T) {
	inBursts(z, z, s, 0, 0, kernelsOf[T]().scale, scaleGeneric)
}

// Reciprocal replaces every z by 1/z, correctly rounded: the same bits everywhere.
func Reciprocal[T Float](z []T) {
	inBursts(z, z, 0, 0, 0, kernelsOf[T]().reciprocal, func(z, _ []T, _, _, _ T) {
		for i, v := range z {
			z[i] = 1 / v
		}
	})
}

// Affine replaces every z by az + b. Vector code rounds once; portable code rounds the product and the sum. The error is
// below 2u(|az| + |b|), u = 2⁻²⁴ for float32 and 2⁻⁵³ for float64.
func Affine[T Float](z []T, a, b T) {
	inBursts(z, z, a, b, 0, kernelsOf[T]().affine, affineGeneric)
}

// MulPoly replaces every z_i by z_i(c0 + t_i(c1 + c2·t_i)), and by 0 where z_i is 0, even if the
// polynomial is infinite or NaN. The error is below 5u|z|(|c0| + |c1·t| + |c2·t²|), u = 2⁻²⁴ for
// float32 and 2⁻⁵³ for float64, if these are normal numbers. It panics if t is shorter than z; t may be z.
func MulPoly[T Float](z, t []T, c0, c1, c2 T) {
	inBursts(z, t[:len(z)], c0, c1, c2, kernelsOf[T]().mulPoly, mulPolyGeneric)
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
	var vector vectorFunc[T]
	if f := kernelsOf[T]().power; f != nil {
		vector = func(z *T, n int, _, _, _ T, _ *T) { f(z, n, exponent, steps) }
	}
	inBursts(z, z, 0, 0, 0, vector, func(z, _ []T, _, _, _ T) { powerGeneric(z, exponent, steps) })
}

// The conversions around products prevent fused multiply-adds, so that the portable functions give the same bits on every
// platform.

// sinTurnsSingle and sinTurnsDouble are the minimax polynomials of sin(2πy)/y in powers of y² on |y| ≤ 1/4, divided by their
// leading coefficient. The leading coefficient, now 1, is not listed.
var (
	sinTurnsSingle = [...]float32{0.1580284877461715410881437, -1.039785232634715134127821, 2.052385113909460251051096,
		-1.926094228197970022131984}
	sinTurnsDouble = [...]float64{62.27328967612613063751262, -409.7418225718712858177255, 808.7979390731289926217023,
		-760.2395903851132690389201, 416.8480002053974912144313, -149.6045314118170906061122, 37.85969649533711264936351,
		-7.113532732719226818515372}
)

// sinLead returns the leading coefficient by which sinTurnsSingle or sinTurnsDouble is divided.
func sinLead[T Float]() T {
	return coefficients[T]([]float32{39.75982666015625}, []float64{0.10089695501646811163})[0]
}

// cosGeneric keeps the coefficients in variables, which WebAssembly has instead of registers.
func cosGeneric[T Float](z, _ []T, s, _, _ T) {
	c := coefficients[T](sinTurnsSingle[:], sinTurnsDouble[:])
	c0, c1, c2, c3 := c[0], c[1], c[2], c[3]
	var c4, c5, c6, c7 T
	double := len(c) == len(sinTurnsDouble)
	if double {
		c4, c5, c6, c7 = c[4], c[5], c[6], c[7]
	}
	for i, v := range z {
		r := v - T(math.RoundToEven(float64(v)))
		y := 0.25 - T(math.Abs(float64(r)))
		u := T(y * y)
		p := u + c3
		if double {
			p = u + c7
			p = T(p*u) + c6
			p = T(p*u) + c5
			p = T(p*u) + c4
			p = T(p*u) + c3
		}
		p = T(p*u) + c2
		p = T(p*u) + c1
		p = T(p*u) + c0
		z[i] = T(s*y) * p
	}
}

// exp2Single and exp2Double are the minimax polynomials of 2^f in powers of f on |f| ≤ 1/2, among those with value 1 at 0.
var (
	exp2Single = [...]float32{1, 0.69314720670283259577, 0.24022650922288758071, 0.055503272266703020589,
		0.0096180566785246380754, 0.001340042817761583794, 0.00015461444698569129083}
	exp2Double = [...]float64{1, 0.69314718055994530925, 0.24022650695910159567, 0.055504108664821627039, 0.0096181291075872566681,
		0.0013333558146406470697, 0.00015403530463724354209, 0.000015252733841556772589, 1.3215432535912376166e-6,
		1.0178057087733941105e-7, 7.0741942972885210056e-9, 4.455817908336064493e-10}
)

func exp2Generic[T Float](z, _ []T, s, _, _ T) {
	c := coefficients[T](exp2Single[:], exp2Double[:])
	c0, c1, c2, c3, c4, c5, c6 := c[0], c[1], c[2], c[3], c[4], c[5], c[6] // as in cosGeneric
	var c7, c8, c9, c10, c11 T
	double := len(c) == len(exp2Double)
	if double {
		c7, c8, c9, c10, c11 = c[7], c[8], c[9], c[10], c[11]
	}
	flushed := float64(coefficients[T]([]float32{-126}, []float64{-1022})[0])
	for i, v := range z {
		v = T(s * v)
		if v > 1100 { // min would cost more
			v = 1100 // the result is +Inf
		}
		n := math.RoundToEven(float64(v))
		if n <= flushed {
			z[i] = 0
			continue
		}
		u := v - T(n)
		p := c6
		if double {
			p = c11
			p = T(p*u) + c10
			p = T(p*u) + c9
			p = T(p*u) + c8
			p = T(p*u) + c7
			p = T(p*u) + c6
		}
		p = T(p*u) + c5
		p = T(p*u) + c4
		p = T(p*u) + c3
		p = T(p*u) + c2
		p = T(p*u) + c1
		p = T(p*u) + c0
		h := int(n) / 2 // arbitrary if n is NaN, but then p is NaN too
		// The products are exact, unless they overflow.
		z[i] = T(float64(p) * powerOfTwo(h) * powerOfTwo(int(n)-h))
	}
}

// powerOfTwo is 2^n for -1022 ≤ n ≤ 1023.
func powerOfTwo(n int) float64 { return math.Float64frombits(uint64(1023+n) << 52) }

// atanhSingle and atanhDouble interpolate (ln((1+s)/(1-s)) - 2s)/s³ at the Chebyshev points of s² ≤ 1/25, in powers of s².
var (
	atanhSingle = [...]float32{0.66666666277190652783, 0.40000311250704580209, 0.28532744768803826307, 0.23747344538291252762}
	atanhDouble = [...]float64{0.66666666666666664228, 0.40000000000007800551, 0.28571428567339189263, 0.2222222303780724188,
		0.18181738454723025579, 0.15388834677801915069, 0.13210360485132619827, 0.13604015707124077458}
)

// ln2Single and ln2Double are ln 2 as the sum of two parts. The product of the first part with an exponent is exact.
var (
	ln2Single = [...]float32{0.693145751953125, 1.4286068203094172321e-6}
	ln2Double = [...]float64{0.693147180559890330187045, 5.497923018708371174712472e-14}
)

func logGeneric[T Float](z, _ []T, _, _, _ T) {
	c := coefficients[T](atanhSingle[:], atanhDouble[:])
	ln2 := coefficients[T](ln2Single[:], ln2Double[:])
	for i, v := range z {
		if !(v > 0) || math.IsInf(float64(v), 1) {
			z[i] = T(math.Log(float64(v)))
			continue
		}
		m, n := math.Frexp(float64(v))
		if m < 0.75 {
			m *= 2
			n--
		}
		e, f := T(n), T(m-1)
		y, h := f/(2+f), 0.5*f
		u := T(y * y)
		hf := T(h * f)
		y = T(y*(hf+T(u*horner(c, u)))) - hf
		z[i] = T(e*ln2[0]) + (f + (y + T(e*ln2[1])))
	}
}

func clampGeneric[T Float](z, _ []T, lo, _, _ T) {
	for i, v := range z {
		if v < lo {
			z[i] = lo
		}
	}
}

func scaleGeneric[T Float](z, _ []T, s, _, _ T) {
	for i := range z {
		z[i] *= s
	}
}

func affineGeneric[T Float](z, _ []T, a, b, _ T) {
	for i, v := range z {
		z[i] = T(a*v) + b
	}
}

func sqrtGeneric[T Float](z, _ []T, _, _, _ T) {
	for i, v := range z {
		z[i] = T(math.Sqrt(float64(v))) // the double rounding is exact: float64 has at least 2·24 + 2 bits
	}
}

func powerGeneric[T Float](z []T, exponent uint64, steps int) {
	for i, v := range z {
		p := v
		for k := range steps {
			p *= p
			if exponent<<k>>63 == 1 {
				p *= v
			}
		}
		z[i] = p
	}
}

func mulPolyGeneric[T Float](z, t []T, c0, c1, c2 T) {
	for i, v := range z {
		p := v * (c0 + T(t[i]*(c1+T(c2*t[i]))))
		if v == 0 {
			p = 0
		}
		z[i] = p
	}
}

// coefficients returns single or double, whichever has elements of type T.
func coefficients[T Float](single []float32, double []float64) []T {
	if c, ok := any(single).([]T); ok {
		return c
	}
	return any(double).([]T)
}

// horner returns the value at u of the polynomial with coefficients c.
func horner[T Float](c []T, u T) T {
	p := c[len(c)-1]
	for i := len(c) - 2; i >= 0; i-- {
		p = T(p*u) + c[i]
	}
	return p
}
