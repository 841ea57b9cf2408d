package datasets

import (
	"context"
	"encoding/binary"
	"io"

	"repro/algos/compute"
)

// The idx format of the MNIST files: two zero bytes, the type of the elements, the number of
// dimensions, each dimension as a big-endian 32-bit number, the elements in C order.
const idxByte = 0x08 // elements are unsigned bytes

// readIdx reads an array of bytes that must have the given dimensions. Nothing is allocated before
// the header is what it should be.
func readIdx(r io.Reader, path string, want ...int) ([]byte, error) {
	head := make([]byte, 4+4*len(want))
	if n, err := io.ReadFull(r, head); err != nil {
		return nil, faultf(ErrFormat, "%s: the file ends inside its header, after %d of %d bytes: get it again", path, n, len(head))
	}
	if head[0] != 0 || head[1] != 0 || head[2] != idxByte || int(head[3]) != len(want) {
		return nil, faultf(ErrFormat, "%s: this is not an idx file of bytes with %d dimensions: it begins with % x", path, len(want), head[:4])
	}
	size := 1
	for i, w := range want {
		if d := binary.BigEndian.Uint32(head[4+4*i:]); uint64(d) != uint64(w) {
			return nil, faultf(ErrFormat, "%s: dimension %d is %d, %d expected", path, i+1, d, w)
		}
		size *= w
	}
	data := make([]byte, size)
	if n, err := io.ReadFull(r, data); err != nil {
		return nil, faultf(ErrFormat, "%s: the data ends early or is damaged, after %d of %d elements: %w; get the file again", path, n, size, err)
	}
	if _, err := io.ReadFull(r, head[:1]); err != io.EOF {
		return nil, faultf(ErrFormat, "%s: there is data after the %d elements the header states", path, size)
	}
	return data, nil
}

// digits are images of handwritten digits, a byte a pixel.
type digits struct {
	pixels []byte // digitPixels an image
	labels []byte
}

const (
	digitSide   = 28
	digitPixels = digitSide * digitSide
)

func (d *digits) image(i int) []byte { return d.pixels[i*digitPixels:][:digitPixels] }

// loadDigits reads a file of images and its file of labels.
func loadDigits(ctx context.Context, images, labels *input) (*digits, []File, error) {
	d := new(digits)
	n := images.remote.Rows
	files := make([]File, 2)
	for i, part := range []struct {
		in   *input
		to   *[]byte
		want []int
	}{{images, &d.pixels, []int{n, digitSide, digitSide}}, {labels, &d.labels, []int{n}}} {
		sha, err := part.in.content(ctx, func(c *content) (err error) {
			*part.to, err = readIdx(c, part.in.path, part.want...)
			return err
		})
		if err != nil {
			return nil, nil, err
		}
		files[i] = File{Name: part.in.remote.Name, SHA256: sha, Rows: n}
	}
	for i, l := range d.labels {
		if l > 9 {
			return nil, nil, faultf(ErrFormat, "%s: label %d is %d, a digit expected", labels.path, i+1, l)
		}
	}
	return d, files, nil
}

// table returns the images as rows of pixels in [0, 1].
func (d *digits) table() *table {
	t := &table{x: compute.NewMatrix(len(d.labels), digitPixels), y: compute.NewMatrix(len(d.labels), 1)}
	for i, l := range d.labels {
		shade(t.x.Row(i), d.image(i))
		t.y.Data[i] = float64(l)
	}
	return t
}

// shades are the values of pixels: k/255.
var shades = func() (s [256]float64) {
	for k := range s {
		s[k] = float64(k) / 255
	}
	return s
}()

// shade writes the values of pixels to x.
func shade(x []float64, pixels []byte) {
	for j, p := range pixels {
		x[j] = shades[p]
	}
}

// of returns the images of the given classes, in their order.
func (d *digits) of(classes ...byte) *digits {
	some := new(digits)
	for i, l := range d.labels {
		for _, c := range classes {
			if l == c {
				some.pixels = append(some.pixels, d.image(i)...)
				some.labels = append(some.labels, l)
			}
		}
	}
	return some
}
