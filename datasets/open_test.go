package datasets

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/algos/compute"
	"repro/datasets/formats"
	"repro/datasets/transforms"
)

// counted writes a file of n rows "x, 10x" with x = 1 … n and returns its folder.
func counted(t *testing.T, n int) string {
	t.Helper()
	var b strings.Builder
	for i := 1; i <= n; i++ {
		fmt.Fprintf(&b, "%d,%d\n", i, 10*i)
	}
	return filepath.Dir(write(t, "my.csv", b.String()))
}

func column(m compute.Matrix, j int) []float64 {
	v := make([]float64, m.Rows)
	for i := range v {
		v[i] = m.At(i, j)
	}
	return v
}

func trainX(s *Set) []float64 {
	x, _ := transforms.Gather(s.Train, transforms.Span(0, s.Train.Len()))
	return column(x, 0)
}

func from(lo, hi int) []float64 {
	var v []float64
	for i := lo; i <= hi; i++ {
		v = append(v, float64(i))
	}
	return v
}

func mustOpen(t *testing.T, o Options, dir string) *Set {
	t.Helper()
	s, err := new(Library).Open(context.Background(), o, "", 1, dir)
	require.NoError(t, err)
	return s
}

func TestOpenOwnFile(t *testing.T) {
	dir := counted(t, 10)
	for _, c := range []struct {
		name        string
		o           Options
		train, test []float64
	}{
		{"test rows", Options{TestRows: []int{9, 10}}, from(1, 8), from(9, 10)},
		{"test rows in the middle", Options{TestRows: []int{2, 9}}, []float64{1, 10}, from(2, 9)},
		{"rows", Options{Rows: []int{4, 5}, TestRows: []int{1, 3}}, from(4, 5), from(1, 3)},
		{"first rows", Options{TestRows: []int{8, 10}, Train: 3, Test: 1, Order: "file"}, from(1, 3), from(8, 8)},
		{"test file", Options{TestFile: "my.csv", Rows: []int{3, 4}}, from(3, 4), from(1, 10)},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.o.File = "my.csv"
			s := mustOpen(t, c.o, dir)
			assert.Equal(t, c.train, trainX(s))
			assert.Equal(t, c.test, column(s.TestX, 0))
			for i, x := range column(s.TestX, 0) {
				assert.Equal(t, 10*x, s.TestY.At(i, 0))
			}
			assert.Equal(t, "my.csv", s.Name)
			assert.Equal(t, taskRegression, s.Task)
			data, err := os.ReadFile(filepath.Join(dir, "my.csv"))
			require.NoError(t, err)
			assert.Equal(t, File{Name: "my.csv", SHA256: sha(string(data)), Rows: 10}, s.Files[0])
		})
	}
}

func TestSubsetsAreFixed(t *testing.T) {
	dir := counted(t, 1000)
	o := Options{File: "my.csv", TestRows: []int{901, 1000}, Train: 100, Test: 10}
	a := mustOpen(t, o, dir)
	b, err := new(Library).Open(context.Background(), o, "", 2, dir)
	require.NoError(t, err)
	assert.Equal(t, trainX(a), trainX(b), "another seed trains on the same rows")
	assert.IsIncreasing(t, trainX(a), "in the order of the file")
	assert.NotEqual(t, from(1, 100), trainX(a), "not the first rows")
	assert.Len(t, trainX(a), 100)
	assert.Equal(t, 10, a.TestX.Rows)
	for _, x := range column(a.TestX, 0) {
		assert.Greater(t, x, 900.)
	}
}

// The random choices of training and test rows are independent: from as many rows they take different places.
func TestSubsetsOfTrainingAndTestRowsDiffer(t *testing.T) {
	s := mustOpen(t, Options{File: "my.csv", TestRows: []int{501, 1000}, Train: 100, Test: 100}, counted(t, 1000))
	same := 0
	for _, x := range column(s.TestX, 0) {
		if slices.Contains(trainX(s), x-500) {
			same++
		}
	}
	// 100 of 500 places twice have 20 in common, with a standard deviation of 3.6
	assert.Less(t, same, 40)
}

