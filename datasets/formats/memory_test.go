package formats

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"repro/datasets/memorytest"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/ulikunitz/xz"
)

// TestMemory measures what each reader allocates for a byte of the worst input that we know, of about a quarter of a megabyte, and holds
// it to the reader's allowance. Run it with -v to see the factors.
func TestMemory(t *testing.T) {
	const n = 1 << 18
	measure := func(reader, what string, data []byte, read func(r io.Reader)) {
		t.Run(reader+" "+what, func(t *testing.T) {
			within(t, reader, len(data), func() { read(bytes.NewReader(data)) })
			took := memorytest.Bytes(func() { read(bytes.NewReader(data)) })
			t.Logf("%d bytes: %.1f bytes are allocated for each", len(data), float64(took)/float64(len(data)))
		})
	}
	libsvm := func(r io.Reader) { readRows(t, NewLIBSVM(r, "a", 0), nil) }
	measure("libsvm", "rows", bytes.Repeat([]byte("1 1:2 3:4\n"), n/10), libsvm)
	var wide strings.Builder
	wide.WriteString("1")
	for i := range n / 10 {
		fmt.Fprintf(&wide, " %d:1", i+1)
	}
	measure("libsvm", "one row", []byte(wide.String()), libsvm)
	csv := func(header bool) func(io.Reader) {
		return func(r io.Reader) {
			c, err := NewCSV(r, "a", "", header)
			readRows(t, c, err)
		}
	}
	measure("csv", "rows", bytes.Repeat([]byte("1,2,3\n"), n/6), csv(false))
	measure("csv", "one row", append(bytes.Repeat([]byte("1,"), n/2), '1'), csv(false))
	measure("csv", "header of commas", bytes.Repeat([]byte(","), n), csv(true))
	measure("csv", "header of names", append(bytes.Repeat([]byte("a,"), n/2), 'b'), csv(true))
	measure("csv", "blank lines", bytes.Repeat([]byte("\n"), n), csv(true))
	npy := func(r io.Reader) {
		a, err := NewNpyRows(r, "a", "", 1<<40)
		require.NoError(t, err)
		readRows(t, a, nil)
	}
	measure("npy", "rows", npyFile("|u1", "131072, 2", make([]byte, n)...), npy)
	measure("npy", "one row", npyFile("|u1", "1, 262144", make([]byte, n)...), npy)
	measure("npy", "states 8 GB", npyFile("<f8", "1, 999999999", make([]byte, n)...), npy)
	measure("npy", "header", npyFile("<f8", strings.Repeat("1,", 30000)), func(r io.Reader) {
		_, err := NewNpyArray(r, "a", 1<<40)
		require.NoError(t, err)
	})
	measure("idx", "whole", append([]byte("\x00\x00\x08\x01\x00\x04\x00\x00"), make([]byte, n)...), func(r io.Reader) {
		_, err := ReadIdx(r, "a", n)
		require.NoError(t, err)
	})
	measure("idx", "states 1 GB", append([]byte("\x00\x00\x08\x01\x40\x00\x00\x00"), make([]byte, n)...), func(r io.Reader) {
		_, err := ReadIdx(r, "a", 1<<30)
		require.Error(t, err)
	})
	mat := func(r io.Reader) {
		_, err := ReadMat(r, "a", 16*n, nil, "A")
		require.NoError(t, err)
	}
	w := newMatFile(false)
	w.Write(w.Matrix("A", mxDouble, 2, []int32{1, n}, make([]float64, n)))
	measure("mat", "of bytes", w.Bytes(), mat)
	w = newMatFile(false)
	w.Write(w.Matrix("A", mxDouble, 2, []int32{1, 1}, []float64{1}))
	for range n / 80 {
		w.Write(w.Compressed(w.Matrix("B", mxDouble, 2, []int32{1, 1}, []float64{1})))
	}
	measure("mat", "many elements", w.Bytes(), mat)
	for _, kind := range []string{"gzip", "bzip2", "xz", "zstd"} {
		one := compressed(t, kind, "1,2,3\n")
		many := bytes.Repeat(one, n/len(one))
		measure(kind, "many members", many, func(io.Reader) { _, _ = unpackAll(t, many, 1<<40) })
		long := compressed(t, kind, strings.Repeat("0.25,-1e-3,123456,1\n", n/20))
		measure(kind, "text", long, func(io.Reader) { _, _ = unpackAll(t, long, 1<<40) })
	}
}

