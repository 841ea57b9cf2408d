package computetest_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"

	"repro/algos/compute"
	"repro/algos/compute/computetest"
)

func TestHost(t *testing.T) {
	computetest.Conforms(t, func(host compute.Device) compute.Device { return host })
}

func TestReference(t *testing.T) { computetest.Conforms(t, computetest.Reference) }

// A kernels device leaves the rest to the host.
func TestADeviceOfOneOperation(t *testing.T) {
	computetest.Conforms(t, func(host compute.Device) compute.Device { return onlyKernels{host, computetest.Reference(nil)} })
}

type onlyKernels struct {
	compute.Device
	kernels compute.Device
}

// Kernel leaves formulas that Go functions belong to to the host.
func (d onlyKernels) Kernel(p compute.Precision, f compute.Formula, x, z compute.Matrix) compute.Product {
	if f.OnHost() {
		return d.Device.Kernel(p, f, x, z)
	}
	return d.kernels.Kernel(p, f, x, z)
}

// A failure is what Conforms reports.
type failure struct{ message string }

func (f *failure) Errorf(format string, args ...any) { f.message = fmt.Sprintf(format, args...) }
func (f *failure) FailNow()                          { panic(f) }

// failed returns what Conforms reports of a device, "" if nothing.
func failed(device func(host compute.Device) compute.Device) (message string) {
	f := &failure{}
	defer func() {
		if v := recover(); v != nil && v != any(f) {
			message = fmt.Sprint("panic: ", v)
		}
	}()
	defer func() { message = f.message }()
	computetest.Conforms(f, device)
	return ""
}

// A faulty device is another one with some operations replaced.
type faulty struct {
	compute.Device
	kernel   func(f compute.Formula, x, z compute.Matrix) (compute.Formula, compute.Matrix, compute.Matrix)
	features func(f compute.ProjectionMap, blocks compute.Range) (compute.ProjectionMap, compute.Range)
	product  func(p compute.Product) compute.Product
	gemm     func(g *gemm)
	after    func(g gemm)
	trsm     func(transpose bool) bool
	cholesky func(a compute.Matrix, ok bool) bool
	syevd    func(values []float64, vectors compute.Matrix) ([]float64, compute.Matrix)
}

type gemm struct {
	c, a, b           compute.Matrix
	alpha, beta       float64
	ta, tb, symmetric bool
}

func (d faulty) Kernel(p compute.Precision, f compute.Formula, x, z compute.Matrix) compute.Product {
	if d.kernel != nil {
		f, x, z = d.kernel(f, x, z)
	}
	return d.of(d.Device.Kernel(p, f, x, z))
}

func (d faulty) of(p compute.Product) compute.Product {
	if d.product != nil {
		return d.product(p)
	}
	return p
}

func (d faulty) Features(p compute.Precision, f compute.ProjectionMap, x compute.Matrix, blocks compute.Range) compute.Product {
	if d.features != nil {
		f, blocks = d.features(f, blocks)
	}
	return d.of(d.Device.Features(p, f, x, blocks))
}

func (d faulty) Gemm(p compute.Precision, c compute.Matrix, alpha float64, a compute.Matrix, ta bool, b compute.Matrix, tb bool, beta float64, symmetric bool) {
	g := gemm{c, a, b, alpha, beta, ta, tb, symmetric}
	if d.gemm != nil {
		d.gemm(&g)
	}
	d.Device.Gemm(p, g.c, g.alpha, g.a, g.ta, g.b, g.tb, g.beta, g.symmetric)
	if d.after != nil {
		d.after(g)
	}
}

func (d faulty) Trsm(u compute.Matrix, transpose bool, b compute.Matrix) {
	if d.trsm != nil {
		transpose = d.trsm(transpose)
	}
	d.Device.Trsm(u, transpose, b)
}

func (d faulty) Cholesky(a compute.Matrix) bool {
	ok := d.Device.Cholesky(a)
	if d.cholesky != nil {
		return d.cholesky(a, ok)
	}
	return ok
}