func TestHoldout(t *testing.T) {
	dir := counted(t, 100)
	// a test file that does not exist shows that holdout does not read it
	o := Options{File: "my.csv", TestFile: "absent.csv", Holdout: 0.25}
	s := mustOpen(t, o, dir)
	seen := map[float64]bool{}
	for _, x := range append(trainX(s), column(s.TestX, 0)...) {
		assert.False(t, seen[x], "row %v is used twice", x)
		seen[x] = true
	}
	assert.Len(t, seen, 100)
	assert.Equal(t, 25, s.TestX.Rows)

	// Most of the rows are held out, of those in memory, which move.
	memory := new(Set)
	require.NoError(t, Options{Holdout: 0.6}.arrange(t.Context(), memory, &Part{X: counting(100), Y: counting(100)}, nil, nil))
	x, y := transforms.Gather(memory.Train, transforms.Span(0, 40))
	assert.Equal(t, y.Data, x.Data)
	assert.Equal(t, memory.TestY, memory.TestX)

	o.TestFile, o.TestRows = "", []int{1, 50}
	s = mustOpen(t, o, dir)
	for _, x := range append(trainX(s), column(s.TestX, 0)...) {
		assert.Greater(t, x, 50., "the test rows stay untouched")
	}
}

func TestOpenGenerated(t *testing.T) {
	ctx, l := context.Background(), new(Library)
	o := Options{Name: "dai2014-synthetic"}
	s, err := l.Open(ctx, o, "regression", 1, "")
	require.NoError(t, err)
	assert.Equal(t, 1<<20, s.Train.Len())
	assert.Equal(t, 4096, s.TestX.Rows)
	assert.Equal(t, [][2]float64{{-5, 5}, {-5, 5}}, s.Domain)
	assert.InDelta(t, -math.Exp(-0.2*math.Pi), s.Truth([]float64{0, 2}), 1e-15) // two roundings

	again, err := l.Open(ctx, Options{Name: o.Name, Train: 10, Test: 3}, "regression", 1, "")
	require.NoError(t, err)
	assert.Equal(t, s.TestX.Row(2), again.TestX.Row(2), "fewer rows are the first ones")
	assert.Equal(t, 10, again.Train.Len())
	assert.NotEqual(t, s.Files[0], again.Files[0], "the description tells the number of rows")

	part, err := l.Open(ctx, Options{Name: o.Name, Rows: []int{101, 110}}, "regression", 1, "")
	require.NoError(t, err)
	want, _ := transforms.Gather(s.Train, transforms.Span(100, 110))
	got, _ := transforms.Gather(part.Train, transforms.Span(0, 10))
	assert.Equal(t, want, got)

	other, err := l.Open(ctx, o, "regression", 2, "")
	require.NoError(t, err)
	assert.NotEqual(t, s.TestX.Row(0), other.TestX.Row(0))
	assert.NotEqual(t, s.Files, other.Files)

	x, _ := transforms.Gather(s.Train, transforms.Span(0, 100))
	for _, v := range column(x, 0) {
		assert.NotContains(t, column(s.TestX, 0)[:100], v, "no test row is a training row")
	}

	whole, err := l.Open(ctx, Options{Name: o.Name, Rows: []int{101, 110}, Train: 10}, "regression", 1, "")
	require.NoError(t, err)
	assert.Equal(t, 10, whole.Train.Len())
	tested, err := l.Open(ctx, Options{Name: o.Name, Train: 1000, Holdout: 0.2, Test: 50}, "regression", 1, "")
	require.NoError(t, err)
	assert.Equal(t, 50, tested.TestX.Rows)
	held, err := l.Open(ctx, Options{Name: o.Name, Train: 1000, Holdout: 0.2}, "regression", 1, "")
	require.NoError(t, err)
	assert.Equal(t, 800, held.Train.Len())
	assert.Equal(t, 200, held.TestX.Rows)
	all, _ := transforms.Gather(s.Train, transforms.Span(0, 1000))
	kept, _ := transforms.Gather(held.Train, transforms.Span(0, 800))
	assert.ElementsMatch(t, column(all, 0), append(column(kept, 0), column(held.TestX, 0)...))
}

