package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"repro/algos/compute/internal/simd"
)

// A form is the epilogue of a fused micro-kernel (simd.Form). Panels have one row more than components, with numbers to add to
// the inner products: those of one side are added first, those of both sides last.
type form struct {
	form    simd.Form
	name    string
	both    bool
	overlap int // steps of apply for which there are registers while the step before ends
	apply   func(s isa, p *steps, x group) group
}

var forms = []form{
	{simd.Sum, "sum", false, 0, func(_ isa, _ *steps, x group) group { return x }},
	{simd.Distance, "distance", true, 0, isa.notNegative},
	{simd.Cosine, "cosine", false, 3, func(s isa, p *steps, x group) group {
		c := turns{spare{s.constant(.25), s}, s.spared(magnitude(s)), s.coefficients(simd.Coefficients(s.size).Cos, s.spared)}
		return s.cosineOf(p, x, nil, c)
	}},
	{simd.Exponential, "exponential", true, 6, func(s isa, p *steps, x group) group {
		return s.powersOf(p, s.notNegative(p, x))
	}},
}

// powersOf returns 2^(sx), s the parameter of the tile.
func (s isa) powersOf(p *steps, x group) group {
	lo, hi := s.exponents()
	c := powers{spare{lo, s}, spare{hi, s}, s.coefficients(simd.Coefficients(s.size).Exp2, s.spared)}
	return s.exp2Of(p, x, spare{parameter("s"), s}, c)
}

// notNegative replaces x by 0 where it is below.
func (s isa) notNegative(p *steps, x group) group {
	p.all(s.max, x, spare{s.constant(0), s}, x)
	return x
}

// Columns of a panel, and of a strip of it.
const panelColumns, stripColumns = 48, 8

// panelTile writes the micro-tile of a form that is v vectors wide and s.rows() high, twice that where one vector
// would leave the pipeline waiting for sums.
func panelTile(s isa, f form, v int) {
	m, stride := s.rows(), panelColumns*s.size
	if v == 1 {
		m *= 2
	}
	symbol := fmt.Sprintf("%s%s_%d", f.name, s.name, v)
	s.place(simd.PanelAt(f.form, v == vectors), symbol)
	define(symbol, panelCall)
	n, a, lda, strip := param("n"), param("a"), param("lda"), param("strip")
	b, c, ahead := param("b"), param("c"), param("next")
	SHLQ(s.shift(), lda)
	SHLQ(s.shift(), strip)
	if m < stripColumns {
		SUBQ(Imm(uint64(stripColumns*s.size)), strip)
	}
	acc, row := make([]group, m), s.group(v)
	for i := range acc {
		acc[i] = s.group(v)
	}
	// number returns where the number of row i is, in rows of a at base.
	number := func(base reg.GPVirtual, i int) Mem {
		if i < stripColumns {
			return Mem{Base: base, Disp: i * s.size}
		}
		return Mem{Base: base, Index: strip, Scale: 1, Disp: (i - stripColumns) * s.size}
	}
	side, last := GP64(), GP64()
	if !f.both {
		Load(Param("side"), side)
	}
	Label("tile")
	if f.both {
		for _, x := range acc {
			all(func(o ...Op) { s.zero(o[0]) }, x)
		}
	} else {
		TESTQ(side, side)
		JNE(LabelRef("columns"))
		Load(Param("k"), last)
		IMULQ(lda, last)
		ADDQ(a, last)
		for i, x := range acc {
			s.broadcast(number(last, i), x[0])
			for _, r := range x[1:] {
				s.mov(x[0], r)
			}
		}
		JMP(LabelRef("start"))
		Label("columns")
		IMUL3Q(U32(uint32(stride)), param("k"), last)
		for j, r := range acc[0] {
			s.mov(Mem{Base: b, Index: last, Scale: 1, Disp: j * s.bytes}, r)
		}
		for _, x := range acc[1:] {
			all(s.mov, acc[0], x)
		}
		Label("start")
	}
	k, left, right := param("k"), copied(a), copied(b)
	terms := func(count int) {
		for l := range count {
			from := make([]Op, v)
			for j := range row {
				from[j] = Mem{Base: right, Disp: l*stride + j*s.bytes}
				if s.ints != 2 { // which needs a register for products
					s.mov(from[j], row[j])
					from[j] = row[j]
				}
			}
			for i := range m {
				t := s.reg()
				s.broadcast(number(left, i), t)
				for j := range from {
					s.multiplyAdd(t, from[j], acc[i][j])
				}
			}
			ADDQ(lda, left)
		}
		ADDQ(U32(uint32(count*stride)), right)
	}
	SUBQ(Imm(unrolled), k)
	JL(LabelRef("few"))
	Label("many")
	// The micro-tiles of a 48×48 tile together prefetch one panel.
	share := unrolled * m * v * s.bytes / panelColumns
	for i := 0; i < share; i += 64 {
		PREFETCHT1(Mem{Base: ahead, Disp: i})
	}
	ADDQ(U32(uint32(share)), ahead)
	terms(unrolled)
	SUBQ(Imm(unrolled), k)
	JGE(LabelRef("many"))
	Label("few")
	ADDQ(Imm(unrolled), k)
	JE(LabelRef("finish"))
	Label("loop")
	terms(1)
	repeat(k, "loop")
	Label("finish")
	var parts []steps
	for e := 0; e < m*v; e += s.together() {
		var p steps
		x := s.group(0)
		for k := e; k < min(e+s.together(), m*v); k++ {
			x = append(x, acc[k/v][k%v])
		}
		if s.ints > 0 {
			p.all(VPSLLD, Imm(1), x, x)
		}
		if f.both {
			p = append(p, func() {
				for q := range x {
					s.plus(Mem{Base: right, Disp: (e + q) % v * s.bytes}, x[q], x[q])
				}
			}, func() {
				var t Op
				for q := range x {
					if q == 0 || (e+q)%v == 0 {
						r := s.reg()
						s.broadcast(number(left, (e+q)/v), r)
						t = r
					}
					s.plus(t, x[q], x[q])
				}
			})
		}
		y := f.apply(s, &p, x)
		parts = append(parts, append(p, func() {
			for q := range y {
				s.mov(y[q], Mem{Base: c, Disp: (e+q)/v*stride + (e+q)%v*s.bytes})
			}
		}))
	}
	write(f.overlap, parts...)
	ADDQ(U32(uint32(m*stride)), c)
	if m < stripColumns { // the second half of a strip ends it
		ADDQ(Imm(uint64(m*s.size)), a)
		TESTQ(U32(1), n)
		JEQ(LabelRef("half"))
		ADDQ(strip, a)
		Label("half")
	} else {
		for range m / stripColumns {
			ADDQ(strip, a)
		}
	}
	repeat(n, "tile")
	end()
}

