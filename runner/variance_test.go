package runner

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/floats"

	"repro/results/files"
	"repro/results/records"
)

const variances = `
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
	require.False(t, failed(sum))

	v := map[string][]float64{}
	for _, id := range []string{"dsg", "operator", "krr"} {
		text, err := os.ReadFile(files.Path(out, "predictions", s.ID, id+"-seed1.csv"))
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
	size := floats.Norm(v["krr"], 2)
	for id := range v {
		r := record(t, out, s, id+"-seed1")
		last := r.Points[len(r.Points)-1].Values
		want := floats.Distance(v[id], v["krr"], 2) / size
		assert.InDelta(t, want, *last["variance-error"], 1e-9*(1+want), id) // the same sums in another order
		assert.EqualValues(t, 7, r.Header.Resolved["outputs"], id)
		if id != "krr" {
			prior := floats.Distance([]float64{1, 1, 1, 1, 1, 1, 1}, v["krr"], 2) / size
			assert.Less(t, *last["variance-error"], prior, "%s knows more than the prior", id)
		}
	}
}

// TestMeanAndVarianceOfOneFit runs the mean and the variance side by side, and compares them with the two runs that fit
// one each: the same exact solution, and the same iterates of doubly SGD, whose examples and features do not depend on
// the targets.
func TestMeanAndVarianceOfOneFit(t *testing.T) {
	values := func(id, targets, metrics string) map[string]*float64 {
		text := strings.Replace(variances, `targets = "test-kernels"`, targets, 1)
		text = strings.Replace(text, `["variance-error", "exact-error", "exact-distance", "test-mse"]`, metrics, 1)
		s, out := spec(t, text), t.TempDir()
		sum := execute(t, s, Options{Out: out, Threads: 1})
		assert.Equal(t, targets != `targets = "test-kernels"`, sum.Status[records.Skipped] == 1, "the operator has no mean")
		r := record(t, out, s, id+"-seed1")
		return r.Points[len(r.Points)-1].Values
	}
	for _, id := range []string{"dsg", "krr"} {
		both := values(id, `targets = "mean-variance"`, `["exact-error", "test-mse", "variance-error", "nlpd", "train-loss"]`)
		mean := values(id, "", `["exact-error", "test-mse", "train-loss"]`)
		variance := values(id, `targets = "test-kernels"`, `["variance-error"]`)
		assert.Positive(t, *both["test-mse"])
		require.NotNil(t, both["nlpd"])
		for name, want := range map[string]*float64{
			"exact-error": mean["exact-error"], "test-mse": mean["test-mse"], "train-loss": mean["train-loss"], "variance-error": variance["variance-error"],
		} {
			assert.InDelta(t, *want, *both[name], 1e-9*(1+*want), "%s of %s", name, id) // products of other shapes sum in another order
		}
	}
}
