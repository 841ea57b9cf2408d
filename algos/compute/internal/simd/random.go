package simd

import (
	"math"
	"math/bits"
)

// Counters holds the Philox counter of each of the 48 columns of a panel: in rows 0 and 1 the low and high half of its
// position, in rows 2 and 3 those of its index.
type Counters [4][Width]uint32

// Philox returns the four random words that Philox4x32-10 [Salmon et al., SC 2011] assigns to a counter under a key.
func Philox(c [4]uint32, k [2]uint32) [4]uint32 {
	x0, x1, x2, x3 := c[0], c[1], c[2], c[3]
	k0, k1 := k[0], k[1]
	for range Rounds {
		h0, l0 := bits.Mul32(PhiloxM0, x0)
		h1, l1 := bits.Mul32(PhiloxM1, x2)
		x0, x1, x2, x3 = h1^x1^k0, l1, h0^x3^k1, l0
		k0 += weyl0
		k1 += weyl1
	}
	return [4]uint32{x0, x1, x2, x3}
}

// Philox has Rounds rounds with two multipliers. Between rounds it adds weyl0 and weyl1 to the words of the key.
const (
	Rounds   = 10
	PhiloxM0 = 0xD2511F53
	PhiloxM1 = 0xCD9E8D57
	weyl0    = 0x9E3779B9
	weyl1    = 0xBB67AE85
)

// Words sets row 4c + q of dst, c < n, to word q of Philox of each column's counter, with from + c added to the low half of
// its position. These sums must not overflow.
func Words(dst []uint32, from, n int, at *Counters, key [2]uint32) {
	if n <= 0 {
		return
	}
	dst = dst[:4*n*Width]
	if f := current.philox; f != nil {
		var keys [Rounds][2]uint32
		for i := range keys {
			keys[i] = key
			key[0] += weyl0
			key[1] += weyl1
		}
		f(first(dst), n, first(at[0][:]), from, first(keys[0][:]))
		return
	}
	for c := range n {
		rows := dst[4*c*Width:][:4*Width]
		for j := range Width {
			w := Philox([4]uint32{at[0][j] + uint32(from+c), at[1][j], at[2][j], at[3][j]}, key)
			for q, v := range w {
				rows[q*Width+j] = v
			}
		}
	}
}

// A Variate is a transform of random words.
type Variate int

const (
	Normal Variate = iota // of two words, see Normals
	Cauchy
	Laplace
	Sech // without vector code
)

// transforms are those of one word.
var transforms = [...]func(w uint32) float32{Cauchy: cauchy, Laplace: laplace, Sech: sech}

// Of transforms a word, which Normal does not.
func (v Variate) Of(w uint32) float32 { return transforms[v](w) }

// Variates sets dst, rows of 48 numbers, to the variates of words, times the scale of each column, rounded to T. Rows 2p and 2p+1 of
// Normal are the two Normals of the words in both rows, also where dst ends with the first of them.
func Variates[T Float](v Variate, dst []T, words []uint32, scale *[Width]T) {
	together := Width
	if v == Normal {
		together = 2 * Width
	}
	n := len(dst) / together
	whole := dst[:n*together]
	if f := kernelsOf[T]().variates[v]; f != nil && n > 0 {
		f(first(whole), first(words[:len(whole)]), n, first(scale[:]))
	} else {
		variatesGeneric(v, whole, words[:len(whole)], scale)
	}
	if rest := dst[len(whole):]; len(rest) > 0 {
		var last [2 * Width]T
		Variates(v, last[:], words[len(whole):], scale)
		copy(rest, last[:])
	}
}

// Normals transforms two words into two standard normal variates by Box and Muller's method. It uses only correctly
// rounded float32 additions, multiplications and square roots (the conversions prevent fused multiply-adds), so that
// portable and vector code give the same bits. The largest magnitude is √(66 ln 2) = 6.76; a normal variate exceeds it
// with probability 1.4e-11.
func Normals(u, v uint32) (a, b float32) {
	x := float32(float32(float32(u)*0x1p-32) + 0x1p-33) // in (0, 1]
	r := float32(math.Sqrt(float64(float32(log2(x) * float32(MinusTwoLn2)))))
	turn := float32(float32(int32(v)) * 0x1p-32) // in [-1/2, 1/2]
	return float32(cosTurn(turn) * r), float32(cosTurn(float32(turn-0.25)) * r)
}

