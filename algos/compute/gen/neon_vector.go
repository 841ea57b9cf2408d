package main

import (
	"fmt"
	"math"

	"repro/algos/compute/internal/simd"
)

// functions writes the functions of one variable, in place. Each is the sequence of roundings of the AVX2 code.
func (f *file) functions() {
	f.cosine()
	f.exp2()
	f.logarithm()
	f.power()
	f.define("sqrt", vectorCall)
	f.each(4, func(x []vreg) []vreg { f.do("fsqrt", x, x); return x })
	f.define("clampBelow", vectorCall)
	lo := f.argument("a")
	f.each(4, func(x []vreg) []vreg {
		below := f.group(len(x))
		f.do("fcmgt", below, lo, x)
		f.do("bit", x, lo, below)
		return x
	})
	f.define("scale", vectorCall)
	scale := f.argument("a")
	f.each(4, func(x []vreg) []vreg { f.do("fmul", x, x, scale); return x })
	f.define("reciprocal", vectorCall)
	one := f.constant(1)
	f.each(4, func(x []vreg) []vreg { f.do("fdiv", x, one, x); return x })
	f.define("affine", vectorCall)
	a, b := f.argument("a"), f.argument("b")
	f.each(4, func(x []vreg) []vreg { return f.horner([]vreg{b, a}, x) })
	f.mulPoly()
}

// constant returns v in every element of a register; constantBits does the same for bits.
func (f *file) constant(v float64) vreg { return f.constantBits(f.s.floatBits(v)) }

func (f *file) constantBits(b uint64) vreg {
	r := f.reg()
	if len(f.constants) == 0 {
		f.emit("MOVD $%sConstants<>(SB), R25", f.name)
	}
	f.emit("FMOVQ %d(R25), F%d", neonBytes*len(f.constants), r)
	f.constants = append(f.constants, b)
	return r
}

func (f *file) polynomial(c []float64) []vreg {
	r := make([]vreg, len(c))
	for i, v := range c {
		r[i] = f.constant(v)
	}
	return r
}

// horner returns the polynomial with coefficients c at u in new registers. Fused multiply-adds overwrite the number that
// they add to, so two registers alternate.
func (f *file) horner(c []vreg, u []vreg) []vreg {
	p := f.group(len(u))
	if len(c) == 2 {
		f.do("mov", p, c[0])
		f.do("fmla", p, c[1], u)
		return p
	}
	f.do("mov", p, c[len(c)-2])
	f.do("fmla", p, c[len(c)-1], u)
	return f.continued(c[:len(c)-2], u, p)
}

// continued returns c_0 + u(c_1 + … u(c_last + u·p)), and releases p or the register that it does not need.
func (f *file) continued(c []vreg, u, p []vreg) []vreg {
	t := f.group(len(u))
	for i := len(c) - 1; i >= 0; i-- {
		f.do("mov", t, c[i])
		f.do("fmla", t, p, u)
		p, t = t, p
	}
	f.release(t...)
	return p
}

// each ends a function of z alone: body makes the new values of its vectors x.
func (f *file) each(unroll int, body func(x []vreg) []vreg) {
	f.eachOf(unroll, []string{"z"}, func(in [][]vreg) []vreg { return body(in[0]) })
}

// eachOf ends a function of n elements of each of the arrays: body makes the new values of the first one's from vectors of all,
// unroll at a time, then one at a time, and at last one element at a time: NEON has no masked loads.
func (f *file) eachOf(unroll int, arrays []string, body func(in [][]vreg) []vreg) {
	n := f.param("n")
	at := make([]greg, len(arrays))
	for i, name := range arrays {
		at[i] = f.param(name)
	}
	held := append([]vreg(nil), f.free...)
	mov := f.s.move()
	for i, elements := range []int{unroll * f.s.lanes(), f.s.lanes(), 1} {
		if i > 0 && elements*f.s.size == unroll*neonBytes {
			continue
		}
		f.emit("CMP $%d, %s", elements, n)
		f.emit("BLT rest%d", i)
		f.label(fmt.Sprintf("loop%d", i))
		f.free = append(f.free[:0], held...)
		in := make([][]vreg, len(at))
		for j, from := range at {
			in[j] = f.group(max(1, elements/f.s.lanes()))
			if elements == 1 {
				f.emit("%s (%s), F%d", mov, from, in[j][0])
			} else {
				f.loads(from, 0, in[j])
			}
		}
		if y := body(in); elements == 1 {
			f.emit("%s F%d, (%s)", mov, y[0], at[0])
		} else {
			f.stores(at[0], 0, y)
		}
		for _, r := range at {
			f.emit("ADD $%d, %s, %[2]s", elements*f.s.size, r)
		}
		f.emit("SUB $%d, %s, %[2]s", elements, n)
		f.emit("CMP $%d, %s", elements, n)
		f.emit("BGE loop%d", i)
		f.label(fmt.Sprintf("rest%d", i))
	}
	f.end()
}

func (f *file) cosine() {
	f.define("cos", vectorCall)
	scale, quarter, c := f.argument("a"), f.constant(.25), f.polynomial(simd.Coefficients(f.s.size).Cos)
	f.each(4, func(x []vreg) []vreg {
		u := f.group(len(x))
		f.do("frintn", u, x)
		f.do("fsub", x, x, u) // r = z - rint(z), NaN from ±Inf
		f.do("fabs", x, x)
		f.do("fsub", x, quarter, x) // y = 1/4 - |r|
		f.do("fmul", u, x, x)
		p := f.group(len(x))
		f.do("fadd", p, u, c[len(c)-1])
		p = f.continued(c[:len(c)-1], u, p)
		f.do("fmul", x, x, scale)
		f.do("fmul", x, x, p)
		return x
	})
}

