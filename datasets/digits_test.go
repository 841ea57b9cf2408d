package datasets

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/algos/compute"
)

// idx returns a file of bytes with the given dimensions.
func idx(data []byte, dims ...uint32) []byte {
	b := []byte{0, 0, idxByte, byte(len(dims))}
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
	for i, f := range mnistFiles {
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
	x, y := dense(set.Train, []int{13, 2})
	assert.Equal(t, []int{40, 10, 784}, []int{set.Train.Len(), y.Cols, x.Cols})
	for j, p := range scribbles(40).image(13) {
		assert.Equal(t, float64(p)/255, x.At(0, j))
	}
	assert.Equal(t, []float64{0, 0, 0, 1, 0, 0, 0, 0, 0, 0}, y.Row(0))
	require.Len(t, set.Files, 4)
	assert.Equal(t, "t10k-labels-idx1-ubyte.gz", set.Files[3].Name)
	assert.Equal(t, 20, set.Files[3].Rows)

	set = mustOpenTask(t, l, s, Options{Classes: []int{8, 6}}, taskBinary)
	_, y = dense(set.Train, span(0, set.Train.Len()))
	assert.Equal(t, []float64{-1, 1, -1, 1, -1, 1, -1, 1}, y.Data, "rows 6, 8, 16, 18, …")
	assert.Equal(t, []float64{-1, 1, -1, 1}, set.TestY.Data)
	assert.Equal(t, shades[scribbles(20).image(8)[300]], set.TestX.At(1, 300))

	set = mustOpenTask(t, l, s, Options{Classes: []int{5, 2, 7}, Holdout: 0.25}, taskMulticlass)
	assert.Equal(t, []int{9, 3}, []int{set.Train.Len(), set.TestX.Rows}, "of the 12 training rows of these classes")
	assert.Equal(t, 3, set.TestY.Cols)
}

func TestIdxErrors(t *testing.T) {
	images := idx(make([]byte, 2*digitPixels), 2, digitSide, digitSide)
	labels := idx([]byte{1, 2}, 2)
	huge := idx(nil, 1<<31, 1<<31, 1<<31)
	for _, c := range []struct {
		name           string
		images, labels []byte
		want           string
	}{
		{"empty", nil, labels, "images: the file ends inside its header, after 0 of 16 bytes"},
		{"cut header", images[:10], labels, "images: the file ends inside its header, after 10 of 16 bytes"},
		{"labels for images", labels, labels, "images: the file ends inside its header"},
		{"images for labels", images, images, "labels: this is not an idx file of bytes with 1 dimensions: it begins with 00 00 08 03"},
		{"floats", append([]byte{0, 0, 0x0d, 3}, images[4:]...), labels, "it begins with 00 00 0d 03"},
		{"text", []byte("P5 28 28 255 and so on"), labels, "images: this is not an idx file"},
		{"more rows", idx(nil, 3, digitSide, digitSide), labels, "images: dimension 1 is 3, 2 expected"},
		{"other size", idx(nil, 2, 27, digitSide), labels, "images: dimension 2 is 27, 28 expected"},
		{"hostile size", huge, labels, "images: dimension 1 is 2147483648, 2 expected"},
		{"cut data", images[:1000], labels, "images: the data ends early or is damaged, after 984 of 1568 elements"},
		{"more data", append(bytes.Clone(images), 0), labels, "images: there is data after the 1568 elements"},
		{"no digit", images, idx([]byte{1, 10}, 2), "labels: label 2 is 10, a digit expected"},
		{"damaged gzip", []byte("\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff\xff\xff\xff\xff"), labels, "images"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			require.NoError(t, os.WriteFile(filepath.Join(dir, "images"), c.images, 0o644))
			require.NoError(t, os.WriteFile(filepath.Join(dir, "labels"), c.labels, 0o644))
			part := func(name string) *input {
				return &input{path: filepath.Join(dir, name), remote: &RemoteFile{Name: name, Rows: 2}}
			}
			_, _, err := loadDigits(context.Background(), part("images"), part("labels"))
			require.ErrorIs(t, err, ErrFormat)
			assert.ErrorContains(t, err, c.want)
		})
	}
}

// A wrong checksum is told before what is wrong with the file.
func TestIdxChecksum(t *testing.T) {
	path := write(t, "images", "nonsense")
	in := &input{path: path, remote: &RemoteFile{Name: "images", Rows: 2, MD5: strings.Repeat("0", 32)}}
	_, _, err := loadDigits(context.Background(), in, in)
	require.ErrorIs(t, err, ErrChecksum)
}

