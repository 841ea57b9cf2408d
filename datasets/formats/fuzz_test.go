package formats

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"io"
	"math"
	"repro/datasets/memorytest"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/ulikunitz/xz"
	"github.com/ulikunitz/xz/lzma"
)

// An allowance is what a reader may allocate in all, garbage included: a constant, for buffers and tables and for what
// the test itself does, and a multiple of the bytes of its input.
type allowance struct{ constant, factor uint64 }

// allowances of all readers of this package. TestMemory measures what they take; docs/security.md has the rule.
var allowances = map[string]allowance{
	"libsvm": {1 << 20, 32},
	"csv":    {1 << 20, 96},
	"npy":    {1 << 20, 48},
	"idx":    {1 << 20, 4},
	"mat":    {1 << 20, 160},
	"gzip":   {1 << 20, 1 << 10},
	"bzip2":  {20 << 20, 1 << 10},
	"xz":     {1<<20 + maxDictionary, 1 << 10},
	"zstd":   {80 << 20, 1 << 10},
}

// within runs f, which reads n bytes, and ends the test if it allocates more than the reader's allowance. It returns what f
// allocated.
func within(t testing.TB, reader string, n int, f func()) uint64 {
	t.Helper()
	a := allowances[reader]
	return memorytest.Within(t, a.constant+a.factor*uint64(n), f)
}

// readRows reads all rows, and fails if one is not finite or has another width than the first. Widths of LIBSVM differ.
func readRows(t testing.TB, r Rows, err error) (rows int) {
	width := -1
	for err == nil {
		var y float64
		if y, err = r.Read(); err != nil {
			break
		}
		rows++
		_, x := r.Inputs()
		if _, sparse := r.(*LIBSVM); !sparse {
			if width >= 0 && r.Width() != width {
				t.Fatalf("row %d has %d inputs, those before have %d", rows, r.Width(), width)
			}
			width = r.Width()
		}
		for _, v := range append(slices.Clone(x), y) {
			if v-v != 0 {
				t.Fatalf("row %d has %v", rows, v)
			}
		}
	}
	if err != io.EOF {
		require.ErrorIs(t, err, ErrFormat)
	}
	return rows
}

func FuzzLIBSVM(f *testing.F) {
	for _, s := range []string{"+1 1:0.5 3:-2\n-1 2:1\n", "1", "", "\n", "1 1:1 1:1", "1 0:1", "nan 1:1", "1 1:1e999", "1\t2:3\r\n", "1:2", "1 1:0x1p3\n", "\xef\xbb\xbf1 9999999999:1",
		"-1 3:1 11:1 14:1 19:1 39:1 42:1 55:1 64:1 67:1 73:1 75:1 76:1 80:1 83:1 \n", "-1.000000 1:-0.731854 2:0.173431 3:0.000000\n", "1 999999999:1\n", "# a\n2 qid:7 1:0.5 # b:1\n"} {
		f.Add([]byte(s), 3)
		f.Add([]byte(s), 0)
	}
	f.Fuzz(func(t *testing.T, data []byte, dims int) {
		within(t, "libsvm", len(data), func() { readRows(t, NewLIBSVM(bytes.NewReader(data), "fuzz", dims), nil) })
		r := NewLIBSVM(bytes.NewReader(data), "fuzz", dims)
		var again strings.Builder
		var rows [][]float64
		for {
			y, err := r.Read()
			if err != nil {
				break
			}
			row := []float64{y}
			fmt.Fprintf(&again, "%v", y)
			last := 0
			for k, i := range r.index {
				if i <= last || (dims > 0 && i > dims) {
					t.Fatalf("accepted index %d after %d", i, last)
				}
				last = i
				row = append(row, float64(i), r.value[k])
				fmt.Fprintf(&again, " %d:%v", i, r.value[k])
			}
			again.WriteByte('\n')
			rows = append(rows, row)
		}
		r = NewLIBSVM(strings.NewReader(again.String()), "again", dims)
		for _, want := range rows {
			y, err := r.Read()
			if err != nil {
				t.Fatalf("what was accepted is refused when written out: %v", err)
			}
			got := []float64{y}
			for k, i := range r.index {
				got = append(got, float64(i), r.value[k])
			}
			assert.Equal(t, want, got)
		}
	})
}

func FuzzCSV(f *testing.F) {
	for _, s := range []string{"1,2\n3,4\n", "a,b\n1,2\n", "", ",,,\n", "\"RMSD\",\"F1\"\n17.284,13558.3\n", "1, \"2\" ,3\r\n", "\"1\n",
		"2596,51,3,258,0,510,221,232,148,6279,1,0,0,0,5\n", "0.000000000000000000e+00,9.728614687919616699e-01,6.538545489311218262e-01\n", "1,NaN\n", "1,0x1p3\n", "\xef\xbb\xbfa,a\n"} {
		f.Add([]byte(s), true, "")
		f.Add([]byte(s), false, "2")
		f.Add([]byte(s), true, "a")
	}
	f.Fuzz(func(t *testing.T, data []byte, header bool, target string) {
		within(t, "csv", len(data)+len(target), func() {
			r, err := NewCSV(bytes.NewReader(data), "fuzz", target, header)
			readRows(t, r, err)
		})
	})
}

