package kernels

import (
	"math"

	"repro/algos/compute"
	"repro/algos/compute/exact"
)

// The additive homogeneous kernels on histograms are Σ_l √(x_l z_l)·κ(log x_l - log z_l), κ(0) = 1
// [Vedaldi and Zisserman, PAMI 2012]. κ is the Fourier transform of a density, and so each term
// has features of one number ω. They have no parameter: homogeneous, k(sx, sz) = s·k(x, z).

// Hellinger is k(x, z) = Σ_l √(x_l z_l) on histograms, κ = 1 [dai2014 Table 1].
type Hellinger struct {
	histogram
	roots
}

func (Hellinger) Name() string             { return "hellinger" }
func (Hellinger) Formula() compute.Formula { return compute.InnerProduct.Then() }

// Features returns ω·√x, ω uniform on {-1, 1}^d [dai2014 Table 1]. The table prints 2ω·√x, which has
// E[φ_ω(x) φ_ω(z)] = 4k(x, z).
func (Hellinger) Features(seed uint64, d, width int) compute.FeatureMap {
	return struct {
		signs
		roots
	}{signs: newSigns(seed, width, 1, 0)}
}

// ChiSquared is k(x, z) = 2 Σ_l x_l z_l/(x_l + z_l) on histograms, 0/0 being 0: κ(λ) = sech(λ/2)
// [dai2014 Table 1]. It is computed from 1/x and 1/z: a term is 2/(1/x_l + 1/z_l).
type ChiSquared struct{ histogram }

func (ChiSquared) Name() string { return "chi-squared" }
func (ChiSquared) Formula() compute.Formula {
	return compute.Pairs{Double: harmonic[float64], Single: harmonic[float32]}.Then()
}

func (ChiSquared) Map(x compute.Matrix) compute.Matrix {
	return mapped(x, func(v float64) float64 { return 1 / v })
}

// harmonic sets s_j to Σ_l 2/(a_l + b_lj).
func harmonic[T compute.Float](s, a, b []T) {
	clear(s)
	for l, v := range a {
		for j, w := range b[l*len(s):][:len(s)] {
			s[j] += 2 / (v + w)
		}
	}
}

// Features returns √x_l·√2·cos(ω·log x_l + b), ω of density sech(πω), for components l in turn; see
// additive.
func (ChiSquared) Features(seed uint64, d, width int) compute.FeatureMap {
	return newAdditive(seed, width, compute.Spectrum{Law: compute.Sech, Scale: 0.5}, false)
}

// Intersection is k(x, z) = Σ_l min(x_l, z_l) on histograms: κ(λ) = exp(-|λ|/2) [dai2014 Table 1].
type Intersection struct{ histogram }

func (Intersection) Name() string { return "intersection" }
func (Intersection) Formula() compute.Formula {
	return compute.Pairs{Double: minima[float64], Single: minima[float32]}.Then()
}

// minima sets s_j to Σ_l min(a_l, b_lj).
func minima[T compute.Float](s, a, b []T) {
	clear(s)
	for l, v := range a {
		for j, w := range b[l*len(s):][:len(s)] {
			s[j] += min(v, w)
		}
	}
}

// Features returns √x_l·√2·cos(ω·log x_l + b), ω of density 2/(π(1 + 4ω²)), for components l in turn; see
// additive. The table prints half this density, and √(2x_l) in place of √x_l, which compensates.
func (Intersection) Features(seed uint64, d, width int) compute.FeatureMap {
	return newAdditive(seed, width, compute.Spectrum{Law: compute.Cauchy, Scale: 0.5}, false)
}

// JensenShannon is k(x, z) = Σ_l x_l/2·log₂((x_l + z_l)/x_l) + z_l/2·log₂((x_l + z_l)/z_l) on histograms,
// a term with x_l = 0 being 0 [dai2014 Table 1].
type JensenShannon struct{ histogram }

func (JensenShannon) Name() string { return "jensen-shannon" }
func (JensenShannon) Formula() compute.Formula {
	return compute.Pairs{Double: jensenShannon[float64], Single: jensenShannon[float32]}.Then()
}

