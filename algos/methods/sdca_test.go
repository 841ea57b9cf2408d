package methods

import (
	"fmt"
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
			dual -= conjugate(p.Loss, a, y.At(i, o))/n + p.Nu/2*norm
		}
	}
	return primal, dual
}

// dualOf returns the α of all training rows.
func dualOf(f algos.Fit) compute.Matrix {
	switch f := f.(type) {
	case *ksdca:
		a := compute.NewMatrix(f.n, f.out)
		for i, row := range f.Rows {
			copy(a.Row(row), f.Alpha[i*f.out:])
		}
		return a
	case *fsdca:
		return compute.Matrix{Rows: f.n, Cols: f.out, Stride: f.out, Data: append([]float64(nil), f.Alpha...)}
	}
	panic("not SDCA")
}

// gramOf returns the kernel matrix of the training rows that the fit of a problem sees.
func gramOf(p *algos.Problem, f algos.Fit) compute.Matrix {
	x, _ := p.Dense()
	if f, ok := f.(*fsdca); ok {
		z := f.z.Explicit(f.z.At(x))
		k := compute.NewMatrix(x.Rows, x.Rows)
		p.Engine.Gemm(k, 1, z, false, z, true, 0)
		return k
	}
	return naiveGram(x)
}

// sdcas are the methods with given settings.
func sdcas(s SDCASettings) map[string]algos.Algorithm {
	return map[string]algos.Algorithm{"k-sdca": &KSDCA{s}, "r-sdca": &RSDCA{s, 20}, "n-sdca": &NSDCA{s, 20, 1e-10}}
}

