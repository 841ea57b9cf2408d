package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// rowShapes are the rows and vectors of the inner products of an instruction set, largest first.
var rowShapes = map[string][][2]int{
	"AVX512F64": {{4, 5}, {4, 4}, {4, 3}, {4, 2}, {4, 1}, {1, 5}, {1, 4}, {1, 3}, {1, 2}, {1, 1}},
	"AVX2F64":   {{2, 2}, {2, 1}, {1, 2}, {1, 1}},
}

// rows writes the inner products of m rows of a matrix with c vectors, all contiguous: each as eight
// interleaved sums, those four apart added first, then those two apart, then the last two.
func rows(s isa, m, c int) {
	name := fmt.Sprintf("rows%s_%dx%d", s.name, m, c)
	TEXT(name, NOSPLIT, "func(n int, a *float64, lda int, b *float64, ldb int, out *float64, ldo int)")
	Doc(fmt.Sprintf("%s sets out_iq to Σ_l a_il b_ql, l < 8n, for %d rows i and %d rows q.", name, m, c))
	Pragma("noescape")
	n, a, lda, b, ldb := param("n"), param("a"), param("lda"), param("b"), param("ldb")
	SHLQ(s.shift(), lda)
	SHLQ(s.shift(), ldb)
	as, bs := rowsAt(a, lda, m), rowsAt(b, ldb, c)
	parts := 8 / s.lanes() // registers of a sum
	acc := map[[3]int]reg.VecVirtual{}
	for i := range m {
		for q := range c {
			for h := range parts {
				r := s.reg()
				s.zero(r)
				acc[[3]int{i, q, h}] = r
			}
		}
	}
	Label("loop")
	for h := range parts {
		left := make([]reg.VecVirtual, m)
		for i := range left {
			left[i] = s.reg()
			s.mov(Mem{Base: as[i], Disp: h * s.bytes}, left[i])
		}
		for q := range c {
			right := s.reg()
			s.mov(Mem{Base: bs[q], Disp: h * s.bytes}, right)
			for i := range left {
				s.fma231(left[i], right, acc[[3]int{i, q, h}])
			}
		}
	}
	for _, r := range append(as, bs...) {
		ADDQ(Imm(64), r)
	}
	DECQ(n)
	JNE(LabelRef("loop"))
	out, ldo := param("out"), param("ldo")
	SHLQ(s.shift(), ldo)
	for i := range m {
		for q := range c {
			sum := acc[[3]int{i, q, 0}]
			if s.wide() {
				high := YMM()
				VEXTRACTF64X4(Imm(1), sum, high)
				VADDPD(high, sum.AsY(), sum.AsY())
			} else {
				VADDPD(acc[[3]int{i, q, 1}], sum, sum)
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
