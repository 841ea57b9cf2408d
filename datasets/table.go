package datasets

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"

	"repro/algos/compute"
)

// A table is one file in memory.
type table struct {
	x, y  compute.Matrix
	kept  []int    // numbers of the rows that x has, increasing; nil if it has those of all targets
	names []string // of the columns, nil if the file does not say
	sha   string   // of the uncompressed content
	files []File   // what it was read from, if that is more than one file
}

// input says how to read a file.
type input struct {
	key     string // of the user's own file in the spec
	path    string
	format  string
	target  string
	header  bool
	dims    int // number of inputs; 0 if only the file tells
	binary  bool
	label   func(float64) (float64, bool)
	remote  *RemoteFile                                    // the file it must be, nil for the user's own
	outputs int                                            // number of targets in a file of labels
	pixels  bool                                           // bytes of an array are pixels, which become numbers from 0 to 1
	choose  func(y compute.Matrix) (rows []int, err error) // which rows will be used, by the targets of all; nil if all are
	few     bool                                           // it may have fewer rows than the remote file
	beside  *input                                         // the file with the labels, if they are in one of their own
}

// open starts reading the rows of c.
func (in *input) open(c *content) (rows, error) {
	switch in.format {
	case "libsvm":
		return newLibsvm(c, in.path, in.dims), nil
	case "csv":
		return newCSV(c, in.path, in.target, in.header)
	case "npy":
		return newNpy(c, in.path, in.target)
	}
	panic("datasets: unknown format " + in.format)
}

// maxEntries bounds a matrix to 64 GiB: a larger one is a mistake in the file.
const maxEntries int64 = 1 << 33

// fits returns an error if n rows are too large to keep in memory.
func fits(n, dims int) error {
	if int64(n) > maxEntries/int64(max(dims, 1)) {
		return fmt.Errorf("%d rows of %d inputs would take %d GiB, more than the %d allowed", n, dims, int64(n)*int64(dims)>>27, maxEntries>>27)
	}
	return nil
}

// load reads the file. That of a source is read once: its size is known and its checksum is
// verified on the way. The user's own is read twice, first to learn its size, so that no more
// memory is taken than the matrices need.
func (in *input) load(ctx context.Context) (*table, error) {
	if in.format == "idx" {
		d, files, err := loadDigits(ctx, in, in.beside)
		if err != nil {
			return nil, err
		}
		t := d.table()
		t.files = files
		return t, nil
	}
	if in.remote != nil {
		return in.fill(ctx, in.remote.Rows, in.dims, nil)
	}
	y, dims, sha, err := in.measure(ctx)
	if err != nil {
		return nil, err
	}
	n := len(y)
	var kept []int
	if in.choose != nil {
		if kept, err = in.choose(compute.Matrix{Rows: n, Cols: 1, Stride: 1, Data: y}); err != nil {
			return nil, err
		}
	}
	many := n
	if kept != nil {
		many = len(kept)
	}
	if err := fits(many, dims); err != nil {
		return nil, faultf(ErrFormat, "%s: %w: use fewer rows or columns", in.path, err)
	}
	t, err := in.fill(ctx, n, dims, kept)
	if err != nil {
		return nil, err
	}
	if t.sha != sha {
		return nil, faultf(ErrFormat, "%s: the file changed while it was read: run again", in.path)
	}
	return t, nil
}

// measure reads the file without keeping its inputs. It returns its targets and the number of inputs.
func (in *input) measure(ctx context.Context) (targets []float64, dims int, sha string, err error) {
	dims = in.dims
	sha, err = in.scan(ctx, func(r rows, y float64) error {
		targets = append(targets, y)
		dims = max(dims, r.width())
		return nil
	}, nil)
	if err == nil && len(targets) == 0 {
		err = faultf(ErrFormat, "%s: the file has no rows", in.path)
	}
	if err == nil && dims == 0 {
		err = faultf(ErrFormat, "%s: the rows have no inputs", in.path)
	}
	return targets, dims, sha, err
}

