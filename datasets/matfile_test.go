package datasets

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"math"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A matWriter writes MAT-files for tests.
type matWriter struct {
	bytes.Buffer
	order interface {
		binary.ByteOrder
		binary.AppendByteOrder
	}
}

func newMatWriter(big bool) *matWriter {
	w := &matWriter{order: binary.LittleEndian}
	mark := "IM"
	if big {
		w.order, mark = binary.BigEndian, "MI"
	}
	head := bytes.Repeat([]byte{' '}, 124)
	w.Write(append(w.order.AppendUint16(head, 0x0100), mark...))
	return w
}

// part returns an element, small if it fits into a tag and that is wanted.
func (w *matWriter) part(kind uint32, data []byte, small bool) []byte {
	if small && len(data) <= 4 {
		b := w.order.AppendUint32(nil, uint32(len(data))<<16|kind)
		return append(b, append(bytes.Clone(data), make([]byte, 4-len(data))...)...)
	}
	b := w.order.AppendUint32(nil, kind)
	b = w.order.AppendUint32(b, uint32(len(data)))
	b = append(b, data...)
	return append(b, make([]byte, (8-len(data)%8)%8)...)
}

// matrix returns an array whose numbers are stored as the given type.
func (w *matWriter) matrix(name string, class, kind uint32, dims []int32, values []float64) []byte {
	flags := w.order.AppendUint32(nil, class)
	flags = w.order.AppendUint32(flags, 0)
	var sizes, data []byte
	for _, d := range dims {
		sizes = w.order.AppendUint32(sizes, uint32(d))
	}
	for _, v := range values {
		switch kind {
		case 1, 2:
			data = append(data, byte(int8(v)))
		case 3, 4:
			data = w.order.AppendUint16(data, uint16(int16(v)))
		case 5, 6:
			data = w.order.AppendUint32(data, uint32(int32(v)))
		case 7:
			data = w.order.AppendUint32(data, math.Float32bits(float32(v)))
		case 9:
			data = w.order.AppendUint64(data, math.Float64bits(v))
		case 12, 13:
			data = w.order.AppendUint64(data, uint64(int64(v)))
		}
	}
	body := append(w.part(6, flags, false), w.part(5, sizes, false)...)
	body = append(body, w.part(1, []byte(name), true)...)
	body = append(body, w.part(kind, data, true)...)
	return w.part(miMatrix, body, false)
}

// compressed returns an element that holds another.
func (w *matWriter) compressed(element []byte) []byte {
	var b bytes.Buffer
	z := zlib.NewWriter(&b)
	z.Write(element)
	z.Close()
	head := w.order.AppendUint32(nil, miCompressed)
	head = w.order.AppendUint32(head, uint32(b.Len()))
	return append(head, b.Bytes()...) // without padding
}

func TestMatTypes(t *testing.T) {
	values := []float64{1, 2, 3, 100, 5, 6}
	for _, big := range []bool{false, true} {
		for _, packed := range []bool{false, true} {
			for _, kind := range []uint32{1, 2, 3, 4, 5, 6, 7, 9, 12, 13} {
				w := newMatWriter(big)
				for _, element := range [][]byte{
					w.matrix("other", 4, 2, []int32{1, 2}, []float64{65, 66}), // characters
					w.matrix("A", mxDouble, kind, []int32{2, 3}, values),
					w.part(9, make([]byte, 16), false), // no array
					w.matrix("b", mxUint64, kind, []int32{1, 1}, []float64{7}),
				} {
					if packed {
						element = w.compressed(element)
					}
					w.Write(element)
				}
				got, err := readMat(&w.Buffer, "a.mat", "A", "b")
				require.NoError(t, err, "type %d, big endian %v, compressed %v", kind, big, packed)
				assert.Equal(t, matArray{[]int{2, 3}, values}, got["A"])
				assert.Equal(t, matArray{[]int{1, 1}, []float64{7}}, got["b"])
				assert.Len(t, got, 2)
			}
		}
	}
	w := newMatWriter(false)
	w.Write(w.matrix("A", mxDouble, 3, []int32{1, 2}, []float64{-3, 4}))
	w.Write(w.matrix("empty", mxDouble, 9, []int32{0, 5}, nil))
	got, err := readMat(&w.Buffer, "a.mat", "A", "empty")
	require.NoError(t, err)
	assert.Equal(t, []float64{-3, 4}, got["A"].data)
	assert.True(t, got["empty"].is(0, 5))
}

