package datasets

import (
	"context"
	"math"
	"os"
	"slices"
	"sync"

	"repro/algos/compute"
	"repro/datasets/formats"
	"repro/datasets/transforms"
)

// Arrays returns the loader of pairs of NumPy arrays, features and then their labels. Features that are not compressed stay on
// the disk and are read when they are used. Bytes are pixels, from 0 to 1, if pixels is set.
func Arrays(pixels bool) Loader {
	return func(ctx context.Context, files []*Input, o Options) (train, test *Part, err error) {
		var parts []*stored
		for i := 0; i < len(files); i += 2 {
			a, err := loadArray(ctx, files[i], files[i+1], pixels)
			if err != nil {
				return nil, nil, err
			}
			if parts = append(parts, a.rows()); a.in != parts[0].in {
				return nil, nil, formats.Faultf(formats.ErrFormat, "%s: %d inputs, the training rows have %d", files[i].Path, a.in, parts[0].in)
			}
		}
		if len(parts) == 1 || o.Stream {
			return partOf(parts...), nil, nil
		}
		return partOf(parts[0]), partOf(parts[1]), nil
	}
}

// An array is rows of an array on the disk, or in memory if the file is compressed, with targets in memory.
type array struct {
	in    int
	y     compute.Matrix
	files []File

	x       compute.Matrix // in memory
	file    *os.File       // or on the disk
	start   int64
	kind    formats.NpyType
	buffers sync.Pool // of *[]byte
}

// rows is the stored form of an array.
func (a *array) rows() *stored {
	return &stored{in: a.in, y: a.y, files: a.files, read: func(first int, x compute.Matrix) error {
		if a.file == nil {
			x.CopyFrom(a.x.RowRange(first, first+x.Rows))
			return nil
		}
		buffer, _ := a.buffers.Get().(*[]byte)
		if buffer == nil {
			buffer = new([]byte)
		}
		defer a.buffers.Put(buffer)
		width := a.in * a.kind.Size
		*buffer = slices.Grow((*buffer)[:0], x.Rows*width)[:x.Rows*width]
		if _, err := a.file.ReadAt(*buffer, a.start+int64(first)*int64(width)); err != nil {
			return err
		}
		for i := range x.Rows {
			a.kind.Put(x.Row(i), (*buffer)[i*width:])
		}
		return nil
	}}
}

// loadArray reads features and their labels once, to check and to hash them.
func loadArray(ctx context.Context, features, labels *Input, pixels bool) (*array, error) {
	a := new(array)
	n := 0
	for _, f := range []struct {
		in   *Input
		read func(r *formats.NpyArray, c *formats.Content) error
	}{
		{features, func(r *formats.NpyArray, c *formats.Content) (err error) {
			n, err = a.features(r, c, features, pixels)
			return err
		}},
		{labels, func(r *formats.NpyArray, _ *formats.Content) error { return a.targets(r, labels, n) }},
	} {
		sha, err := f.in.Content(ctx, func(c *formats.Content) error {
			r, err := formats.NewNpyArray(c, f.in.Path, c.Most())
			if err != nil {
				return err
			}
			if r.Fortran && len(r.Dims) > 1 {
				return r.FileErrorf("the array is in Fortran order, whose rows cannot be read when they are used: save numpy.ascontiguousarray of it")
			}
			return f.read(r, c)
		})
		if err != nil {
			return nil, err
		}
		a.files = append(a.files, f.in.file(sha, n))
	}
	return a, nil
}

// features checks all rows, and keeps them if the file is compressed. It returns their number.
func (a *array) features(r *formats.NpyArray, c *formats.Content, in *Input, pixels bool) (n int, err error) {
	if len(r.Dims) != 2 || r.Dims[0] < 1 || r.Dims[1] < 1 || r.Dims[1] > formats.MaxColumns {
		return 0, r.FileErrorf("the shape (%s) is not rows by inputs: reshape the array", r.Shape)
	}
	n, a.in, a.start, a.kind = r.Dims[0], r.Dims[1], r.Start, r.NpyType
	if pixels && a.kind.Size == 1 {
		a.kind.Decode = func(b []byte) float64 { return float64(b[0]) / 255 }
	}
	if in.dims > 0 && a.in != in.dims {
		return 0, r.FileErrorf("%d inputs, %d expected", a.in, in.dims)
	}
	if c.Packed {
		if err := transforms.Fits(n, a.in, in.limit()); err != nil {
			return 0, r.FileErrorf("%w: uncompress the file, then rows are read when they are used", err)
		}
	} else if a.file, err = formats.OpenRegular(in.Path); err != nil {
		return 0, err
	}
	var row []float64
	for i := range n {
		buf, err := r.Next(a.in)
		if err != nil {
			return 0, r.FileErrorf("row %d: %w", i+1, err)
		}
		row = slices.Grow(row[:0], a.in)[:a.in]
		a.kind.Put(row, buf)
		for j, v := range row {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return 0, r.FileErrorf("row %d: column %d is %v: remove the row or fill the value in", i+1, j+1, v)
			}
		}
		if c.Packed {
			a.x.Data = append(a.x.Data, row...)
		}
	}
	a.x.Rows, a.x.Cols, a.x.Stride = n, a.in, a.in
	return n, r.Ended(n)
}

// targets reads the labels of n rows.
func (a *array) targets(r *formats.NpyArray, in *Input, n int) error {
	d, out := r.Dims, max(in.outputs, 1)
	switch {
	case out == 1 && (len(d) == 0 || d[0] != n || len(d) > 2 || len(d) == 2 && d[1] != 1):
		return r.FileErrorf("the shape (%s) is not one label for each of the %d rows", r.Shape, n)
	case out > 1 && (len(d) != 2 || d[0] != n || d[1] != out):
		return r.FileErrorf("the shape (%s) is not %d labels for each of the %d rows", r.Shape, out, n)
	}
	a.y = compute.NewMatrix(n, out)
	label := in.labeller()
	for i := range a.y.Data {
		buf, err := r.Next(1)
		if err != nil {
			return r.FileErrorf("row %d: %w", i/out+1, err)
		}
		v := r.Decode(buf)
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return r.FileErrorf("row %d: the label is %v", i/out+1, v)
		}
		if a.y.Data[i], err = label(v); err != nil {
			return r.FileErrorf("row %d: %w", i/out+1, err)
		}
	}
	return r.Ended(n)
}