// exp2 is isa.exp2Of for AVX2.
func (f *file) exp2() {
	f.define("exp2", vectorCall)
	s := f.s
	scale, lo, hi := f.argument("a"), f.constant(s.flushed()), f.constant(float64(s.bias()+2))
	magic, c := f.constant(math.Ldexp(1.5, s.fraction())+float64(s.bias()-1)), f.polynomial(simd.Coefficients(s.size).Exp2)
	f.each(4, func(x []vreg) []vreg {
		n, h := f.group(len(x)), f.group(len(x))
		f.do("fmul", x, x, scale)
		f.do("fmax", x, x, lo)
		f.do("fmin", x, x, hi)
		f.do("fadd", n, x, magic)
		f.do("fsub", h, n, magic)
		f.do("fsub", x, x, h)
		f.release(h...)
		y := f.horner(c, x)
		f.shiftBits("VSHL", s.fraction(), n, n)
		f.do("fadd", y, y, y)
		f.do("fmul", y, y, n)
		return y
	})
}

// logarithm is e·ln 2 + ln(1+f), as in the AVX code.
func (f *file) logarithm() {
	f.define("log", vectorCall)
	one, half := f.constant(1), f.constant(.5)
	of := simd.Coefficients(f.s.size)
	ln2Hi, ln2Lo := f.constant(of.Ln2[0]), f.constant(of.Ln2[1])
	poly, split := f.polynomial(of.Log), f.newSplit()
	inf, negativeInf := f.constant(math.Inf(1)), f.constant(math.Inf(-1))
	f.each(1, func(z []vreg) []vreg {
		e, x := f.split(split, z)
		y, h, u := f.group(len(z)), f.group(len(z)), f.group(len(z))
		f.do("fadd", y, x, one)
		f.do("fsub", x, x, one)
		f.do("fdiv", y, x, y) // s
		f.do("fmul", h, x, half)
		f.do("fmul", u, y, y)
		p := f.horner(poly, u)
		f.do("fmul", p, p, u)
		f.do("fmla", p, h, x) // h + s²P(s²)
		f.do("fmul", y, y, p)
		f.do("fmls", y, h, x)
		f.do("fmla", y, ln2Lo, e)
		f.do("fadd", y, y, x)
		f.do("fmla", y, ln2Hi, e)
		f.do("fcmgt", u, inf, z) // +Inf and NaN stay
		f.do("bif", y, z, u)
		f.do("fcmeq0", u, z)
		f.do("bit", y, negativeInf, u)
		f.do("fcmlt0", u, z)
		f.do("orr", y, y, u) // all ones are NaN
		return y
	})
}

// A splitter holds the constants of isa.splitFields.
type splitter struct{ normal, lift, lifted, carry, integer, biased, fraction, threeQuarters vreg }

func (f *file) newSplit() splitter {
	s := f.s
	integer := math.Ldexp(1, s.fraction())
	return splitter{
		normal: f.constant(math.Ldexp(1, 1-s.bias())), lift: f.constant(math.Ldexp(1, s.fraction()+1)),
		lifted: f.constant(float64(s.fraction() + 1)), carry: f.constantBits(s.floatBits(1) - s.floatBits(.75)),
		integer: f.constant(integer), biased: f.constant(integer + float64(s.bias())),
		fraction: f.constantBits(1<<s.fraction() - 1), threeQuarters: f.constantBits(s.floatBits(.75)),
	}
}

// split is isa.splitFields.
func (f *file) split(c splitter, x []vreg) (e, m []vreg) {
	e, m = f.group(len(x)), f.group(len(x))
	small := f.group(len(x))
	f.do("fcmgt", small, c.normal, x)
	f.do("fmul", m, x, c.lift)
	f.do("bif", m, x, small)
	f.do("and", small, small, c.lifted)
	f.do("add", m, m, c.carry)
	f.shiftBits("VUSHR", f.s.fraction(), e, m)
	f.do("orr", e, e, c.integer)
	f.do("fsub", e, e, c.biased)
	f.do("fsub", e, e, small)
	f.do("and", m, m, c.fraction)
	f.do("add", m, m, c.threeQuarters)
	f.release(small...)
	return e, m
}

// power squares from the highest bit of the exponent on, and multiplies by z where a bit is set.
func (f *file) power() {
	f.define("power", vectorCall)
	exponent, steps, bits, left := f.param("a"), f.param("b"), f.gp(), f.gp()
	bodies := 0
	f.each(4, func(x []vreg) []vreg {
		bodies++
		next, square := fmt.Sprintf("bit%d", bodies), fmt.Sprintf("square%d", bodies)
		y := f.group(len(x))
		f.emit("MOVD %s, %s", exponent, bits)
		f.emit("MOVD %s, %s", steps, left)
		f.do("mov", y, x)
		f.label(next)
		f.do("fmul", y, y, y)
		f.emit("ADDS %s, %[1]s, %[1]s", bits)
		f.emit("BCC %s", square)
		f.do("fmul", y, y, x)
		f.label(square)
		f.next(left, next)
		return y
	})
}

// mulPoly excludes zeros from the product because the polynomial may be infinite.
func (f *file) mulPoly() {
	f.define("mulPoly", vectorCall)
	c := []vreg{f.argument("a"), f.argument("b"), f.argument("c")}
	f.eachOf(4, []string{"z", "t"}, func(in [][]vreg) []vreg {
		x, zero := in[0], f.group(len(in[0]))
		f.do("fcmeq0", zero, x)
		f.do("fmul", x, x, f.horner(c, in[1]))
		f.do("bic", x, x, zero)
		return x
	})
}
