package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// brick is the number of rows and of columns of a brick.
const brick = 8

// bricks writes the functions on rows of bricks, in float64.
func bricks() {
	for _, s := range isas {
		if !s.single() {
			brickSymMul(s)
			brickDots(s)
			brickAddRows(s)
			brickAddOuter(s, "brickAddOuter", s.fma231)
			brickAddOuter(s, "brickSubOuter", s.fnma231)
		}
	}
}

// brickPass holds the registers of a pass over some rows of a row of bricks.
type brickPass struct {
	isa
	first, rows, parts int              // index of the first row, number of rows, registers that a row of a brick fills
	w                  []reg.VecVirtual // w_i in every element
	sums               []group          // of the products with x, eight for each row
	n, a, x, y         reg.GPVirtual
}

// passes calls each for the passes over a row of bricks: AVX2 has registers for half of the rows only.
func (s isa) passes(each func(p *brickPass)) {
	p := &brickPass{isa: s, rows: brick, parts: brick / s.lanes()}
	if !s.wide() {
		p.rows = brick / 2
	}
	for ; p.first < brick; p.first += p.rows {
		p.n, p.a = param("n"), param("a")
		each(p)
	}
	end()
}

// weights loads w_i of the rows of the pass.
func (p *brickPass) weights(from reg.GPVirtual) {
	p.w = make([]reg.VecVirtual, p.rows)
	for i := range p.w {
		p.w[i] = p.reg()
		p.broadcast(Mem{Base: from, Disp: 8 * (p.first + i)}, p.w[i])
	}
}

// clear begins the sums.
func (p *brickPass) clear() { p.sums = p.zeros(p.rows, p.parts) }

// brick adds to y, if adds, Σ_i w_i a_ij, the sum of each four rows by itself, and to the sums, if dots, a_ij x_j.
func (p *brickPass) brick(dots, adds bool) {
	for h := range p.parts {
		var x, total, y reg.VecVirtual
		if dots {
			x = p.reg()
			p.mov(Mem{Base: p.x, Disp: h * p.bytes}, x)
		}
		for i := range p.rows {
			v := p.reg()
			p.mov(Mem{Base: p.a, Disp: 64*(p.first+i) + h*p.bytes}, v)
			if dots {
				p.fma231(v, x, p.sums[i][h])
			}
			switch {
			case !adds:
			case i%4 == 0:
				total = p.reg()
				p.mul(v, p.w[i], total)
			default:
				p.fma231(v, p.w[i], total)
			}
			switch at := (Mem{Base: p.y, Disp: h * p.bytes}); {
			case !adds || i%4 < 3:
			case y == nil:
				p.add(at, total, total)
				y = total
			default:
				p.add(y, total, total)
				y = total
			}
		}
		if adds {
			p.mov(y, Mem{Base: p.y, Disp: h * p.bytes})
		}
	}
}

// loop repeats body for n bricks and moves on the pointers.
func (p *brickPass) loop(body func(), pointers ...reg.GPVirtual) {
	label := fmt.Sprintf("loop%d", p.first)
	Label(label)
	body()
	ADDQ(U32(8*brick*brick), p.a)
	for _, r := range pointers {
		ADDQ(Imm(8*brick), r)
	}
	repeat(p.n, label)
}

// total returns what the eight sums of each row add up to, for the rows of the pass: with p_m = s_2m + s_(2m+1),
// (p_0 + p_2) + (p_1 + p_3).
func (p *brickPass) total() reg.VecVirtual {
	pairs := func(i, h int) reg.VecVirtual {
		low, high := p.reg(), p.reg()
		VUNPCKLPD(p.sums[i+1][h], p.sums[i][h], low)
		VUNPCKHPD(p.sums[i+1][h], p.sums[i][h], high)
		p.add(high, low, low)
		return low
	}
	halves := func(a, b reg.VecVirtual, low, high uint64, pick func(imm, b, a, d Op)) reg.VecVirtual {
		l, h := p.reg(), p.reg()
		pick(Imm(low), b, a, l)
		pick(Imm(high), b, a, h)
		p.add(h, l, l)
		return l
	}
	if p.wide() {
		pick := func(imm, b, a, d Op) { VSHUFF64X2(imm, b, a, d) }
		low := halves(pairs(0, 0), pairs(2, 0), 0x44, 0xee, pick)
		high := halves(pairs(4, 0), pairs(6, 0), 0x44, 0xee, pick)
		return halves(low, high, 0x88, 0xdd, pick)
	}
	fours := func(i int) reg.VecVirtual {
		low, high := pairs(i, 0), pairs(i, 1)
		p.add(high, low, low)
		return low
	}
	return halves(fours(0), fours(2), 0x20, 0x31, VPERM2F128)
}

