package methods

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/algos"
	"repro/algos/algostest"
	"repro/algos/compute"
	"repro/algos/losses"
	"repro/algos/schedules"
)

// With too little memory for the kernel matrix, rows of it are evaluated in every step as often as plan says, and
// neither that nor the bits of the result depend on when garbage is collected.
func TestStepsWithoutTheKernelMatrix(t *testing.T) {
	const n, batch, T = 600, 40, 20
	for name, stored := range map[string]int{"no memory": 1, "rows of a step": n * batch, "rows of several steps": 3 * n * batch} {
		for method, a := range map[string]algos.Algorithm{
			"eigenpro": &EigenPro{EigenProSettings{Batch: batch, Directions: 5, Subsample: 100, Tau: 1, Flatten: "sqrt", Rule: "code"}},
			"pegasos":  &Pegasos{Batch: batch, Subsample: 100},
			"gd":       &GD{Subsample: 100},
		} {
			t.Run(method+" "+name, func(t *testing.T) {
				run := func(collect bool) ([]float64, compute.Counters) {
					p := algostest.Problem(n, losses.Square{})
					p.Nu = 0
					p.Engine = compute.NewEngine(compute.Options{Threads: 1, Precision: compute.Float32, MemoryBytes: int64(4 * stored)})
					f := algostest.Start(t, a, p)
					for step := range T {
						algostest.Steps(t, f, 1)
						if collect && step%3 == 0 {
							runtime.GC()
						}
					}
					spent := p.Engine.Counters()
					return f.Model().Predict(algostest.Queries(3)).Data, spent
				}
				values, spent := run(false)
				again, _ := run(true)
				assert.Equal(t, values, again)
				if method == "eigenpro" {
					cost := a.(algos.Coster).Cost(algos.Size{N: n, In: 3, Out: 2, Steps: T, Stored: stored})
					assert.EqualValues(t, cost.KernelEvals, spent.KernelEvals)
				}
			})
		}
	}
}

// Batches of random features are evaluated once a step where there is memory for one, and small batches always.
func TestStepsWithFeaturesOfABatch(t *testing.T) {
	const n, features, T = 200, 50, 15
	for batch, memory := range map[int]int64{20: 20, 64: 20, 65: 65} {
		p := algostest.Problem(n, losses.Square{})
		p.Nu = 0
		p.Engine = compute.NewEngine(compute.Options{Threads: 1, MemoryBytes: 8 * (memory*features + 1)})
		a := &SGDRF{Batch: batch, Features: features, Sampling: "replacement", Step: &schedules.Constant{Gamma0: 0.1}}
		algostest.Steps(t, algostest.Start(t, a, p), T)
		assert.EqualValues(t, batch*features*T, p.Engine.Counters().FeatureEvals)
		assert.EqualValues(t, batch*features*T, a.Cost(algos.Size{N: n, In: 3, Out: 2, Steps: T, Stored: int(memory)*features + 1}).FeatureEvals)
	}
}

// A predictor of two outputs, on 60 rows of three inputs, has after three steps as many numbers as it needs to predict: coefficients of rows
// with their inputs, of landmarks and centres with theirs and what makes features of them, or of random features, and eigenvectors. Those
// of eigenpro2 lie in a matrix with one more.
func TestFootprints(t *testing.T) {
	const n, in, out, r, k, b, steps = lawPoints, 3, 2, 16, 5, 7, 3
	rows, nystrom := n*(in+out), r*out+r*in+r*r
	settings := map[string]any{"features": r, "landmarks": r, "centres": r, "rank": r, "directions": k, "batch": b, "block": 4, "blocks": 4}
	for name, numbers := range map[string]int{
		"gd": rows, "pegasos": rows, "krr": rows, "pcg": rows, "askotch": rows, "gd-spectral": rows, "spectral-cutoff": rows, "spectral-sketch": rows,
		"eigenpro": rows + 2*n*k + k*out, "eigenpro2": rows + n*k - 1 + n*(k-1), "eigenpro-rf": r*out + r*k,
		"falkon": r * (in + out), "eigenpro3": r * (in + out), "eigenpro4": r * (in + out),
		"sgd-rf": r * out, "r-pegasos": r * out, "r-sbmd": r * out, "r-rbcd": r * out, "r-sdca": r * out, "svrg-rf": r * out, "fogd": 2 * r * out,
		"n-pegasos": nystrom, "n-sbmd": nystrom, "n-rbcd": nystrom, "n-sdca": nystrom, "nystrom-ridge": nystrom,
		"dsg": steps * 4 * out, "udsg": 2 * 4 * out, "random-features": steps * 4 * out, "taylor-expansion": 20 * out,
		"norma": steps * b * (in + out), "k-sdca": steps * b * (in + out), "kernel-awv": steps*in + steps*(steps+1)/2 + steps*out,
	} {
		f, _, err := algostest.StartAny(configured(t, name, settings), algostest.Problem(n, losses.Square{}))
		require.NoError(t, err)
		algostest.Steps(t, f, steps)
		assert.EqualValues(t, 8*numbers, f.(algos.Sizer).Footprint(), name)
	}
}
