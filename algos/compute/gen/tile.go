package main

import (
	"fmt"
	"slices"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"repro/algos/compute/internal/simd"
)

// tiles writes the micro-kernels of every MR×NR up to the largest, whose accumulators, row of b and broadcasts of a fill the
// registers.
func tiles() {
	for _, s := range isas {
		s.shapes(s.rows(), func(op string, m, v int) { tile(s, op, m, v) })
		for _, f := range forms {
			for _, v := range []int{vectors, 1} {
				panelTile(s, f, v)
			}
		}
		weigh(s)
		squares(s)
		accumulate(s)
		for v, most := range s.rowHeights() {
			for m := range most {
				rows(s, m+1, v+1)
			}
		}
	}
}

const vectors = 3 // NR of the largest micro-kernel, in vectors

var ops = []string{"dot", "square", "abs", "product"}

// rows is MR of the largest micro-kernel.
func (s isa) rows() int {
	if s.wide() {
		return 8
	}
	return 4
}

// shapes calls write for the micro-kernels of at most so many rows m and of v vectors. Differences need registers for their terms.
// They have only powers of two of rows, because they are used only for few inputs.
func (s isa) shapes(rows int, write func(op string, m, v int)) {
	for _, op := range ops {
		for m := 1; m <= rows; m++ {
			for v := 1; v <= vectors; v++ {
				if op == "dot" || m&(m-1) == 0 && v < vectors {
					write(op, m, v)
				}
			}
		}
	}
}

// tileName is the symbol of a micro-kernel, which it notes for the table.
func (s isa) tileName(op string, m, v int) string {
	symbol := fmt.Sprintf("%s%s_%dx%d", op, s.name, m, v)
	s.place(simd.TileAt(simd.Op(slices.Index(ops, op)), m, v), symbol)
	return symbol
}

// tile writes the sums, or product, over l of a term of a_li and b_lj for m rows and v vectors of columns,
// each entry in the order of l, with one rounding for an addition and the product it adds.
func tile(s isa, op string, m, v int) {
	define(s.tileName(op, m, v), tileCall)
	n, a, lda, b, ldb, c, ldc := param("n"), param("a"), param("lda"), param("b"), param("ldb"), param("c"), param("ldc")
	for _, r := range []reg.GPVirtual{lda, ldb, ldc} {
		SHLQ(s.shift(), r)
	}
	ahead := param("next")
	Label("tile")
	empty := s.zero
	if op == "product" {
		empty = func(r Op) { s.mov(units.value(s, 1), r) }
	}
	acc := s.filled(m, v, empty)
	row, add := s.group(v), param("add")
	TESTQ(add, add)
	JE(LabelRef("start"))
	walk(s, acc, c, ldc, func(at Mem, r reg.VecVirtual) { s.mov(at, r) })
	Label("start")
	k, left, right := param("k"), copied(a), copied(b)
	term := func() {
		PREFETCHT1(Mem{Base: ahead})
		ADDQ(Imm(uint64(m*s.size)), ahead)
		for j := range row {
			s.mov(Mem{Base: right, Disp: j * s.bytes}, row[j])
		}
		for i := range m {
			t := s.reg()
			s.broadcast(Mem{Base: left, Disp: i * s.size}, t)
			for j := range row {
				s.term(op, t, row[j], acc[i][j])
			}
		}
		ADDQ(lda, left)
		ADDQ(ldb, right)
	}
	// If there are few terms, the loop has few rounds, which branch prediction learns.
	if op == "dot" && v == vectors {
		SUBQ(Imm(unrolled), k)
		JL(LabelRef("few"))
		Label("many")
		for range unrolled {
			term()
		}
		SUBQ(Imm(unrolled), k)
		JGE(LabelRef("many"))
		Label("few")
		ADDQ(Imm(unrolled), k)
		JE(LabelRef("store"))
	}
	Label("loop")
	term()
	repeat(k, "loop")
	Label("store")
	last := walk(s, acc, c, ldc, func(at Mem, r reg.VecVirtual) { s.mov(r, at) })
	LEAQ(Mem{Base: last, Index: ldc, Scale: 1}, c)
	ADDQ(U32(uint32(m*s.size)), a)
	repeat(n, "tile")
	end()
}

// unrolled is the number of terms per round in the largest micro-kernels of inner products.
const unrolled = 4

// term adds, or multiplies, one term to an accumulator.
func (s isa) term(op string, a, b, acc reg.VecVirtual) {
	if op == "dot" {
		s.fma231(b, a, acc)
		return
	}
	d := s.reg()
	s.sub(a, b, d)
	switch op {
	case "square":
		s.fma231(d, d, acc)
	case "abs":
		s.and(magnitude(s), d, d)
		s.add(d, acc, acc)
	case "product":
		s.mul(d, d, d)
		s.fma213(acc, d, acc)
	}
}

// walk calls a function with each accumulator and its address in c, and returns the address of the last row.
func walk(s isa, acc []group, c, ldc reg.GPVirtual, visit func(Mem, reg.VecVirtual)) reg.GPVirtual {
	at := copied(c)
	for i := range acc {
		for j, r := range acc[i] {
			visit(Mem{Base: at, Disp: j * s.bytes}, r)
		}
		if i+1 < len(acc) {
			ADDQ(ldc, at)
		}
	}
	return at
}

var magnitudes, units = newConstants("magnitude"), newConstants("unit")

