package main

import (
	"fmt"
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

var vectorConstants = newConstants("vector")

func (s isa) constant(v float64) Mem    { return vectorConstants.value(s, v) }
func (s isa) constantBits(b uint64) Mem { return vectorConstants.bits(s, b) }

// each ends a function of z alone: body makes the new values of its vectors x.
func each(s isa, unroll int, body func(x group) group) {
	eachOf(s, unroll, []string{"z"}, func(in []group) group { return body(in[0]) })
}

// eachOf ends a function of n elements of each of the arrays: body makes the new values of the first
// one's from vectors of them all, so many at a time, then one at a time, the last one masked.
func eachOf(s isa, unroll int, arrays []string, body func(in []group) group) {
	at := make([]reg.GPVirtual, len(arrays))
	for i, name := range arrays {
		at[i] = param(name)
	}
	n := param("n")
	load := func(count int, mov func(from, to Op)) []group {
		in := make([]group, len(at))
		for i, from := range at {
			in[i] = s.group(count)
			for j, x := range in[i] {
				mov(Mem{Base: from, Disp: j * s.bytes}, x)
			}
		}
		return in
	}
	for i, count := range []int{unroll, 1} {
		loop, rest := fmt.Sprintf("loop%d", i), fmt.Sprintf("rest%d", i)
		CMPQ(n, Imm(uint64(count*s.lanes())))
		JLT(LabelRef(rest))
		Label(loop)
		for j, y := range body(load(count, func(from, to Op) { s.mov(from, to) })) {
			s.mov(y, Mem{Base: at[0], Disp: j * s.bytes})
		}
		for _, a := range at {
			ADDQ(U32(uint32(count*s.bytes)), a)
		}
		SUBQ(Imm(uint64(count*s.lanes())), n)
		CMPQ(n, Imm(uint64(count*s.lanes())))
		JGE(LabelRef(loop))
		Label(rest)
	}
	TESTQ(n, n)
	JE(LabelRef("done"))
	first, store := s.masked(n)
	store(body(load(1, first))[0], Mem{Base: at[0]})
	Label("done")
	end()
}

// masked returns the moves of the first n elements of a vector; the others are neither read nor
// written, and loaded as 0.
func (s isa) masked(n reg.GPVirtual) (load, store func(from, to Op)) {
	m := s.indices()
	count, low := s.reg(), XMM()
	VMOVQ(n, low)
	s.pick(VPBROADCASTD, VPBROADCASTQ, []Op{low, count})
	if s.wide() {
		k := K()
		s.pick(VPCMPGTD, VPCMPGTQ, []Op{m, count, k})
		return func(from, to Op) { s.pick(of3(VMOVUPS_Z), of3(VMOVUPD_Z), []Op{from, k, to}) },
			func(from, to Op) { s.mov(from, k, to) }
	}
	s.pick(VPCMPGTD, VPCMPGTQ, []Op{m, count, count})
	move := func(from, to Op) { s.pick(of3(VMASKMOVPS), of3(VMASKMOVPD), []Op{from, count, to}) }
	return move, move
}

var indexVectors = map[string]Mem{}

// indices is the vector 0, 1, 2, ….
func (s isa) indices() Mem {
	if m, ok := indexVectors[s.name]; ok {
		return m
	}
	m := GLOBL("index"+s.name, RODATA|NOPTR)
	for i := range s.lanes() {
		if s.single() {
			DATA(4*i, U32(uint32(i)))
		} else {
			DATA(8*i, U64(uint64(i)))
		}
	}
	indexVectors[s.name] = m
	return m
}

// A group is the registers of one variable in the vectors that are worked on together.
type group []reg.VecVirtual

func (s isa) group(n int) group {
	g := make(group, n)
	for i := range g {
		g[i] = s.reg()
	}
	return g
}

// all applies op to each member of the groups among its operands, of which the last is one.
func all(op func(...Op), operands ...any) {
	for i, operand := range operands {
		if m, ok := operand.(spare); ok {
			r := m.s.reg()
			m.s.broadcast(m.Mem, r)
			operands[i] = r
		}
	}
	for i := range operands[len(operands)-1].(group) {
		o := make([]Op, len(operands))
		for j, operand := range operands {
			if g, ok := operand.(group); ok {
				o[j] = g[i]
			} else {
				o[j] = operand.(Op)
			}
		}
		op(o...)
	}
}

// steps are the instructions of a computation, cut where others may come between. The steps of nil are written at once.
type steps []func()

func (p *steps) add(instructions func()) {
	if p == nil {
		instructions()
	} else {
		*p = append(*p, instructions)
	}
}

// all is a step of all.
func (p *steps) all(op func(...Op), operands ...any) { p.add(func() { all(op, operands...) }) }

// write writes the steps of computations. Each begins so many steps before the one before it ends, or with it.
func write(overlap int, computations ...steps) {
	start, starts, end := 0, make([]int, len(computations)), 0
	for i, c := range computations {
		starts[i] = start
		start = max(start, start+len(c)-overlap)
		end = max(end, starts[i]+len(c))
	}
	for t := range end {
		for i, c := range computations {
			if k := t - starts[i]; 0 <= k && k < len(c) {
				c[k]()
			}
		}
	}
}

// horner is the polynomial with coefficients c at u.
func (s isa) horner(steps *steps, c []Op, u group) group {
	p := s.group(len(u))
	steps.all(s.mov, c[len(c)-1], p)
	for i := len(c) - 2; i >= 0; i-- {
		steps.all(s.fma213, c[i], u, p)
	}
	return p
}

// monicOf is horner of the polynomial whose highest power, with coefficient 1, follows those of c. It begins with an
// addition, which does not take turns with multiplications.
func (s isa) monicOf(steps *steps, c []Op, u group) group {
	p, last := s.group(len(u)), len(c)-1
	steps.all(s.add, c[last], u, p)
	for i := last - 1; i >= 0; i-- {
		steps.all(s.fma213, c[i], u, p)
	}
	return p
}

// coefficients places constants by hold.
func (s isa) coefficients(c []float64, hold func(Mem) Op) []Op {
	ops := make([]Op, len(c))
	for i, v := range c {
		ops[i] = hold(s.constant(v))
	}
	return ops
}

// A spare is a constant that is loaded where it is used, for want of registers.
type spare struct {
	Mem
	s isa
}

// spared is held if there are no registers to spare.
func (s isa) spared(m Mem) Op {
	if s.wide() {
		return spare{m, s}
	}
	return m
}

// held is a constant in a register where there are many of them.
func (s isa) held(m Mem) Op {
	if s.wide() {
		return s.inRegister(m)
	}
	return m
}

// inRegister returns a register with the value of an operand.
func (s isa) inRegister(m Op) reg.VecVirtual {
	r := s.reg()
	s.mov(m, r)
	return r
}

// argument is a parameter of the function in every element of a register.
func (s isa) argument(name string) reg.VecVirtual {
	r := s.reg()
	s.broadcast(parameter(name), r)
	return r
}

// parameter is where a parameter of the function is.
func parameter(name string) Mem {
	p, err := Param(name).Resolve()
	if err != nil {
		panic(err)
	}
	return p.Addr
}

// unroll chooses how many vectors to work on together.
func (s isa) unroll(wide, single, double int) int {
	switch {
	case s.wide():
		return wide
	case s.single():
		return single
	default:
		return double
	}
}

// fraction is the number of bits of a number's fraction.
func (s isa) fraction() int {
	if s.single() {
		return 23
	}
	return 52
}

// bias is what is added to the exponent of a number.
func (s isa) bias() int {
	if s.single() {
		return 127
	}
	return 1023
}

func (s isa) floatBits(v float64) uint64 {
	if s.single() {
		return uint64(math.Float32bits(float32(v)))
	}
	return math.Float64bits(v)
}

// More operations on packed elements, of either width.
func (s isa) sqrt(o ...Op)    { s.pick(VSQRTPS, VSQRTPD, o) }
func (s isa) fnma231(o ...Op) { s.pick(VFNMADD231PS, VFNMADD231PD, o) } // d = d - a·b

// round sets d to the nearest integer of a, to the even one of two.
func (s isa) round(o ...Op) {
	const nearestQuietly = 8
	if s.wide() {
		s.pick(VRNDSCALEPS, VRNDSCALEPD, []Op{Imm(nearestQuietly), o[0], o[1]})
	} else {
		s.pick(of3(VROUNDPS), of3(VROUNDPD), []Op{Imm(nearestQuietly), o[0], o[1]})
	}
}

// Operations that only AVX-512 has.
func (s isa) exponent(o ...Op)    { s.pick(VGETEXPPS, VGETEXPPD, o) }
func (s isa) significand(o ...Op) { s.pick(VGETMANTPS, VGETMANTPD, o) }

// mulMasked sets d to a·b under the mask k, to 0 elsewhere.
func (s isa) mulMasked(b, a, k, d Op) { s.pick(of4(VMULPS_Z), of4(VMULPD_Z), []Op{b, a, k, d}) }

// Predicates of compare(predicate, b, a, d), which sets the bits of d where a and b satisfy it. NaN
// satisfies those with not.
const (
	equal       = 0x00
	notEqual    = 0x04
	lessThan    = 0x11
	notLessThan = 0x15
)

func (s isa) compare(o ...Op) { s.pick(VCMPPS, VCMPPD, o) }

// Operations that AVX2 alone uses.
func (s isa) blend(o ...Op)      { s.pick(of4(VBLENDVPS), of4(VBLENDVPD), o) } // blend(mask, b, a, d): d = b under the mask, else a
func (s isa) or(o ...Op)         { s.pick(VORPS, VORPD, o) }
func (s isa) addInt(o ...Op)     { s.pick(VPADDD, VPADDQ, o) }
func (s isa) shiftLeft(o ...Op)  { s.pick(VPSLLD, VPSLLQ, o) }
func (s isa) shiftRight(o ...Op) { s.pick(VPSRLD, VPSRLQ, o) }

// scaleAbove returns the operation (n, a, d): d = a·2^n, 0 where n ≤ lowest. The lanes of these take no part in it.
func (s isa) scaleAbove(lowest float64) func(o ...Op) {
	const notLessOrEqual = 22 // true if one of them is NaN
	return func(o ...Op) {
		k := K()
		s.pick(VCMPPS_BCST, VCMPPD_BCST, []Op{Imm(notLessOrEqual), s.constant(lowest), o[0], k})
		s.pick(of4(VSCALEFPS_Z), of4(VSCALEFPD_Z), []Op{o[0], o[1], k, o[2]})
	}
}

// of3 and of4 give functions of so many operands the type of the others.
func of3(f func(a, b, c Op)) func(...Op)    { return func(o ...Op) { f(o[0], o[1], o[2]) } }
func of4(f func(a, b, c, d Op)) func(...Op) { return func(o ...Op) { f(o[0], o[1], o[2], o[3]) } }
