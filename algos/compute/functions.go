package compute

import "repro/algos/compute/internal/simd"

// Float is the element type of a tile.
type Float = simd.Float

// A Step replaces every element of a tile by a function of it, in double and in single precision: the epilogue of a fused
// kernel consists of steps. Several goroutines call them at a time.
type Step struct {
	Double func(z []float64)
	Single func(z []float32)

	// One of these is not 0 if the step is 2^(Exponent·z) or Amplitude·cos(2πz).
	Exponent, Amplitude float64
}

// SqrtStep is √z, correctly rounded.
func SqrtStep() Step { return Step{Double: simd.Sqrt[float64], Single: simd.Sqrt[float32]} }

// ReciprocalStep is 1/z, correctly rounded.
func ReciprocalStep() Step {
	return Step{Double: simd.Reciprocal[float64], Single: simd.Reciprocal[float32]}
}

// Exp2Step is 2^(az). See Exp2.
func Exp2Step(a float64) Step {
	return Step{Exponent: a, Double: func(z []float64) { simd.Exp2(z, a) }, Single: func(z []float32) { simd.Exp2(z, float32(a)) }}
}

// CosStep is a·cos(2πz). See CosTurns.
func CosStep(a float64) Step {
	return Step{Amplitude: a, Double: func(z []float64) { simd.Cos(z, a) }, Single: func(z []float32) { simd.Cos(z, float32(a)) }}
}

// AffineStep is az + b.
func AffineStep(a, b float64) Step {
	return Step{Double: func(z []float64) { simd.Affine(z, a, b) }, Single: func(z []float32) { simd.Affine(z, float32(a), float32(b)) }}
}

// PowerStep is z^n, by repeated squaring. It panics if n is negative.
func PowerStep(n int) Step {
	return Step{Double: func(z []float64) { simd.Power(z, n) }, Single: func(z []float32) { simd.Power(z, n) }}
}

// epilogueOf returns the function that makes steps in one precision, nil if there are none.
func epilogueOf[T Float](steps ...Step) func([]T) {
	of := func(s Step) func([]T) { return either[func([]T)](s.Single, s.Double) }
	switch len(steps) {
	case 0:
		return nil
	case 1:
		return of(steps[0])
	}
	first, then := of(steps[0]), epilogueOf[T](steps[1:]...)
	return func(z []T) {
		first(z)
		then(z)
	}
}

// either returns the one of two functions that has the type F: that of single or that of double precision.
func either[F any](single, double any) F {
	if f, ok := single.(F); ok {
		return f
	}
	return double.(F)
}

// The functions below are what steps of other formulas are made of. They work in place. AVX2, AVX-512 and NEON
// code gives the same bits, and a result does not depend on the length of z or the position in it. Package simd states and
// tests their errors.

// CosTurns replaces every z by s·cos(2πz). The argument is in turns, so that its reduction modulo 1 is exact.
// Infinities and NaN give NaN.
func CosTurns[T Float](z []T, s T) { simd.Cos(z, s) }

// Exp2 replaces every z by 2^(sz). Results may be subnormal.
func Exp2[T Float](z []T, s T) { simd.Exp2(z, s) }

// Log replaces every z by its natural logarithm: -Inf for 0, NaN for negative z.
func Log[T Float](z []T) { simd.Log(z) }

// Sqrt replaces every z by its correctly rounded square root, NaN for negative z.
func Sqrt[T Float](z []T) { simd.Sqrt(z) }

// Scale replaces every z by s·z.
func Scale[T Float](z []T, s T) { simd.Scale(z, s) }

// Affine replaces every z by a·z + b.
func Affine[T Float](z []T, a, b T) { simd.Affine(z, a, b) }

// MulPoly replaces every z_i by z_i·(c0 + c1·t_i + c2·t_i²). Where z_i is 0 the result is 0, even if the polynomial is
// infinite or NaN. It panics if t is shorter than z; t may be z.
func MulPoly[T Float](z, t []T, c0, c1, c2 T) { simd.MulPoly(z, t, c0, c1, c2) }
