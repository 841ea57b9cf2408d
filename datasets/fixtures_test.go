package datasets

import (
	"context"
	"fmt"
	"strconv"

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
