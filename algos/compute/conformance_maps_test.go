package compute_test

import (
	"math"
	"sync/atomic"

	"repro/algos/compute"
)

// A Kernel has κ(s) = s if Scale is 0, which makes tiles visible, else exp(-s/Scale). It is plain Go and gives the same bits
// everywhere.
type Kernel struct {
	Of     compute.Argument
	Scale  float64
	Inputs float64       // factor of the inputs; 0 means 1
	Values *atomic.Int64 // counts evaluations of κ, if not nil

	Weighted bool // by 1 + x_0², if it is a Weighted
}

// A Weighted is a Kernel whose points have weights.
type Weighted struct{ Kernel }

// Map implements compute.Mapped.
func (Weighted) Map(x compute.Matrix) compute.Matrix {
	m := compute.NewMatrix(x.Rows, x.Cols+1)
	for i := range x.Rows {
		m.Set(i, copy(m.Row(i), x.Row(i)), weight(x.Row(i)))
	}
	return m
}

func weight(x []float64) float64 {
	if len(x) == 0 {
		return 2
	}
	return 1 + x[0]*x[0]
}

// weighted returns k as a Weighted if it is Weighted.
func (k Kernel) weighted() compute.KernelFunc {
	if k.Weighted {
		return Weighted{k}
	}
	return k
}

// newKernel returns a kernel for d inputs that depends on number. Every second has κ(s) = s; the values of the others are not near
// 0. Every third scales the inputs by 0.3; ProductDistance scales them by 1/√d so that the product does not overflow. Every fourth is
// weighted.
func newKernel(of compute.Argument, d, number int) Kernel {
	k := Kernel{Of: of, Scale: float64(number % 2 * max(1, d)), Weighted: number%4 == 3}
	switch {
	case of == compute.ProductDistance:
		k.Inputs = 1 / math.Sqrt(float64(max(1, d)))
	case number%3 == 0:
		k.Inputs = 0.3
	}
	return k
}

// InputScale returns the factor of the inputs.
func (k Kernel) InputScale() float64 {
	if k.Inputs == 0 {
		return 1
	}
	return k.Inputs
}

// Formula implements compute.KernelFunc.
func (k Kernel) Formula() compute.Formula {
	return compute.Formula{
		Of: k.Of, Scale: k.Inputs, Weighted: k.Weighted,
		Pairs: compute.Pairs{Double: func(s, a, b []float64) { compare(k, s, a, b) }, Single: func(s, a, b []float32) { compare(k, s, a, b) }},
		Steps: []compute.Step{{Double: func(s []float64) { apply(k, s) }, Single: func(s []float32) { apply(k, s) }}},
	}
}

// compare sets s_j to Σ_l |a_l + b_lj|.
func compare[T compute.Float](k Kernel, s, a, b []T) {
	if k.Of != compute.Pairwise {
		panic("conformance: Compare of a kernel whose argument is not Pairwise")
	}
	clear(s)
	for l, v := range a {
		for j, w := range b[l*len(s):][:len(s)] {
			s[j] += T(math.Abs(float64(v + w)))
		}
	}
}

func apply[T compute.Float](k Kernel, s []T) {
	if k.Values != nil {
		k.Values.Add(int64(len(s)))
	}
	if k.Scale == 0 {
		return
	}
	for i, v := range s {
		s[i] = T(math.Exp(-float64(v) / k.Scale))
	}
}

// value returns κ(s) and a bound on its change if s changes by at most move.
func (k Kernel) value(s, move float64) (value, moves float64) {
	if k.Scale == 0 {
		return s, move
	}
	value = math.Exp(-s / k.Scale)
	return value, value * math.Expm1(move/k.Scale)
}

// Features are random features in plain Go: φ(x) = ω·x + b, which makes tiles visible, or cos(ω·x + b).
type Features struct {
	Seed   uint64
	Size   int // features in a block
	Cosine bool
}

// normal is the law of their frequencies: normal variates of 24 bits, times 3/4.
var normal = compute.Spectrum{Law: compute.Normal, Scale: 0.75}

// Width implements compute.FeatureMap.
func (f Features) Width() int { return f.Size }

// Stream implements compute.FeatureMap.
func (f Features) Stream() any { return f }

func (f Features) source() compute.Source { return compute.NewSource(f.Seed, "conformance") }

// Draw implements compute.FeatureMap.
func (f Features) Draw(i int, omega compute.Matrix, phase []float64) {
	stream, w := f.source().Stream(uint64(i)), make([]float64, omega.Rows)
	for j := range phase {
		phase[j] = normal.Row(stream, j, w)
		for l, v := range w {
			omega.Set(l, j, v)
		}
	}
}

// Activation implements compute.ProjectionMap.
func (f Features) Activation() compute.Step {
	return compute.Step{Double: func(z []float64) { activate(f, z) }, Single: func(z []float32) { activate(f, z) }}
}

func activate[T compute.Float](f Features, z []T) {
	for i, v := range z {
		z[i] = T(f.activation(float64(v)))
	}
}

// activation is a function with Lipschitz constant 1.
func (f Features) activation(s float64) float64 {
	if f.Cosine {
		return math.Cos(s)
	}
	return s
}

// Spectral are Features that implement SpectralMap: operators draw them without Draw.
type Spectral struct{ Features }

// Stream implements compute.FeatureMap.
func (f Spectral) Stream() any { return f }

// Spectrum implements compute.SpectralMap.
func (f Spectral) Spectrum() (compute.Spectrum, compute.Source) { return normal, f.source() }

// Evaluated are Features that evaluate themselves.
type Evaluated struct{ f Features }

// Width implements compute.FeatureMap.
func (e Evaluated) Width() int { return e.f.Size }

// Evaluate implements compute.Evaluator.
func (e Evaluated) Evaluate(i int, x, phi compute.Matrix) {
	phi.CopyFrom(e.f.blocks(x.Cols, compute.Range{Lo: i, Hi: i + 1}).entries(x, nil, 0).value)
}

// kinds are the ways to make a feature map of Features.
var kinds = []func(f Features) compute.FeatureMap{
	func(f Features) compute.FeatureMap { return f },
	func(f Features) compute.FeatureMap { return Spectral{f} },
	func(f Features) compute.FeatureMap { return Evaluated{f} },
}
