package datasets

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"

	"repro/algos/compute"
	"repro/datasets/formats"
)

// input says how to read a file.
type input struct {
	key     string // of the user's own file in the spec
	path    string
	format  string
	target  string
	header  bool
	dims    int // number of inputs; 0 if only the file says
	binary  bool
	label   func(float64) (float64, bool)
	remote  *RemoteFile                                    // the file it must be, nil for the user's own
	outputs int                                            // number of targets in a file of labels
	pixels  bool                                           // bytes of an array are pixels, which become numbers from 0 to 1
	choose  func(y compute.Matrix) (rows []int, err error) // which rows will be used, by the targets of all; nil if all are
	few     bool                                           // it may have fewer rows than the remote file
	beside  *input                                         // the file with the labels, if they are in one of their own
	memory  int64                                          // bytes that the rows may take, 0 for what this machine has
	held    int64                                          // bytes that the rows of other files have already
	passed  int64                                          // bytes of uncompressed content that were read last
}

// bound returns the bytes that the uncompressed content of the file may have.
func (in *input) bound() int64 {
	if in.remote != nil && in.remote.content > 0 {
		return in.remote.content
	}
	return in.limit()
}

// limit returns the bytes that the rows may take.
func (in *input) limit() int64 {
	if in.memory > 0 {
		return in.memory - in.held
	}
	return machineMemory() - in.held
}

// layout says what the rows of the file look like.
func (in *input) layout(c *formats.Content) formats.Layout {
	return formats.Layout{Format: in.format, Target: in.target, Header: in.header, Inputs: in.dims, Most: c.Most()}
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
		if err := in.fits(in.remote.Rows, in.dims, 0); err != nil {
			return nil, err
		}
		return in.fill(ctx, in.remote.Rows, in.dims, nil)
	}
	y, dims, widest, sha, err := in.measure(ctx)
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
	if err := in.fits(many, dims, widest); err != nil {
		return nil, err
	}
	t, err := in.fill(ctx, n, dims, kept)
	if err != nil {
		return nil, err
	}
	if t.sha != sha {
		return nil, formats.Faultf(formats.ErrFormat, "%s: the file changed while it was read: run again", in.path)
	}
	return t, nil
}

// measure reads the file without keeping its inputs. It returns its targets, the number of inputs, and the first row,
// from 1, that has so many.
func (in *input) measure(ctx context.Context) (targets []float64, dims, widest int, sha string, err error) {
	dims = in.dims
	sha, err = in.scan(ctx, func(r formats.Rows, y float64) error {
		targets = append(targets, y)
		if r.Width() > dims {
			dims, widest = r.Width(), len(targets)
		}
		return nil
	}, nil)
	if err == nil && len(targets) == 0 {
		err = formats.Faultf(formats.ErrFormat, "%s: the file has no rows", in.path)
	}
	if err == nil && dims == 0 {
		err = formats.Faultf(formats.ErrFormat, "%s: the rows have no inputs", in.path)
	}
	return targets, dims, widest, sha, err
}

// fill reads the n rows of the file: all targets, and the inputs of the kept rows only (all if nil).
func (in *input) fill(ctx context.Context, n, dims int, kept []int) (*table, error) {
	many := n
	if kept != nil {
		many = len(kept)
	}
	t := &table{x: compute.NewMatrix(many, dims), y: compute.NewMatrix(n, 1), kept: kept}
	i, next := 0, 0
	sha, err := in.scan(ctx, func(r formats.Rows, y float64) error {
		if i == n {
			return r.Errorf("there are more than the %d rows expected", n)
		}
		if w := r.Width(); w > dims || w < dims && in.format == "csv" {
			return r.Errorf("the row has %d inputs, %d expected", r.Width(), dims)
		}
		if kept == nil || next < len(kept) && kept[next] == i {
			r.Put(t.x.Row(next))
			next++
		}
		t.y.Data[i] = y
		i++
		return nil
	}, &t.names)
	if err == nil && i < n && in.few && i > 0 {
		t.x, t.y = t.x.RowRange(0, i), t.y.RowRange(0, i)
	} else if err == nil && i < n {
		err = formats.Faultf(formats.ErrFormat, "%s: %d rows, %d expected", in.path, i, n)
	}
	t.sha = sha
	return t, err
}

// scan calls visit on every row of the file and returns the digest of its content. A source's file
// that has another checksum is reported as that and not as malformed.
func (in *input) scan(ctx context.Context, visit func(r formats.Rows, y float64) error, names *[]string) (sha string, err error) {
	return in.content(ctx, func(c *formats.Content) error { return in.visit(c, visit, names) })
}

// content hands the content of the file to read, and returns its digest.
func (in *input) content(ctx context.Context, read func(c *formats.Content) error) (sha string, err error) {
	c, err := formats.Open(ctx, in.path, in.bound())
	if err != nil {
		return "", in.openError(err)
	}
	defer c.Close()
	err = read(c)
	if err == nil || in.remote != nil {
		if e := c.Drain(); err == nil && e != nil {
			err = formats.Faultf(formats.ErrFormat, "%s: %w", in.path, formats.Broken(e))
		}
	}
	in.passed = c.Passed()
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	if in.remote != nil {
		if e := verifyContent(c, in.remote); e != nil {
			return "", wrongFile(e)
		}
	}
	sha, _ = c.Inside.Hex()
	return sha, err
}

func (in *input) openError(err error) error {
	if in.remote != nil && errors.Is(err, formats.ErrFormat) {
		return wrongFile(unreadable(in.path, in.remote, err))
	}
	if errors.Is(err, fs.ErrNotExist) && in.remote == nil {
		return formats.Faultf(ErrMissing, "data.%s: there is no file %s: paths are relative to the folder of the spec", in.key, in.path)
	}
	return err
}

func (in *input) visit(c *formats.Content, visit func(r formats.Rows, y float64) error, names *[]string) error {
	r, err := formats.NewRows(c, in.path, in.layout(c))
	if err != nil {
		return err
	}
	if csv, ok := r.(*formats.CSV); ok && names != nil {
		*names = csv.Names
	}
	label := in.labeller()
	for {
		y, err := r.Read()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if y, err = label(y); err != nil {
			return r.Errorf("%w", err)
		}
		if err := visit(r, y); err != nil {
			return err
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

// loadTest loads a test file, which must have the columns of the training rows.
func (in *input) loadTest(ctx context.Context, train *table) (*table, error) {
	if in.format == "libsvm" && in.dims == 0 {
		in.dims = train.x.Cols
	}
	in.held = 8 * int64(len(train.x.Data))
	t, err := in.load(ctx)
	if err != nil {
		return nil, err
	}
	return t, t.matches(in, train)
}

// files describes what was read for the record.
func (in *input) files(t *table) []File {
	if t.files != nil {
		return t.files
	}
	name := filepath.Base(in.path)
	if in.remote != nil {
		name = in.remote.Name
	}
	return []File{{Name: name, SHA256: t.sha, Rows: t.y.Rows}}
}
