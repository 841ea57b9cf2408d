package main

import (
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// boxMuller is the transform simd.Normals.
func (s rng) boxMuller(in func(int) chains) []chains {
	r := s.radius(in(0))
	t := s.turn(in(1))
	u := s.quarterLess(t)
	out := []chains{s.cosTurn(t), s.cosTurn(u)}
	for _, v := range out {
		s.each(v, func(i int, v reg.VecVirtual) { s.mul(r[i], v, v) })
	}
	return out
}

// twoPairs is boxMuller of two pairs of rows, whose radii, cosines and sines go side by side: each is a chain of
// dependent steps.
func (s rng) twoPairs(words, dst, scale reg.Register) {
	row := func(base reg.Register, row, i int) Mem { return Mem{Base: base, Disp: row*rowBytes + i*s.bytes} }
	count := rowBytes / s.bytes
	load := func(s rng, from int) chains {
		c := s.newChains(count)
		s.each(c, func(i int, r reg.VecVirtual) { s.mov(row(words, from, i), r) })
		return c
	}
	cos, sin := s.later(), s.later()
	var radii, cosines, sines [2]chains
	var all []steps
	for p := range 2 {
		radius := s.later()
		radius.few = true
		radii[p] = radius.radius(load(radius, 2*p))
		all = append(all, *radius.to)
		cosines[p] = cos.cosTurn(cos.turn(load(cos, 2*p+1)))
		sines[p] = sin.cosTurn(sin.quarterLess(sin.turn(load(sin, 2*p+1))))
		if p == 0 { // there are no registers for those of both pairs: dst holds these
			cos.each(cosines[0], func(i int, v reg.VecVirtual) { s.mov(v, row(dst, 0, i)) })
			sin.each(sines[0], func(i int, v reg.VecVirtual) { s.mov(v, row(dst, 1, i)) })
		}
	}
	all = append(all, *cos.to, *sin.to)
	write(math.MaxInt, all...)
	for q, v := range [][2]chains{cosines, sines} {
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
func (s rng) radius(u chains) chains {
	s.unit(u)
	r := s.log2(u)
	s.with(s.floats(-2*math.Ln2), r, func(_ int, y reg.VecVirtual, k Op) { s.mul(k, y, y) })
	s.each(r, func(_ int, y reg.VecVirtual) { VSQRTPS(y, y) })
	return r
}

// turn turns words into numbers in [-1/2, 1/2].
func (s rng) turn(t chains) chains {
	s.each(t, func(_ int, t reg.VecVirtual) { VCVTDQ2PS(t, t) })
	s.with(s.floats(0x1p-32), t, func(_ int, t reg.VecVirtual, k Op) { s.mul(k, t, t) })
	return t
}

// quarterLess returns the fraction of t - 1/4.
func (s rng) quarterLess(t chains) chains {
	u := s.newChains(len(t))
	s.with(s.floats(0.25), u, func(i int, u reg.VecVirtual, k Op) { s.sub(k, t[i], u) })
	s.fraction(u)
	return u
}

// cosTurn is cos(2πt) for |t| ≤ 1/2.
func (s rng) cosTurn(t chains) chains {
	s.with(s.integers(0x7fffffff), t, func(_ int, t reg.VecVirtual, k Op) { s.and(k, t, t) })
	return s.sinTurn(s.complement(t))
}

// complement returns 1/4 - t.
func (s rng) complement(t chains) chains {
	y := s.newChains(len(t))
	s.with(s.floats(0.25), y, func(i int, y reg.VecVirtual, k Op) {
		if s.wide() {
			s.sub(t[i], k, y)
		} else {
			s.mov(k, y)
			s.sub(t[i], y, y)
		}
	})
	return y
}

// unit turns words u into float32(u)·2⁻³² + 2⁻³³.
func (s rng) unit(c chains) {
	if s.wide() {
		s.each(c, func(_ int, u reg.VecVirtual) { VCVTUDQ2PS(u, u) })
		s.with(s.floats(0x1p-32), c, func(_ int, u reg.VecVirtual, k Op) { s.mul(k, u, u) })
		s.with(s.floats(0x1p-33), c, func(_ int, u reg.VecVirtual, k Op) { s.add(k, u, u) })
		return
	}
	s.each(c, func(_ int, u reg.VecVirtual) {
		// The two halves of u become the low bits of 2⁷ + high·2⁻¹⁶ and 2⁻⁹ + low·2⁻³². Without
		// 2⁷ + 2⁻⁹ the first is still exact; their sum rounds as the conversion of u does.
		hi := s.reg()
		VPSRLD(Imm(16), u, hi)
		VPOR(s.integers(math.Float32bits(0x1p7)), hi, hi)
		VPBLENDW(Imm(0xAA), s.integers(math.Float32bits(0x1p-9)), u, u)
		s.sub(s.floats(0x1p7+0x1p-9), hi, hi)
		s.add(hi, u, u)
		s.add(s.floats(0x1p-33), u, u)
	})
}

// fraction sets t to t - round(t).
func (s rng) fraction(t chains) {
	s.each(t, func(_ int, t reg.VecVirtual) {
		if s.wide() {
			VREDUCEPS(Imm(8), t, t)
			return
		}
		whole := s.reg()
		VROUNDPS(Imm(8), t, whole)
		s.sub(whole, t, t)
	})
}

// The polynomials of simd.Normals.
var log2Poly = []float64{1.4426949917298651354, -0.72133951314566449228, 0.48067888959193055874,
	-0.35829906959230153387, 0.27522121233093542191, -0.19623895189894730436, 0.11183207392944968362,
	-0.041945008928705863415, 0.0073954021378632639874}

// log2 is the binary logarithm of x in (0, 1], never positive.
func (s rng) log2(x chains) chains {
	e, y := make([]Op, len(x)), s.newChains(len(x))
	s.each(x, func(i int, m reg.VecVirtual) {
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
	})
	s.with(s.floats(1), x, func(_ int, m reg.VecVirtual, k Op) { s.sub(k, m, m) })
	s.horner(log2Poly, x, y)
	s.each(y, func(i int, y reg.VecVirtual) { s.mul(x[i], y, y) })
	s.each(y, func(i int, y reg.VecVirtual) { s.add(e[i], y, y) })
	s.with(s.floats(0), y, func(_ int, y reg.VecVirtual, k Op) { s.min(k, y, y) })
	return y
}

var sinTurnPoly = []float64{6.2831852801544065035, -41.341680613346515274, 81.60247636892517969,
	-76.581172644278724467, 39.759827085319101139}

// sinTurn is sin(2πy) for |y| ≤ 1/4.
func (s rng) sinTurn(y chains) chains {
	u, z := s.newChains(len(y)), s.newChains(len(y))
	s.each(u, func(i int, u reg.VecVirtual) { s.mul(y[i], y[i], u) })
	s.horner(sinTurnPoly, u, z)
	s.each(z, func(i int, z reg.VecVirtual) { s.mul(y[i], z, z) })
	return z
}

// horner sets y to the polynomial of x.
func (s rng) horner(poly []float64, x, y chains) {
	last := len(poly) - 1
	s.with(s.floats(poly[last]), y, func(i int, y reg.VecVirtual, k Op) { s.mul(k, x[i], y) })
	for k := last - 1; k >= 0; k-- {
		if k < last-1 {
			s.each(y, func(i int, y reg.VecVirtual) { s.mul(x[i], y, y) })
		}
		s.with(s.floats(poly[k]), y, func(i int, y reg.VecVirtual, k Op) { s.add(k, y, y) })
	}
}
