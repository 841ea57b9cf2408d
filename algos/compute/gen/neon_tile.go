package main

// tileHeight is MR of the largest NEON micro-kernel. With three vectors of columns, 24 accumulators, a row of b and a column
// of a take 29 registers in float32 and 31 in float64.
const tileHeight = 8

// tile writes the micro-kernel of m rows and v vectors, with the order and the roundings of the AVX code.
func (f *file) tile(op string, m, v int) {
	s := f.s
	f.begin(s.tileName(op, m, v), tileCall)
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

// neonGroup is the number of vectors of columns that sums over a panel take at a time.
const neonGroup = 6

// columns writes a loop over groups of columns of b and c around body, which computes the sums.
func (f *file) columns(b, c greg, body func() []vreg) {
	count := f.gp()
	f.emit("MOVD $%d, %s", panelColumns/f.s.lanes()/neonGroup, count)
	f.label("columns")
	f.stores(c, 0, body())
	f.emit("ADD $%d, %s, %[2]s", neonGroup*neonBytes, b)
	f.emit("ADD $%d, %s, %[2]s", neonGroup*neonBytes, c)
	f.next(count, "columns")
}

// weigh flushes subnormal numbers to zero, as the AVX code does.
func (f *file) weigh() {
	const chains, flushToZero = 4, 24
	s := f.s
	f.define("weigh", sumCall)
	k, a, b, ldb, c := f.param("n"), f.param("a"), f.param("b"), f.param("ld"), f.param("c")
	left, weights, from, saved, flushing := f.gp(), f.gp(), f.gp(), f.gp(), f.gp()
	f.emit("MRS FPCR, %s", saved)
	f.emit("ORR $%#x, %s, %s", 1<<flushToZero, saved, flushing)
	f.emit("MSR %s, FPCR", flushing)
	f.emit("LSL $%d, %s, %[2]s", s.shift(), ldb)
	f.columns(b, c, func() []vreg {
		acc := make([][]vreg, chains)
		for i := range acc {
			acc[i] = f.group(neonGroup)
			f.do("zero", acc[i])
		}
		weight, row := f.group(chains/s.lanes()), f.group(neonGroup)
		f.emit("MOVD %s, %s", k, left)
		f.emit("MOVD %s, %s", a, weights)
		f.emit("MOVD %s, %s", b, from)
		f.label("loop")
		f.loads(weights, 0, weight)
		f.emit("ADD $%d, %s, %[2]s", chains*s.size, weights)
		for i := range acc {
			f.loads(from, 0, row)
			for j, r := range acc[i] {
				f.word(encodeElement(s.size, r, row[j], weight[i/s.lanes()], i%s.lanes()))
			}
			f.emit("ADD %s, %s, %[2]s", ldb, from)
		}
		f.next(left, "loop")
		f.do("fadd", acc[0], acc[0], acc[1])
		f.do("fadd", acc[2], acc[2], acc[3])
		f.do("fadd", acc[0], acc[0], acc[2])
		return acc[0]
	})
	f.emit("MSR %s, FPCR", saved)
	f.end()
}

func (f *file) squares() {
	f.define("squares", sumCall)
	k, b, ldb, c := f.param("n"), f.param("b"), f.param("ld"), f.param("c")
	left, from := f.gp(), f.gp()
	f.emit("LSL $%d, %s, %[2]s", f.s.shift(), ldb)
	f.columns(b, c, func() []vreg {
		sum, row := f.group(neonGroup), f.group(neonGroup)
		f.do("zero", sum)
		f.emit("MOVD %s, %s", k, left)
		f.emit("MOVD %s, %s", b, from)
		f.label("loop")
		f.loads(from, 0, row)
		f.do("fmla", sum, row, row)
		f.emit("ADD %s, %s, %[2]s", ldb, from)
		f.next(left, "loop")
		return sum
	})
	f.end()
}

// accumulate writes the sum of panel rows in float64.
func (f *file) accumulate() {
	of := f.s
	f.define("accumulate", sumCall)
	defer func() { f.s = of }()
	n, acc, x := f.param("n"), f.param("c"), f.param("a")
	f.emit("MOVD $%d, R25", panelColumns/8)
	f.emit("MUL R25, %s, %[1]s", n) // rounds of eight values
	in, sum := f.group(4), f.group(4)
	f.label("loop")
	f.loads(acc, 0, sum)
	if of.size == 4 {
		narrow := f.group(2)
		f.loads(x, 0, narrow)
		for i := range in {
			f.do([]string{"fcvtl", "fcvtl2"}[i%2], in[i], narrow[i/2])
		}
	} else {
		f.loads(x, 0, in)
	}
	f.s = neons[1]
	f.do("fadd", sum, in, sum)
	f.stores(acc, 0, sum)
	f.emit("ADD $%d, %s, %[2]s", 8*of.size, x)
	f.emit("ADD $64, %s, %[1]s", acc)
	f.next(n, "loop")
	f.end()
}

// rowHeight and rowVectors are the most rows and vectors of RowDots: they have 24 registers of sums.
const rowHeight, rowVectors = 2, 3

// rowDots writes the inner products of RowDots.
func (f *file) rowDots() {
	for m := 1; m <= rowHeight; m++ {
		for c := 1; c <= rowVectors; c++ {
			f.rows(m, c)
		}
	}
}

// rows writes the inner products, in float64, of m rows of a matrix with c vectors: each as eight interleaved sums, which
// are added in the order that simd.RowDots states.
func (f *file) rows(m, c int) {
	of, s := f.s, neons[1]
	f.begin(of.rowName(m, c), rowCall)
	defer func() { f.s = of }()
	f.s = s
	n, a, second, b, ldb := f.param("n"), f.param("a"), f.param("r1"), f.param("b"), f.param("ldb")
	fetched := []greg{f.param("f0"), f.param("f1")}
	sums, more, out, ldo := f.param("sums"), f.param("more"), f.param("out"), f.param("ldo")
	for _, r := range append(fetched, second) {
		f.emit("LSL $%d, %s, %[2]s", of.shift(), r)
		f.emit("ADD %s, %s, %[2]s", a, r)
	}
	f.emit("LSL $3, %s, %[1]s", ldb)
	f.emit("LSL $3, %s, %[1]s", ldo)
	acc := f.rowSums(m*c, sums, more)
	f.rowLoop(of, []greg{a, second}[:m], fetched[:m], b, ldb, n, acc)
	f.emit("CBNZ %s, end", out)
	for i, sum := range acc {
		f.stores(sums, 64*i, sum)
	}
	f.emit("RET")
	f.label("end")
	for i, sum := range acc {
		f.do("fadd", sum[0], sum[0], sum[2])
		f.do("fadd", sum[1], sum[1], sum[3])
		f.do("fadd", sum[0], sum[0], sum[1])
		f.do("faddp", sum[0], sum[0])
		f.emit("FMOVD F%d, %d(%s)", sum[0], 8*(i%c), out)
		if i%c == c-1 {
			f.emit("ADD %s, %s, %[2]s", ldo, out)
		}
	}
	f.end()
}

// rowSums returns the registers of n times eight sums, zero or continued.
func (f *file) rowSums(n int, sums, more greg) [][]vreg {
	acc := make([][]vreg, n)
	for i := range acc {
		acc[i] = f.group(4)
		f.do("zero", acc[i])
	}
	f.emit("CBZ %s, loop", more)
	for i, sum := range acc {
		f.loads(sums, 64*i, sum)
	}
	return acc
}

// rowLoop adds eight terms a round, two of every sum at a time.
func (f *file) rowLoop(of isa, rows, fetched []greg, b, ldb, n greg, acc [][]vreg) {
	c := len(acc) / len(rows)
	left, right := f.group(len(rows)), f.reg()
	f.label("loop")
	for _, at := range fetched {
		f.emit("PRFM (%s), PLDL1KEEP", at)
		f.emit("ADD $%d, %s, %[2]s", 8*of.size, at)
	}
	for h := range 4 {
		for i, at := range rows {
			if of.size == 4 {
				f.emit("FMOVD %d(%s), F%d", 8*h, at, left[i])
				f.do("fcvtl", left[i], left[i])
			} else {
				f.emit("FMOVQ %d(%s), F%d", 16*h, at, left[i])
			}
		}
		for q := range c {
			f.emit("FMOVQ %d(%s), F%d", 64*q+16*h, b, right)
			for i := range rows {
				f.do("fmla", acc[i*c+q][h], left[i], right)
			}
		}
	}
	for _, at := range rows {
		f.emit("ADD $%d, %s, %[2]s", 8*of.size, at)
	}
	f.emit("ADD %s, %s, %[2]s", ldb, b)
	f.next(n, "loop")
}
