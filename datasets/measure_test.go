package datasets

import (
	"context"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A file is read once, until it changes.
func TestMeasureReadsAFileOnce(t *testing.T) {
	path := write(t, "a.csv", "1,2\n3,4\n5,6\n7,8\n")
	o := Options{File: path, TestRows: []int{1, 1}}
	train := func() int {
		train, _, _, _, err := (&Library{}).Measure(context.Background(), o, "")
		require.NoError(t, err)
		return train
	}
	assert.Equal(t, 3, train())
	info, err := os.Stat(path)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(path, []byte("1,2\n3,4\n55555,6\n"), 0o644)) // as long, a row less
	require.NoError(t, os.Chtimes(path, time.Time{}, info.ModTime()))
	assert.Equal(t, 3, train(), "the same size and time: not read again")
	o.File = write(t, "b.csv", "1,2\n3,4\n55555,6\n")
	require.NoError(t, os.Chtimes(o.File, time.Time{}, info.ModTime()))
	assert.Equal(t, 2, train(), "another file of that size and time")
	o.File = path
	assert.Equal(t, 3, train(), "it is kept while another is read")
	require.NoError(t, os.WriteFile(path, []byte("1,2\n3,4\n"), 0o644))
	require.NoError(t, os.Chtimes(path, time.Time{}, info.ModTime()))
	assert.Equal(t, 1, train(), "another size at the same time")
	require.NoError(t, os.WriteFile(path, []byte("1,2\n33,4\n"), 0o644))
	require.NoError(t, os.Chtimes(path, time.Time{}, info.ModTime()))
	assert.Equal(t, 1, train())
	require.NoError(t, os.WriteFile(path, []byte("1\n,2\n33,4"), 0o644)) // as long, and no table
	require.NoError(t, os.Chtimes(path, time.Time{}, info.ModTime()))
	assert.Equal(t, 1, train(), "what was read last is what is kept")
	require.NoError(t, os.Chtimes(path, time.Time{}, info.ModTime().Add(time.Second)))
	_, _, _, _, err = (&Library{}).Measure(context.Background(), o, "")
	assert.ErrorContains(t, err, "one field", "the same size at another time")
}

// What was read is that of a way to read: with another target, header, format or number of columns the same file is read again.
func TestMeasureOfEachReading(t *testing.T) {
	path := write(t, "a.csv", "1,1\n2,1\n3,2\n4,2\n")
	measure := func(o Options) []int {
		o.File, o.TestRows = path, []int{1, 1}
		train, _, in, out, err := (&Library{}).Measure(t.Context(), o, "")
		require.NoError(t, err)
		return []int{train, in, out}
	}
	assert.Equal(t, []int{3, 1, 2}, measure(Options{Task: taskMulticlass}))
	assert.Equal(t, []int{3, 1, 3}, measure(Options{Task: taskMulticlass, Target: "1"}))
	assert.Equal(t, []int{3, 1, 1}, measure(Options{}))
	_, _, _, _, err := (&Library{}).Measure(t.Context(), Options{File: path, TestRows: []int{1, 1}, Header: true}, "")
	assert.ErrorContains(t, err, "the first line has numbers")
	path = write(t, "a.svm", "1 1:2\n2 2:3\n3 1:4\n")
	assert.Equal(t, []int{2, 2, 1}, measure(Options{}))
	assert.Equal(t, []int{2, 7, 1}, measure(Options{Columns: 7}))
	assert.Equal(t, []int{2, 1, 1}, measure(Options{Columns: 7, PCA: 1}))
	_, _, _, _, err = (&Library{}).Measure(t.Context(), Options{File: path, TestRows: []int{1, 1}, Format: "csv"}, "")
	assert.Error(t, err, "no CSV")

	path = write(t, "b.csv", "1,1\n2,0\n3,1\n4,0\n")
	for task, want := range map[string]float64{taskRegression: 0, taskBinary: -1} {
		s := mustOpen(t, Options{File: path, TestRows: []int{2, 2}, Task: task}, "")
		assert.Equal(t, want, s.TestY.At(0, 0), task)
	}
	path = write(t, "c.csv", "1,1\n2,1e17\n3,2\n")
	mustOpen(t, Options{File: path, TestRows: []int{1, 1}}, "")
	_, err = new(Library).Open(t.Context(), Options{File: path, TestRows: []int{1, 1}, Task: taskMulticlass}, "", 1, "")
	assert.ErrorContains(t, err, "whole numbers beyond 2^53 are not told apart")
}
