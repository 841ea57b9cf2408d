package sources

import (
	"bytes"
	"context"
	"math"
	"slices"

	"repro/algos/compute"
	"repro/algos/compute/exact"
	"repro/datasets"
	"repro/datasets/formats"
	"repro/datasets/transforms"
)

// mnistFile is one of the MNIST files, which left their first home.
func mnistFile(name string, bytes int64, rows int, sha, md string) datasets.RemoteFile {
	return datasets.RemoteFile{
		Name: name,
		URLs: []string{
			"https://ossci-datasets.s3.amazonaws.com/mnist/" + name,
			"https://storage.googleapis.com/cvdf-datasets/mnist/" + name,
		},
		Bytes: bytes, Rows: rows, SHA256: sha, MD5: md,
	}
}

var mnistFiles = []datasets.RemoteFile{
	mnistFile("train-images-idx3-ubyte.gz", 9912422, 60000,
		"ba891046e6505d7aadcbbe25680a0738ad16aec93bde7f9b65e87a2fc25776db", "6bbc9ace898e44ae57da46a324031adb"),
	mnistFile("train-labels-idx1-ubyte.gz", 28881, 60000,
		"65a50cbbf4e906d70832878ad85ccda5333a97f0f4c3dd2ef09a8a9eef7101c5", "a25bea736e30d166cdddb491f175f624"),
	mnistFile("t10k-images-idx3-ubyte.gz", 1648877, 10000,
		"0fa7898d509279e482958e8ce81c8e77db3f2f8254e26661ceb7762c4d494ce7", "2646ac647ad5339dbf082846283269ea"),
	mnistFile("t10k-labels-idx1-ubyte.gz", 4542, 10000,
		"ff7bcfd416de33731a308c3f266cc351222c34898ecbeaf847f06e48f7ec33f2", "27ae3e4e09519cfbb04c329615203637"),
}

var mnistCounts = [2][]int{
	{5923, 6742, 5958, 6131, 5842, 5421, 5918, 6265, 5851, 5949},
	{980, 1135, 1032, 1010, 982, 892, 958, 1028, 974, 1009},
}

const (
	mnistLicence  = "none stated at its source; usually given as CC BY-SA 3.0"
	mnistCitation = "LeCun, Bottou, Bengio & Haffner, Gradient-based learning applied to document recognition, Proc. IEEE 86:2278-2324, 1998"

	// mnist8mCitation is that of the virtual examples too.
	mnist8mCitation = mnistCitation + "; Loosli, Canu & Bottou, Training invariant support vector machines using selective sampling, in Large-Scale Kernel Machines, 2007"
)

var _ = register(datasets.Source{
	Name:     "mnist",
	Title:    "handwritten digits, 28 by 28 pixels in [0, 1]",
	Licence:  mnistLicence,
	Citation: mnistCitation,
	Notes:    "ten classes; for a binary task set classes to the two to compare",
	Task:     "multiclass", Dims: digitPixels, Rows: 60000, TestRows: 10000,
	Files:  mnistFiles,
	Format: "idx", Training: 2, Load: loadMNIST,
	Counts: mnistCounts,
})

// mnist8mCopies are the copies of each image in MNIST8M: 134 virtual ones besides the image itself, 8.1 million rows of all
// ten classes.
const mnist8mCopies = 135

var (
	_ = register(madeOfMNIST(datasets.Source{
		Name:  "mnist8m-8v6",
		Title: "MNIST8M, 8 against 6: virtual examples made from MNIST in its manner",
		Notes: "stands in for MNIST8M: every training 8 and 6 of MNIST itself and in 134 deformed and shifted copies, which are made " +
			"when they are used (data.seed decides them, in_memory keeps them); the test rows are the 8s and 6s of MNIST's test set",
		Task: "binary", Rows: mnist8mCopies * (5851 + 5918), TestRows: 974 + 958,
	}, 8, 6))
	_ = register(madeOfMNIST(datasets.Source{
		Name:  "mnist8m-made",
		Title: "MNIST8M: ten digits with virtual examples made from MNIST in its manner",
		Notes: "stands in for MNIST8M: every training image of MNIST itself and in 134 deformed and shifted copies, which are made " +
			"when they are used (data.seed decides them, in_memory keeps them); the test rows are those of MNIST",
		Task: "multiclass", Rows: mnist8mCopies * 60_000, TestRows: 10_000,
		Counts: [2][]int{timesEach(mnistCounts[0], mnist8mCopies), mnistCounts[1]},
	}))
)

