package compute

import (
	"math"
	"os"
)

// toInteger is 1.5·2⁵²: adding and subtracting it rounds a float64 below 2⁵¹ to the nearest integer.
const toInteger = 0x1.8p52

// vectorISA is the instruction set of the vector functions: "avx2" or "generic". Both give the same
// bits on amd64. The environment variable REPRO_CPU forces one.
var vectorISA = func() string {
	if want := os.Getenv("REPRO_CPU"); want == "generic" || !haveAVX2 {
		return "generic"
	}
	return "avx2"
}()

// ISA returns the instruction set that the vector functions use: "avx2" or "generic".
func ISA() string { return vectorISA }

// CosTurns replaces every z by s·cos(2πz), with an absolute error below 6e-16·|s| for |z| < 2⁵¹ beyond
// the rounding of z itself. Infinities and NaN give NaN.
//
// The argument is in turns, so that its reduction z - round(z) is exact; cos(2πr) = sin(2πy) with
// y = 1/4 - |r|, by a polynomial of degree 15 in y.
func CosTurns(z []float64, s float64) {
	if vectorISA == "avx2" {
		if n := len(z) &^ 3; n > 0 {
			cosTurnsAVX2(&z[0], n, s)
			z = z[n:]
		}
	}
	cosTurnsGeneric(z, s)
}

func cosTurnsGeneric(z []float64, s float64) {
	const (
		c0 = 6.283185307179585
		c1 = -41.341702240398284
		c2 = 81.60524927557977
		c3 = -76.70585968962867
		c4 = 42.05868995395094
		c5 = -15.09450614073429
		c6 = 3.817365633469135
		c7 = -0.6925067010720717
	)
	for i, v := range z {
		y := 0.25 - math.Abs(v-((v+toInteger)-toInteger))
		u := y * y
		u2 := u * u
		u4 := u2 * u2
		a := (c2+c3*u)*u2 + (c0 + c1*u)
		b := (c6+c7*u)*u2 + (c4 + c5*u)
		z[i] = (b*u4 + a) * (y * s)
	}
}

// Exp2 replaces every z by 2^(sz) with a relative error below 1e-15 beyond the rounding of sz. Results
// below 2⁻¹⁰²¹ become 0, those from 2¹⁰²⁴ on +Inf; NaN stays NaN.
//
// With n = round(sz) and r = sz - n, the result is 2^n·2^r, 2^r by a polynomial of degree 11.
func Exp2(z []float64, s float64) {
	if vectorISA == "avx2" {
		if n := len(z) &^ 3; n > 0 {
			exp2AVX2(&z[0], n, s)
			z = z[n:]
		}
	}
	exp2Generic(z, s)
}

func exp2Generic(z []float64, s float64) {
	const (
		c0  = 1
		c1  = 0.6931471805599453
		c2  = 0.24022650695910158
		c3  = 0.055504108664821625
		c4  = 0.009618129107587256
		c5  = 0.001333355814640647
		c6  = 0.00015403530463724353
		c7  = 1.5252733841556773e-05
		c8  = 1.3215432535912375e-06
		c9  = 1.0178057087733941e-07
		c10 = 7.074194297288521e-09
		c11 = 4.4558179083360645e-10

		biased = toInteger + 1022 // its low bits hold the exponent of 2^(n-1)
	)
	for i, v := range z {
		v *= s
		n := v + biased
		r := v - (n - biased)
		r2 := r * r
		r4 := r2 * r2
		a := (c2+c3*r)*r2 + (c0 + c1*r)
		b := (c6+c7*r)*r2 + (c4 + c5*r)
		d := (c10+c11*r)*r2 + (c8 + c9*r)
		p := (d*r4+b)*r4 + a
		p = (p + p) * math.Float64frombits(math.Float64bits(n)<<52)
		switch {
		case v < -1021:
			p = 0
		case v >= 1024:
			p = math.Inf(1)
		}
		z[i] = p
	}
}

// affine sets z_j to phase_j + Σ_l x_l w_lj, adding l in order and skipping zeros of x. z and phase
// have as many entries as w has columns, x as many as it has rows.
func affine(z, phase []float64, w Matrix, x []float64) {
	n := 0
	if vectorISA == "avx2" && len(x) > 0 {
		if n = len(z) &^ 3; n > 0 {
			affineAVX2(&z[0], &phase[0], &w.Data[0], w.Stride, &x[0], len(x), n)
		}
	}
	if n == len(z) {
		return
	}
	copy(z[n:], phase[n:])
	for l, v := range x {
		if v == 0 {
			continue
		}
		for j, u := range w.Row(l)[n:] {
			z[n+j] += v * u
		}
	}
}

// distances sets z_j to Σ_l (x_l - w_lj)², adding l in order.
func distances(z []float64, w Matrix, x []float64) {
	n := 0
	if vectorISA == "avx2" && len(x) > 0 {
		if n = len(z) &^ 3; n > 0 {
			distancesAVX2(&z[0], &w.Data[0], w.Stride, &x[0], len(x), n)
		}
	}
	if n == len(z) {
		return
	}
	clear(z[n:])
	for l, v := range x {
		for j, u := range w.Row(l)[n:] {
			z[n+j] += (v - u) * (v - u)
		}
	}
}

// dot returns Σ a_i b_i: sixteen interleaved sums, added up in pairs, then the rest in order.
func dot(a, b []float64) float64 {
	n := len(a) &^ 15
	var s float64
	if vectorISA == "avx2" && n > 0 {
		s = dotAVX2(&a[0], &b[0], n)
	} else {
		s = dotGeneric(a[:n], b[:n])
	}
	for i := n; i < len(a); i++ {
		s += a[i] * b[i]
	}
	return s
}

func dotGeneric(a, b []float64) float64 {
	var s [16]float64
	for len(a) >= 16 && len(b) >= 16 {
		for k := range s {
			s[k] += a[k] * b[k]
		}
		a, b = a[16:], b[16:]
	}
	var t [4]float64
	for k := range t {
		t[k] = (s[k] + s[4+k]) + (s[8+k] + s[12+k])
	}
	return (t[0] + t[2]) + (t[1] + t[3])
}
