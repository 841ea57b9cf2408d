package datasets_test

import (
	"context"
	"fmt"
	"log"

	"repro/algos/compute"
	"repro/datasets"
)

func init() {
	datasets.Register(datasets.Source{
		Name:     "parabola",
		Title:    "a parabola with noise of standard deviation 0.1",
		Task:     "regression",
		Dims:     1,
		Rows:     1000,
		TestRows: 200,
		Generate: &datasets.Generator{
			Description: "parabola version 1: x uniform on [-1,1], y = x^2 + 0.1 e, e ~ N(0,1)",
			Row: func(s *compute.Stream, x, y []float64) {
				x[0] = 2*s.Float64() - 1
				y[0] = x[0]*x[0] + 0.1*s.Normal()
			},
			Truth:  func(x []float64) float64 { return x[0] * x[0] },
			Domain: [][2]float64{{-1, 1}},
		},
	})
}

// A data set that is drawn: specs call it with [data] name = "parabola".
func ExampleRegister_generated() {
	const seed = 1
	set, err := datasets.NewLibrary().Open(context.Background(), datasets.Options{Name: "parabola"}, "regression", seed, "")
	if err != nil {
		log.Fatal(err)
	}
	x, y := compute.NewMatrix(1, 1), compute.NewMatrix(1, 1)
	set.Train.Gather([]int{17}, x, y)
	fmt.Printf("%d rows; row 17: x = %.4f, y = %.4f, without noise %.4f\n", set.Train.Len(), x.At(0, 0), y.At(0, 0), set.Truth(x.Row(0)))
	// Output: 1000 rows; row 17: x = -0.6375, y = 0.3879, without noise 0.4064
}
