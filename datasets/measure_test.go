package datasets

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Measure must say what Open returns.
func TestMeasureIsWhatOpenReturns(t *testing.T) {
	dir := t.TempDir()
	var csv, svm strings.Builder
	numbers := make([]float64, 0, 4*60)
	fmt.Fprintln(&csv, "a,b,c,y")
	for i := range 60 {
		fmt.Fprintf(&csv, "%d,2,3,%d\n", i, i%4)
		fmt.Fprintf(&svm, "%d 1:%d 5:1 \n", i%4, i)
		numbers = append(numbers, float64(i), 2, 3, float64(i%4))
	}
	for name, text := range map[string]string{
		"a.csv": csv.String(), "a.svm": svm.String(), "test.svm": "1 1:2\n2 1:3\n3 2:2\n0 4:1\n",
		"a.npy": npy(1, "<f8", "False", "(60, 4)", numbers),
	} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	for i, c := range []struct {
		o    Options
		task string
	}{
		{Options{File: "a.csv", Header: true, TestRows: []int{50, 60}}, taskRegression},
		{Options{File: "a.csv", Header: true, TestRows: []int{50, 60}, Rows: []int{1, 20}, Train: 9, Test: 4}, taskRegression},
		{Options{File: "a.csv", Header: true, Target: "b", TestPart: 0.25, Scale: Scale{Rule: "zscore"}, PCA: 2}, taskRegression},
		{Options{File: "a.csv", Header: true, Rows: []int{3, 57}, Holdout: 0.3, Test: 7}, taskRegression},
		{Options{File: "a.csv", Header: true, TestPart: 0.25}, taskMulticlass},
		{Options{File: "a.csv", Header: true, TestPart: 0.25, Classes: []int{3, 1}}, taskBinary},
		{Options{File: "a.csv", Header: true, TestPart: 0.25, Classes: []int{3, 1, 0}, Test: 3}, taskMulticlass},
		{Options{File: "a.svm", TestFile: "test.svm"}, taskRegression},
		{Options{File: "a.svm", TestFile: "test.svm", Columns: 9}, taskRegression},
		{Options{File: "a.svm", TestFile: "test.svm", Holdout: 0.5}, taskRegression},
		{Options{File: "a.svm", TestFile: "test.svm", Classes: []int{2, 1}}, taskBinary},
		{Options{File: "a.npy", TestRows: []int{1, 10}, Target: "1"}, taskRegression},
		{Options{Name: "dai2014-synthetic", Train: 100, Test: 20, Inputs: 5, Outputs: 6}, taskRegression},
		{Options{Name: "three-classes", Train: 100, Test: 20}, taskMulticlass},
	} {
		t.Run(fmt.Sprintf("case %d", i), func(t *testing.T) {
			c.o.Task = c.task
			set, err := new(Library).Open(t.Context(), c.o, c.task, 1, dir)
			require.NoError(t, err)
			in, out := set.Train.Dims()
			train, test, inputs, outputs, err := (&Library{}).Measure(t.Context(), c.o, dir)
			require.NoError(t, err)
			assert.Equal(t, []int{set.Train.Len(), set.TestX.Rows, in, out}, []int{train, test, inputs, outputs})
		})
	}
	for name, want := range map[string]string{"none.csv": "there is no file", "empty.csv": "the file has no rows"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, "empty.csv"), nil, 0o644))
		_, _, _, _, err := (&Library{}).Measure(t.Context(), Options{File: name, TestPart: 0.5}, dir)
		assert.ErrorContains(t, err, want)
	}
	_, _, _, _, err := (&Library{}).Measure(t.Context(), Options{}, dir)
	assert.ErrorContains(t, err, "data.name: no data")
}

// A count is kept until the file changes.
func TestMeasureCountsAFileOnce(t *testing.T) {
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
	require.NoError(t, os.WriteFile(path, []byte("1,2\n3,4\n5,67777\n"), 0o644)) // as long, a row less
	require.NoError(t, os.Chtimes(path, time.Time{}, info.ModTime()))
	assert.Equal(t, 3, train(), "the same size and time: not read again")
	o.File = write(t, "b.csv", "1,2\n3,4\n5,67777\n")
	require.NoError(t, os.Chtimes(o.File, time.Time{}, info.ModTime()))
	assert.Equal(t, 2, train(), "another file of that size and time")
	o.File = path
	require.NoError(t, os.WriteFile(path, []byte("1,2\n3,4\n"), 0o644))
	require.NoError(t, os.Chtimes(path, time.Time{}, info.ModTime()))
	assert.Equal(t, 1, train(), "another size at the same time")
}

// A count is that of a way to read the file: with another target, header, format or number of columns the same file is counted again.
func TestMeasureCountsEachReading(t *testing.T) {
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
	_, _, _, _, err = (&Library{}).Measure(t.Context(), Options{File: path, TestRows: []int{1, 1}, Format: "csv"}, "")
	assert.Error(t, err, "no CSV")
}

func BenchmarkMeasure(b *testing.B) {
	line := strings.Repeat("0.123456789,", 54) + "1\n"
	path := filepath.Join(b.TempDir(), "a.csv")
	require.NoError(b, os.WriteFile(path, []byte(strings.Repeat(line, 70<<20/len(line))), 0o644))
	b.SetBytes(70 << 20)
	in := &Input{Path: path, Format: "csv"}
	for b.Loop() {
		_, err := in.lines(context.Background())
		require.NoError(b, err)
	}
}
