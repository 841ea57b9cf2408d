package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"repro/algos/compute/internal/simd"
)

// rowHeights returns the rows of the largest micro-kernels of inner products, for one vector and on.
func (s isa) rowHeights() []int {
	if s.wide() {
		return []int{4, 4, 4, 4, 4, 4, 3, 3, 2, 2, 2, 2}
	}
	return []int{4, 3, 4, 3, 2, 2}
}

// rowName is the symbol of a micro-kernel, which it notes for the table.
func (s isa) rowName(m, c int) string {
	symbol := fmt.Sprintf("rows%s_%dx%d", s.name, m, c)
	s.place(simd.RowAt(m, c), symbol)
	return symbol
}

// A rowSums writes the inner products, in float64, of m rows of a matrix with c vectors: each as eight interleaved sums, which
// are added in the order that simd.RowDots states.
type rowSums struct {
	of, s    isa // of the matrix and of the sums
	m, c     int
	passes   int             // over the terms
	parts    int             // registers of a result in a pass
	acc      [][]group       // of row, vector and part
	as, next []reg.GPVirtual // ends of the rows and of those to prefetch
}

// rows writes the inner products of m rows and c vectors. If the registers cannot hold eight sums for each result, it makes two passes
// over the terms, with four sums each: more rows and vectors then share a load.
func rows(of isa, m, c int) {
	s := of
	s.size = 8
	r := &rowSums{of: of, s: s, m: m, c: c, passes: 1, parts: 8 / s.lanes()}
	if m*c*r.parts > s.regs-4 {
		r.passes, r.parts = 2, 1
	}
	define(of.rowName(m, c), rowCall)
	for h := range r.passes {
		r.pass(h)
	}
	r.end()
}

// each visits the accumulators of a pass with the addresses of their sums.
func (r *rowSums) each(pass int, visit func(acc reg.VecVirtual, at Mem)) {
	sums := param("sums")
	for i := range r.m {
		for q := range r.c {
			for h := range r.parts {
				visit(r.acc[i][q][h], Mem{Base: sums, Disp: 64*(i*r.c+q) + (pass+h)*r.s.bytes})
			}
		}
	}
}

// pass adds the terms of a pass.
func (r *rowSums) pass(pass int) {
	r.acc = make([][]group, r.m)
	for i := range r.acc {
		r.acc[i] = r.s.zeros(r.c, r.parts)
	}
	begun, loop := fmt.Sprintf("begun%d", pass), fmt.Sprintf("loop%d", pass)
	more := param("more")
	TESTQ(more, more)
	JE(LabelRef(begun))
	r.each(pass, func(acc reg.VecVirtual, at Mem) { r.s.mov(at, acc) })
	Label(begun)
	l := r.places(pass)
	b, ldb := param("b"), param("ldb")
	SHLQ(r.s.shift(), ldb)
	Label(loop)
	for _, at := range r.next {
		PREFETCHT1(Mem{Base: at, Index: l, Scale: 1})
	}
	for h := range r.parts {
		r.terms(pass+h, h, b, l)
	}
	ADDQ(ldb, b)
	ADDQ(Imm(uint64(8*r.of.size)), l)
	JNE(LabelRef(loop))
	if pass+1 < r.passes {
		r.each(pass, func(acc reg.VecVirtual, at Mem) { r.s.mov(acc, at) })
	}
}

// places sets the ends of the rows and of those to prefetch in a pass, and returns a register with the distance from there to the
// first term.
func (r *rowSums) places(pass int) reg.GPVirtual {
	end, l := param("a"), param("n")
	SHLQ(Imm(3), l)
	LEAQ(Mem{Base: end, Index: l, Scale: uint8(r.of.size)}, end)
	place := func(name string, i int) reg.GPVirtual {
		at := param(fmt.Sprint(name, i))
		LEAQ(Mem{Base: end, Index: at, Scale: uint8(r.of.size)}, at)
		return at
	}
	r.as, r.next = []reg.GPVirtual{end}, nil
	for i := 1; i < r.m; i++ {
		r.as = append(r.as, place("r", i))
	}
	share := (r.m + r.passes - 1) / r.passes
	for i := pass * share; i < min((pass+1)*share, r.m); i++ {
		r.next = append(r.next, place("f", i))
	}
	SHLQ(r.of.shift(), l)
	NEGQ(l)
	return l
}

