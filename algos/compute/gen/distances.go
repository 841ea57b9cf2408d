package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

func init() { parts["distances"] = distances }

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
	define("squaredDistances"+s.name, "k int, a, b, c *float64",
		"sets 48 values c_j to Σ_l (a_l - b_lj)², l < k, in the order that simd.SquaredDistances states.")
	k, a, b, c := param("k"), param("a"), param("b"), param("c")
	whole, last, from := GP64(), GP64(), GP64()
	MOVQ(k, whole)
	SHRQ(Imm(2), whole)
	ANDQ(Imm(3), k)
	s.columns("", group, b, c, func() func(int) reg.VecVirtual {
		sums, at := s.zeros(chains, group), GP64()
		MOVQ(a, at)
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
