package algos_test

import (
	"bytes"
	"encoding/gob"
	"io"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/algos"
	"repro/datasets/memorytest"
)

type inner struct {
	Rows []int
	W    [][]float64
}

type Count struct{ Steps int }

type anyState struct {
	Count
	Done          bool
	Alpha         []float64
	Low           []float32
	Bits          []bool
	Raw           []byte
	Names         []string
	At            time.Time
	Times         []time.Time
	Parts         []inner
	One           inner
	Fixed         [3]float64
	Next          *inner
	None          *inner
	Map           map[string]int
	Share, Beyond float64
	hidden        int
}

func save(t *testing.T, state any) []byte {
	var b bytes.Buffer
	require.NoError(t, algos.SaveState(&b, state))
	return b.Bytes()
}

func TestAStateComesBack(t *testing.T) {
	long := make([]float64, 10_000) // of several pieces
	for i := range long {
		long[i] = math.Sqrt(float64(i))
	}
	payload := math.Float64frombits(0x7ff8_0000_dead_beef)
	want := anyState{
		Count: Count{7}, Done: true, Alpha: append(long, math.Inf(1), payload), Low: []float32{1.5, 0}, Bits: []bool{true, false}, Raw: []byte("abc"),
		Names: []string{"", "b"}, At: time.Unix(1, 2).UTC(), Times: []time.Time{time.Unix(3, 4).UTC(), {}},
		Parts: []inner{{Rows: []int{1, 0, -2}}, {}, {W: [][]float64{{1}, nil, long}}}, One: inner{Rows: make([]int, 4097)},
		Fixed: [3]float64{0, 1, 2}, Next: &inner{Rows: []int{5}}, Map: map[string]int{"a": 1}, Share: math.Copysign(0, -1), hidden: 3,
	}
	bytesOf := save(t, &want)
	got := anyState{Alpha: []float64{9}, Next: &inner{}, Done: false, Beyond: 4}
	require.NoError(t, algos.RestoreState(bytes.NewReader(bytesOf), int64(len(bytesOf)), &got))
	assert.Equal(t, uint64(0x7ff8_0000_dead_beef), math.Float64bits(got.Alpha[10_001]))
	assert.True(t, math.Signbit(got.Share), "the sign of zero")
	want.hidden, want.Alpha, got.Alpha = 0, want.Alpha[:10_001], got.Alpha[:10_001]
	assert.Equal(t, want, got)
}

// What cannot be read is an error, leaves the state as it was, and makes nobody allocate what it claims to hold.
func TestAStateThatCannotBeRead(t *testing.T) {
	whole := save(t, &inner{Rows: []int{1, 2, 3}, W: [][]float64{{1}, {2, 3}}})
	var claims bytes.Buffer
	require.NoError(t, gob.NewEncoder(&claims).Encode(1<<50))
	var short bytes.Buffer
	e := gob.NewEncoder(&short)
	require.NoError(t, e.Encode(3))
	require.NoError(t, e.Encode([]int{1, 2}))
	for name, data := range map[string][]byte{
		"empty": {}, "cut": whole[:len(whole)-2], "a length beyond its bytes": claims.Bytes(), "fewer numbers than it says": append(short.Bytes(), make([]byte, 10)...),
		"of another method": save(t, &struct{ Name string }{"a"}),
	} {
		t.Run(name, func(t *testing.T) {
			s := inner{Rows: []int{8}}
			memorytest.Within(t, 1<<20, func() {
				assert.Error(t, algos.RestoreState(bytes.NewReader(data), int64(len(data)), &s))
			})
			assert.Equal(t, inner{Rows: []int{8}}, s)
		})
	}
}

// A state of 80 MB is written with a megabyte.
func TestSavingAStateTakesNoMemory(t *testing.T) {
	s := inner{W: [][]float64{make([]float64, 6_000_000), make([]float64, 4_000_000)}}
	for i := range s.W[0] {
		s.W[0][i] = 1 / float64(i+1)
	}
	var n int64
	memorytest.Within(t, 1<<20, func() {
		c := &counting{}
		require.NoError(t, algos.SaveState(c, &s))
		n = c.n
	})
	assert.Greater(t, n, int64(50_000_000))
}

type counting struct{ n int64 }

func (c *counting) Write(p []byte) (int, error) { c.n += int64(len(p)); return io.Discard.Write(p) }
