package datasets

import (
	"context"

	"repro/algos/compute"
	"repro/datasets/formats"
	"repro/datasets/transforms"
)

// digits are images of handwritten digits, a byte a pixel.
type digits struct {
	pixels []byte // transforms.DigitPixels an image
	labels []byte
}

func (d *digits) image(i int) []byte {
	return d.pixels[i*transforms.DigitPixels:][:transforms.DigitPixels]
}

// loadDigits reads a file of images and its file of labels.
func loadDigits(ctx context.Context, images, labels *input) (*digits, []File, error) {
	d := new(digits)
	n := images.remote.Rows
	files := make([]File, 2)
	for i, part := range []struct {
		in   *input
		to   *[]byte
		want []int
	}{{images, &d.pixels, []int{n, transforms.DigitSide, transforms.DigitSide}}, {labels, &d.labels, []int{n}}} {
		sha, err := part.in.content(ctx, func(c *formats.Content) (err error) {
			*part.to, err = formats.ReadIdx(c, part.in.path, part.want...)
			return err
		})
		if err != nil {
			return nil, nil, err
		}
		files[i] = File{Name: part.in.remote.Name, SHA256: sha, Rows: n}
	}
	for i, l := range d.labels {
		if l > 9 {
			return nil, nil, formats.Faultf(formats.ErrFormat, "%s: label %d is %d, a digit expected", labels.path, i+1, l)
		}
	}
	return d, files, nil
}

// loadImages reads files of images, each with the file of labels beside it, into one table.
func loadImages(ctx context.Context, files []*input) (*table, error) {
	all := new(digits)
	var read []File
	for _, in := range files {
		d, of, err := loadDigits(ctx, in, in.beside)
		if err != nil {
			return nil, err
		}
		all.pixels, all.labels = append(all.pixels, d.pixels...), append(all.labels, d.labels...)
		read = append(read, of...)
	}
	t := all.table()
	t.files = read
	return t, nil
}

// table returns the images as rows of pixels in [0, 1].
func (d *digits) table() *table {
	t := &table{x: compute.NewMatrix(len(d.labels), transforms.DigitPixels), y: compute.NewMatrix(len(d.labels), 1)}
	for i, l := range d.labels {
		transforms.Shade(t.x.Row(i), d.image(i))
		t.y.Data[i] = float64(l)
	}
	return t
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
