package formats

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
)

// A MatArray is a numeric array of a MAT-file, in its column-major order.
type MatArray struct {
	Dims []int
	Data []float64
}

// Data types and array classes of MAT-file version 5 [MathWorks, MAT-File Format, 2023].
const (
	miMatrix     = 14
	miCompressed = 15

	mxDouble = 6 // the first of the numeric classes
	mxUint64 = 15

	matComplex = 0x0800 // a flag beside the class
)

// matNumbers are the sizes and decoders of data types, by number.
var matNumbers = map[uint32]struct {
	size   int
	decode func(o binary.ByteOrder, b []byte) float64
}{
	1:  {1, func(_ binary.ByteOrder, b []byte) float64 { return float64(int8(b[0])) }},
	2:  {1, func(_ binary.ByteOrder, b []byte) float64 { return float64(b[0]) }},
	3:  {2, func(o binary.ByteOrder, b []byte) float64 { return float64(int16(o.Uint16(b))) }},
	4:  {2, func(o binary.ByteOrder, b []byte) float64 { return float64(o.Uint16(b)) }},
	5:  {4, func(o binary.ByteOrder, b []byte) float64 { return float64(int32(o.Uint32(b))) }},
	6:  {4, func(o binary.ByteOrder, b []byte) float64 { return float64(o.Uint32(b)) }},
	7:  {4, func(o binary.ByteOrder, b []byte) float64 { return float64(math.Float32frombits(o.Uint32(b))) }},
	9:  {8, func(o binary.ByteOrder, b []byte) float64 { return math.Float64frombits(o.Uint64(b)) }},
	12: {8, func(o binary.ByteOrder, b []byte) float64 { return float64(int64(o.Uint64(b))) }},
	13: {8, func(o binary.ByteOrder, b []byte) float64 { return float64(o.Uint64(b)) }},
}

const (
	maxMatBytes = 1 << 30 // of one array: a larger one is a mistake in the file
	maxMatDims  = 32
	maxMatHead  = 4096 // bytes of the flags, the dimensions or the name of an array
)

// ReadMat reads the named arrays, real and numeric, of a MAT-file version 5, and passes over everything
// else in it. It takes memory for the data it has read, never for a size that the file only states. Arrays whose numbers
// would take more than bound bytes in all are refused. Arrays of bytes, which may be too large to keep as numbers, it hands to their
// visitors in stream.
func ReadMat(r io.Reader, path string, bound int64, stream map[string]MatVisitor, names ...string) (map[string]MatArray, error) {
	m := &matReader{bound: bound, want: names, found: map[string]MatArray{}, stream: stream}
	err := m.file(r)
	if err == nil {
		for _, n := range slices.AppendSeq(slices.Clone(names), maps.Keys(stream)) {
			if _, ok := m.found[n]; !ok {
				err = fmt.Errorf("there is no array %s in it", n)
			}
		}
	}
	if err != nil {
		return nil, Faultf(ErrFormat, "%s: %w", path, err)
	}
	return m.found, nil
}

type matReader struct {
	bound  int64 // bytes that the numbers of further arrays may take
	order  binary.ByteOrder
	want   []string
	found  map[string]MatArray
	stream map[string]MatVisitor // arrays that are handed on while they are read, by name
	unpack io.Reader             // of zlib, whose tables serve all elements
}

// nothing is no bytes, compressed.
var nothing = []byte{0x78, 0x9c, 0x03, 0, 0, 0, 0, 1}

// A MatVisitor is given the dimensions of an array of bytes and its entries, the first index running first.
type MatVisitor func(dims []int, entries io.Reader) error

var ErrMatEnds = errors.New("the data ends early or is damaged: get the file again")

