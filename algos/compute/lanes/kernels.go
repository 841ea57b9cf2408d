// Package lanes writes the inner loops of the compute core as a WebAssembly module with vectors of 128 bits, which Go's compiler does not
// make. A program for GOOS=js that is built with the tag lanes imports its functions from "lanes"; whoever starts that program
// gives them with Script. They give the bits of the portable code of algos/compute: the same operations
// on the same numbers in the same order, on two or four of them at a time.
//
// Addresses and distances between rows are in bytes. Names end in the width of an element.
package lanes

import (
	_ "embed"
	"encoding/base64"
	"fmt"
	"slices"

	"repro/algos/compute/internal/simd"
)

//go:embed lanes.js
var script string

// Script returns the script that gives the functions to a program.
func Script() string {
	functions, calls := modules()
	encoded := base64.StdEncoding.EncodeToString
	return fmt.Sprintf("{\nconst CODES = [%q, %q];\n%s}\n", encoded(functions), encoded(calls), script)
}

// modules returns the module of the functions and one that can be there before the program and its memory: it exports functions of the same
// names, each of which calls that in its place of env.table, where the functions of the first module are put in the order of their
// exports.
func modules() (functions, calls []byte) {
	all := []*function{squaredDistances(), brickDots(), brickAddRows(), brickAddOuter(), philox(), dots()}
	for _, t := range []lane{single, double} {
		cos := len(all)
		all = append(all, t.cos(), t.exp2(), t.clampBelow(), t.scale(), t.affine(), t.sqrt(), t.mulPoly(), t.power(),
			t.weigh(), t.squares(), t.rowDots(), t.rows("add"), t.rows("set"), t.transpose(), t.pack(), t.normals())
		all = append(all, t.tiles()...)
		cover := len(all)
		all = append(all, t.cover(cover-1), t.panel(cover, cos, cos+1))
	}
	var through []*function
	for _, f := range all {
		if f.name == "" {
			continue
		}
		var arguments []code
		for i := range f.params {
			arguments = append(arguments, local(i).get())
		}
		n := len(through)
		through = append(through, &function{name: f.name, params: f.params, body: callSlot(number(n), n, arguments...)})
	}
	return module(all, "memory", code{2, 0, 0}), module(through, "table", code{1, 0x70, 0, 0})
}

// elementwise is a function that replaces the n vectors from z on, with parameters.
func (t lane) elementwise(name string, parameters int, body func(f *function, v local, p []local) code) *function {
	f := &function{name: name + t.name}
	z, n := f.param(i32), f.param(i32)
	p := make([]local, parameters)
	for i := range p {
		p[i] = f.param(t.kind)
	}
	for i, of := range slices.Clone(p) {
		p[i] = f.local(v128)
		f.do(p[i].set(t.splat(of.get())))
	}
	v := f.local(v128)
	f.do(repeat(n, v.set(load(z.get(), 0)), store(z.get(), 0, body(f, v, p)), z.add(number(16))))
	return f
}

// polynomial is p continued by the coefficients c, the constant one first, at u: (p·u + c_m)·u + c_(m-1) and so on.
func (t lane) polynomial(u local, p code, c []float64) code {
	for _, v := range slices.Backward(c) {
		p = t.add(t.mul(p, u.get()), t.constant(v))
	}
	return p
}

func (t lane) cos() *function {
	c := simd.Coefficients(t.bytes).Cos
	last := len(c) - 1
	return t.elementwise("cos", 1, func(f *function, v local, s []local) code {
		y, u := f.local(v128), f.local(v128)
		return seq(
			y.set(t.sub(t.constant(0.25), vector(t.abs, t.sub(v.get(), vector(t.nearest, v.get()))))),
			u.set(t.mul(y.get(), y.get())),
			t.mul(t.mul(s[0].get(), y.get()), t.polynomial(u, t.add(u.get(), t.constant(c[last])), c[:last])))
	})
}