// magnitude is the mask that clears signs.
func magnitude(s isa) Mem {
	if s.single() {
		return magnitudes.bits(s, 0x7fffffff)
	}
	return magnitudes.bits(s, 0x7fffffffffffffff)
}

// flush makes subnormal operands and results count as 0, and returns what undoes it. Some processors take a hundred times as
// long for an operation on a subnormal number.
func flush() (restore func()) {
	const flushToZero, denormalsAreZeros = 1 << 15, 1 << 6
	control, flags := AllocLocal(8), GP32()
	STMXCSR(control)
	MOVL(control, flags)
	ORL(U32(flushToZero|denormalsAreZeros), flags)
	MOVL(flags, control.Offset(4))
	LDMXCSR(control.Offset(4))
	return func() { LDMXCSR(control) }
}

// weigh writes the sum over the rows of a panel of 48 columns that is weighted by one column, for which a micro-kernel has too few
// independent sums to fill the pipeline. If rows are further apart than 48 columns, they are rows of a matrix in memory, whose next 48
// columns are prefetched.
func weigh(s isa) {
	s.define("weigh", sumCall)
	ldb := param("ld")
	restore := flush()
	SHLQ(s.shift(), ldb)
	CMPQ(ldb, U32(uint32(panelColumns*s.size)))
	JNE(LabelRef("apart"))
	weighColumns(s, ldb, "", false)
	restore()
	end()
	Label("apart")
	weighColumns(s, ldb, "Apart", true)
	restore()
	end()
}

// weighColumns writes the loops of weigh over groups of columns and over rows.
func weighColumns(s isa, ldb reg.GPVirtual, suffix string, ahead bool) {
	const chains = 4
	k, a, b, c := param("n"), param("a"), param("b"), param("c")
	group := min(3, panelColumns/s.lanes()) // vectors at a time
	if !s.wide() {
		group = 2
	}
	s.columns(suffix, group, b, c, func() func(int) reg.VecVirtual {
		left, from, weights := copied(k), GP64(), copied(a)
		MOVQ(b, from)
		acc := s.zeros(chains, group)
		Label("loop" + suffix)
		for i := range acc {
			if ahead {
				for at := 0; at < group*s.bytes; at += 64 {
					PREFETCHT1(Mem{Base: from, Disp: panelColumns*s.size + at})
				}
			}
			t := s.reg()
			s.broadcast(Mem{Base: weights, Disp: i * s.size}, t)
			for j, r := range acc[i] {
				s.fma231(Mem{Base: from, Disp: j * s.bytes}, t, r)
			}
			ADDQ(ldb, from)
		}
		ADDQ(U32(uint32(chains*s.size)), weights)
		repeat(left, "loop"+suffix)
		return s.inPairs(acc)
	})
}

// inPairs returns the function that adds up register j of four groups of sums.
func (s isa) inPairs(acc []group) func(j int) reg.VecVirtual {
	return func(j int) reg.VecVirtual {
		s.add(acc[1][j], acc[0][j], acc[0][j])
		s.add(acc[3][j], acc[2][j], acc[2][j])
		s.add(acc[2][j], acc[0][j], acc[0][j])
		return acc[0][j]
	}
}

// columns writes a loop over groups of vectors of columns of the panel b, whose sums it stores at c. body computes
// them and returns the function that ends the sum of vector j.
func (s isa) columns(suffix string, vectors int, b, c reg.GPVirtual, body func() (sum func(j int) reg.VecVirtual)) {
	count := copied(U32(uint32(panelColumns / s.lanes() / vectors)))
	Label("columns" + suffix)
	sum := body()
	for j := range vectors {
		s.mov(sum(j), Mem{Base: c, Disp: j * s.bytes})
	}
	ADDQ(U32(uint32(vectors*s.bytes)), b)
	ADDQ(U32(uint32(vectors*s.bytes)), c)
	repeat(count, "columns"+suffix)
}

// squares writes the sum of squares over the rows of such a panel.
func squares(s isa) {
	s.define("squares", sumCall)
	k, b, ldb, c := param("n"), param("b"), param("ld"), param("c")
	SHLQ(s.shift(), ldb)
	group := min(panelColumns/s.lanes(), 6)
	s.columns("", group, b, c, func() func(int) reg.VecVirtual {
		left, from := copied(k), copied(b)
		sum := s.zeros(1, group)[0]
		Label("loop")
		for j := range sum {
			t := s.reg()
			s.mov(Mem{Base: from, Disp: j * s.bytes}, t)
			s.fma231(t, t, sum[j])
		}
		ADDQ(ldb, from)
		repeat(left, "loop")
		return func(j int) reg.VecVirtual { return sum[j] }
	})
	end()
}

// accumulate writes the sum of panel rows in float64.
func accumulate(s isa) {
	s.define("accumulate", sumCall)
	n, acc, x := param("n"), param("c"), param("a")
	Label("loop")
	for j := range panelColumns * 8 / s.bytes {
		sum := s.reg()
		if s.single() {
			VCVTPS2PD(Mem{Base: x, Disp: j * s.bytes / 2}, sum)
		} else {
			VMOVUPD(Mem{Base: x, Disp: j * s.bytes}, sum)
		}
		VADDPD(Mem{Base: acc, Disp: j * s.bytes}, sum, sum)
		VMOVUPD(sum, Mem{Base: acc, Disp: j * s.bytes})
	}
	ADDQ(U32(uint32(panelColumns*s.size)), x)
	ADDQ(U32(panelColumns*8), acc)
	repeat(n, "loop")
	end()
}
