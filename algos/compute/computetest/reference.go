package computetest

import (
	"math"

	"repro/algos/compute"
)

// Reference returns a device in plain Go, written from the formulas: what other devices are compared with, and an example of one.
// It evaluates all entries of an operator at every product, one after the other, and leaves to the host the factorisations only, which
// the tests of package compute compare with those of gonum.
func Reference(host compute.Device) compute.Device { return device{host} }

type device struct{ compute.Device }

// A product is the matrix of(x), whose row i is a function of row i of x.
type product struct {
	x  compute.Matrix
	of func(x compute.Matrix) compute.Matrix
}

func (p product) Mul(dst, v compute.Matrix, transpose bool) {
	device{}.Gemm(compute.Float64, dst, 1, p.of(p.x), transpose, v, false, 0, false)
}

func (p product) Part(rows []int) compute.Product { return product{p.x.Select(rows), p.of} }

func (p product) Entries(to func(i int) []float64) {
	m := p.of(p.x)
	for i := range m.Rows {
		copy(to(i), m.Row(i))
	}
}

func (p product) Keep() compute.Product {
	return product{p.of(p.x), func(x compute.Matrix) compute.Matrix { return x }}
}

func (device) Kernel(_ compute.Precision, f compute.Formula, x, z compute.Matrix) compute.Product {
	d := z.Cols
	if f.Weighted {
		d--
	}
	scaled := func(m compute.Matrix) compute.Matrix {
		m = m.ColRange(0, d).Clone()
		m.Scale(f.Scale)
		return m
	}
	return product{x, func(x compute.Matrix) compute.Matrix {
		a, b, k := scaled(x), scaled(z), compute.NewMatrix(x.Rows, z.Rows)
		components := b.Transposed().Data
		for i := range k.Rows {
			if s := k.Row(i); f.Of == compute.Pairwise {
				f.Pairs.Double(s, a.Row(i), components)
			} else {
				for j := range s {
					s[j] = argument(f.Of, a.Row(i), b.Row(j))
				}
			}
		}
		apply(k.Data, f.Steps...)
		for i := range k.Rows {
			for j := range k.Cols {
				if f.Weighted {
					k.Set(i, j, k.At(i, j)*x.At(i, d)*z.At(j, d))
				}
			}
		}
		return k
	}}
}

// argument returns s(x, z).
func argument(of compute.Argument, x, z []float64) float64 {
	sum, product := 0.0, 1.0
	for l, v := range x {
		switch of {
		case compute.SquaredDistance:
			sum += (v - z[l]) * (v - z[l])
		case compute.Distance1:
			sum += math.Abs(v - z[l])
		case compute.InnerProduct:
			sum += v * z[l]
		case compute.ProductDistance:
			product *= 1 + (v-z[l])*(v-z[l])
		}
	}
	if of == compute.ProductDistance {
		return product
	}
	return sum
}

// apply replaces every element of z by what the steps make of it.
func apply(z []float64, steps ...compute.Step) {
	for _, s := range steps {
		if s.Function == compute.Callback {
			s.Double(z)
			continue
		}
		for i, v := range z {
			z[i] = function(s, v)
		}
	}
}

func function(s compute.Step, z float64) float64 {
	switch s.Function {
	case compute.Exponential:
		return math.Exp2(s.A * z)
	case compute.Cosine:
		return s.A * math.Cos(2*math.Pi*(z-math.Round(z)))
	case compute.SquareRoot:
		return math.Sqrt(z)
	case compute.Reciprocal:
		return 1 / z
	case compute.LinearFunction:
		return s.A*z + s.B
	case compute.Power:
		return math.Pow(z, s.A)
	case compute.DampedPolynomial:
		if e := math.Exp2(s.C * z); e != 0 {
			return (1 + s.A*z + s.B*z*z) * e
		}
		return 0
	case compute.RectifiedPower:
		if z > 0 {
			return s.A * math.Pow(z, s.B)
		}
		return 0 * z
	}
	return z // Identity
}

func (d device) Features(_ compute.Precision, f compute.ProjectionMap, x compute.Matrix, blocks compute.Range) compute.Product {
	w := f.Width()
	return product{x, func(x compute.Matrix) compute.Matrix {
		phi, omega, phase := compute.NewMatrix(x.Rows, w*(blocks.Hi-blocks.Lo)), compute.NewMatrix(x.Cols, w), make([]float64, w)
		for i := blocks.Lo; i < blocks.Hi; i++ {
			f.Draw(i, omega, phase)
			block := phi.ColRange((i-blocks.Lo)*w, (i-blocks.Lo+1)*w)
			for r := range phi.Rows {
				copy(block.Row(r), phase)
			}
			d.Gemm(compute.Float64, block, 1, x, false, omega, false, 1, false)
		}
		apply(phi.Data, f.Activation())
		return phi
	}}
}

func (device) Gemm(_ compute.Precision, c compute.Matrix, alpha float64, a compute.Matrix, ta bool, b compute.Matrix, tb bool, beta float64, symmetric bool) {
	if ta {
		a = a.Transposed()
	}
	if !tb {
		b = b.Transposed()
	}
	for i := range c.Rows {
		for j := range c.Cols {
			v := 0.0
			if alpha != 0 {
				v = alpha * argument(compute.InnerProduct, a.Row(i), b.Row(j))
			}
			if beta != 0 {
				v += beta * c.At(i, j)
			}
			if symmetric && j < i {
				v = c.At(j, i)
			}
			c.Set(i, j, v)
		}
	}
}
