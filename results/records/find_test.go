package records_test

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/results/files"
	"repro/results/records"
	"repro/results/records/recordstest"
)

// What a folder has of a cell follows from its record and the files that this names, each of which is read once while it stays
// as it is.
func TestFind(t *testing.T) {
	dir := t.TempDir()
	r := recordstest.Record("a", 1, 1)
	path := records.Path(dir, r.Header.Experiment, r.Header.Cell)
	file := files.Path(dir, "predictions", r.Header.Experiment, "a.csv")
	find := func(ran func(records.Header) bool) records.Found {
		return records.Find(dir, r.Header.Experiment, r.Header.Cell, ran)
	}
	old := func(path string) {
		at := time.Now().Add(-time.Hour)
		require.NoError(t, os.Chtimes(path, at, at))
	}
	write := func(status records.Status, files map[string]string) {
		require.NoError(t, os.RemoveAll(path))
		recordstest.Ended(r, status)
		if r.End != nil {
			r.End.Files = files
		}
		recordstest.Write(t, dir, r)
	}
	assert.Equal(t, []any{records.ToDo, "", false}, []any{find(nil).State, find(nil).Reason(), find(nil).Ended()})
	require.NoError(t, files.Write(dir, path, []byte("my notes\n")))
	assert.True(t, find(nil).Unread())
	require.ErrorIs(t, find(nil).Err, records.ErrDamaged)

	write(records.Done, nil)
	assert.Equal(t, records.Settled, find(nil).State)
	assert.Equal(t, records.Other, find(func(records.Header) bool { return false }).State)
	assert.Equal(t, r.Points[len(r.Points)-1].Timing.Train+r.Points[len(r.Points)-1].Timing.Setup, find(nil).Trained())
	write(records.Partial, nil)
	assert.Equal(t, []any{records.ToDo, "partial", false}, []any{find(nil).State, find(nil).Reason(), find(nil).Ended()})
	write(records.Skipped, nil)
	assert.Equal(t, []any{records.ToDo, "skipped: because", true}, []any{find(nil).State, find(nil).Reason(), find(nil).Ended()})
	require.NoError(t, find(nil).Err)

	sum := sha256.Sum256([]byte("1"))
	write(records.Done, map[string]string{"a.csv": hex.EncodeToString(sum[:])})
	old(path)
	assert.EqualError(t, find(nil).Err, file+" is missing")
	require.NoError(t, files.Write(dir, file, []byte("2")))
	assert.EqualError(t, find(nil).Err, file+" is not as the run wrote it")
	assert.True(t, find(nil).Complete())
	require.NoError(t, files.Write(dir, file, []byte("1")))
	old(file)
	assert.Equal(t, records.Settled, find(nil).State)

	known := find(nil)
	assert.Same(t, known.Record, find(nil).Record, "read once")
	store, err := records.Open(dir)
	require.NoError(t, err)
	assert.Same(t, known.Record, store.Records[0], "also by a store")
	require.NoError(t, os.WriteFile(file, []byte("3"), 0o600))
	assert.Equal(t, records.ToDo, find(nil).State)
	write(records.Partial, nil)
	assert.NotSame(t, known.Record, find(nil).Record)
}