func TestWarp(t *testing.T) {
	d := scribbles(1)
	m := newDeformer(d, 1)
	image, still := m.padded, make([]int16, digitPixels)
	x := make([]float64, digitPixels)
	at := func(r, c int) float64 {
		if r < 0 || r >= digitSide || c < 0 || c >= digitSide {
			return 0
		}
		return float64(d.image(0)[r*digitSide+c])
	}
	each := func(want func(r, c int) float64) {
		t.Helper()
		for i, v := range x {
			// pixels are whole numbers of 255; v·255 may be off by a rounding
			assert.InDelta(t, math.Floor(want(i/digitSide, i%digitSide)+0.5), v*255, 1e-12)
		}
	}
	warp(x, image, still, still, 2, -1)
	each(func(r, c int) float64 { return at(r-2, c+1) })

	half, quarter := constantField(fieldStep/2), constantField(-fieldStep/4)
	warp(x, image, half, quarter, 0, 0)
	each(func(r, c int) float64 {
		return (3*at(r, c) + 3*at(r+1, c) + at(r, c-1) + at(r+1, c-1)) / 8
	})

	far := constantField(maxField * fieldStep)
	warp(x, image, far, far, -maxShift, -maxShift) // the farthest pixel there is, inside the margin
	each(func(r, c int) float64 { return at(r+maxField+maxShift, c+maxField+maxShift) })
	far = constantField(-maxField * fieldStep)
	warp(x, image, far, far, maxShift, maxShift)
	each(func(r, c int) float64 { return at(r-maxField-maxShift, c-maxField-maxShift) })
}

func constantField(v int16) []int16 {
	f := make([]int16, digitPixels)
	for i := range f {
		f[i] = v
	}
	return f
}

func TestDeformedDigits(t *testing.T) {
	d := scribbles(7)
	m := newDeformer(d, 3)
	x, again := make([]float64, digitPixels), make([]float64, digitPixels)
	m.put(4, 0, x)
	for j, p := range d.image(4) {
		assert.Equal(t, shades[p], x[j], "copy 0 is the image")
	}
	seen := map[string]bool{}
	for k := range 40 {
		m.put(4, k, x)
		key := make([]byte, digitPixels)
		for j, v := range x {
			require.True(t, v >= 0 && v <= 1)
			key[j] = byte(math.Round(v * 255))
			require.Equal(t, shades[key[j]], v)
		}
		seen[string(key)] = true
	}
	assert.Len(t, seen, 40, "every copy is another")

	m.put(2, 5, x)
	newDeformer(d, 3).put(2, 5, again)
	assert.Equal(t, x, again)
	newDeformer(d, 4).put(2, 5, again)
	assert.NotEqual(t, x, again)
	sum := sha256.New()
	for j := range x {
		sum.Write([]byte{byte(math.Round(x[j] * 255))})
	}
	assert.Equal(t, deformedGolden, hex.EncodeToString(sum.Sum(nil)), "copies are the same bytes on every platform")
}

const deformedGolden = "258bcfb3a63d95a0414af8906caf76d66ddc589c855315e6dee7bb30f85c47b6"

// Smoothing white noise with a Gaussian of width σ gives the correlation exp(-d²/4σ²) at distance d:
// 0.7788 at d = σ.
func TestRandomFields(t *testing.T) {
	const n = 400
	w := smoothing()
	var mean, square, product float64
	for k := range n {
		f := randomField(compute.NewStream(9, "field", uint64(k)), w)
		a, b := float64(f[14*digitSide+12])/fieldStep, float64(f[14*digitSide+12+fieldWidth])/fieldStep
		mean += a / n
		square += a * a / n
		product += a * b / n
		for _, v := range f {
			require.LessOrEqual(t, math.Abs(float64(v)), float64(maxField*fieldStep))
		}
	}
	// Each tolerance is 4.5 standard deviations of the mean of n independent values, false alarms of
	// 7e-6 each: variances 1 of a, 2 of a², 1 + ρ² of ab.
	tol := func(variance float64) float64 { return 4.5 * math.Sqrt(variance/n) }
	rho := math.Exp(-0.25)
	assert.InDelta(t, 0, mean, tol(1))
	assert.InDelta(t, 1, square, tol(2))
	assert.InDelta(t, rho, product, tol(1+rho*rho))
}
