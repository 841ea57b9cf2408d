package kernels

import (
	"math"
	"math/bits"

	dsp "gonum.org/v1/gonum/dsp/fourier"

	"repro/algos/compute"
	"repro/algos/compute/exact"
)

// Linear is k(x, z) = x·z/σ² + c [carratino2018 Example 1, jezequel2019 §1].
type Linear struct {
	Sigma  float64 // bandwidth σ, in units of the inputs: 1 for the plain inner product
	Offset float64 // c ≥ 0
}

func (Linear) Name() string { return "linear" }
func (k Linear) Formula() compute.Formula {
	return compute.InnerProduct.Then(compute.AffineStep(1/(k.Sigma*k.Sigma), k.Offset))
}

// Features returns ω·[x/σ, √c], ω uniform on {-1, 1}^(d+1).
func (k Linear) Features(seed uint64, d, width int) compute.FeatureMap {
	return newSigns(seed, width, 1/k.Sigma, math.Sqrt(k.Offset))
}

// Polynomial is k(x, z) = (x·z/σ² + c)^p [dai2014 Table 1, where σ = 1].
type Polynomial struct {
	Sigma  float64 // bandwidth σ, in units of the inputs
	Offset float64 // c ≥ 0
	Degree int     // p ≥ 1
}

func (Polynomial) Name() string { return "polynomial" }
func (k Polynomial) Formula() compute.Formula {
	return compute.InnerProduct.Then(compute.AffineStep(1/(k.Sigma*k.Sigma), k.Offset), compute.PowerStep(k.Degree))
}

// Features returns tensor sketches [Pham and Pagh, KDD 2013; dai2014 Table 1], each a block of width
// features.
func (k Polynomial) Features(seed uint64, d, width int) compute.FeatureMap {
	return tensorSketch{newBlocks(seed, width, nil), 1 / k.Sigma, math.Sqrt(k.Offset), k.Degree}
}

// DotProduct is k(x, z) = exp(x·z/σ²) [Kar and Karnick, AISTATS 2012]. dai2014 Table 1 has the family
// Σ_n a_n (x·z)ⁿ, a_n ≥ 0, and gives no a_n; here a_n = 1/(n! σ²ⁿ). Linear and Polynomial are in the same family.
type DotProduct struct {
	Sigma float64 // bandwidth σ, in units of the inputs
}

func (DotProduct) Name() string { return "dot-product" }
func (k DotProduct) Formula() compute.Formula {
	return compute.InnerProduct.Then(compute.Exp2Step(math.Log2E / (k.Sigma * k.Sigma)))
}

// Features returns √(a_N p^(N+1))·Π_{i≤N} ω_i·x with N of probability p^-(N+1) and ω_i uniform on {-1, 1}^d
// [Kar and Karnick, AISTATS 2012, Algorithm 1; dai2014 Table 1]. These are probabilities only for p = 2,
// the value used here.
func (k DotProduct) Features(seed uint64, d, width int) compute.FeatureMap {
	return maclaurin{newBlocks(seed, width, nil), 1 / k.Sigma}
}

// maclaurin is φ(x) = √(2^(N+1)/N!)·Π_{i≤N} ω_i·x/σ.
type maclaurin struct {
	blocks
	scale float64 // 1/σ
}

func (f maclaurin) Evaluate(i int, x, phi compute.Matrix) {
	toss, omega, product := coin{stream: f.stream(i)}, make([]float64, x.Cols), make([]float64, x.Rows)
	for j := range f.width {
		n := bits.TrailingZeros32(toss.stream.Uint32()) // 32 stands for all above it, too: 2e-10 of the probability
		factorial, _ := math.Lgamma(float64(n + 1))
		root := math.Sqrt(exact.Exp(float64(n+1)*math.Ln2 - factorial))
		for r := range product {
			product[r] = root
		}
		for range n {
			for l := range omega {
				omega[l] = toss.sign()
			}
			for r, p := range product {
				product[r] = p * inOrder(omega, x.Row(r)) * f.scale
			}
		}
		for r, p := range product {
			phi.Set(r, j, p)
		}
	}
}

// inOrder returns the inner product of two vectors of the same length, added from the first to the last.
func inOrder(a, b []float64) (sum float64) {
	for len(a) >= 4 && len(b) >= 4 { // in a page Go's loops take longer than what is in them
		p, q := a[:4:4], b[:4:4]
		sum += float64(p[0] * q[0])
		sum += float64(p[1] * q[1])
		sum += float64(p[2] * q[2])
		sum += float64(p[3] * q[3])
		a, b = a[4:], b[4:]
	}
	for l, v := range a {
		sum += float64(v * b[l])
	}
	return sum
}

// tensorSketch is FFT⁻¹(FFT(C_1 y) ⊙ … ⊙ FFT(C_p y)) with y = [x/σ, √c] [Pham and Pagh, KDD 2013, Algorithm 1;
// dai2014 Table 1]. C_i y is a count sketch: component l is added, with a random sign, to a random one of
// D places. A block is one sketch of D = width features times √D, because here the mean of products
// of features is k, and there it is their sum. A block takes O(p(d + D log D)) operations a point if D is a
// product of small primes.
type tensorSketch struct {
	blocks
	scale, offset float64 // 1/σ and √c
	degree        int     // p
}

// A countSketch adds component l, times sign[l], to place[l].
type countSketch struct {
	place []int
	sign  []float64
}

// draw returns the count sketches of block i for y of d components.
func (f tensorSketch) draw(i, d int) []countSketch {
	stream, sketches := f.stream(i), make([]countSketch, f.degree)
	for k := range sketches {
		c := countSketch{make([]int, d), make([]float64, d)}
		for l := range d {
			c.place[l] = stream.IntN(f.width)
		}
		toss := coin{stream: stream}
		for l := range d {
			c.sign[l] = toss.sign()
		}
		sketches[k] = c
	}
	return sketches
}

func (f tensorSketch) Evaluate(i int, x, phi compute.Matrix) {
	sketches := f.draw(i, x.Cols+1)
	fft, space := dsp.NewFFT(f.width), make([]float64, f.width)
	product, factor := make([]complex128, f.width/2+1), make([]complex128, f.width/2+1)
	unit := 1 / math.Sqrt(float64(f.width)) // √D, over D for FFT⁻¹
	for r := range x.Rows {
		for k, c := range sketches {
			clear(space)
			for l, v := range x.Row(r) {
				space[c.place[l]] += float64(c.sign[l] * f.scale * v)
			}
			space[c.place[x.Cols]] += c.sign[x.Cols] * f.offset
			if k == 0 {
				fft.Coefficients(product, space)
				continue
			}
			for q, v := range fft.Coefficients(factor, space) {
				product[q] *= v
			}
		}
		for j, v := range fft.Sequence(space, product) {
			phi.Set(r, j, unit*v)
		}
	}
}
