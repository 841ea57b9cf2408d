package formats

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestMatTypes(t *testing.T) {
	values := []float64{1, 2, 3, 100, 5, 6}
	for _, big := range []bool{false, true} {
		for _, packed := range []bool{false, true} {
			for _, kind := range []uint32{1, 2, 3, 4, 5, 6, 7, 9, 12, 13} {
				w := newMatFile(big)
				for _, element := range [][]byte{
					w.Matrix("other", 4, 2, []int32{1, 2}, []float64{65, 66}), // characters
					w.Matrix("A", mxDouble, kind, []int32{2, 3}, values),
					w.Part(9, make([]byte, 16), false), // no array
					w.Matrix("b", mxUint64, kind, []int32{1, 1}, []float64{7}),
				} {
					if packed {
						element = w.Compressed(element)
					}
					w.Write(element)
				}
				got, err := ReadMat(&w.Buffer, "a.mat", 1<<20, nil, "A", "b")
				require.NoError(t, err, "type %d, big endian %v, compressed %v", kind, big, packed)
				assert.Equal(t, MatArray{[]int{2, 3}, values}, got["A"])
				assert.Equal(t, MatArray{[]int{1, 1}, []float64{7}}, got["b"])
				assert.Len(t, got, 2)
			}
		}
	}
	w := newMatFile(false)
	w.Write(w.Matrix("A", mxDouble, 3, []int32{1, 2}, []float64{-3, 4}))
	w.Write(w.Matrix("empty", mxDouble, 9, []int32{0, 5}, nil))
	got, err := ReadMat(&w.Buffer, "a.mat", 1<<20, nil, "A", "empty")
	require.NoError(t, err)
	assert.Equal(t, []float64{-3, 4}, got["A"].Data)
	assert.True(t, got["empty"].Is(0, 5))
}

func TestMatErrors(t *testing.T) {
	w := newMatFile(false)
	head := w.String()
	good := string(w.Matrix("A", mxDouble, 9, []int32{1, 2}, []float64{1, 2}))
	packed := string(w.Compressed([]byte(good)))
	patched := func(s string, at int, b ...byte) string {
		c := []byte(s)
		copy(c[at:], b)
		return string(c)
	}
	shape := func(dims ...int32) string { return string(w.Matrix("A", mxDouble, 9, dims, []float64{1, 2})) }
	huge := string(w.Part(miMatrix, append(append(w.Part(6, make([]byte, 8), false), w.Part(5, make([]byte, 8), false)...), 1, 0, 0, 0, 0xff, 0xff, 0xff, 0xff), false))
	for _, c := range []struct{ name, text, want string }{
		{"empty", "", "shorter than the header"},
		{"text", string(bytes.Repeat([]byte("x"), 200)), "not a MAT-file of version 5"},
		{"version 7.3", patched(head, 124, 0, 2), "version 0x200 of MAT-files is not supported"},
		{"nothing in it", head, "there is no array A in it"},
		{"another array", head + string(w.Matrix("B", mxDouble, 9, []int32{1, 2}, []float64{1, 2})), "there is no array A in it"},
		{"array twice", head + good + good, "element 2: array A is there twice"},
		{"cut tag", head + good[:5], "element 1: the data ends early"},
		{"cut data", head + good[:len(good)-3], "element 1: array A: the data ends early"},
		{"cut compressed data", head + packed[:len(packed)-9], "element 1: the data ends early"},
		{"damaged compressed data", head + patched(packed, 10, 0xff, 0xff, 0xff), "element 1: the data ends early"},
		{"size beyond the file", head + patched(good, 4, 0xff, 0xff, 0xff, 0x7f), "element 1: the data ends early"},
		{"part of hostile size", head + huge, "its name would take 4.29 GB, more than the 4.1 kB allowed"},
		{"characters", head + string(w.Matrix("A", 4, 2, []int32{1, 2}, []float64{65, 66})), "array A: it is of class 4"},
		{"sparse", head + string(w.Matrix("A", 5, 9, []int32{1, 2}, []float64{1, 2})), "array A: it is of class 5"},
		{"complex", head + string(w.Matrix("A", mxDouble|matComplex, 9, []int32{1, 2}, []float64{1, 2})), "array A: it is complex"},
		{"too few numbers", head + shape(3, 1), "array A: 16 bytes of data, 24 expected of dimensions [3 1]"},
		{"too many numbers", head + shape(1, 1), "array A: 16 bytes of data, 8 expected"},
		{"negative dimension", head + shape(-1, 2), "array A: dimension 1 is -1"},
		{"hostile dimensions", head + shape(1<<30, 1<<30, 1<<30), "array A: dimension 2 is 1073741824"},
		{"one dimension", head + shape(2), "array A: its dimensions cannot be read"},
		{"many dimensions", head + shape(make([]int32, 40)...), "array A: its dimensions cannot be read"},
		{"small element too large", head + patched(good, 8+16+16, 1, 0, 9, 0), "its name has a small element of 9 bytes"},
		{"data of no numbers", head + patched(good, 8+16+16+8, 14), "array A: data of type 14 are not numbers"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := ReadMat(bytes.NewReader([]byte(c.text)), "a.mat", 1<<20, nil, "A")
			require.ErrorIs(t, err, ErrFormat)
			assert.ErrorContains(t, err, "a.mat: ")
			assert.ErrorContains(t, err, c.want)
		})
	}
}