// file reads the header and the elements after it.
func (m *matReader) file(r io.Reader) error {
	var head [128]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return errors.New("this is not a MAT-file: it is shorter than the header of one")
	}
	switch string(head[126:]) {
	case "IM":
		m.order = binary.LittleEndian
	case "MI":
		m.order = binary.BigEndian
	default:
		return errors.New("this is not a MAT-file of version 5: save it in that version, with -v6 or -v7")
	}
	if v := m.order.Uint16(head[124:]); v != 0x0100 {
		return fmt.Errorf("version %#x of MAT-files is not supported: save it with -v6 or -v7", v)
	}
	for n := 1; ; n++ {
		err := m.element(r)
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return fmt.Errorf("element %d: %w", n, err)
		}
	}
}

// element reads one element at the top of the file, or returns io.EOF.
func (m *matReader) element(r io.Reader) error {
	kind, size, err := m.tag(r)
	if err != nil {
		return err
	}
	body := &io.LimitedReader{R: r, N: int64(size)}
	switch kind {
	case miMatrix:
		err = m.matrix(body)
	case miCompressed:
		err = m.compressed(body)
	}
	if err != nil {
		return err
	}
	if _, err := io.Copy(io.Discard, body); err != nil || body.N > 0 {
		return ErrMatEnds
	}
	return nil
}

// compressed reads an element that is compressed as a whole.
func (m *matReader) compressed(r io.Reader) error {
	if m.unpack == nil {
		m.unpack, _ = zlib.NewReader(bytes.NewReader(nothing))
	}
	z := m.unpack
	if err := z.(zlib.Resetter).Reset(r, nil); err != nil {
		return fmt.Errorf("%w: %w", ErrMatEnds, err)
	}
	kind, size, err := m.tag(z)
	if err != nil {
		return ErrMatEnds
	}
	if kind != miMatrix {
		return nil
	}
	body := &io.LimitedReader{R: z, N: int64(size)}
	if err := m.matrix(body); err != nil || body.N > 0 { // the array was passed over
		return err
	}
	if _, err := z.Read(make([]byte, 1)); err != nil && err != io.EOF {
		return ErrMatEnds // the checksum is at the end
	}
	return nil
}

// tag reads the eight bytes before an element.
func (m *matReader) tag(r io.Reader) (kind, size uint32, err error) {
	var b [8]byte
	if _, err := io.ReadFull(r, b[:]); err == io.EOF {
		return 0, 0, io.EOF
	} else if err != nil {
		return 0, 0, ErrMatEnds
	}
	return m.order.Uint32(b[:]), m.order.Uint32(b[4:]), nil
}

// part reads one of the elements inside a matrix, of at most most bytes, with what fills it up to a multiple of eight bytes.
func (m *matReader) part(r io.Reader, what string, most int64) (kind uint32, data []byte, err error) {
	kind, size, err := m.tag(r)
	if err != nil {
		return 0, nil, ErrMatEnds
	}
	if small := kind >> 16; small != 0 { // up to four bytes of data stand in the tag itself
		if small > 4 {
			return 0, nil, fmt.Errorf("its %s has a small element of %d bytes: the file is damaged", what, small)
		}
		b := make([]byte, 4)
		m.order.PutUint32(b, size)
		return kind & 0xffff, b[:small], nil
	}
	if int64(size) > most {
		return 0, nil, Faultf(ErrLarge, "its %s would take %s, more than the %s allowed", what, Size(int64(size)), Size(most))
	}
	data, err = readN(r, nil, int(size))
	if err != nil {
		return 0, nil, ErrMatEnds
	}
	if _, err := io.CopyN(io.Discard, r, int64(-size&7)); err != nil && err != io.EOF {
		return 0, nil, ErrMatEnds
	}
	return kind, data, nil
}