// exp2 multiplies with 2^n in two steps, of which only the last can overflow.
func (t lane) exp2() *function {
	c := simd.Coefficients(t.bytes).Exp2
	last := len(c) - 1
	return t.elementwise("exp2", 1, func(f *function, v local, s []local) code {
		n, u, whole, half := f.local(v128), f.local(v128), f.local(v128), f.local(v128)
		integers, flushed := vector(0xf8, n.get()), -126.0 // i32x4.trunc_sat_f32x4_s
		shift, minus := func(x code, by int) code { return vector(0xac, x, number(by)) }, uint64(0xb1)
		power := func(x code) code { return vector(0xab, vector(0xae, x, wordsOf(127)), number(23)) }
		if t.bytes == 8 {
			integers, flushed = vector(0xc7, vector(0xfc, n.get())), -1022 // i64x2.extend_low_i32x4_s of i32x4.trunc_sat_f64x2_s_zero
			shift, minus = func(x code, by int) code { return vector(0xcc, x, number(by)) }, 0xd1
			power = func(x code) code { return vector(0xcb, vector(0xce, x, longsOf(1023)), number(52)) }
		} else {
			integers = vector(0xb6, integers, wordsOf(254)) // i32x4.min_s
		}
		p := t.polynomial(u, t.constant(c[last]), c[:last])
		return seq(
			v.set(vector(t.pmin, t.mul(s[0].get(), v.get()), t.constant(1100))),
			n.set(vector(t.nearest, v.get())),
			u.set(t.sub(v.get(), n.get())),
			whole.set(integers),
			half.set(shift(whole.get(), 1)),
			andNot(t.mul(t.mul(p, power(half.get())), power(vector(minus, whole.get(), half.get()))),
				vector(t.le, n.get(), t.constant(flushed))))
	})
}

func (t lane) clampBelow() *function {
	return t.elementwise("clampBelow", 1, func(_ *function, v local, p []local) code { return vector(t.pmax, v.get(), p[0].get()) })
}

func (t lane) scale() *function {
	return t.elementwise("scale", 1, func(_ *function, v local, p []local) code { return t.mul(v.get(), p[0].get()) })
}

func (t lane) affine() *function {
	return t.elementwise("affine", 2, func(_ *function, v local, p []local) code { return t.add(t.mul(p[0].get(), v.get()), p[1].get()) })
}

func (t lane) sqrt() *function {
	return t.elementwise("sqrt", 0, func(_ *function, v local, _ []local) code { return vector(t.root, v.get()) })
}

// mulPoly has the address of t as its last parameter.
func (t lane) mulPoly() *function {
	f := &function{name: "mulPoly" + t.name}
	z, n, c0, c1, c2, at := f.param(i32), f.param(i32), f.param(t.kind), f.param(t.kind), f.param(t.kind), f.param(i32)
	v, x := f.local(v128), f.local(v128)
	inner := t.add(t.splat(c1.get()), t.mul(t.splat(c2.get()), x.get()))
	p := t.mul(v.get(), t.add(t.splat(c0.get()), t.mul(x.get(), inner)))
	f.do(repeat(n, v.set(load(z.get(), 0)), x.set(load(at.get(), 0)),
		store(z.get(), 0, andNot(p, vector(t.eq, v.get(), t.constant(0)))), z.add(number(16)), at.add(number(16))))
	return f
}

// power takes the bits of the exponent after the first from the highest bit of a number on.
func (t lane) power() *function {
	f := &function{name: "power" + t.name}
	z, n, exponent, steps := f.param(i32), f.param(i32), f.param(i32), f.param(i32)
	v, p, e, k := f.local(v128), f.local(v128), f.local(i32), f.local(i32)
	f.do(repeat(n, v.set(load(z.get(), 0)), p.set(v.get()), e.set(exponent.get()), k.set(steps.get()),
		repeat(k, p.set(t.mul(p.get(), p.get())), when(above(number(0), e.get()), p.set(t.mul(p.get(), v.get()))), e.set(plus(e.get(), e.get()))),
		store(z.get(), 0, p.get()), z.add(number(16))))
	return f
}

// sumOfFour adds four vectors in the order of simd.Weigh.
func (t lane) sumOfFour(p []local) code {
	return t.add(t.add(p[0].get(), p[1].get()), t.add(p[2].get(), p[3].get()))
}

