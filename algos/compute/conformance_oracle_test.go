package compute_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"repro/algos/compute"
)

// expected is a matrix with a bound on the error of each entry. The bounds are of first order in the unit roundoff u. slack
// covers the higher orders, which add less than a hundredth if u times the number of roundings is below 2⁻⁸.
type expected struct {
	value, bound compute.Matrix
	together     int // terms of a product that are added in the precision of tiles; fewer than 96 are 96
}

const slack = 1.01

// transposed returns the transpose.
func (e expected) transposed() expected {
	return expected{e.value.Transposed(), e.bound.Transposed(), e.together}
}

// part returns the first rows and columns.
func (e expected) part(rows, cols int) expected {
	return expected{e.value.RowRange(0, rows).ColRange(0, cols), e.bound.RowRange(0, rows).ColRange(0, cols), e.together}
}

func newExpected(rows, cols int) expected {
	return expected{compute.NewMatrix(rows, cols), compute.NewMatrix(rows, cols), 0}
}

func (e expected) set(i, j int, value, bound float64) {
	e.value.Set(i, j, value)
	e.bound.Set(i, j, slack*bound)
}

// underflow returns a bound on the error of subnormal results.
func underflow(u float64) float64 {
	if u > 0x1p-30 {
		return 0x1p-140
	}
	return 0x1p-1000
}

// check compares the given rows of got (nil means all) with the expected values.
func (e expected) check(t *testing.T, got compute.Matrix, rows []int) {
	t.Helper()
	got = pick(got, rows)
	require.Equal(t, [2]int{e.value.Rows, e.value.Cols}, [2]int{got.Rows, got.Cols})
	for i := range got.Rows {
		want, bound, row := e.value.Row(i), e.bound.Row(i), got.Row(i)
		for j, v := range row {
			if !(math.Abs(v-want[j]) <= bound[j]) {
				require.FailNow(t, "wrong value", "entry (%d, %d) is %v, want %v ± %v", i, j, v, want[j], bound[j])
			}
		}
	}
}

// times returns the product with v. The engine rounds entries a_ij and weights v_j to the precision of tiles and adds up
// to 96 terms, or as many as are together, of Σ_j a_ij v_j in it: min(m, 96) + 1 roundings, including that of v. It adds the partial sums
// in float64; the oracle adds all m terms in float64. 2m + 64 roundings bound both.
func (e expected) times(v compute.Matrix, u float64) expected {
	m := e.value.Cols
	relative := float64(min(m, max(96, e.together))+1)*u + float64(2*m+64)*0x1p-53
	p := newExpected(e.value.Rows, v.Cols)
	sum, bound := make([]float64, v.Cols), make([]float64, v.Cols)
	for i := range e.value.Rows {
		clear(sum)
		clear(bound)
		for j, a := range e.value.Row(i) {
			entry := e.bound.At(i, j) + math.Abs(a)*relative + underflow(u)
			for q, w := range v.Row(j) {
				sum[q] += a * w
				bound[q] += entry * math.Abs(w)
			}
		}
		for q := range sum {
			p.set(i, q, sum[q], bound[q]+underflow(u))
		}
	}
	return p
}

// A ball contains a set of points: its centre is their mean, and reach bounds their distance from it along each axis.
type ball struct {
	centre []float64
	radius float64
	reach  []float64
}

func ballOf(z compute.Matrix) ball {
	b := ball{centre: make([]float64, z.Cols), reach: make([]float64, z.Cols)}
	for i := range z.Rows {
		for l, v := range z.Row(i) {
			b.centre[l] += v / float64(z.Rows)
		}
	}
	for i := range z.Rows {
		b.radius = max(b.radius, b.distance(z.Row(i)))
		for l, v := range z.Row(i) {
			b.reach[l] = max(b.reach[l], math.Abs(v-b.centre[l]))
		}
	}
	return b
}

// shifted bounds the magnitude of a coordinate when it is rounded in precision u: in float32 after the mean of some points
// of the set has been subtracted in float64, else unchanged.
func (b ball) shifted(v float64, l int, u float64) float64 {
	if u == 0x1p-53 {
		return math.Abs(v)
	}
	return math.Abs(v-b.centre[l]) + b.reach[l] + 0x1p-52/u*math.Abs(v)
}

func (b ball) distance(x []float64) float64 {
	sum := 0.0
	for l, v := range x {
		sum += (v - b.centre[l]) * (v - b.centre[l])
	}
	return math.Sqrt(sum)
}

// entries returns the kernel between the rows of x and z, whose inputs are already scaled. shift contains the points whose
// mean is subtracted before distances are expanded.
func (k Kernel) entries(x, z compute.Matrix, shift ball, u float64) expected {
	e := newExpected(x.Rows, z.Rows)
	for i := range x.Rows {
		for j := range z.Rows {
			s, bound := k.argument(x.Row(i), z.Row(j), shift, u)
			value, moves := k.value(s, bound)
			e.set(i, j, value, moves+u*math.Abs(value)+underflow(u))
		}
	}
	return e
}

