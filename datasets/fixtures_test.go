package datasets

import (
	"bytes"
	"compress/zlib"
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"repro/datasets/transforms"
)

// What the files of some registered data sets look like; see package sources.
const (
	digitSide     = 28
	digitPixels   = digitSide * digitSide
	mnist8mCopies = 135
	pictureBytes  = 3 * 32 * 32
	atoms         = 23
)

// shades are the values k/255 of the bytes k of pixels.
var shades = func() (s [256]float64) {
	for k := range s {
		s[k] = float64(k) / 255
	}
	return s
}()

// digits are images of handwritten digits, a byte a pixel.
type digits struct{ pixels, labels []byte }

func (d *digits) image(i int) []byte { return d.pixels[i*digitPixels:][:digitPixels] }

// of returns the images of two classes, in their order.
func (d *digits) of(a, b byte) *digits {
	some := new(digits)
	for i, l := range d.labels {
		if l == a || l == b {
			some.pixels, some.labels = append(some.pixels, d.image(i)...), append(some.labels, l)
		}
	}
	return some
}

// moleculeColumns are the columns of qm7.csv.
func moleculeColumns() []string {
	names := []string{"id", "fold", "natoms", "T_kcal_mol"}
	for a := range atoms {
		names = append(names, "Z"+strconv.Itoa(a+1))
	}
	for a := range atoms {
		for _, c := range "xyz" {
			names = append(names, fmt.Sprintf("%c%d", c, a+1))
		}
	}
	return names
}

// load reads the file, with the inputs in memory.
func (in *Input) load(ctx context.Context) (*Part, error) {
	p, err := table(ctx, []*Input{in})
	if err == nil {
		all := transforms.Span(0, p.Y.Rows)
		p.X, _ = transforms.Gather(p.Take(all, p.Y, false), all)
	}
	return p, err
}

// A matFile is a MAT-file of version 5.
type matFile struct{ bytes.Buffer }

// newMatFile returns a file that has its header.
func newMatFile() *matFile {
	w := new(matFile)
	w.WriteString(strings.Repeat(" ", 124) + "\x00\x01IM")
	return w
}

// matPart returns an element.
func matPart(kind uint32, data []byte) []byte {
	b := binary.LittleEndian.AppendUint32(nil, kind)
	b = binary.LittleEndian.AppendUint32(b, uint32(len(data)))
	return append(append(b, data...), make([]byte, (8-len(data)%8)%8)...)
}

// Matrix returns an array whose numbers are stored as the given type.
func (w *matFile) Matrix(name string, class, kind uint32, dims []int32, values []float64) []byte {
	var data []byte
	for _, v := range values {
		switch kind {
		case 2:
			data = append(data, byte(v))
		case 7:
			data = binary.LittleEndian.AppendUint32(data, math.Float32bits(float32(v)))
		case 9:
			data = binary.LittleEndian.AppendUint64(data, math.Float64bits(v))
		case 12:
			data = binary.LittleEndian.AppendUint64(data, uint64(int64(v)))
		default:
			panic("no such type")
		}
	}
	sizes, _ := binary.Append(nil, binary.LittleEndian, dims)
	flags, _ := binary.Append(nil, binary.LittleEndian, []uint32{class, 0})
	return matPart(14, slices.Concat(matPart(6, flags), matPart(5, sizes), matPart(1, []byte(name)), matPart(kind, data)))
}

// Compressed returns an element that holds another.
func (w *matFile) Compressed(element []byte) []byte {
	var b bytes.Buffer
	z := zlib.NewWriter(&b)
	z.Write(element)
	z.Close()
	head, _ := binary.Append(nil, binary.LittleEndian, []uint32{15, uint32(b.Len())})
	return append(head, b.Bytes()...)
}
