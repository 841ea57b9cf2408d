package methods

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/algos"
	"repro/algos/algostest"
	"repro/algos/compute"
	"repro/algos/losses"
	"repro/algos/parts"
)

// naiveGram is k(x_i, x_j) of problem's kernel, from its formula.
func naiveGram(x compute.Matrix) compute.Matrix {
	k := compute.NewMatrix(x.Rows, x.Rows)
	for i := range x.Rows {
		for j := range x.Rows {
			k.Set(i, j, algostest.Gaussian(x.Row(i), x.Row(j)))
		}
	}
	return k
}

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
	return naiveGram(x)
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

// TestSDCAAscends: no visit lowers the dual objective or leaves its domain, and it is never above the
// primal one; at the end of twenty passes both are close.
func TestSDCAAscends(t *testing.T) {
	for _, c := range dualLosses {
		for name, a := range sdcas(SDCASettings{Batch: 1}) {
			p := algostest.Problem(40, c.loss)
			f := algostest.Start(t, a, p)
			_, y := p.Dense()
			k := gramOf(p, f)
			_, last := objectives(p, k, y, dualOf(f))
			if c.loss == (losses.DensityRatio{}) {
				algostest.Steps(t, f, 40) // before α_i is 2 the dual objective is -∞
				_, last = objectives(p, k, y, dualOf(f))
			}
			first, gap := last, 0.0
			for range 800 {
				algostest.Steps(t, f, 1)
				primal, dual := objectives(p, k, y, dualOf(f))
				// Sums of 80 terms of up to about 3, each rounded to 1e-16.
				require.GreaterOrEqual(t, dual, last-1e-13, "%s, %s", name, c.loss.Name())
				gap = primal - dual
				require.GreaterOrEqual(t, gap, -1e-13, "%s, %s", name, c.loss.Name())
				last = dual
			}
			// νn = 5 and q = 0.2 (0.4 for random features): passes gain an order of magnitude where the
			// loss is smooth. At kinks the primal objective follows as slowly as the square root.
			assert.Less(t, gap, 1e-3*(last-first+gap), "%s, %s", name, c.loss.Name())
		}
	}
}

// mustMatchObjective makes passes until P(f) is within a relative tolerance of the minimum, which
// coefficients of kernel functions reach, and requires that it does and that no f goes below.
func mustMatchObjective(t *testing.T, p *algos.Problem, coefficients []float64, f algos.Fit, passes int, tolerance float64) {
	t.Helper()
	n, out := p.Train.Len(), 0
	x, y := p.Dense()
	out = y.Cols
	k := p.Engine.KernelMatrix(p.Kernel, x, x)
	exact := compute.Matrix{Rows: n, Cols: out, Stride: out, Data: coefficients}.Clone()
	exact.Scale(p.Nu * float64(n)) // to α with f = (1/(νn)) Σ α_i k(x_i, ·)
	least, _ := objectives(p, k, y, exact)
	primal, dual := 0.0, 0.0
	for pass := range passes {
		for seen := 0; seen < n; {
			progress, err := f.Step()
			require.NoError(t, err)
			seen += progress.Seen
		}
		primal, dual = objectives(p, k, y, dualOf(f))
		require.LessOrEqual(t, dual, least*(1+1e-9), "dual objective below the minimum, to a reference gap of 1e-10")
		require.GreaterOrEqual(t, primal, least*(1-1e-9))
		if primal <= least*(1+tolerance) {
			t.Logf("%d passes", pass+1)
			return
		}
	}
	assert.LessOrEqual(t, primal, least*(1+tolerance), "after %d passes", passes)
}
