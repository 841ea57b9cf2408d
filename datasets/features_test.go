package datasets

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/datasets/transforms"
)

// bring puts files into the folder of a source of three inputs and returns both.
func bring(t *testing.T, files map[string]string) (*Library, *Source) {
	t.Helper()
	s := *registry["cifar10"]
	s.Dims = 3
	return put(t, s.Name, files), &s
}

func zipped(t *testing.T, text string) string {
	t.Helper()
	return compress(t, compressors["gzip"], text)
}

var (
	trainArray  = npy(1, "<f4", "False", "(4, 3)", []float32{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 13})
	trainLabels = npy(1, "<i8", "False", "(4,)", []int64{2, 0, 1, 2})
	testArray   = npy(2, "<f8", "False", "(2, 3)", []float64{1, 0, 0, 0, 1, 0})
	testLabels  = npy(1, "|u1", "False", "(2, 1)", []uint8{1, 2})
)

func TestBroughtFeatures(t *testing.T) {
	arrays := map[string]string{"train.npy": trainArray, "train-labels.npy": trainLabels, "test.npy": testArray, "test-labels.npy": testLabels}
	for name, files := range map[string]map[string]string{
		"arrays": arrays,
		"compressed arrays": {"train.npy.gz": zipped(t, trainArray), "train-labels.npy.gz": zipped(t, trainLabels),
			"test.npy": testArray, "test-labels.npy": testLabels},
		"text": {"train.libsvm": "2 1:1 2:2 3:3\n0 1:4 2:5 3:6\n1 1:7 2:8 3:9\n2 1:10 2:11 3:13\n", "test.libsvm": "1 1:1\n2 2:1\n"},
	} {
		t.Run(name, func(t *testing.T) {
			l, s := bring(t, files)
			set := mustOpenTask(t, l, s, Options{}, taskMulticlass)
			x, y := transforms.Gather(set.Train, []int{3, 1})
			assert.Equal(t, []float64{10, 11, 13, 4, 5, 6}, x.Data)
			assert.Equal(t, []float64{0, 0, 1, 1, 0, 0}, y.Data)
			assert.Equal(t, []float64{1, 0, 0, 0, 1, 0}, set.TestX.Data)
			assert.Equal(t, []float64{0, 1, 0, 0, 0, 1}, set.TestY.Data)
			assert.Contains(t, set.Substitute, "features that the user brought")
			for _, f := range set.Files {
				assert.Len(t, f.SHA256, 64)
				assert.Positive(t, f.Rows)
			}

			sameStream(t, set, mustOpenTask(t, l, s, Options{Stream: true}, taskMulticlass))
			set = mustOpenTask(t, l, s, Options{Stream: true, Rows: []int{3, 6}, Train: 3, Order: "file"}, taskMulticlass)
			x, y = transforms.Gather(set.Train, []int{2, 0})
			assert.Equal(t, []float64{1, 0, 0, 7, 8, 9}, x.Data, "rows 5 and 3")
			assert.Equal(t, []float64{1, 0, 1, 0}, y.Data, "of the classes 1 and 2")

			set = mustOpenTask(t, l, s, Options{Classes: []int{2, 1}, Train: 2, Order: "file"}, taskBinary)
			x, y = transforms.Gather(set.Train, []int{1, 0})
			assert.Equal(t, []float64{7, 8, 9, 1, 2, 3}, x.Data)
			assert.Equal(t, []float64{-1, 1}, y.Data)
			assert.Equal(t, []float64{-1, 1}, set.TestY.Data)

			set = mustOpenTask(t, l, s, Options{Holdout: 0.25, Scale: Scale{Rule: "minmax"}, PCA: 2}, taskMulticlass)
			assert.Equal(t, []int{3, 1, 2}, []int{set.Train.Len(), set.TestX.Rows, set.TestX.Cols})
			memory := mustOpenTask(t, l, s, Options{Holdout: 0.25, Scale: Scale{Rule: "minmax"}, PCA: 2, InMemory: true}, taskMulticlass)
			want, _ := transforms.Gather(set.Train, transforms.Span(0, 3))
			got, _ := transforms.Gather(memory.Train, transforms.Span(0, 3))
			assert.Equal(t, want, got)
		})
	}
}

// Arrays that would be misread are refused, and compressed ones that memory has no room for.
func TestBroughtErrors(t *testing.T) {
	pixels := npy(1, "|u1", "False", "(100, 3)", make([]uint8, 300))
	for want, files := range map[string]map[string]string{
		"4 inputs, 3 expected":                    {"train.npy": npy(1, "<f4", "False", "(3, 4)", make([]float32, 12))},
		"the array is in Fortran order":           {"train.npy": npy(1, "<f4", "True", "(4, 3)", make([]float32, 12))},
		"there is data after the 4 rows":          {"train.npy": zipped(t, trainArray+"x")},
		"100 rows of 3 inputs would take 2.4e-06": {"train.npy.gz": zipped(t, pixels)},
	} {
		files["train-labels.npy"], files["test.npy"], files["test-labels.npy"] = trainLabels, testArray, testLabels
		l, s := bring(t, files)
		l.Memory = 2000
		_, err := openTask(l, s, Options{}, taskMulticlass)
		assert.ErrorContains(t, err, want)
	}
}

