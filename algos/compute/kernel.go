package compute

import (
	"math"

	"repro/algos/compute/internal/simd"
)

// Kernel returns the x.Rows × z.Rows operator K with entries k(x_i, z_j), where x_i and z_j are rows of x and z. Every
// product computes the entries anew, tile by tile. If x and z are the same memory, the operator evaluates each pair
// of points once, but the counters include it twice, as in the cost of the algorithm. It panics if x and z differ in their
// number of columns.
//
// Kernels of x - z do not change if all points are shifted. The operator subtracts the mean of up to 32 rows of z from x
// and z, in float64, before it rounds them to float32; in float64 it does so only for squared distances of more than 16
// inputs. Let x and z be the shifted points, and u = 2⁻²⁴ in float32, 2⁻⁵³ in float64. The error of a coordinate of x - z
// is at most u(|x_l| + |z_l|), because it is a difference of rounded numbers. Squared distances of d > 16 inputs are
// computed as ‖x‖² + ‖z‖² - 2x·z, with an error of at most (d + 8)·u·(‖x‖ + ‖z‖)², typically a few u·(‖x‖² + ‖z‖²); in
// float32 they are exact but for three roundings if all components of at least 256 points on both sides are among 256 multiples
// of one number. Identical points always have distance 0, and no distance is negative.
//
// x and z must not change as long as the operator is used.
func (e *Engine) Kernel(k KernelFunc, x, z Matrix) Operator { return e.kernel(k, x, z) }

func (e *Engine) kernel(k KernelFunc, x, z Matrix) *operator {
	if x.Cols != z.Cols && x.Rows > 0 && z.Rows > 0 {
		panic("compute: Kernel: x and z have different numbers of columns")
	}
	if m, ok := k.(Mapped); ok {
		x, z = mapBoth(m, x, z)
	}
	f := k.Formula()
	if f.Scale == 0 {
		f.Scale = 1
	}
	o := e.operator(e.device.Kernel(e.precision, f, x, z))
	o.kind, o.single, o.rows, o.cols, o.inputs = kernelValues, e.precision == Float32, x.Rows, z.Rows, x.Cols
	return o
}

// Kernel implements Device.
func (h *host) Kernel(p Precision, f Formula, x, z Matrix) Product {
	e := (*Engine)(h)
	if p == Float32 && f.expanded(z.Cols) && !f.Weighted {
		if g := e.gridOf(x, z); g != nil {
			return &kernel[float32]{operator: operator{e: e}, f: f, x: x, z: z, grid: g}
		}
	}
	var shift []float64
	if f.expanded(z.Cols) || p == Float32 && f.Of != InnerProduct && f.Of != Pairwise { // of x - z only
		shift = shiftOf(z)
		clear(shift[f.inputs(z.Cols):])
	}
	if p == Float32 {
		return &kernel[float32]{operator: operator{e: e}, f: f, x: x, z: z, shift: shift}
	}
	return &kernel[float64]{operator: operator{e: e}, f: f, x: x, z: z, shift: shift}
}

// mapBoth maps x and z. If x and z are the same memory, so are the results.
func mapBoth(m Mapped, x, z Matrix) (mx, mz Matrix) {
	mx = m.Map(x)
	if same(x, z) {
		return mx, mx
	}
	return mx, m.Map(z)
}

// inputs returns how many of the columns of the points are inputs: all but the weight of a weighted kernel.
func (f Formula) inputs(cols int) int {
	if f.Weighted {
		return cols - 1
	}
	return cols
}

// kernel is the operator K.
type kernel[T simd.Float] struct {
	operator
	f     Formula
	x, z  Matrix
	shift []float64      // of points that are on no grid
	grid  *grid          // nil if they are on none
	kept  *keptPanels[T] // of z; may be nil
}

// directDims is the largest dimension at which squared distances are summed from differences.
const directDims = 16

// expanded reports whether squared distances are computed as ‖x‖² + ‖z‖² - 2x·z.
func (f Formula) expanded(cols int) bool {
	return f.Of == SquaredDistance && f.inputs(cols) > directDims
}

// exponent returns a of a kernel 2^(a·s), 0 of others.
func (f Formula) exponent() float64 {
	if len(f.Steps) == 1 && f.Steps[0].Function == Exponential {
		return f.Steps[0].A
	}
	return 0
}

// shiftOf returns the mean of the finite rows among at most 32 rows of z. Subtracting it from all points does not change
// distances but reduces norms and with them rounding errors.
func shiftOf(z Matrix) []float64 {
	m, n, of := make([]float64, z.Cols), 0, min(z.Rows, 32)
	for i := range of {
		at := i * z.Rows / of
		if row := z.RowRange(at, at+1); row.Finite() {
			simd.AddScaled(m, row.Row(0), 1)
			n++
		}
	}
	for l := range m {
		m[l] /= float64(max(n, 1))
		if math.IsInf(m[l], 0) { // the sum overflowed
			m[l] = 0
		}
	}
	return m
}

