package runner

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/algos"
	"repro/algos/compute"
	"repro/algos/parts"
	"repro/experiments"
	"repro/experiments/catalog"
)

// streamed is a spec of online methods and methods of batches, whose predictions before learning are counted.
var streamed = strings.NewReplacer("train = 600", "train = 150", `, "test-loss", "exact-distance"`, `, "progressive-mse", "cumulative-loss"`, `reference = "krr"`, "",
	"bandwidth = { rule", "bandwidth = { sample = 50, rule", "scale = 0.2", "scale = 2.0", "nu = 1e-4", "nu_n = 1.0").Replace(head) + `
[[method]]
id = "phi"
algorithm = "phi-awv"
order = 3
[[method]]
id = "kernel"
algorithm = "kernel-awv"
[[method]]
id = "krr"
algorithm = "online-krr"
[[method]]
id = "norma"
algorithm = "norma"
batch = 7
step = { schedule = "inverse", gamma0 = 5.0, t0 = 50.0 }
`

// The loss so far is that of the predictions for examples which the fit has not learnt from, in the order that all methods
// share.
func TestProgressiveLoss(t *testing.T) {
	s := spec(t, streamed)
	out := ran(t, s, Options{})
	for _, id := range []string{"phi", "kernel", "krr", "norma"} {
		rec := record(t, out, s, id+"-seed1")
		p := instanceOf(t, s).problem
		var fit algos.Fit
		batch := 1
		for _, c := range s.Expand() {
			if c.Name == id+"-seed1" {
				p.Engine = compute.NewEngine(compute.Options{Threads: 1, Precision: c.Precision(), MemoryBytes: c.Memory()})
				var err error
				fit, err = c.Method.Configured.Start(&p)
				require.NoError(t, err)
				batch = algos.TraitsOf(c.Method.Configured).Batch
			}
		}
		order := parts.NewOrder(&p)
		var losses []float64
		seen, sum := int64(0), 0.0
		for range rec.Points[len(rec.Points)-1].Step {
			_, x, y := order.Batch(seen, batch)
			u := fit.Model().Predict(x)
			for i := range u.Rows {
				d := u.At(i, 0) - y.At(i, 0)
				sum += d * d
			}
			made, err := fit.Step()
			require.NoError(t, err)
			seen += int64(made.Seen)
			losses = append(losses, sum)
		}
		for _, point := range rec.Points {
			want := losses[point.Step-1]
			assert.InEpsilon(t, want, *point.Values["cumulative-loss"], 1e-9, "%s after step %d", id, point.Step)
			assert.InEpsilon(t, want/float64(point.Seen), *point.Values["progressive-mse"], 1e-9, "%s after step %d", id, point.Step)
		}
		assert.NotContains(t, rec.Points[0].Values, "progressive-mse@average")
	}
}

// Metrics of predictions before learning are refused for methods that take all rows at once.
func TestProgressiveMetricsNeedTurns(t *testing.T) {
	_, err := catalog.Load(catalog.Ref{ID: "ma2017/krls"}, experiments.LoadOptions{Set: []string{`evaluate.metrics=["progressive-mse"]`}})
	assert.ErrorContains(t, err, `"progressive-mse" needs a method that takes examples in turn (such as`)
}
