package simd

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// A span is where arguments are drawn from: uniform ones, and powers of two with a uniform exponent,
// of either sign if negative is set.
type span struct {
	lo, hi         float64
	log2Lo, log2Hi float64
	negative       bool
}

// arguments returns n uniform and n exponential arguments in s.
func arguments[T Float](s span, n int) []T {
	r := rand.New(rand.NewPCG(1, uint64(n)))
	z := make([]T, 0, 2*n)
	for range n {
		z = append(z, T(s.lo+(s.hi-s.lo)*r.Float64()))
		v := math.Exp2(s.log2Lo + (s.log2Hi-s.log2Lo)*r.Float64())
		if s.negative && r.IntN(2) == 1 {
			v = -v
		}
		z = append(z, T(v))
	}
	return z
}

// An accuracy is the claim that a function's error is below absolute + relative·|value|, and for
// results that may be subnormal half the smallest number more.
type accuracy struct {
	name               string
	span               span
	apply              any // func([]T)
	exact              oracle
	absolute, relative float64
}

func accuracies[T Float]() []accuracy {
	// of chooses by precision.
	of := func(single, double float64) float64 {
		if isSingle[T]() {
			return single
		}
		return double
	}
	turns, powers := span{-2, 2, -60, of(23, 52), true}, span{of(-125.4, -1021.4), of(128, 1024), -60, of(6.9, 9.9), true}
	positive := span{lo: 0.5, hi: 2, log2Lo: of(-149, -1074), log2Hi: of(128, 1024) - 1e-4}
	cos, exp2, log := pick[T](cosMath, cosSeries), pick[T](exp2Math, exp2Series), pick[T](logMath, logSeries)
	cosError, exp2Error, logError := of(2.6e-7, 4.5e-16), of(1.2e-7, 2.3e-16), of(1.1e-7, 2e-16) // as documented
	factor, lead := T(-math.Sqrt2), float64(sinLead[T]())
	claims := []accuracy{
		{"Cos", turns, func(z []T) { Cos(z, 1) }, cos, cosError, 0},
		{"Cos scaled", turns, func(z []T) { Cos(z, factor) }, multiple(float64(factor), cos), math.Sqrt2 * cosError, 0},
		{"cosOverLead", turns, func(z []T) { cosOverLead(z, 1) }, multiple(1/lead, cos), cosError / lead, 0},
		{"Exp2", powers, func(z []T) { Exp2(z, 1) }, exp2, 0, exp2Error},
		{"Exp2 scaled", span{-88, 88, -60, 6.4, true}, func(z []T) { Exp2(z, factor) },
			func(v float64) (float64, float64) { return exp2(float64(factor * T(v))) }, 0, exp2Error},
		{"Log", positive, func(z []T) { Log(z) }, log, 0, logError},
	}
	u := of(0x1p-24, 0x1p-53)
	normal := span{lo: 0.5, hi: 2, log2Lo: of(-126, -1022), log2Hi: of(126, 1022)}
	moderate := span{lo: 0.5, hi: 2, log2Lo: of(-30, -300), log2Hi: of(30, 300)}
	claims = append(claims,
		accuracy{"Reciprocal", normal, func(z []T) { Reciprocal(z) }, pick[T](reciprocalMath, reciprocalBig), 0, u},
		accuracy{"Affine", normal, func(z []T) { Affine(z, 0.375, 5.5) }, pick[T](poly(5.5, 0.375), polyBig(5.5, 0.375)), 0, 2 * u},
		accuracy{"MulPoly", moderate, func(z []T) { MulPoly(z, z, 1.75, 0.375, 5.5) },
			pick[T](poly(0, 1.75, 0.375, 5.5), polyBig(0, 1.75, 0.375, 5.5)), 0, 5 * u})
	for _, n := range []int{2, 3, 7, 10, 31} {
		limit := of(120, 1000) / float64(n)
		claims = append(claims, accuracy{fmt.Sprintf("Power %d", n), span{0.3, 1.5, -limit, limit, true}, func(z []T) { Power(z, n) },
			pick[T](powerMath(n), powerProduct(n)), 0, float64(n) * u})
	}
	return claims
}

func TestVectorAccuracy(t *testing.T) {
	onEach(t, func(t *testing.T) {
		t.Run("float32", func(t *testing.T) { testAccuracy[float32](t, 150_000, 0x1p-150) })
		t.Run("float64", func(t *testing.T) { testAccuracy[float64](t, 2_000, 0x1p-1074) }) // half of it is not a number
	})
}

func testAccuracy[T Float](t *testing.T, n int, halfSmallest float64) {
	for _, c := range accuracies[T]() {
		t.Run(c.name, func(t *testing.T) {
			z := arguments[T](c.span, n)
			got := append([]T(nil), z...)
			c.apply.(func([]T))(got)
			worst := 0.0
			for i, v := range z {
				hi, lo := c.exact(float64(v))
				err := math.Abs(float64(got[i]) - hi - lo)
				bound := c.absolute + c.relative*math.Abs(hi) + halfSmallest
				if !(err <= bound) {
					require.Failf(t, "too inaccurate", "f(%v) = %v, want %v: error %g exceeds %g", v, got[i], hi, err, bound)
				}
				if bound > 2*halfSmallest {
					worst = max(worst, (err-halfSmallest)/(bound-halfSmallest))
				}
			}
			t.Logf("largest error: %.2f of the bound", worst)
		})
	}
}
