package records_test

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/results/files"
	"repro/results/records"
	"repro/results/records/recordstest"
	"repro/runner/goldentest"
)

func TestWriterGivesTheGoldenRecord(t *testing.T) {
	r := recordstest.Record("a", 1, 0.5, 0.25, math.NaN())
	r.Points[0].Values["other"] = records.Value(1e-7)
	r.Header.Settings = map[string]any{"z": 1, "a": map[string]any{"y": "<&>", "b": 0.1}}
	path := recordstest.Write(t, t.TempDir(), r)
	got, err := os.ReadFile(path)
	require.NoError(t, err)
	goldentest.Equal(t, filepath.Join("testdata", filepath.FromSlash("records/paper1999/demo/a-1.jsonl")), string(got))
}

func TestResumeGoesOnWithTheSameBytes(t *testing.T) {
	dir := t.TempDir()
	r := recordstest.Record("a", 1, 4, 3, 2)
	whole, err := os.ReadFile(recordstest.Write(t, dir, r))
	require.NoError(t, err)

	path := filepath.Join(dir, "resumed.jsonl")
	w, err := records.Create(path, r.Header)
	require.NoError(t, err)
	require.NoError(t, w.Point(r.Points[0]))
	offset := w.Offset()
	require.NoError(t, w.Point(recordstest.Point(2, 77))) // after the checkpoint, lost
	require.NoError(t, w.Close())

	w, err = records.Resume(path, offset)
	require.NoError(t, err)
	assert.Equal(t, offset, w.Offset())
	for _, p := range r.Points[1:] {
		require.NoError(t, w.Point(p))
	}
	require.NoError(t, w.End(*r.End))
	require.NoError(t, w.Close())
	got, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, string(whole), string(got))
	assert.Equal(t, int64(len(whole)), w.Offset())
}

func TestResumeRefusesAStaleOffset(t *testing.T) {
	path := recordstest.Write(t, t.TempDir(), recordstest.Record("a", 1, 4))
	before, err := os.ReadFile(path)
	require.NoError(t, err)
	for _, offset := range []int64{-1, 0, 5, int64(len(before)) + 10} {
		_, err := records.Resume(path, offset)
		assert.ErrorContains(t, err, "--fresh", "offset %d", offset)
		assert.ErrorIs(t, err, records.ErrDamaged, "offset %d", offset)
	}
	after, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, before, after, "a refused record is left alone")
	_, err = records.Resume(path+"x", 10)
	assert.ErrorContains(t, err, "--fresh")
}

func TestResumeVerifiesTheLinesBefore(t *testing.T) {
	path := recordstest.Write(t, t.TempDir(), recordstest.Ended(recordstest.Record("a", 1, 4, 3), records.Partial))
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	l := strings.SplitAfter(string(data), "\n")
	for name, test := range map[string]struct{ data, want string }{
		"digit edited": {l[0] + strings.Replace(l[1], "4", "5", 1) + l[2], ":2: the checksum does not match"},
		"ended":        {read(t, recordstest.Write(t, t.TempDir(), recordstest.Record("a", 1, 4, 3))), "it has an end line"},
	} {
		t.Run(name, func(t *testing.T) {
			require.NoError(t, os.WriteFile(path, []byte(test.data), 0o644))
			_, err := records.Resume(path, int64(len(test.data)))
			require.ErrorIs(t, err, records.ErrDamaged)
			assert.ErrorContains(t, err, test.want)
			assert.Equal(t, test.data, read(t, path), "a refused record is left alone")
		})
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	return string(data)
}

func TestCreateNamesThePathAndTheFlag(t *testing.T) {
	blocked := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(blocked, nil, 0o644))
	path := filepath.Join(blocked, "a.jsonl")
	_, err := records.Create(path, records.Header{})
	assert.ErrorContains(t, err, path)
	assert.ErrorContains(t, err, "--out")
}

func TestEndRefusesPartial(t *testing.T) {
	w, err := records.Create(filepath.Join(t.TempDir(), "a.jsonl"), records.Header{})
	require.NoError(t, err)
	defer w.Close()
	assert.Panics(t, func() { _ = w.End(records.End{Status: records.Partial}) })
}

func TestPathStaysInside(t *testing.T) {
	tests := []struct{ experiment, cell, want string }{
		{"dai2014/ridge", "dsg-1", "out/records/dai2014/ridge/dsg-1.jsonl"},
		{"../../etc/x", "a", "out/records/etc/x/a.jsonl"},
		{"/home/me/spec", "a", "out/records/home/me/spec/a.jsonl"},
		{"p/n", "../a/b", "out/records/p/n/..%2Fa%2Fb.jsonl"},
		{"p/n", "a%2Fb", "out/records/p/n/a%252Fb.jsonl"},
	}
	for _, test := range tests {
		assert.Equal(t, filepath.FromSlash(test.want), records.Path("out", test.experiment, test.cell))
	}
	assert.Equal(t, filepath.FromSlash("out/predictions/etc/a%2Fb.csv"), files.Path("out", "predictions", "../../etc", "a/b.csv"))
}
