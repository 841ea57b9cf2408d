package compute

// Kernel returns K with entry (i, j) = k(row i of x, row j of z), computed in tiles when applied.
func (e *Engine) Kernel(k KernelFunc, x, z Matrix) Operator {
	if x.Cols != z.Cols && x.Rows > 0 && z.Rows > 0 {
		panic("compute: Kernel: points of different dimensions")
	}
	return &kernel{e, k, x, z}
}

type kernel struct {
	e    *Engine
	k    KernelFunc
	x, z Matrix
}

func (o *kernel) Dims() (r, c int) { return o.x.Rows, o.z.Rows }

// directDims is the largest dimension at which squared distances are summed from differences; beyond
// it they come from ‖x‖² + ‖z‖² - 2x·z, whose absolute error is about 1e-16·(‖x‖² + ‖z‖²).
const directDims = 16

// A panel is a group of centres, transposed so that rows of a product run over contiguous memory.
type panel struct {
	zt   Matrix // inputs × centres
	norm []float64
}

func newPanel(z Matrix) panel {
	p := panel{zt: NewMatrix(z.Cols, z.Rows), norm: make([]float64, z.Rows)}
	for j := range z.Rows {
		for l, v := range z.Row(j) {
			p.zt.Data[l*p.zt.Stride+j] = v
			p.norm[j] += v * v
		}
	}
	return p
}

// fill sets out (rows of x × centres) to kernel values.
func (o *kernel) fill(out, x Matrix, p panel) {
	if x.Cols <= directDims {
		for i := range x.Rows {
			distances(out.Row(i), p.zt, x.Row(i))
		}
	} else {
		twice := x.Clone()
		twice.Scale(-2)
		affineRows(out, twice, p.norm, p.zt)
		for i := range x.Rows {
			norm := dot(x.Row(i), x.Row(i))
			row := out.Row(i)
			for j, v := range row {
				row[j] = max(v+norm, 0) // rounding may leave it below zero
			}
		}
	}
	for i := range out.Rows {
		o.k.Apply(out.Row(i))
	}
}

func (o *kernel) MulTo(dst, v Matrix) {
	mustShape("MulTo", dst, o.x.Rows, v.Cols)
	mustShape("MulTo", v, o.z.Rows, v.Cols)
	o.e.mulKernel(o, dst, v)
}

// MulTransTo uses that k is symmetric: K(x, z)ᵀ = K(z, x).
func (o *kernel) MulTransTo(dst, v Matrix) {
	mustShape("MulTransTo", dst, o.z.Rows, v.Cols)
	mustShape("MulTransTo", v, o.x.Rows, v.Cols)
	o.e.mulKernel(&kernel{o.e, o.k, o.z, o.x}, dst, v)
}

func (e *Engine) mulKernel(o *kernel, dst, v Matrix) {
	dst.Zero()
	per := max(1, panelBytes/(8*tileCols*(o.x.Cols+1))) * tileCols
	for lo := 0; lo < o.z.Rows; lo += per {
		hi := min(lo+per, o.z.Rows)
		panels := make([]panel, tiles(hi-lo, tileCols))
		e.parallel(len(panels), func(t int) {
			panels[t] = newPanel(o.z.RowRange(lo+t*tileCols, min(lo+(t+1)*tileCols, hi)))
		})
		e.parallel(tiles(o.x.Rows, tileRows), func(t int) {
			i0, i1 := t*tileRows, min((t+1)*tileRows, o.x.Rows)
			buf := make([]float64, (i1-i0)*min(hi-lo, tileCols))
			for k, p := range panels {
				c := len(p.norm)
				z := Matrix{Rows: i1 - i0, Cols: c, Stride: c, Data: buf[:(i1-i0)*c]}
				o.fill(z, o.x.RowRange(i0, i1), p)
				at := lo + k*tileCols
				accumulate(dst.RowRange(i0, i1), z, v.RowRange(at, at+c))
			}
		})
	}
	e.countKernel(o.x.Rows, o.z.Rows, o.x.Cols, v.Cols)
}

func (e *Engine) countKernel(r, c, in, k int) {
	n, m, d, q := int64(r), int64(c), int64(in), int64(k)
	e.counters.KernelEvals += n * m
	e.counters.Flops += 2 * n * m * (d + q)
	e.counters.Bytes += 8 * (n*(d+q) + m*(d+q))
}

// KernelMatrix returns K(x, z), materialised: 8·rows(x)·rows(z) bytes.
func (e *Engine) KernelMatrix(k KernelFunc, x, z Matrix) Matrix {
	o := e.Kernel(k, x, z).(*kernel)
	out := NewMatrix(x.Rows, z.Rows)
	e.parallel(tiles(z.Rows, tileCols), func(t int) {
		j0, j1 := t*tileCols, min((t+1)*tileCols, z.Rows)
		o.fill(out.ColRange(j0, j1), x, newPanel(z.RowRange(j0, j1)))
	})
	e.countKernel(x.Rows, z.Rows, x.Cols, 0)
	return out
}
