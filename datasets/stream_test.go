package datasets

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/algos/compute"
	"repro/datasets/transforms"
)

// pairOf writes training rows 1 to n and test rows n+1 to n+m in every format. A row i has the inputs i and 2i and the
// target i mod 3.
func pairOf(t *testing.T, n, m int) (dir string) {
	t.Helper()
	dir = t.TempDir()
	for name, rows := range map[string][2]int{"train": {1, n}, "test": {n + 1, n + m}} {
		var csv, svm strings.Builder
		var numbers []float64
		fmt.Fprintln(&csv, "a,b,y")
		for i := rows[0]; i <= rows[1]; i++ {
			fmt.Fprintf(&csv, "%d,%d,%d\n", i, 2*i, i%3)
			fmt.Fprintf(&svm, "%d 1:%d 2:%d\n", i%3, i, 2*i)
			numbers = append(numbers, float64(i), float64(2*i), float64(i%3))
		}
		for ext, text := range map[string]string{
			".csv": csv.String(), ".svm": svm.String(), ".npy": npy(1, "<f8", "False", fmt.Sprintf("(%d, 3)", len(numbers)/3), numbers),
		} {
			require.NoError(t, os.WriteFile(filepath.Join(dir, name+ext), []byte(text), 0o644))
		}
	}
	return dir
}

// Every row of both files occurs once, in the order of the files, and there is no test set.
func TestStreamOfOwnFiles(t *testing.T) {
	dir := pairOf(t, 7, 5)
	for _, ext := range []string{".csv", ".svm", ".npy"} {
		own := func(o Options) Options {
			o.File, o.TestFile, o.Header, o.Stream = "train"+ext, "test"+ext, ext == ".csv", true
			return o
		}
		for _, c := range []struct {
			o    Options
			rows []float64
		}{
			{own(Options{}), from(1, 12)},
			{Options{File: "train" + ext, Header: ext == ".csv", Stream: true}, from(1, 7)},
			{own(Options{Rows: []int{6, 9}}), from(6, 9)},
			{own(Options{Rows: []int{9, 12}}), from(9, 12)},
			{own(Options{Rows: []int{1, 3}}), from(1, 3)},
			{own(Options{Train: 9, Order: "file"}), from(1, 9)},
			{own(Options{Rows: []int{3, 12}, Train: 6, Order: "file"}), from(3, 8)},
			{own(Options{Classes: []int{2, 0}}), []float64{2, 3, 5, 6, 8, 9, 11, 12}},
		} {
			t.Run(fmt.Sprintf("%s %v", ext, c.rows), func(t *testing.T) {
				s := mustOpen(t, c.o, dir)
				x, y := transforms.Gather(s.Train, transforms.Span(0, s.Train.Len()))
				assert.Equal(t, c.rows, column(x, 0))
				for i, v := range c.rows {
					require.Equal(t, 2*v, x.At(i, 1))
					if len(c.o.Classes) == 0 {
						require.Equal(t, float64(int(v)%3), y.At(i, 0))
					}
				}
				assert.Equal(t, []int{0, 2, 0, 1}, []int{s.TestX.Rows, s.TestX.Cols, s.TestY.Rows, s.TestY.Cols})
				train, test, in, out, err := (&Library{}).Measure(t.Context(), c.o, dir)
				require.NoError(t, err)
				assert.Equal(t, []int{len(c.rows), 0, 2, 1}, []int{train, test, in, out}, "Measure")
			})
		}
		// A random subset is one of all rows.
		random := trainX(mustOpen(t, own(Options{Train: 10}), dir))
		assert.Len(t, random, 10)
		assert.Subset(t, from(1, 12), random)
		assert.IsIncreasing(t, random)
		assert.Equal(t, random, trainX(mustOpen(t, own(Options{Train: 10}), dir)))

		files := mustOpen(t, own(Options{Train: 3}), dir).Files
		assert.Equal(t, []string{"train" + ext, "test" + ext}, []string{files[0].Name, files[1].Name})
		assert.Equal(t, []int{7, 5}, []int{files[0].Rows, files[1].Rows})
	}
	o := Options{File: "train.csv", TestFile: "test.csv", Header: true, Stream: true, Task: taskMulticlass}
	s := mustOpen(t, o, dir)
	assert.Equal(t, []float64{0, 1, 2}, s.Classes)
	assert.Equal(t, []int{0, 3}, []int{s.TestY.Rows, s.TestY.Cols})
	_, _, _, out, err := (&Library{}).Measure(t.Context(), o, dir)
	require.NoError(t, err)
	assert.Equal(t, 3, out)
}

