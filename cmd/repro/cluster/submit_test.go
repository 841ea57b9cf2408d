package cluster

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/cmd/repro/flags"
	"repro/cmd/repro/terminal"
	"repro/cmd/repro/training"
	"repro/datasets"
	"repro/experiments/catalog"
	"repro/results/records"
	"repro/runner"
	"repro/runner/shards"
)

// A shard asks for what its cells take that are not complete: on two processors half of their time, and half of the longest again,
// because that one may be the last; timed cells one after another. Memory has a margin.
func TestWhatAShardAsksFor(t *testing.T) {
	lib, out := &datasets.Library{}, t.TempDir()
	s := submission{cpus: 2}
	s.Out, s.Threads, s.Library = out, 2, lib
	var all []runner.Planned
	var part runner.Shard
	plan := &shards.Plan{}
	p, e := runner.EmptyPlan(runner.Options{Threads: 2}), runner.NewNominalEstimator(lib)
	sum, longest, alone := 0.0, 0.0, 0.0
	for _, set := range [][]string{nil, {"repeat.timed=true"}} {
		specs, err := flags.Choice{Profile: "smoke", Set: set}.LoadSpecs([]catalog.Ref{{Path: "../cli/testdata/tiny.toml"}})
		require.NoError(t, err)
		cells := training.Expand(specs)
		for i := range cells {
			takes, err := e.Cell(t.Context(), &cells[i])
			require.NoError(t, err)
			part = append(part, len(all))
			plan.Cells = append(plan.Cells, shards.Cell{Experiment: cells[i].Experiment, Cell: cells[i].Name})
			if i == 0 {
				all = append(all, runner.Planned{Of: &cells[i], State: records.Settled})
				continue
			}
			all = append(all, runner.Planned{Of: &cells[i]})
			p.Add(&cells[i], records.ToDo, takes)
			if set != nil {
				alone += takes.Seconds
			} else {
				sum, longest = sum+takes.Seconds, math.Max(longest, takes.Seconds)
			}
		}
	}
	got, err := s.shard(t.Context(), runner.NewNominalEstimator(lib), plan, part, all, map[string][]string{})
	require.NoError(t, err)
	assert.Equal(t, len(all)-2, got.Cells)
	assert.InEpsilon(t, alone+sum/2+longest/2, got.Seconds, 1e-12)
	assert.Equal(t, 1.25*p.Cost().Bytes, got.Bytes)
	assert.True(t, got.Alone)

	seconds := 100 * 60.0
	for i := range all {
		all[i].Seconds = &seconds
	}
	n, err := s.howMany(t.Context(), nil, all)
	require.NoError(t, err)
	assert.Equal(t, 6, n, "3 cells of 100 minutes on two processors, and 3 that run alone, in parts of 40 minutes: 11.25, but one for each cell at most")
	seconds = 20 * 60
	n, err = s.howMany(t.Context(), nil, all)
	require.NoError(t, err)
	assert.Equal(t, 3, n, "30 and 60 minutes")

	screen := &terminal.Terminal{Stderr: &terminal.Output{To: t.Output()}}
	plan.ID, plan.Of = "p", 2
	lease, err := shards.Take(out, plan.Dir(out), "1", shards.Holder{}, shards.Every)
	require.NoError(t, err)
	parts := []runner.Shard{part[:4], part[4:], part[4:]}
	found, err := s.missing(t.Context(), screen, plan, parts, all, map[int]string{2: "PENDING"})
	require.NoError(t, err)
	require.NoError(t, lease.Release(""))
	require.Len(t, found, 1, "the first one runs, and the second one waits")
	assert.Equal(t, 3, found[0].Index)
}
