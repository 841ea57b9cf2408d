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

// random writes Philox and the transforms of its words. So that all code gives the same bits, it uses only correctly rounded
// operations, and fused ones only if the product is by a power of two.
func random() {
	for _, s := range []rng{{isa: isas[0], set: "AVX512"}, {isa: isas[2], set: "AVX2"}} {
		s.philox()
		for _, double := range []bool{false, true} {
			s.transform("normals", "pairs of rows of words into two rows of normals each", 2, double, rng.boxMuller)
			s.transform("cauchy", "rows of words into Cauchy variates", 1, double, rng.cauchy)
			s.transform("laplace", "rows of words into double exponential variates", 1, double, rng.laplace)
		}
	}
}

// An rng writes code for registers of words and float32. Its groups are lanes that go through a transform together, step by step,
// to hide the latency of each.
type rng struct {
	isa
	set string // of instructions, in the functions' names
	few bool   // registers: what is not needed soon is kept in memory
}

var randoms = newConstants("random")

// integers returns an operand whose elements are v.
func (s rng) integers(v uint32) Mem { return randoms.bits(s.isa, uint64(v)) }

// floats returns an operand whose elements are v. number is floats for use with all: AVX-512 reads one element in place of a
// register of them.
func (s rng) floats(v float64) Mem { return randoms.value(s.isa, v) }
func (s rng) number(v float64) Op  { return s.spared(s.floats(v)) }

// loaded returns a register with the value of an operand.
func (s rng) loaded(m Op) reg.VecVirtual {
	r := s.reg()
	s.mov(m, r)
	return r
}

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
func (s rng) transform(verb, doc string, step int, double bool, body func(s rng, in func(row int) group) []group) {
	typ, size := "float32", 1 // size of a variate in words
	if double {
		typ, size = "float64", 2
	}
	name := fmt.Sprintf("%s%sF%d", verb, s.set, 32*size)
	define(name, fmt.Sprintf("dst *%s, words *uint32, n int, scale *%[1]s", typ),
		fmt.Sprintf("turns n %s, %d in a row, times the scale of each.", doc, rowLanes))
	dst, words, n, scale := param("dst"), param("words"), param("n"), param("scale")
	count := 2
	if s.wide() {
		count = 3
	}
	lane := GP64() // the first one of the chains, in bytes of words
	place := func(base reg.Register, size, row, at int) Mem {
		return Mem{Base: base, Index: lane, Scale: uint8(size), Disp: row*rowBytes*size + at*s.bytes}
	}
	if verb == "normals" && s.wide() && !double {
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
	m := s.loaded(s.floats(scale))
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