func TestMatErrors(t *testing.T) {
	w := newMatWriter(false)
	head := w.String()
	good := string(w.matrix("A", mxDouble, 9, []int32{1, 2}, []float64{1, 2}))
	packed := string(w.compressed([]byte(good)))
	patched := func(s string, at int, b ...byte) string {
		c := []byte(s)
		copy(c[at:], b)
		return string(c)
	}
	shape := func(dims ...int32) string { return string(w.matrix("A", mxDouble, 9, dims, []float64{1, 2})) }
	huge := string(w.part(miMatrix, append(append(w.part(6, make([]byte, 8), false), w.part(5, make([]byte, 8), false)...), 1, 0, 0, 0, 0xff, 0xff, 0xff, 0xff), false))
	for _, c := range []struct{ name, text, want string }{
		{"empty", "", "shorter than the header"},
		{"text", string(bytes.Repeat([]byte("x"), 200)), "not a MAT-file of version 5"},
		{"version 7.3", patched(head, 124, 0, 2), "version 0x200 of MAT-files is not supported"},
		{"nothing in it", head, "there is no array A in it"},
		{"another array", head + string(w.matrix("B", mxDouble, 9, []int32{1, 2}, []float64{1, 2})), "there is no array A in it"},
		{"array twice", head + good + good, "element 2: array A is there twice"},
		{"cut tag", head + good[:5], "element 1: the data ends early"},
		{"cut data", head + good[:len(good)-3], "element 1: array A: the data ends early"},
		{"cut compressed data", head + packed[:len(packed)-9], "element 1: array A: the data ends early"},
		{"damaged compressed data", head + patched(packed, 10, 0xff, 0xff, 0xff), "element 1: the data ends early"},
		{"size beyond the file", head + patched(good, 4, 0xff, 0xff, 0xff, 0x7f), "element 1: the data ends early"},
		{"part of hostile size", head + huge, "its name is said to take 4294967295 bytes"},
		{"characters", head + string(w.matrix("A", 4, 2, []int32{1, 2}, []float64{65, 66})), "array A: it is of class 4"},
		{"sparse", head + string(w.matrix("A", 5, 9, []int32{1, 2}, []float64{1, 2})), "array A: it is of class 5"},
		{"complex", head + string(w.matrix("A", mxDouble|matComplex, 9, []int32{1, 2}, []float64{1, 2})), "array A: it is complex"},
		{"too few numbers", head + shape(3, 1), "array A: 16 bytes of data, 24 expected of dimensions [3 1]"},
		{"too many numbers", head + shape(1, 1), "array A: 16 bytes of data, 8 expected"},
		{"negative dimension", head + shape(-1, 2), "array A: dimension 1 is -1"},
		{"hostile dimensions", head + shape(1<<30, 1<<30, 1<<30), "array A: dimension 2 is 1073741824"},
		{"one dimension", head + shape(2), "array A: its dimensions cannot be read"},
		{"many dimensions", head + shape(make([]int32, 40)...), "array A: its dimensions cannot be read"},
		{"small element too large", head + patched(good, 8+16+16, 1, 0, 9, 0), "its name has a small element of 9 bytes"},
		{"data of no numbers", head + patched(good, 8+16+16+8, 14), "array A: data of type 14 is no numbers"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := readMat(bytes.NewReader([]byte(c.text)), "a.mat", "A")
			require.ErrorIs(t, err, ErrFormat)
			assert.ErrorContains(t, err, "a.mat: ")
			assert.ErrorContains(t, err, c.want)
		})
	}
}

// A file that says it holds a gigabyte must not take one when it does not.
func TestMatHostileSizeTakesNoMemory(t *testing.T) {
	w := newMatWriter(false)
	w.Write([]byte{miMatrix, 0, 0, 0, 0, 0, 0, 0x40, 6, 0, 0, 0, 0, 0, 0, 0x3f})
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := readMat(bytes.NewReader(w.Bytes()), "a.mat", "A")
	runtime.ReadMemStats(&after)
	require.ErrorIs(t, err, ErrFormat)
	assert.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(1<<20))
}

func FuzzMat(f *testing.F) {
	for _, big := range []bool{false, true} {
		w := newMatWriter(big)
		w.Write(w.matrix("A", mxDouble, 7, []int32{2, 2}, []float64{1, 2, 3, 4}))
		w.Write(w.compressed(w.matrix("B", mxDouble, 2, []int32{1, 3}, []float64{1, 2, 3})))
		f.Add(w.Bytes())
		f.Add(w.Bytes()[:w.Len()-5])
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		arrays, err := readMat(bytes.NewReader(data), "fuzz", "A", "B")
		if err != nil {
			require.ErrorIs(t, err, ErrFormat)
			return
		}
		for _, a := range arrays {
			n := 1
			for _, d := range a.dims {
				n *= d
			}
			require.Len(t, a.data, n)
		}
	})
}