func (o *kernel[T]) Part(rows []int) Product {
	s := *o
	s.x = o.x.Select(rows)
	return &s
}

// Mul uses that k is symmetric: K(x, z)ᵀ = K(z, x).
func (o *kernel[T]) Mul(dst, v Matrix, transpose bool) {
	out, in := &o.x, &o.z
	if transpose {
		out, in = in, out
	}
	p := o.product(*out, *in)
	if o.symmetric() {
		p.mulSymmetric(dst, v)
	} else {
		p.mul(dst, v)
	}
	p.done()
}

// symmetric reports whether x and z are the same points in the same memory.
func (o *kernel[T]) symmetric() bool { return same(o.x, o.z) }

// KernelMatrix returns the matrix K of Kernel: 8·x.Rows·z.Rows bytes.
func (e *Engine) KernelMatrix(k KernelFunc, x, z Matrix) Matrix {
	return e.kernel(k, x, z).matrix()
}

func (o *kernel[T]) Entries(to func(i int) []float64) {
	p := o.product(o.z, o.x)
	p.writeTo(to, o.symmetric())
	p.done()
}

// product returns the kernel between the points of out, which are the columns of its tiles, and of in.
func (o *kernel[T]) product(out, in Matrix) *product[T] {
	if o.grid != nil {
		return o.onGrid(out, in)
	}
	p := newProduct[T](o.e)
	p.weighted = o.f.Weighted
	if o.f.expanded(out.Cols) {
		p.out, p.in = o.norms(out, false), o.keeps(in, o.norms(in, true))
		if a := o.f.exponent(); a != 0 {
			p.setPanels(simd.Exponential, false, o.f.inputs(out.Cols), T(a))
		} else {
			p.setPanels(simd.Distance, false, o.f.inputs(out.Cols), 0)
			p.epilogue = o.f.Steps
		}
		return p
	}
	p.op, p.out, p.in, p.epilogue = operations[o.f.Of], o.plain(out), o.keeps(in, o.plain(in)), o.f.Steps
	if o.f.Of == Pairwise {
		p.compare = either[func(s, a, b []T)](o.f.Pairs.Single, o.f.Pairs.Double)
	}
	return p
}

var operations = map[Argument]simd.Op{
	SquaredDistance: simd.SquaredDifference, Distance1: simd.AbsDifference, InnerProduct: simd.Dot, ProductDistance: simd.Product,
}

// keeps returns s, the side of the points in, with the panels that the operator keeps.
func (o *kernel[T]) keeps(in Matrix, s side[T]) side[T] {
	if o.kept == nil || o.symmetric() || !same(in, o.z) { // jobs of a symmetric product pack panels themselves
		return s
	}
	return o.kept.of(s)
}

// plain returns x as a side without extra rows.
func (o *kernel[T]) plain(x Matrix) side[T] {
	d := o.f.inputs(x.Cols)
	return points(o.e, x, o.shift, 0, func(panel []T) { o.scale(panel[:d*width]) })
}

// scale multiplies a panel by the kernel's input scale.
func (o *kernel[T]) scale(panel []T) {
	if o.f.Scale != 1 {
		simd.Scale(panel, T(o.f.Scale))
	}
}

// norms returns x as a side with a row of squared norms after the inputs. If twice, the inputs are multiplied by -2. With
// one side of each kind, the sum of inner product and both norms is -2x·z + ‖z‖² + ‖x‖². All three are summed in the same
// order with the same roundings, so that they cancel exactly if x = z.
func (o *kernel[T]) norms(x Matrix, twice bool) side[T] {
	d := o.f.inputs(x.Cols)
	return points(o.e, x, o.shift, 1, func(panel []T) {
		copy(panel[(d+1)*width:], panel[d*width:x.Cols*width]) // the row of weights of a Weighted kernel
		inputs := panel[:d*width]
		o.scale(inputs)
		simd.Squares(panel[d*width:][:width], inputs, d)
		if twice {
			simd.Scale(inputs, -2)
		}
	})
}

// SquaredDistances calls do with the squared Euclidean distances of all pairs of rows of x, x.Rows(x.Rows-1)/2 numbers, some at a time;
// they are valid until do returns. The bits are the same on every platform and instruction set.
func SquaredDistances(x Matrix, do func(squares []float64)) {
	var from [width]float64
	panel, origin := make([]float64, width*x.Cols), make([]float64, x.Cols)
	for first := 0; first < x.Rows; first += width {
		packPoints(panel, x, first, origin)
		for i := first + 1; i < x.Rows; i++ {
			simd.SquaredDistances(from[:], x.Row(i), panel, x.Cols)
			do(from[:min(width, i-first)])
		}
	}
}