func TestOptionErrors(t *testing.T) {
	dir := counted(t, 10)
	own := func(o Options) Options { o.File = "my.csv"; return o }
	tested := func(o Options) Options { o.TestRows = []int{9, 10}; return own(o) }
	synthetic := func(o Options) Options { o.Name = "dai2014-synthetic"; return o }
	for _, c := range []struct {
		key  string
		o    Options
		want string
	}{
		{"name", Options{}, "no data: set name"},
		{"name", Options{Name: "covtype"}, "no test set of its own"},
		{"file", Options{Name: "a9a", File: "my.csv"}, "contradict each other"},
		{"file", own(Options{}), "has no test set: set test_file, test_rows, test_part or holdout"},
		{"header", Options{Name: "a9a", Header: true}, "belongs to file"},
		{"format", Options{File: "a9a"}, "the name a9a has no known ending"},
		{"target_range", tested(Options{TargetScale: "zscore", TargetRange: [2]float64{0, 1}}), `belongs to target_scale = "minmax"`},
		{"target_range", tested(Options{TargetScale: "minmax", TargetRange: [2]float64{1, 1}}), "not [low, high]"},
		{"header", Options{File: "a.svm", Header: true}, "a libsvm file has no header"},
		{"columns", tested(Options{Columns: 3}), "this one is csv"},
		{"target", Options{File: "a.svm", Target: "1"}, "the first word of each line"},
		{"target", tested(Options{Target: "y"}), "set header = true"},
		{"test_file", own(Options{TestFile: "a.svm"}), "use one format for both"},
		{"test_rows", own(Options{TestFile: "my.csv", TestRows: []int{1, 2}}), "contradict each other"},
		{"test_rows", own(Options{TestRows: []int{2, 1}}), "is not [first, last]"},
		{"test_rows", own(Options{TestRows: []int{3, 4}, Rows: []int{4, 9}}), "overlaps rows = [4 9]"},
		{"test_rows", own(Options{TestRows: []int{1, 11}}), "goes beyond the last row, 10"},
		{"test_rows", own(Options{TestRows: []int{1, 10}}), "leaves no training rows"},
		{"rows", own(Options{Rows: []int{1, 11}, Holdout: 0.5}), "goes beyond the last row, 10"},
		{"train", tested(Options{Train: 9}), "9 rows wanted, there are 8"},
		{"test", tested(Options{Test: 3}), "3 rows wanted, there are 2"},
		{"holdout", own(Options{Holdout: 1}), "must be a fraction between 0 and 1"},
		{"holdout", own(Options{Holdout: 0.01}), "leaves 10 to train on and 0 to test on"},
		{"train", own(Options{Holdout: 0.5, Train: 6}), "6 rows wanted, there are 5"},
		{"scale_range", tested(Options{Scale: Scale{Rule: "minmax"}, ScaleRange: [2]float64{1, -1}}), "low < high"},
		{"target_scale", tested(Options{Task: "binary", TargetScale: "zscore"}), "is 1 or -1 already"},
		{"scale", synthetic(Options{Scale: Scale{Rule: "zscore"}}), "in the units of its paper"},
		{"test_rows", synthetic(Options{TestRows: []int{1, 2}}), "draws its own test rows"},
		{"train", synthetic(Options{Rows: []int{1, 5}, Train: 6}), "6 rows wanted"},
		{"test_part", own(Options{TestPart: 1}), "must be a fraction between 0 and 1"},
		{"test_part", own(Options{TestPart: -0.1}), "must be a fraction between 0 and 1"},
		{"test_part", own(Options{TestPart: 0.01}), "leaves 10 to train on and 0 to test on"},
		{"test_part", Options{File: "my.csv", TestPart: 0.5, TestRows: []int{1, 2}}, "it and test_rows contradict each other"},
		{"test_part", own(Options{TestPart: 0.5, TestFile: "my.csv"}), "it and test_file contradict each other"},
		{"test_part", synthetic(Options{TestPart: 0.5}), "draws its own test rows"},
		{"classes", tested(Options{Classes: []int{1}}), "one class cannot be told from another"},
		{"classes", tested(Options{Classes: []int{1, 2, 1}}), "1 is listed twice"},
		{"classes", tested(Options{Classes: []int{1, 2, 3}, Task: taskBinary}), "a binary task is about two classes, [1 2 3] are 3"},
		{"classes", synthetic(Options{Classes: []int{1, 2}}), "has a real target"},
		{"classes", Options{Name: "mnist", Task: taskBinary}, "mnist has 10 classes and the task is binary: name the two to compare, as in classes = [8, 6]"},
		{"classes", Options{Name: "mnist", Classes: []int{8, 10}}, "mnist has no class 10: they are 0 to 9"},
		{"task", Options{Name: "mnist"}, `the targets of mnist are classes: set task = "multiclass"`},
		{"resample", synthetic(Options{Resample: true}), "generated anew for every seed already"},
		{"resample", tested(Options{Resample: true}), "no rows are chosen at random"},
		{"resample", tested(Options{Resample: true, Train: 3, Order: "file"}), "no rows are chosen at random"},
		{"pca", synthetic(Options{PCA: 1}), "in the units of its paper"},
	} {
		t.Run(c.key+" "+c.want, func(t *testing.T) {
			_, err := new(Library).Open(context.Background(), c.o, "", 1, dir)
			var option *OptionError
			require.ErrorAs(t, err, &option)
			assert.Equal(t, "data."+c.key, option.Key)
			assert.Contains(t, err.Error(), c.want)
		})
	}
	_, err := new(Library).Open(context.Background(), tested(Options{TargetScale: "zscore"}), "binary", 1, dir)
	assert.ErrorContains(t, err, "is 1 or -1 already", "the task of the loss counts too")
}

