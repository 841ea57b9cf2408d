package simd

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// onEach runs a test with every instruction set there is.
func onEach(t *testing.T, test func(t *testing.T)) {
	defer func(isa string) { require.NoError(t, Select(isa)) }(ISA())
	for _, isa := range Available() {
		t.Run(isa, func(t *testing.T) {
			require.NoError(t, Select(isa))
			test(t)
		})
	}
}

// onEachFloat runs the tests of both element types with every instruction set.
func onEachFloat(t *testing.T, single, double func(t *testing.T)) {
	onEach(t, func(t *testing.T) {
		t.Run("float32", single)
		t.Run("float64", double)
	})
}

// agreement returns a function that requires what it gets under a name to have the bits that other instruction sets gave. Portable
// code does not fuse.
func agreement() func(t *testing.T, name string, got ...any) {
	results := map[string]string{}
	return func(t *testing.T, name string, got ...any) {
		if current == portable {
			return
		}
		text := fmt.Sprint(got...)
		if want, ok := results[name]; ok {
			require.Equal(t, want, text, "%s: instruction sets differ", name)
		}
		results[name] = text
	}
}

func random[T Float](r *rand.Rand, n int) []T {
	s := make([]T, n)
	for i := range s {
		s[i] = T(r.NormFloat64())
	}
	return s
}

// tileBound is the error of a sum of k terms computed in the precision of T, relative to the sum of their
// magnitudes: each of at most 2k roundings is half an ulp of a partial sum.
func tileBound[T Float](k int) float64 {
	eps := 0x1p-53
	if _, single := any(T(0)).(float32); single {
		eps = 0x1p-24
	}
	return float64(2*k+1) * eps
}

func testTile[T Float](t *testing.T, op Op, m, n, k int, add bool) []T {
	r := rand.New(rand.NewPCG(uint64(m*100+n), uint64(k)))
	wide := (n + Pad - 1) / Pad * Pad
	lda, ldb, ldc := m+r.IntN(3), wide+r.IntN(3), wide+r.IntN(3)
	a, b, c := random[T](r, max(lda*k, 1)), random[T](r, max(ldb*k, 1)), random[T](r, ldc*m+5)
	before := append([]T(nil), c...)
	Tile(op, m, n, k, a, lda, b, ldb, c[:(m-1)*ldc+wide], ldc, add)
	for i := range m {
		for j := range n {
			want, size := 0.0, 0.0
			switch {
			case add:
				want = float64(before[i*ldc+j])
				size = math.Abs(want)
			case op == Product:
				want, size = 1, 1
			}
			for l := range k {
				p, q := float64(a[l*lda+i]), float64(b[l*ldb+j])
				term := p * q
				switch op {
				case SquaredDifference:
					term = (q - p) * (q - p)
				case AbsDifference:
					term = math.Abs(q - p)
				case Product:
					term = want * (q - p) * (q - p)
				}
				want += term
				size += math.Abs(term)
			}
			if op == Product {
				size *= 2 // four roundings a factor, not two: of the difference, its square, the product and the sum
			}
			if got := float64(c[i*ldc+j]); !(math.Abs(got-want) <= tileBound[T](k+1)*size) {
				require.InDelta(t, want, got, tileBound[T](k+1)*size, "op %d, %d×%d×%d, entry (%d, %d)", op, m, n, k, i, j)
			}
		}
	}
	for i := range m { // the gaps between rows are the caller's
		for j := wide; j < ldc; j++ {
			require.Equal(t, before[i*ldc+j], c[i*ldc+j], "gap of row %d", i)
		}
	}
	require.Equal(t, before[(m-1)*ldc+wide:], c[(m-1)*ldc+wide:])
	var out []T
	for i := range m {
		out = append(out, c[i*ldc:][:n]...)
	}
	return out
}

// TestTile compares every shape near the sizes of the micro-tiles with sums in float64, and AVX2 with
// AVX-512 bit by bit.
func TestTile(t *testing.T) {
	agree := agreement()
	onEach(t, func(t *testing.T) {
		for op := Dot; op <= Product; op++ {
			for _, k := range []int{0, 1, 2, 7, 64} {
				for _, m := range []int{1, 2, 3, 4, 5, 7, 8, 9, 10, 17} {
					for _, n := range []int{1, 7, 8, 9, 15, 16, 17, 24, 31, 33, 47, 48, 49, 70} {
						agree(t, fmt.Sprint(op, m, n, k), testTile[float32](t, op, m, n, k, k%2 == 1), testTile[float64](t, op, m, n, k, k%2 == 0))
					}
				}
			}
		}
	})
}

// TestTileContinues checks that cutting the sum changes no bit.
func TestTileContinues(t *testing.T) {
	onEach(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(1, 2))
		const m, n, k, cut = 9, 32, 50, 13
		a, b := random[float32](r, m*k), random[float32](r, n*k)
		whole, parts := make([]float32, m*n), make([]float32, m*n)
		for op := Dot; op <= Product; op++ {
			Tile(op, m, n, k, a, m, b, n, whole, n, false)
			Tile(op, m, n, cut, a, m, b, n, parts, n, false)
			Tile(op, m, n, k-cut, a[cut*m:], m, b[cut*n:], n, parts, n, true)
			assert.Equal(t, whole, parts)
		}
	})
}

func BenchmarkTile(b *testing.B) {
	for _, k := range []int{3, 51, 124, 512, 1024} {
		b.Run(fmt.Sprintf("float32/k=%d", k), func(b *testing.B) { benchmarkTile[float32](b, k) })
		b.Run(fmt.Sprintf("float64/k=%d", k), func(b *testing.B) { benchmarkTile[float64](b, k) })
	}
}

func benchmarkTile[T Float](b *testing.B, k int) {
	const m, n = 96, 48
	r := rand.New(rand.NewPCG(5, 6))
	x, y := random[T](r, m*k), random[T](r, n*k)
	c := append([]T(nil), make([]T, m*n)...) // on the heap, where tiles are aligned to cache lines
	for b.Loop() {
		Tile(Dot, 48, n, k, x, 48, y, n, c, n, false)
		Tile(Dot, 48, n, k, x[48*k:], 48, y, n, c[48*n:], n, false)
	}
	flops := 2 * float64(m) * n * float64(k) * float64(b.N)
	b.ReportMetric(flops/float64(b.Elapsed().Nanoseconds()), "Gflop/s")
}
