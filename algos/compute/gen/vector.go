package main

import (
	"fmt"
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"

	"repro/algos/compute/internal/simd"
)

// functions writes the functions of one variable, in place.
func functions() {
	for _, s := range isas {
		cosine(s)
		exp2(s)
		logarithm(s)
		power(s)
		simple(s, "sqrt", func(_ Op, x group) { all(s.sqrt, x, x) })
		simple(s, "clampBelow", func(a Op, x group) { all(s.max, x, a, x) }) // NaN by itself
		simple(s, "scale", func(a Op, x group) { all(s.mul, a, x, x) })
		reciprocal(s)
		affine(s)
		mulPoly(s)
	}
}

func cosine(s isa) {
	s.define("cos", vectorCall)
	scale := s.argument("a")
	c := turns{s.inRegister(s.constant(.25)), s.held(magnitude(s)), s.coefficients(simd.Coefficients(s.size).Cos, s.held)}
	each(s, s.unroll(4, 3, 2), func(x group) group { return s.cosineOf(nil, x, scale, c) })
}

// turns are the constants of cosineOf.
type turns struct {
	quarter, magnitude Op
	poly               []Op
}

// cosineOf replaces x by cos(2πx), divided by the leading coefficient of the sine and times the scale if there is one.
func (s isa) cosineOf(p *steps, x group, scale Op, c turns) group {
	n := s.group(len(x))
	p.all(s.round, x, n)
	p.all(s.sub, n, x, x) // r = z - rint(z), NaN from ±Inf
	p.all(s.and, c.magnitude, x, x)
	p.all(s.sub, x, c.quarter, x) // y = 1/4 - |r|
	p.all(s.mul, x, x, n)
	y := s.monicOf(p, c.poly, n)
	if scale != nil {
		p.all(s.mul, scale, x, x)
	}
	p.all(s.mul, y, x, x)
	return x
}

// exp2 is 2^n·2^f with n = rint(sz), and 0 from s.flushed() down. AVX-512 scales by n. AVX2 multiplies by 2 and by 2^(n-1),
// once sz is within bounds beyond which the result is 0 or +Inf. It rounds sz by adding a number whose last bit counts ones:
// the last bits of the sum are the field of the exponent n-1, which is that of 0 for n = s.flushed().
func exp2(s isa) {
	s.define("exp2", vectorCall)
	scale := s.argument("a")
	c := powers{poly: s.coefficients(simd.Coefficients(s.size).Exp2, s.held)}
	if !s.wide() {
		lo, hi := s.exponents()
		c.lo, c.hi = s.inRegister(lo), s.inRegister(hi)
	}
	each(s, s.unroll(4, 3, 2), func(x group) group { return s.exp2Of(nil, x, scale, c) })
}

// powers are the constants of exp2Of; AVX-512 needs no bounds.
type powers struct {
	lo, hi Op
	poly   []Op
}

// flushed is the exponent from which 2^n·2^f counts as 0, so that no result is subnormal: arithmetic with subnormal numbers takes
// a hundred times as long on some processors.
func (s isa) flushed() float64 { return float64(1 - s.bias()) }

// exponents are bounds of numbers beyond which 2^n is 0 or +Inf.
func (s isa) exponents() (lo, hi Mem) {
	return s.constant(s.flushed()), s.constant(float64(s.bias() + 2))
}

// exp2Of returns 2^(scale·x), and overwrites x.
func (s isa) exp2Of(p *steps, x group, scale Op, c powers) group {
	n := s.group(len(x))
	p.all(s.mul, scale, x, x)
	if s.wide() {
		p.all(s.round, x, n)
		p.all(s.sub, n, x, x) // NaN from ±Inf, which scaling by ±Inf replaces
		y := s.horner(p, c.poly, x)
		p.all(s.scaleAbove(s.flushed()), n, y, y)
		return y
	}
	magic := s.constant(math.Ldexp(1.5, s.fraction()) + float64(s.bias()-1))
	h := s.group(len(x))
	p.all(s.max, x, c.lo, x)
	p.all(s.min, x, c.hi, x)
	p.all(s.add, magic, x, n)
	p.all(s.sub, magic, n, h)
	p.all(s.sub, h, x, x)
	y := s.horner(p, c.poly, x)
	p.all(s.shiftLeft, Imm(uint64(s.fraction())), n, n)
	p.all(s.add, y, y, y)
	p.all(s.mul, n, y, y)
	return y
}

// logarithm is e·ln 2 + ln(1+f) for z = 2^e(1+f), -1/4 ≤ f < 1/2. With s = f/(2+f) and h = f²/2,
// ln(1+f) = f - (h - s(h + s²P(s²))).
func logarithm(s isa) {
	s.define("log", vectorCall)
	one, half := s.constant(1), s.constant(.5)
	of := simd.Coefficients(s.size)
	ln2Hi, ln2Lo := s.constant(of.Ln2[0]), s.constant(of.Ln2[1])
	poly := s.coefficients(of.Log, s.held)
	split, repair := s.splitFields, s.repairLog
	if s.wide() {
		split, repair = s.splitNumber, func(_, _ group) {}
	}
	each(s, s.unroll(4, 2, 2), func(x group) group {
		e, f := split(x)
		y, h, u := s.group(len(x)), s.group(len(x)), s.group(len(x))
		all(s.add, one, f, y)
		all(s.sub, one, f, f)
		all(s.div, y, f, y) // s
		all(s.mul, half, f, h)
		all(s.mul, y, y, u)
		p := s.horner(nil, poly, u)
		all(s.mul, u, p, p)
		all(s.fma231, h, f, p) // h + s²P(s²)
		all(s.mul, p, y, y)
		all(s.fnma231, h, f, y)
		all(s.fma231, ln2Lo, e, y)
		all(s.add, f, y, y)
		all(s.fma231, ln2Hi, e, y)
		repair(x, y)
		return y
	})
}