// multiplyAdd adds to sums the products of a row of b and an element of a, broadcast to t.
func (s isa) multiplyAdd(t reg.VecVirtual, row Op, sums reg.VecVirtual) {
	switch s.ints {
	case 0:
		s.fma231(row, t, sums)
	case 4:
		VPDPBUSD(t, row, sums) // t is signed, row is not
	default:
		products := s.reg()
		VPMADDWD(row, t, products)
		VPADDD(products, sums, sums)
	}
}

// plus adds elements.
func (s isa) plus(o ...Op) {
	if s.ints > 0 {
		VPADDD(o...)
	} else {
		s.add(o...)
	}
}

// together is how many results there are registers for at a time.
func (s isa) together() int {
	if s.wide() {
		return 3
	}
	return 1
}

// integerISAs are those of panels of integers: four of 8 bits in an element with VNNI, two of 16 bits otherwise.
var integerISAs = []isa{
	{"AVX512U8", 64, 4, 32, 4},
	{"AVX2I16", 32, 4, 16, 2},
}

// integerForms are those of panels of integers. t_ij = 2 Σ_l a_li b_lj + b_kj + a_ki is computed exactly.
var integerForms = []form{
	{simd.Distance, "distance", true, 0, func(s isa, p *steps, x group) group {
		p.all(VCVTDQ2PS, x, x)
		p.all(s.mul, spare{parameter("s"), s}, x, x)
		return x
	}},
	{simd.Exponential, "exponential", true, 6, func(s isa, p *steps, x group) group {
		p.all(VCVTDQ2PS, x, x)
		return s.powersOf(p, x)
	}},
}

// integers writes the micro-tiles of panels of integers, and their packing.
func integers() {
	for _, s := range integerISAs {
		for _, f := range integerForms {
			panelTile(s, f, vectors)
		}
		packIntegers(s, "packLeft")
		packIntegers(s, "packRight")
	}
}

// packIntegers writes the packing of one side, 8 columns at a time: of s.ints·n rows of 48 points, times a scale and rounded to integers v, to n
// rows of elements. The left side holds 127 - v and below them Σ v², the right side v and below them Σ v² - 254 Σ v.
func packIntegers(s isa, name string) {
	left := name == "packLeft"
	s.define(name, packCall)
	const size, lanes = 4, 8
	points, panel, lda, strip := param("src"), param("dst"), param("ldd"), param("lds")
	SHLQ(Imm(2), lda)
	SHLQ(Imm(2), strip)
	constant := func(bits uint64) Op {
		r := YMM()
		VMOVUPS(integerConstants.bits(s, bits), r)
		return r
	}
	scale := YMM()
	VBROADCASTSS(parameter("more"), scale)
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