// Blocks, streams one after another, padding between them.
func TestXz(t *testing.T) {
	text := strings.Repeat("0.25,-1e-3,123456,1\n", 3000)
	noise := make([]byte, 1<<17) // not to be compressed
	for i, v := 0, uint32(1); i < len(noise); i++ {
		v = v*1664525 + 1013904223
		noise[i] = byte(v >> 24)
	}
	blocks := compressed(t, "xz", text)
	var whole bytes.Buffer
	x, err := xz.WriterConfig{CheckSum: xz.SHA256}.NewWriter(&whole)
	require.NoError(t, err)
	_, err = x.Write(noise)
	require.NoError(t, err)
	require.NoError(t, x.Close())
	files := map[string]struct {
		data []byte
		want string
	}{
		"blocks":  {blocks, text},
		"noise":   {whole.Bytes(), string(noise)},
		"empty":   {compressed(t, "xz", ""), ""},
		"streams": {slices.Concat(blocks, make([]byte, 8), whole.Bytes(), blocks), text + string(noise) + text},
	}
	if _, err := exec.LookPath("xz"); err == nil {
		for _, args := range [][]string{{"-9e"}, {"-T2", "--block-size=20000"}, {"--check=none"}, {"--x86", "--lzma2"}, {"--delta", "--lzma2"}} {
			path := filepath.Join(t.TempDir(), "a")
			require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
			require.NoError(t, exec.Command("xz", append(args, path)...).Run())
			data, err := os.ReadFile(path + ".xz")
			require.NoError(t, err)
			files["xz "+strings.Join(args, " ")] = struct {
				data []byte
				want string
			}{data, text}
		}
	}
	for name, c := range files {
		t.Run(name, func(t *testing.T) {
			content, err := newContent(t.Context(), io.NopCloser(bytes.NewReader(c.data)), "a", int64(len(c.data)), 1<<30)
			require.NoError(t, err)
			got, err := io.ReadAll(content)
			require.NoError(t, err)
			assert.True(t, c.want == string(got), "the content differs")
		})
	}
}

// hugeDictionary returns an xz file with one byte of a block whose header states a dictionary of 4 GiB.
func hugeDictionary() []byte {
	b := []byte("\xfd7zXZ\x00\x00\x01\x69\x22\xde\x36")
	head := []byte{2, 0, 0x21, 1, 40, 0, 0, 0}
	head = binary.LittleEndian.AppendUint32(head, crc32.ChecksumIEEE(head))
	return append(append(b, head...), 1)
}

// What a header states and the file cannot hold is refused before memory is taken for it.
func TestHostileHeaders(t *testing.T) {
	window := func(b byte) []byte { return append([]byte{0x28, 0xb5, 0x2f, 0xfd, 0, b}, 3, 0, 0, 'x') }
	for _, c := range []struct {
		name string
		data []byte
		want string
	}{
		{"xz dictionary of 4 GiB", hugeDictionary(), "xz: the dictionary has more than the 67.1 MB allowed: compress the file with xz -9 or less"},
		{"xz dictionary of 4 GiB in a later stream", append(compressed(t, "xz", ""), hugeDictionary()...), "xz: the dictionary has more than the 67.1 MB allowed: compress the file with xz -9 or less"},
		{"zstd window of 512 MiB", window(19 << 3), "zstd: the window is larger than 134 MB"},
		{"zstd window of 16 MiB for nine bytes", window(14 << 3), "zstd: the window is larger than 134 MB, or larger than the data can be"},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "a")
			require.NoError(t, os.WriteFile(path, c.data, 0o644))
			var err error
			took := within(t, "npy", 0, func() { // within a megabyte
				var content *Content
				if content, err = Open(t.Context(), path, 1<<30); err == nil {
					_, err = newText(content, path).next()
					content.Close()
				}
			})
			require.ErrorIs(t, err, ErrLarge, "%d bytes", took)
			assert.Contains(t, err.Error(), c.want)
			assert.Contains(t, err.Error(), path)
		})
	}
}

// Compressed content may have as many bytes as its bound, and no more.
func TestBoundOfContent(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.gz")
	require.NoError(t, os.WriteFile(path, compressed(t, "gzip", strings.Repeat("\n", 1000)), 0o600))
	for bound, want := range map[int64]error{1000: nil, 999: ErrLarge} {
		c, err := Open(t.Context(), path, bound)
		require.NoError(t, err)
		require.ErrorIs(t, c.Drain(), want)
		assert.Equal(t, []int64{bound, bound}, []int64{c.Most(), c.Passed()})
		require.NoError(t, c.Close())
	}
}

func TestSize(t *testing.T) {
	for n, want := range map[int64]string{0: "0 bytes", 999: "999 bytes", 1000: "1 kB", 1_234_567: "1.23 MB", 24e9: "24 GB", 999_999: "1 MB", 1<<63 - 1: "9.22 EB"} {
		assert.Equal(t, want, Size(n))
	}
}

func TestProduct(t *testing.T) {
	n, ok := Product(3, 5, 8)
	assert.True(t, ok && n == 120)
	for _, sizes := range [][]int{{1 << 32, 1 << 31}, {1 << 62, 4}, {-1, 1}, {1<<63 - 1, 1<<63 - 1, 2}} {
		_, ok := Product(sizes...)
		assert.False(t, ok, "%v", sizes)
	}
}
