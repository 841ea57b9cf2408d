package runner

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/datasets"
	"repro/experiments"
	"repro/results/files"
	"repro/results/records"
	"repro/results/records/recordstest"
)

// numerous has 120 cells of no cost.
const numerous = `
data = { name = "dai2014-synthetic", train = 8, test = 8 }
budget = { steps = 1 }
evaluate = { points = 1, metrics = ["test-mse"] }
repeat = { seeds = 60 }
[problem]
loss = "square"
nu = 1e-2
kernel = { name = "gaussian", bandwidth = 1.0 }
[[method]]
algorithm = "norma"
batch = 8
each = [
  { id = "a", step = { schedule = "constant", gamma0 = 1.0 } },
  { id = "b", step = { schedule = "constant", gamma0 = 2.0 } },
]
`

// A run of a part of a large plan leaves packs, and what is in them does not run again. Two runs at once lose nothing.
func TestRunsOfLargePlansPack(t *testing.T) {
	defer files.Through(files.Unsynced)()
	cells := spec(t, numerous).Expand()
	alone, out := t.TempDir(), t.TempDir()
	o := Options{Out: alone, Threads: 1, Library: datasets.NewLibrary()}
	_, err := Run(context.Background(), cells, o)
	require.NoError(t, err)
	folder := filepath.Join("records", filepath.FromSlash(cells[0].Experiment))
	assert.NoDirExists(t, filepath.Join(alone, folder, "packs"), "a small plan has none")

	o.Out, o.Planned = out, records.Many+1
	var both sync.WaitGroup
	for range 2 {
		both.Go(func() {
			_, err := Run(context.Background(), cells, o)
			assert.NoError(t, err)
		})
	}
	both.Wait()
	w := &witness{}
	o.Observe = w.observe
	sum, err := Run(context.Background(), cells, o)
	require.NoError(t, err)
	assert.Equal(t, len(cells), sum.Kept)
	assert.Empty(t, w.reasons(Warned))
	own, err := filepath.Glob(filepath.Join(out, folder, "*.jsonl"))
	require.NoError(t, err)
	assert.Less(t, len(own), leastPacked)
	packs, err := filepath.Glob(filepath.Join(out, folder, "packs", "*"))
	require.NoError(t, err)
	require.NotEmpty(t, packs)
	assert.NoDirExists(t, filepath.Join(out, locksFolder))
	for i := range cells {
		c := &cells[i]
		f := o.find(c)
		require.Equal(t, records.Settled, f.State, c.Name)
		require.NoError(t, f.Unpack(out, c.Experiment, c.Name))
		want, err := recordstest.Canonical(records.Path(alone, c.Experiment, c.Name))
		got, err2 := recordstest.Canonical(records.Path(out, c.Experiment, c.Name))
		require.NoError(t, errors.Join(err, err2))
		assert.Equal(t, string(want), string(got), c.Name)
	}
}

// Every cell of a group counts for the next pack.
func TestPacksAreDue(t *testing.T) {
	cells := spec(t, numerous).Expand()
	r := &run{Options: Options{Out: t.TempDir()}, locks: files.NewLocker()}
	r.packs.loose = map[string]int{}
	for before, after := range map[int]int{0: 2, packEvery - 3: packEvery - 1, packEvery - 2: 0} {
		r.packs.loose[cells[0].Experiment] = before
		r.packs.add(t.Context(), r, []*experiments.Cell{&cells[0], &cells[1]})
		assert.Equal(t, after, r.packs.loose[cells[0].Experiment])
	}
}

// A damaged record in a pack is moved aside as a file of its own, and its cell runs again.
func TestADamagedPackedRecordRunsAgain(t *testing.T) {
	defer files.Through(files.Unsynced)()
	cells := spec(t, numerous).Expand()
	o := Options{Out: t.TempDir(), Threads: 1, Library: datasets.NewLibrary(), Planned: records.Many + 1}
	_, err := Run(context.Background(), cells, o)
	require.NoError(t, err)
	c := &cells[7]
	f := o.find(c)
	text, err := os.ReadFile(f.File)
	require.NoError(t, err)
	whole := o.find(&cells[8]).Whole()
	text[len(text)-2] ^= 1 // in the last record
	require.NoError(t, os.Remove(f.File))
	damaged := filepath.Join(filepath.Dir(f.File), "damaged.jsonl")
	require.NoError(t, os.WriteFile(damaged, text, 0o600))
	w := &witness{}
	o.Observe = w.observe
	sum, err := Run(context.Background(), cells, o)
	require.NoError(t, err)
	assert.Equal(t, len(cells)-1, sum.Kept)
	require.Len(t, w.reasons(Warned), 1)
	assert.Contains(t, w.reasons(Warned)[0], damaged)
	assert.Contains(t, w.reasons(Warned)[0], "it is now ")
	assert.Equal(t, whole, o.find(&cells[8]).Whole())
	_, err = Run(context.Background(), cells, o)
	require.NoError(t, err)
}
