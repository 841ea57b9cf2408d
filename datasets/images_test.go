package datasets

import (
	"archive/tar"
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/datasets/transforms"
)

// put writes files into the folder of a source and returns a library with them.
func put(t *testing.T, source string, files map[string]string) *Library {
	t.Helper()
	root := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(root, source), 0o755))
	for name, data := range files {
		require.NoError(t, os.WriteFile(filepath.Join(root, source, name), []byte(data), 0o644))
	}
	return &Library{SearchPath: []string{root}}
}

// noise returns n pictures, each three planes of 32 by 32 bytes.
func noise(n int, seed uint64) []byte {
	r := rand.New(rand.NewPCG(seed, 1))
	b := make([]byte, n*pictureBytes)
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return b
}

// greyAt is the grey of pixel i of a plane of picture k, by the definition.
func greyAt(pictures []byte, k, i int) float64 {
	p := pictures[k*pictureBytes:]
	return (0.2989*float64(p[i]) + 0.5870*float64(p[1024+i]) + 0.1140*float64(p[2048+i])) / 255
}

// cifar returns a file of CIFAR-10 with labels from first on.
func cifar(pictures []byte, first int) []byte {
	var b []byte
	for k := range len(pictures) / pictureBytes {
		b = append(append(b, byte((first+k)%10)), pictures[k*pictureBytes:][:pictureBytes]...)
	}
	return b
}

func TestCIFAR(t *testing.T) {
	train, test := noise(50, 1), noise(3, 2)
	files := map[string]string{"test_batch.bin": string(cifar(test, 4))}
	for i := range 5 {
		files[fmt.Sprintf("data_batch_%d.bin", i+1)] = string(cifar(train[10*i*pictureBytes:][:10*pictureBytes], 0))
	}
	var archive bytes.Buffer
	w := tar.NewWriter(&archive)
	for _, name := range []string{"test_batch.bin", "data_batch_3.bin", "readme.html", "data_batch_1.bin", "data_batch_5.bin", "data_batch_2.bin", "data_batch_4.bin"} {
		require.NoError(t, w.WriteHeader(&tar.Header{Name: "cifar-10-batches-bin/" + name, Mode: 0o644, Size: int64(len(files[name]))}))
		_, err := w.Write([]byte(files[name]))
		require.NoError(t, err)
	}
	require.NoError(t, w.Close())

	for form, files := range map[string]map[string]string{"files": files, "archive": {"cifar-10-binary.tar.gz": zipped(t, archive.String())}} {
		t.Run(form, func(t *testing.T) {
			l := put(t, "cifar10-images", files)
			s := *registry["cifar10-images"]
			s.Files = []RemoteFile{{Name: "cifar-10-binary.tar.gz"}}
			set := mustOpenTask(t, l, &s, Options{}, taskMulticlass)
			x, y := transforms.Gather(set.Train, []int{7, 2})
			require.Equal(t, []int{50, 1024, 10}, []int{set.Train.Len(), x.Cols, y.Cols})
			for i := range 1024 {
				assert.InDelta(t, greyAt(train, 7, i), x.At(0, i), 1e-15)
				assert.InDelta(t, greyAt(test, 1, i), set.TestX.At(1, i), 1e-15)
			}
			assert.EqualValues(t, 1, y.At(0, 7))
			assert.EqualValues(t, 1, set.TestY.At(1, 5))
			assert.Equal(t, "cifar10-images has 50 training rows, not 50000", set.Substitute)
			differs := set.Files[len(set.Files)-1].Differs
			assert.Equal(t, form == "files", strings.HasSuffix(differs, ", not 67eb016db431130d61cd03c7ad570b013799c88c"), differs)

			c := *registry["cifar10-colours"]
			c.Files = s.Files
			colours := mustOpenTask(t, l, &c, Options{}, taskMulticlass)
			require.Equal(t, 3072, colours.TestX.Cols)
			for i, pixel := range test[3072:6144] {
				assert.Equal(t, float64(pixel)/255, colours.TestX.At(1, i))
			}

			whole := mustOpenTask(t, l, &s, Options{Stream: true}, taskMulticlass)
			sameStream(t, set, whole)
			assert.Equal(t, "cifar10-images has 53 rows, not 60000", whole.Substitute)

			held := mustOpenTask(t, l, &s, Options{Holdout: 0.1}, taskMulticlass)
			assert.Equal(t, []int{45, 5}, []int{held.Train.Len(), held.TestX.Rows})
		})
	}
}

