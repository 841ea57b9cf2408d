package kernels

import (
	"math"
	"math/bits"

	"repro/algos/compute"
)

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
	return maclaurin{newBlocks(seed, width), 1 / k.Sigma}
}

// maclaurin is φ(x) = √(2^(N+1)/N!)·Π_{i≤N} ω_i·x/σ.
type maclaurin struct {
	blocks
	scale float64 // 1/σ
}

func (f maclaurin) Evaluate(i int, x, phi compute.Matrix) {
	toss, omega := coin{stream: f.stream(i)}, make([]float64, x.Cols)
	for j := range f.width {
		n := bits.TrailingZeros32(toss.stream.Uint32()) // 32 stands for all above it, too: 2e-10 of the probability
		factorial, _ := math.Lgamma(float64(n + 1))
		for r := range x.Rows {
			phi.Set(r, j, math.Sqrt(math.Exp(float64(n+1)*math.Ln2-factorial)))
		}
		for range n {
			for l := range omega {
				omega[l] = toss.sign()
			}
			for r := range x.Rows {
				sum := 0.0
				for l, v := range x.Row(r) {
					sum += float64(omega[l] * v)
				}
				phi.Set(r, j, phi.At(r, j)*sum*f.scale)
			}
		}
	}
}
