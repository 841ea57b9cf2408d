package methods

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"repro/algos"
	"repro/algos/algostest"
	"repro/algos/compute"
	"repro/algos/losses"
	"repro/algos/parts"
)

// objectives returns the primal and dual objectives, summed over outputs, of f = (1/(νn)) Σ α_i k(x_i, ·).
func objectives(p *algos.Problem, k, y, alpha compute.Matrix) (primal, dual float64) {
	n := float64(y.Rows)
	f := compute.NewEngine(compute.Options{}).Mul(k, alpha, false)
	f.Scale(1 / (p.Nu * n))
	for i := range y.Rows {
		primal += p.Loss.Value(f.Row(i), y.Row(i)) / n
		for o, a := range alpha.Row(i) {
			norm := a * f.At(i, o) / (p.Nu * n)
			primal += p.Nu / 2 * norm
			dual -= p.Loss.(losses.Dual).Conjugate(a, y.At(i, o))/n + p.Nu/2*norm
		}
	}
	return primal, dual
}

// dualOf returns the α of all training rows.
func dualOf(f algos.Fit) compute.Matrix {
	switch f := f.(type) {
	case *ksdca:
		a := compute.NewMatrix(f.n, f.Out)
		for i, row := range f.Rows {
			copy(a.Row(row), f.Alpha[i*f.Out:])
		}
		return a
	case *fsdca:
		return compute.Matrix{Rows: f.n, Cols: f.Out, Stride: f.Out, Data: append([]float64(nil), f.state.Duals...)}
	}
	panic("not SDCA")
}

// gramOf returns the kernel matrix of the training rows that the fit of a problem sees.
func gramOf(p *algos.Problem, f algos.Fit) compute.Matrix {
	x, _ := p.Dense()
	if f, ok := f.(*fsdca); ok {
		z := f.Z.Explicit(f.Z.At(x))
		k := compute.NewMatrix(x.Rows, x.Rows)
		p.Engine.Gemm(k, 1, z, false, z, true, 0)
		return k
	}
	return p.Engine.KernelMatrix(p.Kernel, x, x)
}

// sdcas are the methods with given settings.
func sdcas(s SDCASettings) map[string]algos.Algorithm {
	return map[string]algos.Algorithm{"k-sdca": &KSDCA{s}, "r-sdca": &RSDCA{s, 20}, "n-sdca": &NSDCA{s, 20, parts.NystromSettings{Jitter: 1e-10}}}
}

// TestSDCABatchesChangeNothing: the batch is how much is computed at once; 1, 7 and all rows give the same
// f after two passes, and in the middle of the first.
func TestSDCABatchesChangeNothing(t *testing.T) {
	for _, c := range dualLosses {
		for _, start0 := range []bool{false, true} {
			for name := range sdcas(SDCASettings{}) {
				var want compute.Matrix
				for _, batch := range []int{1, 7, lawPoints} {
					p := algostest.Problem(lawPoints, c.loss)
					p.Nu = 0.01
					f := algostest.Start(t, sdcas(SDCASettings{Batch: batch, SGDStart: start0})[name], p)
					algostest.Steps(t, f, 2*((lawPoints+batch-1)/batch))
					got := f.Model().Predict(algostest.Queries(3))
					if batch == 1 {
						want = got
						continue
					}
					// 120 visits with sums of 60 numbers below 1/(νn) = 1.7 each: 1e-12 leaves a thousand roundings.
					assert.InDeltaSlice(t, want.Data, got.Data, 1e-12, "%s, %s, batch %d, %v", name, c.loss.Name(), batch, start0)
				}
			}
		}
	}
}
