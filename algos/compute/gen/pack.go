package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// packs writes the conversions between float64 matrices and panels. Memory limits their speed, so that AVX2 code serves every
// processor.
func packs() {
	packSingle()
	packDouble()
	for _, p := range precisions {
		for _, what := range []string{"add", "set", "setStream"} {
			scaled(what, p)
		}
	}
	convert()
	for _, p := range precisions {
		spread("spread", p)
		spread("spreadStream", p)
		strips(p)
	}
	transposeSingle()
	transposeDouble()
}

// rowsAt loads n addresses of rows ld bytes apart, from base on.
func rowsAt(base, ld reg.GPVirtual, n int) []reg.GPVirtual {
	r := []reg.GPVirtual{base}
	for len(r) < n {
		next := GP64()
		LEAQ(Mem{Base: r[len(r)-1], Index: ld, Scale: 1}, next)
		r = append(r, next)
	}
	return r
}

// packSingle writes eight rows of float64, less a mean, as eight columns of a float32 panel.
func packSingle() {
	single.define("pack", packCall)
	var mean reg.GPVirtual
	transposeRows(4, 8, func() { mean = param("with") }, func(row []reg.GPVirtual) (q [4]reg.VecVirtual) {
		m := YMM()
		VMOVUPD(Mem{Base: mean}, m)
		for j := range q { // rows j and j+4, four columns each
			lo, hi := YMM(), YMM()
			VMOVUPD(Mem{Base: row[j]}, lo)
			VMOVUPD(Mem{Base: row[j+4]}, hi)
			VSUBPD(m, lo, lo)
			VSUBPD(m, hi, hi)
			VCVTPD2PSY(lo, lo.AsX())
			VCVTPD2PSY(hi, hi.AsX())
			VINSERTF128(Imm(1), hi.AsX(), lo, lo)
			q[j] = lo
		}
		return transposed(q)
	}, func() { ADDQ(Imm(32), mean) })
}

// transposeSingle writes the transposition of 8 rows of float32.
func transposeSingle() {
	single.define("transpose", packCall)
	transposeRows(4, 4, func() {}, func(row []reg.GPVirtual) (q [4]reg.VecVirtual) {
		for j := range q {
			q[j] = YMM()
			VMOVUPS(Mem{Base: row[j]}, q[j].AsX())
			VINSERTF128(Imm(1), Mem{Base: row[j+4]}, q[j], q[j])
		}
		return transposed(q)
	}, func() {})
}

// packDouble is packSingle for four rows and a float64 panel.
func packDouble() {
	double.define("pack", packCall)
	mean, m := param("with"), YMM()
	transposeRows(8, 8, func() {}, func(row []reg.GPVirtual) [4]reg.VecVirtual {
		VMOVUPD(Mem{Base: mean}, m)
		return transposeFour(row, func(r reg.VecVirtual) { VSUBPD(m, r, r) })
	}, func() { ADDQ(Imm(32), mean) })
}

// transposeDouble writes the transposition of 4 rows of float64.
func transposeDouble() {
	double.define("transpose", packCall)
	transposeRows(8, 8, func() {}, func(row []reg.GPVirtual) [4]reg.VecVirtual {
		return transposeFour(row, func(reg.VecVirtual) {})
	}, func() {})
}

// transposeRows writes the transposition of rows of a register's numbers: eight of float32 or four of float64, of to bytes each,
// from elements of from bytes. It calls begin before it loads n, and in the loop columns returns the next four columns and next moves on.
func transposeRows(to, from int, begin func(), columns func(row []reg.GPVirtual) [4]reg.VecVirtual, next func()) {
	dst, ldd, src, lds := param("dst"), param("ldd"), param("src"), param("lds")
	begin()
	n := param("n")
	SHLQ(shiftOf(to), ldd)
	SHLQ(shiftOf(from), lds)
	row := rowsAt(src, lds, 32/to)
	Label("loop")
	for _, c := range columns(row) {
		isa{size: to}.mov(c, Mem{Base: dst})
		ADDQ(ldd, dst)
	}
	for _, r := range row {
		ADDQ(Imm(uint64(4*from)), r)
	}
	next()
	repeat(n, "loop")
	end()
}

// transposed transposes the 4×4 float32 blocks in both halves of four registers.
func transposed(q [4]reg.VecVirtual) [4]reg.VecVirtual {
	var t, c [4]reg.VecVirtual
	for i := range t {
		t[i], c[i] = YMM(), YMM()
	}
	VUNPCKLPS(q[1], q[0], t[0]) // 0.0 1.0 0.1 1.1
	VUNPCKHPS(q[1], q[0], t[1]) // 0.2 1.2 0.3 1.3
	VUNPCKLPS(q[3], q[2], t[2])
	VUNPCKHPS(q[3], q[2], t[3])
	VUNPCKLPD(t[2], t[0], c[0])
	VUNPCKHPD(t[2], t[0], c[1])
	VUNPCKLPD(t[3], t[1], c[2])
	VUNPCKHPD(t[3], t[1], c[3])
	return c
}

