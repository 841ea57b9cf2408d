package records_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/results/claims"
	"repro/results/records"
	"repro/results/records/recordstest"
)

func TestOpenSortsAndWarns(t *testing.T) {
	other := recordstest.Record("a", 1, 1)
	other.Header.Experiment, other.Header.Profile = "my/own/spec", "quick"
	dir := folder(t, recordstest.Record("b", 1, 1), recordstest.Record("a", 10, 1), recordstest.Record("a", 2, 1), other)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "records", "bad.jsonl"), []byte("x\ny\n"), 0o644))
	copied, err := os.ReadFile(records.Path(dir, "paper1999/demo", "b-1"))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(records.Path(dir, "paper1999/demo", "copy"), copied, 0o644))

	s, err := records.Open(dir)
	require.NoError(t, err)
	var cells []string
	for _, r := range s.Of("paper1999/demo") {
		cells = append(cells, r.Header.Cell)
	}
	assert.Equal(t, []string{"a-2", "a-10", "b-1"}, cells)
	assert.Equal(t, []string{"my/own/spec", "paper1999/demo"}, s.Experiments())
	assert.Len(t, s.Of("my/own/spec"), 1)
	assert.Empty(t, claims.Experiment{ID: "my/own/spec", Profile: "paper"}.Own(s.Records))
	require.Len(t, s.Warnings, 2)
	text := errors.Join(s.Warnings...).Error()
	assert.Contains(t, text, "bad.jsonl:1: broken line")
	assert.Contains(t, text, "copy.jsonl: holds the same run as")
}

func TestOpenWithoutRecords(t *testing.T) {
	dir := t.TempDir()
	_, err := records.Open(dir)
	assert.ErrorIs(t, err, fs.ErrNotExist)
	assert.EqualError(t, err, "there are no records in "+dir+": run an experiment first, or name the folder of its records with --out")
}

func TestJoinedRecordsAreReadAsSingleOnes(t *testing.T) {
	base, other := t.TempDir(), recordstest.Record("a", 1, 1)
	other.Header.Experiment = "my/own/spec"
	dir := folder(t,
		recordstest.Record("b", 1, 1), recordstest.Record("a", 10, 1, 2), recordstest.Record("a", 2, 1), other,
		recordstest.Ended(recordstest.Record("c", 1), records.Skipped), recordstest.Ended(recordstest.Record("c", 2, 4), records.Partial))
	complete := func(r *records.Record) bool { return r.Status().Complete() }
	texts, err := records.Texts(dir)
	require.NoError(t, err)
	files := map[string][]byte{}
	for _, r := range texts {
		if complete(r.Record) {
			path := filepath.Join(base, "records", filepath.FromSlash(r.Header.Experiment)+".jsonl")
			files[path] = append(files[path], r.Bytes...)
		}
	}
	for path, text := range files {
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, text, 0o644))
	}
	assert.FileExists(t, filepath.Join(base, "records", "my", "own", "spec.jsonl"))
	path := filepath.Join(base, "records", "paper1999", "demo.jsonl")
	data, err := os.ReadFile(path)
	require.NoError(t, err)

	single, err := records.Open(dir)
	require.NoError(t, err)
	several, err := records.Open(base)
	require.NoError(t, err)
	assert.Empty(t, several.Warnings)
	assert.Equal(t, slices.DeleteFunc(single.Records, func(r *records.Record) bool { return !complete(r) }), several.Records)

	lines := strings.SplitAfter(string(data), "\n")
	lines[4] = "{}\n"
	require.NoError(t, os.WriteFile(path, []byte(strings.Join(lines, "")), 0o644))
	broken, err := records.Open(base)
	require.NoError(t, err)
	require.Len(t, broken.Warnings, 1)
	assert.ErrorContains(t, broken.Warnings[0], "demo.jsonl:5: the line has no checksum")
	assert.Len(t, broken.Records, 3, "the others are read")
	_, err = records.Texts(base)
	assert.ErrorContains(t, err, path+":5: the line has no checksum")
}