// Map implements compute.Mapped: x, and its logarithms in as many columns more, 0 for that of 0.
func (JensenShannon) Map(x compute.Matrix) compute.Matrix {
	m := compute.NewMatrix(x.Rows, 2*x.Cols)
	m.ColRange(0, x.Cols).CopyFrom(x)
	for i := range x.Rows {
		for l, v := range x.Row(i) {
			if v > 0 {
				m.Set(i, x.Cols+l, exact.Log(v))
			}
		}
	}
	return m
}

// jensenShannon sets s_j to the kernel at a and b_j, which have their logarithms beside them.
func jensenShannon[T compute.Float](s, a, b []T) {
	clear(s)
	var space [64]T
	d, n := len(a)/2, len(s)
	for l, x := range a[:d] {
		for lo := 0; lo < n; lo += len(space) {
			z, logZ, sum := b[l*n:][lo:n], b[(d+l)*n:][lo:n], space[:min(len(space), n-lo)]
			for j := range sum {
				sum[j] = x + z[j]
			}
			compute.Log(sum)
			for j, v := range sum {
				if v > lowest { // else x + z is 0
					s[lo+j] += T(x*(v-a[d+l])) + T(z[j]*(v-logZ[j]))
				}
			}
		}
	}
	for j := range s {
		s[j] *= 1 / (2 * math.Ln2)
	}
}

// lowest is below every logarithm but that of 0.
const lowest = -1e4

// Features returns √x_l·√2·cos(ω·log x_l + b), ω of density proportional to sech(πω)/(1 + 4ω²), for
// components l in turn; see additive. The table prints half of this density, and √(2x_l) in
// place of √x_l, which compensates.
func (JensenShannon) Features(seed uint64, d, width int) compute.FeatureMap {
	return newAdditive(seed, width, compute.Spectrum{Law: compute.Sech, Scale: 0.5}, true)
}

// additive is φ(x) = √(2d·x_l)·cos(ω·log x_l + b), 0 where x_l is. In dai2014 Table 1 a feature is the
// vector of these values for all l, of one ω. Here d consecutive features are the components of such a vector in
// random order; the last vector of a block may be incomplete. The factor √d gives every single feature
// E[φ(x) φ(z)] = k(x, z), and the mean over d of them is the inner product of the table's vectors.
type additive struct {
	blocks
	order    compute.Source
	spectrum compute.Spectrum // of ω, in turns
	thinned  bool             // keep ω with probability 1/(1 + 4ω²), ω in radians
}

func newAdditive(seed uint64, width int, s compute.Spectrum, thinned bool) additive {
	return additive{newBlocks(seed, width, nil), compute.NewSource(seed, "components"), turns(s), thinned}
}

func (f additive) Evaluate(i int, x, phi compute.Matrix) {
	d := x.Cols
	if d == 0 {
		phi.Zero()
		return
	}
	stream, order := f.stream(i), f.order.Stream(uint64(i))
	var components []int
	var omega, phase float64
	row, z := 0, make([]float64, x.Rows)
	for j := range f.width {
		if j%d == 0 {
			components = order.Perm(d)
			omega, phase, row = f.frequency(stream, row)
		}
		l := components[j%d]
		for r := range z {
			z[r] = x.At(r, l)
		}
		compute.Log(z)
		compute.Affine(z, omega, phase)
		compute.CosTurns(z, math.Sqrt(2*float64(d)))
		for r, v := range z {
			if w := x.At(r, l); w > 0 {
				phi.Set(r, j, math.Sqrt(w)*v)
			} else {
				phi.Set(r, j, 0)
			}
		}
	}
}

// frequency returns the first frequency from a row of the stream on that is kept, its phase, and the next
// row. Given that it is kept, the uniform number that decided so is uniform below its bound.
func (f additive) frequency(s *compute.Stream, row int) (omega, phase float64, next int) {
	var w [1]float64
	for {
		u := f.spectrum.Row(s, row, w[:])
		row++
		if !f.thinned {
			return w[0], u, row
		}
		radians := 2 * math.Pi * w[0]
		if u *= 1 + float64(4*radians*radians); u < 1 {
			return w[0], u, row
		}
	}
}