// terms adds part h of eight terms of all rows and vectors to part of the accumulators. Of rows and vectors, the fewer stay in
// registers.
func (r *rowSums) terms(h, part int, b, l reg.GPVirtual) {
	left := func(i int) reg.VecVirtual {
		x := r.s.reg()
		if at := (Mem{Base: r.as[i], Index: l, Scale: 1, Disp: h * r.s.lanes() * r.of.size}); r.of.single() {
			VCVTPS2PD(at, x)
		} else {
			r.s.mov(at, x)
		}
		return x
	}
	right := func(q int) reg.VecVirtual {
		y := r.s.reg()
		r.s.mov(Mem{Base: b, Disp: 64*q + h*r.s.bytes}, y)
		return y
	}
	if r.m > r.c {
		ys := loaded(r.c, right)
		for i := range r.m {
			x := left(i)
			for q, y := range ys {
				r.s.fma231(x, y, r.acc[i][q][part])
			}
		}
		return
	}
	xs := loaded(r.m, left)
	for q := range r.c {
		y := right(q)
		for i, x := range xs {
			r.s.fma231(x, y, r.acc[i][q][part])
		}
	}
}

// loaded returns n registers that load fills.
func loaded(n int, load func(i int) reg.VecVirtual) []reg.VecVirtual {
	r := make([]reg.VecVirtual, n)
	for i := range r {
		r[i] = load(i)
	}
	return r
}

// end writes the sums of the last pass, or what all sums add up to.
func (r *rowSums) end() {
	out, ldo := param("out"), param("ldo")
	TESTQ(out, out)
	JNE(LabelRef("end"))
	r.each(r.passes-1, func(acc reg.VecVirtual, at Mem) { r.s.mov(acc, at) })
	end()
	Label("end")
	SHLQ(r.s.shift(), ldo)
	sums := param("sums")
	for i := range r.m {
		for q := range r.c {
			sum := r.acc[i][q][0]
			switch {
			case r.passes == 2:
				VADDPD(Mem{Base: sums, Disp: 64 * (i*r.c + q)}, sum, sum)
			case r.s.wide():
				high := YMM()
				VEXTRACTF64X4(Imm(1), sum, high)
				VADDPD(high, sum.AsY(), sum.AsY())
			default:
				VADDPD(r.acc[i][q][1], sum, sum)
			}
			half := XMM()
			if r.s.wide() { // reaches all registers
				VEXTRACTF64X2(Imm(1), sum.AsY(), half)
			} else {
				VEXTRACTF128(Imm(1), sum.AsY(), half)
			}
			VADDPD(half, sum.AsX(), sum.AsX())
			VPERMILPD(Imm(1), sum.AsX(), half)
			VADDSD(half, sum.AsX(), sum.AsX())
			VMOVSD(sum.AsX(), Mem{Base: out, Disp: 8 * q})
		}
		if i+1 < r.m {
			ADDQ(ldo, out)
		}
	}
	end()
}

// distances writes the squared distances of a point from the 48 of a panel, in float64 and without fused operations.
func distances() {
	for _, s := range isas {
		if !s.single() {
			squaredDistances(s)
		}
	}
}

func squaredDistances(s isa) {
	const chains = 4
	group := 3 // registers of columns at a time: with four sums each they leave a register for a_l and one for a difference
	if s.wide() {
		group = 6
	}
	s.define("squaredDistances", sumCall)
	k, a, b, c := param("n"), param("a"), param("b"), param("c")
	whole, last, from := copied(k), GP64(), GP64()
	SHRQ(Imm(2), whole)
	ANDQ(Imm(3), k)
	s.columns("", group, b, c, func() func(int) reg.VecVirtual {
		sums, at := s.zeros(chains, group), copied(a)
		MOVQ(b, from)
		term := func(i, chain int) {
			v := s.reg()
			s.broadcast(Mem{Base: at, Disp: i * s.size}, v)
			for j, r := range sums[chain] {
				d := s.reg()
				s.sub(Mem{Base: from, Disp: i*panelColumns*s.size + j*s.bytes}, v, d)
				s.mul(d, d, d)
				s.add(d, r, r)
			}
		}
		next := func(n int) {
			ADDQ(U32(uint32(n*s.size)), at)
			ADDQ(U32(uint32(n*panelColumns*s.size)), from)
		}
		MOVQ(whole, last)
		TESTQ(last, last)
		JE(LabelRef("rest"))
		Label("loop")
		for i := range chains {
			term(i, i)
		}
		next(chains)
		repeat(last, "loop")
		Label("rest")
		MOVQ(k, last)
		TESTQ(last, last)
		JE(LabelRef("sum"))
		Label("single")
		term(0, 0)
		next(1)
		repeat(last, "single")
		Label("sum")
		return s.inPairs(sums)
	})
	end()
}
