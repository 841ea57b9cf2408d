package methods

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/algos"
	"repro/algos/algostest"
	"repro/algos/compute"
	"repro/algos/kernels"
	"repro/algos/losses"
	"repro/algos/parts"
	"repro/datasets"
	_ "repro/datasets/sources"
	"repro/datasets/transforms"
)

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
		}{"square": {losses.Square{}, algostest.Targets}, "hinge": {losses.Hinge{}, handLabels}} {
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
				mustEqualAt(t, func(x []float64) float64 { return sum(x) / (nu * float64(n)) }, fit.Model())
				mustEqualAt(t, func(x []float64) float64 { return at(mean, x) }, fit.(algos.Averager).Average())
			}
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

// adult is the problem of the first n rows of a9a with dai2014's kernel (§7.3) and ν = 30/n, or skips
// the test with the reason why the data is not here.
func adult(t *testing.T, n int, l losses.Loss) *algos.Problem {
	t.Helper()
	library, o := datasets.NewLibrary(), datasets.Options{Name: "a9a", Train: n}
	if ok, why := library.Ready(o, ""); !ok {
		t.Skipf("%s; or set REPRO_DATA to a folder that holds it", why)
	}
	set, err := library.Open(context.Background(), o, losses.Binary, 0, "")
	require.NoError(t, err)
	return &algos.Problem{
		Train:  set.Train,
		Kernel: kernels.Gaussian{Sigma: transforms.MedianDistance(set.Train, 1000, 0)},
		Loss:   l,
		Nu:     30 / float64(n),
		Seed:   1,
		Engine: compute.NewEngine(compute.Options{}),
	}
}

// TestKSDCAOnAdult: P comes within 1e-6 of its minimum, which krr and ksvm know.
func TestKSDCAOnAdult(t *testing.T) {
	if testing.Short() {
		t.Skip("-short fits generated data alone")
	}
	const n = 1000
	p := adult(t, n, losses.Square{})
	exact := algostest.Start(t, &KRR{}, p)
	algostest.Steps(t, exact, 1)
	mustMatchObjective(t, p, exact.(*krr).Alpha, algostest.Start(t, &KSDCA{SDCASettings{Batch: 100}}, p), 100, 1e-6)

	p = adult(t, n, losses.Hinge{})
	svm := algostest.Start(t, &KSVM{Gap: 1e-10}, p).(*ksvm)
	algostest.Steps(t, svm, 1)
	mustMatchObjective(t, p, svm.every(), algostest.Start(t, &KSDCA{SDCASettings{Batch: 100}}, p), 100, 1e-6)
}

// every returns the coefficients of all training rows.
func (f *ksvm) every() []float64 {
	out := f.y.Cols
	all := make([]float64, f.y.Rows*out)
	for i, row := range f.state.Rows {
		copy(all[row*out:], f.Alpha[i*out:][:out])
	}
	return all
}
