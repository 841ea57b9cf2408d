package methods

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"

	"repro/algos"
	"repro/algos/algostest"
	"repro/algos/compute"
	"repro/algos/losses"
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
					for range T {
						algostest.Steps(t, f, 1)
						if collect {
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

// Batches of random features are evaluated once a step where there is memory for one.
func TestStepsWithFeaturesOfABatch(t *testing.T) {
	const n, batch, features, T = 200, 20, 50, 15
	p := algostest.Problem(n, losses.Square{})
	p.Nu = 0
	p.Engine = compute.NewEngine(compute.Options{Threads: 1, MemoryBytes: 8 * (batch*features + 1)})
	f := algostest.Start(t, &SGDRF{Batch: batch, Features: features, Subsample: 30}, p)
	before := p.Engine.Counters()
	algostest.Steps(t, f, T)
	assert.EqualValues(t, batch*features*T, p.Engine.Counters().Sub(before).FeatureEvals)
}
