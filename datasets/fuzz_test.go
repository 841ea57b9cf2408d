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
		within(t, cifarBound(len(data)), func() {
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
		within(t, uint64(2<<20+4*memory+192*len(data)), func() {
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

// No name of a member leads out of the archive, and none is believed that takes memory and no room in it.
func TestHostileArchives(t *testing.T) {
	row := append([]byte{3}, make([]byte, pictureBytes)...)
	first := func(h *tar.Header) []*tar.Header { return append([]*tar.Header{h}, batchHeaders()[1:]...) }
	hole := tarOf(t, batchHeaders(), row)
	pax := paxSparse(t, 1<<40)
	for _, c := range []struct {
		name, want string
		data       []byte
	}{
		{"parent folder", `the archive has a member "../data_batch_1.bin", outside of its folder`, tarOf(t, first(&tar.Header{Name: "../data_batch_1.bin", Mode: 0o644}), row)},
		{"inner parent", `the archive has a member "a/../../data_batch_1.bin", outside of its folder`, tarOf(t, first(&tar.Header{Name: "a/../../data_batch_1.bin", Mode: 0o644}), row)},
		{"root", `the archive has a member "/etc/data_batch_1.bin", outside of its folder`, tarOf(t, first(&tar.Header{Name: "/etc/data_batch_1.bin", Mode: 0o644}), row)},
		{"link", "data_batch_1.bin is there twice, or is not a plain file", tarOf(t, first(&tar.Header{Name: "data_batch_1.bin", Linkname: "/etc/passwd", Typeflag: tar.TypeSymlink}), row)},
		{"twice", "data_batch_2.bin is there twice", tarOf(t, first(&tar.Header{Name: "data_batch_2.bin", Mode: 0o644}), row)},
		{"hole of 1 TiB", "data_batch_1.bin is there twice, or is not a plain file", append(pax, hole...)},
		{"cut", "the data ends early or is damaged", hole[:700]},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := put(t, "cifar10-images", map[string][]byte{"cifar-10-binary.tar.gz": c.data})
			s := *registry["cifar10-images"]
			s.Files = []RemoteFile{{Name: "cifar-10-binary.tar.gz"}}
			var err error
			took := allocated(func() { _, err = openTask(l, &s, Options{}, taskMulticlass) })
			require.ErrorIs(t, err, formats.ErrFormat)
			assert.ErrorContains(t, err, c.want)
			assert.LessOrEqual(t, took, cifarBound(len(c.data)))
		})
	}
}

// paxSparse returns the headers of a member that is one hole of n bytes.
func paxSparse(t *testing.T, n int64) []byte {
	records := ""
	for _, r := range [][2]string{{"GNU.sparse.major", "0"}, {"GNU.sparse.minor", "1"}, {"GNU.sparse.numblocks", "1"}, {"GNU.sparse.map", fmt.Sprintf("%d,0", n)},
		{"GNU.sparse.size", fmt.Sprint(n)}, {"GNU.sparse.name", "data_batch_1.bin"}} {
		line := " " + r[0] + "=" + r[1] + "\n"
		size := len(line) + 2
		if size >= 100 {
			size++
		}
		records += fmt.Sprint(size) + line
	}
	header := func(name string, kind byte, size int) []byte {
		b := make([]byte, 512)
		copy(b, name)
		copy(b[100:], "0000644\x000000000\x000000000\x00"+fmt.Sprintf("%011o\x00", size)+"00000000000\x00        "+string(kind))
		copy(b[257:], "ustar\x0000")
		sum := 0
		for _, v := range b {
			sum += int(v)
		}
		copy(b[148:], fmt.Sprintf("%06o\x00 ", sum))
		return b
	}
	body := append([]byte(records), make([]byte, 512-len(records))...)
	b := append(header("pax", 'x', len(records)), body...)
	b = append(b, header("data_batch_1.bin", '0', 0)...)
	h, err := tar.NewReader(bytes.NewReader(b)).Next()
	require.NoError(t, err)
	require.Equal(t, n, h.Size, "it is sparse to archive/tar")
	return b
}

// TestMemory measures what reading through Open allocates; see TestMemory of package formats for the readers alone.
func TestMemory(t *testing.T) {
	row := append([]byte{3}, make([]byte, pictureBytes)...)
	archive := tarOf(t, batchHeaders(), bytes.Repeat(row, 64))
	path := write(t, "a.tar", string(archive))
	took := allocated(func() {
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
		took := allocated(func() {
			_, err := (&Library{}).Open(t.Context(), Options{File: "a", Format: c.format, TestRows: []int{1, 1}}, "", 1, filepath.Dir(path))
			require.NoError(t, err)
		})
		t.Logf("open %s: %d bytes: %.1f bytes are allocated for each", c.format, len(c.text), float64(took)/float64(len(c.text)))
		assert.LessOrEqual(t, took, uint64(2<<20+192*len(c.text)))
	}
}
