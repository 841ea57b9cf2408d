//go:build (amd64 || arm64) && !purego

package simd

import "unsafe"

// tables returns the tables of the assembly. Each instruction set has one for float32, one for float64 and, on amd64, one for integers.
func tables() unsafe.Pointer

// The entries of functions in assembly: f is the address of one that takes the other parameters, or some of them.

//go:noescape
func callVector(f uintptr, z unsafe.Pointer, n int, a, b, c uint64, t unsafe.Pointer)

//go:noescape
func callSum(f uintptr, n int, a, b, c unsafe.Pointer, ld, k int)

// callPack calls functions that copy n groups of elements, or rows of them, which are ldd and lds apart. with points to means, if the
// function subtracts them; more is a factor or a number of groups.
//
//go:noescape
func callPack(f uintptr, dst unsafe.Pointer, ldd int, src unsafe.Pointer, lds, n int, with unsafe.Pointer, rows int, more uint64)

// callTile calls a micro-kernel: Tile for a fixed number of rows MR and of vectors, run on n micro-tiles below each other.
// It prefetches n·MR·k elements from next on.
//
//go:noescape
func callTile(f uintptr, n, k int, a unsafe.Pointer, lda int, b unsafe.Pointer, ldb int, c unsafe.Pointer, ldc, add int, next unsafe.Pointer)

// callRow calls a micro-kernel of RowDots for fixed numbers of rows and vectors and 8n terms. The rows begin 0, r1, r2 and r3
// elements after a; it prefetches rows that begin f0 … f3 elements after a into the L2 cache. It continues the sums, eight for each
// result, if more is not 0. It writes results to out or, if out is nil, the sums back.
//
//go:noescape
func callRow(f uintptr, n int, a unsafe.Pointer, r1, r2, r3, f0, f1, f2, f3 int, b unsafe.Pointer, ldb int, sums unsafe.Pointer, more int, out unsafe.Pointer, ldo int)

// callPanel computes n micro-tiles below each other, which cover whole strips. It adds the last row of b if side is 1, that of a if it is 0.
//
//go:noescape
func callPanel(f uintptr, n, k int, a unsafe.Pointer, lda, strip int, b, c, next unsafe.Pointer, side int, s uint64)

// at returns the address of one of Kernels.
func (t *table) at(name string) uintptr { return t[indexOf(name)] }

// assembled returns an instruction set whose vectors have a number of bytes, and whose tables begin with the first.
func assembled(name string, first, bytes int) *instructionSet {
	all := (*[6]table)(tables())
	single, double := &all[first], &all[first+1]
	s := &instructionSet{name: name, single: kernelsIn[float32](single, bytes/4), double: kernelsIn[float64](double, bytes/8)}
	s.narrow = single.at("narrow")
	if f := single.at("philox"); f != 0 {
		s.philox = func(dst *uint32, n int, at *uint32, from int, keys *uint32) {
			callSum(f, n, unsafe.Pointer(at), unsafe.Pointer(keys), unsafe.Pointer(dst), from, 0)
		}
	}
	s.squaredDistances = sumIn(double, "squaredDistances")
	s.brickSymMul, s.brickDots, s.brickAddRows = sumIn(double, "brickSymMul"), sumIn(double, "brickDots"), sumIn(double, "brickAddRows")
	s.brickAddOuter, s.brickSubOuter = outerIn(double, "brickAddOuter"), outerIn(double, "brickSubOuter")
	return s
}

func sumIn(t *table, name string) func(n int, a, b, c *float64) {
	f := t.at(name)
	if f == 0 {
		return nil
	}
	return func(n int, a, b, c *float64) {
		callSum(f, n, unsafe.Pointer(a), unsafe.Pointer(b), unsafe.Pointer(c), 0, 0)
	}
}

