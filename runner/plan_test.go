package runner

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/datasets"
	"repro/experiments"
	"repro/results/records"
)

// A plan adds up the cells that are not complete: the time of those that run side by side over their processors, and the memory of
// the largest that run at a time.
func TestCostOfAPlan(t *testing.T) {
	p := EmptyPlan(Options{Threads: 2, Library: datasets.NewLibrary()})
	free, alone := spec(t, head+compared).Expand(), spec(t, head+compared, "repeat.timed=true").Expand()
	for _, c := range []struct {
		cell  *experiments.Cell
		state records.State
		takes Estimate
	}{
		{&free[0], records.ToDo, Estimate{Seconds: 4, Bytes: 5e9, Disk: 3e9}},
		{&free[1], records.ToDo, Estimate{Seconds: 2, Bytes: 3e9, Disk: 2e9}}, // has the rows of the first one
		{&free[2], records.ToDo, Estimate{Seconds: 2, Bytes: 1e9}},
		{&free[3], records.Settled, Estimate{Seconds: 100, Bytes: 1e12, Disk: 1e12}},
		{&free[4], records.ToDo, Estimate{Steps: -1, Seconds: -1, Bytes: -1}},
		{&alone[0], records.ToDo, Estimate{Seconds: 10, Bytes: 6e9}},
		{&alone[1], records.ToDo, Estimate{Seconds: 10, Bytes: 1e9}},
		{&free[5], records.ToDo, Estimate{Seconds: 3, Bytes: 1e9, Disk: 2e9}},
	} {
		p.Add(c.cell, c.state, c.takes)
	}
	assert.Equal(t, Cost{Cells: 7, Unknown: 1, Seconds: 8./2 + 20 + 3, Bytes: p.whole(8e9), Disk: 3e9, Processors: 2}, p.Cost())
	assert.Equal(t, 50e6+8*25e3+25e6+1.2*8e9, p.whole(8e9), "the program, its cells, an empty process, and a fifth of garbage")
	assert.Nil(t, p.Cells[4].Steps)
	assert.Equal(t, 0, *p.Cells[0].Steps)
	assert.Contains(t, p.String(), "8 runs, 1 of them complete in ")

	require.NoError(t, p.Fits(p.whole(8e9), "this machine has"))
	assert.ErrorContains(t, p.Fits(p.whole(8e9)-1, "this machine has"), "side by side need ")
	assert.ErrorContains(t, p.Fits(p.whole(6e9)-1, "this machine has"), "needs 7.3 GB of memory (6.0 GB of its own")

	many := EmptyPlan(Options{Threads: 2, Library: datasets.NewLibrary()})
	for i, c := range spec(t, head+compared, "repeat.seeds=20").Expand() {
		many.Add(&c, records.ToDo, Estimate{Seconds: 1, Bytes: 1, Disk: float64(1 + i/4)}) // a seed has rows of its own
	}
	assert.Equal(t, 20.+19+18+17+16+15+14+13+12+11, many.Cost().Disk, "eight data sets are kept, and two cells run")
}
