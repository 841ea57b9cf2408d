package runner

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/results/claims"
	"repro/results/records"
)

const excess = `
[data]
name = "dai2014-synthetic"
train = 90
test = 40
[problem]
loss = "square"
nu = 0.1
kernel = { name = "gaussian", bandwidth = 2.0 }
[budget]
steps = 6
[evaluate]
points = 4
metrics = ["excess-loss", "test-loss"]
reference = "krr"
[[method]]
id = "norma"
algorithm = "norma"
batch = 30
step = { schedule = "constant", gamma0 = 1.0 }
[[method]]
id = "krr"
algorithm = "krr"
[[method]]
id = "narrow"
algorithm = "krr"
kernel = { name = "gaussian", bandwidth = 0.5 }
[[method]]
id = "sized"
algorithm = "norma"
batch = 30
step = { schedule = "constant", gamma0 = 1.0 }
grid = { "data.inputs" = [2, 3, 4, 5] }
[[claim]]
id = "dimension"
kind = "rate"
statement = "memory grows as d + 1"
source = "nowhere"
method = "sized"
metric = "memory"
across = "data.inputs"
published = "1"
tolerance = 0.1
why = "nowhere"
published_is = "theorem"
published_says = "nowhere"
`

// The excess loss is the difference of the losses of two runs, and a method's own kernel and data of its own size are what its cells
// run with.
func TestExcessLossAndDataOfMethods(t *testing.T) {
	s, out := spec(t, excess), t.TempDir()
	require.False(t, failed(execute(t, s, Options{Out: out})))
	last := func(cell string) (*records.Record, records.Point) {
		r, err := records.Read(records.Path(out, s.ID, cell))
		require.NoError(t, err)
		return r, r.Points[len(r.Points)-1]
	}
	_, norma := last("norma-seed1")
	_, krr := last("krr-seed1")
	assert.InDelta(t, 0, *krr.Values["excess-loss"], 1e-12)
	difference := *norma.Values["test-loss"] - *krr.Values["test-loss"]
	// Rounding of two means of 40 losses below 1.
	assert.InDelta(t, max(difference, -difference), *norma.Values["excess-loss"], 1e-12)

	narrow, own := last("narrow-seed1")
	assert.Equal(t, 0.5, narrow.Header.Resolved["sigma"], "a method's own kernel, on the same rows")
	assert.NotEqual(t, *krr.Values["test-loss"], *own.Values["test-loss"])

	two, _ := last("sized,inputs=2-seed1")
	five, p := last("sized,inputs=5-seed1")
	assert.Equal(t, 2.0, two.Header.Resolved["inputs"])
	assert.Equal(t, 5.0, five.Header.Resolved["inputs"])
	assert.Equal(t, int64(8*180*6), p.Counters.Memory, "180 terms of five inputs and a coefficient")
	assert.True(t, strings.Contains(five.Header.Provenance.Data[0].Name, "dai2014-synthetic"))

	var recs []*records.Record
	for _, c := range s.Expand() {
		r, _ := last(c.Name)
		recs = append(recs, r)
	}
	v := claims.Judge(s.Experiment(), recs).Verdicts
	require.Len(t, v, 1)
	require.NotNil(t, v[0].Measured, v[0].Reason)
	// The slope of log(d + 1) between d = 2 and 5, weighed by LogSlope: below (log 6 - log 3)/(log 5 - log 2).
	assert.InDelta(t, 0.755, *v[0].Measured, 0.01)
}
