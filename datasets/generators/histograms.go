package generators

import (
	"repro/algos/compute"
	"repro/datasets"
)

// histograms are points of the domain of every kernel of dai2014 Table 1: not negative, of sum 1, some of
// their components zero. Rows are the same bits on every platform, as those of dai2014-synthetic are.
var _ = register(datasets.Source{
	Name:     "histograms",
	Title:    "random histograms of 16 bins, each empty with probability 1/4",
	Citation: "made for this program, to show the kernels of Dai et al., Scalable Kernel Methods via Doubly Stochastic Gradients, NIPS 2014, Table 1",
	Notes:    "a bin that is not empty holds the square of a normal variate, over the sum of all; the target is Σ x_l², Simpson's index of concentration",
	Task:     "regression",
	Dims:     histogramBins,
	Rows:     64,
	TestRows: 16,
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