// brickSymMul is a row of bricks of a symmetric matrix, from the diagonal on, times a vector.
func brickSymMul(s isa) {
	s.define("brickSymMul", sumCall)
	s.passes(func(p *brickPass) {
		p.x, p.y = param("b"), param("c")
		if p.first == 0 { // the brick on the diagonal
			half := *p
			for half.rows = brick / 2; half.first < brick; half.first += half.rows {
				half.weights(p.x)
				half.brick(false, true)
			}
		}
		p.weights(p.x)
		p.clear()
		end := fmt.Sprintf("end%d", p.first)
		ADDQ(U32(8*brick*brick), p.a)
		ADDQ(Imm(8*brick), p.x)
		ADDQ(Imm(8*brick), p.y)
		DECQ(p.n)
		JE(LabelRef(end))
		p.loop(func() { p.brick(true, true) }, p.x, p.y)
		Label(end)
		y := param("c")
		sums, at := p.total(), Mem{Base: y, Disp: 8 * p.first}
		p.add(at, sums, sums)
		p.mov(sums, at)
	})
}

// brickDots is a row of bricks times a vector.
func brickDots(s isa) {
	s.define("brickDots", sumCall)
	s.passes(func(p *brickPass) {
		p.x = param("b")
		p.clear()
		p.loop(func() { p.brick(true, false) }, p.x)
		out := param("c")
		p.mov(p.total(), Mem{Base: out, Disp: 8 * p.first})
	})
}

// brickAddRows adds multiples of the rows of a row of bricks.
func brickAddRows(s isa) {
	s.define("brickAddRows", sumCall)
	s.passes(func(p *brickPass) {
		p.y = param("c")
		p.weights(param("b"))
		p.loop(func() { p.brick(false, true) }, p.y)
	})
}

// brickAddOuter adds products of pairs of columns to a row of bricks, or subtracts them: the terms of a sum in order.
func brickAddOuter(s isa, name string, fma func(...Op)) {
	s.define(name, sumCall)
	n, k, c, a, b, stride := param("n"), param("k"), param("c"), param("a"), param("b"), param("ld")
	SHLQ(s.shift(), stride)
	parts, rows, together := brick/s.lanes(), brick, 2 // bricks
	if !s.wide() {
		rows, together = brick/2, 1
	}
	some := func(bricks int) {
		loop, rest := fmt.Sprintf("loop%d", bricks), fmt.Sprintf("rest%d", bricks)
		CMPQ(n, Imm(uint64(bricks)))
		JLT(LabelRef(rest))
		Label(loop)
		for first := 0; first < brick; first += rows {
			sums := map[[3]int]reg.VecVirtual{}
			each := func(visit func(r reg.VecVirtual, at Mem)) {
				for q := range bricks {
					for i := range rows {
						for h := range parts {
							key := [3]int{q, i, h}
							if sums[key] == nil {
								sums[key] = s.reg()
							}
							visit(sums[key], Mem{Base: c, Disp: 8*brick*brick*q + 64*(first+i) + h*s.bytes})
						}
					}
				}
			}
			each(func(r reg.VecVirtual, at Mem) { s.mov(at, r) })
			pa, pb, left := copied(a), copied(b), copied(k)
			terms := fmt.Sprintf("terms%d_%d", bricks, first)
			Label(terms)
			for l := range brick {
				right := map[[2]int]reg.VecVirtual{}
				for q := range bricks {
					for h := range parts {
						r := s.reg()
						s.mov(Mem{Base: pb, Disp: 8*brick*brick*q + 64*l + h*s.bytes}, r)
						right[[2]int{q, h}] = r
					}
				}
				for i := range rows {
					left := s.reg()
					s.broadcast(Mem{Base: pa, Disp: 64*l + 8*(first+i)}, left)
					for q := range bricks {
						for h := range parts {
							fma(right[[2]int{q, h}], left, sums[[3]int{q, i, h}])
						}
					}
				}
			}
			ADDQ(stride, pa)
			ADDQ(stride, pb)
			repeat(left, terms)
			each(func(r reg.VecVirtual, at Mem) { s.mov(r, at) })
		}
		ADDQ(U32(uint32(8*brick*brick*bricks)), c)
		ADDQ(U32(uint32(8*brick*brick*bricks)), b)
		SUBQ(Imm(uint64(bricks)), n)
		CMPQ(n, Imm(uint64(bricks)))
		JGE(LabelRef(loop))
		Label(rest)
	}
	if together > 1 {
		some(together)
	}
	some(1)
	end()
}