// weighted returns the entries times the weights of their points. Both weights and both products are rounded.
func (e expected) weighted(x, z compute.Matrix, u float64) expected {
	for i := range x.Rows {
		for j := range z.Rows {
			w, value := weight(x.Row(i))*weight(z.Row(j)), e.value.At(i, j)
			e.set(i, j, value*w, (e.bound.At(i, j)+4*u*math.Abs(value))*w+underflow(u))
		}
	}
	return e
}

// scaled returns x times the input scale.
func (k Kernel) scaled(x compute.Matrix) compute.Matrix {
	x = x.Clone()
	x.Scale(k.InputScale())
	return x
}

// argument returns s and a bound on its error. Each operand is rounded r times: once when it is packed and, if inputs are
// scaled, twice more, as the factor and the product are rounded.
//
//   - x·z is a sum of d products: d + 2r roundings of each.
//   - |x - z| is wrong by e = r·u·(|x| + |z|) and one rounding, each term of its sum by d more; in float32,
//     x and z are shifted. |x + z| is as wrong without being shifted.
//   - (x - z)² is wrong by 2|x - z|e + e², e with the rounding of x - z, and by d + 1 more.
//   - 1 + (x - z)² is wrong by 2|x - z|e + e² and three roundings with that of the product, and errors
//     relative to the factors add up.
//   - Squared distances of more than 16 inputs, from norms, are as the documentation of Engine.Kernel
//     says, which has r = 1: (d + 2 + 2r)·u·(‖x‖ + ‖z‖)². Norms of x and z shifted by the mean of some
//     centres are at most the distances to the middle of all centres, and their radius.
func (k Kernel) argument(x, z []float64, shift ball, u float64) (s, bound float64) {
	d, r := float64(len(x)), 1.0
	if k.InputScale() != 1 {
		r = 3
	}
	switch k.Of {
	case compute.InnerProduct:
		s, size := dot(x, z)
		return s, (d + 2*r) * u * size
	case compute.Pairwise:
		sizes := 0.0
		for l, v := range x {
			s += math.Abs(v + z[l])
			sizes += math.Abs(v) + math.Abs(z[l])
		}
		return s, u * (r*sizes + (d+1)*s)
	case compute.Distance1:
		sizes := 0.0
		for l, v := range x {
			s += math.Abs(v - z[l])
			sizes += shift.shifted(v, l, u) + shift.shifted(z[l], l, u)
		}
		return s, u * (r*sizes + (d+1)*s)
	}
	product, relative := 1.0, 0.0
	for l, v := range x {
		difference := math.Abs(v - z[l])
		e := u * (r*(shift.shifted(v, l, u)+shift.shifted(z[l], l, u)) + difference)
		square, wrong := difference*difference, 2*difference*e+e*e
		s += square
		bound += wrong
		product *= 1 + square
		relative += wrong/(1+square) + 3*u
	}
	switch {
	case k.Of == compute.ProductDistance:
		return product, product * math.Expm1(relative)
	case len(x) > 16:
		norms := shift.distance(x) + shift.distance(z) + 2*shift.radius
		return s, (d + 2 + 2*r) * u * norms * norms
	}
	return s, bound + (d+1)*u*s
}

// dot returns x·z and the sum of the magnitudes of its terms.
func dot(x, z []float64) (sum, size float64) {
	for l, v := range x {
		p := v * z[l]
		sum += p
		size += math.Abs(p)
	}
	return sum, size
}

// A draw is the features of some blocks; each row holds the frequency of one feature.
type draw struct {
	f           Features
	frequencies compute.Matrix
	phases      compute.Matrix // one column
}

func (f Features) blocks(d int, blocks compute.Range) draw {
	w := f.Width()
	n := w * (blocks.Hi - blocks.Lo)
	r := draw{f, compute.NewMatrix(n, d), compute.NewMatrix(n, 1)}
	for b := range blocks.Hi - blocks.Lo {
		omega, phase := compute.NewMatrix(d, w), make([]float64, w)
		f.Draw(blocks.Lo+b, omega, phase)
		r.frequencies.RowRange(b*w, (b+1)*w).CopyFrom(omega.Transposed())
		copy(r.phases.Data[b*w:], phase)
	}
	return r
}

// entries returns the given features (nil means all) at the rows of x.
//
// ω·x + b has d + 1 terms of operands rounded once, ω twice if it is drawn in the precision of tiles:
// d + 4 roundings.
func (r draw) entries(x compute.Matrix, features []int, u float64) expected {
	frequencies, phases := pick(r.frequencies, features), pick(r.phases, features)
	e := newExpected(x.Rows, frequencies.Rows)
	for i := range x.Rows {
		for j, phase := range phases.Data {
			sum, size := dot(x.Row(i), frequencies.Row(j))
			value := r.f.activation(sum + phase)
			e.set(i, j, value, float64(x.Cols+4)*u*(size+phase)+u*math.Abs(value)+underflow(u))
		}
	}
	return e
}
