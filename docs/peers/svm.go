package main

import (
	"context"
	"fmt"
	"math"

	"repro/algos"
	"repro/algos/compute"
	"repro/algos/kernels"
	"repro/algos/losses"
	"repro/algos/methods"
	"repro/datasets"
	_ "repro/datasets/sources" // a9a
	"repro/datasets/transforms"
)

// svmTolerance is how far decision values may differ: LIBSVM's default of 1e-3 for violations of the optimality conditions leaves
// differences of that order.
const svmTolerance = 1e-2

// svm is a support vector machine with a bias on a9a, or on n generated rows. The peer has LIBSVM's default tolerance. We stop
// at the relative duality gap that it reached.
func svm(ctx context.Context, e *compute.Engine, lib *datasets.Library, n int, peers []candidate) work {
	const c, sigma = 1, 4
	w := work{name: "exact SVM", shape: fmt.Sprintf("n=%d d=%d C=%d", n, generatedInputs, c), tolerance: svmTolerance, peers: peers}
	load := func() (x, y compute.Matrix, err error) {
		x, y = generatedLabels(n)
		return x, y, nil
	}
	if ok, _ := lib.Available("a9a"); ok {
		w.shape = fmt.Sprintf("a9a C=%d σ=%d", c, sigma)
		load = func() (x, y compute.Matrix, err error) {
			s, err := lib.Open(ctx, datasets.Options{Name: "a9a"}, "binary", 0, "")
			if err == nil {
				x, y = (&algos.Problem{Train: s.Train}).Dense()
			}
			return x, y, err
		}
	}
	w.setup = func() (*task, error) {
		x, y, err := load()
		if err != nil {
			return nil, err
		}
		kernel := kernels.Gaussian{Sigma: sigma}
		t := &task{
			arrays:  map[string]compute.Matrix{"x": x, "y": y},
			numbers: map[string]float64{"c": c, "gamma": 1. / (2 * sigma * sigma), "tol": 1e-3, "cache_mb": svmCache},
		}
		t.comparable = func(coef compute.Matrix) compute.Matrix {
			values, _ := expand(e, kernel, x, coef)
			return values
		}
		t.ours = func(peers []compute.Matrix) side {
			gap := 1e-3
			for _, coef := range peers {
				gap = min(gap, relativeGap(e, kernel, x, y, coef, c))
			}
			gap = max(gap, 1e-10) // rounding errors of float64 are not far below
			t.note = fmt.Sprintf("to a relative duality gap of %.1e", gap)
			p := &algos.Problem{
				Train: transforms.InMemory{X: x, Y: y}, Kernel: kernel, Loss: losses.Hinge{}, Nu: 1 / (c * float64(x.Rows)), Engine: e,
			}
			return fitted(p, &methods.KSVM{Gap: gap, Bias: true}, x)(peers)
		}
		return t, nil
	}
	return w
}

const (
	svmCache        = 1000 // MB that a peer may use to keep rows of the kernel matrix
	generatedInputs = 20
)

// generatedLabels returns n rows and the signs of a noisy quadratic function of them.
func generatedLabels(n int) (x, y compute.Matrix) {
	x, y = normals(n, generatedInputs, "x"), normals(n, 1, "y")
	for i := range n {
		row := x.Row(i)
		y.Data[i] = math.Copysign(1, row[0]*row[1]+row[2]+0.5*y.Data[i])
	}
	return x, y
}

// expand returns Σ_i c_i k(x_i, ·) + b at the rows of x, for the column (c, b), and Σ_ij c_i c_j k(x_i, x_j).
func expand(e *compute.Engine, k kernels.Kernel, x, coef compute.Matrix) (values compute.Matrix, norm float64) {
	n := x.Rows
	var rows []int
	var c []float64
	for i, v := range coef.Data[:n] {
		if v != 0 {
			rows, c = append(rows, i), append(c, v)
		}
	}
	values = compute.NewMatrix(n, 1)
	if len(rows) > 0 {
		e.Kernel(k, x, x.Select(rows)).MulTo(values, compute.Matrix{Rows: len(c), Cols: 1, Stride: 1, Data: c})
	}
	for i, at := range rows {
		norm += c[i] * values.Data[at]
	}
	for i := range values.Data {
		values.Data[i] += coef.Data[n]
	}
	return values, norm
}

// relativeGap returns (P - D)/P for P = ‖f‖²/2 + C Σ max(0, 1 - y(f + b)) and D = Σ y_i c_i - ‖f‖²/2. It is +Inf if c is not
// feasible: unless 0 ≤ y_i c_i ≤ C.
func relativeGap(e *compute.Engine, k kernels.Kernel, x, y, coef compute.Matrix, c float64) float64 {
	values, norm := expand(e, k, x, coef)
	primal, dual := norm/2, -norm/2
	for i, v := range values.Data {
		primal += c * max(0, 1-y.Data[i]*v)
		beta := y.Data[i] * coef.Data[i]
		if beta < 0 || beta > c*(1+1e-9) { // but for roundings
			return math.Inf(1)
		}
		dual += beta
	}
	return (primal - dual) / primal
}
