package kernels

import (
	"math"

	"repro/algos/compute"
)

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
	return compute.SquaredDistance.Then(each(func(d2 float64) float64 { return k.at(math.Sqrt(d2)) }))
}

// Outside implements Restricted: the inputs are angles.
func (Heat) Outside(x []float64) (column int, need string) {
	if len(x) != 1 {
		return -1, "one input, an angle in radians"
	}
	return 0, ""
}

// Eigenvalue returns exp(-j²s), that of frequency j.
func (k Heat) Eigenvalue(j int) float64 { return math.Exp(-float64(j) * float64(j) * k.Time) }

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
	image := func(a float64) float64 { return math.Exp(-a * a / (4 * k.Time)) }
	sum := image(d)
	for m := 2 * math.Pi; ; m += 2 * math.Pi {
		near := image(m - d)
		sum += near + image(m+d)
		if near < 1e-17 {
			return math.Sqrt(math.Pi/k.Time) * sum
		}
	}
}
