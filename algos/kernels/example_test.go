package kernels_test

import (
	"fmt"
	"log"
	"math"

	"repro/algos/compute"
	"repro/algos/kernels"
)

// RationalQuadratic is k(x, z) = (1 + ‖x - z‖²/(2ασ²))^-α.
type RationalQuadratic struct{ Sigma, Alpha float64 }

func (RationalQuadratic) Name() string { return "rational-quadratic" }

func (k RationalQuadratic) At(x, z []float64) float64 {
	sum := 0.0
	for l, v := range x {
		sum += (v - z[l]) * (v - z[l])
	}
	return math.Pow(1+sum/(2*k.Alpha*k.Sigma*k.Sigma), -k.Alpha)
}

func init() {
	kernels.Register("rational-quadratic", kernels.Family{
		Doc:  "(1 + ‖x - z‖²/(2ασ²))^-α",
		Keys: []kernels.Key{{Name: "bandwidth"}, kernels.Positive("alpha")},
		Make: func(c kernels.Config, sigma float64) kernels.Kernel {
			return kernels.Of(RationalQuadratic{sigma, c.Params["alpha"]})
		},
	})
}

// A spec asks for the kernel with kernel = { name = "rational-quadratic", bandwidth = 1.0, params = { alpha = 0.5 } }.
func ExampleRegister() {
	k, err := kernels.New(kernels.Config{Name: "rational-quadratic", Params: map[string]float64{"alpha": 0.5}}, 1)
	if err != nil {
		log.Fatal(err)
	}
	x := compute.Matrix{Rows: 2, Cols: 1, Stride: 1, Data: []float64{0, math.Sqrt(3)}}
	fmt.Println(kernels.Doc("rational-quadratic"))
	fmt.Printf("%.3f\n", compute.NewEngine(compute.Options{}).KernelMatrix(k, x, x).Data)

	_, err = kernels.New(kernels.Config{Name: "rational-quadratic"}, 1)
	fmt.Println(err)
	// Output:
	// (1 + ‖x - z‖²/(2ασ²))^-α
	// [1.000 0.500 0.500 1.000]
	// kernel rational-quadratic: params.alpha: missing; kernel rational-quadratic needs a number > 0 and finite
}