// weigh has four sums for two vectors of columns at a time. ldb is in bytes, k counts groups of four rows.
func (t lane) weigh() *function {
	f := &function{name: "weigh" + t.name}
	k, a, b, ldb, c := f.param(i32), f.param(i32), f.param(i32), f.param(i32), f.param(i32)
	blocks, l, x, y, s, p, q := f.local(i32), f.local(i32), f.local(i32), f.local(i32), f.local(v128), f.vectors(4), f.vectors(4)
	var clear, step []code
	for i := range 4 {
		clear = append(clear, p[i].set(t.constant(0)), q[i].set(t.constant(0)))
		step = append(step, s.set(t.everywhere(x.get(), i*t.bytes)),
			p[i].set(t.add(p[i].get(), t.mul(s.get(), load(y.get(), 0)))), q[i].set(t.add(q[i].get(), t.mul(s.get(), load(y.get(), 16)))),
			y.add(ldb.get()))
	}
	f.do(blocks.set(number(simd.Width/t.lanes()/2)),
		repeat(blocks, seq(clear...), x.set(a.get()), y.set(b.get()), l.set(k.get()),
			repeat(l, seq(step...), x.add(number(4*t.bytes))),
			store(c.get(), 0, t.sumOfFour(p)), store(c.get(), 16, t.sumOfFour(q)), b.add(number(32)), c.add(number(32))))
	return f
}

// squares sums the squares of 48 columns of k rows.
func (t lane) squares() *function {
	f := &function{name: "squares" + t.name}
	k, b, c := f.param(i32), f.param(i32), f.param(i32)
	blocks, l, y, v, s := f.local(i32), f.local(i32), f.local(i32), f.local(v128), f.vectors(simd.Width/t.lanes()/3)
	var clear, step, out []code
	for i := range s {
		clear = append(clear, s[i].set(t.constant(0)))
		step = append(step, v.set(load(y.get(), 16*i)), s[i].set(t.add(s[i].get(), t.mul(v.get(), v.get()))))
		out = append(out, store(c.get(), 16*i, s[i].get()))
	}
	f.do(blocks.set(number(3)), repeat(blocks, seq(clear...), y.set(b.get()), l.set(k.get()),
		repeat(l, seq(step...), y.add(number(simd.Width*t.bytes))),
		seq(out...), b.add(number(16*len(s))), c.add(number(16*len(s)))))
	return f
}

// asDoubles is the two numbers at an address in float64.
func (t lane) asDoubles(address code, pair int) code {
	if t.bytes == 8 {
		return load(address, 16*pair)
	}
	return vector(0x5f, at(0x5d, 8*pair, address)) // f64x2.promote_low_f32x4 of v128.load64_zero
}

// rowDots sets dst_iq to the sum over 8k terms of row i of a and vector q of b, for m rows and c vectors. If rows is not 0, it is the
// address of the numbers of the rows.
func (t lane) rowDots() *function {
	f, d := &function{name: "rowDots" + t.name}, double
	m, dst, ldd, a, lda, rows, b, c, k := f.param(i32), f.param(i32), f.param(i32), f.param(i32), f.param(i32), f.param(i32), f.param(i32), f.param(i32), f.param(i32)
	row, x, y, q, l, to, s := f.local(i32), f.local(i32), f.local(i32), f.local(i32), f.local(i32), f.local(i32), f.vectors(4)
	var clear, step []code
	for i := range s {
		clear = append(clear, s[i].set(d.constant(0)))
		step = append(step, s[i].set(d.add(s[i].get(), d.mul(t.asDoubles(x.get(), i), load(y.get(), 16*i)))))
	}
	f.do(repeat(m,
		row.set(a.get()),
		either(rows.get(), seq(row.add(times(seq(rows.get(), code{0x28, 0}, unsigned(0)), lda.get())), rows.add(number(8))), a.add(lda.get())),
		to.set(dst.get()), q.set(c.get()),
		repeat(q, seq(clear...), x.set(row.get()), l.set(k.get()),
			y.set(plus(b.get(), times(number(64), minus(c.get(), q.get())))),
			repeat(l, seq(step...), x.add(number(8*t.bytes)), y.add(times(number(64), c.get()))),
			s[0].set(d.add(d.add(s[0].get(), s[2].get()), d.add(s[1].get(), s[3].get()))),
			sumOfTwo(to.get(), s[0]), to.add(number(8))),
		dst.add(ldd.get())))
	return f
}

// sumOfTwo writes the sum of the two numbers of s.
func sumOfTwo(address code, s local) code {
	of := func(i byte) code { return seq(s.get(), code{0xfd, 0x21, i}) } // f64x2.extract_lane
	return seq(address, of(0), of(1), code{0xa0, 0x39, 0, 0})            // f64.add, f64.store
}

