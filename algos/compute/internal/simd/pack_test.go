package simd

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// stale fills results before they are set, and stays where they are not.
const stale = 77.75

func filled[T Float](n int) []T {
	s := make([]T, n)
	for i := range s {
		s[i] = stale
	}
	return s
}

// rounded are numbers that vector code may round otherwise than conversions do: halfway between two
// float32, subnormal, too large, no numbers.
func rounded(r *rand.Rand, n int) []float64 {
	special := []float64{0, math.Copysign(0, -1), 1 + 0x1p-24, 1 + 0x1.8p-23, 0x1p-149, 0x1p-150, 0x1.8p-149, 0x1p-160, math.MaxFloat32,
		0x1.ffffffp127, 1e300, math.Inf(1), math.Inf(-1), math.NaN(), math.SmallestNonzeroFloat64}
	s := make([]float64, n)
	for i := range s {
		s[i] = r.NormFloat64()
		if r.IntN(4) == 0 {
			s[i] = special[r.IntN(len(special))]
		}
	}
	return s
}

func TestPack(t *testing.T) {
	onEach(t, func(t *testing.T) {
		t.Run("float32", testPack[float32])
		t.Run("float64", testPack[float64])
	})
}

// testPack compares with the definition exactly: subtraction in float64 and conversion round once each.
func testPack[T Float](t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for rows := range 50 {
		for _, cols := range []int{0, 1, 2, 3, 4, 5, 7, 8, 9, 16, 21} {
			lds, ldd := cols+r.IntN(3), rows+r.IntN(3)
			src, mean, dst := rounded(r, rows*lds+1), random[float64](r, cols), filled[T](cols*ldd+3)
			Pack(dst, ldd, src, lds, mean, rows, cols)
			requireTransposed(t, dst, ldd, rows, cols, func(j, l int) T { return T(src[j*lds+l] - mean[l]) })
		}
	}
}

// requireTransposed checks entries dst[l·ldd + j] and that nothing else was set.
func requireTransposed[T Float](t *testing.T, dst []T, ldd, rows, cols int, want func(j, l int) T) {
	t.Helper()
	for i, got := range dst {
		expected := T(stale)
		if ldd > 0 && i%ldd < rows && i/ldd < cols {
			expected = want(i%ldd, i/ldd)
		}
		if !same(got, expected) {
			require.FailNow(t, "wrong element", "%d×%d, element %d is %v, want %v", rows, cols, i, got, expected)
		}
	}
}

func TestTranspose(t *testing.T) {
	onEach(t, func(t *testing.T) {
		t.Run("float32", testTranspose[float32])
		t.Run("float64", testTranspose[float64])
	})
}

func testTranspose[T Float](t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	for rows := range 50 {
		for cols := range 50 {
			lds, ldd := cols+r.IntN(3), rows+r.IntN(3)
			src, dst := random[T](r, rows*lds+1), filled[T](cols*ldd+3)
			Transpose(dst, ldd, src, lds, rows, cols)
			requireTransposed(t, dst, ldd, rows, cols, func(j, l int) T { return src[j*lds+l] })
		}
	}
}

func TestConvert(t *testing.T) {
	onEach(t, func(t *testing.T) {
		t.Run("float32", testConvert[float32])
		t.Run("float64", testConvert[float64])
	})
}

func testConvert[T Float](t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	for n := range 71 {
		src, dst := rounded(r, n), filled[T](n+9)
		Convert(dst, src)
		requireTransposed(t, dst, len(dst), n, 1, func(j, _ int) T { return T(src[j]) })
	}
}

func TestScaled(t *testing.T) {
	onEach(t, func(t *testing.T) {
		t.Run("float32", testScaled[float32])
		t.Run("float64", testScaled[float64])
	})
}

// testScaled compares AddScaled and SetScaled with the definition exactly: a sum is rounded once by
// vector code, twice by portable code.
func testScaled[T Float](t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	for n := range 71 {
		for _, alpha := range []float64{0, 1, -1, 1.0 / 3, math.Inf(1), math.NaN()} {
			t.Run(fmt.Sprint(n, " ", alpha), func(t *testing.T) {
				src, dst := make([]T, n), random[float64](r, n+9)
				Convert(src, rounded(r, n))
				before, set := append([]float64(nil), dst...), append([]float64(nil), dst...)
				AddScaled(dst, src, alpha)
				SetScaled(set, src, alpha)
				for i, got := range dst {
					want := before[i]
					switch {
					case i >= n:
					case current == Generic:
						want += float64(alpha * float64(src[i]))
					default:
						want = math.FMA(alpha, float64(src[i]), want)
					}
					require.True(t, same(want, got), "element %d is %v, want %v", i, got, want)
					if want = before[i]; i < n {
						want = alpha * float64(src[i])
					}
					require.True(t, same(want, set[i]), "element %d is set to %v, want %v", i, set[i], want)
				}
			})
		}
	}
}
