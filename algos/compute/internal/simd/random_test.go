package simd

import (
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// canary fills what a function must not touch.
const canary = 1234567

// corners are words at which roundings and reductions change.
var corners = []uint32{0, 1, 2, 3, 127, 128, 129, 255, 256, 1 << 16, 1<<16 - 1, 1<<16 + 1, 1<<23 - 1, 1 << 24, 1<<24 + 1, 1 << 25,
	1<<29 - 1, 1 << 29, 1<<30 - 33, 1<<30 - 1, 1 << 30, 1<<30 + 1, 1<<30 + 64, 1<<31 - 65, 1<<31 - 64, 1<<31 - 1, 1 << 31, 1<<31 + 1,
	1<<31 + 128, 3 << 30, 3<<30 - 1, 3<<30 + 65, math.MaxUint32 - 256, math.MaxUint32 - 129, math.MaxUint32 - 128, math.MaxUint32 - 127,
	math.MaxUint32 - 1, math.MaxUint32}

// cornerRows returns an even number of rows of words: every pair of corners, then random words, among
// them small ones.
func cornerRows(r *rand.Rand) []uint32 {
	var u, v []uint32
	for _, a := range corners {
		for _, b := range corners {
			u, v = append(u, a), append(v, b)
		}
	}
	for len(u) < 5000 || len(u)%Width != 0 {
		u, v = append(u, r.Uint32()>>(r.Uint32()%3*r.Uint32()%32)), append(v, r.Uint32())
	}
	var words []uint32
	for len(u) > 0 {
		words = append(append(words, u[:Width]...), v[:Width]...)
		u, v = u[Width:], v[Width:]
	}
	return words
}

func testRows[T Float](t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	words := cornerRows(r)
	var scale [Width]T
	for j := range scale {
		scale[j] = T(r.ExpFloat64())
	}
	all := len(words) / Width
	for _, n := range []int{0, 1, 2, 3, 5, 6, all - 1, all} {
		for _, c := range []struct {
			name string
			v    Variate
			want func(i, j int) float32
		}{
			{"normals", Normal, func(i, j int) float32 {
				a, b := Normals(words[i&^1*Width+j], words[(i|1)*Width+j])
				return []float32{a, b}[i%2]
			}},
			{"cauchy", Cauchy, func(i, j int) float32 { return cauchy(words[i*Width+j]) }},
			{"laplace", Laplace, func(i, j int) float32 { return laplace(words[i*Width+j]) }},
			{"sech", Sech, func(i, j int) float32 { return sech(words[i*Width+j]) }},
		} {
			dst := make([]T, (n+1)*Width)
			for i := range dst {
				dst[i] = canary
			}
			Variates(c.v, dst[:n*Width], words, &scale)
			for i := range n {
				for j := range Width {
					want, got := T(c.want(i, j))*scale[j], dst[i*Width+j]
					if math.Float64bits(float64(want)) != math.Float64bits(float64(got)) {
						require.Failf(t, "different bits", "%s, row %d of %d, lane %d: %v, want %v", c.name, i, n, j, got, want)
					}
				}
			}
			for j, v := range dst[n*Width:] {
				require.EqualValues(t, canary, v, "%s: element %d after the last row", c.name, j)
			}
		}
	}
}

func TestRowsAreTheScalarVariates(t *testing.T) {
	onEachFloat(t, testRows[float32], testRows[float64])
}

// TestAVX2StaysInItsRegisters reads the assembly: an assembler accepts AVX-512 registers anywhere.
func TestAVX2StaysInItsRegisters(t *testing.T) {
	files, err := filepath.Glob("*_amd64.s")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	beyond := regexp.MustCompile(`\b([XY](1[6-9]|2\d|3[01])|Z\d+|K[0-7])\b`)
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		function := ""
		for line := range strings.Lines(string(text)) {
			if strings.HasPrefix(line, "TEXT ") {
				function = line
			}
			if !strings.Contains(function, "AVX512") {
				require.NotRegexp(t, beyond, line, "%s: %s", file, function)
			}
		}
	}
}