// rows sets the n numbers of each row of dst to alpha times those of src, or adds them.
func (t lane) rows(name string) *function {
	f, d := &function{name: name + t.name}, double
	dst, ldd, src, lds, alpha, m, n := f.param(i32), f.param(i32), f.param(i32), f.param(i32), f.param(f64), f.param(i32), f.param(i32)
	s, x, y, k := f.local(v128), f.local(i32), f.local(i32), f.local(i32)
	value := func(from, product, sum code) code {
		if name == "add" {
			return seq(from, product, sum)
		}
		return product
	}
	v := value(load(y.get(), 0), d.mul(s.get(), t.asDoubles(x.get(), 0)), code{0xfd, 0xf0, 1}) // f64x2.add
	last := value(loadF64(y.get()), seq(alpha.get(), t.asDouble(x.get()), code{0xa2}), code{0xa0})
	f.do(s.set(d.splat(alpha.get())),
		repeat(m, x.set(src.get()), y.set(dst.get()), k.set(n.get()),
			while(above(k.get(), number(1)), store(y.get(), 0, v), x.add(number(2*t.bytes)), y.add(number(16)), k.add(number(-2))),
			when(k.get(), storeF64(y.get(), last)),
			src.add(lds.get()), dst.add(ldd.get())))
	return f
}

// transpose sets dst_lj to src_jl for m rows j and n columns l.
func (t lane) transpose() *function {
	return t.swapped("transpose", func(to, x local, _ local) code {
		if t.bytes == 4 {
			return seq(to.get(), x.get(), code{0x28, 0, 0, 0x36, 0, 0}) // i32.load, i32.store
		}
		return seq(to.get(), x.get(), code{0x29, 0, 0, 0x37, 0, 0}) // i64.load, i64.store
	}, t.bytes)
}

// pack sets dst_lj to src_jl - mean_l, with src and mean in float64.
func (t lane) pack() *function {
	return t.swapped("pack", func(to, x, mean local) code {
		v := seq(loadF64(x.get()), loadF64(mean.get()), code{0xa1})
		if t.bytes == 4 {
			return seq(to.get(), v, code{0xb6, 0x38, 0, 0}) // f32.demote_f64, f32.store
		}
		return storeF64(to.get(), v)
	}, 8)
}

// swapped goes through m rows of n columns, of elements of size bytes, and writes one to its place in the transpose.
func (t lane) swapped(name string, write func(to, x, mean local) code, size int) *function {
	f := &function{name: name + t.name}
	dst, ldd, src, lds, mean, m, n := f.param(i32), f.param(i32), f.param(i32), f.param(i32), f.param(i32), f.param(i32), f.param(i32)
	to, x, of, k := f.local(i32), f.local(i32), f.local(i32), f.local(i32)
	f.do(repeat(m, to.set(dst.get()), x.set(src.get()), of.set(mean.get()), k.set(n.get()),
		repeat(k, write(to, x, of), to.add(ldd.get()), x.add(number(size)), of.add(number(8))),
		src.add(lds.get()), dst.add(number(t.bytes))))
	return f
}

// turned is a vector with its halves exchanged.
func turned(v local) code {
	return seq(v.get(), v.get(), code{0xfd, 0x0d, 8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7}) // i8x16.shuffle
}

func loadF64(address code) code     { return seq(address, code{0x2b, 0, 0}) }
func storeF64(address, v code) code { return seq(address, v, code{0x39, 0, 0}) }

// asDouble is the number at an address in float64.
func (t lane) asDouble(address code) code {
	if t.bytes == 8 {
		return loadF64(address)
	}
	return seq(address, code{0x2a, 0, 0, 0xbb}) // f32.load, f64.promote_f32
}

// dots writes the sums of compute.Dot over 4k products to out: those of the terms 4l, 4l+1, 4l+2 and 4l+3.
func dots() *function {
	f, t := &function{name: "dots"}, double
	k, a, b, out := f.param(i32), f.param(i32), f.param(i32), f.param(i32)
	p, q := f.local(v128), f.local(v128)
	f.do(repeat(k, p.set(t.add(p.get(), t.mul(load(a.get(), 0), load(b.get(), 0)))), q.set(t.add(q.get(), t.mul(load(a.get(), 16), load(b.get(), 16)))),
		a.add(number(32)), b.add(number(32))),
		store(out.get(), 0, p.get()), store(out.get(), 16, q.get()))
	return f
}

// The largest micro-tiles: rows, and vectors of one that is a product of matrices; with three, V8 keeps sums in memory and is a quarter slower.
// The others are one vector wide.
const (
	tileRows    = 4
	tileVectors = 2
)

