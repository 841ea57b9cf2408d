package sources

import (
	"archive/tar"
	"context"
	"crypto/sha1"
	"fmt"
	"io"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"repro/algos/compute"
	"repro/datasets"
	"repro/datasets/formats"
)

// cifarRecord is the length of a row of CIFAR-10's binary version: the label and the planes.
const cifarRecord = 1 + pictureBytes

var (
	_ = register(cifarSource("cifar10-images", "CIFAR-10: ten kinds of things, 32 by 32 grey pixels in [0, 1]", greyNote, greys))
	_ = register(cifarSource("cifar10-colours", "CIFAR-10: ten kinds of things, 32 by 32 pixels in [0, 1], red, green and blue",
		"inputs are the red pixels, the green ones and the blue ones", colours))
)

// A shading makes dims numbers, the inputs of a row, of a picture: bytes of its planes.
type shading struct {
	dims  int
	shade func(x []float64, picture []byte)
}

var (
	greys   = shading{picturePixels, func(x []float64, picture []byte) { shadePicture(x, picture, false) }}
	colours = shading{pictureBytes, shade}
)

// cifarSource returns CIFAR-10 with the inputs that s makes of its pictures.
func cifarSource(name, title, note string, s shading) datasets.Source {
	return datasets.Source{
		Name:     name,
		Title:    title,
		Licence:  "none stated at its source; citation of the technical report is asked for",
		Citation: "Krizhevsky, Learning multiple layers of features from tiny images, technical report, University of Toronto, 2009",
		Notes:    note + "; the six files of the archive, data_batch_1.bin to data_batch_5.bin and test_batch.bin, will do: records and verdicts say which of them are not the original by their sha1",
		Task:     "multiclass", Dims: s.dims, Rows: 50_000, TestRows: 10_000,
		Files: []datasets.RemoteFile{{
			Name:  "cifar-10-binary.tar.gz",
			URLs:  []string{"https://www.cs.toronto.edu/~kriz/cifar-10-binary.tar.gz"},
			Bytes: 170_052_171, Rows: 60_000, Packed: true,
			SHA256: "c4a38c50a1bc5f3a1c5537f2155ab9d68f9f25eb1ed8d9ddda3db29a59bca1dd",
			MD5:    "c32a1d4ab5d03f1284b67883e8d87530",
		}},
		Format: "tar", Home: "cifar10-images", Load: s.loadCIFAR,
		Others: []datasets.Form{{Format: "cifar", Training: cifarBatches, Files: cifarFiles(), Load: s.loadCIFAR}},
	}
}

// batchSums are the SHA-1 of the members of the archive, as MXNet records them.
var batchSums = map[string]string{
	"data_batch_1.bin": "aadd24acce27caa71bf4b10992e9e7b2d74c2540",
	"data_batch_2.bin": "c0ba65cce70568cd57b4e03e9ac8d2a5367c1795",
	"data_batch_3.bin": "1dd00a74ab1d17a6e7d73e185b69dbf31242f295",
	"data_batch_4.bin": "aab85764eb3584312d3c7f65fd2fd016e36a258e",
	"data_batch_5.bin": "26e2849e66a845b7f1e4614ae70f4889ae604628",
	"test_batch.bin":   "67eb016db431130d61cd03c7ad570b013799c88c",
}

// cifarBatches is the number of files with training rows.
const cifarBatches = 5

// cifarFiles are the members of the archive that have rows, those to train on first.
func cifarFiles() (files []datasets.RemoteFile) {
	for i := range cifarBatches {
		files = append(files, datasets.RemoteFile{Name: fmt.Sprintf("data_batch_%d.bin", i+1)})
	}
	return append(files, datasets.RemoteFile{Name: "test_batch.bin"})
}

// loadCIFAR reads the archive, or the files that were in it.
func (s shading) loadCIFAR(ctx context.Context, files []*datasets.Input, o datasets.Options) (train, test *datasets.Part, err error) {
	var read []datasets.File
	batches := map[string][]byte{}
	for _, in := range files {
		sha, err := in.Content(ctx, func(c *formats.Content) (err error) {
			if in.Format == "tar" {
				return unpackCIFAR(c, in.Path, batches)
			}
			batches[in.Remote.Name], err = readBatch(c, in.Path, c.Most())
			return err
		})
		if err != nil {
			return nil, nil, err
		}
		f := datasets.File{Name: in.Remote.Name, SHA256: sha, Rows: len(batches[in.Remote.Name]) / cifarRecord}
		if want := batchSums[f.Name]; want != "" {
			if sum := fmt.Sprintf("%x", sha1.Sum(batches[f.Name])); sum != want {
				f.Differs = "has the sha1 " + sum + ", not " + want
			}
		}
		read = append(read, f)
	}
	names := cifarFiles()
	training := names[:cifarBatches]
	if o.Stream {
		training = names
	}
	if train, err = s.tableOfBatches(files[0].Path, training, batches); err != nil {
		return nil, nil, err
	}
	train.Files = read
	if o.Stream {
		if files[0].Format == "tar" {
			train.Files[0].Rows = train.X.Rows
		}
		return train, nil, nil
	}
	if files[0].Format != "tar" && len(files) <= cifarBatches {
		return train, nil, nil
	}
	test, err = s.tableOfBatches(files[len(files)-1].Path, names[cifarBatches:], batches)
	if files[0].Format == "tar" && err == nil {
		train.Files[0].Rows = train.X.Rows + test.X.Rows
	}
	return train, test, err
}

