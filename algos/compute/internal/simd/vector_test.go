package simd

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A function is one of the package in place, with its other arguments chosen.
type function[T Float] struct {
	name     string
	apply    func([]T)
	sameBits bool // in portable code, too
}

func vectorFunctions[T Float]() []function[T] {
	return []function[T]{
		{"Cos", func(z []T) { Cos(z, math.Sqrt2) }, false},
		{"Exp2", func(z []T) { Exp2(z, -1.25) }, false},
		{"Log", func(z []T) { Log(z) }, false},
		{"Sqrt", func(z []T) { Sqrt(z) }, true},
		{"ClampBelow", func(z []T) { ClampBelow(z, 0.125) }, true},
		{"Scale", func(z []T) { Scale(z, 0.75) }, true},
		{"Reciprocal", func(z []T) { Reciprocal(z) }, true},
		{"Affine", func(z []T) { Affine(z, 0.3, -1.7) }, false},
		{"MulPoly", func(z []T) { MulPoly(z, z, 1, 0.3, -1.7) }, false},
		{"Power", func(z []T) { Power(z, 5) }, true},
	}
}

// limits returns the smallest positive number, the smallest normal one and the largest.
func limits[T Float]() (smallest, normal, largest T) {
	if isSingle[T]() {
		single := []float32{math.SmallestNonzeroFloat32, 0x1p-126, math.MaxFloat32}
		return T(single[0]), T(single[1]), T(single[2])
	}
	double := []float64{math.SmallestNonzeroFloat64, 0x1p-1022, math.MaxFloat64}
	return T(double[0]), T(double[1]), T(double[2])
}

// extremes are arguments at which vector code goes wrong first.
func extremes[T Float]() []T {
	smallest, normal, largest := limits[T]()
	z := []T{0, smallest, normal / 2, normal, largest, T(math.Inf(1)), 0.125, 0.25, 0.5, 0.75, 1, 1.5, 2.5, 1e-8, 1 << 20, 1<<20 + 0.5,
		101.3, 119.5, 120.5, 817.9, 858, 859.9, 860.5, 1021.5, 1022, 1 << 23, 1 << 24, 1 << 30, 1 << 52 / 3}
	for _, v := range z {
		z = append(z, -v)
	}
	return append(z, T(math.NaN()))
}

// pool returns n arguments, extreme, moderate and of all magnitudes.
func pool[T Float](n int) []T {
	span := span{-160, 160, -140, 120, true}
	return append(extremes[T](), arguments[T](span, n/2)...)
}

// same reports whether a and b are the same number or both NaN.
func same[T Float](a, b T) bool {
	return a == b && math.Signbit(float64(a)) == math.Signbit(float64(b)) || a != a && b != b
}

func requireSame[T Float](t *testing.T, arguments, want, got []T) {
	t.Helper()
	for i := range want {
		if !same(want[i], got[i]) {
			require.Failf(t, "not the same", "f(%g) = %x, want %x, at %d of %d", arguments[i], got[i], want[i], i, len(want))
		}
	}
}

func TestVectorSpecialValues(t *testing.T) {
	onEachFloat(t, testSpecialValues[float32], testSpecialValues[float64])
}

func testSpecialValues[T Float](t *testing.T) {
	smallest, normal, largest := limits[T]()
	inf, nan, negativeZero := T(math.Inf(1)), T(math.NaN()), T(math.Copysign(0, -1))
	below := T(math.Log2(float64(normal)))                // 2^below is the smallest normal number
	greatest := T(math.Ceil(math.Log2(float64(largest)))) // 2^greatest is the first that is none
	for _, c := range []struct {
		name     string
		apply    func([]T)
		in, want []T
	}{
		{"cos", func(z []T) { Cos(z, 3) }, []T{inf, -inf, nan, 0.25, -0.25, 0.75, 100.25}, []T{nan, nan, nan, 0, 0, 0, 0}},
		{"exp2", func(z []T) { Exp2(z, 1) }, []T{inf, -inf, nan, 0, negativeZero, largest, -largest, smallest, greatest, greatest - 1},
			[]T{inf, 0, nan, 1, 1, inf, 0, 1, inf, T(math.Ldexp(1, int(greatest)-1))}},
		{"exp2 underflow", func(z []T) { Exp2(z, 1) }, []T{below + 1, below + 0.5, below + 0.25, below, below - 0.5, below - 1, below - 30, -1099, -1101},
			[]T{2 * normal, 0, 0, 0, 0, 0, 0, 0, 0}},
		{"exp2 of a product", func(z []T) { Exp2(z, -0.5) }, []T{inf, -inf, nan, 2, -6}, []T{0, inf, nan, 0.5, 8}},
		{"exp2 of 0 times", func(z []T) { Exp2(z, 0) }, []T{inf, nan, 2}, []T{nan, nan, 1}},
		{"log", func(z []T) { Log(z) }, []T{0, negativeZero, 1, inf, -inf, nan, -1, -smallest, -normal, -largest},
			[]T{-inf, -inf, 0, inf, nan, nan, nan, nan, nan, nan}},
		{"sqrt", func(z []T) { Sqrt(z) }, []T{0, negativeZero, 4, inf, -inf, nan, -smallest}, []T{0, negativeZero, 2, inf, nan, nan, nan}},
		{"clamp", func(z []T) { ClampBelow(z, 2) }, []T{0, 1, 2, 3, inf, -inf, nan}, []T{2, 2, 2, 3, inf, 2, nan}},
		{"clamp at 0", func(z []T) { ClampBelow(z, 0) }, []T{-smallest, smallest, negativeZero, nan}, []T{0, smallest, negativeZero, nan}},
		{"scale", func(z []T) { Scale(z, 0.5) }, []T{3, negativeZero, normal, smallest, inf, nan}, []T{1.5, negativeZero, normal / 2, 0, inf, nan}},
		{"reciprocal", func(z []T) { Reciprocal(z) }, []T{0, negativeZero, 4, inf, -inf, nan, smallest, 4 * normal, -1 / normal},
			[]T{inf, -inf, 0.25, 0, negativeZero, nan, inf, 0.25 / normal, -normal}},
		{"affine", func(z []T) { Affine(z, 2, 1) }, []T{0, -0.5, 3, inf, -inf, nan, largest, smallest}, []T{1, 0, 7, inf, -inf, nan, inf, 1}},
		{"affine of 0 times", func(z []T) { Affine(z, 0, 1) }, []T{inf, nan, 2}, []T{nan, nan, 1}},
		{"product with a polynomial", func(z []T) { MulPoly(z, []T{2, 0, inf, -inf, 2, 2, 2, nan, inf, largest}, 1, 3, 5) },
			[]T{3, 3, 3, -3, inf, -inf, nan, 3, nan, smallest}, []T{81, 3, inf, -inf, inf, -inf, nan, nan, nan, inf}},
		{"zeros with a polynomial", func(z []T) { MulPoly(z, []T{2, inf, -inf, nan, largest, inf}, 1, 3, 0) },
			[]T{0, 0, 0, 0, 0, negativeZero}, []T{0, 0, 0, 0, 0, 0}},
		{"power 0", func(z []T) { Power(z, 0) }, []T{0, -2, inf, nan}, []T{1, 1, 1, 1}},
		{"power 1", func(z []T) { Power(z, 1) }, []T{0, -2, inf, nan}, []T{0, -2, inf, nan}},
		{"power 2", func(z []T) { Power(z, 2) }, []T{negativeZero, -3, -inf, nan, largest, smallest}, []T{0, 9, inf, nan, inf, 0}},
		{"power 11", func(z []T) { Power(z, 11) }, []T{negativeZero, -2, 1, -inf, nan}, []T{negativeZero, -2048, 1, -inf, nan}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := append([]T(nil), c.in...)
			c.apply(got)
			requireSame(t, c.in, c.want, got)
		})
	}
}

