package sources

import (
	"math"

	"repro/algos/compute"
	"repro/algos/compute/exact"
)

// A deformer makes virtual examples of digits in the manner of Loosli, Canu & Bottou (Training
// invariant support vector machines using selective sampling, in Large-Scale Kernel Machines, 2007),
// who made MNIST8M: copy 0 is the image itself, every other copy
//
//	x'(r, c) = x(r + f_a(r, c) - p, c + f_b(r, c) - q),
//
// interpolated linearly between pixels and black outside the image, where f_a and f_b are smooth
// random fields (elastic deformation) and (p, q) is a shift by whole pixels.
//
// Departures: they add α(f_a·∂x/∂r + f_b·∂x/∂c) to the image, to first order the same thing, and
// thicken or thin the strokes besides; here the pixels are moved and the strokes keep their width.
//
// Like MNIST8M, copies are images of bytes. All is done in whole numbers, so a copy is the same bytes
// on every platform: a pure function of (seed, image, copy).
type deformer struct {
	padded  []byte // images with a black margin
	fields  [][]int16
	streams compute.Source
}

const (
	maxShift  = 2 // pixels
	maxField  = 4 // pixels; 4 standard deviations
	fieldBits = 8 // the unit of fields is 2⁻⁸ of a pixel
	fieldStep = 1 << fieldBits
	margin    = maxShift + maxField + 1
	padSide   = digitSide + 2*margin

	fieldCount = 256 // any of them may move rows, any columns
	fieldWidth = 4   // standard deviation of the smoothing, in pixels
)

// newDeformer prepares the random fields of a seed and the images, digitPixels bytes each.
func newDeformer(pixels []byte, seed uint64) *deformer {
	n := len(pixels) / digitPixels
	m := &deformer{padded: make([]byte, n*padSide*padSide), streams: compute.NewSource(seed, "data/deform")}
	for i := range n {
		to, image := m.padded[i*padSide*padSide:], pixels[i*digitPixels:]
		for r := range digitSide {
			copy(to[(r+margin)*padSide+margin:], image[r*digitSide:][:digitSide])
		}
	}
	weights := smoothing()
	for k := range fieldCount {
		m.fields = append(m.fields, randomField(compute.NewStream(seed, "data/field", uint64(k)), weights))
	}
	return m
}

// copyStream is the stream that decides copy k of unit u, however many units and copies there are.
func copyStream(s compute.Source, u, k int) *compute.Stream {
	return s.Stream(uint64(k)<<32 | uint64(u))
}

func (m *deformer) Inputs() int { return digitPixels }

// Put writes copy k of image u to x.
func (m *deformer) Put(u, k int, x []float64) {
	image := m.padded[u*padSide*padSide:][:padSide*padSide]
	if k == 0 {
		for r := range digitSide {
			shade(x[r*digitSide:][:digitSide], image[(r+margin)*padSide+margin:][:digitSide])
		}
		return
	}
	s := copyStream(m.streams, u, k)
	a, b := m.fields[s.IntN(fieldCount)], m.fields[s.IntN(fieldCount)]
	p, q := s.IntN(2*maxShift+1)-maxShift, s.IntN(2*maxShift+1)-maxShift
	warp(x, image, a, b, p, q)
}

// warp writes the image moved by fields a (rows) and b (columns) and shifted by p rows and q columns.
func warp(x []float64, image []byte, a, b []int16, p, q int) {
	x, a, b = x[:digitPixels], a[:digitPixels], b[:digitPixels]
	at := 0
	for r := range digitSide {
		row := (r + margin - p) * fieldStep
		col := (margin - q) * fieldStep
		for range digitSide {
			v, h := row+int(a[at]), col+int(b[at])
			px := image[(v>>fieldBits)*padSide+h>>fieldBits:][:padSide+2]
			v, h = v&(fieldStep-1), h&(fieldStep-1)
			top := int(px[0])*(fieldStep-h) + int(px[1])*h
			low := int(px[padSide])*(fieldStep-h) + int(px[padSide+1])*h
			mixed := top*(fieldStep-v) + low*v
			x[at] = shades[byte((mixed+fieldStep*fieldStep/2)>>(2*fieldBits))]
			at++
			col += fieldStep
		}
	}
}

// smoothing returns the weights of a Gaussian filter, cut off at three standard deviations, whose
// output on white noise has variance 1.
func smoothing() []float64 {
	const reach = 3 * fieldWidth
	w := make([]float64, 2*reach+1)
	sum := 0.0
	for i := range w {
		d := float64(i - reach)
		w[i] = exact.ExpNegative(d * d / (2 * fieldWidth * fieldWidth))
		sum += float64(w[i] * w[i])
	}
	for i := range w {
		w[i] /= math.Sqrt(sum)
	}
	return w
}

// randomField returns white noise smoothed along rows and columns: one displacement a pixel, with a
// standard deviation of one pixel, at most maxField.
func randomField(s *compute.Stream, w []float64) []int16 {
	side := digitSide + len(w) - 1
	rows := make([]float64, side*digitSide)
	noise := make([]float64, side)
	for r := range side {
		for c := range noise {
			noise[c] = s.Normal()
		}
		for c := range digitSide {
			for i, v := range w {
				rows[r*digitSide+c] += float64(v * noise[c+i])
			}
		}
	}
	field := make([]int16, digitPixels)
	for at := range field {
		sum := 0.0
		for i, v := range w {
			sum += float64(v * rows[at+i*digitSide])
		}
		field[at] = int16(math.RoundToEven(fieldStep * max(-maxField, min(sum, maxField))))
	}
	return field
}
