package compute

import "repro/algos/compute/internal/simd"

// Float is the element of a tile.
type Float = simd.Float

// The functions that tile hooks are made of work in place. Their results have the same bits with AVX2 and
// AVX-512 code, whatever the length of z and the place in it; package simd states and tests their errors.

// CosTurns replaces every z by s·cos(2πz): the argument is in turns, so that its reduction is exact.
// Infinities and NaN give NaN.
func CosTurns[T Float](z []T, s T) { simd.Cos(z, s) }

// Exp2 replaces every z by 2^(sz), down to the subnormal numbers.
func Exp2[T Float](z []T, s T) { simd.Exp2(z, s) }

// Log replaces every z by its natural logarithm: -Inf for 0, NaN below.
func Log[T Float](z []T) { simd.Log(z) }

// Sqrt replaces every z by its square root, exactly rounded: NaN below 0.
func Sqrt[T Float](z []T) { simd.Sqrt(z) }

// Scale replaces every z by sz.
func Scale[T Float](z []T, s T) { simd.Scale(z, s) }

// Reciprocal replaces every z by 1/z, exactly rounded.
func Reciprocal[T Float](z []T) { simd.Reciprocal(z) }

// Affine replaces every z by az + b.
func Affine[T Float](z []T, a, b T) { simd.Affine(z, a, b) }

// MulPoly replaces every z_i by z_i(c0 + t_i(c1 + c2·t_i)), and by 0 where z_i is 0, even if the
// polynomial is infinite or NaN. It panics if t is shorter than z; t may be z.
func MulPoly[T Float](z, t []T, c0, c1, c2 T) { simd.MulPoly(z, t, c0, c1, c2) }

// Power replaces every z by its nth power, n ≥ 0, by repeated squaring.
func Power[T Float](z []T, n int) { simd.Power(z, n) }
