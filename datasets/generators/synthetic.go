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
	Task:     "regression", Dims: 2, Rows: 1 << 20, TestRows: 4096,
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

// susy-shape has the shape of SUSY's first million rows, 18 inputs and two classes, and an error of about 20 % that no method
// gets below: it stands in for them where rows, inputs and time are what counts.
//
// Rows are the same bits on every platform, as those of dai2014-synthetic are.
var _ = register(datasets.Source{
	Name:     "susy-shape",
	Title:    "generated data of the shape of SUSY's first million rows: 18 inputs, two classes that overlap",
	Citation: "made for this program",
	Notes:    "six of the inputs decide; predicting without error is impossible: the best classifier errs on 19.8 % of the rows",
	Task:     "binary", Dims: 18, Rows: 1_000_000, TestRows: 100_000,
	Generate: &datasets.Generator{
		Description: "susy-shape version 1: x uniform on [-1,1]^18, y = sign(x1 + x2 - x3 + 2 x4 x5 + x6^2 - 1/3 + 0.9 e), e ~ N(0,1), 1 for 0",
		Row: func(s *compute.Stream, x, y []float64) {
			uniform(s, x)
			e := s.Normal()
			y[0] = 1
			if overlap(x)+float64(0.9*e) < 0 {
				y[0] = -1
			}
		},
	},
})

// overlap is x₁ + x₂ - x₃ + 2x₄x₅ + x₆² - 1/3: the best classifier is its sign.
func overlap(x []float64) float64 {
	return x[0] + x[1] - x[2] + float64(float64(2*x[3])*x[4]) + float64(x[5]*x[5]) - 1.0/3
}

// histograms are points of the domain of every kernel of dai2014 Table 1: not negative, of sum 1, some of
// their components zero. Rows are the same bits on every platform, as those of dai2014-synthetic are.
var _ = register(datasets.Source{
	Name:     "histograms",
	Title:    "random histograms of 16 bins, each empty with probability 1/4",
	Citation: "made for this program, to show the kernels of Dai et al., Scalable Kernel Methods via Doubly Stochastic Gradients, NIPS 2014, Table 1",
	Notes:    "a bin that is not empty holds the square of a normal variate, over the sum of all; the target is Σ x_l², Simpson's index of concentration",
	Task:     "regression", Dims: histogramBins, Rows: 64, TestRows: 16,
	Generate: &datasets.Generator{
		Description: "histograms version 1: 16 bins x_l = b_l e_l^2 / sum, e_l ~ N(0,1), b_l = 0 with probability 1/4, else 1, x_0 = 1 if all are 0; y = sum x_l^2",
		Row:         histogramRow,
		Truth:       concentration,
		Domain:      cube(histogramBins, 0, 1),
	},
})

const histogramBins = 16

func histogramRow(s *compute.Stream, x, y []float64) {
	sum := 0.0
	for l := range x {
		e, full := s.Normal(), s.Uint32()%4 > 0
		if x[l] = 0; full {
			x[l] = float64(e * e)
		}
		sum += x[l]
	}
	if sum == 0 {
		x[0], sum = 1, 1
	}
	for l := range x {
		x[l] /= sum
	}
	y[0] = concentration(x)
}

// concentration returns Σ x_l².
func concentration(x []float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += float64(v * v)
	}
	return sum
}

// half-space is the synthetic problem on which the released code of Rathore et al. 2024 measures linear convergence: normal inputs and the
// side of a hyperplane through 0 on which they lie. The code draws its normal; that of the first input is as good, because the inputs
// have no direction.
var _ = register(datasets.Source{
	Name:     "half-space",
	Title:    "normal inputs, labelled by the sign of the first",
	Citation: "Rathore, Frangella, Yang, Derezinski & Udell, Have ASkotch: a neat solution for large-scale kernel ridge regression, 2024, released code",
	Task:     "binary", Dims: 10, Rows: 10_000, TestRows: 1000,
	Generate: halfSpaceIn(10),
})

// halfSpaceIn returns the generator of half-space in d dimensions.
func halfSpaceIn(d int) *datasets.Generator {
	return &datasets.Generator{
		Description: fmt.Sprintf("half-space version 1: x ~ N(0, I) in %d dimensions, y = 1 if x1 >= 0, else -1", d),
		Row: func(s *compute.Stream, x, y []float64) {
			for j := range x {
				x[j] = s.Normal()
			}
			y[0] = 1
			if x[0] < 0 {
				y[0] = -1
			}
		},
		In: halfSpaceIn,
	}
}
