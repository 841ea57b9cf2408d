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

// A faulty device is the host with some operations replaced.
type faulty struct {
	compute.Device
	kernel func(f *compute.Formula)
	blocks func(r *compute.Range)
	mul    func(p compute.Product, dst, v compute.Matrix, transpose bool)
	gemm   func(alpha, beta *float64)
	after  func(c compute.Matrix, symmetric bool)
	trsm   func(transpose *bool)
	syevd  func(vectors compute.Matrix)
}

func (d faulty) Kernel(p compute.Precision, f compute.Formula, x, z compute.Matrix) compute.Product {
	if d.kernel != nil {
		d.kernel(&f)
	}
	return wrong{d.Device.Kernel(p, f, x, z), d.mul}
}

func (d faulty) Features(p compute.Precision, f compute.ProjectionMap, x compute.Matrix, blocks compute.Range) compute.Product {
	if d.blocks != nil {
		d.blocks(&blocks)
	}
	return wrong{d.Device.Features(p, f, x, blocks), d.mul}
}

func (d faulty) Gemm(p compute.Precision, c compute.Matrix, alpha float64, a compute.Matrix, ta bool, b compute.Matrix, tb bool, beta float64, symmetric bool) {
	if d.gemm != nil {
		d.gemm(&alpha, &beta)
	}
	d.Device.Gemm(p, c, alpha, a, ta, b, tb, beta, symmetric)
	if d.after != nil {
		d.after(c, symmetric)
	}
}

func (d faulty) Trsm(u compute.Matrix, transpose bool, b compute.Matrix) {
	if d.trsm != nil {
		d.trsm(&transpose)
	}
	d.Device.Trsm(u, transpose, b)
}

func (d faulty) Syevd(a compute.Matrix, k int) ([]float64, compute.Matrix, bool) {
	values, vectors, ok := d.Device.Syevd(a, k)
	if d.syevd != nil {
		d.syevd(vectors)
	}
	return values, vectors, ok
}

// A wrong product is another one with its Mul replaced, if that is not nil.
type wrong struct {
	compute.Product
	mul func(p compute.Product, dst, v compute.Matrix, transpose bool)
}

func (p wrong) Mul(dst, v compute.Matrix, transpose bool) {
	if p.mul != nil {
		p.mul(p.Product, dst, v, transpose)
		return
	}
	p.Product.Mul(dst, v, transpose)
}

func (p wrong) Part(rows []int) compute.Product { return wrong{p.Product.Part(rows), p.mul} }

// faults are devices that do one thing wrong, one or two for each thing that Conforms promises to notice.
var faults = map[string]faulty{
	"the transpose is ignored": {mul: func(p compute.Product, dst, v compute.Matrix, transpose bool) {
		p.Mul(dst, v, transpose && dst.Rows != v.Rows)
	}},
	"one tile is missing": {mul: func(p compute.Product, dst, v compute.Matrix, transpose bool) {
		if v = v.Clone(); v.Rows > 48 {
			v.RowRange(48, v.Rows).Zero()
		}
		p.Mul(dst, v, transpose)
	}},
	"a gap is written": {mul: func(p compute.Product, dst, v compute.Matrix, transpose bool) {
		if p.Mul(dst, v, transpose); dst.Rows > 2 && dst.Stride > dst.Cols {
			dst.Data[dst.Cols] = 0
		}
	}},
	"an operand is written": {mul: func(p compute.Product, dst, v compute.Matrix, transpose bool) {
		if p.Mul(dst, v, transpose); v.Rows > 2 {
			v.Set(2, 0, 0)
		}
	}},
	"infinities are lost": {mul: func(p compute.Product, dst, v compute.Matrix, transpose bool) {
		if v = v.Clone(); v.Cols == 3 && v.Rows > 1 && math.IsInf(v.At(1, 1), 0) {
			v.Set(1, 1, math.MaxFloat32/1e9)
		}
		p.Mul(dst, v, transpose)
	}},
	"rounding at random": {mul: func(p compute.Product, dst, v compute.Matrix, transpose bool) {
		calls++
		p.Mul(dst, v, transpose)
		dst.Scale(1 + float64(calls%97)*0x1p-52)
	}},
	"single precision": {mul: func(p compute.Product, dst, v compute.Matrix, transpose bool) {
		p.Mul(dst, v, transpose)
		for i := range dst.Rows {
			for j, a := range dst.Row(i) {
				dst.Set(i, j, float64(float32(a)))
			}
		}
	}},
	"the second step is left out": {kernel: func(f *compute.Formula) { f.Steps = f.Steps[:min(len(f.Steps), 1)] }},
	"inputs are not scaled":       {kernel: func(f *compute.Formula) { f.Scale = 1 }},
	"weights are left out":        {kernel: func(f *compute.Formula) { f.Weighted = false }},
	"blocks begin with the first": {blocks: func(r *compute.Range) { *r = compute.Range{Hi: r.Hi - r.Lo} }},
	"beta is ignored":             {gemm: func(_, beta *float64) { *beta = min(*beta, 0) }},
	"alpha is ignored":            {gemm: func(alpha, _ *float64) { *alpha = 1 }},
	"half of a symmetric product": {after: func(c compute.Matrix, symmetric bool) {
		if symmetric && c.Rows > 2 {
			c.Set(2, 0, c.At(2, 0)*(1+0x1p-50))
		}
	}},
	"the triangle is not transposed":   {trsm: func(transpose *bool) { *transpose = false }},
	"eigenvectors that are not normal": {syevd: func(vectors compute.Matrix) { vectors.Scale(2) }},
}

var calls int

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
	}
}