// cauchy transforms a word into a standard Cauchy variate: the cotangent of a uniform angle below a quarter turn. The
// word's lowest bit is the sign, so that the distribution is exactly symmetric. Like Normals it gives the same bits on
// every platform. The angle is at least 2⁻³⁴ turns, so that the magnitude is at most 2.8e9; a Cauchy variate exceeds it
// with probability 2.3e-10.
func cauchy(w uint32) float32 {
	a := float32(float32(float32(w>>1)*0x1p-33) + 0x1p-34) // in (0, 1/4]
	c := float32(sinTurn(float32(0.25-a)) / sinTurn(a))
	return math.Float32frombits(math.Float32bits(c) ^ w<<31)
}

// laplace transforms a word into a standard double exponential variate, of density exp(-|x|)/2: the logarithm of a uniform
// variate. The word's lowest bit is the sign, so that the distribution is exactly symmetric. Like Normals it gives the
// same bits on every platform. The largest magnitude is 32 ln 2 = 22.2; a Laplace variate exceeds it with probability
// 2.3e-10.
func laplace(w uint32) float32 {
	x := float32(float32(float32(w>>1)*0x1p-31) + 0x1p-32) // in (0, 1]
	y := float32(log2(x) * float32(math.Ln2))
	return math.Float32frombits(math.Float32bits(y) ^ w<<31)
}

// sech transforms a word into a standard hyperbolic secant variate, of density sech(πx/2)/2: 2/π times the logarithm of the
// tangent of a uniform angle below an eighth of a turn. The word's lowest bit is the sign, so that the distribution is
// exactly symmetric. Like Normals it gives the same bits on every platform. The angle is at least 2⁻³⁵ turns, so that the
// magnitude is at most 14.3; a variate exceeds it with probability 2.3e-10.
func sech(w uint32) float32 {
	a := float32(float32(float32(w>>1)*0x1p-34) + 0x1p-35) // in (0, 1/8]
	x := min(float32(sinTurn(a)/sinTurn(float32(0.25-a))), 1)
	y := float32(log2(x) * float32(2*math.Ln2/math.Pi))
	return math.Float32frombits(math.Float32bits(y) ^ w<<31)
}

// log2Poly approximates log2(1+m)/m on [0, 1), in powers of m.
var log2Poly = [...]float32{1.4426949917298651354, -0.72133951314566449228, 0.48067888959193055874,
	-0.35829906959230153387, 0.27522121233093542191, -0.19623895189894730436, 0.11183207392944968362,
	-0.041945008928705863415, 0.0073954021378632639874}

// log2 returns the binary logarithm of x in (0, 1]. It is never positive.
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

// sinTurnPoly approximates sin(2πy)/y for |y| ≤ 1/4, in powers of y².
var sinTurnPoly = [...]float32{6.2831852801544065035, -41.341680613346515274, 81.60247636892517969,
	-76.581172644278724467, 39.759827085319101139}

// sinTurn returns sin(2πy) for |y| ≤ 1/4.
func sinTurn(y float32) float32 {
	u := float32(y * y)
	z := sinTurnPoly[len(sinTurnPoly)-1]
	for k := len(sinTurnPoly) - 2; k >= 0; k-- {
		z = float32(float32(z*u) + sinTurnPoly[k])
	}
	return float32(y * z)
}

// cosTurn returns cos(2πa) for |a| ≤ 1.
func cosTurn(a float32) float32 {
	a = float32(a - float32(math.RoundToEven(float64(a))))
	return sinTurn(float32(0.25 - float32(math.Abs(float64(a)))))
}

func variatesGeneric[T Float](v Variate, dst []T, words []uint32, scale *[Width]T) {
	if v != Normal {
		of := transforms[v]
		for i, w := range words {
			dst[i] = T(of(w)) * scale[i%Width]
		}
		return
	}
	for p := 0; p < len(dst); p += 2 * Width {
		for j := range Width {
			a, b := Normals(words[p+j], words[p+Width+j])
			dst[p+j] = T(a) * scale[j]
			dst[p+Width+j] = T(b) * scale[j]
		}
	}
}
