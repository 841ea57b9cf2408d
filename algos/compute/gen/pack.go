package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

func init() { parts["pack"] = packs }

// packs writes the conversions between float64 matrices and panels. They move memory, so that AVX2
// serves every processor.
func packs() {
	packSingle()
	packDouble()
	for _, from := range []string{"float32", "float64"} {
		scaled("add", from)
		scaled("set", from)
	}
	convert()
	spread("float32")
	spread("float64")
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
	TEXT("packSingle", NOSPLIT, "func(dst *float32, ldd int, src *float64, lds int, mean *float64, n int)")
	Doc("packSingle sets dst[4l+i][j] to src[j][4l+i] - mean[4l+i], for 8 rows j and l < n; rows are ldd and lds elements apart.")
	Pragma("noescape")
	dst, ldd, src, lds, mean, n := param("dst"), param("ldd"), param("src"), param("lds"), param("mean"), param("n")
	SHLQ(Imm(2), ldd)
	SHLQ(Imm(3), lds)
	row := rowsAt(src, lds, 8)
	Label("loop")
	m := YMM()
	VMOVUPD(Mem{Base: mean}, m)
	var q [4]reg.VecVirtual // rows j and j+4, four columns each
	for j := range q {
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
	for _, c := range transposed(q) {
		VMOVUPS(c, Mem{Base: dst})
		ADDQ(ldd, dst)
	}
	for _, r := range row {
		ADDQ(Imm(32), r)
	}
	ADDQ(Imm(32), mean)
	DECQ(n)
	JNE(LabelRef("loop"))
	VZEROUPPER()
	RET()
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

// packDouble is packSingle for four rows and a float64 panel.
func packDouble() {
	TEXT("packDouble", NOSPLIT, "func(dst *float64, ldd int, src *float64, lds int, mean *float64, n int)")
	Doc("packDouble sets dst[4l+i][j] to src[j][4l+i] - mean[4l+i], for 4 rows j and l < n; rows are ldd and lds elements apart.")
	Pragma("noescape")
	mean := param("mean")
	m := YMM()
	transposeFour(func() { VMOVUPD(Mem{Base: mean}, m) }, func(r reg.VecVirtual) { VSUBPD(m, r, r) }, func() { ADDQ(Imm(32), mean) })
}

// transposeDouble writes the transposition of 4 rows of float64.
func transposeDouble() {
	TEXT("transposeDouble", NOSPLIT, "func(dst *float64, ldd int, src *float64, lds int, n int)")
	Doc("transposeDouble sets dst[4l+i][j] to src[j][4l+i], for 4 rows j and l < n; rows are ldd and lds elements apart.")
	Pragma("noescape")
	transposeFour(func() {}, func(reg.VecVirtual) {}, func() {})
}

// transposeFour writes the transposition of 4 rows of float64, each block of which begins with start, has
// each row changed and ends with next.
func transposeFour(start func(), change func(reg.VecVirtual), next func()) {
	dst, ldd, src, lds, n := param("dst"), param("ldd"), param("src"), param("lds"), param("n")
	SHLQ(Imm(3), ldd)
	SHLQ(Imm(3), lds)
	row := rowsAt(src, lds, 4)
	Label("loop")
	start()
	var q, t, c [4]reg.VecVirtual
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
	for _, r := range c {
		VMOVUPD(r, Mem{Base: dst})
		ADDQ(ldd, dst)
	}
	for _, r := range row {
		ADDQ(Imm(32), r)
	}
	next()
	DECQ(n)
	JNE(LabelRef("loop"))
	VZEROUPPER()
	RET()
}

// scaled writes dst (+)= alpha·src for float64 dst.
func scaled(what, from string) {
	single := from == "float32"
	name, doc := what+"Double", "sets dst_i to alpha·src_i"
	if single {
		name = what + "Single"
	}
	if what == "add" {
		doc = "adds alpha·src_i to dst_i, one rounding each"
	}
	TEXT(name, NOSPLIT, "func(dst *float64, src *"+from+", alpha float64, n int)")
	Doc(name + " " + doc + ", for i < 8n.")
	Pragma("noescape")
	dst, src, n := param("dst"), param("src"), param("n")
	a := YMM()
	alpha, err := Param("alpha").Resolve()
	if err != nil {
		panic(err)
	}
	VBROADCASTSD(alpha.Addr, a)
	Label("loop")
	for i := range 2 {
		s, d := YMM(), YMM()
		if single {
			VCVTPS2PD(Mem{Base: src, Disp: 16 * i}, s)
		} else {
			VMOVUPD(Mem{Base: src, Disp: 32 * i}, s)
		}
		if what == "add" {
			VMOVUPD(Mem{Base: dst, Disp: 32 * i}, d)
			VFMADD231PD(s, a, d)
		} else {
			VMULPD(s, a, d)
		}
		VMOVUPD(d, Mem{Base: dst, Disp: 32 * i})
	}
	ADDQ(Imm(64), dst)
	if single {
		ADDQ(Imm(32), src)
	} else {
		ADDQ(Imm(64), src)
	}
	DECQ(n)
	JNE(LabelRef("loop"))
	VZEROUPPER()
	RET()
}

// convert writes the rounding of float64 to float32.
func convert() {
	TEXT("narrow", NOSPLIT, "func(dst *float32, src *float64, n int)")
	Doc("narrow rounds src_i to dst_i for i < 8n.")
	Pragma("noescape")
	dst, src, n := param("dst"), param("src"), param("n")
	Label("loop")
	move(true, src, dst, 8)
	ADDQ(Imm(64), src)
	ADDQ(Imm(32), dst)
	DECQ(n)
	JNE(LabelRef("loop"))
	VZEROUPPER()
	RET()
}

// move writes the conversion of a few float64, a multiple of 4.
func move(single bool, src, dst reg.GPVirtual, count int) {
	for i := range count / 4 {
		if single {
			x := XMM()
			VCVTPD2PSY(Mem{Base: src, Disp: 32 * i}, x)
			VMOVUPS(x, Mem{Base: dst, Disp: 16 * i})
		} else {
			x := YMM()
			VMOVUPD(Mem{Base: src, Disp: 32 * i}, x)
			VMOVUPD(x, Mem{Base: dst, Disp: 32 * i})
		}
	}
}

// spread writes the conversion of a row of a matrix to a row of panels.
func spread(to string) {
	const columns = 48
	single := to == "float32"
	name := "spreadDouble"
	if single {
		name = "spreadSingle"
	}
	TEXT(name, NOSPLIT, "func(dst *"+to+", stride int, src *float64, n int)")
	Doc(fmt.Sprintf("%s sets dst_i+stride·p to src_i+%dp, rounded, for i < %[2]d and p < n.", name, columns))
	Pragma("noescape")
	dst, stride, src, n := param("dst"), param("stride"), param("src"), param("n")
	if single {
		SHLQ(Imm(2), stride)
	} else {
		SHLQ(Imm(3), stride)
	}
	Label("loop")
	move(single, src, dst, columns)
	ADDQ(U32(8*columns), src)
	ADDQ(stride, dst)
	DECQ(n)
	JNE(LabelRef("loop"))
	VZEROUPPER()
	RET()
}

// transposeSingle writes the transposition of 8 rows of float32.
func transposeSingle() {
	TEXT("transposeSingle", NOSPLIT, "func(dst *float32, ldd int, src *float32, lds int, n int)")
	Doc("transposeSingle sets dst[4l+i][j] to src[j][4l+i], for 8 rows j and l < n; rows are ldd and lds elements apart.")
	Pragma("noescape")
	dst, ldd, src, lds, n := param("dst"), param("ldd"), param("src"), param("lds"), param("n")
	SHLQ(Imm(2), ldd)
	SHLQ(Imm(2), lds)
	row := rowsAt(src, lds, 8)
	Label("loop")
	var q [4]reg.VecVirtual
	for j := range q {
		q[j] = YMM()
		VMOVUPS(Mem{Base: row[j]}, q[j].AsX())
		VINSERTF128(Imm(1), Mem{Base: row[j+4]}, q[j], q[j])
	}
	for _, c := range transposed(q) {
		VMOVUPS(c, Mem{Base: dst})
		ADDQ(ldd, dst)
	}
	for _, r := range row {
		ADDQ(Imm(16), r)
	}
	DECQ(n)
	JNE(LabelRef("loop"))
	VZEROUPPER()
	RET()
}