func TestTestFileMustMatch(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"a.csv": "x,z,y\n1,2,3\n4,5,6\n", "swapped.csv": "z,x,y\n1,2,3\n", "narrow.csv": "x,y\n1,2\n",
		"a.svm": "1 3:1\n2 1:1\n", "low.svm": "1 1:1\n", "high.svm": "1 1:1\n1 4:1\n",
	} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	for _, c := range []struct{ train, test, want string }{
		{"a.csv", "swapped.csv", "swapped.csv:1: the columns z, x, y are not those of the training file"},
		{"a.csv", "narrow.csv", "narrow.csv: 1 inputs, the training rows have 2"},
		{"a.svm", "high.svm", "high.svm:2: index 4 is beyond the 3 inputs"},
	} {
		o := Options{File: c.train, TestFile: c.test, Header: strings.HasSuffix(c.train, ".csv")}
		_, err := new(Library).Open(context.Background(), o, "", 1, dir)
		require.ErrorIs(t, err, formats.ErrFormat)
		assert.ErrorContains(t, err, c.want)
	}
	_, err := new(Library).Open(context.Background(), Options{File: "a.svm", TestFile: "high.svm", Stream: true}, "", 1, dir)
	assert.ErrorContains(t, err, "high.svm:2: index 4 is beyond the 3 inputs")
	s := mustOpen(t, Options{File: "a.svm", TestFile: "low.svm"}, dir)
	assert.Equal(t, 3, s.TestX.Cols, "the test rows have the inputs of the training rows")
	s = mustOpen(t, Options{File: "a.svm", TestFile: "high.svm", Columns: 5}, dir)
	assert.Equal(t, 5, s.TestX.Cols)
}

func TestScaling(t *testing.T) {
	dir := filepath.Dir(write(t, "a.csv", "1,7,0,10\n3,7,4,20\n100,9,3,40\n"))
	o := Options{File: "a.csv", TestRows: []int{3, 3}}
	for _, c := range []struct {
		scale       string
		bounds      [2]float64
		train, test []float64
	}{
		{"none", [2]float64{}, []float64{1, 7, 0, 3, 7, 4}, []float64{100, 9, 3}},
		{"zscore", [2]float64{}, []float64{-1, 0, -1, 1, 0, 1}, []float64{98, 0, 0.5}},
		{"minmax", [2]float64{}, []float64{0, 0, 0, 1, 0, 1}, []float64{49.5, 0, 0.75}},
		{"minmax", [2]float64{-1, 1}, []float64{-1, 0, -1, 1, 0, 1}, []float64{98, 0, 0.5}},
	} {
		o.Scale, o.ScaleRange = Scale{Rule: c.scale}, c.bounds
		s := mustOpen(t, o, dir)
		x, y := transforms.Gather(s.Train, []int{0, 1})
		assert.Equal(t, c.train, x.Data, c.scale)
		assert.Equal(t, c.test, s.TestX.Data, c.scale)
		assert.Equal(t, []float64{10, 20}, y.Data)
	}
	o.Scale, o.ScaleRange = Scale{Rule: "none"}, [2]float64{}
	for scale, want := range map[string][]float64{"zscore": {-1, 1, 5}, "minmax": {0, 1, 3}} {
		o.TargetScale = scale
		s := mustOpen(t, o, dir)
		_, y := transforms.Gather(s.Train, []int{0, 1})
		assert.Equal(t, want, append(y.Data, s.TestY.Data...), scale)
	}
}

