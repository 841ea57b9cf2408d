package simd

import (
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
	onEachFloat(t, testPack[float32], testPack[float64])
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
	onEachFloat(t, testTranspose[float32], testTranspose[float64])
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

func TestSpread(t *testing.T) {
	onEachFloat(t, testSpread[float32], testSpread[float64])
}

// testSpread compares with the definition exactly. Some groups are aligned, so that they are written past the
// caches, some are not.
func testSpread[T Float](t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	for _, w := range []int{8, 48} {
		for _, rows := range []int{1, 2, 5} {
			for cols := 1; cols < 110; cols += 3 {
				groups, stride, lds := (cols+w-1)/w, rows*w+8*r.IntN(2)+r.IntN(2), cols+r.IntN(3)
				src, dst := rounded(r, rows*lds), filled[T](groups*stride)
				Spread(dst, stride, w, src, lds, rows, cols, true)
				for i, got := range dst {
					p, l, j := i/stride, i%stride/w, i%stride%w
					want := T(stale)
					if l < rows {
						want = 0
						if p*w+j < cols {
							want = T(src[l*lds+p*w+j])
						}
					}
					require.True(t, same(want, got), "%d×%d in groups of %d: element %d is %v, want %v", rows, cols, w, i, got, want)
				}
			}
		}
	}
}