// matrix reads an array if it is one of those wanted.
func (m *matReader) matrix(r io.Reader) error {
	_, flags, err := m.part(r, "flags", maxMatHead)
	if err != nil {
		return err
	}
	kind, sizes, err := m.part(r, "dimensions", maxMatHead)
	if err != nil {
		return err
	}
	_, name, err := m.part(r, "name", maxMatHead)
	if err != nil {
		return err
	}
	visit := m.stream[string(name)]
	if visit == nil && !slices.Contains(m.want, string(name)) {
		return nil
	}
	if _, twice := m.found[string(name)]; twice {
		return fmt.Errorf("array %s is there twice", name)
	}
	a, n, err := m.array(flags, kind, sizes)
	switch {
	case err != nil:
	case visit != nil:
		err = m.bytes(r, a.Dims, n, visit)
	default:
		a, err = m.numbers(r, a, n)
	}
	if err != nil {
		return fmt.Errorf("array %s: %w", name, err)
	}
	m.found[string(name)] = a
	return nil
}

// array returns an array of n entries that are still to be read.
func (m *matReader) array(flags []byte, kind uint32, sizes []byte) (a MatArray, n int, err error) {
	if len(flags) != 8 {
		return a, 0, errors.New("it has no flags: the file is damaged")
	}
	f := m.order.Uint32(flags)
	if class := f & 0xff; class < mxDouble || class > mxUint64 {
		return a, 0, fmt.Errorf("it is of class %d, not a full numeric array", class)
	}
	if f&matComplex != 0 {
		return a, 0, errors.New("it is complex")
	}
	n, err = a.shape(m.order, kind, sizes)
	return a, n, err
}

// bytes hands n entries, which must be bytes, to visit.
func (m *matReader) bytes(r io.Reader, dims []int, n int, visit MatVisitor) error {
	const uint8s = 2
	kind, size, err := m.tag(r)
	switch {
	case err != nil:
		return ErrMatEnds
	case kind != uint8s:
		return fmt.Errorf("data of type %d is not the expected uint8", kind)
	case int64(size) != int64(n):
		return fmt.Errorf("%d bytes of data, %d expected of dimensions %v", size, n, dims)
	}
	return visit(dims, io.LimitReader(r, int64(n)))
}

// numbers reads the n entries of a.
func (m *matReader) numbers(r io.Reader, a MatArray, n int) (MatArray, error) {
	kind, data, err := m.part(r, "data", min(maxMatBytes, m.bound))
	if err != nil {
		return a, err
	}
	t, ok := matNumbers[kind]
	if !ok {
		return a, fmt.Errorf("data of type %d are not numbers", kind)
	}
	if len(data) != n*t.size {
		return a, fmt.Errorf("%d bytes of data, %d expected of dimensions %v", len(data), n*t.size, a.Dims)
	}
	if m.bound -= 8 * int64(n); m.bound < 0 {
		return a, Faultf(ErrLarge, "the numbers of dimensions %v would take %s, more than the %s allowed", a.Dims, Size(8*int64(n)), Size(m.bound+8*int64(n)))
	}
	a.Data = make([]float64, n)
	for i := range a.Data {
		a.Data[i] = t.decode(m.order, data[i*t.size:])
	}
	return a, nil
}

// shape reads the dimensions and returns the number of entries.
func (a *MatArray) shape(o binary.ByteOrder, kind uint32, sizes []byte) (n int, err error) {
	const int32s = 5
	if kind != int32s || len(sizes)%4 != 0 || len(sizes) < 8 || len(sizes) > 4*maxMatDims {
		return 0, errors.New("its dimensions cannot be read: the file is damaged")
	}
	n = 1
	for b := range slices.Chunk(sizes, 4) {
		d := int(int32(o.Uint32(b)))
		if d < 0 || d > 0 && n > maxMatBytes/d {
			return 0, fmt.Errorf("dimension %d is %d: the file is damaged", len(a.Dims)+1, d)
		}
		n *= d
		a.Dims = append(a.Dims, d)
	}
	return n, nil
}

// is reports whether the array has the given dimensions.
func (a MatArray) Is(dims ...int) bool { return slices.Equal(a.Dims, dims) }
