package algos_test

import (
	"fmt"

	"repro/algos"
	"repro/algos/compute"
	"repro/algos/kernels"
	"repro/algos/losses"
	"repro/algos/methods"
)

// Kernel ridge regression on rows in memory.
func ExampleTrain() {
	x := [][]float64{{0}, {1}, {2}, {3}}
	y := [][]float64{{0}, {1}, {4}, {9}}
	rows, err := algos.Rows(x, y)
	if err != nil {
		panic(err)
	}
	p := &algos.Problem{Train: rows, Kernel: kernels.Gaussian{Sigma: 2}, Loss: losses.Square{}, Nu: 1e-6}
	model, err := algos.Train(p, &methods.KRR{}, 1)
	if err != nil {
		panic(err)
	}
	u := model.Predict(compute.FromRows([][]float64{{1.5}, {2}}))
	fmt.Printf("f(1.5) = %.2f, f(2) = %.2f\n", u.At(0, 0), u.At(1, 0))
	// Output: f(1.5) = 2.17, f(2) = 4.00
}

// A method of one's own is known by its name in specs once it is registered, usually by a variable of its package.
func ExampleRegister() {
	algos.Register[algos.Fit]("krr-by-another-name", "exact kernel ridge regression", func() algos.Algorithm { return &methods.KRR{} })
	a, err := algos.New("krr-by-another-name")
	fmt.Printf("%T %v\n", a, err)
	// Output: *methods.KRR <nil>
}
