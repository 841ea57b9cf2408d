package smoothing

import (
	"bytes"
	"math"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/algos"
	"repro/algos/algostest"
	"repro/algos/compute"
	"repro/algos/kernels"
	"repro/algos/losses"
	"repro/algos/schedules"
	"repro/cmd/repro/clitest"
)

func TestHistogramLaws(t *testing.T) {
	algostest.Laws(t, &HistogramSGD{Bins: 4, Batch: 8, Step: &schedules.Inverse{Gamma0: 1, T0: 8}})
}

// With one bin, one example a step and steps 1/t, w is the mean of the targets so far.
func TestHistogramSGDIsTheMean(t *testing.T) {
	rows, err := algos.Rows([][]float64{{0}, {1}, {0.5}}, [][]float64{{3}, {-1}, {5}})
	require.NoError(t, err)
	p := &algos.Problem{Train: rows, Kernel: kernels.Gaussian{Sigma: 1}, Loss: losses.Square{}, Seed: 1}
	m, err := algos.Train(p, &HistogramSGD{Bins: 1, Batch: 1, Step: &schedules.Theta{Theta: 1}}, 3)
	require.NoError(t, err)
	assert.InDelta(t, (3.-1+5)/3, m.Predict(compute.FromRows([][]float64{{0.3}})).At(0, 0), 1e-15, "rounding of three terms")
}

// slowed is a mistake in a step size: γ_t falls as its square root does.
var slowed bool

type breakable struct {
	Gamma0 float64 `toml:"gamma0" want:"> 0" doc:"γ₀"`
	T0     float64 `toml:"t0" want:"> 0" doc:"t₀"`
}

func (s *breakable) Gamma(t int) float64 {
	if slowed {
		return s.Gamma0 / math.Sqrt(1+float64(t)/s.T0)
	}
	return s.Gamma0 / (1 + float64(t)/s.T0)
}

func init() {
	schedules.Register("breakable", "the inverse schedule, with a mistake", func() schedules.Schedule { return &breakable{6, 4} })
}

// The gate passes the same code, and finds a step size that no longer falls as the theorem asks.
func TestGate(t *testing.T) {
	spec, err := os.ReadFile("specs/smoothing/optimiser.toml")
	require.NoError(t, err)
	t.Chdir(t.TempDir())
	spec = bytes.ReplaceAll(spec, []byte(`schedule = "inverse"`), []byte(`schedule = "breakable"`))
	require.NoError(t, os.WriteFile("optimiser.toml", spec, 0o644))
	check := []string{"check", "optimiser.toml", "--baseline", "accepted"}
	clitest.Run(t, 4, append(check, "--seeds", "20")...)
	clitest.Run(t, 0, "baseline", "accept", "optimiser.toml", "--baseline", "accepted", "--claim", "theorem", "--reason", "the first: equal seeds draw equal numbers")
	assert.Contains(t, clitest.Run(t, 0, check...), ": 1 same")
	slowed = true
	defer func() { slowed = false }()
	assert.Contains(t, clitest.Run(t, 1, check...), "theorem: the slope moved from -")
}