// tiles are the micro-kernels of simd.Tile.
func (t lane) tiles() (all []*function) {
	for op := simd.Dot; op <= simd.Product; op++ {
		for h := 1; h <= tileRows; h++ {
			all = append(all, t.tile(op, h, 1))
			for v := 2; v <= tileVectors && op == simd.Dot; v++ {
				all = append(all, t.tile(op, h, v))
			}
		}
	}
	return all
}

// The micro-kernel of h rows and v vectors is in the slot firstSlot + op·opSlots + h·rowSlots + v of the table.
const (
	rowSlots = tileVectors + 1
	opSlots  = (tileRows + 1) * rowSlots
)

func (t lane) firstSlot() int { return t.bytes / 8 * (int(simd.Product) + 1) * opSlots }

// tile computes a micro-tile of h rows and v vectors. If more is not 0, it continues what is there.
func (t lane) tile(op simd.Op, h, v int) *function {
	f := new(function)
	f.slot = t.firstSlot() + int(op)*opSlots + h*rowSlots + v
	k, x, lda, y, ldb, c, ldc, more := f.param(i32), f.param(i32), f.param(i32), f.param(i32), f.param(i32), f.param(i32), f.param(i32), f.param(i32)
	to, of, right, sums := f.local(i32), f.local(v128), f.vectors(v), f.vectors(h*v)
	empty := 0.0
	if op == simd.Product {
		empty = 1
	}
	var start, first, step, out []code
	for j, r := range right {
		step = append(step, r.set(load(y.get(), 16*j)))
	}
	for i := range h {
		step = append(step, of.set(t.everywhere(x.get(), i*t.bytes)))
		for j, r := range right {
			s, d := sums[i*v+j], t.sub(r.get(), of.get())
			first = append(first, s.set(load(to.get(), 16*j)))
			start = append(start, s.set(t.constant(empty)))
			out = append(out, store(to.get(), 16*j, s.get()))
			term := map[simd.Op]code{
				simd.Dot:               t.mul(of.get(), r.get()),
				simd.SquaredDifference: t.mul(d, d),
				simd.AbsDifference:     vector(t.abs, d),
				simd.Product:           t.mul(t.mul(d, d), s.get()),
			}[op]
			step = append(step, s.set(t.add(s.get(), term)))
		}
		first, out = append(first, to.add(ldc.get())), append(out, to.add(ldc.get()))
	}
	f.do(to.set(c.get()), either(more.get(), seq(first...), seq(start...)),
		repeat(k, seq(step...), x.add(lda.get()), y.add(ldb.get())),
		to.set(c.get()), seq(out...))
	return f
}

// cover computes m rows of n vectors with micro-tiles, whose type is that of the function with an index. Strips of eight columns of a are
// strip bytes apart.
func (t lane) cover(index int) *function {
	f := &function{name: "cover" + t.name}
	op, m, n, k, a, lda, strip, b, ldb, c, ldc, more := f.param(i32), f.param(i32), f.param(i32), f.param(i32), f.param(i32), f.param(i32), f.param(i32), f.param(i32), f.param(i32), f.param(i32), f.param(i32), f.param(i32)
	most, v, h, left, x, to, second := f.local(i32), f.local(i32), f.local(i32), f.local(i32), f.local(i32), f.local(i32), f.local(i32)
	half := number(tileRows * t.bytes)
	slot := plus(plus(number(t.firstSlot()), times(op.get(), number(opSlots))), plus(times(h.get(), number(rowSlots)), v.get()))
	f.do(either(equal(op.get(), number(int(simd.Dot))), most.set(number(tileVectors)), most.set(number(1))),
		while(above(n.get(), number(0)),
			v.set(smaller(n.get(), most.get())), left.set(m.get()), x.set(a.get()), to.set(c.get()), second.set(number(0)),
			while(above(left.get(), number(0)),
				h.set(smaller(left.get(), number(tileRows))),
				callSlot(slot, index,
					k.get(), x.get(), lda.get(), b.get(), ldb.get(), to.get(), ldc.get(), more.get()),
				left.set(minus(left.get(), h.get())), to.add(times(h.get(), ldc.get())),
				either(second.get(), x.add(minus(strip.get(), half)), x.add(half)), second.set(minus(number(1), second.get()))),
			n.set(minus(n.get(), v.get())), b.add(times(number(16), v.get())), c.add(times(number(16), v.get()))))
	return f
}