func (d faulty) Syevd(a compute.Matrix, k int) ([]float64, compute.Matrix, bool) {
	values, vectors, ok := d.Device.Syevd(a, k)
	if d.syevd != nil {
		values, vectors = d.syevd(values, vectors)
	}
	return values, vectors, ok
}

// A wrong product is another one with some methods replaced.
type wrong struct {
	compute.Product
	mul     func(p compute.Product, dst, v compute.Matrix, transpose bool)
	part    func(p compute.Product, rows []int) compute.Product
	entries func(p compute.Product, to func(i int) []float64)
}

func (p wrong) Mul(dst, v compute.Matrix, transpose bool) {
	if p.mul != nil {
		p.mul(p.Product, dst, v, transpose)
		return
	}
	p.Product.Mul(dst, v, transpose)
}

func (p wrong) Part(rows []int) compute.Product {
	if p.part != nil {
		return p.part(p.Product, rows)
	}
	return wrong{p.Product.Part(rows), p.mul, p.part, p.entries}
}

func (p wrong) Entries(to func(i int) []float64) {
	if p.entries != nil {
		p.entries(p.Product, to)
		return
	}
	p.Product.Entries(to)
}

// A forgetful product keeps what another one has, of which it loses the last column of a matrix.
type forgetful struct{ compute.Keeper }

func (p forgetful) Keep() compute.Product {
	return wrong{Product: p.Keeper.Keep(), mul: func(p compute.Product, dst, v compute.Matrix, transpose bool) {
		p.Mul(dst, v, transpose)
		if dst.Rows > 1 {
			clear(dst.Row(dst.Rows - 1))
		}
	}}
}

func (p forgetful) Part(rows []int) compute.Product {
	return forgetful{p.Keeper.Part(rows).(compute.Keeper)}
}

// mapped is a map with a step or a phase of its own.
type mapped struct {
	compute.ProjectionMap
	phase float64
}

func (m mapped) Draw(i int, omega compute.Matrix, phase []float64) {
	m.ProjectionMap.Draw(i, omega, phase)
	for j := range phase {
		phase[j] *= m.phase
	}
}

func (m mapped) Stream() any { return m.phase }

func products(p wrong) faulty {
	return faulty{product: func(of compute.Product) compute.Product {
		p := p
		p.Product = of
		return p
	}}
}

func steps(change func(steps []compute.Step) []compute.Step) faulty {
	return faulty{kernel: func(f compute.Formula, x, z compute.Matrix) (compute.Formula, compute.Matrix, compute.Matrix) {
		f.Steps = change(f.Steps)
		return f, x, z
	}}
}

// step changes the parameters of one function.
func step(of compute.Function, change func(s *compute.Step)) faulty {
	return steps(func(all []compute.Step) []compute.Step {
		all = append([]compute.Step(nil), all...)
		for i := range all {
			if all[i].Function == of {
				change(&all[i])
			}
		}
		return all
	})
}

