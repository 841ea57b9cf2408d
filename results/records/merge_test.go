package records_test

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/results/files"
	"repro/results/records"
	"repro/results/records/recordstest"
)

// canonical returns the records below dir by cell, without what varies.
func canonical(t *testing.T, dir string) map[string]string {
	t.Helper()
	s, err := records.Open(dir)
	require.NoError(t, err)
	require.Empty(t, s.Warnings)
	all := map[string]string{}
	for _, r := range s.Records {
		text, err := recordstest.Canonical(records.Path(dir, r.Header.Experiment, r.Header.Cell))
		require.NoError(t, err)
		all[r.Header.Cell] = string(text)
	}
	return all
}

// folder returns a new output folder with records.
func folder(t *testing.T, recs ...*records.Record) (dir string) {
	dir = t.TempDir()
	for _, r := range recs {
		recordstest.Write(t, dir, r)
	}
	return dir
}

func partial(values ...float64) *records.Record {
	return recordstest.Ended(recordstest.Record("c", 1, values...), records.Partial)
}

func TestMerge(t *testing.T) {
	again := recordstest.With(recordstest.Record("a", 1, 3, 2), func(r *records.Record) {
		r.Points[1].Timing.Train, r.Header.Timing.CPU, r.Header.Timing.Threads = 77, "another", 9
	})
	a := folder(t, recordstest.Record("a", 1, 3, 2), recordstest.Record("b", 1, 5), partial(9, 8))
	b := folder(t, again, recordstest.Record("c", 1, 9, 8, 7), recordstest.Ended(recordstest.Record("b", 1), records.Failed))
	to := filepath.Join(t.TempDir(), "out")
	for _, order := range [][]string{{a, b}, {b, a}} {
		require.NoError(t, os.RemoveAll(to))
		m, err := records.Merge(order, to)
		require.NoError(t, err)
		assert.Equal(t, records.Merged{Written: 3, Equal: 1}, m)
		got := canonical(t, to)
		assert.Equal(t, canonical(t, a)["b-1"], got["b-1"], "complete against failed")
		assert.Equal(t, canonical(t, b)["c-1"], got["c-1"], "complete against partial")
		assert.Equal(t, canonical(t, a)["a-1"], got["a-1"])
		m, err = records.Merge(order, to)
		require.NoError(t, err)
		assert.Equal(t, 0, m.Written, "a second merge changes nothing")
		assert.Equal(t, 3, m.Kept)
	}
}

// Of two runs that were interrupted the longer one is taken.
func TestMergeTakesTheLongerOfInterruptedRuns(t *testing.T) {
	short, long, to := folder(t, partial(9, 8)), folder(t, partial(9, 8, 7)), t.TempDir()
	for _, order := range [][]string{{short, long}, {long, short}} {
		require.NoError(t, os.RemoveAll(to))
		_, err := records.Merge(order, to)
		require.NoError(t, err)
		assert.Equal(t, canonical(t, long), canonical(t, to))
	}
}

func TestMergeStopsWhereEqualCellsDiffer(t *testing.T) {
	tests := []struct {
		name   string
		change func(*records.Record)
		want   string
	}{
		{"value", func(r *records.Record) { r.Points[0].Values["error"] = records.Value(3 + 1e-15) }, "line 2, values.error is 3 and 3.000000000000001"},
		{"counter", func(r *records.Record) { r.Points[0].Counters.Flops++ }, "line 2, counters.flops is"},
		{"build", func(r *records.Record) { r.Header.Provenance.Commit = "other" }, "line 1, provenance.commit is"},
		{"points", func(r *records.Record) { r.Points = r.Points[:1] }, "line 3"},
		{"a key of one alone", func(r *records.Record) { r.End.Files = map[string]string{"a-1.csv": "00"} }, "files.a-1.csv is"},
		{"settings", func(r *records.Record) { r.Header.Digest = "other" }, "other settings"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			a, to := folder(t, recordstest.Record("a", 1, 3, 2)), t.TempDir()
			b := folder(t, recordstest.With(recordstest.Record("a", 1, 3, 2), test.change), recordstest.Record("b", 1, 1))
			_, err := records.Merge([]string{a, b}, to)
			require.Error(t, err)
			for _, part := range []string{test.want, "paper1999/demo a-1", a, b, "nothing was merged"} {
				assert.ErrorContains(t, err, part)
			}
			assert.NoDirExists(t, filepath.Join(to, "records"))
		})
	}
}

func TestMergeTakesTheFilesOfPredictionsAlong(t *testing.T) {
	sum := sha256.Sum256([]byte("1\n"))
	to, a := t.TempDir(), folder(t, recordstest.With(recordstest.Record("a", 1, 3), func(r *records.Record) {
		r.End.Files = map[string]string{"a-1.csv": hex.EncodeToString(sum[:])}
	}))
	path := func(dir string) string { return files.Path(dir, "predictions", "paper1999/demo", "a-1.csv") }
	_, err := records.Merge([]string{a}, to)
	assert.ErrorContains(t, err, "a-1.csv")
	require.NoError(t, files.Write(a, path(a), []byte("2\n")))
	_, err = records.Merge([]string{a}, to)
	assert.ErrorContains(t, err, "is not as the run paper1999/demo a-1 wrote it")
	require.NoError(t, files.Write(a, path(a), []byte("1\n")))
	_, err = records.Merge([]string{a}, to)
	require.NoError(t, err)
	got, err := os.ReadFile(path(to))
	require.NoError(t, err)
	assert.Equal(t, "1\n", string(got))
}

func TestMergeOfDamagedAndEmptyRecords(t *testing.T) {
	a, b, to := folder(t, recordstest.Record("a", 1, 3)), t.TempDir(), t.TempDir()
	path := recordstest.Write(t, b, recordstest.Record("b", 1, 3))
	require.NoError(t, os.WriteFile(path, nil, 0o644)) // of a process that was killed before its first line
	_, err := records.Merge([]string{a, b}, to)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(path, []byte("x\ny\n"), 0o644))
	_, err = records.Merge([]string{a, b}, to)
	assert.ErrorContains(t, err, path)
	_, err = records.Merge([]string{filepath.Join(a, "nowhere")}, to)
	assert.ErrorContains(t, err, "there are no records in")
}

func TestMergeKeepsTheFirstOfCellsThatSecondsEnd(t *testing.T) {
	exempt := func(v float64) *records.Record {
		return recordstest.With(recordstest.Record("a", 1, v), func(r *records.Record) { r.Header.Provenance.Exempt = "a budget of 3 seconds ends it" })
	}
	a, b, to := folder(t, exempt(3)), folder(t, exempt(4)), t.TempDir()
	m, err := records.Merge([]string{a, b}, to)
	require.NoError(t, err)
	assert.Equal(t, []string{"paper1999/demo a-1"}, m.Exempt)
	assert.Equal(t, canonical(t, a), canonical(t, to))
	_, err = records.Merge([]string{a, folder(t, recordstest.Record("a", 1, 5))}, t.TempDir())
	assert.ErrorContains(t, err, "are of the same method and seed and differ", "seconds end one of them only")
}
