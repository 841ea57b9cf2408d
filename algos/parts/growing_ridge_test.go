package parts

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"repro/algos"
	"repro/algos/algostest"
	"repro/algos/compute"
	"repro/algos/kernels"
	"repro/algos/losses"
)

// naiveHindsight is by definition: a direct solve of K + λI, and the eigenvalues of K.
func naiveHindsight(t *testing.T, p *algos.Problem, x, y compute.Matrix) algos.Hindsight {
	t.Helper()
	n := x.Rows
	lambda := p.Nu * float64(p.Train.Len())
	k := mat.NewSymDense(n, append([]float64(nil), p.Engine.KernelMatrix(p.Kernel, x, x).Data...))
	var ridge mat.Dense
	ridge.CloneFrom(k)
	for i := range n {
		ridge.Set(i, i, ridge.At(i, i)+lambda)
	}
	targets := mat.NewDense(n, y.Cols, append([]float64(nil), y.Data...))
	var alpha, f, residual mat.Dense
	require.NoError(t, alpha.Solve(&ridge, targets))
	f.Mul(k, &alpha)
	residual.Sub(targets, &f)
	h := algos.Hindsight{Lambda: lambda, Squares: math.Pow(mat.Norm(&residual, 2), 2)}
	for o := range y.Cols {
		h.SquaredNorm += mat.Inner(alpha.ColView(o), k, alpha.ColView(o))
	}
	h.Penalised = h.Squares + lambda*h.SquaredNorm
	var eigen mat.EigenSym
	require.True(t, eigen.Factorize(k, false))
	for _, v := range eigen.Values(nil) {
		h.LogDet += math.Log1p(v / lambda)
		h.Dimension += v / (v + lambda)
	}
	for i := range n {
		sum := 0.0
		for _, v := range y.Row(i) {
			sum += v * v
		}
		h.SquaredY, h.SquaredK = max(h.SquaredY, sum), max(h.SquaredK, k.At(i, i))
	}
	return h
}

func TestGrowingRidgeByDefinition(t *testing.T) {
	for _, lambda := range []float64{0.01, 1, 30} {
		p := algostest.Problem(120, losses.Square{})
		p.Nu = lambda / 120
		if lambda == 1 {
			p.Kernel = kernels.Polynomial{Sigma: 2, Offset: 0.5, Degree: 2} // its k(x, x) is not constant
		}
		x, y := p.Dense()
		r := NewGrowingRidge(p)
		for i := range x.Rows {
			r.Add(x.Row(i), y.Row(i))
			if i%17 > 0 && i < x.Rows-1 {
				continue
			}
			got, want := r.Hindsight(), naiveHindsight(t, p, x.RowRange(0, i+1), y.RowRange(0, i+1))
			for name, v := range map[string][2]float64{
				"minimum": {want.Penalised, got.Penalised}, "squares": {want.Squares, got.Squares}, "norm": {want.SquaredNorm, got.SquaredNorm},
				"log det": {want.LogDet, got.LogDet}, "dimension": {want.Dimension, got.Dimension},
				"targets": {want.SquaredY, got.SquaredY}, "kernel": {want.SquaredK, got.SquaredK}, "λ": {want.Lambda, got.Lambda},
			} {
				// The condition of K + λI is at most 10⁴·n, times the rounding of a float64.
				require.InDelta(t, v[0], v[1], 1e-9*(1+math.Abs(v[0])), "%s, λ = %v, %d examples", name, lambda, i+1)
			}
		}
	}
}

// Next is what Hindsight says once the example is added, and changes nothing.
func TestNextOfAGrowingRidge(t *testing.T) {
	p := algostest.Problem(40, losses.Square{})
	x, all := p.Dense()
	p.Train = oneOutput{p.Train}
	p.Nu = 0.5 / 40
	y := all.ColRange(0, 1)
	r := NewGrowingRidge(p)
	for i := range x.Rows {
		squares, far := r.Next(x.RowRange(i, i+1))[0], r.Next(x)
		assert.InDelta(t, squares(0.3), far[i](0.3), 1e-12)
		other := far[0](0.3)
		for _, v := range []float64{-1, 0.2, y.At(i, 0)} {
			after := NewGrowingRidge(p)
			for s := range i {
				after.Add(x.Row(s), y.Row(s)[:1])
			}
			after.Add(x.Row(i), []float64{v})
			require.InDelta(t, after.Hindsight().Squares, squares(v), 1e-10)
		}
		assert.Equal(t, other, r.Next(x)[0](0.3))
		r.Add(x.Row(i), y.Row(i)[:1])
	}
}

// oneOutput are samples with the first output.
type oneOutput struct{ algos.Samples }

func (s oneOutput) Dims() (in, out int) {
	in, _ = s.Samples.Dims()
	return in, 1
}
