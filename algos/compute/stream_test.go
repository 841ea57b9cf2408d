package compute

import (
	"fmt"
	"math"
	"math/bits"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/algos/compute/internal/simd"
)

// The known-answer vectors of philox4x32-10 in the kat_vectors file of Random123 1.09.
func TestPhiloxKnownAnswers(t *testing.T) {
	for _, c := range []struct {
		counter [4]uint32
		key     [2]uint32
		want    [4]uint32
	}{
		{
			[4]uint32{}, [2]uint32{},
			[4]uint32{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8},
		},
		{
			[4]uint32{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}, [2]uint32{0xffffffff, 0xffffffff},
			[4]uint32{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd},
		},
		{
			[4]uint32{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, [2]uint32{0xa4093822, 0x299f31d0},
			[4]uint32{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1},
		},
	} {
		assert.Equal(t, c.want, simd.Philox(c.counter, c.key), "counter %08x", c.counter)
	}
}

// The words were computed by an implementation of the same definition in another language. They
// must never change: every recorded result depends on them.
func TestStreamGoldenWords(t *testing.T) {
	for _, c := range []struct {
		seed    uint64
		purpose string
		index   uint64
		want    []uint32
	}{
		{0, "features", 0, []uint32{0x527df779, 0x2f837203, 0xcca63b52, 0x102f1389, 0xccaaf1fe, 0x790fa4a7}},
		{1, "order", 0, []uint32{0x30a8f755, 0x7e5cb254, 0xa607fa91, 0x69f6b11e, 0xc5f40167, 0x6d238331}},
		{math.MaxUint64, "features", 1<<40 + 7, []uint32{0x01b825c6, 0xbbbd3db9, 0x140964dc, 0xa0597299, 0x2e96d534, 0x95f6ffcd}},
	} {
		s := NewStream(c.seed, c.purpose, c.index)
		got := make([]uint32, len(c.want))
		for i := range got {
			got[i] = s.Uint32()
		}
		assert.Equal(t, c.want, got, "%d %s %d", c.seed, c.purpose, c.index)
	}
}

// Recorded values of everything derived from the words. They must never change either.
func TestStreamGoldenValues(t *testing.T) {
	fresh := func() *Stream { return NewStream(1, "golden", 2) }

	s := fresh()
	for i, want := range []float64{0x1.948755c56c05cp-01, 0x1.f978ea1eba0c8p-02, 0x1.d3eb6527f95adp-01, 0x1.1bc1306e43c02p-02} {
		assert.Equal(t, want, s.Float64(), "Float64 %d", i)
	}
	s = fresh()
	for i, want := range []float64{0x1.a5a7f8p-03, -0x1.bfdb54p-01, 0x1.1bc5ccp-03, -0x1.7239eap-03, 0x1.8f502ep-04, 0x1.7af398p+00} {
		assert.Equal(t, want, s.Normal(), "Normal %d", i)
	}
	s = fresh()
	for i, want := range []int{790, 493, 913, 277, 230, 11} {
		assert.Equal(t, want, s.IntN(1000), "IntN %d", i)
	}
	assert.Equal(t, []int{5, 4, 2, 7, 8, 1, 6, 0, 9, 3}, fresh().Perm(10))

	row := make([]float64, 5)
	assert.Equal(t, 0x1.593b2788p-02, fresh().Row(3, row))
	assert.Equal(t, []float64{0x1.278ep-04, 0x1.9706d2p-01, 0x1.3e7518p-02, 0x1.b93576p+00, -0x1.bc73c8p-03}, row)
}

func TestUint64IsTwoWords(t *testing.T) {
	a, b := NewStream(7, "words", 0), NewStream(7, "words", 0)
	for range 9 {
		b.Uint32() // start in the middle of a counter
		a.Uint32()
		lo, hi := uint64(a.Uint32()), uint64(a.Uint32())
		assert.Equal(t, hi<<32|lo, b.Uint64())
	}
}

func TestFloat64UsesTheHighestBits(t *testing.T) {
	a, b := NewStream(3, "float", 0), NewStream(3, "float", 0)
	for range 1000 {
		f := a.Float64()
		assert.Equal(t, b.Uint64()>>11, uint64(f*0x1p53))
		assert.True(t, f >= 0 && f < 1)
	}
}

func TestIntNRange(t *testing.T) {
	s := NewStream(3, "ints", 0)
	for _, n := range []int{1, 2, 3, 10, 1 << 20, math.MaxInt} {
		for range 100 {
			v := s.IntN(n)
			require.True(t, v >= 0 && v < n, "IntN(%d) = %d", n, v)
		}
	}
	for _, n := range []int{0, -1} {
		mustPanic(t, func() { s.IntN(n) })
	}
}

func TestPermIsAPermutation(t *testing.T) {
	for _, n := range []int{0, 1, 2, 3, 10, 1000} {
		p := NewStream(5, "perm", uint64(n)).Perm(n)
		require.Len(t, p, n)
		slices.Sort(p)
		for i, v := range p {
			require.Equal(t, i, v)
		}
	}
}

// TestRowLayout takes the documented layout of a row apart: normals from words 0 … 2⌈d/2⌉-1 in
// pairs, the phase from the word after them, ⌈(2⌈d/2⌉+1)/4⌉ counters of four words a row.
func TestRowLayout(t *testing.T) {
	const rows = 7
	for d := range 13 {
		t.Run(fmt.Sprintf("d=%d", d), func(t *testing.T) {
			even := 2 * ((d + 1) / 2)
			per := 4 * ((even + 1 + 3) / 4)
			words := make([]uint32, rows*per)
			s := NewStream(11, "rows", 4)
			for i := range words {
				words[i] = s.Uint32()
			}
			for i := rows - 1; i >= 0; i-- {
				got := make([]float64, d)
				phase := NewStream(11, "rows", 4).Row(i, got)
				w := words[i*per:]
				for k := range got {
					a, b := simd.Normals(w[k&^1], w[k|1])
					assert.Equal(t, []float64{float64(a), float64(b)}[k%2], got[k], "row %d, normal %d", i, k)
				}
				assert.Equal(t, float64(w[even])/(1<<32), phase, "row %d", i)
			}
		})
	}
}

func TestRowOrderDoesNotMatter(t *testing.T) {
	const rows, d = 9, 5
	forward, backward := NewStream(2, "rows", 0), NewStream(2, "rows", 0)
	want := make([][]float64, rows)
	for i := range want {
		want[i] = make([]float64, d)
		want[i] = append(want[i], forward.Row(i, want[i]))
	}
	for i := rows - 1; i >= 0; i-- {
		got := make([]float64, d)
		got = append(got, backward.Row(i, got))
		assert.Equal(t, want[i], got, "row %d", i)
	}
}

// TestNormalsBoxMuller compares the float32 transform with the same formula in float64.
func TestNormalsBoxMuller(t *testing.T) {
	s := NewStream(1, "box-muller", 0)
	for i := range 20000 {
		u, v := s.Uint32(), s.Uint32()
		if i%2 == 1 {
			u >>= bits.LeadingZeros32(v | 1) // small u: the tails
		}
		// From u rounded to the 24 bits of float32: near u = 2³² that rounding alone moves r by much.
		r := math.Sqrt(-2 * math.Log(min(1, float64(float32(u))*0x1p-32+0x1p-33)))
		sin, cos := math.Sincos(2 * math.Pi * float64(int32(v)) * 0x1p-32)
		a, b := simd.Normals(u, v)
		// A few units in the last place of a radius in [4, 8), 4.8e-7 each. Below 1 the radius is
		// the root of -2·ln2·log2(x), whose error of about 2e-7 near x = 1 it magnifies by 1/(2r).
		tol := 1.5e-6 + 2e-7/max(r, 1e-9)
		require.InDelta(t, r*cos, float64(a), tol, "u = %d, v = %d", u, v)
		require.InDelta(t, r*sin, float64(b), tol, "u = %d, v = %d", u, v)
	}

	a, b := simd.Normals(0, 0)
	assert.InDelta(t, math.Sqrt(66*math.Ln2), float64(a), 1e-6, "the largest variate")
	assert.Zero(t, b)
	a, b = simd.Normals(math.MaxUint32, 12345)
	assert.Zero(t, a, "u = 1 has radius 0")
	assert.Zero(t, b)
}

// mustPanic checks that f panics with a message of this package.
func mustPanic(t *testing.T, f func()) {
	t.Helper()
	defer func() {
		t.Helper()
		m, ok := recover().(string)
		assert.True(t, ok && len(m) > 9 && m[:9] == "compute: ", "want a panic that starts with \"compute: \", got %v", m)
	}()
	f()
}
