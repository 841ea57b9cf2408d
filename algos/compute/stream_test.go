package compute

import (
	"math"
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
