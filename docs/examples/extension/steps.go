package smoothing

import (
	"repro/algos/compute"
	"repro/datasets"
)

func init() {
	datasets.Register(datasets.Source{
		Name:     "two-steps",
		Title:    "one-dimensional regression: two steps and Gaussian noise of standard deviation 0.5",
		Licence:  "generated, no licence needed",
		Citation: "made for this example",
		Task:     "regression",
		Dims:     1,
		Rows:     4096,
		TestRows: 512,
		Generate: &datasets.Generator{
			Description: "two-steps version 1: x uniform on [0,1], y = steps(x) + 0.5 e, e ~ N(0,1)",
			Row: func(s *compute.Stream, x, y []float64) {
				x[0] = s.Float64()
				y[0] = steps(x[0]) + float64(0.5*s.Normal())
			},
			Truth:  func(x []float64) float64 { return steps(x[0]) },
			Domain: [][2]float64{{0, 1}},
		},
	})

}

// steps is -1 on the first third of the unit interval, 1 on the second and 0 on the last.
func steps(x float64) float64 {
	switch {
	case x < 1./3:
		return -1
	case x < 2./3:
		return 1
	}
	return 0
}
