package generators

import (
	"repro/algos/compute"
	"repro/datasets"
)

// susy-shape has the shape of SUSY's first million rows, 18 inputs and two classes, and an error of about 20 % that no method
// gets below: it stands in for them where rows, inputs and time are what counts.
//
// Rows are the same bits on every platform, as those of dai2014-synthetic are.
var _ = register(datasets.Source{
	Name:     "susy-shape",
	Title:    "generated data of the shape of SUSY's first million rows: 18 inputs, two classes that overlap",
	Citation: "made for this program",
	Notes:    "six of the inputs decide; predicting without error is impossible: the best classifier errs on 19.8 % of the rows",
	Task:     "binary",
	Dims:     18,
	Rows:     1_000_000,
	TestRows: 100_000,
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