// TestKSDCAByHand repeats the method one row at a time from its formulas, two passes in file order, with
// a naive kernel, and averages after every batch: for the square loss Δα = (y - f(x_i) - α)/(1 + q), for
// the hinge loss Δα = y·max(0, min(1, (1 - y f(x_i))/q + yα)) - α.
func TestKSDCAByHand(t *testing.T) {
	const nu = 0.06
	n := len(algostest.Inputs)
	for _, start0 := range []bool{false, true} {
		for name, c := range map[string]struct {
			loss losses.Loss
			y    []float64
		}{"square": {losses.Square{}, algostest.Targets}, "hinge": {losses.Hinge{}, algostest.Labels}} {
			for _, batch := range []int{1, 3, 20} {
				alpha, mean, T := make([]float64, n), make([]float64, n), 0
				at := func(c []float64, z []float64) (s float64) {
					for j, c := range c {
						s += c * algostest.Gaussian(algostest.Inputs[j], z)
					}
					return s
				}
				sum := func(z []float64) float64 { return at(alpha, z) }
				for visit := range 2 * n {
					i := visit % n
					before, m := float64(n), float64(n)
					if start0 && visit < n {
						before, m = max(1, float64(visit)), float64(visit+1) // before the first f is 0 anyway
					}
					f, q := sum(algostest.Inputs[i])/(nu*before), 1/(nu*m)
					if name == "square" {
						alpha[i] += (c.y[i] - f - alpha[i]) / (1 + q)
					} else {
						alpha[i] = c.y[i] * max(0, min(1, (1-c.y[i]*f)/q+c.y[i]*alpha[i]))
					}
					if (i+1)%batch == 0 || i == n-1 {
						T++
						for j, a := range alpha {
							mean[j] += (a/(nu*m) - mean[j]) / float64(T)
						}
					}
				}
				fit := algostest.Start(t, &KSDCA{SDCASettings{Batch: batch, SGDStart: start0, Average: true}}, algostest.Single(algostest.Inputs, c.y, c.loss, nu))
				for seen := 0; seen < 2*n; {
					progress, err := fit.Step()
					require.NoError(t, err)
					seen += progress.Seen
				}
				algostest.MustEqualAt(t, func(x []float64) float64 { return sum(x) / (nu * float64(n)) }, fit.Model())
				algostest.MustEqualAt(t, func(x []float64) float64 { return at(mean, x) }, fit.(algos.Averager).Average())
			}
		}
	}
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

// TestKSDCAConvergesToKRR: P of the square loss comes within 1e-6 of its minimum, (K + nνI) α = y.
func TestKSDCAConvergesToKRR(t *testing.T) {
	for _, nu := range []float64{0.125, 2e-3} {
		p := algostest.Problem(lawPoints, losses.Square{})
		p.Nu = nu
		exact := algostest.Start(t, &KRR{}, p)
		algostest.Steps(t, exact, 1)
		f := algostest.Start(t, &KSDCA{SDCASettings{Batch: 20}}, p)
		mustMatchObjective(t, p, exact.(*krr).Alpha, f, 400, 1e-6)
	}
}

// TestKSDCAConvergesToKSVM is the same for the hinge loss.
func TestKSDCAConvergesToKSVM(t *testing.T) {
	for _, nu := range []float64{0.125, 2e-3} {
		p := algostest.Problem(lawPoints, losses.Hinge{})
		p.Nu = nu
		exact := algostest.Start(t, &KSVM{Gap: 1e-10}, p).(*ksvm)
		algostest.Steps(t, exact, 1)
		f := algostest.Start(t, &KSDCA{SDCASettings{Batch: 20}}, p)
		mustMatchObjective(t, p, exact.every(), f, 400, 1e-6)
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

// TestKSDCASupport: with a large ν the hinge loss has rows whose α returns to 0; they leave the support at the
// end of a pass, and predictions stay.
func TestKSDCASupport(t *testing.T) {
	p := algostest.Problem(lawPoints, losses.Hinge{})
	p.Nu = 2e-3
	f := algostest.Start(t, &KSDCA{SDCASettings{Batch: 7}}, p).(*ksdca)
	for pass := range 5 {
		for {
			progress, err := f.Step()
			require.NoError(t, err)
			require.Positive(t, progress.Seen)
			if f.Seen%lawPoints == 0 {
				break
			}
		}
		require.Len(t, f.Alpha, 2*len(f.Rows))
		distinct := map[int]bool{}
		for i, row := range f.Rows {
			distinct[row] = true
			require.True(t, parts.Nonzero(f.Alpha[2*i:][:2]), "row %d has no part in f", row)
		}
		require.Len(t, distinct, len(f.Rows))
		require.LessOrEqual(t, len(f.Terms), 9, "of the first pass alone")
		if pass == 4 {
			assert.Less(t, len(f.Rows), lawPoints)
		}
	}
	alpha := dualOf(f)
	x, _ := p.Dense()
	z := algostest.Queries(3)
	got := f.Model().Predict(z)
	for i := range z.Rows {
		for o := range 2 {
			want := 0.0
			for j := range x.Rows {
				want += alpha.At(j, o) * algostest.Gaussian(x.Row(j), z.Row(i)) / (p.Nu * lawPoints)
			}
			assert.InDelta(t, want, got.At(i, o), 1e-11) // 60 terms of up to 1/(νn) = 8
		}
	}
}

// TestKSDCACurve: running predictions are those of the models. Within the first pass a curve costs the
// same for any number of points, and after it n evaluations each.
func TestKSDCACurve(t *testing.T) {
	const n, batch = 40, 4
	for _, c := range []struct{ steps, every int }{{10, 1}, {10, 4}, {8, 8}, {24, 24}, {24, 12}} {
		for _, start0 := range []bool{false, true} {
			t.Run(fmt.Sprintf("%d by %d, %v", c.steps, c.every, start0), func(t *testing.T) {
				p, a := algostest.Problem(n, losses.Square{}), &KSDCA{SDCASettings{Batch: batch, SGDStart: start0, Average: true}}
				f := algostest.Start(t, a, p).(*ksdca)
				x, last, evaluations := algostest.Queries(3), 0, int64(0)
				running := algostest.Predictions(f, x.Rows)
				for k := 1; k <= c.steps; k++ {
					algostest.Steps(t, f, 1)
					if k%c.every == 0 || k == c.steps {
						before := p.Engine.Counters()
						f.Advance(last, x, running)
						evaluations += p.Engine.Counters().Sub(before).KernelEvals
						last = k
						algostest.MustPredict(t, f, x, running)
					}
				}
				want := a.Cost(algos.Size{N: n, In: 3, Out: 2, Steps: c.steps, Evals: c.steps / c.every}).EvalCost * float64(x.Rows)
				assert.EqualValues(t, want, evaluations)
			})
		}
	}
}
