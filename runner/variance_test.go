package runner

import (
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/algos"
	"repro/algos/compute"
	"repro/algos/kernels"
	"repro/datasets"
	"repro/results/records"
)

const variances = `
schema = 1
paper = "test"
title = "a small posterior variance"
source = "nowhere"
[data]
name = "dai2014-synthetic"
train = 90
test = 7
[problem]
loss = "square"
nu_n = 0.1
targets = "test-kernels"
kernel = { name = "gaussian", bandwidth = { rule = "median" } }
[budget]
steps = 12
[evaluate]
points = 6
metrics = ["variance-error", "exact-error", "exact-distance", "test-mse"]
reference = "krr"
predictions = true
[[method]]
id = "dsg"
algorithm = "dsg"
batch = 30
block = 64
step = { schedule = "constant", gamma0 = 2.0 }
[[method]]
id = "operator"
algorithm = "gp-operator"
batch = 30
block = 64
step = { schedule = "constant", gamma0 = 2.0 }
[[method]]
id = "krr"
algorithm = "krr"
`

// TestPosteriorVarianceRuns runs both formulations and the closed form, and recomputes the recorded
// errors from the variances that the cells write.
func TestPosteriorVarianceRuns(t *testing.T) {
	s, out := spec(t, variances), t.TempDir()
	sum := execute(t, s, Options{Out: out})
	require.False(t, sum.Failed())

	v := map[string][]float64{}
	for _, id := range []string{"dsg", "operator", "krr"} {
		text, err := os.ReadFile(records.File(out, "predictions", s.ID, id+"-seed1.csv"))
		require.NoError(t, err)
		lines := strings.Split(strings.TrimSpace(string(text)), "\n")
		require.Equal(t, "row,variance", lines[0])
		for i, line := range lines[1:] {
			var row int
			var x float64
			_, err := fmt.Sscanf(line, "%d,%g", &row, &x)
			require.NoError(t, err)
			require.Equal(t, i+1, row)
			v[id] = append(v[id], x)
		}
		require.Len(t, v[id], 7)
	}
	for i, x := range v["krr"] {
		assert.True(t, 0 < x && x < 0.1, "variance %g at test row %d: less than the noise's", x, i+1)
	}
	size := math.Sqrt(squaredDistance(v["krr"], make([]float64, 7)))
	for id := range v {
		r := record(t, out, s, id+"-seed1")
		last := r.Points[len(r.Points)-1].Values
		want := math.Sqrt(squaredDistance(v[id], v["krr"])) / size
		assert.InDelta(t, want, *last["variance-error"], 1e-9*(1+want), id) // the same sums in another order
		assert.EqualValues(t, 7, r.Header.Resolved["outputs"], id)
		if id != "krr" {
			prior := math.Sqrt(squaredDistance([]float64{1, 1, 1, 1, 1, 1, 1}, v["krr"])) / size
			assert.Less(t, *last["variance-error"], prior, "%s knows more than the prior", id)
		}
	}
}

// TestPosteriorVarianceRecordsDoNotDependOnThreads: the targets too are the same bits.
func TestPosteriorVarianceRecordsDoNotDependOnThreads(t *testing.T) {
	s := spec(t, variances)
	one, three := t.TempDir(), t.TempDir()
	execute(t, s, Options{Out: one, Threads: 1})
	execute(t, s, Options{Out: three, Threads: 3})
	assert.Equal(t, canonical(t, one, s), canonical(t, three, s))
}

func TestRelativeErrors(t *testing.T) {
	square := func(v ...float64) compute.Matrix { return compute.Matrix{Rows: 2, Cols: 2, Stride: 2, Data: v} }
	s := &instance{
		problem:   algos.Problem{Train: algos.KernelTargets{Kernel: kernels.Gaussian{Sigma: 1}}},
		data:      &datasets.Set{TestY: square(1, 0.5, 0.5, 1)},
		reference: func() (compute.Matrix, error) { return square(0.7, 9, 0, 0.6), nil },
	}
	f := square(0.4, 1, 4, 0.1)
	got, err := varianceError(s, f)
	require.NoError(t, err)
	assert.InDelta(t, math.Sqrt((0.09+0.25)/(0.09+0.16)), got, 1e-15) // variances 0.6, 0.9; exact 0.3, 0.4
	got, err = exactError(s, f)
	require.NoError(t, err)
	assert.InDelta(t, math.Sqrt((0.09+64+16+0.25)/(0.49+81+0.36)), got, 1e-15)

	s.problem.Train = s.data.Train
	_, err = varianceError(s, f)
	assert.ErrorContains(t, err, `write problem.targets = "test-kernels"`)
}

// TestEstimateCountsOutputs: m functions take more time and memory than one, in plan too.
func TestEstimateCountsOutputs(t *testing.T) {
	few := estimates(t, NewEstimator(1), spec(t, variances))
	many := estimates(t, NewEstimator(1), spec(t, variances, "data.test=1000"))
	assert.Greater(t, many["dsg-seed1"].Seconds, few["dsg-seed1"].Seconds)
	// Coefficients of 12 blocks of 64 features for 993 outputs more, beside predictions and the reference.
	assert.Greater(t, many["dsg-seed1"].Bytes-few["dsg-seed1"].Bytes, 8.*12*64*993)
}
