package simd

import (
	"crypto/sha256"
	"encoding/binary"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write testdata/bits.txt and portable.txt")

// TestGoldenBits compares hashes of results with those in testdata, one file for AVX2, AVX-512 and NEON, one for portable code: so the bits
// do not depend on the architecture either.
func TestGoldenBits(t *testing.T) {
	onEach(t, func(t *testing.T) {
		path := "testdata/bits.txt"
		if current == portable {
			path = "testdata/portable.txt" // does not fuse
		}
		got := strings.Join(append(goldenLines[float32]("float32"), goldenLines[float64]("float64")...), "\n") + "\n"
		if *update {
			require.NoError(t, os.WriteFile(path, []byte(got), 0o644))
		}
		want, err := os.ReadFile(path)
		require.NoError(t, err)
		require.Equal(t, string(want), got)
	})
}

// exactNumbers returns numbers between -2^spread and 2^spread that are the same on every platform.
func exactNumbers[T Float](r *rand.Rand, n, spread int) []T {
	s := make([]T, n)
	for i := range s {
		s[i] = T(math.Ldexp(float64(int64(r.Uint64())>>11), -52+r.IntN(2*spread+1)-spread))
	}
	return s
}

// hashOf hashes numbers; NaN count as equal.
func hashOf[T Float](s []T) string {
	var b []byte
	for _, v := range s {
		bits := math.Float64bits(float64(v))
		if v != v {
			bits = math.Float64bits(math.NaN())
		}
		b = binary.LittleEndian.AppendUint64(b, bits)
	}
	return fmt.Sprintf("%x", sha256.Sum256(b))[:16]
}

// goldenLines returns a line for each function.
func goldenLines[T Float](precision string) (lines []string) {
	add := func(name string, hash string) { lines = append(lines, precision+" "+name+" "+hash) }
	for _, f := range vectorFunctions[T]() {
		z := append(exactNumbers[T](rand.New(rand.NewPCG(1, 1)), 1001, 9), extremes[T]()...)
		f.apply(z)
		add(f.name, hashOf(z))
	}
	for op := Dot; op <= Product; op++ {
		add(fmt.Sprint("Tile ", op), hashOf(goldenTiles[T](op)))
	}
	r := rand.New(rand.NewPCG(2, 2))
	a, b := exactNumbers[T](r, 51*Strip, 1), exactNumbers[T](r, 51*Width, 1)
	c := make([]T, Width)
	Weigh(c, a, b, Width, 51)
	add("Weigh", hashOf(c))
	Squares(c, b, 51)
	add("Squares", hashOf(c))
	sum := exactNumbers[float64](r, len(b), 1)
	Accumulate(sum, b)
	add("Accumulate", hashOf(sum))
	AddScaled(sum, b[:len(b)-5], 0.3)
	add("AddScaled", hashOf(sum))
	add("RowDots", hashOf(goldenRowDots[T](r)))
	tile := make([]T, Strip*Width)
	TileStrips(Strip, Width, 50, a, 51*Strip, b, tile, false, b)
	add("TileStrips", hashOf(tile))
	for form := Sum; form <= Exponential; form++ {
		NewPanels[T](form, true, 50, -0.25).Tile(Strip, 0, Width, a, Strip, 51*Strip, b, tile, b)
		add(fmt.Sprint("Panels ", form), hashOf(tile))
	}
	return append(lines, goldenVariates[T](precision)...)
}

// goldenTiles returns tiles of several shapes.
func goldenTiles[T Float](op Op) (all []T) {
	r := rand.New(rand.NewPCG(3, 3))
	for _, m := range []int{1, 3, 7, 8, 13} {
		const n, wide, k = 45, 48, 9
		a, b, c := exactNumbers[T](r, m*k, 2), exactNumbers[T](r, wide*k, 2), exactNumbers[T](r, wide*m, 2)
		Tile(op, m, n, k, a, m, b, wide, c, wide, true)
		for i := range m {
			all = append(all, c[i*wide:][:n]...)
		}
	}
	return all
}

func goldenRowDots[T Float](r *rand.Rand) []float64 {
	const m, c, k = 5, 4, 43
	a, b, dst := exactNumbers[T](r, m*k, 2), exactNumbers[float64](r, c*(k+Interleave), 2), make([]float64, m*c)
	RowDots(dst, c, a, k, nil, m, b, c, k, make([]float64, Interleave*m*c))
	return dst
}

// goldenVariates has the random transforms and the functions on bricks.
func goldenVariates[T Float](precision string) []string {
	var at Counters
	var scale [Width]T
	for j := range Width {
		at[0][j], at[2][j], scale[j] = uint32(3*j), uint32(j), T(j+1)/8
	}
	words, dst := make([]uint32, 8*Width), make([]T, 8*Width)
	Words(words, 7, 2, &at, [2]uint32{5, 6})
	var lines []string
	for v, name := range []string{Normal: "NormalRows", Cauchy: "CauchyRows", Laplace: "LaplaceRows"} {
		Variates(Variate(v), dst, words, &scale)
		lines = append(lines, precision+" "+name+" "+hashOf(dst))
	}
	if !isSingle[T]() {
		r := rand.New(rand.NewPCG(4, 4))
		a, x, y := exactNumbers[float64](r, 3*BrickSize, 2), exactNumbers[float64](r, 3*Brick, 2), exactNumbers[float64](r, 3*Brick, 2)
		BrickSymMul(y, a, x)
		lines = append(lines, precision+" BrickSymMul "+hashOf(y))
		dots := Dots(a, exactNumbers[float64](r, len(a), 2))
		lines = append(lines, precision+" Dots "+hashOf(dots[:]))
	}
	return lines
}
