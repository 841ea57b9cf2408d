package compute

import "repro/algos/compute/internal/simd"

// Float is the element type of a tile.
type Float = simd.Float

// The functions below are the building blocks of epilogues (Apply, Activate). They work in place. AVX2, AVX-512 and NEON
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

// Reciprocal replaces every z by 1/z, correctly rounded.
func Reciprocal[T Float](z []T) { simd.Reciprocal(z) }

// Affine replaces every z by a·z + b.
func Affine[T Float](z []T, a, b T) { simd.Affine(z, a, b) }

// MulPoly replaces every z_i by z_i·(c0 + c1·t_i + c2·t_i²). Where z_i is 0 the result is 0, even if the polynomial is
// infinite or NaN. It panics if t is shorter than z; t may be z.
func MulPoly[T Float](z, t []T, c0, c1, c2 T) { simd.MulPoly(z, t, c0, c1, c2) }

// Power replaces every z by z^n, by repeated squaring. It panics if n is negative.
func Power[T Float](z []T, n int) { simd.Power(z, n) }