// panel is simd.Panels.Tile for m rows of n vectors. cover, cos and exp2 are the indices of these functions; s is the factor of exp2, and
// 1 for the others.
func (t lane) panel(cover, cos, exp2 int) *function {
	f := &function{name: "panel" + t.name}
	form, columns, m, n, k, a, lda, strip, b, c := f.param(i32), f.param(i32), f.param(i32), f.param(i32), f.param(i32), f.param(i32), f.param(i32), f.param(i32), f.param(i32), f.param(i32)
	s := f.param(t.kind)
	rows, q, x, y, to, in, last, row, both, of := f.local(i32), f.local(i32), f.local(i32), f.local(i32), f.local(i32), f.local(i32), f.local(i32), f.local(i32), f.local(i32), f.local(v128)
	wide := number(simd.Width * t.bytes)
	// all sets every vector of c to v, with the last row of b at y and, if v needs it, its row's last number of a in of.
	all := func(v code, needed bool) code {
		var left code
		if needed {
			left = of.set(t.everywhere(x.get(), 0))
		}
		return seq(rows.set(m.get()), row.set(c.get()), x.set(plus(a.get(), times(k.get(), lda.get()))), in.set(number(simd.Strip)),
			repeat(rows, left, to.set(row.get()), y.set(last.get()), q.set(n.get()),
				repeat(q, store(to.get(), 0, v), to.add(number(16)), y.add(number(16))),
				row.add(wide), x.add(number(t.bytes)), in.add(number(-1)),
				when(equal(in.get(), number(0)), x.add(minus(strip.get(), number(simd.Strip*t.bytes))), in.set(number(simd.Strip)))))
	}
	apply := func(function int) code {
		return either(equal(n.get(), number(simd.Width/t.lanes())),
			call(function, c.get(), times(m.get(), n.get()), s.get()),
			seq(row.set(c.get()), repeat(m, call(function, row.get(), n.get(), s.get()), row.add(wide))))
	}
	f.do(last.set(plus(b.get(), times(k.get(), wide))), both.set(seq(form.get(), number(1), code{0x71})), // and
		when(equal(both.get(), number(0)), either(columns.get(), all(load(y.get(), 0), false), all(of.get(), true))),
		call(cover, number(int(simd.Dot)), m.get(), n.get(), k.get(), a.get(), lda.get(), strip.get(), b.get(), wide, c.get(), wide,
			equal(both.get(), number(0))),
		when(both.get(), all(vector(t.pmax, t.add(t.add(load(to.get(), 0), load(y.get(), 0)), of.get()), t.constant(0)), true)),
		when(equal(form.get(), number(int(simd.Cosine))), apply(cos)),
		when(equal(form.get(), number(int(simd.Exponential))), apply(exp2)))
	return f
}

// squaredDistances has four sums for two vectors of columns at a time; k counts groups of four rows, after which rest rows follow.
func squaredDistances() *function {
	f, t := &function{name: "squaredDistances"}, double
	k, rest, a, b, c := f.param(i32), f.param(i32), f.param(i32), f.param(i32), f.param(i32)
	blocks, l, x, y, of, d, p, q := f.local(i32), f.local(i32), f.local(i32), f.local(i32), f.local(v128), f.local(v128), f.vectors(4), f.vectors(4)
	var clear, four []code
	row := func(i, at int) code {
		add := func(s local, at int) code {
			return seq(d.set(t.sub(of.get(), load(y.get(), at))), s.set(t.add(s.get(), t.mul(d.get(), d.get()))))
		}
		return seq(of.set(t.everywhere(x.get(), 8*at)), add(p[i], 0), add(q[i], 16), y.add(number(8*simd.Width)))
	}
	for i := range 4 {
		clear = append(clear, p[i].set(t.constant(0)), q[i].set(t.constant(0)))
		four = append(four, row(i, i))
	}
	f.do(blocks.set(number(simd.Width/4)),
		repeat(blocks, seq(clear...), x.set(a.get()), y.set(b.get()), l.set(k.get()),
			repeat(l, seq(four...), x.add(number(32))),
			l.set(rest.get()),
			repeat(l, row(0, 0), x.add(number(8))),
			store(c.get(), 0, t.sumOfFour(p)), store(c.get(), 16, t.sumOfFour(q)), b.add(number(32)), c.add(number(32))))
	return f
}

// brickBytes is the size of a brick, rowBytes that of one of its rows.
const (
	brickBytes = 8 * simd.BrickSize
	rowBytes   = 8 * simd.Brick
)

