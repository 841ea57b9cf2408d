package generators

import (
	"math"

	"repro/datasets"
)

// heaviside is the step function of ma2017 Sec. 2.1 on a uniform grid of the circle, in radians: 1 on (0, π), -1
// on (π, 2π), f(x) = (4/π) Σ_{j odd} sin(jx)/j. The grid stands for infinitely many rows: up to
// frequency n/2, sums over it are the integrals. No row is random, so that all seeds agree.
var _ = register(datasets.Source{
	Name:     "heaviside",
	Title:    "a step function on a uniform grid of the circle, in radians",
	Citation: "Ma & Belkin, Diving into the shallows: a computational perspective on large-scale shallow learning, NIPS 2017, Sec. 2.1",
	Notes:    "training and test rows are grids of their own",
	Task:     "regression",
	Dims:     1,
	Rows:     1024,
	TestRows: 4096,
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