// faults are devices that do one thing wrong.
var faults = map[string]faulty{
	"the transpose is ignored": products(wrong{mul: func(p compute.Product, dst, v compute.Matrix, transpose bool) {
		if dst.Rows == v.Rows {
			transpose = false
		}
		p.Mul(dst, v, transpose)
	}}),
	"a product adds to the result": products(wrong{mul: func(p compute.Product, dst, v compute.Matrix, transpose bool) {
		old := dst.Clone()
		p.Mul(dst, v, transpose)
		dst.AddScaled(1, old)
	}}),
	"one tile is missing": products(wrong{mul: func(p compute.Product, dst, v compute.Matrix, transpose bool) {
		if v = v.Clone(); v.Rows > 48 {
			v.RowRange(48, v.Rows).Zero()
		}
		p.Mul(dst, v, transpose)
	}}),
	"the last row is not set": products(wrong{entries: func(p compute.Product, to func(i int) []float64) {
		p.Entries(func(i int) []float64 {
			if row := to(i); i != 48 {
				return row
			}
			return make([]float64, len(to(i)))
		})
	}}),
	"the order of selected rows": products(wrong{part: func(p compute.Product, rows []int) compute.Product {
		turned := make([]int, len(rows))
		for i, r := range rows {
			turned[len(rows)-1-i] = r
		}
		return p.Part(turned)
	}}),
	"more columns than registers": products(wrong{mul: func(p compute.Product, dst, v compute.Matrix, transpose bool) {
		if p.Mul(dst, v, transpose); v.Cols > 8 {
			dst.ColRange(8, v.Cols).Zero()
		}
	}}),
	"a gap is written": products(wrong{mul: func(p compute.Product, dst, v compute.Matrix, transpose bool) {
		if p.Mul(dst, v, transpose); dst.Rows > 2 && dst.Stride > dst.Cols {
			dst.Data[dst.Stride-1] = 0
			dst.Data[dst.Cols] = 0
		}
	}}),
	"an operand is written": products(wrong{mul: func(p compute.Product, dst, v compute.Matrix, transpose bool) {
		if p.Mul(dst, v, transpose); v.Rows > 2 {
			v.Set(2, 0, 0)
		}
	}}),
	"infinities spread": products(wrong{mul: func(p compute.Product, dst, v compute.Matrix, transpose bool) {
		if p.Mul(dst, v, transpose); dst.Rows > 0 && v.Cols == 3 && v.Rows > 1 && math.IsInf(v.At(1, 1), 0) {
			dst.Set(0, 0, math.NaN())
		}
	}}),
	"infinities are lost": products(wrong{mul: func(p compute.Product, dst, v compute.Matrix, transpose bool) {
		if v = v.Clone(); v.Cols == 3 && v.Rows > 1 && math.IsInf(v.At(1, 1), 0) {
			v.Set(1, 1, math.MaxFloat32/1e9)
		}
		p.Mul(dst, v, transpose)
	}}),
	"rounding at random": products(wrong{mul: func(p compute.Product, dst, v compute.Matrix, transpose bool) {
		calls++
		p.Mul(dst, v, transpose)
		dst.Scale(1 + float64(calls%97)*0x1p-52)
	}}),
	"single precision": products(wrong{mul: func(p compute.Product, dst, v compute.Matrix, transpose bool) {
		p.Mul(dst, v, transpose)
		for i := range dst.Rows {
			for j, a := range dst.Row(i) {
				dst.Set(i, j, float64(float32(a)))
			}
		}
	}}),
	"the epilogue is left out": steps(func([]compute.Step) []compute.Step { return nil }),
	"the second step is left out": steps(func(s []compute.Step) []compute.Step {
		return s[:min(len(s), 1)]
	}),
	"natural exponentials":        step(compute.Exponential, func(s *compute.Step) { s.A *= math.Log2E }),
	"no constant of a function":   step(compute.LinearFunction, func(s *compute.Step) { s.B = 0 }),
	"another power":               step(compute.Power, func(s *compute.Step) { s.A = 2 }),
	"no square in the polynomial": step(compute.DampedPolynomial, func(s *compute.Step) { s.B = 0 }),
	"a callback is not called":    step(compute.Callback, func(s *compute.Step) { s.Function = compute.Identity }),
	"no root":                     step(compute.SquareRoot, func(s *compute.Step) { s.Function = compute.Identity }),
	"the reciprocal is forgotten": step(compute.Reciprocal, func(s *compute.Step) { s.Function = compute.Identity }),
	"inputs are not scaled":       kernels(func(f *compute.Formula) { f.Scale = 1 }),
	"weights are left out":        kernels(func(f *compute.Formula) { f.Weighted = false }),
	"distances of another norm":   kernels(func(f *compute.Formula) { f.Of = min(f.Of, compute.SquaredDistance) }),
	"distances of nearly 0":       {kernel: shifted},
	"phases are left out": {features: func(f compute.ProjectionMap, b compute.Range) (compute.ProjectionMap, compute.Range) {
		return mapped{f, 0}, b
	}},
	"blocks begin with the first": {features: func(f compute.ProjectionMap, b compute.Range) (compute.ProjectionMap, compute.Range) {
		return f, compute.Range{Hi: b.Hi - b.Lo}
	}},
	"beta is ignored": {gemm: func(g *gemm) { g.beta = min(g.beta, 0) }},
	"beta is 1": {gemm: func(g *gemm) {
		if g.beta != 0 {
			g.beta = 1
		}
	}},
	"alpha is ignored":    {gemm: func(g *gemm) { g.alpha = 1 }},
	"a is not transposed": {gemm: func(g *gemm) { g.ta = g.ta && g.a.Rows != g.a.Cols }},
	"c is read though beta is 0": {gemm: func(g *gemm) {
		if g.beta == 0 {
			g.c.Scale(0)
			g.beta = 1
		}
	}},
	"half of a symmetric product": {after: func(g gemm) {
		if g.symmetric && g.c.Rows > 2 {
			g.c.Set(2, 0, g.c.At(2, 0)*(1+0x1p-50))
		}
	}},
	"the last row of a product": {after: func(g gemm) {
		if g.c.Rows > 48 {
			clear(g.c.Row(48))
		}
	}},
	"the triangle is not transposed": {trsm: func(bool) bool { return false }},
	"indefinite matrices":            {cholesky: func(compute.Matrix, bool) bool { return true }},
	"the lower triangle": {cholesky: func(a compute.Matrix, ok bool) bool {
		for i := range a.Rows {
			for j := range i {
				a.Set(i, j, a.At(j, i))
				a.Set(j, i, 0)
			}
		}
		return ok
	}},
	"eigenvalues in ascending order": {syevd: func(values []float64, vectors compute.Matrix) ([]float64, compute.Matrix) {
		for i := range len(values) / 2 {
			values[i], values[len(values)-1-i] = values[len(values)-1-i], values[i]
		}
		return values, vectors
	}},
	"the order of eigenvectors": {syevd: func(values []float64, vectors compute.Matrix) ([]float64, compute.Matrix) {
		for i := range vectors.Rows {
			if row := vectors.Row(i); len(row) > 1 {
				row[0], row[1] = row[1], row[0]
			}
		}
		return values, vectors
	}},
	"eigenvectors in rows": {syevd: func(values []float64, vectors compute.Matrix) ([]float64, compute.Matrix) {
		if vectors.Rows == vectors.Cols {
			t := vectors.Clone()
			for i := range t.Rows {
				for j := range t.Cols {
					t.Set(i, j, vectors.At(j, i))
				}
			}
			return values, t
		}
		return values, vectors
	}},
	"eigenvectors that are not normal": {syevd: func(values []float64, vectors compute.Matrix) ([]float64, compute.Matrix) {
		vectors.Scale(2)
		return values, vectors
	}},
	"all eigenvectors, always": {syevd: func(values []float64, vectors compute.Matrix) ([]float64, compute.Matrix) {
		return values, compute.NewMatrix(len(values), len(values))
	}},
}

var calls int

func kernels(change func(f *compute.Formula)) faulty {
	return faulty{kernel: func(f compute.Formula, x, z compute.Matrix) (compute.Formula, compute.Matrix, compute.Matrix) {
		change(&f)
		return f, x, z
	}}
}

// shifted moves one set of points by a rounding error, so that no distance is 0.
func shifted(f compute.Formula, x, z compute.Matrix) (compute.Formula, compute.Matrix, compute.Matrix) {
	z = z.Clone()
	z.Scale(1 + 0x1p-51)
	return f, x, z
}

// TestFaults makes the host do one thing wrong at a time. Conforms must notice each.
func TestFaults(t *testing.T) {
	for name, fault := range faults {
		message := failed(func(host compute.Device) compute.Device {
			d := fault
			d.Device = host
			return d
		})
		assert.NotEmpty(t, message, name)
		assert.NotContains(t, message, "panic", name)
		t.Logf("%s: %.200s", name, message)
	}
	forgets := faulty{Device: computetest.Reference(nil), product: func(p compute.Product) compute.Product { return forgetful{p.(compute.Keeper)} }}
	assert.NotEmpty(t, failed(func(compute.Device) compute.Device { return forgets }), "what is kept is wrong")
}