// Scaling of inputs and target is fitted on all rows of the stream: those of the test file too.
func TestStreamIsScaledWhole(t *testing.T) {
	o := Options{File: "train.csv", TestFile: "test.csv", Header: true, Stream: true, Scale: Scale{Rule: "minmax"}, ScaleRange: [2]float64{-1, 1}, TargetScale: "minmax"}
	s := mustOpen(t, o, pairOf(t, 7, 4))
	x, y := transforms.Gather(s.Train, []int{0, 5, 10, 1})
	assert.Equal(t, []float64{-1, 0, 1, -0.8}, column(x, 0))
	assert.Equal(t, []float64{0.5, 0, 1, 1}, y.Data)
	assert.Equal(t, 2.0, s.TargetUnit)

	o.TargetRange = [2]float64{-1, 3}
	s = mustOpen(t, o, pairOf(t, 7, 4))
	_, y = transforms.Gather(s.Train, []int{0, 5, 10, 1})
	assert.Equal(t, []float64{1, -1, 3, 3}, y.Data)
	assert.Equal(t, 0.5, s.TargetUnit)

	o.PCA, o.ScaleRange, o.Scale = 1, [2]float64{}, Scale{}
	s = mustOpen(t, o, pairOf(t, 7, 4))
	assert.Equal(t, []int{0, 1}, []int{s.TestX.Rows, s.TestX.Cols})
}

func TestGeneratedStream(t *testing.T) {
	o := Options{Name: "dai2014-synthetic", Rows: []int{3, 60}, Train: 50, Stream: true}
	s := mustOpen(t, o, "")
	apart := mustOpen(t, Options{Name: "dai2014-synthetic", Rows: []int{3, 60}, Train: 50, Test: 1}, "")
	assert.Equal(t, []int{50, 0, 2, 0, 1}, []int{s.Train.Len(), s.TestX.Rows, s.TestX.Cols, s.TestY.Rows, s.TestY.Cols})
	x, _ := transforms.Gather(s.Train, transforms.Span(0, 50))
	want, _ := transforms.Gather(apart.Train, transforms.Span(0, 50))
	assert.Equal(t, want, x)
	assert.Len(t, s.Files, 1)
	train, test, in := o.Shape()
	assert.Equal(t, []int{50, 0, 2}, []int{train, test, in})
}

// Rows of a distribution that changes are counted from the first of the stream, whichever are asked for.
func TestDriftIsOfTheRowOfTheStream(t *testing.T) {
	g := &Generator{Drift: func(s *compute.Stream, i int, x, y []float64) { x[0], y[0] = float64(i), s.Float64() }}
	x, y := transforms.Gather(newVirtual(g, 1, false, 1, "data/train", 0, 10), []int{4, 9})
	assert.Equal(t, []float64{4, 9}, x.Data)
	later, same := transforms.Gather(newVirtual(g, 1, false, 1, "data/train", 3, 7), []int{1, 6})
	assert.Equal(t, x, later)
	assert.Equal(t, y, same)
}

// The digest of generated rows is that of their seed, their purpose and where they lie in the stream.
func TestDigestOfGeneratedRows(t *testing.T) {
	digest := func(seed uint64, purpose string, first, n int) string {
		return newVirtual(&Generator{Description: "d"}, 1, false, seed, purpose, first, n).file("f").SHA256
	}
	rows := digest(1, "data/train", 0, 10)
	for _, other := range []string{digest(2, "data/train", 0, 10), digest(1, "data/test", 0, 10), digest(1, "data/train", 1, 9), digest(1, "data/train", 0, 9)} {
		assert.NotEqual(t, rows, other)
	}
	assert.Equal(t, rows, digest(1, "data/train", 0, 10))
	other := newVirtual(&Generator{Description: "e"}, 1, false, 1, "data/train", 5, 10).file("f")
	assert.NotEqual(t, digest(1, "data/train", 5, 10), other.SHA256)
	assert.Equal(t, 10, other.Rows)
}

// sameStream checks that a stream has the training rows and then the test rows of the same data.
func sameStream(t *testing.T, apart, whole *Set) {
	t.Helper()
	n, m := apart.Train.Len(), apart.TestX.Rows
	require.Equal(t, []int{n + m, 0, apart.TestX.Cols, 0}, []int{whole.Train.Len(), whole.TestX.Rows, whole.TestX.Cols, whole.TestY.Rows})
	x, y := transforms.Gather(apart.Train, transforms.Span(0, n))
	for _, part := range []struct {
		first int
		x, y  compute.Matrix
	}{{0, x, y}, {n, apart.TestX, apart.TestY}} {
		rows := transforms.Span(part.first, part.first+part.x.Rows)
		gx, gy := transforms.Gather(whole.Train, rows)
		for i := range rows {
			require.True(t, slices.Equal(part.x.Row(i), gx.Row(i)), "inputs of row %d", rows[i]+1)
			require.True(t, slices.Equal(part.y.Row(i), gy.Row(i)), "targets of row %d", rows[i]+1)
		}
	}
}
