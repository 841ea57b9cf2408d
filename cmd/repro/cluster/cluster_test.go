package cluster

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"repro/results/records"
	"repro/results/records/recordstest"
	"repro/runner"
)

// A folder with enough cells tells how much longer than predicted they take.
func TestTimeMargin(t *testing.T) {
	out := t.TempDir()
	var all []runner.Planned
	for i := range 40 {
		r := recordstest.With(recordstest.Record("a", uint64(i), 1), func(r *records.Record) { r.End.Timing.Wall = 2 * (1 + 0.05*float64(i)) })
		recordstest.Write(t, out, r)
		seconds := 2.0
		all = append(all, runner.Planned{Experiment: r.Header.Experiment, Cell: r.Header.Cell, Seconds: &seconds, State: records.Settled})
	}
	assert.Equal(t, usualMargin, timeMargin(out, all[:enough-1]))
	assert.InDelta(t, 1+0.05*0.95*39, timeMargin(out, all), 1e-12)
	*all[0].Seconds, all[1].State = 0.5, records.ToDo
	assert.InDelta(t, 1+0.05*(2+0.95*37), timeMargin(out, all), 1e-12, "of the other 38")
	for i := range all {
		all[i].Seconds = all[39].Seconds
		*all[i].Seconds = 100
	}
	assert.Equal(t, leastMargin, timeMargin(out, all))
}
