package runner

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/results/files"
	"repro/results/records"
)

// A folder whose run was interrupted fits together. What then does not is told, and what no run owns is told apart, unless it is young.
func TestCheckFolder(t *testing.T) {
	s := spec(t, hazardous)
	out := t.TempDir()
	interrupt(t, s, out, "b", 7)
	troubles := func() map[string]Trouble {
		store, err := records.Open(out)
		require.NoError(t, err)
		all, err := CheckFolder(out, store)
		require.NoError(t, err)
		found := map[string]Trouble{}
		for _, w := range all {
			rel, err := filepath.Rel(out, w.Path)
			require.NoError(t, err)
			found[filepath.ToSlash(rel)] = w
		}
		return found
	}
	assert.Empty(t, troubles())

	age := func(path string) {
		old := time.Now().Add(-time.Hour)
		require.NoError(t, os.Chtimes(path, old, old))
	}
	put := func(part, name, text string) {
		path := files.Path(out, part, s.ID, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o777))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o666))
		age(path)
	}
	put("checkpoints", "gone-seed1.gob", "x")
	put("failures", "b-seed1.txt", "x")
	put("predictions", "gone-seed1.csv", "x")
	put("predictions", "b-seed1.csv", "of the run that was interrupted")
	put("predictions", "truth.csv", "of all cells")
	require.NoError(t, os.WriteFile(files.Path(out, "predictions", s.ID, "young-seed1.csv"), nil, 0o666))
	checkpoint := files.Path(out, "checkpoints", s.ID, "b-seed1.gob")
	good, err := os.ReadFile(checkpoint)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(checkpoint, good[:len(good)-1], 0o666))
	age(checkpoint)
	found := troubles()
	for path, what := range map[string]string{
		"checkpoints/" + s.ID + "/gone-seed1.gob": "a checkpoint without a record", "checkpoints/" + s.ID + "/b-seed1.gob": "checksum does not match; the cell starts again",
		"failures/" + s.ID + "/b-seed1.txt": "the cell has not failed", "predictions/" + s.ID + "/gone-seed1.csv": "no record names it",
	} {
		assert.Contains(t, found[path].What, what, path)
		assert.True(t, found[path].Orphan, path)
		delete(found, path)
	}
	assert.Empty(t, found)
}
