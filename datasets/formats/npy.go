package formats

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// NpyArray is a NumPy array, version 1 or 2 of the format, whose elements are read one after
// another.
type NpyArray struct {
	R     *bufio.Reader
	path  string
	Dims  []int
	Shape string // Dims as the header writes them
	Start int64  // of the data in the uncompressed file
	// Fortran is set if the elements stand column by column, not row by row.
	Fortran bool
	buf     []byte
	NpyType
}

// NpyRows reads a two-dimensional array: one row a sample, one column the target. Integers beyond 2⁵³
// are rounded.
type NpyRows struct {
	NpyArray
	n, cols int
	row     int // of the row last read, from 1
	target  int // from 0
	values  []float64
	columns []byte // all of an array in Fortran order
}

type NpyType struct {
	Size   int
	Decode func(b []byte) float64
}

// Put decodes a row.
func (t NpyType) Put(x []float64, b []byte) {
	for j := range x {
		x[j] = t.Decode(b[j*t.Size:])
	}
}

var npyTypes = map[string]NpyType{
	"<f4": {4, func(b []byte) float64 { return float64(math.Float32frombits(binary.LittleEndian.Uint32(b))) }},
	"<f8": {8, func(b []byte) float64 { return math.Float64frombits(binary.LittleEndian.Uint64(b)) }},
	"<i4": {4, func(b []byte) float64 { return float64(int32(binary.LittleEndian.Uint32(b))) }},
	"<i8": {8, func(b []byte) float64 { return float64(int64(binary.LittleEndian.Uint64(b))) }},
	"|u1": {1, func(b []byte) float64 { return float64(b[0]) }},
}

// NewNpyRows reads the header of a file of at most most bytes. The target is a column number from 1, or "" for the last
// column.
func NewNpyRows(r io.Reader, path, target string, most int64) (*NpyRows, error) {
	array, err := NewNpyArray(r, path, most)
	if err != nil {
		return nil, err
	}
	dims := array.Dims
	if len(dims) != 2 || dims[1] < 2 || dims[1] > MaxColumns {
		return nil, array.FileErrorf("the shape (%s) is not rows by columns with a target and at least one input: reshape the array", array.Shape)
	}
	a := &NpyRows{NpyArray: *array, n: dims[0], cols: dims[1], target: dims[1] - 1}
	if target != "" {
		n, _ := strconv.Atoi(target)
		if a.target = n - 1; n < 1 || n > a.cols {
			return nil, a.FileErrorf("there is no target column %s: the array has %d columns", target, a.cols)
		}
	}
	return a, nil
}

// NewNpyArray reads the header of a file of at most most bytes, and refuses one that states more.
func NewNpyArray(r io.Reader, path string, most int64) (*NpyArray, error) {
	a := &NpyArray{R: bufio.NewReaderSize(r, 1<<16), path: path}
	header, err := a.header()
	if err == nil {
		err = a.parse(header)
	}
	if err == nil {
		n, ok := Product(append([]int{a.Size}, a.Dims...)...)
		if held := max(0, most-a.Start); !ok || n > held {
			err = a.FileErrorf("the header states the shape (%s) of %d bytes an element, and the file holds at most %s of data: get the file again", a.Shape, a.Size, Size(held))
		}
	}
	return a, err
}

// header returns the text between the fixed bytes and the data.
func (a *NpyArray) header() (string, error) {
	var fixed [8]byte
	if _, err := io.ReadFull(a.R, fixed[:]); err != nil || !bytes.HasPrefix(fixed[:], []byte("\x93NUMPY")) {
		return "", a.FileErrorf("this is not a npy file: its first bytes are not \\x93NUMPY")
	}
	size := 2
	switch fixed[6] {
	case 1:
	case 2:
		size = 4
	default:
		return "", a.FileErrorf("version %d of the npy format is not supported: save the array with numpy.save", fixed[6])
	}
	var length [4]byte
	if _, err := io.ReadFull(a.R, length[:size]); err != nil {
		return "", a.FileErrorf("the file ends inside its header: get it again")
	}
	n := binary.LittleEndian.Uint32(length[:])
	if n > 1<<20 {
		return "", a.FileErrorf("a header of %d bytes is not that of an array of numbers", n)
	}
	b, err := readN(a.R, nil, int(n))
	if err != nil {
		return "", a.FileErrorf("the file ends inside its header: get it again")
	}
	a.Start = int64(len(fixed) + size + len(b))
	return string(b), nil
}

var npyHeader = regexp.MustCompile(`^\{'descr': '([^']*)', 'fortran_order': (True|False), 'shape': \(([0-9, ]*)\),? ?\}\s*$`)

