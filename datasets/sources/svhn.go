package sources

import (
	"context"
	"fmt"
	"io"

	"repro/algos/compute"
	"repro/datasets"
	"repro/datasets/formats"
)

// The server of SVHN has no https; checksums say whether the files are right.
var _ = register(datasets.Source{
	Name:     "svhn",
	Title:    "SVHN: house numbers' digits, cropped, 32 by 32 grey pixels in [0, 1]",
	Licence:  "for non-commercial use, as its page says",
	Citation: "Netzer, Wang, Coates, Bissacco, Wu & Ng, Reading digits in natural images with unsupervised feature learning, NIPS Workshop, 2011",
	Notes: greyNote + "; the label of the digit 0 is 10 in the files and here; grey pixels as arrays or LIBSVM text, as of a source that " +
		"you bring, will do, as a substitute",
	Task:     "multiclass",
	Dims:     picturePixels,
	Rows:     73_257,
	TestRows: 26_032,
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
		arrays, err := formats.StreamMat(c, in.Path, in.Bound(), map[string]formats.MatVisitor{"X": func(dims []int, r io.Reader) error {
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
