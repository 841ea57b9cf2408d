package generators

import (
	"fmt"
	"math"

	"repro/algos/compute"
	"repro/algos/compute/exact"
	"repro/datasets"
)

// dai2014-synthetic is the regression problem of dai2014 §7.1: x uniform on [-5, 5]²,
// y = cos(0.5π‖x‖)·exp(-0.1π‖x‖) + 0.1 e with e standard normal, 2²⁰ training rows.
//
// With data.inputs = d it is that model in d dimensions: x uniform on [-5, 5]^d, the same wave of ‖x‖. With data.outputs = m
// a row has m targets, the same wave with noise of their own.
//
// Row i is the same bits on every platform: it takes additions, multiplications and square roots
// alone, which are exactly rounded, and explicit conversions keep compilers from fusing them.
var _ = register(datasets.Source{
	Name:     "dai2014-synthetic",
	Title:    "two-dimensional synthetic regression: a radial wave with noise of standard deviation 0.1",
	Citation: "Dai et al., Scalable Kernel Methods via Doubly Stochastic Gradients, NIPS 2014, Sec. 7.1",
	Task:     "regression",
	Dims:     2,
	Rows:     1 << 20,
	TestRows: 4096,
	Generate: radialIn(2),
})

// radialIn returns the generator in d dimensions.
func radialIn(d int) *datasets.Generator {
	return &datasets.Generator{
		Description: fmt.Sprintf("dai2014-synthetic version 1: x uniform on [-5,5]^%d, y = cos(0.5 pi |x|) exp(-0.1 pi |x|) + 0.1 e, e ~ N(0,1)", d),
		Row:         radialRow,
		Truth:       func(x []float64) float64 { return radialWave(euclidean(x)) },
		Domain:      cube(d, -5, 5),
		In:          radialIn,
		Out:         func(m int) *datasets.Generator { return radialOut(d, m) },
	}
}

// radialOut returns the generator in d dimensions with m targets. Truth is nil: it is that of one target.
func radialOut(d, m int) *datasets.Generator {
	g := *radialIn(d)
	g.Description += fmt.Sprintf(", %d such y", m)
	g.Outputs, g.Truth = m, nil
	return &g
}

func radialRow(s *compute.Stream, x, y []float64) {
	for j := range x {
		x[j] = float64(10*s.Float64()) - 5
	}
	wave := radialWave(euclidean(x))
	for j := range y {
		y[j] = wave + float64(0.1*s.Normal())
	}
}

// euclidean returns ‖x‖ without fused operations.
func euclidean(x []float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += float64(v * v)
	}
	return math.Sqrt(sum)
}

// radialWave returns cos(0.5πr)·exp(-0.1πr) for r ≥ 0.
func radialWave(r float64) float64 {
	return float64(exact.CosQuarters(r) * exact.ExpNegative(float64(0.1*math.Pi*r)))
}
