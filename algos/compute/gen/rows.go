package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// rowShapes are the rows and vectors of the inner products of an instruction set.
var rowShapes = map[string][][2]int{
	"AVX512F64": {
		{4, 1}, {4, 2}, {4, 3}, {4, 4}, {4, 5}, {4, 6}, {3, 7}, {3, 8}, {2, 9}, {2, 10}, {2, 11}, {2, 12},
		{1, 1}, {1, 2}, {1, 3}, {1, 4}, {1, 5}, {1, 6}, {1, 7}, {1, 8}, {1, 9}, {1, 10}, {1, 11}, {1, 12},
	},
	"AVX2F64": {{2, 1}, {2, 2}, {2, 3}, {1, 1}, {1, 2}, {1, 3}},
	"AVX512F32": {
		{2, 1}, {2, 2}, {2, 3}, {2, 4}, {2, 5}, {2, 6}, {2, 7}, {2, 8}, {2, 9}, {2, 10}, {2, 11}, {2, 12},
		{1, 1}, {1, 2}, {1, 3}, {1, 4}, {1, 5}, {1, 6}, {1, 7}, {1, 8}, {1, 9}, {1, 10}, {1, 11}, {1, 12},
	},
	"AVX2F32": {{2, 1}, {2, 2}, {2, 3}, {1, 1}, {1, 2}, {1, 3}},
}

// rows writes the inner products, in float64, of m rows of a matrix with c vectors: each as eight interleaved sums, which
// are added in the order that simd.RowDots states.
func rows(of isa, m, c int) {
	s := of // of the sums
	s.size = 8
	name := fmt.Sprintf("rows%s_%dx%d", of.name, m, c)
	TEXT(name, NOSPLIT, fmt.Sprintf("func(n int, a *%s, lda, ahead, apart int, b *float64, ldb int, sums *float64, more int, out *float64, ldo int)", of.goType()))
	Doc(fmt.Sprintf("%s adds a_il b_ql, l < 8n, to eight sums for each of %d rows i and %d vectors q, or begins them if more is 0.", name, m, c),
		"Terms l and on of the vectors, eight of each, are at b + l·ldb/8. If out is not nil, out_iq is set to what the sums add up to",
		"in place of them. Meanwhile what lies ahead of a by so many elements is fetched, and of two rows what is apart from that.")
	Pragma("noescape")
	n, a, lda, b, ldb, sums := param("n"), param("a"), param("lda"), param("b"), param("ldb"), param("sums")
	SHLQ(of.shift(), lda)
	SHLQ(s.shift(), ldb)
	as := rowsAt(a, lda, m)
	parts := 8 / s.lanes() // registers of a sum
	type place struct{ i, q, h int }
	acc := map[place]reg.VecVirtual{}
	each := func(visit func(r reg.VecVirtual, at Mem)) {
		for i := range m {
			for q := range c {
				for h := range parts {
					visit(acc[place{i, q, h}], Mem{Base: sums, Disp: 64*(i*c+q) + h*s.bytes})
				}
			}
		}
	}
	for i := range m {
		for q := range c {
			for h := range parts {
				r := s.reg()
				s.zero(r)
				acc[place{i, q, h}] = r
			}
		}
	}
	more := param("more")
	TESTQ(more, more)
	JE(LabelRef("begun"))
	each(func(r reg.VecVirtual, at Mem) { s.mov(at, r) })
	Label("begun")
	ahead := param("ahead")
	SHLQ(of.shift(), ahead)
	if m == 2 { // ahead of the second row
		apart := param("apart")
		SHLQ(of.shift(), apart)
		ADDQ(ahead, apart)
		SUBQ(lda, apart)
		Label("loop")
		fetch(as, ahead, apart)
	} else {
		Label("loop")
		fetch(as, ahead, ahead)
	}
	for h := range parts {
		left := make([]reg.VecVirtual, m)
		for i := range left {
			left[i] = s.reg()
			if at := (Mem{Base: as[i], Disp: h * s.lanes() * of.size}); of.single() {
				VCVTPS2PD(at, left[i])
			} else {
				s.mov(at, left[i])
			}
		}
		for q := range c {
			right := s.reg()
			s.mov(Mem{Base: b, Disp: 64*q + h*s.bytes}, right)
			for i := range left {
				s.fma231(left[i], right, acc[place{i, q, h}])
			}
		}
	}
	for _, r := range as {
		ADDQ(Imm(uint64(8*of.size)), r)
	}
	ADDQ(ldb, b)
	DECQ(n)
	JNE(LabelRef("loop"))
	out, ldo := param("out"), param("ldo")
	TESTQ(out, out)
	JNE(LabelRef("end"))
	each(func(r reg.VecVirtual, at Mem) { s.mov(r, at) })
	VZEROUPPER()
	RET()
	Label("end")
	SHLQ(s.shift(), ldo)
	for i := range m {
		for q := range c {
			sum := acc[place{i, q, 0}]
			if s.wide() {
				high := YMM()
				VEXTRACTF64X4(Imm(1), sum, high)
				VADDPD(high, sum.AsY(), sum.AsY())
			} else {
				VADDPD(acc[place{i, q, 1}], sum, sum)
			}
			half := XMM()
			if s.wide() { // reaches all registers
				VEXTRACTF64X2(Imm(1), sum.AsY(), half)
			} else {
				VEXTRACTF128(Imm(1), sum.AsY(), half)
			}
			VADDPD(half, sum.AsX(), sum.AsX())
			VPERMILPD(Imm(1), sum.AsX(), half)
			VADDSD(half, sum.AsX(), sum.AsX())
			VMOVSD(sum.AsX(), Mem{Base: out, Disp: 8 * q})
		}
		if i+1 < m {
			ADDQ(ldo, out)
		}
	}
	VZEROUPPER()
	RET()
}

// fetch prefetches the memory ahead of the first row and of the others.
func fetch(rows []reg.GPVirtual, first, others reg.GPVirtual) {
	for i, r := range rows {
		at := others
		if i == 0 {
			at = first
		}
		PREFETCHT0(Mem{Base: r, Index: at, Scale: 1})
	}
}
