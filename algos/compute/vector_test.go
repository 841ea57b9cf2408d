package compute

import (
	"math"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// cosTurnsExact returns cos(2πz) to about one unit in the last place of 1: z - round(z) is exact, and
// 2π(z - round(z)) is carried as a sum h + l of two float64.
func cosTurnsExact(z float64) float64 {
	const twoPiLow = 2.4492935982947064e-16 // 2π - float64(2π)
	r := z - math.RoundToEven(z)
	h := 2 * math.Pi * r
	l := math.FMA(2*math.Pi, r, -h) + twoPiLow*r
	return math.Cos(h) - l*math.Sin(h)
}

// wide returns n values of either sign whose magnitudes spread evenly over powers of two.
func wide(purpose string, n int, lo, hi float64) []float64 {
	s := NewStream(1, purpose, 0)
	z := make([]float64, n)
	for i := range z {
		z[i] = math.Exp2(lo + (hi-lo)*s.Float64())
		if s.Uint32()&1 == 1 {
			z[i] = -z[i]
		}
	}
	return z
}

// special are arguments at which vector code goes wrong first.
var special = []float64{
	0, math.Copysign(0, -1), math.SmallestNonzeroFloat64, -math.SmallestNonzeroFloat64, 0x1p-1022, -0x1p-1022, 0x1p-1040,
	0.25, -0.25, 0.5, -0.5, 0.75, 1, -1, 1.5, -1.5, 2.5, -2.5, math.Nextafter(0.5, 0), math.Nextafter(0.5, 1), 1e-8, -1e-8, 1e-300,
	1 << 20, 1<<20 + 0.5, 1<<30 + 0.25, 0x1p50, 0x1p50 + 0.5, -0x1p50 - 0.5, 0x1p51 - 0.5,
	-1020, -1020.5, -1021, math.Nextafter(-1021, 0), math.Nextafter(-1021, -2000), -1021.5, -1022, -1022.5, -1074, -1075, -1080, -5000,
	1022.5, 1023, 1023.5, math.Nextafter(1024, 0), 1024, math.Nextafter(1024, 2000), 1025, 5000,
	math.MaxFloat64, -math.MaxFloat64, 1e300, -1e300, math.Inf(1), math.Inf(-1), math.NaN(),
}

func TestCosTurnsError(t *testing.T) {
	for _, s := range []float64{1, math.Sqrt2, -3} {
		z := append(wide("cos", 40000, -60, 51), special...)
		u := NewStream(2, "cos", 0)
		for range 20000 {
			z = append(z, 2*u.Float64()-1)
		}
		got := append([]float64(nil), z...)
		CosTurns(got, s)
		for i, v := range z {
			switch {
			case math.IsNaN(v) || math.IsInf(v, 0):
				require.True(t, math.IsNaN(got[i]), "CosTurns(%v) = %v", v, got[i])
			case math.Abs(v) < 0x1p51:
				// The documented bound and half a unit in the last place each of math.Cos and of the product.
				require.InDelta(t, s*cosTurnsExact(v), got[i], (6e-16+2.3e-16)*math.Abs(s), "CosTurns(%v)", v)
			}
		}
	}
}

func TestCosTurnsKnownValues(t *testing.T) {
	z := []float64{0, 0.25, 0.5, 0.75, 1, -0.25, 1.0 / 6, 7, 0x1p40 + 0.5}
	CosTurns(z, 2)
	for i, want := range []float64{2, 0, -2, 0, 2, 0, 1, 2, -2} {
		assert.InDelta(t, want, z[i], 2*6e-16, "value %d", i) // the documented bound
	}
}

func TestExp2Error(t *testing.T) {
	z := append(wide("exp2", 40000, -70, math.Log2(1100)), special...)
	u := NewStream(2, "exp2", 0)
	for range 40000 {
		z = append(z, 2048*u.Float64()-1024)
	}
	got := append([]float64(nil), z...)
	Exp2(got, 1)
	for i, v := range z {
		switch {
		case math.IsNaN(v):
			require.True(t, math.IsNaN(got[i]), "Exp2(NaN) = %v", got[i])
		case v < -1021:
			require.Zero(t, got[i], "Exp2(%v)", v)
		case v >= 1024:
			require.Equal(t, math.Inf(1), got[i], "Exp2(%v)", v)
		default:
			// The documented bound and one unit in the last place of math.Exp2.
			require.InEpsilon(t, math.Exp2(v), got[i], 1e-15+2.3e-16, "Exp2(%v)", v)
		}
	}
}

// TestExp2Scales checks that 2^(sz) is that of the rounded product.
func TestExp2Scales(t *testing.T) {
	const s = -0.7213475204444817
	scaled, z := wide("exp2", 1001, -70, 10), wide("exp2", 1001, -70, 10)
	for i := range z {
		z[i] *= s
	}
	Exp2(scaled, s)
	Exp2(z, 1)
	assert.Equal(t, z, scaled)
}

func TestExp2AtIntegersIsExact(t *testing.T) {
	for v := -1021; v < 1024; v++ {
		z := []float64{float64(v)}
		Exp2(z, 1)
		require.Equal(t, math.Ldexp(1, v), z[0], "2^%d", v)
	}
}

// TestVectorCodeMatchesGeneric checks AVX2 against portable code, bit by bit, for every length up to
// 70 and every alignment, and that nothing beyond the slice is touched.
func TestVectorCodeMatchesGeneric(t *testing.T) {
	if !haveAVX2 {
		t.Skip("this build or processor has no AVX2")
	}
	const sentinel = 12345.5
	functions := map[string]func([]float64){
		"cos":  func(z []float64) { CosTurns(z, math.Sqrt2) },
		"exp2": func(z []float64) { Exp2(z, -1.25) },
	}
	values := append(append([]float64(nil), special...), wide("bits", 2000, -80, 60)...)
	for name, f := range functions {
		t.Run(name, func(t *testing.T) {
			check := func(in []float64, offset int) {
				fast := append(make([]float64, offset), append(append([]float64(nil), in...), sentinel)...)
				slow := append([]float64(nil), fast...)
				withISA("avx2", func() { f(fast[offset : offset+len(in)]) })
				withISA("generic", func() { f(slow[offset : offset+len(in)]) })
				for i := range fast {
					if math.Float64bits(fast[i]) != math.Float64bits(slow[i]) && !(math.IsNaN(fast[i]) && math.IsNaN(slow[i])) {
						require.FailNow(t, "bits differ", "f(%v): avx2 %x, generic %x", append(make([]float64, offset), in...)[i], fast[i], slow[i])
					}
				}
				require.Equal(t, sentinel, fast[len(fast)-1])
			}
			check(values, 0)
			for n := range 71 {
				for offset := range 4 {
					check(values[17*n:17*n+n], offset)
				}
			}
		})
	}
}

func withISA(isa string, f func()) {
	defer func(old string) { vectorISA = old }(vectorISA)
	vectorISA = isa
	f()
}

func TestISA(t *testing.T) {
	want := "generic"
	if haveAVX2 && os.Getenv("REPRO_CPU") != "generic" {
		want = "avx2"
	}
	assert.Equal(t, want, ISA())
}
