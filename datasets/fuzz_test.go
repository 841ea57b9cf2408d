package datasets

import (
	"archive/tar"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/datasets/formats"
	"repro/datasets/memorytest"
	"repro/datasets/transforms"
)

// tarOf returns an archive.
func tarOf(t testing.TB, headers []*tar.Header, content []byte) []byte {
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, h := range headers {
		if h.Typeflag == 0 || h.Typeflag == tar.TypeReg {
			h.Size = int64(len(content))
		}
		require.NoError(t, w.WriteHeader(h))
		if h.Size > 0 {
			_, err := w.Write(content)
			require.NoError(t, err)
		}
	}
	require.NoError(t, w.Close())
	return b.Bytes()
}

// batchHeaders are those of the archive of CIFAR-10.
func batchHeaders() (h []*tar.Header) {
	for _, f := range registry["cifar10-images"].Others[0].Files {
		h = append(h, &tar.Header{Name: "cifar-10-batches-bin/" + f.Name, Mode: 0o644})
	}
	return h
}

// cifarBound is what reading an archive of n bytes may allocate: twice the bytes of its members, as they come; 8 bytes for
// one of three of them, in the table; a header for every 512 bytes, which may be 1 MiB of text.
func cifarBound(n int) uint64 { return 4<<20 + 32*uint64(n) }

func FuzzCIFAR(f *testing.F) {
	row := append([]byte{3}, make([]byte, pictureBytes)...)
	whole := tarOf(f, batchHeaders(), row)
	f.Add(whole)
	f.Add(whole[:3000])
	f.Add(tarOf(f, []*tar.Header{{Name: "../data_batch_1.bin", Mode: 0o644}}, row))
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, data []byte) {
		path := filepath.Join(dir, "a.tar")
		require.NoError(t, os.WriteFile(path, data, 0o644))
		in := &Input{Path: path, Format: "tar", Remote: &RemoteFile{Name: "a.tar", content: int64(len(data))}}
		if isCompressed(data) {
			return // the decompressors have targets of their own
		}
		memorytest.Within(t, cifarBound(len(data)), func() {
			train, test, err := registry["cifar10-images"].Load(t.Context(), []*Input{in}, Options{})
			if err != nil {
				require.ErrorIs(t, err, formats.ErrFormat)
				return
			}
			for _, part := range []*Part{train, test} {
				require.Equal(t, part.X.Rows, part.Y.Rows)
				for _, v := range part.X.Data {
					if !(v >= 0 && v <= 1) {
						t.Fatalf("a pixel of %v", v)
					}
				}
			}
		})
	})
}

func isCompressed(data []byte) bool {
	for _, magic := range []string{"\x1f\x8b", "BZh", "\xfd7zXZ\x00", "\x28\xb5\x2f\xfd"} {
		if bytes.HasPrefix(data, []byte(magic)) {
			return true
		}
	}
	return false
}

// Opening a file of one's own takes the memory that it is given, and a multiple of the file.
func FuzzOpen(f *testing.F) {
	f.Add([]byte(tiny+tiny), uint8(0), uint16(0))
	f.Add([]byte("1 1:1\n-1 99999:1\n1 999999999:1\n"), uint8(0), uint16(0))
	f.Add([]byte("a,b,c\n1,2,3\n4,5,6\n7,8,9\n"), uint8(1), uint16(0))
	f.Add([]byte("1,2,3\n4,5,6\n7,8,9\n"), uint8(2), uint16(2))
	f.Add([]byte(npy(1, "<f8", "False", "(2, 2)", []float64{1, 2, 3, 4})), uint8(3), uint16(1))
	f.Add([]byte(npy(1, "<f8", "False", "(99999999, 999)", []float64{1, 2, 3, 4})), uint8(3), uint16(1))
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, data []byte, kind uint8, columns uint16) {
		if isCompressed(data) {
			return
		}
		path := filepath.Join(dir, "a")
		require.NoError(t, os.WriteFile(path, data, 0o644))
		o := Options{File: "a", Format: []string{"libsvm", "csv", "csv", "npy"}[kind%4], Header: kind%4 == 1, TestRows: []int{1, 1}}
		if kind%4 == 0 {
			o.Columns = int(columns)
		} else if columns > 0 {
			o.Target = fmt.Sprint(columns)
		}
		const memory = 1 << 20
		memorytest.Within(t, uint64(2<<20+4*memory+192*len(data)), func() {
			set, err := (&Library{Memory: memory}).Open(t.Context(), o, "", 1, dir)
			if err != nil {
				var option *OptionError
				require.True(t, errors.Is(err, formats.ErrFormat) || errors.As(err, &option), "%v", err)
				return
			}
			in, _ := set.Train.Dims()
			x, _ := transforms.Gather(set.Train, transforms.Span(0, set.Train.Len()))
			require.Equal(t, set.TestX.Cols, in)
			for _, v := range x.Data {
				if v-v != 0 {
					t.Fatalf("a row has %v", v)
				}
			}
		})
	})
}

// TestMemory measures what reading through Open allocates; see TestMemory of package formats for the readers alone.
func TestMemory(t *testing.T) {
	row := append([]byte{3}, make([]byte, pictureBytes)...)
	archive := tarOf(t, batchHeaders(), bytes.Repeat(row, 64))
	path := write(t, "a.tar", string(archive))
	took := memorytest.Bytes(func() {
		_, _, err := registry["cifar10-images"].Load(t.Context(), []*Input{{Path: path, Format: "tar", Remote: &RemoteFile{Name: "a.tar", content: int64(len(archive))}}}, Options{})
		require.NoError(t, err)
	})
	assert.LessOrEqual(t, took, cifarBound(len(archive)))
	t.Logf("cifar: %d bytes: %.1f bytes are allocated for each", len(archive), float64(took)/float64(len(archive)))

	var floats []byte
	for range 1 << 17 {
		floats = binary.LittleEndian.AppendUint64(floats, math.Float64bits(1))
	}
	for _, c := range []struct{ format, text string }{
		{"libsvm", strings.Repeat("1 1:2 3:4\n", 1<<17)},
		{"libsvm", strings.Repeat("1\n", 1<<19) + "1 1:1\n"},
		{"csv", strings.Repeat("1,2,3\n", 1<<17)},
		{"npy", npy(1, "<f8", "False", "(65536, 2)", []byte(nil)) + string(floats)},
	} {
		path := write(t, "a", c.text)
		took := memorytest.Bytes(func() {
			_, err := (&Library{}).Open(t.Context(), Options{File: "a", Format: c.format, TestRows: []int{1, 1}}, "", 1, filepath.Dir(path))
			require.NoError(t, err)
		})
		t.Logf("open %s: %d bytes: %.1f bytes are allocated for each", c.format, len(c.text), float64(took)/float64(len(c.text)))
		assert.LessOrEqual(t, took, uint64(2<<20+192*len(c.text)))
	}
}
