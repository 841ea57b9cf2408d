package runner

import (
	"encoding/csv"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/results/files"
	"repro/results/records"
)

// lossSpec is a small problem with the given data, loss and metric.
func lossSpec(data, loss, metric, method string) string {
	return fmt.Sprintf(`
[data]
name = "%s"
train = 500
test = 200
[problem]
loss = %s
nu = 0.1
kernel = { name = "gaussian", bandwidth = 0.5 }
[budget]
epochs = 2
[evaluate]
points = 3
metrics = ["%s"]
surface = 7
predictions = true
%s`, data, loss, metric, method)
}

const normaMethod = `
[[method]]
id = "norma"
algorithm = "norma"
batch = 25
step = { schedule = "constant", gamma0 = 0.5 }
`

// final returns the last value of a metric of the only cell.
func final(t *testing.T, text, metric, out string) float64 {
	t.Helper()
	s := spec(t, text)
	execute(t, s, Options{Out: out, Threads: 1})
	r := record(t, out, s, "norma-seed1")
	require.Equal(t, records.Budget, r.Status(), r.End.Reason)
	return *r.Points[len(r.Points)-1].Values[metric]
}

// TestLossesRun runs every kind of task to its end, and reads what figures are drawn from.
func TestLossesRun(t *testing.T) {
	for name, c := range map[string]struct {
		data, loss, metric string
		low, high          float64 // of the metric: better than knowing nothing, which has the upper one
		surface            string
		rows               int
	}{
		"classes":  {"three-classes", `"softmax"`, "test-error", 0.1, 0.4, "norma-seed1.surface.csv", 49},
		"labels":   {"two-classes", `"logistic"`, "test-error", 0.1, 0.35, "norma-seed1.surface.csv", 49},
		"samples":  {"two-samples", `"density-ratio"`, "l2-error", 0, 0.4, "norma-seed1.function.csv", 7},
		"numbers":  {"wave-spread", `{ name = "quantile", tau = 0.9 }`, "test-below", 0.6, 0.99, "norma-seed1.function.csv", 7},
		"nothing":  {"ring-and-spot", `"novelty"`, "test-novel", 0, 1, "norma-seed1.surface.csv", 49},
		"training": {"wave-outliers", `"huber"`, "test-mse", 1, 3, "sample.function.csv", 400},
	} {
		t.Run(name, func(t *testing.T) {
			out := t.TempDir()
			v := final(t, lossSpec(c.data, c.loss, c.metric, normaMethod), c.metric, out)
			assert.True(t, v >= c.low && v <= c.high, "%s = %v", c.metric, v)

			f, err := os.Open(files.Path(out, "predictions", "test/small", c.surface))
			require.NoError(t, err)
			defer f.Close()
			lines, err := csv.NewReader(f).ReadAll()
			require.NoError(t, err)
			assert.Len(t, lines, 1+c.rows)
			if name == "classes" {
				for _, l := range lines[1:] {
					assert.Contains(t, []string{"1", "2", "3"}, l[2], "the number of a class")
				}
			}
		})
	}
}

// A method with a loss of its own is trained and judged by it; the others are not.
func TestLossOfAMethodIsUsed(t *testing.T) {
	own := normaMethod + `loss = "absolute"` + `
[[method]]
id = "square"
algorithm = "norma"
batch = 25
step = { schedule = "constant", gamma0 = 0.5 }
`
	loss := func(text string) map[string]float64 {
		s := spec(t, text)
		out := ran(t, s, Options{Threads: 1})
		last := map[string]float64{}
		for _, c := range s.Expand() {
			points := record(t, out, s, c.Name).Points
			last[c.Method.ID] = *points[len(points)-1].Values["test-loss"]
		}
		return last
	}
	mixed := loss(lossSpec("wave-outliers", `"square"`, "test-loss", own))
	assert.Equal(t, loss(lossSpec("wave-outliers", `"absolute"`, "test-loss", normaMethod))["norma"], mixed["norma"])
	assert.Equal(t, loss(lossSpec("wave-outliers", `"square"`, "test-loss", normaMethod))["norma"], mixed["square"])
	assert.NotEqual(t, mixed["norma"], mixed["square"])
}

// A method with a regularisation of its own minimises with it, and its record says so; the others do not.
func TestRegularisationOfAMethodIsUsed(t *testing.T) {
	own := func(nu string) string { return "[[method]]\nid = \"own\"\nalgorithm = \"krr\"\n" + nu }
	run := func(text string) *records.Record {
		s := spec(t, strings.Replace(head, `"exact-distance"`, `"train-mse"`, 1)+text, "repeat.seeds=1")
		out := ran(t, s, Options{Threads: 1})
		return record(t, out, s, "own-seed1")
	}
	strong, usual := run(own("nu = 1.0\n")), run(own(""))
	assert.Equal(t, 1.0, strong.Header.Resolved["nu"])
	assert.Equal(t, 1e-4, usual.Header.Resolved["nu"])
	assert.Greater(t, *strong.Points[0].Values["train-mse"], 5**usual.Points[0].Values["train-mse"])
}
