package methods

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"gonum.org/v1/gonum/mat"

	"repro/algos"
	"repro/algos/algostest"
	"repro/algos/compute"
	"repro/algos/losses"
)

// kernelForecast is the prediction in round t by a direct solve. With the current point it is that of Kernel-AWV.
func kernelForecast(p *algos.Problem, x, y compute.Matrix, t int, lambda float64, current bool) []float64 {
	m := t
	if current {
		m++
	}
	if m == 0 {
		return make([]float64, y.Cols)
	}
	e := compute.NewEngine(compute.Options{Threads: 1})
	kernel := e.KernelMatrix(p.Kernel, x.RowRange(0, t+1), x.RowRange(0, t+1))
	gram, b := mat.NewDense(m, m, nil), mat.NewDense(m, y.Cols, nil)
	for i := range m {
		for j := range m {
			gram.Set(i, j, kernel.At(i, j))
		}
		gram.Set(i, i, gram.At(i, i)+lambda)
		for c := range y.Cols {
			if i < t {
				b.Set(i, c, y.At(i, c))
			}
		}
	}
	return directSolve(gram, b, kernel.Row(t))
}

// Every one of 200 predictions is that of a direct solve.
func TestOnlineKernelMethodsAreDirectSolves(t *testing.T) {
	const n, lambda = 200, 0.3
	for _, c := range []struct {
		algorithm algos.Algorithm
		current   bool
	}{{&KernelAWV{}, true}, {&OnlineKRR{}, false}} {
		p := algostest.Problem(n, losses.Square{})
		p.Nu = lambda / n
		u, x, y := record(t, c.algorithm, p, n)
		for i := range n {
			assert.InDeltaSlice(t, kernelForecast(p, x, y, i, lambda, c.current), u[i], 1e-8, "%T, round %d", c.algorithm, i)
		}
	}
}
