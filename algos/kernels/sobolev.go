package kernels

import (
	"math"
	"sort"

	"repro/algos/compute"
	"repro/algos/compute/exact"
)

// SobolevFrequencies is J, the number of frequencies of PeriodicSobolev.
const SobolevFrequencies = 1024

// PeriodicSobolev is the kernel of a Sobolev space of periodic functions of mean 0, a function of the angle between x and
// z in radians,
//
//	k(x, z) = Σ_{j=1}^J p_j cos(j(x - z)),   p_j = j^(-1/α)/Σ_{l=1}^J l^(-1/α),   J = 1024,
//
// so that k(x, x) = 1. With the uniform probability on the circle its integral operator has the eigenfunctions √2 cos(jx)
// and √2 sin(jx), each with the eigenvalue μ_j = p_j/2. The effective dimension is N(λ) ~ λ^(-α) for λ well above μ_J
// [carratino2018 Assumption 5], and the smoothness is s = 1/(2α), since α = D/2s in dimension D = 1 [carratino2018
// Sec. 3.2]. The sum ends at J so that frequencies stay accurate in float32: a feature of frequency J has an error below
// 2e-3.
type PeriodicSobolev struct {
	Capacity float64 // α, above 0 and at most 1
}

func (PeriodicSobolev) Name() string { return "periodic-sobolev" }

func (k PeriodicSobolev) Formula() compute.Formula {
	p := k.Weights()
	return compute.SquaredDistance.Then(compute.EachStep(func(d2 float64) float64 { return cosines(p, math.Cos(math.Sqrt(d2))) }))
}

// Outside implements Restricted: the inputs are angles.
func (PeriodicSobolev) Outside(x []float64) (column int, need string) { return Heat{}.Outside(x) }

// Weights returns p_1 to p_J, the same bits on every platform.
func (k PeriodicSobolev) Weights() []float64 {
	p, sum := make([]float64, SobolevFrequencies), 0.0
	for i := range p {
		p[i] = exact.Power(float64(i+1), 1/k.Capacity)
		sum += p[i]
	}
	for i := range p {
		p[i] /= sum
	}
	return p
}

// cosines returns Σ_j p_j cos(jd) for the given cos d, by Clenshaw's recurrence b_j = p_j + 2 cos(d) b_{j+1} - b_{j+2}.
func cosines(p []float64, cos float64) float64 {
	now, next := 0.0, 0.0 // b_{j+1} and b_{j+2}
	for i := len(p) - 1; i >= 0; i-- {
		now, next = p[i]+2*cos*now-next, now
	}
	return now*cos - next
}

// Features returns √2·cos(jx + b) with frequencies j of the distribution p and b uniform.
func (k PeriodicSobolev) Features(seed uint64, d, width int) compute.FeatureMap {
	to, sum := k.Weights(), 0.0
	for i, p := range to {
		sum += p
		to[i] = sum
	}
	return harmonics{blocks: newBlocks(seed, width, [...]any{"harmonics", seed, k.Capacity}), to: to}
}

// harmonics is φ_j(x) = √2·cos(jx + b). Feature i of a block takes the numbers 2i and 2i + 1 of its stream: one for j, by
// the inverse of the distribution function, and one for b.
type harmonics struct {
	blocks
	to []float64 // P(frequency ≤ j), j from 1
	cosine
}

// Draw implements compute.ProjectionMap. Frequencies and phases are in turns.
func (f harmonics) Draw(i int, omega compute.Matrix, phase []float64) {
	s := f.stream(i)
	for l := range phase {
		j := 1 + min(sort.SearchFloat64s(f.to, s.Float64()), len(f.to)-1)
		omega.Set(0, l, float64(j)/(2*math.Pi))
		phase[l] = s.Float64()
	}
}

// Heat is the heat kernel on the circle, a function of the angle between x and z in radians,
//
//	k_s(x, z) = 1 + 2 Σ_{j≥1} exp(-j²s) cos(j(x - z))
//
// With the uniform probability on the circle its integral operator has the eigenfunctions 1, √2 cos(jx) and
// √2 sin(jx), with the eigenvalues exp(-j²s) [ma2017 Sec. 2.1, where the exponents of the sum are
// ⌊j/2 + 1⌋², one frequency too high: the constant has the eigenvalue 1].
type Heat struct {
	Time float64 // s, without a unit
}

func (Heat) Name() string { return "heat" }
func (k Heat) Formula() compute.Formula {
	return compute.SquaredDistance.Then(compute.EachStep(func(d2 float64) float64 { return k.at(math.Sqrt(d2)) }))
}

// Outside implements Restricted: the inputs are angles.
func (Heat) Outside(x []float64) (column int, need string) {
	if len(x) != 1 {
		return -1, "one input, an angle in radians"
	}
	return 0, ""
}

// Eigenvalue returns exp(-j²s), that of frequency j.
func (k Heat) Eigenvalue(j int) float64 { return exact.Exp(-float64(j) * float64(j) * k.Time) }

// at returns k_s at the angle d, from whichever of two series has few terms: that over frequencies, with
// cos((j+1)d) = 2 cos(d) cos(jd) - cos((j-1)d), or for small s Poisson's over images,
// √(π/s) Σ_m exp(-(d - 2πm)²/4s).
func (k Heat) at(d float64) float64 {
	if k.Time < 1 {
		return k.images(math.Abs(math.Remainder(d, 2*math.Pi)))
	}
	cos := math.Cos(d)
	sum, before, now := 1.0, 1.0, cos
	for j := 1; ; j++ {
		term := 2 * k.Eigenvalue(j)
		if term < 1e-17 {
			return sum
		}
		sum += term * now
		before, now = now, 2*cos*now-before
	}
}

// images sums the images of an angle 0 ≤ d ≤ π, of which those 2πm ∓ d away come in pairs.
func (k Heat) images(d float64) float64 {
	image := func(a float64) float64 { return exact.Exp(-a * a / (4 * k.Time)) }
	sum := image(d)
	for m := 2 * math.Pi; ; m += 2 * math.Pi {
		near := image(m - d)
		sum += near + image(m+d)
		if near < 1e-17 {
			return math.Sqrt(math.Pi/k.Time) * sum
		}
	}
}