// madeOfMNIST completes a source of virtual examples, of all classes of MNIST or of two, the first of which is 1 and the second -1.
func madeOfMNIST(s datasets.Source, pair ...byte) datasets.Source {
	s.Licence, s.Citation = mnistLicence, mnist8mCitation
	s.Dims, s.Files, s.Format, s.Training, s.Home = digitPixels, mnistFiles, "idx", 2, "mnist"
	s.Substitute = "the virtual examples are made here from MNIST, by deformations in the manner of Loosli, Canu & Bottou (2007), " +
		"and are not the rows of MNIST8M"
	s.Copies = &datasets.Copies{
		Change: "images deformed by smooth random fields and shifted by up to two pixels, version 1", Train: mnist8mCopies, Test: 1,
	}
	s.Load = func(ctx context.Context, files []*datasets.Input, o datasets.Options) (train, test *datasets.Part, err error) {
		sets, err := readDigits(ctx, files)
		if err != nil {
			return nil, nil, err
		}
		train, test = s.Copies.Of(unitsOf(sets, pair, o.Seed))
		return train, test, nil
	}
	return s
}

// timesEach multiplies all counts.
func timesEach(counts []int, by int) []int {
	all := slices.Clone(counts)
	for i := range all {
		all[i] *= by
	}
	return all
}

// unitsOf returns the images of a training set and, if it is there, a test set, with their classes as targets, or those of a
// pair, the first of which is 1 and the second -1.
func unitsOf(sets []*digits, pair []byte, seed uint64) (u datasets.Units) {
	all := new(digits)
	for i, d := range sets {
		if len(pair) > 0 {
			d = d.of(pair)
		}
		units := transforms.Span(len(all.labels), len(all.labels)+len(d.labels))
		if i == 0 {
			u.Train = units
		} else {
			u.Test = units
		}
		all.append(d)
	}
	u.Files, u.Y = all.files, compute.NewMatrix(len(all.labels), 1)
	for i, l := range all.labels {
		switch {
		case len(pair) == 0:
			u.Y.Data[i] = float64(l)
		case l == pair[0]:
			u.Y.Data[i] = 1
		default:
			u.Y.Data[i] = -1
		}
	}
	u.Maker = func([]int) transforms.Maker { return newDeformer(all.pixels, seed) }
	return u
}

// loadMNIST loads the images as rows of pixels in [0, 1].
func loadMNIST(ctx context.Context, files []*datasets.Input, o datasets.Options) (train, test *datasets.Part, err error) {
	sets, err := readDigits(ctx, files)
	if err != nil {
		return nil, nil, err
	}
	if len(sets) == 1 {
		return sets[0].part(), nil, nil
	}
	if o.Stream {
		sets[0].append(sets[1])
		return sets[0].part(), nil, nil
	}
	return sets[0].part(), sets[1].part(), nil
}

// digits are images of handwritten digits, a byte a pixel.
type digits struct {
	pixels []byte // digitPixels an image
	labels []byte
	files  []datasets.File // what was read
}

func (d *digits) image(i int) []byte { return d.pixels[i*digitPixels:][:digitPixels] }

// readDigits reads files of images, each followed by its file of labels.
func readDigits(ctx context.Context, files []*datasets.Input) (sets []*digits, err error) {
	for i := 0; i < len(files); i += 2 {
		images, labels := files[i], files[i+1]
		n := images.Remote.Rows
		d := new(digits)
		if d.pixels, err = d.read(ctx, images, n, digitSide, digitSide); err != nil {
			return nil, err
		}
		if d.labels, err = d.read(ctx, labels, n); err != nil {
			return nil, err
		}
		for i, l := range d.labels {
			if l > 9 {
				return nil, formats.Faultf(formats.ErrFormat, "%s: label %d is %d, a digit expected", labels.Path, i+1, l)
			}
		}
		sets = append(sets, d)
	}
	return sets, nil
}

// read reads a file of bytes with the given dimensions.
func (d *digits) read(ctx context.Context, in *datasets.Input, dims ...int) (data []byte, err error) {
	sha, err := in.Content(ctx, func(c *formats.Content) (err error) {
		data, err = formats.ReadIdx(c, in.Path, dims...)
		return err
	})
	d.files = append(d.files, datasets.File{Name: in.Remote.Name, SHA256: sha, Rows: dims[0]})
	return data, err
}

func (d *digits) append(e *digits) {
	d.pixels, d.labels, d.files = append(d.pixels, e.pixels...), append(d.labels, e.labels...), append(d.files, e.files...)
}

// part returns the images as rows of pixels in [0, 1].
func (d *digits) part() *datasets.Part {
	p := &datasets.Part{X: compute.NewMatrix(len(d.labels), digitPixels), Y: compute.NewMatrix(len(d.labels), 1), Files: d.files}
	for i, l := range d.labels {
		shade(p.X.Row(i), d.image(i))
		p.Y.Data[i] = float64(l)
	}
	return p
}

// of returns the images of the given classes, in their order.
func (d *digits) of(classes []byte) *digits {
	some := &digits{files: d.files}
	for i, l := range d.labels {
		if bytes.IndexByte(classes, l) >= 0 {
			some.pixels = append(some.pixels, d.image(i)...)
			some.labels = append(some.labels, l)
		}
	}
	return some
}

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
