package compute

import (
	"crypto/sha256"
	"encoding/binary"
	"math"
	"math/bits"
)

// A Stream is a counter-based random stream: Philox4x32-10 [Salmon et al., SC 2011] keyed by a run
// seed and a purpose, with an index and a position as its counter. Streams that differ in seed,
// purpose or index are independent; any of them can be made again from those three alone, which is
// what lets a method redraw its random features instead of storing them ("with seed i", dai2014
// Algorithm 1). All values are the same bits on every platform.
type Stream struct {
	key   [2]uint32
	index uint64
	pos   uint64 // number of 32-bit words drawn
	block [4]uint32
}

// NewStream returns stream number index of the given seed and purpose, at its start.
func NewStream(seed uint64, purpose string, index uint64) *Stream {
	return &Stream{key: streamKey(seed, purpose), index: index}
}

func streamKey(seed uint64, purpose string) [2]uint32 {
	b := append([]byte("repro stream 1\x00"), make([]byte, 8)...)
	binary.LittleEndian.PutUint64(b[len(b)-8:], seed)
	sum := sha256.Sum256(append(b, purpose...))
	return [2]uint32{binary.LittleEndian.Uint32(sum[0:]), binary.LittleEndian.Uint32(sum[4:])}
}

// philox is the bijection Philox4x32-10.
func philox(c [4]uint32, k [2]uint32) [4]uint32 {
	for range 10 {
		h0, l0 := bits.Mul32(0xD2511F53, c[0])
		h1, l1 := bits.Mul32(0xCD9E8D57, c[2])
		c = [4]uint32{h1 ^ c[1] ^ k[0], l1, h0 ^ c[3] ^ k[1], l0}
		k[0] += 0x9E3779B9
		k[1] += 0xBB67AE85
	}
	return c
}

// words returns counter value i of the stream: its words 4i … 4i+3.
func (s *Stream) words(i uint64) [4]uint32 {
	return philox([4]uint32{uint32(i), uint32(i >> 32), uint32(s.index), uint32(s.index >> 32)}, s.key)
}

// Uint32 returns the next word of the stream.
func (s *Stream) Uint32() uint32 {
	if s.pos%4 == 0 {
		s.block = s.words(s.pos / 4)
	}
	v := s.block[s.pos%4]
	s.pos++
	return v
}

// Uint64 returns the next two words.
func (s *Stream) Uint64() uint64 {
	lo := s.Uint32()
	return uint64(lo) | uint64(s.Uint32())<<32
}

// Float64 returns a uniform multiple of 2⁻⁵³ in [0, 1), from two words.
func (s *Stream) Float64() float64 { return float64(s.Uint64()>>11) * 0x1p-53 }

// IntN returns a uniform integer in [0, n), without bias.
func (s *Stream) IntN(n int) int {
	if n <= 0 {
		panic("compute: IntN of a range that is not positive")
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

// Normal returns a standard normal variate, from two words. It has 24 significant bits; see normals.
func (s *Stream) Normal() float64 {
	u := s.Uint32()
	v, _ := normals(u, s.Uint32())
	return float64(v)
}

// normals is the Box-Muller transform of two words. It is built from exactly rounded float32
// additions, multiplications and square roots alone (the conversions forbid fused multiply-adds),
// so that portable and vector code give the same bits. The largest magnitude is √(66 ln 2) = 6.76;
// a normal variate exceeds it with probability 1.4e-11.
func normals(u, v uint32) (a, b float32) {
	x := float32(float32(float32(u)*0x1p-32) + 0x1p-33) // in (0, 1]
	r := float32(math.Sqrt(float64(float32(log2(x) * float32(-2*math.Ln2)))))
	turn := float32(float32(int32(v)) * 0x1p-32) // in [-1/2, 1/2]
	return float32(cosTurn(turn) * r), float32(cosTurn(float32(turn-0.25)) * r)
}

// log2Poly is log2(1+m)/m on [0, 1).
var log2Poly = [...]float32{1.4426949917298651354, -0.72133951314566449228, 0.48067888959193055874,
	-0.35829906959230153387, 0.27522121233093542191, -0.19623895189894730436, 0.11183207392944968362,
	-0.041945008928705863415, 0.0073954021378632639874}

// log2 is the binary logarithm of x in (0, 1], never positive.
func log2(x float32) float32 {
	b := math.Float32bits(x)
	e := float32(int32(b>>23) - 127)
	m := float32(math.Float32frombits(b&0x7fffff|0x3f800000) - 1)
	y := log2Poly[len(log2Poly)-1]
	for k := len(log2Poly) - 2; k >= 0; k-- {
		y = float32(float32(y*m) + log2Poly[k])
	}
	return min(float32(float32(y*m)+e), 0)
}

// cosTurnPoly is sin(2πy)/y in powers of y² for |y| ≤ 1/4.
var cosTurnPoly = [...]float32{6.2831852801544065035, -41.341680613346515274, 81.60247636892517969,
	-76.581172644278724467, 39.759827085319101139}

// cosTurn is cos(2πa) for |a| ≤ 1.
func cosTurn(a float32) float32 {
	a = float32(a - float32(math.RoundToEven(float64(a))))
	y := float32(0.25 - float32(math.Abs(float64(a))))
	u := float32(y * y)
	z := cosTurnPoly[len(cosTurnPoly)-1]
	for k := len(cosTurnPoly) - 2; k >= 0; k-- {
		z = float32(float32(z*u) + cosTurnPoly[k])
	}
	return float32(y * z)
}

// Row fills dst with standard normals and returns one uniform in [0, 1), the phase in turns, all
// from the counters of row i alone, so that rows can be drawn in any order. With d = len(dst), the
// normals use words 0 … 2⌈d/2⌉-1 of the row in pairs and the uniform the word after them; a row owns
// ⌈(2⌈d/2⌉+1)/4⌉ counters. Do not mix Row with the sequential methods on one stream.
func (s *Stream) Row(i int, dst []float64) (turn float64) {
	d := len(dst)
	even := d + d%2
	counter := uint64(i) * uint64(even/4+1)
	var w [4]uint32
	for k := 0; k <= even; k += 2 {
		if k%4 == 0 {
			w = s.words(counter)
			counter++
		}
		if k == even {
			break
		}
		a, b := normals(w[k%4], w[k%4+1])
		dst[k] = float64(a)
		if k+1 < d {
			dst[k+1] = float64(b)
		}
	}
	return float64(w[even%4]) * 0x1p-32
}