// brickDots is simd.BrickDots for n bricks.
func brickDots() *function {
	f, t := &function{name: "brickDots"}, double
	n, a, x, out := f.param(i32), f.param(i32), f.param(i32), f.param(i32)
	rows, l, y, z, s := f.local(i32), f.local(i32), f.local(i32), f.local(i32), f.vectors(4)
	var clear, step []code
	for i := range s {
		clear = append(clear, s[i].set(t.constant(0)))
		step = append(step, s[i].set(t.add(t.mul(load(y.get(), 16*i), load(z.get(), 16*i)), s[i].get())))
	}
	pair := func(i int) code { // s_2i + s_(2i+1) in the first place
		return t.add(s[i].get(), turned(s[i]))
	}
	first := seq(t.add(t.add(pair(0), pair(2)), t.add(pair(1), pair(3))), code{0xfd, 0x21, 0})
	f.do(rows.set(number(simd.Brick)), repeat(rows, seq(clear...), y.set(a.get()), z.set(x.get()), l.set(n.get()),
		repeat(l, seq(step...), y.add(number(brickBytes)), z.add(number(rowBytes))),
		storeF64(out.get(), first), out.add(number(8)), a.add(number(rowBytes))))
	return f
}

// brickAddRows is simd.BrickAddRows for n bricks.
func brickAddRows() *function {
	f, t := &function{name: "brickAddRows"}, double
	n, a, w, y := f.param(i32), f.param(i32), f.param(i32), f.param(i32)
	weights, v := f.vectors(simd.Brick), f.local(v128)
	for i, of := range weights {
		f.do(of.set(t.everywhere(w.get(), 8*i)))
	}
	var step []code
	for j := range simd.Brick / 2 {
		step = append(step, v.set(load(y.get(), 16*j)))
		for i := 0; i < simd.Brick; i += simd.Brick / 2 {
			term := func(i int) code { return t.mul(weights[i].get(), load(a.get(), rowBytes*i+16*j)) }
			sum := term(i)
			for k := 1; k < simd.Brick/2; k++ {
				sum = t.add(term(i+k), sum)
			}
			step = append(step, v.set(t.add(v.get(), sum)))
		}
		step = append(step, store(y.get(), 16*j, v.get()))
	}
	f.do(repeat(n, seq(step...), a.add(number(brickBytes)), y.add(number(rowBytes))))
	return f
}

// brickAddOuter is simd.BrickAddOuter for n bricks and 8k rows; sign is 1, or -1 to subtract.
func brickAddOuter() *function {
	f, t := &function{name: "brickAddOuter"}, double
	n, k, c, a, b, stride, sign := f.param(i32), f.param(i32), f.param(i32), f.param(i32), f.param(i32), f.param(i32), f.param(f64)
	rows, l, x, y, left, of, signs, s := f.local(i32), f.local(i32), f.local(i32), f.local(i32), f.local(i32), f.local(v128), f.local(v128), f.vectors(4)
	var loads, step, out []code
	for i := range simd.Brick {
		step = append(step, of.set(t.mul(signs.get(), t.everywhere(x.get(), rowBytes*i))))
		for j := range s {
			step = append(step, s[j].set(t.add(t.mul(of.get(), load(y.get(), rowBytes*i+16*j)), s[j].get())))
		}
	}
	for j := range s {
		loads, out = append(loads, s[j].set(load(c.get(), 16*j))), append(out, store(c.get(), 16*j, s[j].get()))
	}
	f.do(signs.set(t.splat(sign.get())),
		repeat(n, left.set(a.get()), rows.set(number(simd.Brick)),
			repeat(rows, seq(loads...), x.set(left.get()), y.set(b.get()), l.set(k.get()),
				repeat(l, seq(step...), x.add(stride.get()), y.add(stride.get())),
				seq(out...), c.add(number(rowBytes)), left.add(number(8))),
			b.add(number(brickBytes))))
	return f
}

