package datasets

import (
	"context"
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/algos/compute"
	"repro/datasets/transforms"
)

// idx returns a file of bytes with the given dimensions.
func idx(data []byte, dims ...uint32) []byte {
	b := []byte{0, 0, 8, byte(len(dims))}
	for _, d := range dims {
		b = binary.BigEndian.AppendUint32(b, d)
	}
	return append(b, data...)
}

// scribbles returns n images with random blots on them and the labels 0, 1, … 9, 0, ….
func scribbles(n int) *digits {
	d := &digits{pixels: make([]byte, n*digitPixels), labels: make([]byte, n)}
	for i := range n {
		s := compute.NewStream(1, "scribble", uint64(i))
		d.labels[i] = byte(i % 10)
		for range 60 {
			d.image(i)[(4+s.IntN(20))*digitSide+4+s.IntN(20)] = byte(s.IntN(256))
		}
	}
	return d
}

// smallDigits returns a library and a copy of a source with train and test images of scribbles.
func smallDigits(t *testing.T, name string, train, test int) (*Library, *Source) {
	t.Helper()
	l := &Library{SearchPath: []string{t.TempDir()}}
	s := *registry[name]
	s.Files = nil
	require.NoError(t, os.Mkdir(filepath.Join(l.SearchPath[0], "mnist"), 0o755))
	for i, f := range registry["mnist"].Files {
		n := []int{train, test}[i/2]
		d := scribbles(n)
		b := idx(d.labels, uint32(n))
		if i%2 == 0 {
			b = idx(d.pixels, uint32(n), digitSide, digitSide)
		}
		require.NoError(t, os.WriteFile(filepath.Join(l.SearchPath[0], "mnist", trimCompression(f.Name)), b, 0o644))
		s.Files = append(s.Files, RemoteFile{Name: f.Name, Rows: n})
	}
	return l, &s
}

// openTask opens a source that need not be registered.
func openTask(l *Library, s *Source, o Options, task string) (*Set, error) {
	o.Name, o.Task = s.Name, task
	if err := o.Check(); err != nil {
		return nil, err
	}
	return o.multiclass(l.openSource(context.Background(), o, s))
}

func mustOpenTask(t *testing.T, l *Library, s *Source, o Options, task string) *Set {
	t.Helper()
	set, err := openTask(l, s, o, task)
	require.NoError(t, err)
	return set
}

func TestDigits(t *testing.T) {
	l, s := smallDigits(t, "mnist", 40, 20)
	set := mustOpenTask(t, l, s, Options{}, taskMulticlass)
	x, y := transforms.Gather(set.Train, []int{13, 2})
	assert.Equal(t, []int{40, 10, 784}, []int{set.Train.Len(), y.Cols, x.Cols})
	for j, p := range scribbles(40).image(13) {
		assert.Equal(t, float64(p)/255, x.At(0, j))
	}
	assert.Equal(t, []float64{0, 0, 0, 1, 0, 0, 0, 0, 0, 0}, y.Row(0))
	require.Len(t, set.Files, 4)
	assert.Equal(t, "t10k-labels-idx1-ubyte.gz", set.Files[3].Name)
	assert.Equal(t, 20, set.Files[3].Rows)

	whole := mustOpenTask(t, l, s, Options{Stream: true}, taskMulticlass)
	sameStream(t, set, whole)
	assert.Equal(t, set.Files, whole.Files)

	set = mustOpenTask(t, l, s, Options{Classes: []int{8, 6}}, taskBinary)
	_, y = transforms.Gather(set.Train, transforms.Span(0, set.Train.Len()))
	assert.Equal(t, []float64{-1, 1, -1, 1, -1, 1, -1, 1}, y.Data, "rows 6, 8, 16, 18, …")
	assert.Equal(t, []float64{-1, 1, -1, 1}, set.TestY.Data)
	assert.Equal(t, shades[scribbles(20).image(8)[300]], set.TestX.At(1, 300))

	set = mustOpenTask(t, l, s, Options{Classes: []int{5, 2, 7}, Holdout: 0.25}, taskMulticlass)
	assert.Equal(t, []int{9, 3}, []int{set.Train.Len(), set.TestX.Rows}, "of the 12 training rows of these classes")
	assert.Equal(t, 3, set.TestY.Cols)
}

// A wrong checksum is told before what is wrong with the file.
func TestIdxChecksum(t *testing.T) {
	path := write(t, "images", "nonsense")
	in := &Input{Path: path, Remote: &RemoteFile{Name: "images", Rows: 2, MD5: strings.Repeat("0", 32)}}
	_, _, err := registry["mnist"].Load(context.Background(), []*Input{in, in}, Options{})
	require.ErrorIs(t, err, ErrChecksum)
}
