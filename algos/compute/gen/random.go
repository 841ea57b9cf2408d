package main

import (
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"repro/algos/compute/internal/simd"
)

// A panel row holds one component of the frequencies of this many features.
const (
	rowLanes = 48
	rowBytes = 4 * rowLanes // of words or float32
)

// random writes Philox and the transforms of its words. So that all code gives the same bits, it uses only correctly rounded
// operations, and fused ones only if the product is by a power of two.
func random() {
	for _, s := range []rng{{isa: isas[0], double: isas[1]}, {isa: isas[2], double: isas[3]}} {
		s.philox()
		for _, double := range []bool{false, true} {
			s.transform("normals", 2, double, rng.boxMuller)
			s.transform("cauchy", 1, double, rng.cauchy)
			s.transform("laplace", 1, double, rng.laplace)
		}
	}
}

// An rng writes code for registers of words and float32. Its groups are lanes that go through a transform together, step by step,
// to hide the latency of each.
type rng struct {
	isa
	double isa  // of the same instruction set
	few    bool // registers: what is not needed soon is kept in memory
}

var randoms = newConstants("random")

// integers returns an operand whose elements are v.
func (s rng) integers(v uint32) Mem { return randoms.bits(s.isa, uint64(v)) }

// floats returns an operand whose elements are v. number is floats for use with all: AVX-512 reads one element in place of a
// register of them.
func (s rng) floats(v float64) Mem { return randoms.value(s.isa, v) }
func (s rng) number(v float64) Op  { return s.spared(s.floats(v)) }

// xor sets d to d ^ a.
func (s rng) xor(a, d Op) {
	if s.wide() {
		VPXORD(a, d, d)
	} else {
		VPXOR(a, d, d)
	}
}