func TestBroughtFilesAreNotFetched(t *testing.T) {
	l := &Library{CacheDir: t.TempDir()}
	err := l.Fetch(context.Background(), "imagenet", nil)
	require.ErrorIs(t, err, ErrMissing)
	assert.ErrorContains(t, err, "imagenet: train.npy is not on this machine and nobody offers it: put train.npy (rows × 9216), train-labels.npy (rows: labels 0 to 999)")
	ok, why := l.Available("molecularspace")
	assert.False(t, ok)
	assert.Contains(t, why, "put train.npy (rows × inputs)")
	assert.Contains(t, why, filepath.Join(l.CacheDir, "molecularspace"))

	l, _ = bring(t, map[string]string{"train.libsvm": "1 1:1\n", "test.libsvm": "1 1:1\n"})
	ok, why = l.Available("cifar10")
	assert.True(t, ok, why)
	require.NoError(t, l.Fetch(context.Background(), "cifar10", nil), "the text form will do")
	files, err := l.Locate(context.Background(), "cifar10")
	require.NoError(t, err)
	assert.Len(t, files, 2)
}

// Pixels may be bytes.
func TestBroughtPixels(t *testing.T) {
	bytes, labels := npy(1, "|u1", "False", "(2, 3)", []uint8{0, 51, 255, 5, 6, 7}), npy(1, "|u1", "False", "(2,)", []uint8{3, 8})
	files := map[string]string{"train.npy": bytes, "train-labels.npy": labels, "test.npy": bytes, "test-labels.npy": labels}
	s := *registry["mnist8m-images"]
	s.Dims = 3
	set := mustOpenTask(t, put(t, s.Name, files), &s, Options{}, taskMulticlass)
	x, _ := transforms.Gather(set.Train, []int{0})
	assert.Equal(t, []float64{0, 0.2, 1}, x.Data)
	assert.Equal(t, 7.0/255, set.TestX.At(1, 2))
}

// A row may have several targets, which are labels or numbers.
func TestSeveralTargets(t *testing.T) {
	small := func(t *testing.T, name string, labels, testLabels string) (*Library, *Source) {
		l := put(t, name, map[string]string{"train.npy": trainArray, "train-labels.npy": labels, "test.npy": testArray, "test-labels.npy": testLabels})
		s := *registry[name]
		s.Dims, s.Outputs = 3, 2
		saved := registry[name]
		registry[name] = &s
		t.Cleanup(func() { registry[name] = saved })
		return l, &s
	}
	masks := npy(1, "|u1", "False", "(4, 2)", []uint8{1, 0, 0, 0, 1, 1, 0, 1})
	l, s := small(t, "hint-s", masks, npy(1, "|u1", "False", "(2, 2)", []uint8{0, 1, 1, 0}))
	set := mustOpenTask(t, l, s, Options{Train: 3, Order: "file", Scale: Scale{Rule: "zscore"}}, taskBinary)
	x, y := transforms.Gather(set.Train, []int{2, 0})
	assert.Equal(t, []int{3, 3, 2}, []int{set.Train.Len(), x.Cols, y.Cols})
	assert.Equal(t, []float64{1, 1, 1, -1}, y.Data)
	assert.Equal(t, []float64{-1, 1, 1, -1}, set.TestY.Data)
	assert.Equal(t, "frames that the user brought: the paper's were not published", set.Substitute)

	ratios := npy(1, "<f8", "False", "(4, 2)", []float64{0, 0.25, 0.5, 1, 0, 0, 0.125, 1})
	l, s = small(t, "hint-m", ratios, npy(1, "<f8", "False", "(2, 2)", []float64{0, 1, 1, 0.5}))
	set = mustOpenTask(t, l, s, Options{}, taskRegression)
	_, y = transforms.Gather(set.Train, []int{3, 1})
	assert.Equal(t, []float64{0.125, 1, 0.5, 1}, y.Data)
	assert.Equal(t, []float64{0, 1, 1, 0.5}, set.TestY.Data)
	_, err := openTask(l, s, Options{TargetScale: "zscore"}, taskRegression)
	assert.EqualError(t, err, "data.target_scale: hint-m has 2 targets a row, which would each have a unit of its own: scale them in the file")

	l, s = bring(t, map[string]string{"train.npy": trainArray, "train-labels.npy": masks, "test.npy": testArray, "test-labels.npy": testLabels})
	_, err = openTask(l, s, Options{}, taskMulticlass)
	assert.ErrorContains(t, err, "the shape (4, 2) is not one label for each of the 4 rows")

	_, why := (&Library{}).Available("hint-s")
	assert.Contains(t, why, "train-labels.npy (rows × 64: masks of 1 and 0, or 1 and -1), test.npy and test-labels.npy in the same way into")
	assert.NotContains(t, why, "libsvm", "text has one label a row")
}
