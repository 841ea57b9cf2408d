package datasets

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"repro/algos/compute"
	"repro/datasets/formats"
	"repro/datasets/transforms"
)

// arrayRows are rows of an array on the disk, or in memory if the file is compressed, with targets in
// memory.
type arrayRows struct {
	in    int
	y     compute.Matrix
	files []File

	x       compute.Matrix // in memory
	file    *os.File       // or on the disk
	start   int64
	kind    formats.NpyType
	buffers sync.Pool // of *[]byte, for a row

	more *arrayRows // inputs of the rows that append added, nil if there are none
	own  int        // rows that are not among more
}

// append adds the rows of b, which has as many inputs and targets.
func (a *arrayRows) append(b *arrayRows) {
	y := compute.NewMatrix(a.y.Rows+b.y.Rows, a.y.Cols)
	y.RowRange(0, a.y.Rows).CopyFrom(a.y)
	y.RowRange(a.y.Rows, y.Rows).CopyFrom(b.y)
	a.own, a.more, a.y = a.y.Rows, b, y
}

func (a *arrayRows) Len() int            { return a.y.Rows }
func (a *arrayRows) Dims() (in, out int) { return a.in, a.y.Cols }
func (a *arrayRows) Labels() []float64   { return transforms.InMemory{Y: a.y}.Labels() }

// Gather panics if the file can no longer be read: it has no way to return an error, and the file was read before.
func (a *arrayRows) Gather(rows []int, x, y compute.Matrix) {
	for k, i := range rows {
		copy(y.Row(k), a.y.Row(i))
	}
	if a.more == nil {
		a.inputs(rows, x)
		return
	}
	for k, i := range rows {
		if i < a.own {
			a.inputs([]int{i}, x.RowRange(k, k+1))
		} else {
			a.more.inputs([]int{i - a.own}, x.RowRange(k, k+1))
		}
	}
}

// inputs copies the inputs of rows of its own to x.
func (a *arrayRows) inputs(rows []int, x compute.Matrix) {
	if a.file == nil {
		for k, i := range rows {
			copy(x.Row(k), a.x.Row(i))
		}
		return
	}
	buffer, _ := a.buffers.Get().(*[]byte)
	if buffer == nil {
		b := make([]byte, a.in*a.kind.Size)
		buffer = &b
	}
	defer a.buffers.Put(buffer)
	for k, i := range rows {
		if _, err := a.file.ReadAt(*buffer, a.start+int64(i)*int64(len(*buffer))); err != nil {
			panic(fmt.Sprintf("datasets: row %d of %s can no longer be read: %v", i+1, a.file.Name(), err))
		}
		a.kind.Put(x.Row(k), *buffer)
	}
}

// loadArrays reads the features in and the labels beside them once, to check and to hash them.
func loadArrays(ctx context.Context, in *input) (*arrayRows, error) {
	a := new(arrayRows)
	n := 0
	sha, err := in.content(ctx, func(c *formats.Content) (err error) {
		n, err = a.features(c, in)
		return err
	})
	if err != nil {
		return nil, err
	}
	a.files = []File{{Name: filepath.Base(in.path), SHA256: sha, Rows: n}}
	sha, err = in.beside.content(ctx, func(c *formats.Content) error { return a.targets(c, in.beside, n) })
	if err != nil {
		return nil, err
	}
	a.files = append(a.files, File{Name: filepath.Base(in.beside.path), SHA256: sha, Rows: n})
	return a, nil
}

// features checks all rows, and keeps them if the file is compressed. It returns their number.
func (a *arrayRows) features(c *formats.Content, in *input) (n int, err error) {
	r, err := formats.NewNpyArray(c, in.path, c.Most())
	if err != nil {
		return 0, err
	}
	if len(r.Dims) != 2 || r.Dims[0] < 1 || r.Dims[1] < 1 || r.Dims[1] > formats.MaxColumns {
		return 0, r.FileErrorf("the shape (%s) is not rows by inputs: reshape the array", r.Shape())
	}
	n, a.in, a.start, a.kind = r.Dims[0], r.Dims[1], r.Start, r.NpyType
	if in.pixels && a.kind.Size == 1 {
		a.kind.Decode = func(b []byte) float64 { return transforms.Shades[b[0]] }
	}
	if in.dims > 0 && a.in != in.dims {
		return 0, r.FileErrorf("%d inputs, %d expected", a.in, in.dims)
	}
	if c.Packed {
		if err := transforms.Fits(n, a.in, in.limit()); err != nil {
			return 0, r.FileErrorf("%w: uncompress the file, then rows are read when they are used", err)
		}
	} else if a.file, err = formats.OpenRegular(in.path); err != nil {
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
func (a *arrayRows) targets(c *formats.Content, in *input, n int) error {
	r, err := formats.NewNpyArray(c, in.path, c.Most())
	if err != nil {
		return err
	}
	d, out := r.Dims, max(in.outputs, 1)
	switch {
	case out == 1 && (len(d) == 0 || d[0] != n || len(d) > 2 || len(d) == 2 && d[1] != 1):
		return r.FileErrorf("the shape (%s) is not one label for each of the %d rows", r.Shape(), n)
	case out > 1 && (len(d) != 2 || d[0] != n || d[1] != out):
		return r.FileErrorf("the shape (%s) is not %d labels for each of the %d rows", r.Shape(), out, n)
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
