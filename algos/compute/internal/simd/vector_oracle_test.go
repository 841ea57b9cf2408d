package simd

import (
	"math"
	"math/big"
)

// An oracle is the value hi + lo of a function at v, far more accurate than the precision under test.
type oracle func(v float64) (hi, lo float64)

// pick returns the oracle for elements of type T.
func pick[T Float](single, double oracle) oracle {
	if isSingle[T]() {
		return single
	}
	return double
}

func isSingle[T Float]() bool {
	_, ok := any(T(0)).(float32)
	return ok
}

// multiple is s times an oracle.
func multiple(s float64, f oracle) oracle {
	return func(v float64) (float64, float64) {
		hi, lo := f(v)
		return s * hi, math.FMA(s, hi, -s*hi) + s*lo
	}
}

// For float32, functions of package math in float64 are exact.
func cosMath(v float64) (float64, float64) {
	return math.Sin(2 * math.Pi * (0.25 - math.Abs(v-math.RoundToEven(v)))), 0
}
func exp2Math(v float64) (float64, float64) { return math.Exp2(v), 0 }
func logMath(v float64) (float64, float64)  { return math.Log(v), 0 }
func powerMath(n int) oracle {
	return func(v float64) (float64, float64) { return math.Pow(v, float64(n)), 0 }
}
func reciprocalMath(v float64) (float64, float64) { return 1 / v, 0 }

// poly is the polynomial with coefficients c, none negative, at v ≥ 0.
func poly(c ...float64) oracle {
	return func(v float64) (float64, float64) {
		p := 0.0
		for i := len(c) - 1; i >= 0; i-- {
			p = p*v + c[i]
		}
		return p, 0
	}
}

// precision is that of the series for float64, in bits.
const precision = 160

// terms of each series leave less than 1e-35 of its sum.
const terms = 26

var (
	bigPi, _  = new(big.Float).SetPrec(precision).SetString("3.14159265358979323846264338327950288419716939937510582097494459")
	bigLn2, _ = new(big.Float).SetPrec(precision).SetString("0.693147180559945309417232121458176568075500134360255254120680009")
)

func bigOf(v float64) *big.Float       { return new(big.Float).SetPrec(precision).SetFloat64(v) }
func times(a, b *big.Float) *big.Float { return new(big.Float).SetPrec(precision).Mul(a, b) }
func plus(a, b *big.Float) *big.Float  { return new(big.Float).SetPrec(precision).Add(a, b) }

// split returns v as the sum of two numbers.
func split(v *big.Float) (hi, lo float64) {
	hi, _ = v.Float64()
	if math.IsInf(hi, 0) {
		return hi, 0
	}
	lo, _ = new(big.Float).SetPrec(precision).Sub(v, bigOf(hi)).Float64()
	return hi, lo
}

// series is Σ t_k, t_0 = first, t_k = t_{k-1}·x/divisor(k).
func series(first, x *big.Float, divisor func(k int) float64) *big.Float {
	sum, term := first, first
	for k := 1; k < terms; k++ {
		term = new(big.Float).SetPrec(precision).Quo(times(term, x), bigOf(divisor(k)))
		sum = plus(sum, term)
	}
	return sum
}

// cosSeries is sin(2πy) = Σ (-1)^k (2πy)^(2k+1)/(2k+1)!, y = 1/4 - |v - rint(v)| without rounding.
func cosSeries(v float64) (hi, lo float64) {
	y := plus(bigOf(0.25), bigOf(-math.Abs(v-math.RoundToEven(v))))
	x := times(times(bigOf(2), bigPi), y)
	return split(series(x, times(bigOf(-1), times(x, x)), func(k int) float64 { return float64(2 * k * (2*k + 1)) }))
}

// exp2Series is 2^n Σ (f ln 2)^k/k!.
func exp2Series(v float64) (hi, lo float64) {
	n := math.RoundToEven(v)
	sum := series(bigOf(1), times(bigLn2, bigOf(v-n)), func(k int) float64 { return float64(k) })
	return split(sum.SetMantExp(sum, int(n)))
}

// logSeries is n ln 2 + 2 Σ s^(2k+1)/(2k+1), s = (m-1)/(m+1), v = 2^n·m.
func logSeries(v float64) (hi, lo float64) {
	m, n := math.Frexp(v)
	if m < 0.75 {
		m, n = 2*m, n-1
	}
	s := new(big.Float).SetPrec(precision).Quo(plus(bigOf(m), bigOf(-1)), plus(bigOf(m), bigOf(1)))
	sum, power := bigOf(0), s
	for k := range terms {
		sum = plus(sum, new(big.Float).SetPrec(precision).Quo(power, bigOf(float64(2*k+1))))
		power = times(power, times(s, s))
	}
	return split(plus(times(bigOf(float64(n)), bigLn2), times(bigOf(2), sum)))
}

// powerProduct multiplies n times.
func powerProduct(n int) oracle {
	return func(v float64) (hi, lo float64) {
		p := bigOf(1)
		for range n {
			p = times(p, bigOf(v))
		}
		return split(p)
	}
}

func reciprocalBig(v float64) (hi, lo float64) {
	return split(new(big.Float).SetPrec(precision).Quo(bigOf(1), bigOf(v)))
}

// polyBig is poly, without the rounding of float64.
func polyBig(c ...float64) oracle {
	return func(v float64) (hi, lo float64) {
		p := bigOf(0)
		for i := len(c) - 1; i >= 0; i-- {
			p = plus(times(p, bigOf(v)), bigOf(c[i]))
		}
		return split(p)
	}
}
