package simd

import (
	"math"
	"math/bits"
)

// Counters are the counters of Philox of every column of a panel, word by word: the low and high half of a
// position, then those of an index.
type Counters [4][Width]uint32

// Philox is the bijection Philox4x32-10 [Salmon et al., SC 2011] of a counter under a key.
func Philox(c [4]uint32, k [2]uint32) [4]uint32 {
	x0, x1, x2, x3 := c[0], c[1], c[2], c[3]
	k0, k1 := k[0], k[1]
	for range rounds {
		h0, l0 := bits.Mul32(0xD2511F53, x0)
		h1, l1 := bits.Mul32(0xCD9E8D57, x2)
		x0, x1, x2, x3 = h1^x1^k0, l1, h0^x3^k1, l0
		k0 += weyl0
		k1 += weyl1
	}
	return [4]uint32{x0, x1, x2, x3}
}

// A key of Philox changes by these between its rounds.
const (
	rounds = 10
	weyl0  = 0x9E3779B9
	weyl1  = 0xBB67AE85
)

// Words sets row 4c+q of dst, for c < n, to word q of Philox of every lane's counter with from + c
// added to the low half of its position. The sums must not overflow.
func Words(dst []uint32, from, n int, at *Counters, key [2]uint32) {
	if n <= 0 {
		return
	}
	dst = dst[:4*n*Width]
	if current == Generic {
		wordsGeneric(dst, from, n, at, key)
		return
	}
	var keys [rounds][2]uint32
	for i := range keys {
		keys[i] = key
		key[0] += weyl0
		key[1] += weyl1
	}
	wordsVector(dst, from, n, at, &keys)
}

// A variate is a transform of words.
type variate int

const (
	normals variate = iota // of two rows
	cauchy
	laplace
)

// NormalRows sets rows 2p and 2p+1 of dst to the two Normals of the words in rows 2p and 2p+1 of
// words, times the scale of each lane, rounded. If dst has an odd number of rows, it lacks the second
// of the last pair.
func NormalRows[T Float](dst []T, words []uint32, scale *[Width]T) {
	n := len(dst) / (2 * Width) * (2 * Width)
	rows(normals, dst[:n], words, scale)
	if n < len(dst) {
		var last [2 * Width]T
		rows(normals, last[:], words[n:], scale)
		copy(dst[n:n+Width], last[:])
	}
}

// CauchyRows sets the rows of dst to the Cauchy variates of the rows of words, times the scale of each
// lane, rounded.
func CauchyRows[T Float](dst []T, words []uint32, scale *[Width]T) { rows(cauchy, dst, words, scale) }

// LaplaceRows sets the rows of dst to the Laplace variates of the rows of words, times the scale of
// each lane, rounded.
func LaplaceRows[T Float](dst []T, words []uint32, scale *[Width]T) { rows(laplace, dst, words, scale) }

// SechRows sets the rows of dst to the Sech variates of the rows of words, times the scale of each lane,
// rounded. It has no vector code.
func SechRows[T Float](dst []T, words []uint32, scale *[Width]T) {
	for i, w := range words[:len(dst)] {
		dst[i] = T(Sech(w)) * scale[i%Width]
	}
}

// rows transforms whole rows, for normals an even number of them.
func rows[T Float](v variate, dst []T, words []uint32, scale *[Width]T) {
	if len(dst) == 0 {
		return
	}
	words = words[:len(dst)]
	if current == Generic {
		rowsGeneric(v, dst, words, scale)
		return
	}
	switch d := any(dst).(type) {
	case []float32:
		rowsSingle(v, d, words, any(scale).(*[Width]float32))
	case []float64:
		rowsDouble(v, d, words, any(scale).(*[Width]float64))
	}
}

// Normals is the Box-Muller transform of two words into two standard normal variates. It is built
// from exactly rounded float32 additions, multiplications and square roots alone (the conversions
// forbid fused multiply-adds), so that portable and vector code give the same bits. The largest
// magnitude is √(66 ln 2) = 6.76; a normal variate exceeds it with probability 1.4e-11.
func Normals(u, v uint32) (a, b float32) {
	x := float32(float32(float32(u)*0x1p-32) + 0x1p-33) // in (0, 1]
	r := float32(math.Sqrt(float64(float32(log2(x) * float32(-2*math.Ln2)))))
	turn := float32(float32(int32(v)) * 0x1p-32) // in [-1/2, 1/2]
	return float32(cosTurn(turn) * r), float32(cosTurn(float32(turn-0.25)) * r)
}

// Cauchy turns a word into a standard Cauchy variate, the cotangent of a uniform angle below a
// quarter turn, with the word's lowest bit as its sign; exactly symmetric, and the same bits on every
// platform like Normals. The angle is at least 2⁻³⁴ turns, so that the magnitude is at most 2.8e9; a
// Cauchy variate exceeds it with probability 2.3e-10.
func Cauchy(w uint32) float32 {
	a := float32(float32(float32(w>>1)*0x1p-33) + 0x1p-34) // in (0, 1/4]
	c := float32(sinTurn(float32(0.25-a)) / sinTurn(a))
	return math.Float32frombits(math.Float32bits(c) ^ w<<31)
}

// Laplace turns a word into a standard double exponential variate, of density exp(-|x|)/2, the
// logarithm of a uniform with the word's lowest bit as its sign; exactly symmetric, and the same bits
// on every platform like Normals. The largest magnitude is 32 ln 2 = 22.2; a Laplace variate exceeds
// it with probability 2.3e-10.
func Laplace(w uint32) float32 {
	x := float32(float32(float32(w>>1)*0x1p-31) + 0x1p-32) // in (0, 1]
	y := float32(log2(x) * float32(math.Ln2))
	return math.Float32frombits(math.Float32bits(y) ^ w<<31)
}

// Sech turns a word into a standard hyperbolic secant variate, of density sech(πx/2)/2: 2/π times the
// logarithm of the tangent of a uniform angle below an eighth of a turn, with the word's lowest bit as its
// sign; exactly symmetric, and the same bits on every platform like Normals. The angle is at least 2⁻³⁵
// turns, so that the magnitude is at most 14.3; a variate exceeds it with probability 2.3e-10.
func Sech(w uint32) float32 {
	a := float32(float32(float32(w>>1)*0x1p-34) + 0x1p-35) // in (0, 1/8]
	x := min(float32(sinTurn(a)/sinTurn(float32(0.25-a))), 1)
	y := float32(log2(x) * float32(2*math.Ln2/math.Pi))
	return math.Float32frombits(math.Float32bits(y) ^ w<<31)
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

// sinTurnPoly is sin(2πy)/y in powers of y² for |y| ≤ 1/4.
var sinTurnPoly = [...]float32{6.2831852801544065035, -41.341680613346515274, 81.60247636892517969,
	-76.581172644278724467, 39.759827085319101139}

// sinTurn is sin(2πy) for |y| ≤ 1/4.
func sinTurn(y float32) float32 {
	u := float32(y * y)
	z := sinTurnPoly[len(sinTurnPoly)-1]
	for k := len(sinTurnPoly) - 2; k >= 0; k-- {
		z = float32(float32(z*u) + sinTurnPoly[k])
	}
	return float32(y * z)
}

// cosTurn is cos(2πa) for |a| ≤ 1.
func cosTurn(a float32) float32 {
	a = float32(a - float32(math.RoundToEven(float64(a))))
	return sinTurn(float32(0.25 - float32(math.Abs(float64(a)))))
}