// npyFile returns a version 1 file.
func npyFile(descr, shape string, data ...byte) []byte {
	head := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': (%s), }", descr, shape)
	head += strings.Repeat(" ", 63-(10+len(head))%64) + "\n"
	b := binary.LittleEndian.AppendUint16([]byte("\x93NUMPY\x01\x00"), uint16(len(head)))
	return append(append(b, head...), data...)
}

func FuzzNpy(f *testing.F) {
	var floats []byte
	for _, v := range []float64{1, 2, -3.5, 4} {
		floats = binary.LittleEndian.AppendUint64(floats, math.Float64bits(v))
	}
	f.Add(npyFile("<f8", "2, 2", floats...), "")
	f.Add(npyFile("<i4", "4, 2", floats...), "1")
	f.Add(npyFile("|u1", "8, 4", floats...), "4")
	f.Add(npyFile("<f4", "4,", floats...), "")
	f.Add(npyFile("<f8", "999999999, 999999999", floats...), "")
	f.Add(npyFile("|u1", "1, 999999999", floats...), "")
	f.Add(npyFile("<f8", "9223372036854775807, 2")[:40], "")
	fortran := bytes.Replace(npyFile("<f8", "2, 2", floats...), []byte("False,"), []byte("True,"), 1)
	f.Add(bytes.Replace(fortran, []byte("}"), []byte("} "), 1), "")
	f.Fuzz(func(t *testing.T, data []byte, target string) {
		within(t, "npy", len(data), func() {
			r, err := NewNpyRows(bytes.NewReader(data), "fuzz", target, int64(len(data)))
			if err != nil {
				require.ErrorIs(t, err, ErrFormat)
				return
			}
			readRows(t, r, nil)
		})
		// A compressed file may have more than it holds.
		within(t, "npy", len(data), func() {
			if r, err := NewNpyRows(bytes.NewReader(data), "fuzz", target, 1<<40); err == nil {
				readRows(t, r, nil)
			}
		})
	})
}

func FuzzIdx(f *testing.F) {
	f.Add([]byte("\x00\x00\x08\x03\x00\x00\x00\x02\x00\x00\x00\x1c\x00\x00\x00\x1c"), 2, 28)
	f.Add([]byte("\x00\x00\x08\x02\x00\x00\x00\x02\x00\x00\x00\x03abcdef"), 2, 3)
	f.Add([]byte("\x00\x00\x08\x02\xff\xff\xff\xff\xff\xff\xff\xff"), 1<<30, 1<<30)
	f.Fuzz(func(t *testing.T, data []byte, rows, columns int) {
		if n, ok := Product(rows, columns); !ok || n > 1<<40 {
			return // the caller states the dimensions
		}
		within(t, "idx", len(data), func() {
			b, err := ReadIdx(bytes.NewReader(data), "fuzz", rows, columns)
			if err != nil {
				require.ErrorIs(t, err, ErrFormat)
				return
			}
			require.Len(t, b, rows*columns)
		})
	})
}

func FuzzMat(f *testing.F) {
	for _, big := range []bool{false, true} {
		w := newMatFile(big)
		w.Write(w.Matrix("A", mxDouble, 7, []int32{2, 2}, []float64{1, 2, 3, 4}))
		w.Write(w.Compressed(w.Matrix("B", mxDouble, 2, []int32{1, 3}, []float64{1, 2, 3})))
		f.Add(w.Bytes())
		f.Add(w.Bytes()[:w.Len()-5])
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		within(t, "mat", len(data), func() {
			arrays, err := ReadMat(bytes.NewReader(data), "fuzz", int64(16*len(data)), nil, "A", "B")
			if err != nil {
				require.ErrorIs(t, err, ErrFormat)
				return
			}
			for _, a := range arrays {
				n := 1
				for _, d := range a.Dims {
					n *= d
				}
				require.Len(t, a.Data, n)
			}
		})
	})
}

// compressed returns text in a compression that has a writer.
func compressed(t testing.TB, kind, text string) []byte {
	var b bytes.Buffer
	var w io.WriteCloser
	var err error
	switch kind {
	case "gzip":
		w = gzip.NewWriter(&b)
	case "xz":
		w, err = xz.WriterConfig{DictCap: lzma.MinDictCap, BlockSize: 1 << 10}.NewWriter(&b)
	case "zstd":
		w, err = zstd.NewWriter(&b, zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(1<<10))
	case "bzip2": // of "hello world\n", whatever the text: no package writes it
		hello, err := hex.DecodeString("425a68393141592653594eece83600000251800010400006449080200031064c4101a7a9a580bb9431f8bb9229c28482776741b0")
		require.NoError(t, err)
		return hello
	}
	require.NoError(t, err)
	_, err = io.WriteString(w, text)
	require.NoError(t, err)
	require.NoError(t, w.Close())
	return b.Bytes()
}

// unpackAll reads a compressed file of at most bound bytes as Open does, and returns how many it has.
func unpackAll(t testing.TB, data []byte, bound int64) (int64, error) {
	c, err := newContent(t.Context(), io.NopCloser(bytes.NewReader(data)), "fuzz", int64(len(data)), bound)
	if err != nil {
		require.ErrorIs(t, err, ErrFormat)
		return 0, err
	}
	defer c.Close()
	return io.Copy(io.Discard, c)
}