// philox is simd.Words: n groups of four rows of 48 words.
func philox() *function {
	f := &function{name: "philox"}
	dst, n, at, from, keys := f.param(i32), f.param(i32), f.param(i32), f.param(i32), f.param(i32)
	columns, c, to, key, rounds := f.local(i32), f.local(i32), f.local(i32), f.local(i32), f.local(i32)
	x, y := f.vectors(4), f.vectors(4)
	const row = 4 * simd.Width
	high := func(a, m code) code { // of the products of 32-bit numbers
		low, high := vector(0xde, a, m), vector(0xdf, a, m) // i64x2.extmul_low_i32x4_u and high
		return seq(low, high, code{0xfd, 0x0d, 4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31})
	}
	xor := func(a, b, c code) code { return vector(0x51, vector(0x51, a, b), c) }
	m0, m1 := wordsOf(simd.PhiloxM0), wordsOf(simd.PhiloxM1)
	f.do(repeat(n, columns.set(number(simd.Width/4)), c.set(at.get()), to.set(dst.get()),
		repeat(columns,
			x[0].set(vector(0xae, load(c.get(), 0), vector(0x11, from.get()))), // i32x4.add, splat
			x[1].set(load(c.get(), row)), x[2].set(load(c.get(), 2*row)), x[3].set(load(c.get(), 3*row)),
			key.set(keys.get()), rounds.set(number(simd.Rounds)),
			repeat(rounds,
				y[0].set(xor(high(x[2].get(), m1), x[1].get(), single.everywhere(key.get(), 0))),
				y[1].set(vector(0xb5, x[2].get(), m1)), // i32x4.mul
				y[2].set(xor(high(x[0].get(), m0), x[3].get(), single.everywhere(key.get(), 4))),
				y[3].set(vector(0xb5, x[0].get(), m0)),
				x[0].set(y[0].get()), x[1].set(y[1].get()), x[2].set(y[2].get()), x[3].set(y[3].get()),
				key.add(number(8))),
			store(to.get(), 0, x[0].get()), store(to.get(), row, x[1].get()), store(to.get(), 2*row, x[2].get()), store(to.get(), 3*row, x[3].get()),
			c.add(number(16)), to.add(number(16))),
		dst.add(number(4*row)), from.add(number(1))))
	return f
}

// normals is simd.Variates of Normal for n pairs of rows.
func (t lane) normals() *function {
	f, s := &function{name: "normals" + t.name}, single
	dst, words, n, scale := f.param(i32), f.param(i32), f.param(i32), f.param(i32)
	columns, by := f.local(i32), f.local(i32)
	b, m, r, turn, y, u := f.local(v128), f.local(v128), f.local(v128), f.local(v128), f.local(v128), f.local(v128)
	const row = 4 * simd.Width
	log, sin := simd.Coefficients(t.bytes).NormalLog, simd.Coefficients(t.bytes).NormalSin
	last := len(log) - 1
	cosTurn := func(a code) code {
		return seq(y.set(a), y.set(s.sub(y.get(), vector(s.nearest, y.get()))),
			y.set(s.sub(s.constant(0.25), vector(s.abs, y.get()))), u.set(s.mul(y.get(), y.get())),
			s.mul(s.mul(y.get(), s.polynomial(u, s.constant(sin[len(sin)-1]), sin[:len(sin)-1])), r.get()))
	}
	out := func(v code, offset int) code {
		if t.bytes == 4 {
			return store(dst.get(), offset, s.mul(v, load(by.get(), 0)))
		}
		return seq(b.set(v), store(dst.get(), offset, t.mul(vector(0x5f, b.get()), load(by.get(), 0))),
			store(dst.get(), offset+16, t.mul(vector(0x5f, turned(b)), load(by.get(), 16))))
	}
	step := 4 * t.bytes
	f.do(repeat(n, columns.set(number(simd.Width/4)), by.set(scale.get()),
		repeat(columns,
			b.set(s.add(s.mul(vector(0xfb, load(words.get(), 0)), s.constant(0x1p-32)), s.constant(0x1p-33))), // f32x4.convert_i32x4_u
			m.set(s.sub(vector(0x50, and(b.get(), wordsOf(0x7fffff)), wordsOf(0x3f800000)), s.constant(1))),
			u.set(s.add(s.mul(s.polynomial(m, s.constant(log[last]), log[:last]), m.get()),
				vector(0xfa, vector(0xb1, vector(0xad, b.get(), number(23)), wordsOf(127))))), // f32x4.convert_i32x4_s, i32x4.sub, shr_u
			r.set(vector(s.root, s.mul(vector(0xe8, u.get(), s.constant(0)), s.constant(simd.MinusTwoLn2)))), // f32x4.min
			turn.set(s.mul(vector(0xfa, load(words.get(), row)), s.constant(0x1p-32))),
			out(cosTurn(turn.get()), 0), out(cosTurn(s.sub(turn.get(), s.constant(0.25))), simd.Width*t.bytes),
			words.add(number(16)), dst.add(number(step)), by.add(number(step))),
		words.add(number(row)), dst.add(number(simd.Width*t.bytes))))
	return f
}