// parse finds the type and the dimensions in the header.
func (a *NpyArray) parse(header string) error {
	m := npyHeader.FindStringSubmatch(header)
	if m == nil {
		return a.FileErrorf("the header %s is not that of an array of numbers: save one with numpy.save", clip([]byte(header)))
	}
	t, ok := npyTypes[m[1]]
	if !ok {
		return a.FileErrorf("elements of type %q are not supported: convert them with astype to <f8, <f4, <i8, <i4 or |u1", m[1])
	}
	a.NpyType, a.Shape, a.Fortran = t, m[3], m[2] == "True"
	for s := range strings.SplitSeq(m[3], ",") {
		if s = strings.TrimSpace(s); s == "" {
			continue
		}
		d, err := strconv.Atoi(s)
		if err != nil {
			return a.FileErrorf("the shape (%s) is not that of an array", m[3])
		}
		a.Dims = append(a.Dims, d)
	}
	return nil
}

// Next returns the bytes of the next n elements, valid until the following call.
func (a *NpyArray) Next(n int) (b []byte, err error) {
	if a.buf, err = readN(a.R, a.buf, n*a.Size); err != nil {
		return nil, Broken(err)
	}
	return a.buf, nil
}

// Ended returns an error unless the n rows that were read are all there is.
func (a *NpyArray) Ended(n int) error {
	if _, err := a.R.ReadByte(); err != io.EOF {
		return a.FileErrorf("there is data after the %d rows the header states", n)
	}
	return nil
}

func (a *NpyRows) Width() int                              { return a.cols - 1 }
func (a *NpyRows) Inputs() (index []int, values []float64) { return nil, a.values }

func (a *NpyRows) Read() (y float64, err error) {
	if a.row == a.n {
		if err := a.Ended(a.n); err != nil {
			return 0, err
		}
		return 0, io.EOF
	}
	a.row++
	row, step := a.columns, a.n
	switch {
	case !a.Fortran:
		row, err = a.Next(a.cols)
		step = 1
	case a.row == 1:
		row, err = a.Next(a.n * a.cols)
		a.columns = row
	}
	if err != nil {
		return 0, a.Errorf("%w", err)
	}
	if a.Fortran {
		row = row[(a.row-1)*a.Size:]
	}
	a.values = slices.Grow(a.values[:0], a.cols)
	for j := range a.cols {
		v := a.Decode(row[j*step*a.Size:])
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return 0, a.Errorf("column %d is %v: remove the row or fill the value in", j+1, v)
		}
		if j == a.target {
			y = v
		} else {
			a.values = append(a.values, v)
		}
	}
	return y, nil
}

func (a *NpyRows) Errorf(format string, args ...any) error {
	return Faultf(ErrFormat, "%s: row %d: %w", a.path, a.row, fmt.Errorf(format, args...))
}

func (a *NpyArray) FileErrorf(format string, args ...any) error {
	return Faultf(ErrFormat, "%s: %w", a.path, fmt.Errorf(format, args...))
}

// The idx format of the MNIST files: two zero bytes, the type of the elements, the number of
// dimensions, each dimension as a big-endian 32-bit number, the elements in C order.
const idxByte = 0x08 // elements are unsigned bytes

// ReadIdx reads an array of bytes that must have the given dimensions.
func ReadIdx(r io.Reader, path string, want ...int) ([]byte, error) {
	head := make([]byte, 4+4*len(want))
	if n, err := io.ReadFull(r, head); err != nil {
		return nil, Faultf(ErrFormat, "%s: the file ends inside its header, after %d of %d bytes: get it again", path, n, len(head))
	}
	if head[0] != 0 || head[1] != 0 || head[2] != idxByte || int(head[3]) != len(want) {
		return nil, Faultf(ErrFormat, "%s: this is not an idx file of bytes with %d dimensions: it begins with % x", path, len(want), head[:4])
	}
	size := 1
	for i, w := range want {
		if d := binary.BigEndian.Uint32(head[4+4*i:]); uint64(d) != uint64(w) {
			return nil, Faultf(ErrFormat, "%s: dimension %d is %d, %d expected", path, i+1, d, w)
		}
		size *= w
	}
	data, err := readN(r, nil, size)
	if err != nil {
		return nil, Faultf(ErrFormat, "%s: after %d of %d elements %w", path, len(data), size, Broken(err))
	}
	if _, err := io.ReadFull(r, head[:1]); err != io.EOF {
		return nil, Faultf(ErrFormat, "%s: there is data after the %d elements the header states", path, size)
	}
	return data, nil
}
