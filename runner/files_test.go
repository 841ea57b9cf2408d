package runner

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/results/files"
)

// A cell whose predictions are missing or changed runs again and writes the same ones.
func TestPredictionsBelongToTheirCell(t *testing.T) {
	s := spec(t, hazardous)
	out := ran(t, s, Options{})
	want := canonical(t, out, s)
	names := filesBelow(t, out, "predictions")
	require.ElementsMatch(t, []string{s.ID + "/a-seed1.csv", s.ID + "/b-seed1.csv", s.ID + "/a-seed1.surface.csv", s.ID + "/b-seed1.surface.csv", s.ID + "/truth.surface.csv"}, names)
	assert.Len(t, record(t, out, s, "a-seed1").End.Files, 3)
	for _, name := range names {
		path := filepath.Join(out, "predictions", filepath.FromSlash(name))
		good, err := os.ReadFile(path)
		require.NoError(t, err)
		for what, damage := range map[string]func() error{
			" is missing":                 func() error { return os.Remove(path) },
			" is not as the run wrote it": func() error { return os.WriteFile(path, append(good, '1'), 0o600) },
			" is not a regular file":      func() error { return os.Rename(path, path+".moved") },
		} {
			require.NoError(t, damage())
			if what == " is not a regular file" {
				require.NoError(t, os.Mkdir(path, 0o777))
				require.NoError(t, os.Remove(path)) // replaced below by a link, where links exist
				if os.Symlink(path+".moved", path) != nil {
					continue
				}
			}
			sum, w, err := watch(t, context.Background(), s, Options{Out: out})
			require.NoError(t, err)
			require.NotEmpty(t, w.reasons(Warned))
			assert.Contains(t, w.reasons(Warned)[0], path+what+"; it runs again")
			assert.Less(t, sum.Kept, 2)
			again, err := os.ReadFile(path)
			require.NoError(t, err)
			assert.Equal(t, good, again, name+what)
			os.Remove(path + ".moved")
		}
	}
	assert.Equal(t, want, canonical(t, out, s))
	assert.Equal(t, 2, execute(t, s, Options{Out: out}).Kept)
	assert.Zero(t, execute(t, s, Options{Out: out, Fresh: true}).Kept)

	own := spec(t, hazardous+"data = { train = 32 }\n") // b has a truth of its own, under the name of that of a
	assert.Equal(t, 1, execute(t, own, Options{Out: out, Threads: 2}).Kept, "a cell with other settings runs again")
	assert.Equal(t, 1, record(t, out, own, "b-seed1").Header.Timing.Threads, "cells that run side by side have one each")
	for cell, want := range map[string][]string{"a-seed1": {"a-seed1.csv", "a-seed1.surface.csv", "truth.surface.csv"}, "b-seed1": {"b-seed1.csv", "b-seed1.surface.csv"}} {
		assert.ElementsMatch(t, want, slices.Collect(maps.Keys(record(t, out, own, cell).End.Files)), cell)
	}
}

// What kill -9 leaves of a cell goes when the cell runs again. Files of other cells, which may be running, stay.
func TestTemporariesOfKilledRunsAreRemoved(t *testing.T) {
	s := spec(t, hazardous)
	out := t.TempDir()
	leave := func(age time.Duration, part, name string) string {
		path := files.Path(out, part, s.ID, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o777))
		require.NoError(t, os.WriteFile(path, nil, 0o600))
		then := time.Now().Add(-age)
		require.NoError(t, os.Chtimes(path, then, then))
		return path
	}
	gone := []string{
		leave(0, "checkpoints", ".repro-a-seed1.gob-123"), leave(0, "predictions", ".repro-b-seed1.csv-7"), leave(0, "predictions", ".repro-a-seed1.surface.csv-7"),
		leave(0, "failures", ".repro-a-seed1.txt-9"), leave(24*time.Hour, "checkpoints", ".repro-checkpoint-5"), leave(24*time.Hour, "predictions", ".repro-truth.surface.csv-5"),
	}
	stay := []string{
		leave(0, "checkpoints", ".repro-c-seed1.gob-123"), leave(0, "predictions", ".repro-truth.surface.csv-6"), leave(24*time.Hour, "predictions", "mine-5"),
		leave(24*time.Hour, "predictions", ".hidden"), leave(0, "checkpoints", ".repro-a-seed10.gob-123"),
	}
	execute(t, s, Options{Out: out})
	for _, path := range gone {
		assert.NoFileExists(t, path)
	}
	for _, path := range stay {
		assert.FileExists(t, path)
	}
}
