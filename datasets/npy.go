package datasets

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"regexp"
	"strconv"
	"strings"
)

// npyArray is a NumPy array in C order, version 1 or 2 of the format, whose elements are read one after
// another.
type npyArray struct {
	r     *bufio.Reader
	path  string
	dims  []int
	start int64 // of the data in the uncompressed file
	npyType
}

// npyRows reads a two-dimensional array: one row a sample, one column the target. Integers beyond 2⁵³
// are rounded.
type npyRows struct {
	npyArray
	n, cols int
	row     int // of the row last read, from 1
	target  int // from 0
	buf     []byte
	values  []float64
}

type npyType struct {
	size   int
	decode func(b []byte) float64
}

var npyTypes = map[string]npyType{
	"<f4": {4, func(b []byte) float64 { return float64(math.Float32frombits(binary.LittleEndian.Uint32(b))) }},
	"<f8": {8, func(b []byte) float64 { return math.Float64frombits(binary.LittleEndian.Uint64(b)) }},
	"<i4": {4, func(b []byte) float64 { return float64(int32(binary.LittleEndian.Uint32(b))) }},
	"<i8": {8, func(b []byte) float64 { return float64(int64(binary.LittleEndian.Uint64(b))) }},
	"|u1": {1, func(b []byte) float64 { return float64(b[0]) }},
}

// newNpy reads the header. The target is a column number from 1, or "" for the last column.
func newNpy(r io.Reader, path, target string) (*npyRows, error) {
	array, err := newNpyArray(r, path)
	if err != nil {
		return nil, err
	}
	dims := array.dims
	if len(dims) != 2 || dims[1] < 2 || dims[1] > maxIndex {
		return nil, array.fileErrorf("the shape (%s) is not rows by columns with a target and at least one input: reshape the array", array.shape())
	}
	a := &npyRows{npyArray: *array, n: dims[0], cols: dims[1], target: dims[1] - 1}
	if target != "" {
		n, _ := strconv.Atoi(target)
		if a.target = n - 1; n < 1 || n > a.cols {
			return nil, a.fileErrorf("there is no target column %s: the array has %d columns", target, a.cols)
		}
	}
	a.buf, a.values = make([]byte, a.cols*a.size), make([]float64, 0, a.cols-1)
	return a, nil
}

// newNpyArray reads the header.
func newNpyArray(r io.Reader, path string) (*npyArray, error) {
	a := &npyArray{r: bufio.NewReaderSize(r, 1<<16), path: path}
	header, err := a.header()
	if err == nil {
		err = a.parse(header)
	}
	return a, err
}

// header returns the text between the fixed bytes and the data.
func (a *npyArray) header() (string, error) {
	var fixed [8]byte
	if _, err := io.ReadFull(a.r, fixed[:]); err != nil || !bytes.HasPrefix(fixed[:], []byte("\x93NUMPY")) {
		return "", a.fileErrorf("this is not a npy file: its first bytes are not \\x93NUMPY")
	}
	size := 2
	switch fixed[6] {
	case 1:
	case 2:
		size = 4
	default:
		return "", a.fileErrorf("version %d of the npy format is not supported: save the array with numpy.save", fixed[6])
	}
	var length [4]byte
	if _, err := io.ReadFull(a.r, length[:size]); err != nil {
		return "", a.fileErrorf("the file ends inside its header: get it again")
	}
	n := binary.LittleEndian.Uint32(length[:])
	if n > 1<<20 {
		return "", a.fileErrorf("a header of %d bytes is not that of an array of numbers", n)
	}
	b := make([]byte, n)
	if _, err := io.ReadFull(a.r, b); err != nil {
		return "", a.fileErrorf("the file ends inside its header: get it again")
	}
	a.start = int64(len(fixed) + size + len(b))
	return string(b), nil
}

var npyHeader = regexp.MustCompile(`^\{'descr': '([^']*)', 'fortran_order': (True|False), 'shape': \(([0-9, ]*)\),? ?\}\s*$`)

// parse finds the type and the dimensions in the header.
func (a *npyArray) parse(header string) error {
	m := npyHeader.FindStringSubmatch(header)
	if m == nil {
		return a.fileErrorf("the header %s is not that of an array of numbers: save one with numpy.save", clip([]byte(header)))
	}
	t, ok := npyTypes[m[1]]
	if !ok {
		return a.fileErrorf("elements of type %q are not supported: convert them with astype to <f8, <f4, <i8, <i4 or |u1", m[1])
	}
	if m[2] == "True" {
		return a.fileErrorf("the array is in Fortran order: save numpy.ascontiguousarray of it")
	}
	a.npyType = t
	for s := range strings.SplitSeq(m[3], ",") {
		if s = strings.TrimSpace(s); s == "" {
			continue
		}
		d, err := strconv.Atoi(s)
		if err != nil {
			return a.fileErrorf("the shape (%s) is not that of an array", m[3])
		}
		a.dims = append(a.dims, d)
	}
	return nil
}

// shape writes the dimensions as the header does.
func (a *npyArray) shape() string {
	var b strings.Builder
	for i, d := range a.dims {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(strconv.Itoa(d))
	}
	if len(a.dims) == 1 {
		b.WriteByte(',')
	}
	return b.String()
}

// ended returns an error unless the n rows that were read are all there is.
func (a *npyArray) ended(n int) error {
	if _, err := a.r.ReadByte(); err != io.EOF {
		return a.fileErrorf("there is data after the %d rows the header states", n)
	}
	return nil
}

func (a *npyRows) width() int      { return a.cols - 1 }
func (a *npyRows) put(x []float64) { copy(x, a.values) }

func (a *npyRows) read() (y float64, err error) {
	if a.row == a.n {
		if err := a.ended(a.n); err != nil {
			return 0, err
		}
		return 0, io.EOF
	}
	a.row++
	if _, err := io.ReadFull(a.r, a.buf); err != nil {
		return 0, a.errorf("the data ends early or is damaged: %w; get the file again", err)
	}
	a.values = a.values[:0]
	for j := range a.cols {
		v := a.decode(a.buf[j*a.size:])
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return 0, a.errorf("column %d is %v: remove the row or fill the value in", j+1, v)
		}
		if j == a.target {
			y = v
		} else {
			a.values = append(a.values, v)
		}
	}
	return y, nil
}

func (a *npyRows) errorf(format string, args ...any) error {
	return faultf(ErrFormat, "%s: row %d: %w", a.path, a.row, fmt.Errorf(format, args...))
}

func (a *npyArray) fileErrorf(format string, args ...any) error {
	return faultf(ErrFormat, "%s: %w", a.path, fmt.Errorf(format, args...))
}