func TestOpenIsShared(t *testing.T) {
	dir := counted(t, 200)
	l, o := new(Library), Options{File: "my.csv", Holdout: 0.5}
	sets := make([]*Set, 8)
	var wg sync.WaitGroup
	for i := range sets {
		wg.Go(func() {
			s, err := l.Open(context.Background(), o, "", uint64(i), dir)
			assert.NoError(t, err)
			sets[i] = s
		})
	}
	wg.Wait()
	for _, s := range sets[1:] {
		assert.Same(t, &sets[0].TestX.Data[0], &s.TestX.Data[0], "one load serves all")
	}
	sets[0].Name = "another"
	for i := range 2 * keepSets { // other data does not push out what is used again
		_, err := l.Open(context.Background(), Options{File: "my.csv", TestRows: []int{2, 2 + i}}, "", 1, dir)
		require.NoError(t, err)
		s, err := l.Open(context.Background(), o, "", 1, dir)
		require.NoError(t, err)
		assert.Same(t, &sets[0].TestX.Data[0], &s.TestX.Data[0])
		assert.Equal(t, "my.csv", s.Name, "what one does to a set no other sees")
	}
	for i := range 2 * keepSets { // other data pushes the set out
		_, err := l.Open(context.Background(), Options{File: "my.csv", TestRows: []int{1, 1 + i}}, "", 1, dir)
		require.NoError(t, err)
	}
	assert.Len(t, l.loading, keepSets)
	s, err := l.Open(context.Background(), o, "", 1, dir)
	require.NoError(t, err)
	assert.NotSame(t, &sets[0].TestX.Data[0], &s.TestX.Data[0])
	assert.Equal(t, sets[0].TestX, s.TestX)
}

// Options that differ in anything do not share a set.
func TestOptionsHaveSetsOfTheirOwn(t *testing.T) {
	for i := range reflect.TypeFor[Options]().NumField() {
		var o Options
		l, loads := new(Library), 0
		for range 2 {
			_, err := l.shared(t.Context(), o, "", func() (*Set, error) { loads++; return &Set{}, nil })
			require.NoError(t, err)
			switch v := reflect.ValueOf(&o).Elem().Field(i); v.Kind() {
			case reflect.Slice:
				v.Set(reflect.MakeSlice(v.Type(), 1, 1))
			case reflect.Array:
				v.Index(0).SetFloat(1)
			case reflect.Struct:
				v.Field(0).SetString("zscore")
			case reflect.String:
				v.SetString("x")
			case reflect.Bool:
				v.SetBool(true)
			default:
				v.Set(reflect.ValueOf(1).Convert(v.Type()))
			}
		}
		assert.Equal(t, 2, loads, reflect.TypeFor[Options]().Field(i).Name)
	}
}

func TestFailuresAreNotKept(t *testing.T) {
	dir := t.TempDir()
	l, o := new(Library), Options{File: "my.csv", Holdout: 0.5}
	_, err := l.Open(context.Background(), o, "", 1, dir)
	require.ErrorIs(t, err, ErrMissing)
	require.EqualError(t, err, "data.file: there is no file "+filepath.Join(dir, "my.csv")+": paths are relative to the folder of the spec")
	require.NoError(t, os.WriteFile(filepath.Join(dir, "my.csv"), []byte("1,2\n3,4\n"), 0o644))
	_, err = l.Open(context.Background(), o, "", 1, dir)
	assert.NoError(t, err)
}

func TestCancelledLoadDoesNotFailOthers(t *testing.T) {
	l, o := new(Library), Options{File: "x"}
	ctx, cancel := context.WithCancel(context.Background())
	loading := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		_, err := l.shared(ctx, o, "", func() (*Set, error) {
			close(loading)
			<-ctx.Done()
			return nil, ctx.Err()
		})
		assert.ErrorIs(t, err, context.Canceled)
	})
	<-loading
	wg.Go(func() {
		s, err := l.shared(context.Background(), o, "", func() (*Set, error) { return &Set{Name: "second"}, nil })
		assert.NoError(t, err)
		assert.Equal(t, "second", s.Name)
	})
	cancel()
	wg.Wait()
	for _, dir := range []string{"a", "b"} { // files of one name in two folders
		s, err := l.shared(context.Background(), o, dir, func() (*Set, error) { return &Set{Name: dir}, nil })
		assert.NoError(t, err)
		assert.Equal(t, dir, s.Name)
	}

	ctx, cancel = context.WithCancel(context.Background())
	cancel()
	_, err := l.Open(ctx, Options{File: "my.csv", Holdout: 0.5}, "", 1, counted(t, 10))
	assert.ErrorIs(t, err, context.Canceled)
}