// unpackCIFAR reads the members of the archive that have rows. Nothing is written to the disk, so that no name of a member
// leads anywhere; one that points out of the archive is refused all the same.
func unpackCIFAR(c *formats.Content, file string, batches map[string][]byte) error {
	archive := tar.NewReader(c)
	for {
		h, err := archive.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return formats.Faultf(formats.ErrFormat, "%s: in the archive %w", file, formats.Broken(err))
		}
		if !filepath.IsLocal(h.Name) {
			return formats.Faultf(formats.ErrFormat, "%s: the archive has a member %q, outside of its folder: get the file again", file, h.Name)
		}
		name := path.Base(h.Name)
		for _, f := range cifarFiles() {
			if f.Name != name {
				continue
			}
			if batches[name] != nil || h.Typeflag != tar.TypeReg || sparse(h) {
				return formats.Faultf(formats.ErrFormat, "%s: %s is there twice, or is not a plain file: get the file again", file, h.Name)
			}
			if batches[name], err = readBatch(archive, file+": "+name, min(h.Size, c.Most())); err != nil {
				return err
			}
		}
	}
}

// sparse reports whether a member states holes, which take memory and no room in the archive.
func sparse(h *tar.Header) bool {
	for key := range h.PAXRecords {
		if strings.HasPrefix(key, "GNU.sparse.") {
			return true
		}
	}
	return false
}

// readBatch reads a file of rows, of at most most bytes.
func readBatch(r io.Reader, file string, most int64) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, most+1))
	switch {
	case err != nil:
		return nil, formats.Faultf(formats.ErrFormat, "%s: %w", file, formats.Broken(err))
	case len(data) == 0 || len(data)%cifarRecord != 0 || int64(len(data)) > most:
		return nil, formats.Faultf(formats.ErrFormat, "%s: %d bytes are not rows of a label and %d bytes: get the file again", file, len(data), pictureBytes)
	}
	return data, nil
}

// tableOfBatches makes a table of the rows of some files.
func (s shading) tableOfBatches(file string, names []datasets.RemoteFile, batches map[string][]byte) (*datasets.Part, error) {
	n := 0
	for _, f := range names {
		if batches[f.Name] == nil {
			return nil, formats.Faultf(formats.ErrFormat, "%s: there is no %s in it: get the file again", file, f.Name)
		}
		n += len(batches[f.Name]) / cifarRecord
	}
	p := &datasets.Part{X: compute.NewMatrix(n, s.dims), Y: compute.NewMatrix(n, 1)}
	i := 0
	for _, f := range names {
		for row := range slices.Chunk(batches[f.Name], cifarRecord) {
			if row[0] > 9 {
				return nil, formats.Faultf(formats.ErrFormat, "%s: %s: a label is %d, 0 to 9 expected", file, f.Name, row[0])
			}
			p.Y.Data[i] = float64(row[0])
			s.shade(p.X.Row(i), row[1:])
			i++
		}
	}
	return p, nil
}

// The server of SVHN has no https; checksums say whether the files are right.
var _ = register(datasets.Source{
	Name:     "svhn",
	Title:    "SVHN: house numbers' digits, cropped, 32 by 32 grey pixels in [0, 1]",
	Licence:  "for non-commercial use, as its page says",
	Citation: "Netzer, Wang, Coates, Bissacco, Wu & Ng, Reading digits in natural images with unsupervised feature learning, NIPS Workshop, 2011",
	Notes: greyNote + "; the label of the digit 0 is 10 in the files and here; grey pixels as arrays or LIBSVM text, as of a source that " +
		"you bring, will do, as a substitute",
	Task: "multiclass", Dims: picturePixels, Rows: 73_257, TestRows: 26_032,
	Files: []datasets.RemoteFile{{
		Name: "train_32x32.mat", URLs: []string{"http://ufldl.stanford.edu/housenumbers/train_32x32.mat"},
		Bytes: 182_040_794, Rows: 73_257,
		SHA256: "435e94d69a87fde4fd4d7f3dd208dfc32cb6ae8af2240d066de1df7508d083b8",
		MD5:    "e26dedcc434d2e4c54c9b2d4a06d8373",
	}, {
		Name: "test_32x32.mat", URLs: []string{"http://ufldl.stanford.edu/housenumbers/test_32x32.mat"},
		Bytes: 64_275_384, Rows: 26_032,
		SHA256: "cdce80dfb2a2c4c6160906d0bd7c68ec5a99d7ca4831afa54f09182025b6a75b",
		MD5:    "eb5a983be6a315427106f1b164d9cef3",
	}},
	Format:     "mat",
	Others:     broughtForms(false, true),
	Substitute: "grey pixels that the user brought, in place of the files of SVHN",
	Load:       loadSVHN,
})

