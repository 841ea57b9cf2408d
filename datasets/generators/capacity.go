package generators

import (
	"fmt"
	"math"
	"sync"

	"repro/algos/compute"
	"repro/algos/compute/exact"
	"repro/datasets"
)

// capacity is regression on the circle with a kernel of capacity exponent α and a function that just meets the source
// condition of exponent r. The kernel is kernels.PeriodicSobolev, whose integral operator L has the eigenvalues
// μ_j ∝ j^(-1/α). With x uniform on [0, 2π) and e standard normal,
//
//	y = f_H(x) + e/2,   f_H(x) = c Σ_{j=1}^J j^(-1/2) j^(-r/α) cos(jx),   J = 1024,   E f_H(x)² = 1.
//
// Up to a constant f_H = L^r g with g = Σ_j j^(-1/2) cos(jx), and ‖g‖² ~ ln J: without the end at J, f_H would miss the
// source condition by a logarithm. The bias of gradient descent with the step γ falls as Σ_j μ_j^(2r)/j·exp(-2μ_j γt) ~
// (γt)^(-2r), with no smaller power or logarithm.
//
// The test rows are a uniform grid with targets free of noise. From 2J + 1 rows on, their mean squared distance to a sum
// of frequencies up to J is the integral, so that l2-error is the excess risk E(f) - E(f_H) = ‖f - f_H‖²_ρ of a function
// of the kernel's random features, without an error of sampling.
var _ = register(datasets.Source{
	Name:     "capacity",
	Title:    "regression on the circle with chosen capacity and source condition, noise of standard deviation 1/2",
	Citation: "Carratino, Rudi & Rosasco, Learning with SGD and Random Features, NeurIPS 2018, Assumption 5; Caponnetto & De Vito, Optimal rates for the regularized least-squares algorithm, 2007",
	Notes:    "for the kernel periodic-sobolev of the same capacity; test rows are a uniform grid, on which the mean squared distance to f_H is the excess risk",
	Task:     "regression", Dims: 1, Rows: 1 << 16, TestRows: 4096,
	Generate: harmonic(0.5, 0.5),
})

// harmonics is J, the number of frequencies of f_H.
const harmonics = 1024

// gridValues has for exponents α and r the values of f_H at test inputs, which are the same for all seeds.
var gridValues sync.Map

// harmonic returns the generator with the exponents α and r.
func harmonic(capacity, regularity float64) *datasets.Generator {
	c, square := make([]float64, harmonics), 0.0
	for i := range c {
		c[i] = exact.Power(float64(i+1), 0.5+regularity/capacity)
		square += float64(c[i]*c[i]) / 2
	}
	for i := range c {
		c[i] /= math.Sqrt(square)
	}
	truth := func(x float64) float64 { return cosineSum(c, exact.CosQuarters(float64(x*(2/math.Pi)))) }
	known, _ := gridValues.LoadOrStore([2]float64{capacity, regularity}, new(sync.Map))
	onGrid := func(x float64) float64 {
		if y, ok := known.(*sync.Map).Load(x); ok {
			return y.(float64)
		}
		y := truth(x)
		known.(*sync.Map).Store(x, y)
		return y
	}
	return &datasets.Generator{
		Description: fmt.Sprintf("capacity version 1: x uniform on (0, 2 pi), y = f(x) + e/2, e ~ N(0,1), f = c sum_j j^-%v cos(jx), j <= %d, E f^2 = 1", 0.5+regularity/capacity, harmonics),
		Row: func(s *compute.Stream, x, y []float64) {
			x[0] = float64(2 * math.Pi * s.Float64())
			y[0] = truth(x[0]) + s.Normal()/2
		},
		TestGrid: func(part float64, x, y []float64) {
			x[0] = float64(2 * math.Pi * part)
			y[0] = onGrid(x[0])
		},
		Truth:  func(x []float64) float64 { return onGrid(x[0]) },
		Domain: [][2]float64{{0, 2 * math.Pi}},
		Of:     harmonic,
	}
}

// cosineSum returns Σ_j c_j cos(jx), j from 1, for the given cos x, by Clenshaw's recurrence
// b_j = c_j + 2 cos(x) b_{j+1} - b_{j+2} without fused operations.
func cosineSum(c []float64, cos float64) float64 {
	now, next := 0.0, 0.0 // b_{j+1} and b_{j+2}
	for i := len(c) - 1; i >= 0; i-- {
		now, next = c[i]+float64(2*cos*now)-next, now
	}
	return float64(now*cos) - next
}

// heaviside is the step function of ma2017 Sec. 2.1 on a uniform grid of the circle, in radians: 1 on (0, π), -1
// on (π, 2π), f(x) = (4/π) Σ_{j odd} sin(jx)/j. The grid stands for infinitely many rows: up to
// frequency n/2, sums over it are the integrals. No row is random, so that all seeds agree.
var _ = register(datasets.Source{
	Name:     "heaviside",
	Title:    "a step function on a uniform grid of the circle, in radians",
	Citation: "Ma & Belkin, Diving into the shallows: a computational perspective on large-scale shallow learning, NIPS 2017, Sec. 2.1",
	Notes:    "training and test rows are grids of their own",
	Task:     "regression", Dims: 1, Rows: 1024, TestRows: 4096,
	Generate: &datasets.Generator{
		Description: "heaviside version 1: x on a uniform grid of (0, 2 pi), y = 1 if x < pi, else -1",
		Grid: func(part float64, x, y []float64) {
			x[0] = float64(2 * math.Pi * part)
			y[0] = step(x[0])
		},
		Truth:  func(x []float64) float64 { return step(x[0]) },
		Domain: [][2]float64{{0, 2 * math.Pi}},
	},
})

func step(x float64) float64 {
	if x < math.Pi {
		return 1
	}
	return -1
}