// transform writes a transform of step rows of words into as many rows of variates, each times the
// scale of its lane. body gets a function that loads a row of words.
func (s rng) transform(name string, step int, double bool, body func(s rng, in func(row int) group) []group) {
	of, size := s.isa, 1 // size of a variate in words
	if double {
		of, size = s.double, 2
	}
	of.define(name, sumCall)
	dst, words, n, scale := param("c"), param("a"), param("n"), param("b")
	count := 2
	if s.wide() {
		count = 3
	}
	lane := GP64() // the first one of the chains, in bytes of words
	place := func(base reg.Register, size, row, at int) Mem {
		return Mem{Base: base, Index: lane, Scale: uint8(size), Disp: row*rowBytes*size + at*s.bytes}
	}
	if name == "normals" && s.wide() && !double {
		SUBQ(Imm(2), n)
		JL(LabelRef("odd"))
		Label("two")
		s.twoPairs(words, dst, scale)
		ADDQ(U32(2*2*rowBytes), words)
		ADDQ(U32(2*2*rowBytes), dst)
		SUBQ(Imm(2), n)
		JGE(LabelRef("two"))
		Label("odd")
		ADDQ(Imm(2), n)
		JE(LabelRef("done"))
	}
	Label("row")
	XORQ(lane, lane)
	Label("lanes")
	out := body(s, func(row int) group {
		c := s.group(count)
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
	repeat(n, "row")
	Label("done")
	end()
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

// upper turns words w into float32(w>>1)·scale + scale/2 and returns the lowest bits of the words as
// signs.
func (s rng) upper(c group, scale float64) (signs group) {
	signs = s.group(len(c))
	for i, w := range c {
		VPSLLD(Imm(31), w, signs[i])
		VPSRLD(Imm(1), w, w)
		VCVTDQ2PS(w, w)
	}
	m := s.inRegister(s.floats(scale))
	all(s.fma213, s.floats(scale/2), m, c) // the product is exact
	return signs
}

// cauchy is the transform simd.Cauchy.
func (s rng) cauchy(in func(int) group) []group {
	a := in(0)
	signs := s.upper(a, 0x1p-33)
	sin, cos := s.sinTurn(nil, a), s.sinTurn(nil, s.complement(nil, a))
	for i := range cos {
		s.div(sin[i], cos[i], cos[i])
		s.xor(signs[i], cos[i])
	}
	return []group{cos}
}

// laplace is the transform simd.Laplace.
func (s rng) laplace(in func(int) group) []group {
	x := in(0)
	signs := s.upper(x, 0x1p-31)
	y := s.log2(nil, x)
	for i := range y {
		s.mul(s.floats(math.Ln2), y[i], y[i])
		s.xor(signs[i], y[i])
	}
	return []group{y}
}

// xor3 sets d to d ^ a ^ b. It may overwrite a.
func (s rng) xor3(a, b, d reg.VecVirtual) {
	if s.wide() {
		VPTERNLOGD(Imm(0x96), a, b, d)
		return
	}
	s.xor(b, a)
	s.xor(a, d)
}

// halves are 32-bit words spread over two registers of 64-bit elements: the even words in the low
// halves of the first, the odd words in those of the second. What the high halves hold does not
// matter: multiplications ignore it, and their products arrive in this form.
type halves [2]reg.VecVirtual

func (s rng) split(r reg.VecVirtual) halves {
	odd := s.reg()
	VPSRLQ(Imm(32), r, odd)
	return halves{r, odd}
}

// merged returns the words in order. mask selects the odd words of a wide register.
func (s rng) merged(w halves, mask reg.OpmaskVirtual) reg.VecVirtual {
	if s.wide() {
		VMOVSLDUP(w[1], mask, w[0])
	} else {
		VPSLLQ(Imm(32), w[1], w[1])
		VPBLENDD(Imm(0xAA), w[1], w[0], w[0])
	}
	return w[0]
}

// round replaces words of a counter by those after a round of Philox.
func (s rng) round(x *[4]reg.VecVirtual, m0, m1 Op, k0, k1 reg.VecVirtual) {
	product := func(x reg.VecVirtual, m Op) (hi, lo reg.VecVirtual) {
		lo = s.reg()
		VPMULUDQ(m, x, lo)
		return s.split(lo)[1], lo
	}
	hi0, lo0 := product(x[0], m0)
	hi1, lo1 := product(x[2], m1)
	s.xor3(x[1], k0, hi1)
	s.xor3(x[3], k1, hi0)
	*x = [4]reg.VecVirtual{hi1, lo1, hi0, lo0}
}

// philox writes Philox4x32-10 of one counter a lane: of all lanes side by side where there are registers,
// for the rounds of one depend on each other, else of a register of them.
func (s rng) philox() {
	s.define("philox", sumCall)
	dst, n, at, from, keys := param("c"), param("n"), param("a"), param("ld"), param("b")
	var m0, m1 Op = s.integers(simd.PhiloxM0), s.integers(simd.PhiloxM1)
	var odd reg.OpmaskVirtual
	together := 1
	if s.wide() {
		m0, m1 = s.inRegister(m0), s.inRegister(m1)
		odd = K()
		bits := GP32()
		MOVL(U32(0xAAAA), bits)
		KMOVW(bits, odd)
		together = rowBytes / s.bytes
	}
	group, to, left := GP64(), GP64(), GP64()
	MOVQ(U32(uint32(rowBytes/s.bytes/together)), group)
	Label("group")
	position := s.reg()
	VMOVQ(from, position.AsX())
	VPBROADCASTD(position.AsX(), position)
	MOVQ(dst, to)
	MOVQ(n, left)
	Label("counter")
	x := make([][4]reg.VecVirtual, 2*together)
	for i := range together {
		for q := range 4 {
			w := s.inRegister(Mem{Base: at, Disp: q*rowBytes + i*s.bytes})
			if q == 0 {
				VPADDD(position, w, w)
			}
			h := s.split(w)
			x[2*i][q], x[2*i+1][q] = h[0], h[1]
		}
	}
	for r := range simd.Rounds {
		k0, k1 := s.reg(), s.reg()
		VPBROADCASTD(Mem{Base: keys, Disp: 8 * r}, k0)
		VPBROADCASTD(Mem{Base: keys, Disp: 8*r + 4}, k1)
		for i := range x {
			s.round(&x[i], m0, m1, k0, k1)
		}
	}
	for i := range together {
		for q := range 4 {
			s.mov(s.merged(halves{x[2*i][q], x[2*i+1][q]}, odd), Mem{Base: to, Disp: q*rowBytes + i*s.bytes})
		}
	}
	VPADDD(s.integers(1), position, position)
	ADDQ(U32(4*rowBytes), to)
	repeat(left, "counter")
	ADDQ(U32(uint32(together*s.bytes)), dst)
	ADDQ(U32(uint32(together*s.bytes)), at)
	repeat(group, "group")
	end()
}