// turn returns pictures with the planes column by column.
func turn(pictures []byte) []float64 {
	v := make([]float64, len(pictures))
	for k := range v {
		plane, i := k/1024, k%1024
		v[plane*1024+i%32*32+i/32] = float64(pictures[k])
	}
	return v
}

// svhnFile returns a MAT-file with n pictures, and labels from 1 to 10 stored as the given type.
func svhnFile(pictures []byte, kind uint32, packed bool) string {
	n := len(pictures) / pictureBytes
	labels := make([]float64, n)
	for i := range labels {
		labels[i] = float64(1 + i%10)
	}
	w := newMatFile()
	for _, element := range [][]byte{
		w.Matrix("X", 9, 2, []int32{32, 32, 3, int32(n)}, turn(pictures)),
		w.Matrix("y", 6, kind, []int32{int32(n), 1}, labels),
	} {
		if packed {
			element = w.Compressed(element)
		}
		w.Write(element)
	}
	return w.String()
}

// smallSVHN is the source without its checksums.
func smallSVHN() *Source {
	s := *registry["svhn"]
	s.Files = []RemoteFile{{Name: "train_32x32.mat"}, {Name: "test_32x32.mat"}}
	return &s
}

func TestSVHN(t *testing.T) {
	train, test := noise(21, 3), noise(11, 4)
	l := put(t, "svhn", map[string]string{"train_32x32.mat": svhnFile(train, 9, true), "test_32x32.mat": svhnFile(test, 2, false)})
	set := mustOpenTask(t, l, smallSVHN(), Options{}, taskMulticlass)
	x, y := transforms.Gather(set.Train, []int{19, 2})
	require.Equal(t, []int{21, 11, 1024, 10}, []int{set.Train.Len(), set.TestX.Rows, x.Cols, y.Cols})
	for i := range 1024 {
		assert.InDelta(t, greyAt(train, 19, i), x.At(0, i), 1e-15)
		assert.InDelta(t, greyAt(test, 10, i), set.TestX.At(10, i), 1e-15)
	}
	assert.EqualValues(t, 1, y.At(0, 9), "the label 10 is the tenth class")
	assert.EqualValues(t, 1, y.At(1, 2))
	assert.Equal(t, 21, set.Files[0].Rows)
	assert.Len(t, set.Files, 2)

	whole := mustOpenTask(t, l, smallSVHN(), Options{Stream: true}, taskMulticlass)
	sameStream(t, set, whole)
	assert.Len(t, whole.Files, 2)

	_, err := openTask(l, registry["svhn"], Options{}, taskMulticlass)
	assert.ErrorIs(t, err, ErrChecksum, "what is downloaded is verified")
}

func TestSUSY(t *testing.T) {
	var b bytes.Buffer
	for i := range 20 {
		fmt.Fprintf(&b, "%.18e", float64(i%2))
		for j := range 18 {
			fmt.Fprintf(&b, ",%.18e", float64(100*i+j))
		}
		b.WriteByte('\n')
	}
	l := put(t, "susy", map[string]string{"SUSY.csv.gz": zipped(t, b.String())})
	set := mustOpenTask(t, l, registry["susy"], Options{}, taskBinary)
	x, y := transforms.Gather(set.Train, []int{0, 17})
	assert.Equal(t, []int{18, 2, 18}, []int{set.Train.Len(), set.TestX.Rows, x.Cols})
	assert.Equal(t, []float64{-1, 1}, y.Data)
	assert.EqualValues(t, 1717, x.At(1, 17))
	assert.EqualValues(t, 1800, set.TestX.At(0, 0), "the last tenth tests")
	assert.Equal(t, "susy has 18 training rows, not 4500000", set.Substitute)

	whole := mustOpenTask(t, l, registry["susy"], Options{Stream: true}, taskBinary)
	sameStream(t, set, whole)
	assert.Equal(t, "susy has 20 rows, not 5000000", whole.Substitute)

	scaled := mustOpenTask(t, l, registry["susy"], Options{Scale: Scale{Rule: "zscore"}, Train: 10}, taskBinary)
	assert.Equal(t, []int{10, 2}, []int{scaled.Train.Len(), scaled.TestX.Rows})

	l = put(t, "susy", map[string]string{"SUSY.csv": "2" + b.String()[1:]})
	_, err := l.Open(context.Background(), Options{Name: "susy"}, taskBinary, 1, "")
	assert.ErrorContains(t, err, "SUSY.csv:1: label 2 is unknown")
	l = put(t, "susy", map[string]string{"SUSY.csv": "1,2\n"})
	_, err = l.Open(context.Background(), Options{Name: "susy"}, taskBinary, 1, "")
	assert.ErrorContains(t, err, "the row has 1 inputs, 18 expected")
}
