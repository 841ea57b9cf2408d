package cli

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/cmd/repro/engines"
	"repro/results/records"
	"repro/runner/shards"
)

// statusIn returns the states of cells that status prints, by cell, and its notes.
func statusIn(t *testing.T, dir string) (map[string]engines.Status, []string) {
	t.Helper()
	var got struct {
		Cells []engines.Status `json:"cells"`
		Notes []string         `json:"notes"`
	}
	require.NoError(t, json.Unmarshal([]byte(ok(t, "status", "--out", dir, "--json").out), &got))
	cells := map[string]engines.Status{}
	for _, c := range got.Cells {
		cells[c.Cell.Cell] = c
	}
	return cells, got.Notes
}

func TestStatusOfAPlan(t *testing.T) {
	workplace(t)
	ok(t, "run", "tiny.toml", "--shard", "2/2")
	plans, err := shards.Plans("out")
	require.NoError(t, err)
	require.Len(t, plans, 1)
	lease, err := shards.Take("out", plans[0].Dir("out"), "1", shards.Holder{Job: "12_0"}, shards.Every)
	require.NoError(t, err)
	states := func() map[string]int {
		n := map[string]int{}
		cells, _ := statusIn(t, "out")
		for _, c := range cells {
			n[c.State]++
		}
		return n
	}
	assert.Equal(t, map[string]int{string(records.Settled): 2, engines.Running: 2}, states())
	assert.Contains(t, ok(t, "status").out, "job 12_0 (process ")
	require.NoError(t, lease.Release("stopped by SIGUSR1"))
	assert.Equal(t, map[string]int{string(records.Settled): 2, string(records.ToDo): 2}, states())

	// Once it was submitted, a cell that nobody knows of is unknown, and so it is if Slurm cannot be asked.
	t.Setenv("PATH", "")
	sent := engines.Sent{Name: "x", Arrays: []engines.Array{{Job: "12", Shards: []int{1}}}}
	require.NoError(t, sent.Write("out", plans[0].Dir("out")))
	assert.Equal(t, map[string]int{string(records.Settled): 2, engines.Unknown: 2}, states())
	cells, notes := statusIn(t, "out")
	require.Len(t, notes, 1)
	assert.Contains(t, notes[0], "Slurm gives no answer")
	for _, c := range cells {
		if c.State == engines.Unknown {
			assert.Equal(t, "its shard ended: stopped by SIGUSR1", c.Reason)
		}
	}
}