// loadSVHN reads train_32x32.mat and test_32x32.mat: X, 32 × 32 × 3 × n bytes, and y, n labels from 1 to 10.
func loadSVHN(ctx context.Context, files []*datasets.Input, o datasets.Options) (train, test *datasets.Part, err error) {
	if train, err = pictures(ctx, files[0]); err != nil || len(files) == 1 {
		return train, nil, err
	}
	test, err = pictures(ctx, files[1])
	if err == nil && o.Stream {
		train.Append(test)
		test = nil
	}
	return train, test, err
}

// pictures reads one of the files. The bytes of X are not kept.
func pictures(ctx context.Context, in *datasets.Input) (*datasets.Part, error) {
	p := new(datasets.Part)
	sha, err := in.Content(ctx, func(c *formats.Content) error {
		arrays, err := formats.ReadMat(c, in.Path, in.Bound(), map[string]formats.MatVisitor{"X": func(dims []int, r io.Reader) error {
			return shadePictures(ctx, p, dims, r)
		}}, "y")
		if err != nil {
			return err
		}
		return labelPictures(p, in.Path, arrays["y"])
	})
	if err != nil {
		return nil, err
	}
	p.Files = []datasets.File{{Name: in.Remote.Name, SHA256: sha, Rows: p.X.Rows}}
	return p, nil
}

// shadePictures makes rows of pictures, of which the file has one after the other.
func shadePictures(ctx context.Context, p *datasets.Part, dims []int, r io.Reader) error {
	if len(dims) == 3 {
		dims = append(dims, 1)
	}
	if len(dims) != 4 || dims[0] != pictureSide || dims[1] != pictureSide || dims[2] != 3 || dims[3] < 1 {
		return fmt.Errorf("its dimensions are %v, 32 × 32 × 3 × pictures expected", dims)
	}
	const ahead = 1 << 7 // pictures that are believed in before they are there
	picture := make([]byte, pictureBytes)
	for i := range dims[3] {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if _, err := io.ReadFull(r, picture); err != nil {
			return formats.ErrMatEnds
		}
		if i >= p.X.Rows {
			more := compute.NewMatrix(min(dims[3], max(ahead, 2*i)), picturePixels)
			copy(more.Data, p.X.Data)
			p.X = more
		}
		shadePicture(p.X.Row(i), picture, true)
	}
	return nil
}

// labelPictures gives the pictures of a file their labels.
func labelPictures(p *datasets.Part, path string, y formats.MatArray) error {
	n := p.X.Rows
	if !y.Is(n, 1) && !y.Is(1, n) {
		return formats.Faultf(formats.ErrFormat, "%s: array y has dimensions %v: a label for each of the %d pictures expected", path, y.Dims, n)
	}
	for i, v := range y.Data {
		if v != float64(int(v)) || v < 1 || v > 10 {
			return formats.Faultf(formats.ErrFormat, "%s: label %d is %v, 1 to 10 expected", path, i+1, v)
		}
	}
	p.Y = compute.Matrix{Rows: n, Cols: 1, Stride: 1, Data: y.Data}
	return nil
}

// An image of a handwritten digit has digitSide rows of digitSide pixels.
const (
	digitSide   = 28
	digitPixels = digitSide * digitSide
)

// shades are the values k/255 of the bytes k of pixels.
var shades = func() (s [256]float64) {
	for k := range s {
		s[k] = float64(k) / 255
	}
	return s
}()

// shade writes the values of pixels, in [0, 1], to x.
func shade(x []float64, pixels []byte) {
	for j, p := range pixels {
		x[j] = shades[p]
	}
}

// Colour pictures of 32 by 32 pixels, three planes of bytes a picture.
const (
	pictureSide   = 32
	picturePixels = pictureSide * pictureSide
	pictureBytes  = 3 * picturePixels
)

// greyNote says how colour pictures became grey.
const greyNote = "grey is 0.2989 red + 0.5870 green + 0.1140 blue, unrounded, over 255"

// grey are the shares of red, green and blue in the grey of a picture, as in rgb2gray of MATLAB and ITU-R BT.601.
var grey = [3]float64{0.2989, 0.5870, 0.1140}

// shadePicture writes the grey values of a picture, in [0, 1] and row by row, to x. Its planes are red, green and
// blue; turned says that they are column by column.
func shadePicture(x []float64, picture []byte, turned bool) {
	for i := range x {
		at := i
		if turned {
			at = i%pictureSide*pictureSide + i/pictureSide
		}
		v := 0.0
		for c, share := range grey {
			v += float64(share * float64(picture[c*picturePixels+at]))
		}
		x[i] = v / 255
	}
}