// fill reads the n rows of the file into memory; of the inputs the rows kept alone, unless that is nil.
func (in *input) fill(ctx context.Context, n, dims int, kept []int) (*table, error) {
	many := n
	if kept != nil {
		many = len(kept)
	}
	t := &table{x: compute.NewMatrix(many, dims), y: compute.NewMatrix(n, 1), kept: kept}
	i, next := 0, 0
	sha, err := in.scan(ctx, func(r rows, y float64) error {
		if i == n {
			return r.errorf("there are more than the %d rows expected", n)
		}
		if w := r.width(); w > dims || w < dims && in.format == "csv" {
			return r.errorf("the row has %d inputs, %d expected", r.width(), dims)
		}
		if kept == nil || next < len(kept) && kept[next] == i {
			r.put(t.x.Row(next))
			next++
		}
		t.y.Data[i] = y
		i++
		return nil
	}, &t.names)
	if err == nil && i < n && in.few && i > 0 {
		t.x, t.y = t.x.RowRange(0, i), t.y.RowRange(0, i)
	} else if err == nil && i < n {
		err = faultf(ErrFormat, "%s: %d rows, %d expected", in.path, i, n)
	}
	t.sha = sha
	return t, err
}

// scan calls visit on every row of the file and returns the digest of its content. A source's file
// with another checksum is reported as that, whatever else is wrong with it.
func (in *input) scan(ctx context.Context, visit func(r rows, y float64) error, names *[]string) (sha string, err error) {
	return in.content(ctx, func(c *content) error { return in.visit(ctx, c, visit, names) })
}

// content hands the content of the file to read, and returns its digest.
func (in *input) content(ctx context.Context, read func(c *content) error) (sha string, err error) {
	c, err := openContent(in.path)
	if err != nil {
		return "", in.openError(err)
	}
	defer c.Close()
	err = read(c)
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	if e := c.drain(); err == nil && e != nil {
		err = faultf(ErrFormat, "%s: the data ends early or is damaged: %w; get the file again", in.path, e)
	}
	if in.remote != nil {
		if e := c.verify(in.remote); e != nil {
			return "", wrongFile(e)
		}
	}
	sha, _ = c.inside.hex()
	return sha, err
}

func (in *input) openError(err error) error {
	if in.remote != nil && errors.Is(err, ErrFormat) {
		return wrongFile(unreadable(in.path, in.remote, err))
	}
	if errors.Is(err, fs.ErrNotExist) && in.remote == nil {
		return faultf(ErrMissing, "data.%s: there is no file %s: paths are relative to the folder of the spec", in.key, in.path)
	}
	return err
}

func (in *input) visit(ctx context.Context, c *content, visit func(r rows, y float64) error, names *[]string) error {
	r, err := in.open(c)
	if err != nil {
		return err
	}
	if csv, ok := r.(*csvRows); ok && names != nil {
		*names = csv.names
	}
	label := in.labeller()
	for n := 0; ; n++ {
		y, err := r.read()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if y, err = label(y); err != nil {
			return r.errorf("%w", err)
		}
		if err := visit(r, y); err != nil {
			return err
		}
		if n%4096 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
	}
}

// labeller returns what turns the label of a row into its target. For a binary task that is 1 or
// -1, or 1 and 0 in a file that uses those.
func (in *input) labeller() func(float64) (float64, error) {
	if in.label != nil {
		return func(v float64) (float64, error) {
			y, ok := in.label(v)
			if !ok {
				return 0, fmt.Errorf("label %v is unknown", v)
			}
			return y, nil
		}
	}
	if !in.binary {
		return func(v float64) (float64, error) { return v, nil }
	}
	negative := 1.0 // the negative label the file uses, once seen
	return func(v float64) (float64, error) {
		switch {
		case v == 1:
			return 1, nil
		case v != 0 && v != -1:
			return 0, fmt.Errorf("label %v of a binary task: write 1 and -1, or 1 and 0", v)
		case negative != 1 && v != negative:
			return 0, fmt.Errorf("label %v, after %v was used: write 1 and -1, or 1 and 0, not all three", v, negative)
		}
		negative = v
		return -1, nil
	}
}

// matches checks that test rows t have the columns of training rows.
func (t *table) matches(in *input, train *table) error {
	switch {
	case t.x.Cols != train.x.Cols:
		return faultf(ErrFormat, "%s: %d inputs, the training rows have %d", in.path, t.x.Cols, train.x.Cols)
	case !slices.Equal(t.names, train.names):
		return faultf(ErrFormat, "%s:1: the columns %s are not those of the training file", in.path, strings.Join(t.names, ", "))
	}
	return nil
}