// splitNumber returns the exponents and the significands in [3/4, 3/2) of x, subnormal or not. Those
// of ±0, +Inf, negative numbers and NaN are such that the formula of the logarithm holds.
func (s isa) splitNumber(x group) (e, m group) {
	const interval, negativeIsNaN = 3, 3 << 2
	e, m = s.group(len(x)), s.group(len(x))
	below := s.group(len(x))
	all(s.exponent, x, e)
	all(s.significand, Imm(interval|negativeIsNaN), x, m)
	all(s.exponent, m, below)
	all(s.sub, below, e, e)
	return e, m
}

// splitFields is splitNumber by the fields of x, for positive finite numbers only.
func (s isa) splitFields(x group) (e, m group) {
	lift := s.fraction() + 1
	carry := s.constantBits(s.floatBits(1) - s.floatBits(.75)) // into the exponent from the fraction 3/2 on
	integer := math.Ldexp(1, s.fraction())                     // with an integer for its last bits
	e, m = s.group(len(x)), s.group(len(x))
	small := s.group(len(x))
	all(s.compare, Imm(lessThan), s.constant(math.Ldexp(1, 1-s.bias())), x, small)
	all(s.mul, s.constant(math.Ldexp(1, lift)), x, m)
	all(s.blend, small, m, x, m)
	all(s.and, s.constant(float64(lift)), small, small)
	all(s.addInt, carry, m, m)
	all(s.shiftRight, Imm(uint64(s.fraction())), m, e)
	all(s.or, s.constant(integer), e, e)
	all(s.sub, s.constant(integer+float64(s.bias())), e, e)
	all(s.sub, small, e, e)
	all(s.and, s.constantBits(1<<s.fraction()-1), m, m)
	all(s.addInt, s.constantBits(s.floatBits(.75)), m, m)
	return e, m
}

// repairLog sets y where x is not positive and finite.
func (s isa) repairLog(x, y group) {
	inf, zero := s.constant(math.Inf(1)), s.constant(0)
	mask := s.group(len(x))
	all(s.compare, Imm(notLessThan), inf, x, mask) // +Inf and NaN stay
	all(s.blend, mask, x, y, y)
	all(s.compare, Imm(equal), zero, x, mask)
	all(s.blend, mask, s.constant(math.Inf(-1)), y, y)
	all(s.compare, Imm(lessThan), zero, x, mask)
	all(s.or, mask, y, y) // all ones are NaN
}

// power squares from the highest bit of the exponent on, and multiplies by z where a bit is set.
func power(s isa) {
	s.define("power", vectorCall)
	exponent, steps := param("a"), param("b")
	bodies := 0
	each(s, s.unroll(4, 4, 4), func(x group) group {
		bodies++
		next, square := fmt.Sprintf("bit%d", bodies), fmt.Sprintf("square%d", bodies)
		bits, left := copied(exponent), copied(steps)
		y := s.group(len(x))
		all(s.mov, x, y)
		Label(next)
		all(s.mul, y, y, y)
		SHLQ(Imm(1), bits)
		JCC(LabelRef(square))
		all(s.mul, x, y, y)
		Label(square)
		repeat(left, next)
		return y
	})
}

// simple writes a function of one operation, with a parameter.
func simple(s isa, name string, op func(a Op, x group)) {
	s.define(name, vectorCall)
	a := s.argument("a")
	each(s, 4, func(x group) group { op(a, x); return x })
}

func reciprocal(s isa) {
	s.define("reciprocal", vectorCall)
	one := s.inRegister(s.constant(1))
	each(s, 4, func(x group) group { all(s.div, x, one, x); return x })
}

func affine(s isa) {
	s.define("affine", vectorCall)
	a, b := s.argument("a"), s.argument("b")
	each(s, 4, func(x group) group { all(s.fma213, b, a, x); return x })
}

// mulPoly excludes zeros from the product because the polynomial may be infinite.
func mulPoly(s isa) {
	s.define("mulPoly", vectorCall)
	c := []Op{s.argument("a"), s.argument("b"), s.argument("c")}
	zero := s.reg()
	s.zero(zero)
	eachOf(s, s.unroll(4, 2, 2), []string{"z", "t"}, func(in []group) group {
		x, p := in[0], s.horner(nil, c, in[1])
		if s.wide() {
			for i := range x {
				k := K()
				s.compare(Imm(notEqual), zero, x[i], k)
				s.mulMasked(p[i], x[i], k, x[i])
			}
			return x
		}
		mask := s.group(len(x))
		all(s.compare, Imm(notEqual), zero, x, mask)
		all(s.mul, p, x, x)
		all(s.and, mask, x, x)
		return x
	})
}
