package records

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Two packs with other records of a cell are warned of, but for one that has been replaced by the other meanwhile.
func TestReplacedPacksAreNotWarnedOf(t *testing.T) {
	folder := filepath.Join(t.TempDir(), packsFolder)
	require.NoError(t, os.Mkdir(folder, 0o700))
	before, now := filepath.Join(folder, "before.jsonl"), filepath.Join(folder, "now.jsonl")
	warnings := func() (n int) {
		w := walked{visit: func(*part) error { return nil }, warn: func(error) { n++ }, seen: map[[3]string]place{}}
		r := &Record{Header: Header{Experiment: "p/x", Cell: "a-1"}}
		for i, path := range []string{before, now} {
			p := part{path: path, cell: "a-1", record: r}
			p.sum[0] = byte(i)
			require.NoError(t, w.take(&p))
		}
		return n
	}
	for _, path := range []string{before, now} {
		require.NoError(t, os.WriteFile(path, nil, 0o600))
	}
	assert.Equal(t, 1, warnings())
	require.NoError(t, os.Remove(before))
	assert.Zero(t, warnings())
}
