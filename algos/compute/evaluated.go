package compute

// evaluated is the operator Φ of an Evaluator. It evaluates Φ in parts and multiplies each part with Gemm.
type evaluated struct {
	e      *Engine
	f      Evaluator
	x      Matrix
	blocks Range
}

func (o *evaluated) Dims() (r, c int) { return o.x.Rows, (o.blocks.Hi - o.blocks.Lo) * o.f.Width() }

func (o *evaluated) Select(rows []int) Operator {
	s := *o
	s.x = o.x.Select(rows)
	return &s
}

func (o *evaluated) MulTo(dst, v Matrix) {
	r, c := o.Dims()
	mustShape("MulTo", dst, r, v.Cols)
	mustShape("MulTo", v, c, v.Cols)
	dst.Zero()
	o.parts(func(phi Matrix, row, col int) {
		o.e.Gemm(dst.RowRange(row, row+phi.Rows), 1, phi, false, v.RowRange(col, col+phi.Cols), false, 1)
	})
	o.count(v.Cols)
}

func (o *evaluated) MulTransTo(dst, v Matrix) {
	r, c := o.Dims()
	mustShape("MulTransTo", dst, c, v.Cols)
	mustShape("MulTransTo", v, r, v.Cols)
	dst.Zero()
	o.parts(func(phi Matrix, row, col int) {
		o.e.Gemm(dst.RowRange(col, col+phi.Cols), 1, phi, true, v.RowRange(row, row+phi.Rows), false, 1)
	})
	o.count(v.Cols)
}

func (o *evaluated) matrix() Matrix {
	r, c := o.Dims()
	phi := o.e.Unset(r, c)
	o.fill(phi, 0, o.blocks)
	o.count(0)
	return phi
}

// partRows is the largest number of rows of a part of Φ, evaluateRows that of one call of Evaluate.
const partRows, evaluateRows = 1024, 128

// parts calls visit for parts of Φ of a few megabytes: phi holds the part whose first entry is (row, col). Products
// during visit do not change the counters. The partition determines the bits of results; it depends only on the shape
// of Φ.
func (o *evaluated) parts(visit func(phi Matrix, row, col int)) {
	w := o.f.Width()
	rows := min(max(evaluateRows, panelBytes/(8*w)), partRows)
	group := max(1, panelBytes/(8*w*rows))
	space := o.e.Unset(min(rows, o.x.Rows), w*min(group, o.blocks.Hi-o.blocks.Lo))
	defer o.e.Reuse(space)
	before := o.e.counters
	for lo := o.blocks.Lo; lo < o.blocks.Hi; lo += group {
		hi := min(lo+group, o.blocks.Hi)
		for row := 0; row < o.x.Rows; row += rows {
			phi := space.RowRange(0, min(rows, o.x.Rows-row)).ColRange(0, w*(hi-lo))
			o.fill(phi, row, Range{lo, hi})
			visit(phi, row, w*(lo-o.blocks.Lo))
		}
	}
	o.e.counters = before
}

// fill sets phi to the features of the blocks at phi.Rows rows of x, the first of them row.
func (o *evaluated) fill(phi Matrix, row int, blocks Range) {
	w := o.f.Width()
	slices := (phi.Rows + evaluateRows - 1) / evaluateRows
	o.e.parallel(slices*(blocks.Hi-blocks.Lo), 8*phi.Rows*phi.Cols*(1+o.x.Cols), func(job int) {
		at, i := job%slices*evaluateRows, job/slices
		end := min(at+evaluateRows, phi.Rows)
		o.f.Evaluate(blocks.Lo+i, o.x.RowRange(row+at, row+end), phi.RowRange(at, end).ColRange(i*w, (i+1)*w))
	})
}

func (o *evaluated) count(k int) {
	r, c := o.Dims()
	n, m, d := int64(r), int64(c), int64(o.x.Cols)
	o.e.counters.FeatureEvals += n * m
	o.e.counters.Flops += 2 * n * m * (d + int64(k))
	o.e.counters.Bytes += 8 * (n*(d+int64(k)) + m*int64(k))
}
