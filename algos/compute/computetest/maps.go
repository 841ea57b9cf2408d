package computetest

import (
	"math"
	"sync/atomic"

	"repro/algos/compute"
)

// A Kernel is κ(s) = s if Scale is 0, so that tiles can be seen themselves, or exp(-s/Scale), in plain
// Go: the same bits everywhere.
type Kernel struct {
	Of     compute.Argument
	Scale  float64
	Inputs float64       // what they are multiplied by; 0 means 1
	Values *atomic.Int64 // counts the values of κ, if not nil
}

// newKernel returns one kernel of many for d inputs. Every other shows its tiles; the values of the rest
// keep away from 0. Inputs of every third are halved, and those of products of many factors so that these
// do not overflow.
func newKernel(of compute.Argument, d, number int) Kernel {
	k := Kernel{Of: of, Scale: float64(number % 2 * max(1, d))}
	switch {
	case of == compute.ProductDistance:
		k.Inputs = 1 / math.Sqrt(float64(max(1, d)))
	case number%3 == 0:
		k.Inputs = 0.3
	}
	return k
}

// InputScale implements compute.Scaled.
func (k Kernel) InputScale() float64 {
	if k.Inputs == 0 {
		return 1
	}
	return k.Inputs
}

// Argument implements compute.KernelFunc.
func (k Kernel) Argument() compute.Argument { return k.Of }

// Apply implements compute.KernelFunc.
func (k Kernel) Apply(s []float64) { apply(k, s) }

// Apply32 implements compute.KernelFunc.
func (k Kernel) Apply32(s []float32) { apply(k, s) }

// Compare implements compute.PairwiseKernel.
func (k Kernel) Compare(s, a, b []float64) { compare(k, s, a, b) }

// Compare32 implements compute.PairwiseKernel.
func (k Kernel) Compare32(s, a, b []float32) { compare(k, s, a, b) }

// compare sets s_j to Σ_l |a_l + b_lj|.
func compare[T compute.Float](k Kernel, s, a, b []T) {
	if k.Of != compute.Pairwise {
		panic("computetest: a kernel with another argument compares points")
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

// value returns κ(s) and how far it moves, at most, if s does.
func (k Kernel) value(s, move float64) (value, moves float64) {
	if k.Scale == 0 {
		return s, move
	}
	value = math.Exp(-s / k.Scale)
	return value, value * math.Expm1(move/k.Scale)
}

// Features are random features φ(x) = ω·x + b, so that tiles can be seen themselves, or cos(ω·x + b),
// in plain Go.
type Features struct {
	Seed   uint64
	Size   int // of a block
	Cosine bool
}

// normal is the law of their frequencies: variates of 24 bits, times 3/4.
var normal = compute.Spectrum{Law: compute.Normal, Scale: 0.75}

// Width implements compute.FeatureMap.
func (f Features) Width() int { return f.Size }

// Stream implements compute.FeatureMap.
func (f Features) Stream() any { return f }

func (f Features) source() compute.Source { return compute.NewSource(f.Seed, "computetest") }

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

// Activate implements compute.FeatureMap.
func (f Features) Activate(z []float64) { activate(f, z) }

// Activate32 implements compute.FeatureMap.
func (f Features) Activate32(z []float32) { activate(f, z) }

func activate[T compute.Float](f Features, z []T) {
	for i, v := range z {
		z[i] = T(f.activation(float64(v)))
	}
}

// activation is a function that moves no more than s does.
func (f Features) activation(s float64) float64 {
	if f.Cosine {
		return math.Cos(s)
	}
	return s
}

// Spectral are Features that an operator may draw for itself.
type Spectral struct{ Features }

// Stream implements compute.FeatureMap.
func (f Spectral) Stream() any { return f }

// Spectrum implements compute.SpectralMap.
func (f Spectral) Spectrum() (compute.Spectrum, compute.Source) { return normal, f.source() }
