package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
)

// integerISAs are those of panels of integers: four of 8 bits in an element with VNNI, two of 16 bits otherwise.
var integerISAs = []isa{
	{"AVX512U8", 64, 4, 32, 4},
	{"AVX2I16", 32, 4, 16, 2},
}

// integerForms are those of panels of integers. t_ij = 2 Σ_l a_li b_lj + b_kj + a_ki is computed exactly.
var integerForms = []form{
	{"distance", "s·t", true, 0, func(s isa, p *steps, x group) group {
		p.all(converted, x, x)
		p.all(s.mul, spare{parameter("s"), s}, x, x)
		return x
	}},
	{"exponential", "2^(s·t)", true, 6, func(s isa, p *steps, x group) group {
		p.all(converted, x, x)
		lo, hi := s.exponents()
		c := powers{spare{lo, s}, spare{hi, s}, s.coefficients(exp2Poly[s.size], s.spared)}
		return s.exp2Of(p, x, spare{parameter("s"), s}, c)
	}},
}

// converted sets elements to integers, rounded, for use with all.
func converted(o ...Op) { VCVTDQ2PS(o...) }

// doubled doubles integers, for use with all.
func doubled(o ...Op) { VPSLLD(Imm(1), o[0], o[1]) }

// integers writes the micro-tiles of panels of integers, and their packing.
func integers() {
	for _, s := range integerISAs {
		for _, f := range integerForms {
			panelTile(s, f, vectors)
		}
		packIntegers(s, true)
		packIntegers(s, false)
	}
}

// packIntegers writes the packing of one side, 8 columns at a time.
func packIntegers(s isa, left bool) {
	side, doc := "Right", "integers v, and below them Σ v² - 254 Σ v"
	if left {
		side, doc = "Left", "127 - v, and below them Σ v²"
	}
	name := "pack" + s.name + side
	define(name, "n int, points *float32, scale float32, panel *float32, lda, strip int",
		fmt.Sprintf("packs %dn rows of 48 points, scale times them rounded to integers v, to n rows of elements that hold %[1]d", s.ints),
		doc+". Rows of the panel are lda elements apart, its strips of 8 columns strip.")
	const size, lanes = 4, 8
	points, panel, lda, strip := param("points"), param("panel"), param("lda"), param("strip")
	SHLQ(Imm(2), lda)
	SHLQ(Imm(2), strip)
	constant := func(bits uint64) Op {
		r := YMM()
		VMOVUPS(integerConstants.bits(s, bits), r)
		return r
	}
	scale := YMM()
	VBROADCASTSS(parameter("scale"), scale)
	shift := constant(127)
	if !left {
		shift = constant(254)
	}
	mask := constant(1<<(32/s.ints) - 1)
	count := copied(U32(panelColumns / lanes))
	Label("strip")
	n, from, to := param("n"), copied(points), copied(panel)
	sums := YMM()
	VPXOR(sums, sums, sums)
	Label("row")
	elements := YMM()
	for g := range s.ints {
		v, other := YMM(), YMM()
		VMULPS(Mem{Base: from, Disp: g * panelColumns * size}, scale, v)
		VCVTPS2DQ(v, v)
		if left {
			VPMULLD(v, v, other)
			VPSUBD(v, shift, v)
		} else {
			VPSUBD(shift, v, other)
			VPMULLD(v, other, other)
		}
		VPADDD(other, sums, sums)
		VPAND(mask, v, v)
		if g == 0 {
			VMOVDQU(v, elements)
			continue
		}
		VPSLLD(Imm(uint64(32/s.ints*g)), v, v)
		VPOR(v, elements, elements)
	}
	VMOVDQU(elements, Mem{Base: to})
	ADDQ(U32(uint32(s.ints*panelColumns*size)), from)
	ADDQ(lda, to)
	repeat(n, "row")
	VMOVDQU(sums, Mem{Base: to})
	ADDQ(Imm(lanes*size), points)
	ADDQ(strip, panel)
	repeat(count, "strip")
	end()
}

var integerConstants = newConstants("integer")
