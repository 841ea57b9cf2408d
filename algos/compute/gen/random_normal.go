package main

import (
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"repro/algos/compute/internal/simd"
)

// boxMuller is the transform simd.Normals.
func (s rng) boxMuller(in func(int) group) []group {
	r := s.radius(nil, in(0))
	t := s.turn(nil, in(1))
	u := s.quarterLess(nil, t)
	out := []group{s.cosTurn(nil, t), s.cosTurn(nil, u)}
	for _, v := range out {
		all(s.mul, r, v, v)
	}
	return out
}

// twoPairs is boxMuller of two pairs of rows, whose radii, cosines and sines go side by side: each is a chain of
// dependent steps.
func (s rng) twoPairs(words, dst, scale reg.Register) {
	row := func(base reg.Register, row, i int) Mem { return Mem{Base: base, Disp: row*rowBytes + i*s.bytes} }
	count := rowBytes / s.bytes
	load := func(p *steps, from int) group {
		c := s.group(count)
		p.add(func() {
			for i, r := range c {
				s.mov(row(words, from, i), r)
			}
		})
		return c
	}
	store := func(p *steps, v group, to int) {
		p.add(func() {
			for i, r := range v {
				s.mov(r, row(dst, to, i))
			}
		})
	}
	var cos, sin steps
	var radius [2]steps
	var radii, cosines, sines [2]group
	s.few = true // of the radii
	for p := range 2 {
		radii[p] = s.radius(&radius[p], load(&radius[p], 2*p))
		cosines[p] = s.cosTurn(&cos, s.turn(&cos, load(&cos, 2*p+1)))
		sines[p] = s.cosTurn(&sin, s.quarterLess(&sin, s.turn(&sin, load(&sin, 2*p+1))))
		if p == 0 { // there are no registers for those of both pairs: dst holds these
			store(&cos, cosines[0], 0)
			store(&sin, sines[0], 1)
		}
	}
	write(math.MaxInt, radius[0], radius[1], cos, sin)
	for q, v := range [][2]group{cosines, sines} {
		for i := range count {
			for p, r := range radii {
				to := row(dst, 2*p+q, i)
				var x Op = v[p][i]
				if p == 0 {
					x = to
				}
				y := s.reg()
				s.mul(x, r[i], y)
				s.mul(row(scale, 0, i), y, y)
				s.mov(y, to)
			}
		}
	}
}

// radius turns words u into √(-2 ln(float32(u)·2⁻³² + 2⁻³³)).
func (s rng) radius(p *steps, u group) group {
	s.unit(p, u)
	r := s.log2(p, u)
	p.all(s.mul, s.number(-2*math.Ln2), r, r)
	p.all(s.sqrt, r, r)
	return r
}

// turn turns words into numbers in [-1/2, 1/2].
func (s rng) turn(p *steps, t group) group {
	p.all(VCVTDQ2PS, t, t)
	p.all(s.mul, s.number(0x1p-32), t, t)
	return t
}

// quarterLess returns the fraction of t - 1/4.
func (s rng) quarterLess(p *steps, t group) group {
	u := s.group(len(t))
	p.all(s.sub, s.number(0.25), t, u)
	s.fraction(p, u)
	return u
}

// cosTurn is cos(2πt) for |t| ≤ 1/2.
func (s rng) cosTurn(p *steps, t group) group {
	p.all(s.and, s.spared(s.integers(0x7fffffff)), t, t)
	return s.sinTurn(p, s.complement(p, t))
}

// complement returns 1/4 - t.
func (s rng) complement(p *steps, t group) group {
	y := s.group(len(t))
	p.all(func(o ...Op) {
		if from := o[0]; !s.wide() { // a number to subtract from is in a register
			s.mov(from, o[2])
			o[0] = o[2]
		}
		s.sub(o[1], o[0], o[2])
	}, s.number(0.25), t, y)
	return y
}

// unit turns words u into float32(u)·2⁻³² + 2⁻³³.
func (s rng) unit(p *steps, c group) {
	if s.wide() {
		p.all(VCVTUDQ2PS, c, c)
		p.all(s.mul, s.number(0x1p-32), c, c)
		p.all(s.add, s.number(0x1p-33), c, c)
		return
	}
	p.all(func(o ...Op) {
		// The two halves of u become the low bits of 2⁷ + high·2⁻¹⁶ and 2⁻⁹ + low·2⁻³². Without
		// 2⁷ + 2⁻⁹ the first is still exact; their sum rounds as the conversion of u does.
		u, hi := o[0], s.reg()
		VPSRLD(Imm(16), u, hi)
		VPOR(s.integers(math.Float32bits(0x1p7)), hi, hi)
		VPBLENDW(Imm(0xAA), s.integers(math.Float32bits(0x1p-9)), u, u)
		s.sub(s.floats(0x1p7+0x1p-9), hi, hi)
		s.add(hi, u, u)
		s.add(s.floats(0x1p-33), u, u)
	}, c)
}

// fraction sets t to t - round(t).
func (s rng) fraction(p *steps, t group) {
	p.all(func(o ...Op) {
		if s.wide() {
			VREDUCEPS(Imm(8), o[0], o[0])
			return
		}
		whole := s.reg()
		VROUNDPS(Imm(8), o[0], whole)
		s.sub(whole, o[0], o[0])
	}, t)
}

// log2 is the binary logarithm of x in (0, 1], never positive.
func (s rng) log2(p *steps, x group) group {
	e, y := make([]Op, len(x)), s.group(len(x))
	p.add(func() {
		for i, m := range x {
			r := s.reg()
			e[i] = r
			if s.wide() {
				VGETEXPPS(m, r)
				VGETMANTPS(Imm(0), m, m)
			} else {
				VPSRLD(Imm(23), m, r)
				VCVTDQ2PS(r, r)
				s.sub(s.floats(127), r, r)
				VPAND(s.integers(0x7fffff), m, m)
				VPOR(s.integers(math.Float32bits(1)), m, m)
			}
			if s.few {
				e[i] = AllocLocal(s.bytes)
				s.mov(r, e[i])
			}
		}
	})
	p.all(s.sub, s.number(1), x, x)
	s.multiplied(p, simd.Coefficients(s.size).NormalLog, x, y)
	p.all(s.mul, x, y, y)
	p.add(func() {
		for i, r := range y {
			s.add(e[i], r, r)
		}
	})
	p.all(s.min, s.number(0), y, y)
	return y
}

// sinTurn is sin(2πy) for |y| ≤ 1/4.
func (s rng) sinTurn(p *steps, y group) group {
	u, z := s.group(len(y)), s.group(len(y))
	p.all(s.mul, y, y, u)
	s.multiplied(p, simd.Coefficients(s.size).NormalSin, u, z)
	p.all(s.mul, y, z, z)
	return z
}

// multiplied sets y to the polynomial of x, with a multiplication and an addition for each power.
func (s rng) multiplied(p *steps, poly []float64, x, y group) {
	last := len(poly) - 1
	p.all(s.mul, s.number(poly[last]), x, y)
	for k := last - 1; k >= 0; k-- {
		if k < last-1 {
			p.all(s.mul, x, y, y)
		}
		p.all(s.add, s.number(poly[k]), y, y)
	}
}
