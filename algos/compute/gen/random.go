package main

import (
	"fmt"
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

func init() { parts["random"] = random }

// A panel row holds one component of the frequencies of this many features.
const (
	rowLanes = 48
	rowBytes = 4 * rowLanes // of words or float32
)

// random writes Philox and the transforms of its words: exactly rounded operations only, no fused
// ones except where the product is a multiplication by a power of two, so that all code gives the
// same bits.
func random() {
	for _, s := range []rng{{isas[0], "AVX512"}, {isas[2], "AVX2"}} {
		s.philox()
		for _, double := range []bool{false, true} {
			s.transform("normals", "pairs of rows of words into two rows of normals each", 2, double, rng.boxMuller)
			s.transform("cauchy", "rows of words into Cauchy variates", 1, double, rng.cauchy)
			s.transform("laplace", "rows of words into double exponential variates", 1, double, rng.laplace)
		}
	}
}

// An rng writes code for registers of words and float32.
type rng struct {
	isa
	set string // of instructions, in the functions' names
}

var randoms = newConstants("random")

// integers returns an operand whose elements are v.
func (s rng) integers(v uint32) Mem { return randoms.bits(s.isa, uint64(v)) }

// floats returns an operand whose elements are v.
func (s rng) floats(v float64) Mem { return randoms.value(s.isa, v) }

// loaded returns a register with the value of an operand.
func (s rng) loaded(m Op) reg.VecVirtual {
	r := s.reg()
	s.mov(m, r)
	return r
}

// xor sets d to d ^ a.
func (s rng) xor(a Op, d reg.VecVirtual) {
	if s.wide() {
		VPXORD(a, d, d)
	} else {
		VPXOR(a, d, d)
	}
}

// chains are registers of lanes that go through a transform together, step by step, to hide the
// latency of each.
type chains []reg.VecVirtual

func (c chains) each(f func(reg.VecVirtual)) {
	for _, r := range c {
		f(r)
	}
}

func (s rng) newChains(n int) chains {
	c := make(chains, n)
	for i := range c {
		c[i] = s.reg()
	}
	return c
}

// transform writes a transform of step rows of words into as many rows of variates, each times the
// scale of its lane. body gets a function that loads a row of words.
func (s rng) transform(verb, doc string, step int, double bool, body func(s rng, in func(row int) chains) []chains) {
	typ, size := "float32", 1 // size of a variate in words
	if double {
		typ, size = "float64", 2
	}
	name := fmt.Sprintf("%s%sF%d", verb, s.set, 32*size)
	TEXT(name, NOSPLIT, fmt.Sprintf("func(dst *%s, words *uint32, n int, scale *%[1]s)", typ))
	Doc(fmt.Sprintf("%s turns n %s, %d in a row, times the scale of each.", name, doc, rowLanes))
	Pragma("noescape")
	dst, words, n, scale := param("dst"), param("words"), param("n"), param("scale")
	count := 2
	if s.wide() {
		count = 3
	}
	lane := GP64() // the first one of the chains, in bytes of words
	place := func(base reg.Register, size, row, at int) Mem {
		return Mem{Base: base, Index: lane, Scale: uint8(size), Disp: row*rowBytes*size + at*s.bytes}
	}
	Label("row")
	XORQ(lane, lane)
	Label("lanes")
	out := body(s, func(row int) chains {
		c := s.newChains(count)
		for i, r := range c {
			s.mov(place(words, 1, row, i), r)
		}
		return c
	})
	for row, c := range out {
		for i, r := range c {
			if !double {
				s.mul(place(scale, 1, 0, i), r, r)
				s.mov(r, place(dst, 1, row, i))
				continue
			}
			for part, w := range s.widened(r) {
				VMULPD(place(scale, 2, 0, 2*i+part), w, w)
				VMOVUPD(w, place(dst, 2, row, 2*i+part))
			}
		}
	}
	ADDQ(U32(uint32(count*s.bytes)), lane)
	CMPQ(lane, U32(rowBytes))
	JNE(LabelRef("lanes"))
	ADDQ(U32(uint32(step*rowBytes)), words)
	ADDQ(U32(uint32(step*rowBytes*size)), dst)
	DECQ(n)
	JNE(LabelRef("row"))
	VZEROUPPER()
	RET()
}

// widened returns the two halves of a register of float32 as float64.
func (s rng) widened(r reg.VecVirtual) [2]reg.VecVirtual {
	lo, hi := s.reg(), s.reg()
	if s.wide() {
		VEXTRACTF32X8(Imm(1), r, hi.AsY())
		VCVTPS2PD(hi.AsY(), hi)
		VCVTPS2PD(r.AsY(), lo)
	} else {
		VEXTRACTF128(Imm(1), r, hi.AsX())
		VCVTPS2PD(hi.AsX(), hi)
		VCVTPS2PD(r.AsX(), lo)
	}
	return [2]reg.VecVirtual{lo, hi}
}

// boxMuller is the transform simd.Normals.
func (s rng) boxMuller(in func(int) chains) []chains {
	u := in(0)
	s.unit(u)
	r := s.log2(u)
	r.each(func(y reg.VecVirtual) { s.mul(s.floats(-2*math.Ln2), y, y) })
	r.each(func(y reg.VecVirtual) { VSQRTPS(y, y) })
	a := in(1)
	a.each(func(t reg.VecVirtual) { VCVTDQ2PS(t, t) })
	a.each(func(t reg.VecVirtual) { s.mul(s.floats(0x1p-32), t, t) }) // in [-1/2, 1/2]: needs no reduction
	b := s.newChains(len(a))
	for i := range b {
		s.sub(s.floats(0.25), a[i], b[i])
	}
	b.each(s.fraction)
	var out []chains
	for _, t := range []chains{a, b} {
		t.each(func(t reg.VecVirtual) { s.and(s.integers(0x7fffffff), t, t) })
		v := s.sinTurn(s.complement(t))
		for i := range v {
			s.mul(r[i], v[i], v[i])
		}
		out = append(out, v)
	}
	return out
}

// complement returns 1/4 - t.
func (s rng) complement(t chains) chains {
	y := s.newChains(len(t))
	for i := range y {
		s.mov(s.floats(0.25), y[i])
		s.sub(t[i], y[i], y[i])
	}
	return y
}

// unit turns words u into float32(u)·2⁻³² + 2⁻³³.
func (s rng) unit(c chains) {
	if s.wide() {
		m := s.loaded(s.floats(0x1p-32))
		c.each(func(u reg.VecVirtual) { VCVTUDQ2PS(u, u) })
		c.each(func(u reg.VecVirtual) { s.fma213(s.floats(0x1p-33), m, u) }) // the product is exact
		return
	}
	c.each(func(u reg.VecVirtual) {
		// The two halves of u become the low bits of 2⁷ + high·2⁻¹⁶ and 2⁻⁹ + low·2⁻³². Without
		// 2⁷ + 2⁻⁹ the first is still exact; their sum rounds as the conversion of u does.
		hi := s.reg()
		VPSRLD(Imm(16), u, hi)
		VPOR(s.integers(math.Float32bits(0x1p7)), hi, hi)
		VPBLENDW(Imm(0xAA), s.integers(math.Float32bits(0x1p-9)), u, u)
		s.sub(s.floats(0x1p7+0x1p-9), hi, hi)
		s.add(hi, u, u)
		s.add(s.floats(0x1p-33), u, u)
	})
}

// upper turns words w into float32(w>>1)·scale + scale/2 and returns the lowest bits of the words as
// signs.
func (s rng) upper(c chains, scale float64) (signs chains) {
	signs = s.newChains(len(c))
	for i, w := range c {
		VPSLLD(Imm(31), w, signs[i])
		VPSRLD(Imm(1), w, w)
		VCVTDQ2PS(w, w)
	}
	m := s.loaded(s.floats(scale))
	c.each(func(w reg.VecVirtual) { s.fma213(s.floats(scale/2), m, w) }) // the product is exact
	return signs
}

// fraction sets t to t - round(t).
func (s rng) fraction(t reg.VecVirtual) {
	if s.wide() {
		VREDUCEPS(Imm(8), t, t)
		return
	}
	whole := s.reg()
	VROUNDPS(Imm(8), t, whole)
	s.sub(whole, t, t)
}

// The polynomials of simd.Normals.
var log2Poly = []float64{1.4426949917298651354, -0.72133951314566449228, 0.48067888959193055874,
	-0.35829906959230153387, 0.27522121233093542191, -0.19623895189894730436, 0.11183207392944968362,
	-0.041945008928705863415, 0.0073954021378632639874}

// log2 is the binary logarithm of x in (0, 1], never positive.
func (s rng) log2(x chains) chains {
	e, y := s.newChains(len(x)), s.newChains(len(x))
	for i, m := range x {
		if s.wide() {
			VGETEXPPS(m, e[i])
			VGETMANTPS(Imm(0), m, m)
		} else {
			VPSRLD(Imm(23), m, e[i])
			VCVTDQ2PS(e[i], e[i])
			s.sub(s.floats(127), e[i], e[i])
			VPAND(s.integers(0x7fffff), m, m)
			VPOR(s.integers(math.Float32bits(1)), m, m)
		}
		s.sub(s.floats(1), m, m)
	}
	s.horner(log2Poly, x, y)
	for i := range y {
		s.mul(x[i], y[i], y[i])
		s.add(e[i], y[i], y[i])
	}
	zero := s.reg()
	s.zero(zero)
	y.each(func(v reg.VecVirtual) { s.min(zero, v, v) })
	return y
}

var sinTurnPoly = []float64{6.2831852801544065035, -41.341680613346515274, 81.60247636892517969,
	-76.581172644278724467, 39.759827085319101139}

// sinTurn is sin(2πy) for |y| ≤ 1/4.
func (s rng) sinTurn(y chains) chains {
	u, z := s.newChains(len(y)), s.newChains(len(y))
	for i := range y {
		s.mul(y[i], y[i], u[i])
	}
	s.horner(sinTurnPoly, u, z)
	for i := range y {
		s.mul(y[i], z[i], z[i])
	}
	return z
}

// horner sets y to the polynomial of x.
func (s rng) horner(poly []float64, x, y chains) {
	last := len(poly) - 1
	for i := range y {
		s.mul(s.floats(poly[last]), x[i], y[i])
	}
	for k := last - 1; k >= 0; k-- {
		var c Op = s.floats(poly[k])
		if s.wide() {
			c = s.loaded(c)
		}
		for i := range y {
			if k < last-1 {
				s.mul(x[i], y[i], y[i])
			}
			s.add(c, y[i], y[i])
		}
	}
}

// cauchy is the transform simd.Cauchy.
func (s rng) cauchy(in func(int) chains) []chains {
	a := in(0)
	signs := s.upper(a, 0x1p-33)
	sin, cos := s.sinTurn(a), s.sinTurn(s.complement(a))
	for i := range cos {
		s.div(sin[i], cos[i], cos[i])
		s.xor(signs[i], cos[i])
	}
	return []chains{cos}
}

// laplace is the transform simd.Laplace.
func (s rng) laplace(in func(int) chains) []chains {
	x := in(0)
	signs := s.upper(x, 0x1p-31)
	y := s.log2(x)
	for i := range y {
		s.mul(s.floats(math.Ln2), y[i], y[i])
		s.xor(signs[i], y[i])
	}
	return []chains{y}
}
