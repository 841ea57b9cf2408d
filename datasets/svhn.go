package datasets

import (
	"context"
	"fmt"
	"io"

	"repro/algos/compute"
	"repro/datasets/formats"
	"repro/datasets/transforms"
)

// The server of SVHN has no https; checksums say whether the files are right.
var _ = register(&Source{
	Name:     "svhn",
	Title:    "SVHN: house numbers' digits, cropped, 32 by 32 grey pixels in [0, 1]",
	Licence:  "for non-commercial use, as its page says",
	Citation: "Netzer, Wang, Coates, Bissacco, Wu & Ng, Reading digits in natural images with unsupervised feature learning, NIPS Workshop, 2011",
	Notes: greyNote + "; the label of the digit 0 is 10 in the files and here; grey pixels as arrays or LIBSVM text, as of a source that " +
		"you bring, will do, as a substitute",
	Task:     taskMulticlass,
	Dims:     transforms.PicturePixels,
	Rows:     73_257,
	TestRows: 26_032,
	Files: []RemoteFile{{
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
	others:     broughtForms,
	Substitute: "grey pixels that the user brought, in place of the files of SVHN",
	read:       readSVHN,
})

// readSVHN reads train_32x32.mat and test_32x32.mat: X, 32 × 32 × 3 × n bytes, and y, n labels from 1 to 10.
func readSVHN(ctx context.Context, files []*input, stream bool) (train, test *table, err error) {
	if train, err = pictures(ctx, files[0]); err != nil || len(files) == 1 {
		return train, nil, err
	}
	test, err = pictures(ctx, files[1])
	if err == nil && stream {
		train.append(test)
		test = nil
	}
	return train, test, err
}

// pictures reads one of the files. The bytes of X are not kept.
func pictures(ctx context.Context, in *input) (*table, error) {
	t := new(table)
	sha, err := in.content(ctx, func(c *formats.Content) error {
		arrays, err := formats.StreamMat(c, in.path, in.bound(), map[string]formats.MatVisitor{"X": func(dims []int, r io.Reader) error {
			return t.shadePictures(ctx, dims, r)
		}}, "y")
		if err != nil {
			return err
		}
		return t.label(in.path, arrays["y"])
	})
	if err != nil {
		return nil, err
	}
	t.files = []File{{Name: in.remote.Name, SHA256: sha, Rows: t.x.Rows}}
	return t, nil
}

// shadePictures makes rows of pictures, of which the file has one after the other.
func (t *table) shadePictures(ctx context.Context, dims []int, r io.Reader) error {
	if len(dims) == 3 {
		dims = append(dims, 1)
	}
	if len(dims) != 4 || dims[0] != transforms.PictureSide || dims[1] != transforms.PictureSide || dims[2] != 3 || dims[3] < 1 {
		return fmt.Errorf("its dimensions are %v, 32 × 32 × 3 × pictures expected", dims)
	}
	const ahead = 1 << 7 // pictures that are believed in before they are there
	picture := make([]byte, transforms.PictureBytes)
	for i := range dims[3] {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if _, err := io.ReadFull(r, picture); err != nil {
			return formats.ErrMatEnds
		}
		if i >= t.x.Rows {
			more := compute.NewMatrix(min(dims[3], max(ahead, 2*i)), transforms.PicturePixels)
			copy(more.Data, t.x.Data)
			t.x = more
		}
		transforms.ShadePicture(t.x.Row(i), picture, true)
	}
	return nil
}

// label gives the pictures of a file their labels.
func (t *table) label(path string, y formats.MatArray) error {
	n := t.x.Rows
	if !y.Is(n, 1) && !y.Is(1, n) {
		return formats.Faultf(formats.ErrFormat, "%s: array y has dimensions %v: a label for each of the %d pictures expected", path, y.Dims, n)
	}
	for i, v := range y.Data {
		if v != float64(int(v)) || v < 1 || v > 10 {
			return formats.Faultf(formats.ErrFormat, "%s: label %d is %v, 1 to 10 expected", path, i+1, v)
		}
	}
	t.y = compute.Matrix{Rows: n, Cols: 1, Stride: 1, Data: y.Data}
	return nil
}
