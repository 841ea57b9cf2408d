package main

import (
	"fmt"
	"slices"
	"strings"
)

// tileHeight is MR of the largest NEON micro-kernel. With three vectors of columns, 24 accumulators, a row of b and a column
// of a take 29 registers in float32 and 31 in float64.
const tileHeight = 8

// tiles writes the micro-kernels and the measurement of the peak.
func (f *file) tiles() {
	for op := range ops {
		for m := range tileHeight + 1 {
			for v := range vectors + 1 {
				if f.s.has(op, m, v) {
					f.tile(ops[op], m, v)
				}
			}
		}
	}
	f.peak()
}

// neonTables returns the Go source of the tables of functions, as tileTables does for AVX code.
func neonTables() []byte {
	var b strings.Builder
	b.WriteString(neonHeader + "package simd\n")
	for _, s := range neons {
		s.tileTable(&b, tileHeight)
		s.rowTable(&b, slices.Repeat([]int{rowHeight}, rowVectors))
		s.kernelTable(&b, tileHeight, peakChains, "")
	}
	return formatted(b.String())
}

// tile writes the micro-kernel of m rows and v vectors, with the order and the roundings of the AVX code.
func (f *file) tile(op string, m, v int) {
	s := f.s
	f.begin(s.tileName(op, m, v),
		fmt.Sprintf("sets n tiles of %d×%d, below each other, to c_ij = %s, l < k; add continues those in c.\n", m, v*s.lanes(), formulas[op])+
			fmt.Sprintf("Meanwhile %d elements from next on are fetched into the second-level cache, for each l of each tile.", m),
		"n int", "k int", "a *T", "lda int", "b *T", "ldb int", "c *T", "ldc int", "add int", "next *T")
	n, terms, a, lda, b, ldb := f.param("n"), f.param("k"), f.param("a"), f.param("lda"), f.param("b"), f.param("ldb")
	c, ldc, add, next := f.param("c"), f.param("ldc"), f.param("add"), f.param("next")
	for _, r := range []greg{lda, ldb, ldc} {
		f.emit("LSL $%d, %s, %[2]s", s.shift(), r)
	}
	k, left, right, at := f.gp(), f.gp(), f.gp(), f.gp()
	acc := make([][]vreg, m)
	for i := range acc {
		acc[i] = f.group(v)
	}
	f.label("tile")
	f.empty(op, acc, k)
	f.emit("CBZ %s, start", add)
	f.walk(acc, c, ldc, at, f.loads)
	f.label("start")
	f.emit("MOVD %s, %s", terms, k)
	f.emit("MOVD %s, %s", a, left)
	f.emit("MOVD %s, %s", b, right)
	row, column := f.group(v), f.group((m+s.lanes()-1)/s.lanes())
	f.label("loop")
	f.emit("PRFM (%s), PLDL2KEEP", next)
	f.emit("ADD $%d, %s, %[2]s", m*s.size, next)
	f.loads(right, 0, row)
	f.column(left, column, m)
	f.emit("ADD %s, %s, %[2]s", lda, left)
	f.emit("ADD %s, %s, %[2]s", ldb, right)
	f.terms(op, acc, row, column)
	f.next(k, "loop")
	f.walk(acc, c, ldc, at, f.stores)
	f.emit("ADD %s, %s, %s", ldc, at, c)
	f.emit("ADD $%d, %s, %[2]s", m*s.size, a)
	f.next(n, "tile")
	f.end()
}

// empty sets the accumulators to the empty sum or product.
func (f *file) empty(op string, acc [][]vreg, scratch greg) {
	if op == "product" {
		f.emit("MOVD $%#x, %s", f.s.floatBits(1), scratch)
	}
	for _, row := range acc {
		for _, r := range row {
			if op == "product" {
				f.emit("VDUP %s, V%d.%s", scratch, r, f.s.arrangement())
			} else {
				f.do("zero", r)
			}
		}
	}
}

// walk calls a function with each row of accumulators and its address in c, and leaves the address of the last row in at.
func (f *file) walk(acc [][]vreg, c, ldc, at greg, visit func(greg, int, []vreg)) {
	f.emit("MOVD %s, %s", c, at)
	for i, row := range acc {
		visit(at, 0, row)
		if i+1 < len(acc) {
			f.emit("ADD %s, %s, %[2]s", ldc, at)
		}
	}
}

// column loads m elements, and no more, into as few registers as hold them. Three elements of float32 left over take two
// loads.
func (f *file) column(from greg, r []vreg, m int) {
	whole := m / f.s.lanes()
	f.loads(from, 0, r[:whole])
	disp := whole * neonBytes
	switch rest := m % f.s.lanes(); {
	case rest == 0:
	case rest*f.s.size == 8:
		f.emit("FMOVD %d(%s), F%d", disp, from, r[whole])
	case rest == 1:
		f.emit("FMOVS %d(%s), F%d", disp, from, r[whole])
	default:
		f.emit("FMOVD %d(%s), F%d", disp, from, r[whole])
		f.emit("ADD $%d, %s, R26", disp+8, from)
		f.emit("VLD1 (R26), V%d.S[2]", r[whole])
	}
}

// terms adds, or multiplies, one term to each accumulator.
func (f *file) terms(op string, acc [][]vreg, row, column []vreg) {
	var a vreg
	var d []vreg
	if op != "dot" {
		a, d = f.reg(), f.group(len(row))
	}
	for i := range acc {
		r, lane := column[i/f.s.lanes()], i%f.s.lanes()
		if op == "dot" {
			for j := range row {
				f.word(encodeElement(f.s.size, acc[i][j], row[j], r, lane))
			}
			continue
		}
		f.emit("VDUP V%d.%s[%d], V%d.%s", r, f.s.element(), lane, a, f.s.arrangement())
		switch op {
		case "square":
			f.do("fsub", d, row, a)
			f.do("fmla", acc[i], d, d)
		case "abs":
			f.do("fabd", d, row, a)
			f.do("fadd", acc[i], acc[i], d)
		case "product":
			f.do("fsub", d, row, a)
			f.do("fmul", d, d, d)
			f.do("fmla", acc[i], d, acc[i])
		}
	}
}

// peakChains is the number of independent sums that keep four pipelines busy for the four cycles of an addition, with some to
// spare.
const peakChains = 24

// peak writes n rounds of independent fused multiply-adds on registers, of zeros.
func (f *file) peak() {
	f.begin("peak"+f.s.name, fmt.Sprintf("performs n rounds of %d fused multiply-adds of %d elements.", peakChains, f.s.lanes()), "n int")
	n, zero, acc := f.param("n"), f.reg(), f.group(peakChains)
	f.do("zero", zero)
	f.do("zero", acc)
	f.label("loop")
	f.do("fmla", acc, zero, zero)
	f.next(n, "loop")
	f.end()
}
