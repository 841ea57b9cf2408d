package runner

import (
	"context"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/datasets"
	"repro/experiments"
	"repro/results/records"
)

// pretend writes a record of a cell at another digest that took some seconds.
func pretend(t *testing.T, out string, c *experiments.Cell, profile string, setup, train float64, status records.Status) {
	t.Helper()
	w, err := records.Create(records.Path(out, c.Experiment, c.Name), records.Header{
		Experiment: c.Experiment, Cell: c.Name, Method: c.Method.ID, Seed: c.Seed, Profile: profile, Digest: "other",
	})
	require.NoError(t, err)
	require.NoError(t, w.Point(records.Point{Step: 1, Timing: records.PointTiming{Setup: setup, Train: train}}))
	if status != records.Partial {
		require.NoError(t, w.End(records.End{Status: status}))
	}
	require.NoError(t, w.Close())
}

func TestRunKeepsDearRecords(t *testing.T) {
	s := spec(t, head+compared, "data.train=64", `evaluate.metrics=["test-mse"]`)
	cells := s.Expand()
	out := t.TempDir()
	pretend(t, out, &cells[0], "paper", 3000, 1200, records.Budget)
	pretend(t, out, &cells[1], "quick", 0, 61, records.Diverged)
	pretend(t, out, &cells[2], "paper", 50, 9, records.Done)
	pretend(t, out, &cells[3], "paper", 0, 1e6, records.Partial)
	path := records.Path(out, cells[0].Experiment, cells[0].Name)
	before, err := os.ReadFile(path)
	require.NoError(t, err)

	_, err = Run(context.Background(), cells, Options{Out: out, Library: datasets.NewLibrary()})
	require.EqualError(t, err, out+" holds complete records of other settings, which this run would replace: 2 of "+s.ID+
		" at profiles paper, quick (71 min of training); choose another folder with --out, or replace them with --fresh")
	after, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, before, after)
	assert.NoFileExists(t, records.Path(out, cells[4].Experiment, cells[4].Name), "nothing ran")

	_, err = Guard(cells[2:], Options{Out: out})
	require.NoError(t, err, "what took a minute or was interrupted may be replaced")
	sum := execute(t, s, Options{Out: out, Fresh: true})
	assert.Equal(t, len(cells), sum.Status[records.Budget]+sum.Status[records.Done])
}
