package datasets

import (
	"archive/tar"
	"context"
	"fmt"
	"io"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"repro/algos/compute"
	"repro/datasets/formats"
	"repro/datasets/transforms"
)

// greyNote says how colour pictures became grey.
const greyNote = "grey is 0.2989 red + 0.5870 green + 0.1140 blue, unrounded, over 255"

// cifarRecord is the length of a row of CIFAR-10's binary version: the label and the planes.
const cifarRecord = 1 + transforms.PictureBytes

var (
	_ = register(cifarSource("cifar10-images", "CIFAR-10: ten kinds of things, 32 by 32 grey pixels in [0, 1]", greyNote, grey))
	_ = register(cifarSource("cifar10-colours", "CIFAR-10: ten kinds of things, 32 by 32 pixels in [0, 1], red, green and blue",
		"inputs are the red pixels, the green ones and the blue ones", colours))
)

// A shading makes dims numbers, the inputs of a row, of a picture: bytes of its planes.
type shading struct {
	dims  int
	shade func(x []float64, picture []byte)
}

var (
	grey    = shading{transforms.PicturePixels, func(x []float64, picture []byte) { transforms.ShadePicture(x, picture, false) }}
	colours = shading{transforms.PictureBytes, transforms.Shade}
)

// cifarSource returns CIFAR-10 with the inputs that s makes of its pictures.
func cifarSource(name, title, note string, s shading) *Source {
	return &Source{
		Name:     name,
		Title:    title,
		Licence:  "none stated at its source; citation of the technical report is asked for",
		Citation: "Krizhevsky, Learning multiple layers of features from tiny images, technical report, University of Toronto, 2009",
		Notes:    note + "; the six files of the archive, data_batch_1.bin to data_batch_5.bin and test_batch.bin, will do, unverified",
		Task:     taskMulticlass,
		Dims:     s.dims,
		Rows:     50_000,
		TestRows: 10_000,
		Files: []RemoteFile{{
			Name:  "cifar-10-binary.tar.gz",
			URLs:  []string{"https://www.cs.toronto.edu/~kriz/cifar-10-binary.tar.gz"},
			Bytes: 170_052_171, Rows: 60_000, Packed: true,
			SHA256: "c4a38c50a1bc5f3a1c5537f2155ab9d68f9f25eb1ed8d9ddda3db29a59bca1dd",
			MD5:    "c32a1d4ab5d03f1284b67883e8d87530",
		}},
		Format: "tar",
		home:   "cifar10-images",
		others: []form{{format: "cifar", training: cifarBatches, files: cifarFiles()}},
		read:   s.readCIFAR,
	}
}

// cifarBatches is the number of files with training rows.
const cifarBatches = 5

// cifarFiles are the members of the archive that have rows, those to train on first.
func cifarFiles() (files []RemoteFile) {
	for i := range cifarBatches {
		files = append(files, RemoteFile{Name: fmt.Sprintf("data_batch_%d.bin", i+1)})
	}
	return append(files, RemoteFile{Name: "test_batch.bin"})
}

// readCIFAR reads the archive, or the files that were in it.
func (s shading) readCIFAR(ctx context.Context, files []*input, stream bool) (train, test *table, err error) {
	var read []File
	batches := map[string][]byte{}
	for _, in := range files {
		sha, err := in.content(ctx, func(c *formats.Content) (err error) {
			if in.format == "tar" {
				return unpackCIFAR(c, in.path, batches)
			}
			batches[in.remote.Name], err = readBatch(c, in.path, c.Most())
			return err
		})
		if err != nil {
			return nil, nil, err
		}
		read = append(read, File{Name: in.remote.Name, SHA256: sha, Rows: len(batches[in.remote.Name]) / cifarRecord})
	}
	names := cifarFiles()
	training := names[:cifarBatches]
	if stream {
		training = names
	}
	if train, err = s.tableOfBatches(files[0].path, training, batches); err != nil {
		return nil, nil, err
	}
	train.files = read
	if stream {
		if files[0].format == "tar" {
			train.files[0].Rows = train.x.Rows
		}
		return train, nil, nil
	}
	if files[0].format != "tar" && len(files) <= cifarBatches {
		return train, nil, nil
	}
	test, err = s.tableOfBatches(files[len(files)-1].path, names[cifarBatches:], batches)
	if files[0].format == "tar" && err == nil {
		train.files[0].Rows = train.x.Rows + test.x.Rows
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
		return nil, formats.Faultf(formats.ErrFormat, "%s: %d bytes are not rows of a label and %d bytes: get the file again", file, len(data), transforms.PictureBytes)
	}
	return data, nil
}

// tableOfBatches makes a table of the rows of some files.
func (s shading) tableOfBatches(file string, names []RemoteFile, batches map[string][]byte) (*table, error) {
	n := 0
	for _, f := range names {
		if batches[f.Name] == nil {
			return nil, formats.Faultf(formats.ErrFormat, "%s: there is no %s in it: get the file again", file, f.Name)
		}
		n += len(batches[f.Name]) / cifarRecord
	}
	t := &table{x: compute.NewMatrix(n, s.dims), y: compute.NewMatrix(n, 1)}
	i := 0
	for _, f := range names {
		for row := range slices.Chunk(batches[f.Name], cifarRecord) {
			if row[0] > 9 {
				return nil, formats.Faultf(formats.ErrFormat, "%s: %s: a label is %d, 0 to 9 expected", file, f.Name, row[0])
			}
			t.y.Data[i] = float64(row[0])
			s.shade(t.x.Row(i), row[1:])
			i++
		}
	}
	return t, nil
}
