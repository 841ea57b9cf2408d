package smoothing

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/algos"
	"repro/algos/algostest"
	"repro/algos/compute"
	"repro/algos/kernels"
	"repro/algos/losses"
	"repro/cmd/repro/clitest"
)

func TestLaws(t *testing.T) { algostest.Laws(t, &KernelSmoother{Batch: 32}) }

// Three points: the weights at 0 of the Gaussian kernel with σ = 1 are 1, e^(-1/2) and e^(-2).
func TestKernelSmoother(t *testing.T) {
	rows, err := algos.Rows([][]float64{{0}, {1}, {2}}, [][]float64{{3}, {-1}, {5}})
	require.NoError(t, err)
	p := &algos.Problem{Train: rows, Kernel: kernels.Gaussian{Sigma: 1}, Loss: losses.Square{}, Seed: 1}
	m, err := algos.Train(p, &KernelSmoother{Batch: 2}, 2) // a batch of two rows and one of the last
	require.NoError(t, err)
	got := m.Predict(compute.FromRows([][]float64{{0}, {1e9}}))
	w1, w2 := math.Exp(-0.5), math.Exp(-2)
	assert.InDelta(t, (3-w1+5*w2)/(1+w1+w2), got.At(0, 0), 1e-14, "rounding of three terms")
	assert.Zero(t, got.At(1, 0), "far from all points")
}

// The program knows the experiment, runs it, and its verdicts come from the records.
func TestExperiment(t *testing.T) {
	t.Chdir(t.TempDir())
	assert.Contains(t, clitest.Run(t, 0, "list", "smoothing/*"), "two-steps")
	clitest.Run(t, 0, "run", "smoothing/two-steps", "--profile", "smoke")
	text, err := os.ReadFile(filepath.Join("out", "verdicts.json"))
	require.NoError(t, err)
	var verdicts []struct {
		Claim    string
		Measured *float64
	}
	require.NoError(t, json.Unmarshal(text, &verdicts))
	require.Len(t, verdicts, 2)
	for _, v := range verdicts {
		require.NotNil(t, v.Measured, v.Claim)
		assert.Positive(t, math.Abs(*v.Measured), v.Claim)
	}
	assert.FileExists(t, filepath.Join("out", "figures", "smoothing", "two-steps", "error.svg"))
}