// TestVectorPositions checks that a result depends neither on its place in the slice nor on the length
// of the slice, and that nothing but the slice changes.
func TestVectorPositions(t *testing.T) {
	onEachFloat(t, testPositions[float32], testPositions[float64])
}

func testPositions[T Float](t *testing.T) {
	const longest, furthest, guard = 70, 17, 12345.5
	values := pool[T](1000)
	for _, f := range vectorFunctions[T]() {
		t.Run(f.name, func(t *testing.T) {
			want := append([]T(nil), values...)
			for i := range want {
				f.apply(want[i : i+1])
			}
			buffer := make([]T, furthest+longest+furthest)
			for n := range longest + 1 {
				for offset := range furthest + 1 {
					from := (n*furthest + offset) % (len(values) - longest)
					for i := range buffer {
						buffer[i] = guard
					}
					z := buffer[offset : offset+n]
					copy(z, values[from:])
					f.apply(z)
					requireSame(t, values[from:], want[from:from+n], z)
					for i, v := range buffer {
						if v != guard && (i < offset || i >= offset+n) {
							require.Failf(t, "written outside", "length %d, offset %d: element %d is now %v", n, offset, i, v)
						}
					}
				}
			}
			long := make([]T, 2*burst+5)
			for i := range long {
				long[i] = values[i%len(values)]
			}
			f.apply(long)
			for i := 0; i < len(long); i += len(values) {
				n := min(len(values), len(long)-i)
				requireSame(t, values, want[:n], long[i:i+n])
			}
		})
	}
}

// TestVectorBits compares the results of all instruction sets.
func TestVectorBits(t *testing.T) {
	t.Run("float32", testBits[float32])
	t.Run("float64", testBits[float64])
}

func testBits[T Float](t *testing.T) {
	defer func(isa string) { require.NoError(t, Select(isa)) }(ISA())
	values := pool[T](100_000)
	for _, f := range vectorFunctions[T]() {
		var want []T
		for _, isa := range Available() {
			if isa == Generic && !f.sameBits {
				continue
			}
			require.NoError(t, Select(isa))
			got := append([]T(nil), values...)
			f.apply(got)
			if want == nil {
				want = got
			}
			t.Run(f.name+" "+isa, func(t *testing.T) { requireSame(t, values, want, got) })
		}
	}
}

func TestVectorDoesNotAllocate(t *testing.T) {
	onEach(t, func(t *testing.T) {
		for _, f := range vectorFunctions[float32]() {
			z := make([]float32, 50)
			assert.Zero(t, testing.AllocsPerRun(10, func() { f.apply(z) }), f.name)
		}
		assert.Zero(t, testing.AllocsPerRun(10, func() {
			var z [50]float64
			Cos(z[:], 1)
			Power(z[:], 3)
		}), "array on the stack")
	})
}

// BenchmarkVector times each function on a vector in the first-level cache, with the instruction set in
// use, in nanoseconds an element.
func BenchmarkVector(b *testing.B) {
	benchmarkVector[float32](b, "float32")
	benchmarkVector[float64](b, "float64")
}

func benchmarkVector[T Float](b *testing.B, precision string) {
	for _, f := range vectorFunctions[T]() {
		b.Run(f.name+"/"+precision, func(b *testing.B) {
			z, from := make([]T, 2048), make([]T, 2048)
			for i := range from {
				from[i] = T(i+1) / 1024
			}
			for b.Loop() {
				copy(z, from)
				f.apply(z)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(z)), "ns/el")
		})
	}
}