func outerIn(t *table, name string) func(n, k int, c, a, b *float64, stride int) {
	f := t.at(name)
	if f == 0 {
		return nil
	}
	return func(n, k int, c, a, b *float64, stride int) {
		callSum(f, n, unsafe.Pointer(a), unsafe.Pointer(b), unsafe.Pointer(c), stride, k)
	}
}

// kernelsIn returns the functions in a table, for vectors of a number of elements (lanes).
func kernelsIn[T Float](t *table, lanes int) kernels[T] {
	k := kernels[T]{
		tiles: t.tiles(lanes), rows: t.rows(),
		pack: t.at("pack"), transpose: t.at("transpose"), strips: t.at("strips"), add: t.at("add"), set: t.at("set"), setStream: t.at("setStream"),
		spread: t.at("spread"), spreadStream: t.at("spreadStream"), accumulate: t.at("accumulate"),
		cos: vectorIn[T](t, "cos"), exp2: vectorIn[T](t, "exp2"), clampBelow: vectorIn[T](t, "clampBelow"), scale: vectorIn[T](t, "scale"),
		log: vectorIn[T](t, "log"), sqrt: vectorIn[T](t, "sqrt"), reciprocal: vectorIn[T](t, "reciprocal"), affine: vectorIn[T](t, "affine"),
		mulPoly: vectorIn[T](t, "mulPoly"),
	}
	k.panels = t.panels(lanes, k.tiles.rows)
	power, weigh, squares := t.at("power"), t.at("weigh"), t.at("squares")
	k.power = func(z *T, n int, exponent uint64, steps int) {
		callVector(power, unsafe.Pointer(z), n, exponent, uint64(steps), 0, nil)
	}
	k.weigh = func(k int, a, b *T, ldb int, c *T) {
		callSum(weigh, k, unsafe.Pointer(a), unsafe.Pointer(b), unsafe.Pointer(c), ldb, 0)
	}
	k.squares = func(k int, b *T, ldb int, c *T) {
		callSum(squares, k, nil, unsafe.Pointer(b), unsafe.Pointer(c), ldb, 0)
	}
	for v, name := range []string{Normal: "normals", Cauchy: "cauchy", Laplace: "laplace"} {
		if f := t.at(name); f != 0 {
			k.variates[v] = func(dst *T, words *uint32, n int, scale *T) {
				callSum(f, n, unsafe.Pointer(words), unsafe.Pointer(scale), unsafe.Pointer(dst), 0, 0)
			}
		}
	}
	return k
}

func vectorIn[T Float](table *table, name string) vectorFunc[T] {
	f := table.at(name)
	return func(z *T, n int, a, b, c T, t *T) {
		callVector(f, unsafe.Pointer(z), n, scalar(a), scalar(b), scalar(c), unsafe.Pointer(t))
	}
}

// tiles returns the micro-kernels of Tile.
func (t *table) tiles(lanes int) *tileSet {
	s := &tileSet{table: (*tileTable)(t[tilesBegin:]), lanes: lanes}
	for s.rows+1 < tileOp/tileRow && t[TileAt(Dot, s.rows+1, 1)] != 0 {
		s.rows++
	}
	return s
}

// panels returns the fused micro-kernels, nil if there are none.
func (t *table) panels(lanes, rows int) *panelSet {
	if t[PanelAt(Exponential, true)] == 0 {
		return nil
	}
	return &panelSet{tiles: (*[4][2]uintptr)(unsafe.Pointer(&t[panelsBegin])), rows: rows, lanes: lanes}
}

// rows returns the micro-kernels of RowDots.
func (t *table) rows() *rowTiles {
	r := &rowTiles{tiles: (*[rowsMost][rowVectorsMost]uintptr)(unsafe.Pointer(&t[rowsBegin]))}
	for v := range rowVectorsMost {
		h := 0
		for h < rowsMost && r.tiles[h][v] != 0 {
			h++
		}
		if h > 0 {
			r.rows = append(r.rows, h)
		}
	}
	return r
}
