package compute

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math/bits"

	"repro/algos/compute/internal/simd"
)

// A Stream is a counter-based random stream: Philox4x32-10 [Salmon et al., SC 2011]. Its key is a hash of a seed and a
// purpose; its counter is an index and a position. Streams that differ in seed, purpose or index are independent. A
// stream can be created again from these three, so that a method redraws its random features instead of storing them
// ("with seed i", dai2014 Algorithm 1). All values have the same bits on every platform.
type Stream struct {
	key   [2]uint32
	index uint64
	pos   uint64 // number of 32-bit words drawn
	block [4]uint32
}

// NewStream returns stream number index of the given seed and purpose, at position 0.
func NewStream(seed uint64, purpose string, index uint64) *Stream {
	return NewSource(seed, purpose).Stream(index)
}

// A Source is the set of all streams with one seed and purpose.
type Source struct{ key [2]uint32 }

// NewSource returns the source of the given seed and purpose. It computes the hash once for all streams.
func NewSource(seed uint64, purpose string) Source {
	b := append([]byte("repro stream 1\x00"), make([]byte, 8)...)
	binary.LittleEndian.PutUint64(b[len(b)-8:], seed)
	sum := sha256.Sum256(append(b, purpose...))
	return Source{[2]uint32{binary.LittleEndian.Uint32(sum[0:]), binary.LittleEndian.Uint32(sum[4:])}}
}

// Stream returns stream number index, at position 0.
func (s Source) Stream(index uint64) *Stream { return &Stream{key: s.key, index: index} }

// words returns the words 4i … 4i+3 of the stream, which counter i gives.
func (s *Stream) words(i uint64) [4]uint32 {
	return simd.Philox([4]uint32{uint32(i), uint32(i >> 32), uint32(s.index), uint32(s.index >> 32)}, s.key)
}

// Uint32 returns the next 32-bit word of the stream.
func (s *Stream) Uint32() uint32 {
	if s.pos%4 == 0 {
		s.block = s.words(s.pos / 4)
	}
	v := s.block[s.pos%4]
	s.pos++
	return v
}

// Uint64 returns the next two words, the first as the low half.
func (s *Stream) Uint64() uint64 {
	lo := s.Uint32()
	return uint64(lo) | uint64(s.Uint32())<<32
}

// Float64 returns a uniform multiple of 2⁻⁵³ in [0, 1), from two words.
func (s *Stream) Float64() float64 { return float64(s.Uint64()>>11) * 0x1p-53 }

// IntN returns a uniform integer in [0, n), without bias. It panics if n ≤ 0.
func (s *Stream) IntN(n int) int {
	if n <= 0 {
		panic(fmt.Sprintf("compute: IntN: n = %d must be positive", n))
	}
	hi, lo := bits.Mul64(s.Uint64(), uint64(n))
	for threshold := -uint64(n) % uint64(n); lo < threshold; {
		hi, lo = bits.Mul64(s.Uint64(), uint64(n))
	}
	return int(hi)
}

// Perm returns a uniform permutation of 0 … n-1.
func (s *Stream) Perm(n int) []int {
	p := make([]int, n)
	for i := range p {
		j := s.IntN(i + 1)
		p[i] = p[j]
		p[j] = i
	}
	return p
}

// Normal returns a standard normal variate, from two words. It has 24 significant bits, and its
// magnitude is at most 6.76; see simd.Normals.
func (s *Stream) Normal() float64 {
	u := s.Uint32()
	v, _ := simd.Normals(u, s.Uint32())
	return float64(v)
}

// Row fills dst with standard normals and returns one uniform in [0, 1), the phase in turns. Each row has its own
// counters, so that rows can be drawn in any order. With d = len(dst), the normals use words 0 … 2⌈d/2⌉-1 of the row in
// pairs, and the uniform uses the next word; a row has ⌈(2⌈d/2⌉+1)/4⌉ counters. Do not mix Row with the sequential
// methods on one stream, which use the same words.
func (s *Stream) Row(i int, dst []float64) (turn float64) {
	return Spectrum{Law: Normal, Scale: 1}.Row(s, i, dst)
}
