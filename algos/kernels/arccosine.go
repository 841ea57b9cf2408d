package kernels

import (
	"math"

	"repro/algos/compute"
	"repro/algos/compute/exact"
)

// ArcCosine is k(x, z) = (1/π)·‖x‖ⁿ‖z‖ⁿ·J_n(θ), θ the angle between x and z [Cho and Saul, NIPS 2009,
// eqs. (3) to (7); dai2014 Table 1], with
//
//	J_0(θ) = π - θ    J_1(θ) = sin θ + (π - θ)·cos θ    J_2(θ) = 3·sin θ·cos θ + (π - θ)(1 + 2cos²θ)
//
// It is computed from the distance of the points on the unit sphere, 2·sin(θ/2), which is exactly zero for
// identical points; order 0 has a cusp there, as Laplace has. Order 0 is not defined at x = 0.
type ArcCosine struct {
	Order int // n: 0, 1 or 2
}

func (ArcCosine) Name() string { return "arc-cosine" }

func (k ArcCosine) Formula() compute.Formula {
	return compute.Formula{Of: compute.SquaredDistance, Steps: []compute.Step{compute.EachStep(k.ofAngle)}, Weighted: true}
}

func (k ArcCosine) Outside(x []float64) (column int, need string) {
	if k.Order > 0 {
		return 0, ""
	}
	for _, v := range x {
		if v != 0 {
			return 0, ""
		}
	}
	return -1, "not 0 in every component"
}

// Map implements compute.Mapped: x/‖x‖, and the weight ‖x‖ⁿ in the last column. Zero stays zero.
func (k ArcCosine) Map(x compute.Matrix) compute.Matrix {
	m := compute.NewMatrix(x.Rows, x.Cols+1)
	for i := range x.Rows {
		row, largest := m.Row(i), 0.0
		for _, v := range x.Row(i) {
			largest = max(largest, math.Abs(v))
		}
		sum := 0.0
		for l, v := range x.Row(i) {
			if largest > 0 {
				row[l] = v / largest // no square overflows
			}
			sum += float64(row[l] * row[l])
		}
		norm := math.Sqrt(sum)
		for l := range x.Cols {
			if norm > 0 {
				row[l] /= norm
			}
		}
		row[x.Cols] = exact.Pow(largest*norm, float64(k.Order))
	}
	return m
}

// ofAngle returns J_n(θ)/π for the squared distance of two points on the unit sphere.
func (k ArcCosine) ofAngle(d2 float64) float64 {
	h := min(math.Sqrt(d2)/2, 1)    // sin(θ/2)
	q := 1 - 2*math.Asin(h)/math.Pi // (π - θ)/π
	square := float64(h * h)
	sin, cos := 2*h*math.Sqrt(1-square), 1-2*square
	switch k.Order {
	case 1:
		q = sin/math.Pi + float64(q*cos)
	case 2:
		q = 3*sin*cos/math.Pi + float64(q*(1+float64(2*cos*cos)))
	}
	return q
}

// Features returns √2·Θ(ω·x)·(ω·x)ⁿ, Θ the step function, ω standard normal: k is
// 2·E[Θ(ω·x) Θ(ω·z) (ω·x)ⁿ (ω·z)ⁿ] [Cho and Saul, NIPS 2009, eq. (1)]. Table 1 of dai2014 has
// (ω·x)ⁿ·max(0, ω·x), which is of order n + 1, and the factor 2 in the density of ω.
func (k ArcCosine) Features(seed uint64, d, width int) compute.FeatureMap {
	return projections{ // frequencies are the same for all orders
		newBlocks(seed, width, [...]any{"rectified", seed}), 1, func(l int, z []float64) float64 { return z[l] },
		compute.Step{Function: compute.RectifiedPower, A: math.Sqrt2, B: float64(k.Order)},
	}
}