// transposeFour returns the columns of four rows of float64, each of which change has changed.
func transposeFour(row []reg.GPVirtual, change func(reg.VecVirtual)) (c [4]reg.VecVirtual) {
	var q, t [4]reg.VecVirtual
	for j := range q {
		q[j], t[j], c[j] = YMM(), YMM(), YMM()
		VMOVUPD(Mem{Base: row[j]}, q[j])
		change(q[j])
	}
	VUNPCKLPD(q[1], q[0], t[0]) // 0.0 1.0 | 0.2 1.2
	VUNPCKHPD(q[1], q[0], t[1]) // 0.1 1.1 | 0.3 1.3
	VUNPCKLPD(q[3], q[2], t[2])
	VUNPCKHPD(q[3], q[2], t[3])
	VPERM2F128(Imm(0x20), t[2], t[0], c[0])
	VPERM2F128(Imm(0x20), t[3], t[1], c[1])
	VPERM2F128(Imm(0x31), t[2], t[0], c[2])
	VPERM2F128(Imm(0x31), t[3], t[1], c[3])
	return c
}

// precisions are those of packing.
var precisions = isas[2:]
var single, double = precisions[0], precisions[1]

// scaled writes dst (+)= alpha·src for rows of a float64 dst; stream means non-temporal stores.
func scaled(what string, from isa) {
	store := VMOVUPD
	if what == "setStream" {
		store = func(o ...Op) { VMOVNTPD(o[0], o[1]) }
	}
	from.define(what, packCall)
	dst, ldd, src, lds, rows := param("dst"), param("ldd"), param("src"), param("lds"), param("rows")
	SHLQ(Imm(3), ldd)
	SHLQ(from.shift(), lds)
	a := YMM()
	VBROADCASTSD(parameter("more"), a)
	Label("row")
	to, row, n := GP64(), GP64(), param("n")
	MOVQ(dst, to)
	MOVQ(src, row)
	Label("loop")
	for i := range 2 {
		s, d, at := YMM(), YMM(), Mem{Base: to, Disp: 32 * i}
		if from.single() {
			VCVTPS2PD(Mem{Base: row, Disp: 16 * i}, s)
		} else {
			VMOVUPD(Mem{Base: row, Disp: 32 * i}, s)
		}
		if what == "add" {
			VMOVUPD(at, d)
			VFMADD231PD(s, a, d)
		} else {
			VMULPD(s, a, d)
		}
		store(d, at)
	}
	ADDQ(Imm(64), to)
	ADDQ(Imm(uint64(8*from.size)), row)
	repeat(n, "loop")
	ADDQ(ldd, dst)
	ADDQ(lds, src)
	repeat(rows, "row")
	if what == "setStream" {
		SFENCE()
	}
	end()
}

// convert writes the rounding of float64 to float32.
func convert() {
	single.define("narrow", packCall)
	dst, src, n := param("dst"), param("src"), param("n")
	Label("loop")
	move(true, src, dst, false)
	ADDQ(Imm(64), src)
	ADDQ(Imm(32), dst)
	repeat(n, "loop")
	end()
}

// move writes the conversion of eight float64; stream means non-temporal stores.
func move(single bool, src, dst reg.GPVirtual, stream bool) {
	store := func(r, at Op) {
		if stream {
			VMOVNTPS(r, at)
		} else {
			VMOVUPS(r, at)
		}
	}
	for i := range 2 {
		x := YMM()
		if single {
			VCVTPD2PSY(Mem{Base: src, Disp: 32 * i}, x.AsX())
			store(x.AsX(), Mem{Base: dst, Disp: 16 * i})
		} else {
			VMOVUPD(Mem{Base: src, Disp: 32 * i}, x)
			store(x, Mem{Base: dst, Disp: 32 * i})
		}
	}
}

// spread writes the conversion of rows of a matrix to rows of groups of columns.
func spread(name string, to isa) {
	stream := name == "spreadStream"
	to.define(name, packCall)
	dst, stride, src, lds, rows := param("dst"), param("ldd"), param("src"), param("lds"), param("rows")
	SHLQ(to.shift(), stride)
	SHLQ(Imm(3), lds)
	Label("row")
	group, from, groups := GP64(), GP64(), param("more")
	MOVQ(dst, group)
	MOVQ(src, from)
	Label("group")
	at, n := GP64(), param("n")
	MOVQ(group, at)
	Label("loop")
	move(to.single(), from, at, stream)
	ADDQ(Imm(64), from)
	ADDQ(Imm(uint64(8*to.size)), at)
	repeat(n, "loop")
	ADDQ(stride, group)
	repeat(groups, "group")
	ADDQ(lds, src)
	n = param("n")
	SHLQ(shiftOf(8*to.size), n)
	ADDQ(n, dst)
	repeat(rows, "row")
	if stream {
		SFENCE()
	}
	end()
}

// strips writes the cutting of a panel into strips.
func strips(s isa) {
	s.define("strips", packCall)
	dst, stride, src, n := param("dst"), param("ldd"), param("src"), param("n")
	SHLQ(s.shift(), stride)
	to := rowsAt(dst, stride, panelColumns/stripColumns)
	Label("loop")
	for p, at := range to {
		for i := 0; i < stripColumns*s.size; i += 32 {
			x := YMM()
			VMOVUPS(Mem{Base: src, Disp: p*stripColumns*s.size + i}, x)
			VMOVUPS(x, Mem{Base: at, Disp: i})
		}
	}
	ADDQ(U32(uint32(panelColumns*s.size)), src)
	for _, at := range to {
		ADDQ(Imm(uint64(stripColumns*s.size)), at)
	}
	repeat(n, "loop")
	end()
}
